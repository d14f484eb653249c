"""How many components: planted ranks are found by every method."""

import numpy as np
import pytest
import scipy.sparse as sp

import lowdim


def planted(rng, n=400, d=24, k=3, noise=0.4):
    """Rank k with equal strengths, noise below them."""
    U, _ = np.linalg.qr(rng.normal(size=(n, k)))
    V, _ = np.linalg.qr(rng.normal(size=(d, k)))
    return 2 * np.sqrt(n) * U @ V.T + noise * rng.normal(size=(n, d)) + 5.0


@pytest.mark.parametrize("method", ["auto", "bcv", "gain", "parallel", "mle", "elbow"])
def test_the_planted_rank_is_found(rng, method):
    assert lowdim.choose_rank(planted(rng), method, random_state=0).choice == 3


@pytest.mark.parametrize("method", ["bcv", "parallel"])
def test_pure_noise_has_rank_zero(rng, method):
    # a component of pure noise beats the 95% quantile of shuffles in 1 of 20 cases: at most one
    X = rng.normal(size=(300, 20))
    assert lowdim.choose_rank(X, method, random_state=0).choice <= 1


def test_the_planted_rank_is_found_with_missing_values(rng):
    X = planted(rng, n=200, d=12, k=2)
    X[rng.random(X.shape) < 0.2] = np.nan
    result = lowdim.choose_rank(X, max_rank=4, random_state=0)
    assert result.choice == 2
    assert result.errors is not None


@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_auto_sees_whether_columns_have_one_scale(rng, missing):
    X = planted(rng, n=200, d=12, k=2)
    X[rng.random(X.shape) < missing] = np.nan
    scaled = (X - np.nanmean(X, axis=0)) / np.nanstd(X, axis=0)
    for table, method in [(X, "bcv"), (scaled, "gain"), (scaled * [5.0, *[1] * 11], "bcv")]:
        given = {"max_rank": 4, "repeats": 3, "random_state": 0}
        auto, named = (lowdim.choose_rank(table, name, **given) for name in ("auto", method))
        assert auto.method == method
        np.testing.assert_array_equal(auto.curve, named.curve)


def test_gain_takes_the_fewest_that_gain_nine_tenths(rng):
    # factors of variance 10, 0.3 and 0.02: the last two gain a thirtieth of what the first does
    W = np.kron(np.diag(np.sqrt([10.0, 0.3, 0.02])), np.ones((1, 5)))
    X = rng.normal(size=(2000, 3)) @ W + 0.05 * rng.normal(size=(2000, 15))
    bcv, gain = (lowdim.choose_rank(X, method, random_state=0) for method in ("bcv", "gain"))
    np.testing.assert_array_equal(gain.curve, bcv.curve)
    assert (gain.choice, bcv.choice) == (1, 3)
    best = bcv.curve.min()
    assert gain.curve[1] <= best + 0.1 * (1 - best) < gain.curve[0]


def test_a_choice_says_why(rng):
    text = str(lowdim.choose_rank(planted(rng), "parallel", random_state=0))
    assert text.startswith("3 components, of 1 to 24: as many as explain more")
    nothing = lowdim.choose_rank(rng.normal(size=(300, 20)), "parallel", random_state=0)
    ax = pytest.importorskip("matplotlib.figure").Figure().subplots()
    assert nothing.plot(ax=ax) is ax  # a choice of 0 is not on the curve


def test_variance_takes_the_fewest_that_explain_the_share():
    # variances 4, 3, 2, 1: shares 0.4, 0.7, 0.9, 1.0
    X = np.vstack([np.diag(np.sqrt([4.0, 3.0, 2.0, 1.0])), -np.diag(np.sqrt([4.0, 3.0, 2.0, 1.0]))])
    for threshold, k in [(0.4, 1), (0.41, 2), (0.7, 2), (0.9, 3), (0.95, 4)]:
        assert lowdim.choose_rank(X, "variance", threshold=threshold).choice == k


