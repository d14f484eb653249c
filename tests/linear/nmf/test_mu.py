import numpy as np
import pytest
import scipy.sparse as sp

import lowdim
from lowdim.linear.nmf import mu
from lowdim.linear.nmf.divergence import divergence_by_row, exponent
from lowdim.linear.nmf.mu import Pass, statistics
from lowdim.linear.nmf.objective import Penalty

BETAS = [-0.5, 0.0, 0.5, 1.0, 1.5, 2.0, 2.5]
quietly = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def example(rng, n=12, d=9, k=3, zeros=True):
    X = rng.poisson(2.0, size=(n, d)) + (0.0 if zeros else 1.0)
    return X.astype(float), rng.random((n, k)) + 0.1, rng.random((d, k)) + 0.1


def naive(X, W, V, beta, l1, l2):
    """One update of the codes, as it is written down."""
    Y = W @ V.T
    ratio = ((X * Y ** (beta - 2)) @ V) / (Y ** (beta - 1) @ V + l1 + l2 * W)
    return W * ratio ** exponent(beta)


@pytest.mark.parametrize("beta", BETAS)
@pytest.mark.parametrize("sparse", [False, True])
def test_a_block_is_updated_and_adds_up_what_is_written_down(beta, sparse, rng, monkeypatch):
    monkeypatch.setattr(mu, "CHUNK_BYTES", 8 * 9 * 5)  # five rows at a time
    X, W, V = example(rng, zeros=beta > 0)
    weight, last = rng.random(12), rng.random((12, 3))
    how = Pass(beta, Penalty(0.2, 0.3), 1e-15, sweeps=2, stride=0.4)
    found = statistics(sp.csr_array(X) if sparse else X, V, how, weight, W, last)
    new = naive(X, naive(X, W, V, beta, 0.2, 0.3), V, beta, 0.2, 0.3)
    on = np.maximum(new + 0.4 * (new - last), mu.LEAST * new)
    Y = on @ V.T
    carried, plain = found.codes.joined()
    np.testing.assert_allclose(plain, new, rtol=1e-10)
    np.testing.assert_allclose(carried, on, rtol=1e-10)
    own = weight[:, None] * on
    np.testing.assert_allclose(found.pull, (X * Y ** (beta - 2)).T @ own, rtol=1e-10)
    push = np.broadcast_to(found.push, (9, 3))
    np.testing.assert_allclose(push, (Y ** (beta - 1)).T @ own, rtol=1e-10)
    loss = weight @ divergence_by_row(X, Y, beta) + Penalty(0.2, 0.3).of(on, weight)
    assert found.loss == pytest.approx(loss, rel=1e-10)


@quietly
@pytest.mark.parametrize("beta", BETAS)
def test_the_history_never_rises(beta, rng):
    X, _, _ = example(rng, n=30, zeros=beta > 0)
    model = lowdim.NMF(3, solver="mu", beta_loss=beta, max_iter=60, tol=0, alpha_W=0.01).fit(X)
    assert (np.diff(model.history_) <= 0).all()


@pytest.mark.parametrize("beta", BETAS)
def test_one_iteration_moves_the_components_and_lowers_the_error(beta, rng):
    X, W, V = example(rng, n=30, zeros=beta > 0)
    H, how = V.T, {"init": "custom", "solver": "mu", "beta_loss": beta}
    before = np.inf
    for _ in range(5):
        model = lowdim.NMF(3, max_iter=1, tol=0, **how)
        moved = model.fit_transform(X, W=W, H=H), model.components_
        assert np.abs(model.components_ - H).max() > 1e-3 * H.max()
        assert model.reconstruction_err_ < before
        (W, H), before = moved, model.reconstruction_err_


@pytest.mark.parametrize("beta", [1.0, 1.5])
def test_sparse_and_dense_are_the_same(beta, rng):
    X, _, _ = example(rng, n=40)
    fits = [
        lowdim.NMF(3, solver="mu", beta_loss=beta).fit(Y)
        for Y in (X, sp.csr_array(X), lowdim.stream(lambda: iter(np.split(X, [5, 30]))))
    ]
    for other in fits[1:]:
        np.testing.assert_allclose(other.components_, fits[0].components_, rtol=1e-6, atol=1e-9)
        assert other.reconstruction_err_ == pytest.approx(fits[0].reconstruction_err_)


def test_counts_keep_their_sums(rng):
    """Where Kullback-Leibler is least, every row and every column sums to what X does."""
    X, _, _ = example(rng, n=40)
    model = lowdim.NMF(2, solver="mu", beta_loss=1, tol=1e-9, max_iter=5000).fit(X)
    X_hat = model.inverse_transform(model.transform(X))
    np.testing.assert_allclose(X_hat.sum(axis=1), X.sum(axis=1), rtol=1e-6)
    np.testing.assert_allclose(X_hat.sum(axis=0), X.sum(axis=0), rtol=2e-2)  # updates are slow


def test_one_component_of_counts_is_independence(rng):
    X, _, _ = example(rng, n=40)
    model = lowdim.NMF(1, solver="mu", beta_loss="kullback-leibler", tol=1e-10).fit(X)
    expected = np.outer(X.sum(axis=1), X.sum(axis=0)) / X.sum()
    np.testing.assert_allclose(model.inverse_transform(model.transform(X)), expected, rtol=1e-5)


def test_zeros_are_refused_where_the_loss_cannot_explain_them(rng):
    X, _, _ = example(rng)
    for Y in (X, sp.csr_array(X)):
        with pytest.raises(ValueError, match="When beta_loss <= 0 and X contains zeros"):
            lowdim.NMF(2, solver="mu", beta_loss="itakura-saito").fit(Y)


def test_a_start_with_zeros_is_warned_of(rng):
    with pytest.warns(UserWarning, match="cannot update zeros present in the initialization"):
        lowdim.NMF(2, solver="mu", init="nndsvd", tol=1e9).fit(example(rng)[0])


def test_squares_of_sparse_rows_are_lowered_without_writing_them_out(rng, monkeypatch):
    X = sp.random_array((40, 60), density=0.2, rng=rng, format="csr")
    expected = lowdim.NMF(3, solver="mu", random_state=0, max_iter=20, tol=0).fit(X.toarray())

    def refused(*_, **__):
        raise AssertionError("rows written out")

    monkeypatch.setattr("lowdim.linear.nmf.mu._written_out", refused)
    found = lowdim.NMF(3, solver="mu", random_state=0, max_iter=20, tol=0).fit(X)
    np.testing.assert_allclose(found.components_, expected.components_, atol=1e-10)
    np.testing.assert_allclose(found.history_, expected.history_, rtol=1e-12)
