"""PCA of rows with missing values."""

import numpy as np
import pytest

import lowdim
from lowdim import PCA
from tests.linear.pca.tables import angle, planted


@pytest.mark.parametrize(("missing", "n"), [(0.3, 600), (0.9, 6000)])
def test_the_planted_plane_is_found_behind_missing_values(rng, missing, n):
    X, W = planted(rng, n=n)
    incomplete = np.where(rng.random(X.shape) < missing, np.nan, X)
    pca = PCA(2, random_state=0).fit(incomplete)
    # noise 0.1 against spread 2 over n (1 - missing) rows a column: a few thousandths
    assert angle(pca.components_.T, W) < 0.05
    assert np.isfinite(pca.transform(incomplete)).all()


def test_a_few_missing_values_change_the_result_a_little_and_none_not_at_all(rng):
    X, _ = planted(rng)
    full = PCA(2).fit(X)
    incomplete = X.copy()
    incomplete[0, 0] = np.nan
    one = PCA(2, random_state=0, tol=1e-10).fit(incomplete)
    np.testing.assert_allclose(one.components_, full.components_, atol=1e-3)
    np.testing.assert_allclose(one.explained_variance_, full.explained_variance_, rtol=1e-2)


def test_filled_values_are_near_the_truth_and_their_intervals_cover_it(rng):
    X, _ = planted(rng, n=2000, noise=0.5)
    absent = rng.random(X.shape) < 0.3
    pca = PCA(2, random_state=0).fit(np.where(absent, np.nan, X))
    filled, std = pca.impute(np.where(absent, np.nan, X), return_std=True)
    np.testing.assert_array_equal(filled[~absent], X[~absent])
    np.testing.assert_array_equal(std[~absent], 0.0)
    covered = np.abs(filled - X)[absent] <= 1.96 * std[absent]
    assert 0.93 < covered.mean() < 0.97  # 6000 held-out entries: standard error 0.003


def test_rows_entirely_missing_lie_at_the_mean(rng):
    X, _ = planted(rng)
    X[rng.random(X.shape) < 0.1] = np.nan
    X[7] = np.nan
    pca = PCA(2, random_state=0).fit(X)
    np.testing.assert_allclose(pca.transform(X[7:8]), 0.0, atol=1e-9)
    np.testing.assert_allclose(pca.impute(X[7:8])[0], pca.mean_, rtol=1e-9)


def test_a_column_entirely_missing_is_refused_by_name(rng):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(planted(rng)[0], columns=list("abcdefghij"))
    frame["c"] = np.nan
    with pytest.raises(ValueError, match=r"'c'"):
        PCA(2).fit(frame)


def test_all_components_share_of_variance_and_mle_work_with_missing(rng):
    X, _ = planted(rng, d=5)
    X[rng.random(X.shape) < 0.1] = np.nan
    assert PCA(random_state=0).fit(X).n_components_ == 5
    assert PCA(0.9, random_state=0).fit(X).n_components_ == 2
    # missing values make the small variances less equal, which the evidence takes for structure
    assert 2 <= PCA("mle", random_state=0).fit(X).n_components_ < 5
    np.testing.assert_allclose(
        PCA(random_state=0).fit(X).explained_variance_ratio_.sum(), 1.0, rtol=1e-6
    )


def test_missing_values_are_handled_by_every_engine_and_with_weights(rng):
    X, _ = planted(rng, n=200)
    X[rng.random(X.shape) < 0.2] = np.nan
    weight = rng.integers(0, 3, size=200)
    reference = PCA(2, random_state=0).fit(np.repeat(X, weight, axis=0))
    weighted = PCA(2, random_state=0).fit(X, sample_weight=weight)
    np.testing.assert_allclose(weighted.components_, reference.components_, atol=1e-5)
    streamed = PCA(2, random_state=0).fit(lowdim.stream(lambda: iter(np.split(X, [13, 90]))))
    np.testing.assert_allclose(
        streamed.components_, PCA(2, random_state=0).fit(X).components_, atol=1e-8
    )
