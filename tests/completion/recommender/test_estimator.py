"""Recommender: what it answers follows from the factors of its model, whatever ids are."""

import time

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

import lowdim
from lowdim import ALS, Recommender, SoftImpute
from lowdim.datasets import load_movielens

MODEL = ALS(3, penalty=0.05, random_state=0)


def place(ids, name):
    """The number of an id."""
    return ids.tolist().index(name)


def few(rng, n_users=12, n_items=8):
    """A few ratings: every user and item at least once, no pair twice."""
    pairs = np.argwhere(rng.random((n_users, n_items)) < 0.5)
    own = np.column_stack([np.arange(n_users), np.arange(n_users) % n_items])
    user, item = np.unique(np.vstack([pairs, own]), axis=0).T
    return user, item, rng.integers(1, 6, size=len(user)).astype(float)


# Answers follow from the matrix of scores


def test_the_matrix_holds_the_ratings(ratings, fitted):
    i = [place(fitted.user_ids_, name) for name in ratings.user]
    j = [place(fitted.item_ids_, name) for name in ratings.item]
    assert fitted.ratings_.nnz == len(i)
    assert_array_equal(fitted.ratings_.toarray()[i, j], ratings.rating)


def test_predictions_are_entries_of_the_matrix(fitted, scores):
    users, items = fitted.user_ids_[[3, 5, 3]], fitted.item_ids_[[0, 1, 7]]
    assert_allclose(fitted.predict(users, items), scores[[3, 5, 3], [0, 1, 7]], rtol=1e-12)
    assert_allclose(fitted.predict(users[0], fitted.item_ids_), scores[3], rtol=1e-12)
    assert fitted.predict(users[1], items[1]) == pytest.approx(scores[5, 1])
    assert isinstance(fitted.predict(users[1], items[1]), float)


def test_recommendations_are_the_largest_scores_of_what_was_not_seen(fitted, scores):
    for i in (0, 17):
        unseen = scores[i].copy()
        unseen[fitted.ratings_[[i]].indices] = -np.inf
        best = np.argsort(-unseen)[:5]
        table = fitted.recommend(fitted.user_ids_[i], n=5)
        assert table.columns == ["item", "title", "score"] and len(table) == 5
        assert_array_equal(table["item"], fitted.item_ids_[best])
        assert_allclose(table["score"], scores[i, best], rtol=1e-12)
        everything = fitted.recommend(fitted.user_ids_[i], n=5, exclude_seen=False)
        assert_array_equal(everything["item"], fitted.item_ids_[np.argsort(-scores[i])[:5]])


def test_recommendations_for_all_are_those_for_each(fitted):
    table = fitted.recommend_all(3)
    assert len(table) == 3 * len(fitted.user_ids_)
    for i in (0, 50, 119):
        mine = table["user"] == fitted.user_ids_[i]
        assert_array_equal(table["item"][mine], fitted.recommend(fitted.user_ids_[i], n=3)["item"])
    some = fitted.recommend_all(3, users=["user5", "user2"])
    assert some["user"].tolist() == ["user5"] * 3 + ["user2"] * 3


@pytest.mark.parametrize("kind", ["collection", "function"])
def test_a_filter_leaves_only_its_items(fitted, kind):
    wanted = {"item1", "item2", "item3", "never rated"}
    keep = wanted if kind == "collection" else wanted.__contains__
    table = fitted.recommend("user0", filter=keep, exclude_seen=False)
    assert set(table["item"]) == wanted - {"never rated"}
    assert set(fitted.similar_items("item1", filter=keep)["item"]) == {"item2", "item3"}


def test_fewer_items_than_asked_for_make_a_shorter_table(fitted):
    n_seen = len(fitted.ratings_[[0]].indices)
    assert len(fitted.recommend(fitted.user_ids_[0], n=1000)) == 40 - n_seen
    lengths = 40 - np.diff(fitted.ratings_.indptr)
    assert len(fitted.recommend_all(1000)) == lengths.sum()


def test_a_new_user_with_an_old_users_ratings_gets_the_same(fitted):
    row = fitted.ratings_[[8]]
    known = dict(zip(fitted.item_ids_[row.indices].tolist(), row.data.tolist(), strict=True))
    new, old = fitted.recommend_new(known, n=6), fitted.recommend(fitted.user_ids_[8], n=6)
    assert_array_equal(new["item"], old["item"])
    assert_allclose(new["score"], old["score"], rtol=1e-8)


