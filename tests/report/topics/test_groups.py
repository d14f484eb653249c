"""Topics by label."""

import numpy as np
import pytest

from lowdim.report.topics.groups import MOST_LABELS, OTHER, agreement, by_label


def test_shares_of_a_label_are_weighted_by_words():
    shares = np.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5], [1.0, 0.0]])
    found = by_label("kind", ["a", "a", "b", None], shares, np.array([30, 10, 5, 7]))
    assert found.names == ["a", "b"] and found.places.tolist() == [0, 0, 1, -1]
    np.testing.assert_allclose(found.shares, [[0.75, 0.25], [0.5, 0.5]])
    assert found.n_documents.tolist() == [2, 1]


def test_many_labels_share_the_last_place():
    labels = [str(i) for i in range(40)] + ["7"]
    found = by_label("kind", labels, np.ones((41, 1)), np.ones(41))
    assert len(found.names) == MOST_LABELS and found.names[0] == "7" and found.names[-1] == OTHER
    assert found.n_documents.sum() == 41


def test_one_label_says_nothing():
    assert by_label("kind", ["a", None, "a"], np.ones((3, 1)), np.ones(3)) is None


def test_agreement_is_one_for_the_same_and_zero_for_independent():
    label = np.array([0, 0, 1, 1])
    assert agreement(label, 1 - label) == pytest.approx(1.0)
    assert agreement(label, np.array([0, 1, 0, 1])) == pytest.approx(0.0)
    # H(label) = log 2; the topic gives 3/4 log 2 - 1/4 (... ) by hand: I = log 2 - 3/4 h(1/3)
    half = agreement(np.array([0, 0, 1, 1]), np.array([0, 0, 0, 1]))
    h = -(1 / 3 * np.log(1 / 3) + 2 / 3 * np.log(2 / 3))
    assert half == pytest.approx((np.log(2) - 0.75 * h) / np.log(2))
