"""Ids and their numbers."""

import numpy as np
import pytest

from lowdim.completion.recommender.ids import IdNumbers, allowed_by, as_list, id_array, is_id


@pytest.fixture
def films():
    return IdNumbers(id_array(["a", ("b", 2), 3]), "film")


def test_unknown_ids_are_minus_one_or_refused(films):
    assert films.find([3, "?", ("b", 2)]).tolist() == [2, -1, 1]
    assert films.find_all("a", unknown="error").tolist() == [0]
    assert films.find_all(["?", "a"], unknown="mean").tolist() == [-1, 0]
    with pytest.raises(
        ValueError, match=r"1 of 2 films are not known \(first: '\?'\).*unknown='mean'"
    ):
        films.find_all(["?", "a"], unknown="error")
    assert films.find_one(("b", 2)) == 1
    with pytest.raises(ValueError, match="Film 4 is not known: not among the ratings"):
        films.find_one(4)


def test_text_numbers_and_tuples_are_one_id():
    for one in ("abc", b"x", 7, 2.5, np.int64(3), (1, 2), None):
        assert is_id(one) and as_list(one) == [one]
    for several in (["a", "b"], np.array([1, 2]), range(2)):
        assert not is_id(several) and as_list(several) == list(several)


def test_arrays_of_ids_are_integers_if_all_are():
    assert id_array([1, 2]).dtype == np.int64
    for mixed in ([1, "a"], [True, 2], [2**70, 1], [(1, 2), (3, 4)], []):
        array = id_array(mixed)
        assert array.dtype == object and array.tolist() == mixed


def test_a_filter_is_a_function_or_a_collection():
    ids = id_array(["a", "b", "c"])
    assert allowed_by(None, ids) is None
    for filter in ({"a", "c", "x"}, ["a", "c"], lambda name: name != "b"):
        assert allowed_by(filter, ids).tolist() == [True, False, True]
    with pytest.raises(ValueError, match="none of the 3 known items"):
        allowed_by(["x"], ids)
