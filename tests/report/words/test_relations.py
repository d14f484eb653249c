"""Pairs of words as arrows."""

import numpy as np
import pytest

from lowdim.report.words.relations import (
    LEAST_PAIRS,
    MOST_PAIRS,
    USUAL,
    agreement,
    pair_plane,
    relations,
)
from lowdim.report.words.vocabulary import commonest
from tests.report.words.planted import PAIRS, planted_vectors


def vocabulary(vectors):
    return commonest("x", vectors.index_to_key, vectors.vectors, vectors.counts)


def test_agreement_is_the_cosine_with_the_others():
    D = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    half = 0.5**0.5
    np.testing.assert_allclose(agreement(D), [half, half, 0.0], atol=1e-15)
    np.testing.assert_allclose(agreement(np.tile([2.0, 1.0], (4, 1))), 1.0)
    assert agreement(np.zeros((3, 2))).tolist() == [0, 0, 0]


def test_pairs_at_random_do_not_agree(rng):
    means = [agreement(rng.normal(size=(12, 50))).mean() for _ in range(200)]
    assert abs(np.mean(means)) < 4 * np.std(means) / 200**0.5


def test_the_plane_has_the_mean_difference_upwards(rng):
    first, second = rng.normal(size=(2, 9, 6))
    points = pair_plane(first, second)
    up = (second - first).mean(axis=0)
    arrows = points[:, 1] - points[:, 0]
    np.testing.assert_allclose(arrows.mean(axis=0), [0, np.linalg.norm(up)], atol=1e-12)
    middle = (points[:, 0] + points[:, 1]) / 2
    np.testing.assert_allclose(middle.mean(axis=0), 0, atol=1e-12)


def test_to_the_right_middles_vary_most(rng):
    middle = np.outer(np.linspace(-5, 5, 7), [0, 1.0, 0]) + 0.01 * rng.normal(size=(7, 3))
    half = np.tile([0.5, 0, 0], (7, 1))
    points = pair_plane(middle - half, middle + half)
    np.testing.assert_allclose(
        np.abs(points.mean(axis=1)[:, 0]), np.abs(np.linspace(-5, 5, 7)), atol=0.1
    )


def test_planted_pairs_point_the_same_way(seed):
    (found,) = relations({"pairs": PAIRS}, vocabulary(planted_vectors(seed)))
    assert found.n_known == len(PAIRS) and (found.agreement > 0.5).all()
    assert (found.points[:, 1, 1] > found.points[:, 0, 1]).all()


def test_pairs_with_unknown_words_are_left_out_and_relations_with_few_pairs(seed):
    found = vocabulary(planted_vectors(seed))
    few = {"few": PAIRS[: LEAST_PAIRS - 1], "some": [*PAIRS[:5], ("man", "nobody"), ("man", "man")]}
    (relation,) = relations(few, found)
    assert relation.name == "some" and relation.n_known == 5 and relation.n_pairs == 7


def test_of_many_pairs_the_commonest_are_drawn(rng):
    words = [f"w{i}" for i in range(200)]
    found = commonest("x", words, rng.normal(size=(200, 5)), None)
    pairs = [(f"w{i}", f"w{i + 100}") for i in range(100)][::-1]
    (relation,) = relations({"many": pairs}, found)
    assert relation.pairs == [(f"w{i}", f"w{i + 100}") for i in range(MOST_PAIRS)]
    assert relation.n_known == 100 and len(relation.agreement) == MOST_PAIRS


@pytest.mark.parametrize("name", USUAL)
def test_usual_pairs_are_pairs_and_each_stands_once(name):
    pairs = USUAL[name]
    assert len(set(pairs)) == len(pairs) >= 10 and all(a != b for a, b in pairs)
