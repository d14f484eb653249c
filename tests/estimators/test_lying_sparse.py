"""Sparse matrices whose indices lie are refused by every class at every door.

What follows a wrong index reads or writes foreign memory, so the process may end there: see a new
case fail in a process of its own.
"""

from __future__ import annotations

import copy

import numpy as np
import pytest
import scipy.sparse as sp

import lowdim
from tests.core.lying import lies, too_wide
from tests.estimators.examples import CLASSES, METHODS, each_class, quiet, small, table

pytestmark = quiet

X = table(n=30, d=5)
TRUE = sp.csr_array(X * (np.arange(150).reshape(30, 5) % 4 != 1))
LIES = lies(TRUE)
# in a file; SciPy reads whole numbers that are stored as floats
IN_FILES = [
    lie
    for kind, lie in LIES.items()
    if lie[0].format == "csr" and kind not in ("indices of floats", "indptr of floats")
]
SPARSE = [name for name in CLASSES if METHODS[name].sparse]
each_sparse = pytest.mark.parametrize("name", SPARSE)


@each_sparse
def test_a_fit_refuses_a_lying_matrix_and_says_which_row(name):
    for matrix, message in LIES.values():
        with pytest.raises(ValueError, match=message):
            small(name).fit(matrix)


@each_class
def test_a_class_that_takes_no_sparse_matrices_refuses_lying_ones_too(name):
    for matrix, _ in LIES.values():
        with pytest.raises((TypeError, ValueError)):
            small(name).fit(matrix)


METHODS_OF_ROWS = (
    *("partial_fit", "transform", "fit_transform", "fit_predict", "predict", "predict_proba"),
    *("score", "score_samples", "score_entries", "impute", "complete", "bic", "aic"),
    *("outlier_score", "mahalanobis", "silhouette", "profile"),
)


@each_sparse
def test_every_method_that_takes_rows_refuses_lying_ones(name):
    model = small(name).fit(TRUE)
    for method in METHODS_OF_ROWS:
        if hasattr(model, method):
            for matrix, message in LIES.values():
                with pytest.raises(ValueError, match=message):
                    getattr(model, method)(matrix)


@each_sparse
def test_a_lying_block_of_a_stream_is_refused(name):
    if not METHODS[name].stream:
        return
    for matrix, message in LIES.values():
        rows = lowdim.stream(lambda matrix=matrix: iter([TRUE, matrix]))
        with pytest.raises(ValueError, match=message):
            small(name).fit(rows)


@each_sparse
def test_a_lying_chunk_on_dask_is_refused(name):
    da, dask = pytest.importorskip("dask.array"), pytest.importorskip("dask")
    if not METHODS[name].dask:
        return

    def chunk(matrix, meta):
        return da.from_delayed(dask.delayed(lambda: matrix)(), matrix.shape, meta=meta)

    for kind in ("beyond the columns", "negative", "falling indptr", "csc, beyond the rows"):
        matrix, message = LIES[kind]
        for meta in (sp.csr_array((0, 5)), np.empty((0, 5))):
            chunks = da.concatenate([chunk(TRUE, meta), chunk(matrix, meta)])
            with pytest.raises(ValueError, match=message):
                small(name).fit(chunks)


@each_sparse
def test_a_lying_file_is_refused(name, tmp_path):
    if not METHODS[name].stream:
        return
    for number, (matrix, message) in enumerate(IN_FILES):
        path = tmp_path / f"{number}.npz"
        np.savez(
            path,
            format=np.array(b"csr"),
            shape=np.array(matrix.shape),
            data=matrix.data,
            indices=matrix.indices,
            indptr=matrix.indptr,
        )
        # SciPy sees some lies when it builds a matrix, and says so in its own words
        with pytest.raises(ValueError, match=f"{message}|{number}.npz cannot be read"):
            small(name).fit(lowdim.stream(path))


@each_sparse
def test_a_matrix_that_declares_more_columns_than_memory_holds_is_refused(name):
    message = "2147483647 columns that stores .* 16.0 GB"
    wide = too_wide(TRUE)
    with pytest.raises(ValueError, match=message):
        small(name).fit(wide)
    if METHODS[name].stream:
        with pytest.raises(ValueError, match=message):
            small(name).fit(lowdim.stream(lambda: iter([wide])))


