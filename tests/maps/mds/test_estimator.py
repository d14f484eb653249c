"""MDS: published maps, what is minimised, planted planes, and its door."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist, pdist, squareform
from sklearn.exceptions import ConvergenceWarning

import lowdim
from lowdim import MDS
from lowdim.datasets import load_ekman, load_eurodist
from tests.maps.mds.examples import noisy, planted, random_weights, raw_stress

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

# miles between ten cities of the US, as in R's UScitiesD
US_CITIES = squareform(
    np.fromstring(
        """587 1212 701 1936 604 748 2139 2182 543 920 940 1745 1188 713 1858 1737 597 879 831 1726
        1631 949 1021 1494 1374 968 1420 1645 1891 1220 2339 2451 347 959 2300 1092 2594 2734 923
        2571 2408 205 678 2442 2329""",
        sep=" ",
    )
)


def of_colors():
    """Ekman's colours: 1 - similarity."""
    D = 1.0 - load_ekman().similarity
    np.fill_diagonal(D, 0.0)
    return D


def exactly(**arguments):
    return MDS(metric="precomputed", eps=1e-13, max_iter=2000, **arguments)


# ---- golden values -------------------------------------------------------------------------------


def test_raw_stress_of_colours_and_of_cities():
    assert exactly().fit(of_colors()).stress_ == pytest.approx(1.055706, abs=1e-6)
    assert exactly().fit(US_CITIES).stress_ == pytest.approx(320.6815, abs=1e-4)


@pytest.mark.parametrize(("ties", "stress"), [("primary", 0.02310), ("secondary", 0.03159)])
def test_ordinal_stress_of_colours(ties, stress):
    model = exactly(metric_mds=False, ties=ties).fit(of_colors())
    assert model.stress_ == pytest.approx(stress, abs=5e-6)


def test_ordinal_stress_of_roads():
    model = exactly(transformation="ordinal").fit(load_eurodist().dissimilarity)
    assert model.stress_ == pytest.approx(0.0593, abs=5e-5)


def test_colours_lie_in_order_on_a_circle():
    Y = MDS(metric="precomputed", metric_mds=False).fit_transform(of_colors())
    angle = np.unwrap(np.arctan2(Y[:, 1], Y[:, 0]))
    assert np.all(np.diff(angle) > 0) or np.all(np.diff(angle) < 0)


# ---- the derivation ------------------------------------------------------------------------------

KINDS = [
    {},
    {"transformation": "ratio"},
    {"transformation": "interval"},
    {"transformation": "spline"},
    {"transformation": "ordinal"},
    {"transformation": "ordinal", "ties": "primary"},
    {"n_pairs": 10},
]


@pytest.mark.parametrize("arguments", KINDS, ids=str)
@pytest.mark.parametrize("init", ["classical_mds", "random"])
def test_the_history_never_rises(rng, arguments, init):
    model = MDS(init=init, random_state=0, eps=1e-9, **arguments).fit(rng.normal(size=(40, 5)))
    assert np.all(np.diff(model.history_) <= 0)
    assert len(model.history_) == model.n_iter_


