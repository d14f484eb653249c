import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp

import lowdim
from lowdim import NMF, MiniBatchNMF
from tests.linear.nmf.examples import parts

quietly = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@quietly
@pytest.mark.parametrize(
    ("beta", "share"), [("frobenius", 1.12), ("kullback-leibler", 1.12), (1.5, 1.5)]
)  # updates are slow
def test_batches_end_near_the_fit_of_all_rows(beta, share, rng):
    X = parts(rng, n=300, d=30, k=4, noise=0.2) + 0.01
    solver = "cd" if beta == "frobenius" else "mu"
    whole = NMF(4, solver=solver, beta_loss=beta, max_iter=1000).fit(X)
    batches = MiniBatchNMF(4, batch_size=30, beta_loss=beta).fit(X)
    assert batches.reconstruction_err_**2 <= share * whole.reconstruction_err_**2


@quietly
def test_rows_in_an_unhappy_order_do_not_end_it_early(rng):
    X = parts(rng, n=300, d=30, k=4, noise=0.2)
    X = X[np.argsort(X.sum(axis=1))]
    whole = NMF(4).fit(X)
    batches = MiniBatchNMF(4, batch_size=30).fit(X)
    assert batches.reconstruction_err_**2 <= 1.12 * whole.reconstruction_err_**2


@quietly
def test_planted_parts_are_found(rng):
    H = np.zeros((3, 12))
    for j in range(3):
        H[j, 4 * j : 4 * j + 4] = rng.random(4) + 0.5
    X = rng.gamma(0.5, size=(200, 3)) @ H + 0.01 * rng.random((200, 12))
    model = MiniBatchNMF(3, batch_size=20).fit(X)
    found = model.components_ / np.linalg.norm(model.components_, axis=1, keepdims=True)
    cosines = found @ (H / np.linalg.norm(H, axis=1, keepdims=True)).T
    assert (cosines.max(axis=0) > 0.99).all()


@quietly
def test_memory_streams_and_sparse_rows_are_the_same(rng):
    X = parts(rng, n=100)
    X[X < 0.3] = 0.0
    fits = [
        MiniBatchNMF(3, batch_size=16).fit(Y)
        for Y in (X, sp.csr_array(X), lowdim.stream(lambda: iter(np.split(X, [7, 50]))))
    ]
    for other in fits[1:]:
        np.testing.assert_allclose(other.components_, fits[0].components_, rtol=1e-6, atol=1e-8)
        assert other.n_steps_ == fits[0].n_steps_


@quietly
def test_a_fit_forgets_what_rows_change_away_from(rng):
    one, two = parts(rng, n=200, k=2), parts(rng, n=200, k=2)
    model = MiniBatchNMF(2, forget_factor=0.3, random_state=0)
    for part in (*np.split(one, 5), *np.split(two, 5)):
        model.partial_fit(part)
    assert model.score(two) > model.score(one)
    assert model.n_steps_ == 10


@quietly
def test_partial_fit_goes_on_from_a_fit_and_from_a_file(rng, tmp_path):
    X = parts(rng, n=100)
    model = MiniBatchNMF(3, batch_size=20).fit(X)
    model.save(tmp_path / "model")
    again = lowdim.load(tmp_path / "model")
    model.partial_fit(X[:20])
    again.partial_fit(X[:20])
    np.testing.assert_array_equal(model.components_, again.components_)


@quietly
def test_codes_that_start_afresh_end_at_the_same_place(rng):
    X = parts(rng, n=100)
    kept, fresh = (
        MiniBatchNMF(3, batch_size=20, fresh_restarts=fresh, fresh_restarts_max_iter=200).fit(X)
        for fresh in (False, True)
    )
    assert fresh.reconstruction_err_ == pytest.approx(kept.reconstruction_err_, rel=0.05)


@quietly
@pytest.mark.parametrize("beta", [0.0, 0.5, 1.5, 2.5])
@pytest.mark.parametrize("fresh", [False, True])
def test_fit_transform_gives_the_codes_of_transform(beta, fresh, rng):
    X = parts(rng) + 0.1
    model = MiniBatchNMF(3, batch_size=20, beta_loss=beta, fresh_restarts=fresh, max_iter=5)
    np.testing.assert_array_equal(model.fit_transform(X), model.transform(X))


@quietly
@pytest.mark.parametrize("beta", [0.0, 0.5, 1.0, 1.5, 2.5])
def test_one_batch_of_all_rows_that_forgets_is_nmf(beta, rng):
    X = parts(rng) + 0.1
    settings = {"beta_loss": beta, "max_iter": 30, "alpha_W": 0.01, "random_state": 0}
    batch, whole = MiniBatchNMF(3, forget_factor=0.0, **settings), NMF(3, solver="mu", **settings)
    W = whole.fit_transform(X, sample_weight=np.arange(len(X)))
    np.testing.assert_array_equal(batch.fit_transform(X, sample_weight=np.arange(len(X))), W)
    np.testing.assert_array_equal(batch.components_, whole.components_)
    assert batch.n_steps_ == batch.n_iter_ == whole.n_iter_
    batch.partial_fit(X)
    assert batch.n_steps_ == whole.n_iter_ + 1


@quietly
def test_weights_are_repeats_where_a_batch_has_all_rows(rng):
    X, weight = parts(rng), rng.integers(0, 3, size=40)
    by_weight = MiniBatchNMF(3, alpha_W=0.01).fit(X, sample_weight=weight)
    repeated = MiniBatchNMF(3, alpha_W=0.01).fit(np.repeat(X, weight, axis=0))
    np.testing.assert_allclose(by_weight.components_, repeated.components_, rtol=1e-5, atol=1e-8)


# ---- the door ------------------------------------------------------------------------------------


def test_what_is_negative_or_missing_is_refused(rng):
    X = parts(rng)
    with pytest.raises(ValueError, match="Negative values in data passed to MiniBatchNMF"):
        MiniBatchNMF(2).fit(X - 5.0)
    X[0, 0] = np.nan
    with pytest.raises(ValueError, match=r"NaN in 1 of 12 columns.*with lowdim\.NMF\("):
        MiniBatchNMF(2).fit(X)


# ---- memory --------------------------------------------------------------------------------------


def peak_of(model, X):
    tracemalloc.start()
    codes = model.fit_transform(X)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak, codes


@quietly
def test_an_array_is_never_copied_as_a_whole(rng):
    X = rng.random((400, 4096))
    MiniBatchNMF(20, batch_size=40, max_iter=1).fit(X)
    peak, _ = peak_of(MiniBatchNMF(20, batch_size=40, max_iter=2), X)
    assert peak < 1.2 * X.nbytes


@quietly
def test_one_state_of_the_passes_is_kept_and_not_the_best_beside_it(rng):
    X = sp.random_array((20_000, 3000), density=0.005, rng=rng, format="csr")
    MiniBatchNMF(20, max_iter=1).fit(X[:2000])
    peak, codes = peak_of(MiniBatchNMF(20, max_iter=2), X)
    assert peak < 5.2 * (codes.nbytes + 20 * 3000 * 8)
