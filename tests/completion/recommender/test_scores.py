"""Scores by number: against the matrix of all scores, which is never made."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from lowdim import ALS
from lowdim.completion.entries import observed
from lowdim.completion.recommender.scores import Scores, is_implicit


@pytest.fixture
def parts(rng):
    """(scores, the matrix of all scores) of 20 users and 9 items."""
    X = rng.normal(size=(20, 2)) @ rng.normal(size=(2, 9)) + 3.0
    here = rng.random(X.shape) < 0.5
    here[np.arange(20), np.arange(20) % 9] = True  # every user and item has a rating
    ratings = observed(np.where(here, X, np.nan))
    model = ALS(2, random_state=0).fit(ratings)
    mean = float(ratings.data.mean())
    return Scores(model, ratings, mean, by_popularity=False), model.complete()


def test_pairs_are_entries_of_the_matrix_and_means_answer_for_the_unknown(parts):
    scores, full = parts
    found = scores.predict(np.array([3, -1, 4, -1]), np.array([2, 5, -1, -1]))
    own = scores.ratings[[4]].data
    of_user = (own.sum() + 5 * scores.mean_rating) / (len(own) + 5)
    assert_allclose(found, [full[3, 2], scores.model.mean_[5], of_user, scores.mean_rating])


def test_the_best_items_are_unseen_allowed_and_in_order(parts):
    scores, full = parts
    allowed = np.arange(9) != 4
    best = scores.best(np.array([6, 2]), 3, allowed=allowed)
    for place, i in enumerate((6, 2)):
        left = np.where(allowed, full[i], -np.inf)
        left[scores.ratings[[i]].indices] = -np.inf
        order = np.argsort(-left)[:3]
        there = np.isfinite(left[order])
        assert_array_equal(best.column[place], np.where(there, order, -1))
    every = scores.best(np.array([6]), 9, exclude_seen=False).column[0]
    assert_array_equal(every, np.argsort(-full[6]))


def test_all_users_at_once_get_what_each_gets(parts):
    scores, _ = parts
    together = scores.best(np.arange(20), 4)
    for i in range(20):
        assert_array_equal(together.column[i], scores.best(np.array([i]), 4).column[0])


def test_unknown_users_get_means_or_what_is_popular(parts):
    scores, _ = parts
    by_mean = scores.best(np.array([-1, 0]), 3)
    assert_array_equal(by_mean.column[0], np.argsort(-scores.model.mean_)[:3])
    assert_array_equal(by_mean.column[1], scores.best(np.array([0]), 3).column[0])
    popular = scores._replace(by_popularity=True).best(np.array([-1]), 9)
    counts = np.bincount(scores.ratings.indices, minlength=9)
    assert_allclose(popular.score[0], np.sort(counts)[::-1] / 20)


def test_likeness_is_the_correlation_of_scores(parts):
    scores, full = parts
    items = scores.similar_items(4, 8)
    assert sorted(items.column[0]) == [0, 1, 2, 3, 5, 6, 7, 8]
    assert_allclose(items.score[0], np.corrcoef(full.T)[4, items.column[0]], atol=1e-9)
    users = scores.similar_users(7, 5)
    between = np.corrcoef(full - scores.model.mean_)
    assert_allclose(users.score[0], between[7, users.column[0]], atol=1e-9)
    assert 7 not in users.column[0] and (np.diff(users.score[0]) <= 0).all()


def test_with_implicit_feedback_popularity_answers(parts):
    scores, _ = parts
    assert is_implicit(ALS(feedback="implicit")) and not is_implicit(scores.model)
    implicit = scores._replace(model=ALS(2, feedback="implicit", random_state=0).fit(np.eye(3)))
    implicit = implicit._replace(ratings=observed(np.eye(3)))
    assert_allclose(implicit.item_means(), implicit.popularity())
    assert_array_equal(implicit.user_means(), np.zeros(3))


def test_fewer_than_one_item_is_refused(parts):
    with pytest.raises(ValueError, match="n=0"):
        parts[0].best(np.array([0]), 0)