# Further ratings


@pytest.mark.parametrize("feedback", ["explicit", "implicit"])
def test_new_users_and_ratings_are_taken_in_without_learning_anew(ratings, feedback):
    model = ALS(3, feedback=feedback, random_state=0)
    first = tuple(part[:2300] for part in ratings[:4])
    recommender = Recommender(model).fit(first)
    components, old = recommender.model_.components_, recommender.predict("user1", "item1")
    mine = {"item1": 5.0, "item2": 1.0}
    expected = recommender.recommend_new(mine)
    again = (ratings.user[:3], ratings.item[:3], 6.0 - ratings.rating[:3])
    recommender.partial_fit((["new", "new"], list(mine), list(mine.values())))
    recommender.partial_fit(again)
    assert list(recommender.recommend("new")) == list(expected)
    assert recommender.model_.components_ is components
    assert recommender.predict("user1", "item1") == old
    for user, item, value in zip(*again, strict=True):
        i, j = place(recommender.user_ids_, user), place(recommender.item_ids_, item)
        assert recommender.ratings_[i, j] == value
        codes = recommender.model_.transform(recommender.ratings_[[i]])
        assert_allclose(recommender.model_.row_factors_[i], codes[0], rtol=1e-9)
    assert len(recommender.user_ids_) == len(recommender.model_.row_factors_) == 121


def test_ratings_that_change_nothing_change_nothing(ratings):
    recommender = Recommender(MODEL).fit(ratings)
    before = recommender.model_.row_factors_
    recommender.partial_fit(ratings)
    assert_allclose(recommender.model_.row_factors_, before, rtol=1e-7, atol=1e-9)
    assert_array_equal(Recommender(MODEL).partial_fit(ratings).model_.row_factors_, before)


def test_unknown_items_cannot_be_taken_in(ratings):
    recommender = Recommender(MODEL).fit(ratings)
    lines = (["new", "new"], ["item1", "nothing"], [4.0, 5.0])
    with pytest.raises(ValueError, match="1 of 2 items are not known"):
        recommender.partial_fit(lines)
    recommender.set_params(unknown="mean").partial_fit(lines)
    assert recommender.ratings_[[place(recommender.user_ids_, "new")]].nnz == 1
    with pytest.raises(ValueError, match="There are no ratings"):
        recommender.partial_fit(lines[:2])


# One table, many forms


def test_every_form_of_ratings_gives_the_same(rng):
    user, item, rating = few(rng)
    columns = {"userId": user, "movie_id": item, "Rating": rating}
    expected = Recommender(MODEL).fit((user, item, rating))
    frames = (pd.DataFrame(columns), pl.DataFrame(columns), pa.table(columns))
    for form in (*frames, (user.tolist(), item.tolist(), rating.tolist())):
        again = Recommender(MODEL).fit(form)
        assert_array_equal(again.predict(user, item), expected.predict(user, item))
        assert again.user_ids_.dtype == np.int64


@pytest.mark.parametrize("name", [str, lambda i: (i, "x"), lambda i: i if i % 2 else str(i), float])
def test_any_hashable_id_will_do(rng, name):
    user, item, rating = few(rng)
    plain = Recommender(MODEL).fit((user, item, rating))
    users, items = [name(u) for u in user.tolist()], [name(i) for i in item.tolist()]
    named = Recommender(MODEL).fit((users, items, rating))
    assert_array_equal(named.predict(users, items), plain.predict(user, item))
    table = named.recommend(users[0], n=3, exclude_seen=False)
    assert table["item"].tolist() == [name(i) for i in _items(plain, user[0])]
    named.explain(users[0], items[1])


def _items(recommender, user):
    return recommender.recommend(user, n=3, exclude_seen=False)["item"].tolist()


def test_titles_come_from_a_dict_a_table_or_a_column(rng):
    user, item, rating = few(rng)
    names = {i: f"film {i}" for i in range(8) if i != 3}  # one has none
    table = pl.DataFrame({"item": list(names), "title": list(names.values())})
    frame = pd.DataFrame({"user": user, "item": item, "rating": rating})
    with_column = frame.assign(title=[names.get(i) for i in item.tolist()])
    for form in ((frame, names), (frame, table), (with_column, None)):
        recommender = Recommender(MODEL).fit(*form)
        shown = recommender.recommend(user[0], n=8, exclude_seen=False)
        assert shown["title"].tolist() == [names.get(i, "") for i in shown["item"].tolist()]