def test_the_error_curve_starts_at_the_column_means_and_has_standard_errors(rng):
    result = lowdim.choose_rank(planted(rng), random_state=0)
    assert result.ranks[0] == 0
    assert result.curve[0] == 1.0
    assert result.curve[3] == result.curve.min() < 0.5
    assert result.errors.shape == result.curve.shape
    assert "choice=3" in repr(result)


def test_engines_agree(rng):
    X = planted(rng)
    stream = lowdim.stream(lambda: iter(np.split(X, [10, 150])))
    for method in ("bcv", "parallel", "mle"):
        here, there = (lowdim.choose_rank(data, method, random_state=0) for data in (X, stream))
        np.testing.assert_allclose(here.curve, there.curve, rtol=1e-9)


def test_many_rows_are_sampled(rng):
    X = planted(rng, n=3000)
    assert lowdim.choose_rank(X, max_rows=300, random_state=0).choice == 3


def test_sparse_matrices_and_frames_are_accepted(rng):
    pd = pytest.importorskip("pandas")
    X = planted(rng)
    assert lowdim.choose_rank(pd.DataFrame(X), random_state=0).choice == 3
    assert lowdim.choose_rank(sp.csr_array(X), random_state=0).choice == 3


def test_plot_marks_the_choice(rng):
    plt = pytest.importorskip("matplotlib.pyplot")
    for method in ("bcv", "gain", "parallel", "mle", "elbow", "variance"):
        ax = lowdim.choose_rank(planted(rng), method, random_state=0).plot()
        assert ax.get_xlabel() == "components"
        plt.close(ax.figure)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"method": "best"}, "method='best' is not known; choose one of 'auto', 'bcv'"),
        ({"max_rank": 0}, "max_rank=0 is too small"),
        ({"max_rank": 99}, "max_rank=99 is more than the 24"),
        ({"threshold": 2.0, "method": "variance"}, "threshold=2.0 must be"),
        ({"repeats": 1}, "repeats=1 is too small"),
    ],
)
def test_bad_arguments_are_named(rng, arguments, message):
    with pytest.raises(ValueError, match=message):
        lowdim.choose_rank(planted(rng), **arguments)


def test_too_little_data_is_refused():
    with pytest.raises(ValueError, match="at least 2 rows and 2 columns"):
        lowdim.choose_rank(np.ones((5, 1)))
    with pytest.raises(ValueError, match="at least as many rows as columns"):
        lowdim.choose_rank(np.random.default_rng(0).normal(size=(5, 9)), "mle")


@pytest.mark.parametrize("method", ["bcv", "gain", "parallel", "mle", "elbow", "variance"])
@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_rows_without_values_do_not_change_the_choice(method, missing, rng):
    X = rng.normal(size=(40, 2)) @ rng.normal(size=(2, 6)) + 0.3 * rng.normal(size=(40, 6))
    X[rng.random(X.shape) < missing] = np.nan
    X = X[~np.isnan(X).all(axis=1)]
    grown = np.insert(X, [0, 7, 7, len(X)], np.nan, axis=0)
    settings = {"method": method, "max_rank": 2, "repeats": 2, "random_state": 0}
    plain = lowdim.choose_rank(X, **settings)
    for rows in (grown, lowdim.stream(lambda: iter(np.split(grown, [1, 9])))):
        choice = lowdim.choose_rank(rows, **settings)
        assert choice.choice == plain.choice
        np.testing.assert_allclose(choice.curve, plain.curve, rtol=1e-9, atol=1e-12)


def test_redundant_columns_add_no_rank(rng):
    Z = rng.normal(size=(100, 2)) * [5.0, 1.0]
    X = Z[:, rng.integers(0, 2, size=12)]
    X[:, :2] = Z @ [[1.0, 3.0], [2.0, -1.0]]
    assert lowdim.choose_rank(X, method="mle").choice == 2
