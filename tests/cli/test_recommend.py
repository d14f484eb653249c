"""`lowdim recommend` answers as the Recommender does."""

import numpy as np
import pytest

import lowdim
from lowdim.datasets import load_ratings


@pytest.fixture
def ratings():
    return load_ratings()


@pytest.fixture
def table(write, ratings):
    """The bundled ratings as a table, with times."""
    lines = ["userId,movieId,rating,timestamp"]
    for user, item, rating, time in zip(*ratings[:4], strict=True):
        lines.append(f"{user},{item},{rating},{time}")
    return write("ratings.csv", "\n".join(lines) + "\n")


@pytest.fixture
def titles(write, ratings):
    lines = ["movieId,title", *(f'{item},"{title}"' for item, title in ratings.titles.items())]
    return write("movies.csv", "\n".join(lines) + "\n")


def lines_of(text):
    return [line.split() for line in text.splitlines()]


def test_a_user_gets_what_the_class_recommends(run, table, titles, ratings):
    result = run("recommend", table, "--user", "user7", "-n", "3", "--titles", titles)
    head, *body = lines_of(result.stdout)
    expected = lowdim.Recommender().fit(ratings).recommend("user7", n=3)
    assert head == ["user", "item", "title", "score"]
    assert [line[1] for line in body] == expected["item"].tolist()
    assert " ".join(body[0][2:-1]) == expected["title"][0]
    assert float(body[0][-1]) == pytest.approx(expected["score"][0], rel=1e-3)


def test_all_users_are_written(run, read, table):
    run("recommend", table, "--all", "-n", "2", "-o", "all.csv", "-k", "3", "--penalty", "1")
    written = read("all.csv")
    assert list(written) == ["user", "item", "score"]
    assert len(written["user"]) == 240 and len(set(written["user"])) == 120


def test_the_evaluation_is_that_of_the_class(run, table, ratings):
    result = run("recommend", table, "--evaluate", "--split", "time", "-n", "5")
    expected = lowdim.Recommender().evaluate(ratings, split="time", k=5)
    assert result.stdout == f"{expected}\n"
    assert result.stdout.startswith("RMSE") and "NDCG@5" in result.stdout


def test_similar_items_come_from_a_saved_recommender(run, table, titles):
    run("recommend", table, "--titles", titles, "--model", "r.lowdim")
    result = run("recommend", "r.lowdim", "--similar-to", "item4", "-n", "2")
    head, *body = lines_of(result.stdout)
    assert head == ["item", "title", "score"] and len(body) == 2
    assert body[0][1:3] == ["Early", "even"]


def test_implicit_feedback_does_not_look_at_ratings(run, write, table, ratings):
    seen = "".join(f"{u},{i}\n" for u, i in zip(*ratings[:2], strict=True))
    write("seen.csv", "user,item\n" + seen)
    expected = run("recommend", "seen.csv", "--user", "user7").stdout
    assert run("recommend", table, "--implicit", "--user", "user7").stdout == expected
    named = ("--rating-column", "rating")  # then they are counts
    assert run("recommend", table, "--implicit", *named, "--user", "user7").stdout != expected
    assert "RMSE" not in run("recommend", "seen.csv", "--evaluate").stdout


def test_unknown_users_get_what_is_popular_if_wanted(run, refused, table, ratings):
    message = refused("recommend", table, "--user", "nobody")
    assert "User 'nobody' is not known" in message
    result = run("recommend", table, "--user", "nobody", "--unknown", "popular", "-n", "1")
    names, count = np.unique(ratings.item, return_counts=True)
    item = lines_of(result.stdout)[1][1]
    assert count[names == item] == count.max()


def test_what_was_seen_can_be_recommended_again(run, table, ratings):
    result = run("recommend", table, "--user", "user7", "-n", "40", "--seen")
    assert len(lines_of(result.stdout)) == 41


# The door


@pytest.mark.parametrize(
    "arguments, message",
    [
        ([], "Choose one of --user"),
        (["--user", "user1", "--all"], "Choose one of --user"),
        (["--user", "user1", "-o", "r.npy"], "End --output in .csv"),
        (["--user", "user1", "--rating-column", "stars"], "no column 'stars'"),
        (["--user", "user1", "--rating-column", "userId"], "text in the column 'userId'"),
        (["--evaluate", "--split", "weekly"], "weekly"),
        (["--similar-to", "nothing"], "Item 'nothing' is not known"),
        (["--user", "user1", "--titles", "ratings.csv"], "no column of titles"),
    ],
)
def test_bad_input_is_one_line(refused, table, arguments, message):
    assert message in refused("recommend", table, *arguments)