def test_results_become_frames_of_the_library_that_came_in(rng):
    user, item, rating = few(rng)
    columns = {"user": user, "item": item, "rating": rating}
    for library, kind in ((pl, pl.DataFrame), (pd, pd.DataFrame)):
        recommender = Recommender(MODEL).fit(library.DataFrame(columns))
        assert type(recommender.recommend(user[0]).to_frame()) is kind
    frame = recommender.recommend(user[0], exclude_seen=False).to_frame("polars")
    assert frame.columns == ["item", "score"] and frame["item"].dtype == pl.Int64


def test_implicit_feedback_needs_no_ratings(ratings):
    default = Recommender().fit(ratings[:2])
    assert default.model_.feedback == "implicit"
    assert default.recommend_new(["item1", "item3"], n=2).columns == ["item", "score"]
    assert Recommender().fit(ratings).model_.feedback == "explicit"
    counted = Recommender(ALS(3, feedback="implicit", random_state=0)).fit(ratings)
    assert counted.evaluate(ratings, random_state=0).rmse is None


def test_another_completer_will_do(ratings):
    recommender = Recommender(SoftImpute(5.0)).fit(ratings)
    assert len(recommender.recommend("user1", n=4)) == 4
    why = recommender.explain("user1", "item3")
    total = why.baseline + why.rest + why.contributions["contribution"].sum()
    assert total == pytest.approx(why.score)


# Unknown users and items


def test_unknown_ids_are_refused_unless_unknown_says_otherwise(fitted):
    for call in (
        lambda: fitted.predict("user0", "nothing"),
        lambda: fitted.recommend("nobody"),
        lambda: fitted.recommend_all(users=["user1", "nobody"]),
        lambda: fitted.recommend_new({"nothing": 3}),
        lambda: fitted.recommend_new({}),
    ):
        with pytest.raises(ValueError, match=r"not known.* unknown='mean'"):
            call()
    with pytest.raises(ValueError, match=r"1 of 2 items are not known \(first: 'nothing'\)"):
        fitted.predict("user0", ["item1", "nothing"])


def test_unknown_ids_are_answered_by_means(ratings):
    recommender = Recommender(MODEL, unknown="mean").fit(ratings)
    model, mean = recommender.model_, ratings.rating.mean()
    item = recommender.item_ids_[7]
    assert recommender.predict("nobody", item) == pytest.approx(model.mean_[7])
    own = ratings.rating[ratings.user == "user4"]
    shrunk = (own.sum() + 5 * mean) / (len(own) + 5)
    assert recommender.predict("user4", "nothing") == pytest.approx(shrunk)
    assert recommender.predict("nobody", "nothing") == pytest.approx(mean)
    best = recommender.item_ids_[np.argsort(-model.mean_)[:4]]
    assert_array_equal(recommender.recommend("nobody", n=4)["item"], best)
    assert_array_equal(recommender.recommend_new({"nothing": 4.0}, n=4)["item"], best)
    both = recommender.recommend_all(4, users=["nobody", "user4"])
    assert_array_equal(both["item"][:4], best)
    assert_array_equal(both["item"][4:], recommender.recommend("user4", n=4)["item"])


def test_popular_items_are_recommended_to_unknown_users(ratings):
    recommender = Recommender(MODEL, unknown="popular").fit(ratings)
    names, count = np.unique(ratings.item, return_counts=True)
    table = recommender.recommend("nobody", n=3)
    assert_allclose(table["score"], np.sort(count)[:-4:-1] / 120)
    assert count[np.flatnonzero(names == table["item"][0])] == count.max()
    implicit = Recommender(unknown="mean").fit(ratings[:2])
    assert_array_equal(implicit.recommend("nobody", n=3)["item"], table["item"])
    assert implicit.predict("nobody", table["item"][0]) == pytest.approx(count.max() / 120)
    assert implicit.predict(["user0", "nobody"], "nothing").tolist() == [0.0, 0.0]


