"""`sparse_encode`: every algorithm, every dictionary, every kind of rows."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import decomposition
from sklearn.exceptions import ConvergenceWarning

import lowdim
from lowdim import sparse, sparse_encode
from lowdim.sparse.pursuit.coding import ALGORITHMS
from tests.sparse.pursuit.examples import lasso_gap, objective, planted, unit_atoms

ARGUMENTS = {
    "lars": {"n_nonzero_coefs": 3},
    "mp": {"max_iter": 9},
    "bp": {},
    "bpdn": {"max_error": 0.1},
    **{name: {"n_nonzero_coefs": 2} for name in ("omp", "ols", "cosamp", "iht")},
    **{name: {"alpha": 0.1} for name in ("lasso_lars", "lasso_cd", "threshold")},
}
each_algorithm = pytest.mark.parametrize("algorithm", ALGORITHMS)


def test_one_atom_is_the_sparsest_and_the_shortest():
    D = [[1.0, 0.0], [0.0, 1.0], [0.5**0.5, 0.5**0.5]]
    for algorithm in ("omp", "ols", "mp", "cosamp", "iht", "bp"):
        given = {} if algorithm in ("bp", "mp") else {"n_nonzero_coefs": 1}
        Z = sparse_encode([[1.0, 1.0]], D, algorithm=algorithm, **given)
        np.testing.assert_allclose(Z, [[0, 0, 2**0.5]], atol=1e-9)


@pytest.mark.parametrize("algorithm", ["lasso_lars", "lars", "omp", "threshold"])
def test_codes_are_those_of_scikit_learn(rng, algorithm):
    D, X = unit_atoms(rng, 20, 30), rng.standard_normal((10, 30))
    peer = decomposition.sparse_encode(X, D, algorithm=algorithm, **ARGUMENTS[algorithm])
    ours = sparse_encode(X, D, algorithm=algorithm, **ARGUMENTS[algorithm])
    np.testing.assert_allclose(ours, peer, atol=1e-7)
    np.testing.assert_allclose(
        sparse_encode(X, D, algorithm="omp"), decomposition.sparse_encode(X, D, algorithm="omp")
    )


def test_alpha_does_nothing_for_omp(rng):
    D, X = unit_atoms(rng, 20, 30), rng.standard_normal((5, 30))
    Z = sparse_encode(X, D, algorithm="omp", n_nonzero_coefs=3)
    other = sparse_encode(X, D, algorithm="omp", n_nonzero_coefs=3, alpha=5.0)
    np.testing.assert_array_equal(other, Z)


def test_the_lasso_is_never_worse_than_a_peer(rng):
    D, X = unit_atoms(rng, 60, 20), rng.standard_normal((20, 20))
    Z = sparse_encode(X, D, alpha=0.1)
    assert lasso_gap(D, X, Z, 0.1).max() < 1e-9
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        peer = decomposition.sparse_encode(X, D, alpha=0.1)
    assert (objective(D, X, Z, 0.1) <= objective(D, X, peer, 0.1) + 1e-10).all()


@each_algorithm
def test_a_basis_needs_no_search_and_gives_the_same(rng, algorithm):
    X, U = rng.standard_normal((6, 12)), sparse.basis("dct", 12)
    searched = sparse_encode(X, U.matrix().T, algorithm=algorithm, **ARGUMENTS[algorithm])
    for given in ("dct", U):
        Z = sparse_encode(X, given, algorithm=algorithm, **ARGUMENTS[algorithm])
        np.testing.assert_allclose(Z, searched, atol=1e-6)


@each_algorithm
def test_float32_and_sparse_output(rng, algorithm):
    D, X = unit_atoms(rng, 24, 12), rng.standard_normal((6, 12))
    Z = sparse_encode(X, D, algorithm=algorithm, **ARGUMENTS[algorithm])
    csr = sparse_encode(X, D, algorithm=algorithm, sparse_output=True, **ARGUMENTS[algorithm])
    assert isinstance(csr, sp.csr_array)
    np.testing.assert_array_equal(csr.toarray(), Z)
    single = sparse_encode(
        X.astype(np.float32), D.astype(np.float32), algorithm=algorithm, **ARGUMENTS[algorithm]
    )
    assert single.dtype == np.float32
    tolerance = 2e-2 if algorithm == "iht" else 2e-3  # it stops where steps are small
    assert np.abs(single - Z).max() < tolerance * np.abs(Z).max()


@pytest.mark.parametrize("algorithm", ["omp", "lasso_lars", "mp"])
def test_streams_dask_and_threads_give_the_same(rng, algorithm):
    da = pytest.importorskip("dask.array")
    D, X = unit_atoms(rng, 24, 12), rng.standard_normal((60, 12))
    X[3, 2] = np.nan
    Z = sparse_encode(X, D, algorithm=algorithm, **ARGUMENTS[algorithm])
    streamed = sparse_encode(
        lowdim.stream(lambda: iter([X[:25], X[25:]])),
        D,
        algorithm=algorithm,
        **ARGUMENTS[algorithm],
    )
    np.testing.assert_allclose(streamed, Z, atol=1e-12)
    lazy = sparse_encode(da.from_array(X, (20, 12)), D, algorithm=algorithm, **ARGUMENTS[algorithm])
    np.testing.assert_allclose(lazy.compute(), Z, atol=1e-12)
    with lowdim.config_context(threads=3, block_bytes=1000):
        cut = sparse_encode(X, D, algorithm=algorithm, **ARGUMENTS[algorithm])
    np.testing.assert_allclose(cut, Z, atol=1e-12)


@pytest.mark.parametrize("algorithm", ["omp", "ols", "mp", "bpdn"])
def test_errors_are_relative_and_kept(rng, algorithm):
    D, X = unit_atoms(rng, 40, 12), rng.standard_normal((10, 12)) * 100
    Z = sparse_encode(X, D, algorithm=algorithm, max_error=0.2)
    error = np.linalg.norm(X - Z @ D, axis=1) / np.linalg.norm(X, axis=1)
    assert (error <= 0.2 + 1e-9).all()
    fewer = sparse_encode(X, D, algorithm="omp", max_error=0.2, n_nonzero_coefs=2)
    assert (np.count_nonzero(fewer, axis=1) <= 2).all()


def test_known_products_and_starts_are_used(rng):
    D, X = unit_atoms(rng, 24, 12), rng.standard_normal((6, 12))
    Z = sparse_encode(X, D, alpha=0.1)
    given = sparse_encode(X, D, gram=D @ D.T, cov=D @ X.T, alpha=0.1)
    np.testing.assert_allclose(given, Z, atol=1e-12)
    started = sparse_encode(X, D, algorithm="lasso_cd", alpha=0.1, init=Z)
    np.testing.assert_allclose(started, Z, atol=1e-10)


def test_planted_codes_are_found(rng):
    D, Z, X = planted(rng, 20, 50, 80, 2)
    np.testing.assert_allclose(sparse_encode(X, D, algorithm="bp"), Z, atol=1e-6)
    np.testing.assert_allclose(
        sparse_encode(X, D, algorithm="ols", n_nonzero_coefs=2), Z, atol=1e-8
    )


def test_dependent_atoms_are_said(rng):
    D, X = unit_atoms(rng, 6, 3), rng.standard_normal((4, 3))
    D[3:] = D[:3]
    X = X @ np.diag([1.0, 1.0, 0.0])
    D[:, 2] = 0
    D += 0.0
    with pytest.warns(RuntimeWarning, match="ended prematurely due to linear dependence"):
        sparse_encode(X, D, algorithm="omp", n_nonzero_coefs=3)


def test_too_few_steps_are_said(rng):
    D, X = unit_atoms(rng, 30, 12), rng.standard_normal((5, 12))
    with pytest.warns(ConvergenceWarning, match="5 of 5 rows did not reach .* Raise max_iter"):
        sparse_encode(X, D, alpha=1e-3, max_iter=2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"algorithm": "best"}, "algorithm='best' is not known; choose one of 'lasso_lars'"),
        ({"algorithm": "omp", "n_nonzero_coefs": 7}, "n_nonzero_coefs=7 is more than the 6 atoms"),
        ({"algorithm": "omp", "n_nonzero_coefs": 0}, "n_nonzero_coefs=0 is too small"),
        ({"algorithm": "omp", "positive": True}, "Positive constraint not supported for 'omp'"),
        ({"max_error": 0.1}, "max_error=0.1 has no meaning for algorithm='lasso_lars'"),
        ({"algorithm": "omp", "max_error": -1.0}, "max_error=-1.0 must be at least 0"),
        ({"algorithm": "bpdn"}, "'bpdn' needs max_error"),
        ({"alpha": -1.0}, "alpha=-1.0 must be at least 0"),
        ({"max_iter": -1}, "max_iter=-1 is too small"),
        ({"algorithm": "lasso_cd", "init": np.ones((2, 2))}, "init has the shape"),
        ({"cov": np.ones((2, 2))}, "cov has the shape"),
    ],
)
def test_bad_arguments_are_refused(rng, arguments, message):
    D, X = unit_atoms(rng, 6, 4), rng.standard_normal((2, 4))
    with pytest.raises(ValueError, match=message):
        sparse_encode(X, D, **arguments)


def test_a_signal_outside_the_span_is_refused_by_basis_pursuit(rng):
    with pytest.raises(ValueError, match="x is no sum of the atoms"):
        sparse_encode([[1.0, 1.0, 1.0]], np.eye(3)[:2], algorithm="bp")
