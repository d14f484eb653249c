import numpy as np
import pytest
import scipy.sparse as sp

import lowdim
from lowdim import NMF
from lowdim.core.blocks import ArrayBlocks
from lowdim.core.opening import as_blocks
from lowdim.linear.nmf.entries import counted_entries, observed_data
from lowdim.linear.nmf.half import Half
from lowdim.linear.nmf.objective import Penalty
from tests.linear.nmf.examples import parts

quietly = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
SOLVERS = [
    {},
    {"solver": "bpp"},
    {"solver": "mu", "beta_loss": 1.0},
    {"solver": "mu", "beta_loss": 1.5},
]
each_solver = pytest.mark.parametrize("how", SOLVERS, ids=str)


def with_missing(rng, n=60, d=12, noise=0.1, share=0.2):
    truth = parts(rng, n, d, noise=noise) + 0.01
    return np.where(rng.random(truth.shape) < share, np.nan, truth), truth


def test_products_are_those_of_the_filled_matrix(rng):
    X, _ = with_missing(rng)
    weight, V = rng.random(len(X)), rng.random((12, 3))
    w = np.where(np.isnan(X), 0.0, weight[:, None])
    mean = np.nansum(w * X, axis=0) / w.sum(axis=0)
    filled = np.where(np.isnan(X), mean, X)
    stream = lowdim.stream(lambda: iter(np.split(X, [7, 8])))
    for rows in (ArrayBlocks(X), as_blocks(stream)):
        data = observed_data(counted_entries(rows, None, "NMF"), weight, 4.0)
        np.testing.assert_allclose(data.times(V), filled @ V / 4.0)
        gram = filled.T @ (weight[:, None] * filled) / 16.0
        np.testing.assert_allclose(data.gram_times(V), gram @ V)
        assert data.squares == pytest.approx(np.nansum(w * X**2) / 16.0)


@pytest.mark.parametrize("solver", ["cd", "bpp", "als"])
def test_a_step_in_memory_is_a_step_by_blocks(solver, rng):
    X, _ = with_missing(rng)
    weight, V, W = rng.random(60), rng.random((12, 3)), rng.random((60, 3))
    half = Half(solver, Penalty(0.1, 0.2), 3, 0.3)
    found = []
    for rows in (ArrayBlocks(X), as_blocks(lowdim.stream(lambda: iter(np.split(X, [7, 8]))))):
        data = observed_data(counted_entries(rows, None, "NMF"), weight, 1.0)
        sums = data.half(half, V, W, 0.5 * W)
        found.append((*sums.codes.joined(), *data.components(sums, V, half._replace(stride=0.0))))
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(other, one, atol=1e-8)
    W_on, _, V_new, _, fit = found[0]
    left = np.nan_to_num(X - W_on @ V_new.T)
    assert fit == pytest.approx(0.5 * weight @ np.sum(left**2, axis=1))


@quietly
@each_solver
def test_the_history_never_rises_with_missing_values(how, rng):
    X, _ = with_missing(rng)
    model = NMF(3, max_iter=60, tol=0, alpha_W=0.01, **how).fit(X)
    assert (np.diff(model.history_) <= 0).all()


@quietly
@each_solver
def test_weights_of_0_and_1_are_missing_and_observed_entries(how, rng):
    X, truth = with_missing(rng)
    seen = (~np.isnan(X)).astype(float)
    plain = NMF(3, **how).fit(X)
    weighed = [
        NMF(3, **how).fit(truth, entry_weight=seen),
        NMF(3, **how).fit(truth, entry_weight=sp.csr_array(seen)),
        NMF(3, **how).fit(sp.csr_array(truth), entry_weight=sp.csr_array(seen)),
        NMF(3, **how).fit(sp.csr_array(truth), entry_weight=seen),
        NMF(3, **how).fit(X, entry_weight=np.ones(X.shape)),
    ]
    for model in weighed:
        np.testing.assert_allclose(model.components_, plain.components_, rtol=1e-6, atol=1e-8)
        assert model.reconstruction_err_ == pytest.approx(plain.reconstruction_err_)


@quietly
@each_solver
def test_entries_of_equal_weights_are_rows_of_this_weight(how, rng):
    X = parts(rng) + 0.01
    weight = rng.integers(1, 4, size=len(X)).astype(float)
    entry_weight = np.repeat(weight[:, None], 12, axis=1)
    by_entry = NMF(1, tol=1e-10, max_iter=500, **how).fit(X, entry_weight=entry_weight)
    by_row = NMF(1, tol=1e-10, max_iter=500, **how).fit(X, sample_weight=weight)
    assert by_entry.reconstruction_err_ == pytest.approx(by_row.reconstruction_err_, rel=1e-4)


@quietly
@pytest.mark.parametrize("how", [{}, {"solver": "mu", "beta_loss": 1.0}], ids=str)
def test_missing_values_of_sums_of_parts_are_filled(how, rng):
    X, truth = with_missing(rng, n=300, noise=0.0)
    filled = NMF(3, tol=1e-7, max_iter=2000, random_state=0, **how).fit(X).impute(X)
    gone = np.isnan(X)
    error = np.sqrt(np.mean((filled - truth)[gone] ** 2)) / truth[gone].std()
    assert error < 0.3  # some starts end in local minima
    np.testing.assert_array_equal(filled[~gone], X[~gone])


def test_fit_transform_gives_the_codes_of_transform_also_of_rows_without_values(rng):
    X, _ = with_missing(rng)
    X[5] = np.nan
    model = NMF(3)
    np.testing.assert_array_equal(model.fit_transform(X), model.transform(X))
    weighed = NMF(3).fit_transform(X, entry_weight=np.ones(X.shape))
    np.testing.assert_allclose(weighed, model.transform(X), atol=1e-6)


# ---- the door ------------------------------------------------------------------------------------


def test_weights_that_are_none_are_refused(rng):
    X = parts(rng)
    for weight, message in (
        (np.ones((2, 2)), r"entry_weight has shape \(2, 2\), and X has \(40, 12\)"),
        (-np.ones(X.shape), "entry_weight has the negative value -1"),
        (np.full(X.shape, np.nan), "entry_weight has NaN or infinity"),
        (np.zeros(X.shape), "entry_weight has no entry above 0"),
        (sp.csr_array(X.shape), "entry_weight has no entry above 0"),
    ):
        with pytest.raises(ValueError, match=message):
            NMF(2).fit(X, entry_weight=weight)
    with pytest.raises(ValueError, match="entry_weight needs data in memory"):
        NMF(2).fit(lowdim.stream(lambda: iter([X])), entry_weight=np.ones(X.shape))


def test_stored_nan_of_a_sparse_matrix_are_refused(rng):
    X, _ = with_missing(rng)
    with pytest.raises(ValueError, match="of its stored entries are NaN"):
        NMF(2).fit(sp.csr_array(X))


def test_a_matrix_without_values_is_refused():
    with pytest.raises(ValueError, match="X has no observed entries"):
        NMF(1).fit(np.full((3, 2), np.nan))
