"""What people give to functions instead of numbers or texts is refused in one line, or goes in."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import lowdim
from lowdim.selection.samples.frechet import frechet
from tests.core.lying import lies
from tests.core.test_numeric import Elsewhere, Tracked
from tests.estimators.examples import case

X = np.random.default_rng(0).normal(size=(12, 5))
LABELS = np.arange(12) % 3
IMAGE = np.add.outer(np.arange(12.0), np.arange(12.0))
KNOWN = np.arange(144).reshape(12, 12) % 5 > 0
SQUARE = X.T @ X

# what takes a matrix: tensors that are tracked go in, complex numbers and tables do not
FUNCTIONS = {
    "orthogonal_mp": (X, lambda A: lowdim.orthogonal_mp(A, LABELS, n_nonzero_coefs=2)),
    "targets of orthogonal_mp": (X, lambda A: lowdim.orthogonal_mp(np.eye(12), A)),
    "orthogonal_mp_gram": (
        SQUARE,
        lambda A: lowdim.orthogonal_mp_gram(A, X[0], n_nonzero_coefs=2),
    ),
    "rotate": (X, lambda A: lowdim.rotate(A).loadings),
    "amari_distance": (SQUARE, lambda A: lowdim.amari_distance(A, np.eye(5))),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_matrices_at_the_door_of_functions(name):
    matrix, function = FUNCTIONS[name]
    np.testing.assert_array_equal(function(Tracked(matrix)), function(matrix))
    for given, message in (
        (matrix + 1j, "^Complex data not supported: .* absolute values.$"),
        (Elsewhere(), "cannot be made an array"),
        (matrix.astype(str).astype(object) + "x", "has the text '.*' in row 0, column 0"),
        ({"a": 1.0}, "is a dict; "),
    ):
        with case(message), pytest.raises((ValueError, TypeError), match=message):
            function(given)


def test_labels_and_known_pixels_may_be_tensors():
    assert lowdim.silhouette(X, Tracked(LABELS)) == lowdim.silhouette(X, LABELS)
    np.testing.assert_array_equal(
        lowdim.inpaint(IMAGE, Tracked(KNOWN), random_state=0),
        lowdim.inpaint(IMAGE, KNOWN, random_state=0),
    )


@pytest.mark.parametrize("arguments", [{}, {"token_pattern": r"\w"}], ids=["words", "letters"])
@pytest.mark.parametrize("vectorizer", [lowdim.CountVectorizer, lowdim.TfidfVectorizer])
def test_documents_that_are_no_texts_are_refused(vectorizer, arguments):
    for documents in (X, [["a", "b"], ["c"]], [1.0, 2.0]):
        with pytest.raises(TypeError, match=r"ocument (0 )?is of type \w+; documents are text"):
            vectorizer(**arguments).fit(documents)


def test_what_has_no_vocabulary_is_no_vectorizer():
    for given in (X, {"a": 0}, "words", sp.csr_array(X)):
        with pytest.raises(TypeError, match=r"vectorizer=.* has no vocabulary; give a lowdim"):
            lowdim.text.cooccurrence(["a b c"], given)


def test_targets_of_networks_that_lie_are_refused():
    pytest.importorskip("torch")
    for model in (lowdim.MLPRegressor(max_iter=1), lowdim.MLPClassifier(max_iter=1)):
        for kind, (matrix, message) in lies(sp.csr_array(X)).items():
            with case(kind), pytest.raises(ValueError, match=message):
                model.fit(X, matrix)


def test_values_whose_squares_are_no_numbers():
    with pytest.raises(ValueError, match="signal has values as large as 2e\\+301"):
        lowdim.denoise(1e300 * IMAGE)
    assert frechet(X, 1e300 * X) == np.inf


def test_targets_of_networks_are_of_one_kind():
    pytest.importorskip("torch")
    for y, message in (
        (LABELS + 1j, "^Complex data not supported: y has dtype complex128; .* values.$"),
        (np.empty((12, 0)), r"y has no columns \(shape \(12, 0\)\); MLPClassifier needs"),
        (np.array([1.0, "a"] * 6, dtype=object), "y has 6 texts among 12 values"),
    ):
        with case(message), pytest.raises((ValueError, TypeError), match=message):
            lowdim.MLPClassifier(max_iter=1).fit(X, y)


@pytest.mark.filterwarnings("ignore:n_neighbors=.* is more than the .* rows of X:UserWarning")
def test_labels_of_a_map_and_weights_of_entries_may_be_tensors():
    umap = lowdim.UMAP(n_neighbors=4, n_epochs=5, random_state=0)
    np.testing.assert_array_equal(
        umap.fit(X, Tracked(LABELS)).embedding_, umap.fit(X, LABELS).embedding_
    )
    als, weight = lowdim.ALS(2, max_iter=2, tol=1e6, random_state=0), 1.0 + X**2
    np.testing.assert_array_equal(
        als.fit(X, entry_weight=Tracked(weight)).complete(),
        als.fit(X, entry_weight=weight).complete(),
    )
    with pytest.raises(ValueError, match="The rows of The weight of entries differ in length"):
        als.fit(X, entry_weight=[[1.0, 2.0], [1.0]])
    with pytest.raises(ValueError, match=r"the weight \d\S*e\+30\d, with which sums"):
        als.fit(X, entry_weight=1e300 * weight)
