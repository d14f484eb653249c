"""All figures of a map at once."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import pdist
from scipy.stats import spearmanr

import lowdim
from lowdim.maps.quality import judging


def flat(rng, n=150, d=5):
    X = rng.normal(size=(n, d)) * np.linspace(3, 1, d)
    return X, X[:, :2] + 0.1 * rng.normal(size=(n, 2))


def test_figures_of_all_rows_are_those_of_their_functions(rng):
    X, Y = flat(rng)
    found = lowdim.map_quality(X, Y, n_neighbors=7)
    assert found.trustworthiness == lowdim.trustworthiness(X, Y, n_neighbors=7)
    assert found.continuity == lowdim.continuity(X, Y, n_neighbors=7)
    assert_allclose(found.recall, lowdim.neighborhood_recall(X, Y, n_neighbors=7), rtol=1e-14)
    expected = spearmanr(pdist(X), pdist(Y)).statistic
    assert_allclose(found.distance_correlation, expected, rtol=1e-10)


def test_rows_make_the_figures(rng):
    X, Y = flat(rng)
    found = lowdim.map_quality(X, Y)
    assert_array_equal(found.rows["row"], np.arange(150))
    for name in ("trustworthiness", "continuity", "recall"):
        assert_allclose(found.rows[name].mean(), getattr(found, name), rtol=1e-12)


def test_a_sample_of_rows_is_compared_with_all(rng, seed):
    X, Y = flat(rng, n=400)
    whole = lowdim.map_quality(X, Y, sample=None)
    part = lowdim.map_quality(X, Y, sample=100, random_state=seed)
    rows = part.rows["row"]
    assert len(np.unique(rows)) == 100
    for name in ("trustworthiness", "continuity", "recall"):
        assert_allclose(part.rows[name], whole.rows[name][rows], rtol=1e-12)
        error = whole.rows[name].std() / 10  # of a mean of 100
        assert abs(getattr(part, name) - getattr(whole, name)) < 5 * error
    assert abs(part.auc - whole.auc) < 0.05
    again = lowdim.map_quality(X, Y, sample=100, random_state=seed)
    assert_array_equal(again.rows["row"], rows)
    assert again.auc == part.auc


def test_the_curve_looks_at_fewer_rows_of_large_tables(rng, monkeypatch, seed):
    X, Y = flat(rng, n=300)
    whole = lowdim.map_quality(X, Y)
    monkeypatch.setattr(judging, "RANKED", 150 * 300)
    part = lowdim.map_quality(X, Y, random_state=seed)
    assert part.recall == whole.recall
    assert 0 < abs(part.auc - whole.auc) < 0.05


def test_a_perfect_map(rng):
    X, _ = flat(rng, d=2)
    found = lowdim.map_quality(X, X)
    figures = (found.trustworthiness, found.continuity, found.recall, found.auc)
    assert figures == (1.0, 1.0, 1.0, 1.0)
    assert_allclose(found.distance_correlation, 1.0, rtol=1e-12)


def test_a_map_of_one_place_has_no_correlation(rng):
    X, _ = flat(rng)
    assert np.isnan(lowdim.map_quality(X, np.zeros((150, 2))).distance_correlation)


def test_distances_missing_values_and_metrics(rng):
    X, Y = flat(rng)
    D = np.linalg.norm(X[:, None] - X[None], axis=2)
    expected, found = lowdim.map_quality(X, Y), lowdim.map_quality(D, Y, metric="precomputed")
    assert_allclose(found.auc, expected.auc, rtol=1e-12)
    assert found.trustworthiness == expected.trustworthiness
    holes = np.where(rng.random(X.shape) < 0.05, np.nan, X)
    for missing in ("expected", "pairwise"):
        assert abs(lowdim.map_quality(holes, Y, missing=missing).auc - expected.auc) < 0.15
    assert lowdim.map_quality(X, Y, metric="cosine").auc < expected.auc


def test_it_prints_itself_as_a_table(rng):
    X, Y = flat(rng)
    found = lowdim.map_quality(X, Y, sample=40, random_state=0)
    lines = repr(found).splitlines()
    assert [line.split()[0] for line in lines[1:6]] == list(judging.SAYS)
    assert f"{found.auc:.3f}" in lines[5]
    assert lines[6] == "10 neighbours; 40 of 150 rows, drawn at random"
    frame = found.to_frame()
    assert frame["value"].tolist() == [getattr(found, name) for name in judging.SAYS]
    assert "<table>" in found._repr_html_()


def test_it_draws_its_curve(rng):
    X, Y = flat(rng)
    found = lowdim.map_quality(X, Y)
    ax = found.plot()
    line = ax.lines[0]
    assert_allclose(line.get_ydata(), found.curve[line.get_xdata().astype(int) - 1])
    plt.close("all")


def test_bad_input(rng):
    X, Y = flat(rng, n=20)
    with pytest.raises(ValueError, match=r"n_neighbors \(10\) should be less than"):
        lowdim.map_quality(X, Y)
    with pytest.raises(ValueError, match="sample=0 is too small"):
        lowdim.map_quality(X, Y, n_neighbors=3, sample=0)
    with pytest.raises(ValueError, match="sample=1 is too small; choose at least 2"):  # no pairs
        lowdim.map_quality(X, Y, n_neighbors=3, sample=1)
    with pytest.raises(ValueError, match="Y has 19 rows where X has 20"):
        lowdim.map_quality(X, Y[1:], n_neighbors=3)
