"""Words that belong together."""

import numpy as np
import pytest

from lowdim.report.words.groups import CENTRAL, MOST_GROUPS, word_groups
from lowdim.report.words.vocabulary import unit_rows
from tests.report.words.planted import FOOD, SEA, SKY, planted_vectors


def test_subjects_become_clusters_named_by_words_in_their_middle(seed):
    vectors = planted_vectors(seed)
    words = [*SEA, *SKY, *FOOD] * 3  # 90 words: three clusters
    units = unit_rows(vectors[words])
    found = word_groups(units, words, seed)
    assert [group.n_words for group in found.groups] == [30, 30, 30]
    for group in found.groups:
        subject = next(some for some in (SEA, SKY, FOOD) if words[group.central[0]] in some)
        assert set(group.name.split(", ")) <= set(subject)
        assert group.name == ", ".join(words[i] for i in group.central[:CENTRAL])
        assert group.common == sorted(group.common)
    assert np.bincount(found.labels).tolist() == [30, 30, 30]


def test_tightness_is_the_mean_cosine_with_the_middle():
    units = unit_rows(np.array([[1.0, 0.0], [0.0, 1.0]]))
    found = word_groups(units, ["a", "b"])
    assert len(found.groups) == 1
    assert found.groups[0].tightness == pytest.approx(0.5**0.5, rel=1e-6)


def test_the_largest_cluster_comes_first(rng):
    found = word_groups(unit_rows(rng.normal(size=(200, 3))), [str(i) for i in range(200)])
    sizes = [group.n_words for group in found.groups]
    assert sizes == sorted(sizes, reverse=True) and len(sizes) == 5
    assert np.bincount(found.labels, minlength=5).tolist() == sizes


def test_there_are_never_more_clusters_than_can_be_read(rng):
    units = unit_rows(rng.normal(size=(MOST_GROUPS**2 * 9, 2)))
    assert len(word_groups(units, [""] * len(units)).groups) == MOST_GROUPS


@pytest.mark.parametrize("units", [np.zeros((3, 2)), np.ones((40, 2)), np.eye(1)], ids=range(3))
def test_words_without_differences_are_one_cluster(units):
    found = word_groups(units.astype(np.float32), ["w"] * len(units))
    assert len(found.groups) == 1 and found.groups[0].n_words == len(units)
