import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.decomposition import NMF as Peer
from sklearn.exceptions import ConvergenceWarning

import lowdim
from lowdim import NMF
from tests.linear.nmf.examples import parts

quietly = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def test_two_separate_parts_are_found_exactly():
    H = np.array([[1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 2.0, 1.0]])
    X = np.array([[1.0, 0.0], [0.0, 3.0], [2.0, 0.0], [0.0, 1.0]]) @ H
    model = NMF(2, tol=1e-10).fit(X)
    assert model.reconstruction_err_ < 1e-8
    np.testing.assert_array_equal(
        model.components_ > 1e-9, [[False] * 2 + [True] * 2, [True] * 2 + [False] * 2]
    )
    np.testing.assert_allclose(model.inverse_transform(model.transform(X)), X, atol=1e-8)


def test_one_component_is_the_leading_pair_of_singular_vectors(rng):
    X = rng.random((30, 8))
    U, s, Vt = np.linalg.svd(X)
    model = NMF(1, tol=1e-12).fit(X)
    np.testing.assert_allclose(
        model.inverse_transform(model.transform(X)), s[0] * np.outer(U[:, 0], Vt[0]), atol=1e-6
    )
    assert model.reconstruction_err_ == pytest.approx(np.linalg.norm(s[1:]))


@pytest.mark.parametrize("alpha", [0.0, 0.01])
@pytest.mark.parametrize("shuffle", [False, True])
def test_the_history_never_rises_and_ends_at_the_error(alpha, shuffle, rng):
    X = parts(rng)
    model = NMF(3, alpha_W=alpha, l1_ratio=0.5, shuffle=shuffle, random_state=0).fit(X)
    assert (np.diff(model.history_) <= 0).all()
    if not alpha:
        share = model.reconstruction_err_**2 / np.sum(X**2)
        assert share <= model.history_[-1] * (1 + 1e-9)


def test_fit_transform_gives_the_codes_of_transform(rng):
    X = parts(rng)
    model = NMF(3)
    np.testing.assert_array_equal(model.fit_transform(X), model.transform(X))


def test_rows_count_as_often_as_they_weigh(rng):
    X, weight = parts(rng), rng.integers(0, 3, size=40)
    by_weight = NMF(3, alpha_W=0.01).fit(X, sample_weight=weight)
    repeated = NMF(3, alpha_W=0.01).fit(np.repeat(X, weight, axis=0))
    np.testing.assert_allclose(by_weight.components_, repeated.components_, rtol=1e-6, atol=1e-8)
    assert by_weight.reconstruction_err_ == pytest.approx(repeated.reconstruction_err_)


def test_sparse_and_dense_are_the_same(rng):
    X = parts(rng, noise=0.0)
    X[X < 0.5] = 0.0
    dense, sparse = NMF(3).fit(X), NMF(3).fit(sp.csr_array(X))
    np.testing.assert_allclose(sparse.components_, dense.components_, atol=1e-8)
    np.testing.assert_allclose(sparse.transform(sp.csr_array(X)), dense.transform(X), atol=1e-8)
    assert sparse.score(sp.csr_array(X)) == pytest.approx(dense.score(X))


@quietly
@pytest.mark.parametrize("alpha", [0.0, 0.002])
def test_it_ends_no_higher_than_scikit_learn(alpha, rng):
    X = parts(rng, n=80, d=30, k=5, noise=0.3)

    def J(model):
        W, H = model.transform(X), model.components_
        penalty = 0.5 * alpha * (30 * np.sum(W**2) + 80 * np.sum(H**2))
        return 0.5 * np.sum((X - W @ H) ** 2) + penalty

    ours, theirs = (cls(5, alpha_W=alpha, tol=1e-6, max_iter=1000).fit(X) for cls in (NMF, Peer))
    assert J(ours) <= 1.03 * J(theirs)  # other local minima are a little lower or higher


def test_planted_parts_are_found(rng):
    H = np.zeros((3, 12))
    for j in range(3):
        H[j, 4 * j : 4 * j + 4] = rng.random(4) + 0.5
    W = rng.gamma(0.5, size=(200, 3))
    model = NMF(3).fit(W @ H + 0.01 * rng.random((200, 12)))
    found = model.components_ / np.linalg.norm(model.components_, axis=1, keepdims=True)
    cosines = found @ (H / np.linalg.norm(H, axis=1, keepdims=True)).T
    assert (cosines.max(axis=0) > 0.99).all()


def test_score_is_minus_the_root_mean_square(rng):
    X = parts(rng)
    model = NMF(3).fit(X)
    assert model.score(X) == pytest.approx(-model.reconstruction_err_ / np.sqrt(X.size))


@quietly
def test_a_sparse_matrix_is_not_copied(rng):
    X = sp.random_array((16_000, 2000), density=0.08, rng=rng, format="csr")
    NMF(4, max_iter=2).fit_transform(X[:100])
    tracemalloc.start()
    codes = NMF(4, max_iter=5).fit_transform(X)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert codes.shape == (16_000, 4)
    assert peak < 0.6 * (X.data.nbytes + X.indices.nbytes)


@quietly
def test_the_search_for_a_start_takes_no_more_memory_than_the_factors(rng):
    X = sp.random_array((3000, 12_000), density=0.01, rng=rng, format="csr")
    NMF(50, max_iter=2).fit_transform(X[:500])
    tracemalloc.start()
    codes = NMF(50, max_iter=3).fit_transform(X)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    factors = codes.nbytes + 50 * 12_000 * 8
    assert peak < 5.0 * factors  # four are what the loop holds; the directions alone would be 5.5


def test_n_components_auto_is_the_number_of_columns(rng):
    assert NMF(max_iter=2, tol=1e9).fit(parts(rng)).n_components_ == 12


# ---- the door ------------------------------------------------------------------------------------


def test_negative_values_are_refused_by_every_method(rng):
    X = parts(rng)
    model = NMF(2).fit(X)
    for method in (model.transform, model.score, NMF(2).fit, NMF(2).fit_transform):
        with pytest.raises(ValueError, match=r"Negative values in data passed to NMF \(input X\)"):
            method(X - 5.0)
    stream = lowdim.stream(lambda: iter([X, X - 5.0]))
    with pytest.raises(ValueError, match="Negative values in data"):
        NMF(2).fit(stream)


def test_a_loss_that_the_solver_does_not_know_is_refused():
    with pytest.raises(ValueError, match=r"solver 'cd' does not handle beta_loss = 1\.0"):
        NMF(beta_loss=1.0).fit(np.ones((2, 2)))


def test_too_few_iterations_are_said(rng):
    with pytest.warns(ConvergenceWarning, match="NMF stopped after 1 iterations"):
        NMF(3, max_iter=1).fit(parts(rng))


def test_a_matrix_of_zeros_has_an_exact_fit():
    model = NMF(2, max_iter=3, tol=0).fit(np.zeros((4, 3)))
    assert model.reconstruction_err_ == 0.0
    np.testing.assert_array_equal(model.transform(np.zeros((4, 3))), 0.0)