@each_sparse
def test_every_format_of_a_true_matrix_gives_the_same_model(name):
    reference = small(name).fit(TRUE)
    for form in ("csc", "coo", "bsr", "lil", "dok"):
        model = small(name).fit(TRUE.asformat(form))
        np.testing.assert_array_equal(
            _codes(model, TRUE), _codes(reference, TRUE), err_msg=f"{name}, {form}"
        )


def _codes(model, X):
    for method in ("transform", "predict_proba", "predict"):
        if hasattr(model, method):
            return getattr(model, method)(X)
    raise AssertionError(f"{type(model).__name__} says nothing about rows")


# ---- beside the estimators -----------------------------------------------------------------------


def test_entries_and_their_weights_refuse_lying_matrices():
    for matrix, message in LIES.values():
        with pytest.raises(ValueError, match=message):
            lowdim.Entries(matrix)
        if matrix.shape == TRUE.shape:
            with pytest.raises(ValueError, match=message):
                lowdim.Entries(TRUE, weight=matrix)


def _pattern(X):
    if X.format not in ("csr", "csc", "coo", "bsr"):
        return X
    pattern = copy.copy(X)
    pattern.data = np.ones(X.data.shape, dtype=bool)
    return pattern


MAP = np.arange(60.0).reshape(30, 2)
APART = np.abs(np.subtract.outer(np.arange(30.0), np.arange(30.0)))
FUNCTIONS = {
    "choose_rank": lambda X: lowdim.choose_rank(X),
    "choose_k": lambda X: lowdim.choose_k(X),
    "recoverability": lambda X: lowdim.recoverability(X, rank=1),
    "recoverability of a pattern": lambda X: lowdim.recoverability(_pattern(X), rank=1),
    "TableEncoder": lambda X: lowdim.TableEncoder().fit(X),
    "TableModel": lambda X: lowdim.TableModel(lowdim.PCA(2)).fit(X),
    "svd": lambda X: lowdim.linalg.svd(X, 1),
    "spectral": lambda X: lowdim.linalg.spectral(X),
    "frobenius": lambda X: lowdim.linalg.frobenius(X),
    "nuclear": lambda X: lowdim.linalg.nuclear(X),
    "tfidf": lambda X: lowdim.text.tfidf(X),
    "pmi": lambda X: lowdim.text.pmi(X),
    "cosine": lambda X: lowdim.text.cosine(X, top=1),
    "choose_topics": lambda X: lowdim.choose_topics(X, [2], repeats=2),
    "coreset": lambda X: lowdim.coreset(X, 10, 2),
    "silhouette": lambda X: lowdim.silhouette(X, np.arange(30) % 3),
    "non_negative_factorization": lambda X: lowdim.non_negative_factorization(X, n_components=2),
    "neighbors": lambda X: lowdim.neighbors(X, 2),
    "dissimilarity": lambda X: lowdim.dissimilarity(X),
    "smacof": lambda X: lowdim.smacof(X),
    "stress": lambda X: lowdim.stress(X, MAP),
    "trustworthiness": lambda X: lowdim.trustworthiness(X, MAP),
    "trustworthiness of a map": lambda X: lowdim.trustworthiness(MAP, X),
    "shepard of a map": lambda X: lowdim.shepard(APART, X),
    "map_quality": lambda X: lowdim.map_quality(X, MAP, n_neighbors=2),
    "map_quality of a map": lambda X: lowdim.map_quality(MAP, X, n_neighbors=2),
    "sparse_encode": lambda X: lowdim.sparse_encode(X, np.eye(5)),
    "sparse_encode by atoms": lambda X: lowdim.sparse_encode(np.ones((2, 5)), X),
    "orthogonal_mp": lambda X: lowdim.orthogonal_mp(X, np.ones(30)),
    "dict_learning": lambda X: lowdim.dict_learning(X, 2, alpha=1, max_iter=2),
    "basis_pursuit": lambda X: lowdim.sparse.basis_pursuit(X, np.ones(30)),
    "denoise": lambda X: lowdim.denoise(X),
    "inpaint": lambda X: lowdim.inpaint(X),
    "compress": lambda X: lowdim.compress(X, keep=3),
    "rotate": lambda X: lowdim.rotate(X),
    "sample_quality": lambda X: lowdim.sample_quality(X, TRUE),
}


@pytest.mark.parametrize("function", FUNCTIONS)
def test_functions_refuse_lying_matrices(function):
    for matrix, message in LIES.values():
        with pytest.raises(
            (ValueError, TypeError), match=f"{message}|sparse|Sparse|is a [a-z]+_array"
        ):
            FUNCTIONS[function](matrix)
