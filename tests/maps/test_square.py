"""Square matrices from outside."""

import numpy as np
import pytest
import scipy.sparse as sp

from lowdim.maps.square import square_matrix

D = np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 3.0], [2.0, 3.0, 0.0]])


def changed(i, j, value):
    E = D.copy()
    E[i, j] = value
    return E


def test_a_matrix_and_the_vector_of_its_pairs_are_the_same():
    for given in (D, D.tolist(), [1.0, 2.0, 3.0], np.asfortranarray(D)):
        found = square_matrix(given, "D", "a map")
        np.testing.assert_array_equal(found, D)
        assert found.flags.c_contiguous and found.dtype == np.float64


def test_a_frame_is_a_matrix():
    pd = pytest.importorskip("pandas")
    np.testing.assert_array_equal(square_matrix(pd.DataFrame(D), "D", "a map"), D)


def test_what_rounding_leaves_is_symmetric():
    square_matrix(changed(0, 1, 1.0 + 1e-7), "D", "a map")


def test_missing_pairs_are_accepted_where_asked_for():
    E = changed(0, 1, np.nan)
    E[1, 0] = np.nan
    np.testing.assert_array_equal(square_matrix(E, "D", "a map", nan=True), E)
    with pytest.raises(ValueError, match="Array must be symmetric: D has nan for 0 and 1"):
        square_matrix(changed(0, 1, np.nan), "D", "a map", nan=True)


REFUSED = {
    "not square": (D[:2], r"shape \(2, 3\); array must be 2-dimensional and square"),
    "a number": (3.0, r"shape \(\); array must be 2-dimensional and square"),
    "3-D": (D[None], "array must be 2-dimensional and square"),
    "pairs of no number of objects": (np.ones(4), "vector of 4 values; array must be 2-dim"),
    "empty": (np.empty((0, 0)), "is empty"),
    "asymmetric": (changed(0, 2, 5.0), "must be symmetric: D has 5 for 0 and 2, and 2 for 2 and 0"),
    "negative": (-D, "has a negative entry .-1 for 0 and 1"),
    "NaN": (changed(1, 2, np.nan), "NaN in 1 places .first: 1 and 2.; a map needs all pairs"),
    "inf": (changed(1, 2, np.inf), "has infinity for 1 and 2"),
    "diagonal": (changed(1, 1, 1.0), "has 1 on its diagonal .for 1"),
    "text": ([["a", "b"], ["c", "d"]], "text 'a' in row 0"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_is_no_dissimilarity_is_refused_by_name(kind):
    given, message = REFUSED[kind]
    with pytest.raises(ValueError, match=message):
        square_matrix(given, "D", "a map")


def test_a_sparse_matrix_is_refused_with_what_to_do():
    with pytest.raises(TypeError, match=r"D is sparse; a map needs all pairs.*D\.toarray"):
        square_matrix(sp.csr_array(D), "D", "a map")