def test_stress_is_that_of_the_map(rng):
    X = rng.normal(size=(30, 4))
    D = squareform(pdist(X))
    raw, one = (MDS(normalized_stress=n).fit(X) for n in (False, True))
    np.testing.assert_allclose(raw.dissimilarity_matrix_, D, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(raw.stress_, raw_stress(D, raw.embedding_), rtol=1e-9)
    np.testing.assert_allclose(one.stress_, lowdim.stress(D, one.embedding_), rtol=1e-9)
    np.testing.assert_allclose(raw.history_[-1], raw.stress_ / (D**2).sum() * 2, rtol=1e-9)


def test_disparities_are_what_stress_is_measured_against(rng):
    X = rng.normal(size=(25, 4))
    D = squareform(pdist(X))
    for name in ("ratio", "interval", "ordinal"):
        model = MDS(transformation=name, normalized_stress=False).fit(X)
        f = model.disparities(D)
        np.fill_diagonal(f, 0.0)
        np.testing.assert_allclose((f**2).sum(), 25 * 24, rtol=1e-6)
        np.testing.assert_allclose(model.stress_, raw_stress(f, model.embedding_), rtol=1e-5)


def test_more_freedom_fits_better(rng):
    D = noisy(rng)
    stresses = [
        exactly(transformation=name, random_state=0, normalized_stress=True).fit(D).stress_
        for name in ("ratio", "interval", "spline", "ordinal")
    ]
    assert np.all(np.diff(stresses) < 1e-3)  # each ends in a minimum of its own


# ---- properties ----------------------------------------------------------------------------------


def test_ordinal_maps_depend_on_the_order_alone(rng):
    D, start = noisy(rng), rng.normal(size=(30, 2))
    maps = [
        MDS(metric="precomputed", metric_mds=False).fit(f(D), init=start).embedding_
        for f in (np.asarray, np.square, np.expm1)
    ]
    np.testing.assert_allclose(maps[1], maps[0], atol=1e-9)
    np.testing.assert_allclose(maps[2], maps[0], atol=1e-9)


def test_a_planted_order_is_drawn_without_stress(rng):
    Y, D = planted(rng, 25)
    start = Y + 0.05 * rng.normal(size=Y.shape)
    model = exactly(metric_mds=False).fit(D**3, init=start)
    assert model.stress_ < 1e-3


@pytest.mark.parametrize("factor", [1e-150, 1e-3, 1e150])
def test_units_of_dissimilarities_do_not_matter(rng, factor):
    D = noisy(rng)
    plain, scaled = (MDS(metric="precomputed").fit(m) for m in (D, D * factor))
    np.testing.assert_allclose(scaled.embedding_ / factor, plain.embedding_, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(scaled.history_, plain.history_, rtol=1e-6)


def test_weights_of_1_change_nothing_and_weights_of_0_leave_out(rng):
    Y, D = planted(rng)
    start = Y + 0.3 * rng.normal(size=Y.shape)
    plain = exactly().fit(D, init=start)
    ones = exactly().fit(D, init=start, weights=np.ones_like(D))
    np.testing.assert_allclose(ones.stress_, plain.stress_, atol=1e-9)
    wrong = D.copy()
    wrong[0, 1] = wrong[1, 0] = 100.0
    W = np.ones_like(D)
    W[0, 1] = W[1, 0] = 0.0
    left_out = exactly().fit(wrong, init=start, weights=W)
    np.testing.assert_allclose(squareform(pdist(left_out.embedding_)), D, atol=1e-4)


def test_weighted_stress_is_what_is_minimised(rng):
    D, W = noisy(rng, 20), random_weights(rng, 20, zeros=0.2)
    plain = exactly().fit(D)
    weighted = exactly().fit(D, weights=W)
    np.testing.assert_allclose(weighted.stress_, raw_stress(D, weighted.embedding_, W), rtol=1e-8)
    assert weighted.stress_ < raw_stress(D, plain.embedding_, W)


def test_missing_pairs_have_no_weight(rng):
    D, W = noisy(rng, 20), (random_weights(rng, 20, zeros=0.2) > 0).astype(float)
    missing = np.where(W + np.eye(20) > 0, D, np.nan)
    by_weight, by_nan = exactly().fit(D, weights=W), exactly().fit(missing)
    np.testing.assert_allclose(by_weight.stress_, by_nan.stress_, rtol=1e-6)


def test_a_planted_plane_is_found_though_a_third_of_the_pairs_is_missing(rng):
    _, D = planted(rng, 40)
    missing = np.triu(rng.random(D.shape) < 0.33, 1)
    known = np.where(missing | missing.T, np.nan, D)
    model = exactly().fit(known)
    np.testing.assert_allclose(squareform(pdist(model.embedding_)), D, atol=1e-4)


def test_a_sparse_graph_has_the_pairs_that_are_known(rng):
    _, D = planted(rng, 40)
    known = np.triu(rng.random(D.shape) < 0.6, 1)
    graph = sp.csr_array(np.where(known | known.T, D, 0.0))
    model = exactly().fit(graph)
    assert model.stress_ < 1e-6
    np.testing.assert_allclose(squareform(pdist(model.embedding_)), D, atol=1e-3)


def test_some_pairs_stand_for_all(rng):
    X = rng.normal(size=(300, 2)) @ rng.normal(size=(2, 6)) + 0.1 * rng.normal(size=(300, 6))
    full, some = MDS().fit(X), MDS(n_pairs=40, random_state=0).fit(X)
    D = full.dissimilarity_matrix_
    assert raw_stress(D, some.embedding_) < 1.5 * full.stress_ + 1e-3 * (D**2).sum()
    np.testing.assert_allclose(MDS(n_pairs=299).fit(X).embedding_, full.embedding_)


@pytest.mark.parametrize("metric", ["manhattan", "cosine", "correlation"])
def test_some_pairs_of_any_metric(rng, metric):
    X = rng.normal(size=(80, 5)) + 3.0
    for table in (X, sp.csr_array(X)):
        full, some = (MDS(metric=metric, n_pairs=p, random_state=0).fit(table) for p in (None, 30))
        D = full.dissimilarity_matrix_
        assert lowdim.stress(D, some.embedding_) < 1.6 * lowdim.stress(D, full.embedding_)


def test_the_best_of_random_starts_is_kept(rng):
    D = noisy(rng, 15)
    alone = [MDS(metric="precomputed", init="random", random_state=s).fit(D) for s in range(1)]
    several = MDS(metric="precomputed", init="random", n_init=5, random_state=0).fit(D)
    assert several.stress_ <= alone[0].stress_
    assert len(several.history_) == several.n_iter_


# ---- places of new rows --------------------------------------------------------------------------


@pytest.mark.parametrize("arguments", KINDS, ids=str)
def test_training_rows_have_their_places_and_new_ones_lie_near_them(rng, arguments):
    X = rng.normal(size=(60, 2)) @ rng.normal(size=(2, 4))
    model = MDS(random_state=0, **arguments).fit(X)
    np.testing.assert_array_equal(model.transform(X), model.embedding_)
    near = model.transform(X + 1e-6)
    spread = model.embedding_.std()
    assert np.median(np.abs(near - model.embedding_)) < 0.05 * spread


def test_new_rows_of_a_plane_are_placed_exactly(rng):
    Y, D = planted(rng, 30)
    new = rng.normal(size=(5, 2))
    model = exactly().fit(D)
    to_training = cdist(new, Y)
    placed = model.transform(to_training)
    np.testing.assert_allclose(cdist(placed, model.embedding_), to_training, atol=1e-4)
    to_training[0, :10] = np.nan  # what is not known does not count
    again = model.transform(to_training)
    np.testing.assert_allclose(again, placed, atol=1e-4)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine", "symmetric_kl"])
def test_a_row_is_placed_as_if_alone(metric, rng):
    """To the bit: BLAS would round products of one row in another way than those of many."""
    X, new = rng.random(size=(70, 13)), rng.random(size=(131, 13))
    model = MDS(metric=metric, max_iter=20, eps=0).fit(X)
    together = model.transform(new)
    for i in (0, 47, 48, 63, 95, 96, 130):
        np.testing.assert_array_equal(model.transform(new[i : i + 1])[0], together[i])
    order = rng.permutation(len(new))
    np.testing.assert_array_equal(model.transform(new[order]), together[order])


@pytest.mark.parametrize("missing", ["expected", "pairwise"])
def test_a_row_with_missing_values_is_placed_as_if_alone(missing, rng):
    """To the bit: what differs by rounding may be placed 1e-7 apart."""
    X, new = (rng.normal(size=(n, 9)) @ rng.normal(size=(9, 9)) for n in (70, 60))
    for rows in (X, new):
        rows[rng.random(rows.shape) < 0.15] = np.nan
        rows[:, 0] = 1.0
    new[20:50, 1:] = np.where(np.isnan(new[20, 1:]), np.nan, rng.normal(size=(30, 8)))
    model = MDS(max_iter=20, eps=0, missing=missing).fit(X)
    together = model.transform(new)
    alone = np.vstack([model.transform(row[None]) for row in new])
    np.testing.assert_array_equal(alone, together)


def test_a_dask_data_frame_has_the_map_of_its_rows(rng):
    """It does not know how many rows it has before it is computed."""
    frames = pytest.importorskip("dask.dataframe")
    X = pd.DataFrame(rng.normal(size=(40, 3)), columns=list("abc"))
    found = MDS().fit(frames.from_pandas(X, npartitions=3)).embedding_
    np.testing.assert_array_equal(found, MDS().fit(X).embedding_)


def test_of_many_rows_some_are_anchors(rng, monkeypatch):
    from lowdim.maps.mds import estimator

    monkeypatch.setattr(estimator, "MANY_ROWS", 50)
    monkeypatch.setattr(estimator, "ANCHORS", 40)
    X = rng.normal(size=(80, 3))
    model = MDS(3, random_state=0).fit(X)
    assert len(model._anchors) == 40
    new = rng.normal(size=(4, 3))
    placed = model.transform(new)
    np.testing.assert_allclose(cdist(placed, model.embedding_), cdist(new, X), atol=1e-3)


# ---- the door ------------------------------------------------------------------------------------


def test_rows_that_nothing_joins_are_refused(rng):
    D = noisy(rng, 10)
    D[:4, 4:] = D[4:, :4] = np.nan
    with pytest.raises(ValueError, match=r"between 4 rows \(first: 0\) and the other rows"):
        MDS(metric="precomputed").fit(D)


def test_a_row_without_any_dissimilarity_is_named(rng):
    D = noisy(rng, 10)
    D[3] = D[:, 3] = np.nan
    with pytest.raises(ValueError, match="all dissimilarities of row 3"):
        MDS(metric="precomputed").fit(D)


def test_few_pairs_without_neighbours_still_stand_for_all(rng):
    model = MDS(n_pairs=5, random_state=0).fit(rng.normal(size=(60, 3)))
    assert np.isfinite(model.stress_)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda D: D[:5], "square"),
        (lambda D: D + np.triu(np.ones_like(D), 1), "symmetric"),
        (lambda D: -D, "negative"),
        (lambda D: np.where(D > 2, np.inf, D), "infinity"),
    ],
    ids=["not square", "asymmetric", "negative", "infinite"],
)
def test_what_are_no_dissimilarities_is_refused(rng, spoil, message):
    with pytest.raises(ValueError, match=message):
        MDS(metric="precomputed").fit(spoil(noisy(rng, 10)))


