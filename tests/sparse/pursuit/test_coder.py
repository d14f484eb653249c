"""`SparseCoder`."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

import lowdim
from lowdim import SparseCoder, sparse
from tests.sparse.pursuit.examples import planted


def test_without_arguments_it_codes_in_cosines(rng):
    X = rng.standard_normal((5, 20))
    C = sparse.basis("dct", 20).analyze(X)
    Z = SparseCoder().fit_transform(X)
    for z, c in zip(Z, C, strict=True):
        kept = np.argsort(-np.abs(c))[:2]
        assert set(np.flatnonzero(z)) == set(kept)
        np.testing.assert_allclose(z[kept], c[kept], atol=1e-12)


@pytest.mark.parametrize("split_sign", [False, True])
@pytest.mark.parametrize("sparse_output", [False, True])
def test_codes_go_there_and_back(rng, split_sign, sparse_output):
    D, _, X = planted(rng, 10, 30, 40, 2)
    coder = SparseCoder(
        D, transform_n_nonzero_coefs=2, split_sign=split_sign, sparse_output=sparse_output
    ).fit(X)
    Z = coder.transform(X)
    assert sp.issparse(Z) == sparse_output and Z.shape == (10, 60 if split_sign else 30)
    assert len(coder.get_feature_names_out()) == Z.shape[1]
    np.testing.assert_allclose(coder.inverse_transform(Z), X, atol=1e-9)


def test_it_needs_no_fit_and_learns_nothing(rng):
    D, Z, X = planted(rng, 10, 30, 40, 2)
    coder = SparseCoder(D, transform_n_nonzero_coefs=2)
    np.testing.assert_allclose(coder.transform(X), Z, atol=1e-9)
    np.testing.assert_allclose(coder.inverse_transform(Z), X, atol=1e-9)


def test_missing_values_are_filled(rng):
    D, _, X = planted(rng, 10, 30, 60, 2)
    holes = np.where(rng.random(X.shape) < 0.2, np.nan, X)
    coder = SparseCoder(D, transform_n_nonzero_coefs=2).fit(X)
    np.testing.assert_allclose(coder.impute(holes), X, atol=1e-8)


def test_it_is_saved_with_its_dictionary(rng, tmp_path):
    D, Z, X = planted(rng, 5, 30, 40, 2)
    SparseCoder(D, transform_n_nonzero_coefs=2).fit(X).save(tmp_path / "coder")
    np.testing.assert_allclose(lowdim.load(tmp_path / "coder").transform(X), Z, atol=1e-9)


def test_a_basis_as_dictionary_is_cloned(rng):
    coder = SparseCoder(sparse.basis("haar", 8), transform_n_nonzero_coefs=3)
    X = rng.standard_normal((4, 8))
    np.testing.assert_array_equal(clone(coder).fit_transform(X), coder.fit_transform(X))


def test_dask_codes_go_back_lazily(rng):
    da = pytest.importorskip("dask.array")
    D, _, X = planted(rng, 10, 30, 40, 2)
    coder = SparseCoder(D, transform_n_nonzero_coefs=2).fit(X)
    Z = coder.transform(da.from_array(X, (5, 40)))
    np.testing.assert_allclose(coder.inverse_transform(Z).compute(), X, atol=1e-9)


def test_bad_input_is_refused(rng):
    X = rng.standard_normal((4, 8))
    with pytest.raises(ValueError, match="call fit\\(X\\) before inverse_transform"):
        SparseCoder("dct").inverse_transform(X)
    with pytest.raises(ValueError, match="Expected 8, got 5"):
        SparseCoder("dct").fit(X).inverse_transform(np.ones((2, 5)))
    with pytest.raises(ValueError, match="different numbers of features"):
        SparseCoder(np.eye(5)).fit(X)
    with pytest.raises(ValueError, match="transform_n_nonzero_coefs=9 is more than the 8 atoms"):
        SparseCoder("dct", transform_n_nonzero_coefs=9).fit(X)
