"""Data in the page: it comes back as it was, and cannot become markup."""

import base64
import json

import numpy as np
import pytest

from lowdim.report.page.payload import (
    MISSING_NUMBER,
    MISSING_WORD,
    MOST_WORDS,
    json_script,
    packed,
    packed_numbers,
    packed_words,
)


def values(column):
    kind = "u1" if column["words"] is not None else "<u2"
    return np.frombuffer(base64.b64decode(column["values"]), dtype=kind)


def read(column):
    """The numbers of a column, as js/map.js reads them."""
    steps = values(column)
    y = column["low"] + column["step"] * steps
    x = y if column["log"] is None else np.exp(y) - column["log"]
    return np.where(steps == MISSING_NUMBER, np.nan, x)


def test_data_in_the_page_cannot_end_its_script_element():
    text = str(json_script("x", {"name": "</script><!--&"}))
    body = text.removeprefix('<script type="application/json" id="x">').removesuffix("</script>")
    assert "<" not in body and "&" not in body
    assert json.loads(body) == {"name": "</script><!--&"}


def test_the_name_of_data_is_escaped():
    assert 'id="&#34;&gt;"' in json_script('">', 1)


def test_what_json_has_no_word_for_is_refused():
    with pytest.raises(ValueError, match="not JSON compliant"):
        json_script("x", float("nan"))


def test_bytes_are_little_endian():
    assert base64.b64decode(packed(np.array([1, 258]), "<u2")) == b"\x01\x00\x02\x01"


def test_whole_numbers_are_exact_where_they_fit():
    x = np.array([-3.0, np.nan, 65_000.0, 12.0])
    np.testing.assert_array_equal(read(packed_numbers("x", x, np.arange(4))), x)


def test_numbers_are_read_to_one_in_a_hundred_thousand_of_their_range(rng):
    x = rng.normal(size=500)
    x[::7] = np.nan
    found = read(packed_numbers("x", x, np.arange(500)))
    np.testing.assert_allclose(found, x, atol=np.ptp(x[~np.isnan(x)]) * 1e-5)


def test_steps_of_a_logarithm_are_even_in_it(rng):
    x = np.exp(rng.normal(0, 5, size=500))
    column = packed_numbers("x", x, np.arange(500), log=0.0)
    np.testing.assert_allclose(read(column), x, rtol=1e-3)
    x[0] = 0.0
    found = read(packed_numbers("x", x, np.arange(500), log=0.5))
    np.testing.assert_allclose(found, x, rtol=1e-2, atol=1e-3)


@pytest.mark.parametrize("x", [[np.nan, np.nan], [2.5, 2.5], [2.5, np.nan]])
def test_columns_without_spread_come_back(x):
    np.testing.assert_array_equal(read(packed_numbers("x", np.array(x), np.arange(2))), x)


def test_the_rows_that_are_wanted_keep_the_scale_of_all():
    x = np.linspace(0.0, 1.0, 11) ** 2
    whole = packed_numbers("x", x, np.arange(11))
    some = packed_numbers("x", x, np.array([2, 10]))
    np.testing.assert_array_equal(values(some), values(whole)[[2, 10]])


def test_words_are_places_and_nothing_is_a_place_of_its_own():
    column = packed_words("w", np.array([1, -1, 0]), ["a", "b"], np.array([0, 1, 2]))
    assert column["words"] == ["a", "b"]
    assert values(column).tolist() == [1, MISSING_WORD, 0]


def test_of_many_words_the_rarest_are_one():
    words = [f"w{j}" for j in range(MOST_WORDS + 5)]
    places = np.concatenate([np.arange(len(words)), np.arange(5, len(words)), [-1]])
    column = packed_words("w", places, words, np.arange(len(places)))
    few, found = column["words"], values(column)
    assert len(few) == MOST_WORDS and few[-1] == "(other)" and few[0] == "w5"
    assert found[-1] == MISSING_WORD
    for place, at in zip(places[:-1], found[:-1], strict=True):
        assert few[at] in (words[place], "(other)")
    assert (found == MOST_WORDS - 1).sum() == 5 + 1 * 2  # w0 to w4, and the last of the others