def test_weights_of_another_shape_are_refused(rng):
    D = noisy(rng, 10)
    with pytest.raises(ValueError, match=r"weights has shape \(9, 9\); \(10, 10\) is needed"):
        MDS(metric="precomputed").fit(D, weights=np.ones((9, 9)))
    with pytest.raises(ValueError, match="negative"):
        MDS(metric="precomputed").fit(D, weights=-np.ones((10, 10)))


def test_a_start_of_another_shape_is_refused(rng):
    with pytest.raises(ValueError, match=r"init.shape=\(3, 2\) should be \(10, 2\)"):
        MDS().fit(rng.normal(size=(10, 3)), init=np.zeros((3, 2)))
    with pytest.warns(UserWarning, match="performing only one init"):
        MDS(n_init=3).fit(rng.normal(size=(10, 3)), init=rng.normal(size=(10, 2)))


def test_a_square_table_is_asked_about(rng):
    with pytest.warns(UserWarning, match="metric='precomputed'"):
        MDS().fit(noisy(rng, 10))


def test_earlier_names_of_arguments_still_work(rng):
    X, D = rng.normal(size=(10, 3)), noisy(rng, 10)
    with pytest.warns(FutureWarning, match="`dissimilarity` parameter is"):
        old = MDS(dissimilarity="precomputed").fit(D)
    np.testing.assert_array_equal(old.embedding_, MDS(metric="precomputed").fit(D).embedding_)
    with pytest.warns(FutureWarning, match="Use metric_mds"):
        old = MDS(metric=False).fit(X)
    np.testing.assert_array_equal(old.embedding_, MDS(metric_mds=False).fit(X).embedding_)
    with pytest.raises(ValueError, match="provided both `dissimilarity`"):
        MDS(metric="cosine", dissimilarity="euclidean").fit(X)


def test_rows_without_any_difference_are_one_place():
    model = MDS().fit(np.ones((6, 3)))
    assert model.stress_ == 0.0
    assert np.ptp(model.embedding_, axis=0).max() < 1e-12


def test_warning_of_too_few_steps_names_the_argument_that_mds_has():
    with pytest.warns(ConvergenceWarning, match=r"\(eps=1e-06\)\. Raise max_iter or eps\."):
        lowdim.MDS(metric="precomputed", max_iter=2).fit(US_CITIES)
