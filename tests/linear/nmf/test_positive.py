import numpy as np
import pytest
import scipy.sparse as sp
from scipy.special import xlogy

import lowdim
from lowdim.core.blocks import ArrayBlocks
from lowdim.linear.nmf import positive
from lowdim.linear.nmf.data import data_of
from lowdim.linear.nmf.divergence import divergence_by_row
from lowdim.linear.nmf.half import Half
from lowdim.linear.nmf.objective import Penalty
from lowdim.linear.nmf.positive import PositiveBlockwise, PositiveInMemory, count_error

KL = {"solver": "mu", "beta_loss": "kullback-leibler"}
quietly = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def example(rng, n=40, d=12, k=3):
    X = rng.poisson(rng.gamma(0.5, size=(n, k)) @ rng.gamma(0.5, size=(k, d)) * 4.0).astype(float)
    return X, rng.random((n, k)) + 0.1, rng.random((d, k)) + 0.1


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("weighs", [False, True])
def test_a_step_ends_at_the_divergence_and_is_the_same_by_blocks(sparse, weighs, rng, monkeypatch):
    X, W, V = example(rng)
    weight = rng.random(40) if weighs else None
    given = sp.csr_array(X) if sparse else X
    rows = ArrayBlocks(given, block_rows=7)
    monkeypatch.setattr(positive, "COLUMN_ENTRIES", 30)  # a few columns at a time
    half, found = Half("mu", Penalty(), 2, 0.3, None, 0.1), []
    for data in (
        PositiveInMemory(data_of(rows, weight, 1.0), 1e-15),
        PositiveBlockwise(rows, weight, 1e-15),
    ):
        sums = data.half(half, V, W, W)
        new = data.components(sums, V, half._replace(stride=0.0))
        on = sums.codes.joined()[0]
        w = np.ones(40) if weight is None else weight
        loss = w @ divergence_by_row(X, on @ new.V.T + 1e-15, 1.0)
        assert new.fit == pytest.approx(loss, rel=1e-9)
        assert data.squares == pytest.approx(2.0 * w @ X.sum(axis=1))
        found.append((on, new.V, sums.slope + new.slope))
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(other, one, rtol=1e-9)


@quietly
@pytest.mark.parametrize("alpha", [0.0, 0.01])
def test_the_history_never_rises_also_of_plain_steps(alpha, rng):
    X, _, _ = example(rng)
    model = lowdim.NMF(3, tol=0, max_iter=60, alpha_W=alpha, l1_ratio=0.5, **KL).fit(X)
    assert (np.diff(model.history_) <= 0).all()


@quietly
def test_it_ends_no_higher_than_multiplicative_updates(rng):
    X, W, V = example(rng, n=80, d=30, k=5)
    found = lowdim.NMF(5, init="custom", **KL).fit(X, W=W, H=V.T)
    for _ in range(200):
        W = W * ((X / (W @ V.T)) @ V) / V.sum(axis=0)
        V = V * ((X / (W @ V.T)).T @ W) / W.sum(axis=0)
    D = divergence_by_row(X, W @ V.T, 1.0).sum()
    assert found.reconstruction_err_**2 / 2 <= 1.02 * D  # local minima differ a little


def test_rows_count_as_often_as_they_weigh(rng):
    X, _, _ = example(rng)
    weight = rng.integers(0, 3, size=40)
    by_weight = lowdim.NMF(2, **KL).fit(X, sample_weight=weight)
    repeated = lowdim.NMF(2, **KL).fit(np.repeat(X, weight, axis=0))
    np.testing.assert_allclose(by_weight.components_, repeated.components_, rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize("sparse", [False, True])
def test_the_error_of_codes_is_the_divergence(rng, sparse):
    X, V, Z = (
        rng.poisson(1.0, (7, 5)).astype(float),
        rng.gamma(1.0, size=(5, 2)),
        rng.random((7, 2)),
    )
    weight, Y = rng.random(7), Z @ V.T
    expected = weight @ (xlogy(X, X / Y) - X + Y).sum(axis=1)
    found = count_error(sp.csr_array(X) if sparse else X, V, Z, weight, 1e-300)
    assert found == pytest.approx(expected, rel=1e-12)
