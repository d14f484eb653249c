"""Codes of a block, with and without missing values."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.linalg import aslinearoperator

import lowdim
from lowdim.sparse.pursuit import coding
from lowdim.sparse.pursuit.coding import Plan, code_block, fill_block
from lowdim.sparse.pursuit.dictionaries import (
    Dictionary,
    of_atoms,
    open_dictionary,
    without_gram,
)
from tests.sparse.pursuit.examples import lasso_gap, planted, unit_atoms


def plan(algorithm, n_nonzero=2, alpha=0.1, max_error=None, **more):
    return Plan(algorithm, n_nonzero, alpha, max_error, 1000, False, **more)


def test_pieces_do_not_change_codes(rng, monkeypatch):
    D, X = unit_atoms(rng, 20, 8), rng.standard_normal((30, 8))
    whole = code_block(X, of_atoms(D), plan("omp"))
    monkeypatch.setattr(coding, "NUMBERS", 60)
    np.testing.assert_allclose(code_block(X, of_atoms(D), plan("omp")), whole, atol=1e-12)
    csr = code_block(X, of_atoms(D), plan("omp", sparse_output=True))
    assert sp.issparse(csr)
    np.testing.assert_allclose(csr.toarray(), whole, atol=1e-12)


def test_signs_are_split(rng):
    D, X = unit_atoms(rng, 20, 8), rng.standard_normal((5, 8))
    Z, halves = (code_block(X, of_atoms(D), plan("omp", split_sign=s)) for s in (False, True))
    assert (halves >= 0).all()
    np.testing.assert_array_equal(halves[:, :20] - halves[:, 20:], Z)


@pytest.mark.parametrize("algorithm", ["omp", "ols", "cosamp"])
def test_planted_codes_are_found_from_what_is_observed(rng, algorithm):
    D, Z, X = planted(rng, 20, 40, 64, 2)
    X[rng.random(X.shape) < 0.25] = np.nan
    np.testing.assert_allclose(code_block(X, of_atoms(D), plan(algorithm)), Z, atol=1e-8)


def test_the_lasso_of_observed_columns_is_minimal_there(rng):
    D, X = unit_atoms(rng, 30, 12), rng.standard_normal((10, 12))
    X[:5, :4] = np.nan
    Z = code_block(X, of_atoms(D), plan("lasso_cd"))
    assert lasso_gap(D[:, 4:], X[:5, 4:], Z[:5], 0.1).max() < 1e-9
    np.testing.assert_allclose(Z[5:], code_block(X[5:], of_atoms(D), plan("lasso_cd")), atol=1e-12)


def test_missing_values_are_filled_by_the_code(rng):
    D, _, X = planted(rng, 20, 40, 64, 2)
    hidden = rng.random(X.shape) < 0.25
    filled = fill_block(np.where(hidden, np.nan, X), of_atoms(D), plan("omp"))
    np.testing.assert_allclose(filled, X, atol=1e-8)
    np.testing.assert_array_equal(filled[~hidden], X[~hidden])
    np.testing.assert_array_equal(fill_block(X, of_atoms(D), plan("omp")), X)


@pytest.mark.parametrize("algorithm", ["omp", "ols", "mp"])
def test_of_atoms_that_agree_where_a_row_is_observed_the_first_is_taken(rng, algorithm):
    D, X = unit_atoms(rng, 20, 12), rng.standard_normal((40, 12))
    D[10:] = D[:10]
    D[10:, 9:] = D[:10, 9:][:, ::-1] * [1, -1, 1]  # of the same length
    X[:, 9:] = np.nan
    Z = code_block(X, of_atoms(D), plan(algorithm))
    assert Z[:, :10].any() and not Z[:, 10:].any()
    alone = [code_block(x[None], of_atoms(D), plan(algorithm))[0] for x in X]
    np.testing.assert_allclose(alone, Z, atol=1e-10)


def test_in_a_basis_missing_values_are_found_too(rng):
    U = open_dictionary("dct", 32)
    Z = np.zeros((10, 32))
    Z[:, [0, 3]] = rng.uniform(1, 2, (10, 2))
    X = U.signals(Z)
    X[rng.random(X.shape) < 0.2] = np.nan
    np.testing.assert_allclose(code_block(X, U, plan("omp")), Z, atol=1e-9)


def test_a_row_has_at_most_half_as_many_atoms_as_values(rng):
    X = rng.standard_normal((3, 8))
    X[0, 3:], X[1, 5:] = np.nan, np.nan
    Z = code_block(X, of_atoms(unit_atoms(rng, 20, 8)), plan("omp", 4))
    assert np.count_nonzero(Z, axis=1).tolist() == [1, 2, 4]


def test_a_row_without_values_has_no_atoms(rng):
    X = np.full((2, 8), np.nan)
    assert not code_block(X, of_atoms(unit_atoms(rng, 20, 8)), plan("omp")).any()


@pytest.mark.parametrize("unit", [1e-160, 1e160])
@pytest.mark.parametrize("algorithm", ["omp", "ols", "mp", "iht", "cosamp"])
def test_units_do_not_matter(rng, algorithm, unit):
    D, X = unit_atoms(rng, 20, 8), rng.standard_normal((5, 8))
    Z = code_block(X, of_atoms(D), plan(algorithm))
    np.testing.assert_allclose(
        code_block(X * unit, of_atoms(D), plan(algorithm)) / unit, Z, rtol=1e-6
    )


def test_missing_values_need_no_gram_matrix(rng):
    D, _, X = planted(rng, 20, 8, 30, 2)
    X[rng.random(X.shape) < 0.2] = np.nan
    codes = code_block(X, without_gram(D), plan("omp"))
    np.testing.assert_allclose(codes, code_block(X, of_atoms(D), plan("omp")), atol=1e-12)


def test_a_dictionary_that_is_not_written_down_needs_complete_rows(rng):
    X = rng.standard_normal((2, 8))
    X[0, 0] = np.nan
    U = aslinearoperator(unit_atoms(rng, 20, 8).T)
    with pytest.raises(ValueError, match=r"too large to be written down.*lowdim\.inpaint"):
        code_block(X, Dictionary(None, None, None, U, (20, 8)), plan("omp"))


@pytest.mark.parametrize("positive", [False, True])
def test_dense_numbers_are_shrunk_without_a_sparse_matrix(rng, positive, monkeypatch):
    D, X = unit_atoms(rng, 20, 8), rng.standard_normal((5, 8))
    shrinking = plan("threshold", alpha=0.3)._replace(positive=positive)
    csr = code_block(X, of_atoms(D), shrinking._replace(sparse_output=True))
    halves = code_block(X, of_atoms(D), shrinking._replace(sparse_output=True, split_sign=True))
    monkeypatch.setattr(coding.sp, "csr_array", None)
    dense = code_block(X, of_atoms(D), shrinking)
    np.testing.assert_array_equal(dense, csr.toarray())
    assert not np.signbit(dense[dense == 0]).any()
    split = code_block(X, of_atoms(D), shrinking._replace(split_sign=True))
    np.testing.assert_array_equal(split, halves.toarray())


@pytest.mark.parametrize("algorithm", ["threshold", "omp", "iht", "cosamp"])
@pytest.mark.parametrize("holes", [False, True])
def test_one_row_is_coded_without_the_products_of_all_pairs_of_atoms(
    rng, monkeypatch, algorithm, holes
):
    D, x = unit_atoms(rng, 90, 20), rng.standard_normal((1, 20))
    x[0, 3] = np.nan if holes else x[0, 3]
    how = {"alpha": 0.3} if algorithm == "threshold" else {"n_nonzero_coefs": 4}
    rows = np.repeat(x, 50, axis=0)
    many = lowdim.sparse_encode(rows, D, algorithm=algorithm, **how)  # omp: from a Gram matrix

    def refused(*_):
        raise AssertionError("a Gram matrix")

    monkeypatch.setattr("lowdim.sparse.pursuit.coding.of_atoms", refused)
    found = lowdim.sparse_encode(x, D, algorithm=algorithm, **how)
    np.testing.assert_allclose(found, many[:1], atol=1e-12)
    given = {f"transform_{name}": value for name, value in how.items()}
    coder = lowdim.SparseCoder(D, transform_algorithm=algorithm, **given)
    np.testing.assert_allclose(coder.transform(x), many[:1], atol=1e-12)
    assert coder.inverse_transform(many).shape == (50, 20)