def test_similarity_and_explanation_need_known_ids(ratings):
    recommender = Recommender(MODEL, unknown="mean").fit(ratings)
    for call in (
        lambda: recommender.similar_items("nothing"),
        lambda: recommender.similar_users("nobody"),
        lambda: recommender.explain("nobody", "item1"),
        lambda: recommender.explain("user1", "nothing"),
    ):
        with pytest.raises(ValueError, match="not known: not among the ratings"):
            call()


# How good


def test_errors_are_those_of_held_out_ratings(ratings):
    recommender = Recommender(MODEL, unknown="mean")
    lines = tuple(part[:2000] for part in ratings[:4])
    held_out = tuple(part[2000:] for part in ratings[:4])
    found = recommender.fit(lines).measure(held_out, k=5)
    error = recommender.predict(held_out[0], held_out[1]) - held_out[2]
    assert found.rmse == pytest.approx(np.sqrt(np.mean(error**2)))
    assert found.mae == pytest.approx(np.mean(np.abs(error)))
    assert found.n_ratings == 400 and found.n_refused == 0
    # timestamps are the numbers of lines: the latest sixth is the same
    again = Recommender(MODEL, unknown="mean").evaluate(ratings, split="time", test_size=1 / 6, k=5)
    assert again == found


def test_ranking_measures_are_those_of_each_users_list(ratings):
    lines, held_out = (tuple(p[s] for p in ratings[:4]) for s in (slice(2000), slice(2000, None)))
    recommender = Recommender(MODEL).fit(lines)
    found = recommender.measure(held_out, k=5, relevant=4.0)
    precision, recall, seen = [], [], set()
    good = held_out[2] >= 4.0
    for user in np.unique(held_out[0][good]):
        mine = set(held_out[1][good & (held_out[0] == user)])
        top = set(recommender.recommend(user, n=5)["item"])
        precision.append(len(mine & top) / 5)
        recall.append(len(mine & top) / len(mine))
        seen |= top
    assert found.precision == pytest.approx(np.mean(precision))
    assert found.recall == pytest.approx(np.mean(recall))
    assert found.coverage == len(seen) / 40 and found.n_users == len(precision)


def test_refused_ratings_are_counted(rng):
    user, item, rating = few(rng)
    recommender = Recommender(MODEL).fit((user, item, rating))
    held_out = ([0, 99, 1], [1, 2, 99], [5.0, 5.0, 5.0])
    found = recommender.measure(held_out, relevant=1.0)
    assert (found.n_ratings, found.n_refused, found.n_users) == (1, 2, 1)
    found = recommender.set_params(unknown="popular").measure(held_out, relevant=1.0)
    assert (found.n_ratings, found.n_refused, found.n_users) == (3, 0, 3)


def test_evaluation_leaves_the_recommender_alone(ratings):
    recommender = Recommender(MODEL)
    recommender.evaluate(ratings, random_state=0)
    assert not hasattr(recommender, "model_")


def test_planted_tastes_are_found(ratings):
    found = Recommender(ALS(3, penalty=0.05, random_state=0)).evaluate(ratings, random_state=0)
    # the noise (0.4 and rounding, 0.29) alone makes 0.5; the mean of all ratings makes 1.0
    assert found.rmse < 0.65
    recommender = Recommender(MODEL).fit(ratings)
    for item in ("item4", "item27"):  # neighbours are of the same two kinds
        kind = recommender.similar_items(item, n=3)["title"]
        assert {title[:8] for title in kind} == {ratings.titles[item][:8]}


# Duplicates, files, the contract


@pytest.mark.parametrize("name", [int, str])
def test_a_file_gives_the_same_answers(rng, tmp_path, name):
    user, item, rating = few(rng)
    users, items = [name(u) for u in user], [name(i) for i in item]
    titles = {items[0]: "first"}
    recommender = Recommender(MODEL, unknown="popular").fit((users, items, rating), titles)
    expected = recommender.recommend(users[0])
    recommender.save(tmp_path / "r.lowdim")
    again = lowdim.load(tmp_path / "r.lowdim")
    assert type(again) is Recommender and again.unknown == "popular"
    assert_array_equal(again.predict(users, items), recommender.predict(users, items))
    assert list(again.recommend(users[0])) == list(expected)
    assert list(again.recommend("nobody")) == list(recommender.recommend("nobody"))
    again.save(tmp_path / "again.lowdim")
    first, second = ((tmp_path / f).read_bytes() for f in ("r.lowdim", "again.lowdim"))
    assert first == second


