import numpy as np
import pytest
import scipy.sparse as sp

import lowdim
from lowdim import KSVD
from lowdim.sparse.dictionary import ksvd  # noqa: F401  the module under test
from tests.sparse.dictionary.examples import planted, share_found

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


PLANES = np.array([[[1.0, 0, 0], [0, 1, 0]], [[0, 1, 1], [1, 0, 1]]])


def in_two_planes(rng, n=150):
    return np.concatenate([rng.normal(size=(n, 2)) @ plane for plane in PLANES])


def test_two_planes_are_spanned_by_two_atoms_each(rng):
    """Fig. 9.15 of the notes: three directions in all, and yet two numbers for each row."""
    X = in_two_planes(rng)
    model = KSVD(4, n_nonzero_coefs=2, random_state=0, max_iter=100, tol=1e-8).fit(X)
    Z = model.transform(X)
    assert (Z != 0).sum(axis=1).max() == 2
    np.testing.assert_allclose(Z @ model.components_, X, atol=1e-5)
    for plane in PLANES:
        basis = np.linalg.qr(plane.T)[0]
        inside = np.linalg.norm(model.components_ @ basis, axis=1) > 1 - 1e-6
        assert inside.sum() >= 2  # one may lie where the planes meet


@pytest.mark.parametrize(("missing", "least"), [(0.0, 0.9), (0.25, 0.85)])
def test_planted_atoms_are_found(rng, missing, least):
    X, atoms = planted(rng, missing=missing)
    model = KSVD(48, n_nonzero_coefs=4, random_state=0).fit(X)
    assert share_found(model.components_, atoms) >= least


@pytest.mark.parametrize("update", ["approximate", "exact"])
@pytest.mark.parametrize("settings", [{"n_nonzero_coefs": 3}, {"max_error": 0.3}])
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_history_falls_except_where_atoms_were_replaced(rng, update, settings, missing):
    X, _ = planted(rng, n=400, d=12, k=20, s=3, missing=missing)
    model = KSVD(
        20, update=update, dict_init="data", max_iter=15, tol=0.0, random_state=0, **settings
    ).fit(X)
    rose = np.flatnonzero(np.diff(model.history_) > 1e-12) + 1
    assert (model.replaced_[rose] > 0).all()
    assert model.history_[-1] < 0.9 * model.history_[0]
    assert len(model.replaced_) == model.n_iter_ == 15


def test_unused_and_doubled_atoms_are_replaced(rng):
    X, _ = planted(rng, n=300, d=8, k=10, s=2)
    start = np.linalg.qr(rng.normal(size=(8, 8)))[0][[0, 1, 2, 3, 0, 1]]
    start[4] *= -1
    model = KSVD(6, n_nonzero_coefs=2, dict_init=start, max_iter=6, tol=0.0).fit(X)
    assert model.replaced_[0] == 0 and model.replaced_[1] >= 1
    cosine = np.abs(model.components_ @ model.components_.T) - np.eye(6)
    assert cosine.max() < 0.99


@pytest.mark.parametrize("dict_init", ["online", "random", "data", "dct"])
def test_every_start_leads_to_unit_atoms_and_a_good_fit(rng, dict_init):
    X, _ = planted(rng, n=500, d=12, k=16, s=2)
    model = KSVD(16, n_nonzero_coefs=2, dict_init=dict_init, random_state=0).fit(X)
    np.testing.assert_allclose(np.linalg.norm(model.components_, axis=1), 1.0)
    assert model.history_[-1] < 0.2


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("dict_init", ["online", "data"])
def test_a_row_of_weight_two_is_a_row_twice(rng, missing, dict_init):
    X, _ = planted(rng, n=60, d=6, k=8, s=2, missing=missing)
    X = X[~np.isnan(X).all(axis=1)]
    weight = rng.integers(0, 3, size=len(X))
    arguments = dict(n_nonzero_coefs=2, dict_init=dict_init, max_iter=5, random_state=0)
    first = KSVD(6, **arguments).fit(X, sample_weight=weight)
    second = KSVD(6, **arguments).fit(np.repeat(X, weight, axis=0))
    np.testing.assert_allclose(first.history_, second.history_, rtol=1e-6)
    np.testing.assert_allclose(first.components_, second.components_, atol=1e-6)


def test_impute_finds_what_was_hidden(rng):
    X, _ = planted(rng, decibels=40.0)
    hidden = np.where(rng.random(X.shape) < 0.2, np.nan, X)
    model = KSVD(48, n_nonzero_coefs=4, random_state=0).fit(hidden)
    filled, std = model.impute(hidden, return_std=True)
    missing = np.isnan(hidden)
    np.testing.assert_array_equal(filled[~missing], X[~missing])
    assert np.median(np.abs(filled - X)[missing]) < 0.2 * np.std(X)
    assert (std[missing] > 0).all() and (std[~missing] == 0).all()


def test_codes_obey_the_error_and_come_as_csr(rng):
    X, _ = planted(rng, n=300, d=12, k=16, s=2)
    model = KSVD(16, max_error=0.2, sparse_output=True, random_state=0).fit(X)
    Z = model.transform(X)
    assert isinstance(Z, sp.csr_array)
    error = np.linalg.norm(X - model.inverse_transform(Z), axis=1)
    assert (error <= 0.2 * np.linalg.norm(X, axis=1) * (1 + 1e-9)).all()
    few = model.set_params(transform_n_nonzero_coefs=1).transform(X)
    assert np.diff(few.indptr).max() == 1
    streamed = model.transform(lowdim.stream(lambda: iter([X[:100], X[100:]])))
    np.testing.assert_allclose(streamed.toarray(), few.toarray())


def test_a_stream_gets_the_name_of_the_method_for_it(rng):
    X = rng.normal(size=(30, 4))
    with pytest.raises(TypeError, match=r"DictionaryLearning\(fit_algorithm='omp'\)"):
        KSVD(2).fit(lowdim.stream(lambda: iter([X])))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_components": 3, "n_nonzero_coefs": 4}, "n_nonzero_coefs=4 is more than the 3 atoms"),
        ({"n_components": 2, "dict_init": np.ones((3, 4))}, r"dict_init has shape \(3, 4\)"),
        ({"n_components": 2, "dict_init": np.zeros((2, 4))}, "2 of 2 atoms that are all 0"),
        ({"max_error": 1.5}, "max_error"),
        ({"dict_init": "svd"}, "dict_init"),
    ],
)
def test_bad_arguments_are_refused(rng, arguments, message):
    with pytest.raises(ValueError, match=message):
        KSVD(**arguments).fit(rng.normal(size=(30, 4)))
