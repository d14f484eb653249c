"""How many clusters: formulas by hand, and planted numbers that every criterion finds."""

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from scipy.special import xlogy

import lowdim
from lowdim import GaussianMixture, KMeans, MixedMixture, MixtureModel, MixtureOfFactorAnalyzers
from lowdim.selection.clusters import EndOfRangeWarning, KChoice

# too many components for small groups: what the criteria are there to see
pytestmark = pytest.mark.filterwarnings("ignore::lowdim.mixture.collapse.CollapsedComponentWarning")

CENTERS = 10.0 * np.array([[1, 1, 0, 0, 0], [0, 0, 1, 1, 0], [1, 0, 1, 0, 1]])


def planted(rng, n=150):
    """Three round groups, far apart."""
    return rng.normal(size=(n, 5)) + np.repeat(CENTERS, n // 3, axis=0)


# ---- golden values -------------------------------------------------------------------------------


at_the_end_too = pytest.mark.filterwarnings("ignore::lowdim.selection.clusters.EndOfRangeWarning")


@pytest.mark.parametrize(
    ("kind", "free"),
    [
        ("full", lambda k, d: k * d * (d + 1) // 2),
        ("tied", lambda k, d: d * (d + 1) // 2),
        ("diag", lambda k, d: k * d),
        ("spherical", lambda k, d: k),
        ("unit", lambda k, d: 0),
    ],
)
@at_the_end_too
def test_criteria_count_the_free_parameters(rng, kind, free):
    X = planted(rng)
    n, d = X.shape
    model = GaussianMixture(covariance_type=kind, random_state=0)
    for criterion, price in [("bic", np.log(n)), ("aic", 2.0), ("icl", np.log(n))]:
        result = lowdim.choose_k(X, model, range(2, 5), criterion)
        p = result.choice - 1 + result.choice * d + free(result.choice, d)
        expected = -2 * result.model.score_samples(X).sum() + price * p
        if criterion == "icl":
            resp = result.model.predict_proba(X)
            expected -= 2 * xlogy(resp, resp).sum()
        np.testing.assert_allclose(result.curve.min(), expected, rtol=1e-9)


def test_the_gap_of_one_cluster_is_that_of_the_total_scatter():
    # rows at the corners of a square: the box is the square, W = 4 * 2; uniform rows in it have
    # E[W] = n * 2 / 3 less the part of their mean
    X = np.tile([[1.0, 1.0], [-1.0, 1.0], [1.0, -1.0], [-1.0, -1.0]], (50, 1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # more clusters than different rows
        result = lowdim.choose_k(X, "kmeans", [1, 2], "gap", repeats=10, random_state=0)
    # log W of 200 uniform rows has a standard deviation of about 0.05; the mean of 10, 0.015
    assert result.curve[0] == pytest.approx(np.log(1 / 3), abs=0.1)


# ---- a planted truth -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "criterion"),
    [
        *(("gmm", criterion) for criterion in ("bic", "icl", "silhouette", "heldout")),
        *(("kmeans", criterion) for criterion in ("silhouette", "elbow", "gap", "heldout")),
    ],
)
def test_the_planted_number_is_found(rng, model, criterion):
    sizes = range(2 if criterion == "silhouette" else 1, 6)
    # rows of which little is left go astray in some splits: of few splits a fourth cluster may gain
    repeats = 10 if (model, criterion) == ("kmeans", "heldout") else 3
    result = lowdim.choose_k(planted(rng), model, sizes, criterion, repeats=repeats, random_state=0)
    assert result.choice == 3
    assert result.sizes.tolist() == list(sizes)
    assert result.curve.shape == (len(sizes),)
    assert len(np.unique(result.model.predict(planted(rng)))) == 3
    assert (result.errors is not None) == (criterion in ("gap", "heldout"))


@at_the_end_too
def test_a_mixture_with_a_component_of_too_few_rows_is_not_chosen(rng):
    # three rows beside a group lie in a plane, on which the density of a component knows no bounds
    few = CENTERS[0] + 6.0 * np.eye(5)[4] + 0.01 * rng.normal(size=(3, 5))
    X = np.vstack([planted(rng), few])
    mixture = GaussianMixture(n_init=3, random_state=0)
    # by BIC alone it would be 4 on nearly all seeds
    assert lowdim.choose_k(X, mixture, [3, 4], "bic").choice == 3


@at_the_end_too
def test_aic_takes_at_least_as_many_as_bic(rng):
    X = planted(rng)
    few, many = (
        lowdim.choose_k(X, GaussianMixture(covariance_type="diag"), 5, criterion, random_state=0)
        for criterion in ("bic", "aic")
    )
    np.testing.assert_allclose(few.curve - many.curve, (np.log(150) - 2) * (11 * few.sizes - 1))
    assert few.choice <= many.choice


def test_one_group_is_one_cluster(rng):
    X = rng.normal(size=(200, 4))
    assert lowdim.choose_k(X, "gmm", 4, random_state=0).choice == 1
    assert lowdim.choose_k(X, "kmeans", 4, "gap", random_state=0).choice == 1


def test_missing_values_are_no_obstacle(rng):
    X = planted(rng)
    X[rng.random(X.shape) < 0.1] = np.nan
    assert lowdim.choose_k(X, "gmm", 4, random_state=0).choice == 3
    assert lowdim.choose_k(X, "kmeans", range(2, 6), random_state=0).choice == 3


@at_the_end_too
@pytest.mark.parametrize("criterion", ["bic", "heldout"])
def test_any_mixture_can_be_counted(rng, criterion):
    kind = np.repeat([0, 1, 2], 100)
    table = pd.DataFrame(
        {
            "x": rng.normal(8.0 * (kind == 0)),
            "y": rng.normal(8.0 * (kind == 1)),
            "color": np.where(rng.random(300) < 0.05 + 0.9 * (kind == 2), "red", "blue"),
        }
    )
    # one more costs a held-out row next to nothing: by chance it may even be better
    accepted = (3,) if criterion == "bic" else (3, 4)
    result = lowdim.choose_k(table, MixedMixture(), 4, criterion, repeats=3, random_state=0)
    assert result.choice in accepted
    clusters = MixtureOfFactorAnalyzers(n_components=1)
    result = lowdim.choose_k(planted(rng), clusters, 4, criterion, repeats=3, random_state=0)
    assert result.choice == result.model.n_clusters
    assert result.choice in accepted


def test_sparse_counts_can_be_counted(rng):
    shares = np.kron(np.eye(3), np.full((1, 10), 0.09)) + 0.01 / 3
    X = sp.csr_array(
        np.vstack([rng.multinomial(40, share / share.sum(), size=60) for share in shares])
    )
    result = lowdim.choose_k(X, MixtureModel("multinomial"), 5, random_state=0)
    assert result.choice == 3


# ---- properties ----------------------------------------------------------------------------------


def test_engines_agree(rng):
    da = pytest.importorskip("dask.array")
    X = planted(rng)
    sources = [X, lowdim.stream(lambda: iter(np.split(X, [10, 110]))), da.from_array(X, chunks=90)]
    for model, criterion in [("gmm", "bic"), ("kmeans", "silhouette"), ("kmeans", "gap")]:
        curves = [
            lowdim.choose_k(source, model, range(2, 5), criterion, repeats=2, random_state=0).curve
            for source in sources
        ]
        np.testing.assert_allclose(curves[1], curves[0], rtol=1e-6)
        np.testing.assert_allclose(curves[2], curves[0], rtol=1e-6)


def test_the_seed_decides_all(rng):
    X = planted(rng)
    for model, criterion in [("gmm", "heldout"), ("kmeans", "gap")]:
        one, two = (
            lowdim.choose_k(X, model, 4, criterion, repeats=2, max_rows=100, random_state=5)
            for _ in range(2)
        )
        np.testing.assert_array_equal(one.curve, two.curve)
        np.testing.assert_array_equal(one.errors, two.errors)


def test_the_given_model_stays_as_it_is(rng):
    model = KMeans(n_clusters=7)
    lowdim.choose_k(planted(rng), model, range(2, 5), random_state=0)
    assert model.n_clusters == 7
    assert model.random_state is None
    assert not hasattr(model, "cluster_centers_")


def test_the_choice_prints_and_plots(rng):
    plt = pytest.importorskip("matplotlib.pyplot")
    X = planted(rng)
    for criterion in ("elbow", "gap", "heldout"):
        result = lowdim.choose_k(X, "kmeans", 4, criterion, repeats=2, random_state=0)
        assert isinstance(result, KChoice)
        assert f"criterion='{criterion}', sizes=1..4, model=KMeans" in repr(result)
        ax = result.plot()
        assert ax.get_xlabel() == "clusters"
        plt.close(ax.figure)


# ---- the door ------------------------------------------------------------------------------------


def test_a_choice_at_the_end_of_the_range_is_reported(rng):
    X = planted(rng)
    with pytest.warns(EndOfRangeWarning, match="is 2, the largest one tried"):
        lowdim.choose_k(X, "gmm", 2, random_state=0)
    with pytest.warns(EndOfRangeWarning, match="is 4, the smallest one tried"):
        lowdim.choose_k(X, "kmeans", [4, 6], random_state=0)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"model": "dbscan"}, ValueError, "model='dbscan' is not known; choose one of 'gmm'"),
        ({"model": KMeans}, TypeError, "or give an estimator such as"),
        ({"model": 3}, TypeError, "model=3 is not known"),
        ({"model": lowdim.PCA()}, TypeError, "finds no clusters: it needs n_clusters"),
        ({"criterion": "aicc"}, ValueError, "criterion='aicc' is not known"),
        ({"model": "kmeans", "criterion": "bic"}, ValueError, "KMeans does not have; choose"),
        ({"k": [0, 1, 2]}, ValueError, "k=0 is too small; choose at least 1"),
        ({"k": [1, 2], "criterion": "silhouette"}, ValueError, "choose at least 2"),
        ({"k": [3]}, ValueError, "k has 1 different numbers"),
        ({"k": [2, 4], "criterion": "elbow"}, ValueError, "compares at least 3"),
        ({"k": range(1, 400)}, ValueError, "k=399 is more than the 30 rows of X"),
        ({"k": "many"}, TypeError, "give numbers of clusters"),
        ({"k": [2.5, 3]}, ValueError, "k=2.5 must be an int"),
        ({"repeats": 1}, ValueError, "repeats=1 is too small"),
        ({"max_rows": 3}, ValueError, "max_rows=3 is too small"),
    ],
)
def test_bad_arguments_are_refused(rng, arguments, error, message):
    with pytest.raises(error, match=message):
        lowdim.choose_k(planted(rng, n=30), **arguments)


def test_the_gap_needs_complete_rows(rng):
    X = planted(rng)
    X[3, 2] = np.nan
    with pytest.raises(ValueError, match="criterion='gap' needs complete rows"):
        lowdim.choose_k(X, "kmeans", 4, "gap")


def test_few_rows_are_enough(rng):
    result = lowdim.choose_k(planted(rng, n=9)[:, :1], "kmeans", None, random_state=0)
    assert result.sizes.tolist() == list(range(2, 9))
