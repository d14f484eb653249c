import numpy as np
import pytest
import scipy.sparse as sp

from lowdim.linalg.similar import number_of, similar_names, similar_rows

ROWS = np.array([[1.0, 0.0], [2.0, 0.0], [1.0, 1.0], [0.0, 3.0], [0.0, 0.0]])


def test_rows_are_ordered_by_their_cosine_without_the_row_itself():
    found = similar_rows(ROWS, 0, 10)
    np.testing.assert_array_equal(found.index, [1, 2, 3, 4])
    np.testing.assert_allclose(found.cosine, [1.0, np.sqrt(0.5), 0.0, 0.0])


def test_a_row_of_zeros_is_like_no_other():
    np.testing.assert_array_equal(similar_rows(ROWS, 4, 4).cosine, 0.0)


def test_huge_and_tiny_rows_have_directions_too():
    found = similar_rows(ROWS * 1e300, 0, 2)
    np.testing.assert_allclose(found.cosine, similar_rows(ROWS * 1e-300, 0, 2).cosine)


def test_rows_are_called_by_their_names_or_numbers():
    assert similar_names(ROWS, "a", list("abcde"), 1) == [("b", pytest.approx(1.0))]
    assert similar_names(ROWS, 0, None, 1) == [(1, pytest.approx(1.0))]


def test_a_row_with_a_name_can_be_called_by_its_number():
    assert number_of(1, np.array(["a", "b"]), 2) == 1
    assert number_of(1, [1, 0], 2) == 0  # these are names
    with pytest.raises(ValueError, match="term=1 is none of the 2 terms"):
        number_of(1, [7, 8], 2)


def test_a_term_that_is_not_there_is_named_with_what_is_near():
    with pytest.raises(ValueError, match=r"'computr' is none of the 2 terms; near it are 'comp"):
        number_of("computr", ["computer", "graphics"], 2)
    with pytest.raises(ValueError, match=r"a name, and columns have no names here.* from 0 to 1"):
        number_of("computer", None, 2)
    for term in (2, -1, 0.5, True):
        for names in (None, np.array(["a", "b"])):
            with pytest.raises(ValueError, match=r"none of the 2 terms.*a number from 0 to 1\."):
                number_of(term, names, 2)
    for term in (np.ones((2, 3)), sp.csr_array((2, 3)), ["a"]):  # written, a matrix may crash
        with pytest.raises(TypeError, match=r"term=(<\w+ of shape \(2, 3\)>|\['a'\]) must be one"):
            number_of(term, ["a", "b"], 2)
    with pytest.raises(ValueError, match="names has 1 entries where 2 are needed"):
        number_of("computer", ["computer"], 2)
    with pytest.raises(ValueError, match="n=0"):
        similar_names(ROWS, 0, None, 0)
