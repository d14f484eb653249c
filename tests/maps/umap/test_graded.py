"""Targets with grades: nearer ones keep their edges."""

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.stats

import lowdim
from lowdim.maps.umap.graded import checked_grades, joined_by_grades, letters_apart

# weights of a graph have 16 bits: hence the tolerances
CHAIN = sp.csr_array(np.ones((3, 3)) - np.eye(3))


def by_hand(a, b):
    """Levenshtein's distance, by its definition."""
    if not a or not b:
        return len(a) + len(b)
    return min(by_hand(a[1:], b) + 1, by_hand(a, b[1:]) + 1, by_hand(a[1:], b[1:]) + (a[0] != b[0]))


def test_letters_are_counted_as_defined():
    texts = np.array(["", "a", "abc", "axc", "xabc", "ccca", "bca"])
    i, j = np.divmod(np.arange(len(texts) ** 2), len(texts))
    most = 4 / 3  # a third of the longest text
    expected = [min(by_hand(texts[a], texts[b]), most) / most for a, b in zip(i, j, strict=True)]
    np.testing.assert_allclose(letters_apart(texts, i, j), expected)


def test_ranks_and_counts_weaken_edges_by_their_distance():
    ranks = joined_by_grades(CHAIN, np.array([0.0, 1.0, 4.0]), "ordinal", 0.5).toarray()
    factor = np.exp(-5.0 * np.abs(np.subtract.outer([0, 1, 4], [0, 1, 4])) / 2.0)
    alone = factor - np.eye(3)
    alone /= alone.max(axis=1, keepdims=True)
    np.testing.assert_allclose(ranks, alone + alone.T - alone * alone.T, rtol=2.0**-16)
    y = np.array([0.0, 1.0, 3.0])
    counts = joined_by_grades(CHAIN, y, "count", 0.5).toarray()
    place = np.concatenate([[0.0], np.cumsum(-scipy.stats.poisson.logpmf(range(3), y.mean()))])
    place = place[[0, 1, 3]]
    factor = np.exp(-5.0 * np.abs(np.subtract.outer(place, place)) / (place[-1] / 2)) - np.eye(3)
    factor /= factor.max(axis=1, keepdims=True)
    np.testing.assert_allclose(counts, factor + factor.T - factor * factor.T, rtol=2.0**-16)


@pytest.mark.parametrize("metric", ["ordinal", "count", "string"])
def test_a_map_follows_the_grades(metric, rng):
    X = rng.normal(size=(90, 4))  # says nothing about y
    grade = np.repeat([0, 5, 10], 30)
    y = np.array(["aaaa", "bbbb", "cccc"])[grade // 5] if metric == "string" else grade
    model = lowdim.UMAP(target_metric=metric, target_weight=0.9, n_epochs=100, random_state=0)
    Y = model.fit_transform(X, y)
    centers = np.array([Y[grade == g].mean(axis=0) for g in (0, 5, 10)])
    own = np.mean([Y[grade == g].std() for g in (0, 5, 10)])
    apart = np.linalg.norm(centers[:, None] - centers, axis=2)[np.triu_indices(3, 1)]
    assert apart.min() > own


def test_wrong_grades_are_refused():
    with pytest.raises(ValueError, match="no counts"):
        checked_grades([0.5, 1.0], 2, "count")
    with pytest.raises(ValueError, match="2 columns"):
        checked_grades(np.ones((3, 2)), 3, "ordinal")
    with pytest.raises(ValueError, match="rows"):
        checked_grades(["a"], 2, "string")