def test_ids_that_files_cannot_hold_are_refused(tmp_path):
    recommender = Recommender(MODEL).fit(([(1, 2), (1, 3)], [1, 2], [3.0, 4.0]))
    with pytest.raises(TypeError, match=r"cannot save user ids such as \(1, 2\) \(tuple\)"):
        recommender.save(tmp_path / "r.lowdim")
    assert not (tmp_path / "r.lowdim").exists()


def test_fitting_again_forgets_the_old_ids(rng, ratings):
    recommender = Recommender(MODEL).fit(ratings)
    recommender.predict("user1", "item1")
    user, item, rating = few(rng)
    recommender.fit((user, item, rating))
    with pytest.raises(ValueError, match="'user1' is not known"):
        recommender.predict("user1", 1)
    recommender.predict(user, item)


def test_it_clones_and_keeps_its_model_unfitted(fitted):
    assert clone(fitted).get_params()["model__penalty"] == 0.05
    assert not hasattr(fitted.model, "components_")
    assert fitted.set_params(model__penalty=0.05) is fitted


def test_the_number_of_threads_does_not_matter(ratings):
    tables = []
    for threads in (1, 3):
        with lowdim.config_context(threads=threads):
            tables.append(Recommender(MODEL).fit(ratings).recommend_all(5))
    assert_array_equal(tables[0]["item"], tables[1]["item"])
    assert_array_equal(tables[0]["score"], tables[1]["score"])


# The door


def test_bad_arguments_are_refused(fitted, ratings):
    with pytest.raises(ValueError, match="'unknown' parameter of Recommender"):
        Recommender(unknown="guess").fit(ratings)
    with pytest.raises(ValueError, match="'model' parameter of Recommender"):
        Recommender(lowdim.PCA()).fit(ratings)
    with pytest.raises(ValueError, match="no ratings, and ALS learns how high"):
        Recommender(ALS()).fit(ratings[:2])
    with pytest.raises(ValueError, match="no column 'stars'"):
        Recommender(rating="stars").fit(pd.DataFrame({"user": [1], "item": [1]}))
    with pytest.raises(ValueError, match="n=0"):
        fitted.recommend("user1", n=0)
    with pytest.raises(ValueError, match="none of the 40 known items"):
        fitted.recommend("user1", filter=["nothing"])
    with pytest.raises(ValueError, match="2 users and 3 items"):
        fitted.predict(["user1", "user2"], ["item1", "item2", "item3"])
    with pytest.raises(TypeError, match="dict from item to rating"):
        fitted.recommend_new(["item1"])
    with pytest.raises(ValueError, match="NaN or infinite"):
        fitted.recommend_new({"item1": np.nan})
    with pytest.raises(ValueError, match="none is of a known user"):
        fitted.measure((["nobody"], ["item1"], [5.0]))
    with pytest.raises(ValueError, match="is not fitted"):
        Recommender().recommend("user1")


def test_one_user_and_one_item_are_enough():
    recommender = Recommender().fit((["a"], ["b"], [4.0]))
    assert recommender.predict("a", "b") == pytest.approx(4.0)
    assert len(recommender.recommend("a")) == 0
    assert len(recommender.similar_items("b")) == 0


# Real ratings


def test_movielens_100k_is_predicted_within_seconds(data_dir):
    ratings = load_movielens(data_dir / "movielens_100k.npz")
    start = time.perf_counter()
    found = Recommender(unknown="mean").evaluate(ratings, test_size=0.1, random_state=0)
    assert found.rmse <= 0.92
    assert found.precision > 0.04  # of the items that people liked and were not shown
    assert time.perf_counter() - start < 30  # about 2 s; the machine may be busy
    fitted = Recommender().fit(ratings)
    like_star_wars = fitted.similar_items(50, n=3)["title"].tolist()
    assert "Empire Strikes Back, The (1980)" in like_star_wars


def test_movielens_1m_implicit_is_ranked(data_dir):
    ratings = load_movielens(data_dir / "movielens_1m_implicit.npz")
    few_users = ratings.user <= 600
    ratings = ratings._replace(user=ratings.user[few_users], item=ratings.item[few_users])
    found = Recommender(unknown="popular").evaluate(ratings, random_state=0)
    assert found.rmse is None and found.precision > 0.15
