"""Splits and measures of rankings: worked by hand, and against scikit-learn."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import average_precision_score, ndcg_score

from lowdim.completion.recommender.evaluation import (
    Evaluation,
    hits,
    ranking_measures,
    split_ratings,
)

# Golden values


def test_measures_of_a_ranking_worked_by_hand():
    # hits at places 1 and 3 of 4, three items are relevant
    found = ranking_measures(np.array([[True, False, True, False]]), np.array([3]))
    assert found.precision == 0.5
    assert_allclose(found.recall, 2 / 3)
    assert_allclose(found.ndcg, (1 + 1 / 2) / (1 + 1 / np.log2(3) + 1 / 2))
    assert_allclose(found.map, (1 + 2 / 3) / 3)


def test_measures_are_averaged_over_users():
    hit = np.array([[True, True], [False, False]])
    found = ranking_measures(hit, np.array([5, 1]))
    assert (found.precision, found.recall, found.ndcg, found.map) == (0.5, 0.2, 0.5, 0.5)


def test_hits_are_relevant_pairs():
    column = np.array([[2, 0], [1, -1]])
    row_of, column_of = np.array([0, 1, 1, 1]), np.array([0, 2, 1, -1])
    assert_array_equal(hits(column, row_of, column_of, 3), [[False, True], [True, False]])


def test_the_latest_ratings_are_held_out():
    user, time = ["a", "b", "a", "b", "a"], [5, 1, 3, 2, 4]
    split = split_ratings(user, time, split="time", test_size=0.4)
    assert_array_equal(split.test, [0, 4])
    assert_array_equal(split.train, [1, 2, 3])
    last = split_ratings(user, time, split="last", test_size=0.4)
    assert_array_equal(last.test, [0, 3, 4])  # two of a's three, one of b's two


def test_a_user_with_one_rating_keeps_it_for_training():
    split = split_ratings(["a", "b", "b"], [1, 2, 3], split="last", test_size=0.9)
    assert_array_equal(split.test, [2])


def test_times_may_be_dates_or_text():
    dates = np.array(["2020-03-01", "2020-01-01", "2020-02-01"])
    for times in (dates, dates.astype("datetime64[s]"), dates.astype(object)):
        assert_array_equal(split_ratings([1, 1, 2], times, split="time").test, [0])


# Properties


@pytest.mark.parametrize("how", ["random", "time", "last"])
def test_every_line_is_on_one_side(rng, how):
    user, time = rng.integers(0, 9, size=100), rng.integers(0, 20, size=100)
    split = split_ratings(user, time, split=how, test_size=0.25, random_state=rng)
    assert_array_equal(np.sort(np.concatenate(split)), np.arange(100))
    if how == "last":
        for one in np.unique(user):
            assert time[split.train][user[split.train] == one].max() <= (
                time[split.test][user[split.test] == one].min()
            )
    else:
        assert len(split.test) == 25


def test_a_random_split_follows_its_seed():
    first, again = (split_ratings(np.zeros(50), random_state=3) for _ in range(2))
    assert_array_equal(first.test, again.test)
    assert not np.array_equal(first.test, split_ratings(np.zeros(50), random_state=4).test)


# Two roads


def test_ndcg_and_map_of_complete_rankings_are_scikit_learns(rng):
    relevant = rng.random((20, 12)) < 0.4
    relevant[:, 0] = True
    score = rng.normal(size=(20, 12))
    order = np.argsort(-score, axis=1)
    found = ranking_measures(np.take_along_axis(relevant, order, axis=1), relevant.sum(axis=1))
    assert_allclose(found.ndcg, ndcg_score(relevant, score))
    each = [average_precision_score(r, s) for r, s in zip(relevant, score, strict=True)]
    assert_allclose(found.map, np.mean(each))


# The door


def test_the_result_prints_as_a_list():
    text = str(Evaluation(None, None, 0.5, 0.25, 0.3, 0.2, 1.0, 10, 100, 7, 3))
    assert "RMSE" not in text and "precision@10  0.5000" in text
    assert text.endswith("of 100 held-out ratings, 7 users, 3 left out (unknown user or item)")


def test_splits_that_cannot_be_made_are_refused():
    with pytest.raises(ValueError, match="split='time' needs timestamps"):
        split_ratings([1, 2], split="time")
    with pytest.raises(ValueError, match=r"test_size=1\.5 must be a part"):
        split_ratings([1, 2], test_size=1.5)
    with pytest.raises(ValueError, match="a split needs at least 2"):
        split_ratings([1])
    with pytest.raises(ValueError, match="1 are missing"):
        split_ratings([1, 2], [3.0, np.nan], split="time")
    with pytest.raises(ValueError, match="No user has two ratings"):
        split_ratings([1, 2], [3, 4], split="last")
    with pytest.raises(ValueError, match="split"):
        split_ratings([1, 2], split="weekly")
