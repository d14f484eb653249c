"""Numbers are read as people write them, and written in the same style again."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lowdim.tables.readings import NumberText, odd_values, reading_of, tally


def reading(*levels, counts=None):
    """What a column of these texts is."""
    return reading_of(tally(levels, np.ones(len(levels), int) if counts is None else counts))


# Each style: texts of a column, how they are written, what they say


CASES = {
    "plain": (("12", "3.5", "-4"), NumberText(digits=1), (12, 3.5, -4)),
    "whole": (("0", "10", "+7"), NumberText(), (0, 10, 7)),
    "shares": (("0.5", "-0.5", "0"), NumberText(digits=1), (0.5, -0.5, 0)),
    "no zero before the point": ((".5", "2.25"), NumberText(digits=2), (0.5, 2.25)),
    "fixed decimals": (("1.50", "2.25"), NumberText(digits=2, fixed=True), (1.5, 2.25)),
    "exponents": (("1e-3", "12"), NumberText(exponent="e"), (0.001, 12)),
    "dollars": (("$1,200", "$5"), NumberText("$", thousands=","), (1200, 5)),
    "cents": (
        ("$1,200.50", "$5.25"),
        NumberText("$", thousands=",", digits=2, fixed=True),
        (1200.5, 5.25),
    ),
    "a sign before the currency": (("-$5", "$7"), NumberText("$"), (-5, 7)),
    "a sign after the currency": (("$-5", "$7"), NumberText("$"), (-5, 7)),
    "letters before the currency": (("US$ 5", "US$ 7"), NumberText("US$ "), (5, 7)),
    "a currency by its letters": (("EUR 5", "EUR 7"), NumberText("EUR "), (5, 7)),
    "currency behind": (
        ("1.200,50 €", "3,10 €"),
        NumberText("", " €", ".", ",", 2, True),
        (1200.5, 3.1),
    ),
    "percent": (("60 %", "5 %"), NumberText(suffix=" %"), (60, 5)),
    "percent without a space": (("60%", "5.5%"), NumberText(suffix="%", digits=1), (60, 5.5)),
    "units": (("36 months", "60 months"), NumberText(suffix=" months"), (36, 60)),
    "square metres": (("75 m2", "120 m2"), NumberText(suffix=" m2"), (75, 120)),
    "speed": (("7.5 km/h", "9 km/h"), NumberText(suffix=" km/h", digits=1), (7.5, 9)),
    "decimal comma": (("1.234,5", "2"), NumberText("", "", ".", ",", 1), (1234.5, 2)),
    "accounting": (("(1,200)", "30"), NumberText(thousands=",", minus="("), (-1200, 30)),
    "minus sign": (("−5", "4"), NumberText(minus="−"), (-5, 4)),
    "en dash": (("–5", "4"), NumberText(minus="–"), (-5, 4)),
    "space": (("1 234,5", "12"), NumberText("", "", " ", ",", 1), (1234.5, 12)),
    "no-break space": (("1\u00a0234", "1"), NumberText(thousands="\u00a0"), (1234, 1)),
    "thin space": (
        ("1\u202f234,5", "1"),
        NumberText("", "", "\u202f", ",", 1),
        (1234.5, 1),
    ),
    "apostrophe": (("1'234", "5"), NumberText(thousands="'"), (1234, 5)),
    "ungrouped beside grouped": (("1,234,567", "1234"), NumberText(thousands=","), (1234567, 1234)),
}


@pytest.mark.parametrize("levels, style, numbers", CASES.values(), ids=CASES)
def test_styles_are_recognised(levels, style, numbers):
    assert reading(*levels) == style
    np.testing.assert_array_equal(style.parse(levels), numbers)
    np.testing.assert_array_equal(style.parse(style.format(np.array(numbers, float))), numbers)


# What a single mark means


@pytest.mark.parametrize(
    "levels, numbers",
    [
        (("1,234", "12,5"), (1.234, 12.5)),
        (("1,234", "0,567"), (1.234, 0.567)),
        (("1,234", "1234,5"), (1.234, 1234.5)),
        (("1,234", "1,234,567"), (1234, 1234567)),
        (("1,234", "1,234.5"), (1234, 1234.5)),
        (("1,234", "1.5"), (1234, 1.5)),
        (("1,234", "2,345"), (1234, 2345)),
        (("1,234", "12"), (1234, 12)),
        (("1.234", "2.345"), (1.234, 2.345)),
        (("1.234", "12,5"), (1234, 12.5)),
        (("1.234", "1.234.567"), (1234, 1234567)),
    ],
)
def test_a_single_mark_is_decided_by_the_rest_of_the_column(levels, numbers):
    np.testing.assert_array_equal(reading(*levels).parse(levels), numbers)


def test_the_decimal_sign_of_most_cells_is_taken():
    levels = ["1,5", *(f"{i}.25" for i in range(30))]
    assert reading(*levels).decimal == "."
    assert np.isnan(reading(*levels).parse(["1,5"])).all()


# What is no number


@pytest.mark.parametrize(
    "levels",
    [
        ("007", "12"),
        ("02134", "91234"),
        ("+4930123456", "+4930654321"),
        ("12345678901234567", "12345678901234568"),
        ("1e999", "2"),
        ("inf", "2"),
        ("1_000", "2"),
        ("１２３", "４"),
        ("٣", "٤"),
        ("1st", "2nd"),
        ("4th", "5th"),
        ("Q1", "Q2"),
        ("Room 12", "Room 13"),
        ("18-24", "25-34"),
        ("3/4", "1/2"),
        ("00:30", "10:30"),
        ("4x2", "2x2"),
        ("1.2.3", "1.2.4"),
        ("12,34", "1,23,4"),
        ("0,123,456", "1"),
        ("5 kg", "7 lb"),
        ("$5", "5"),
        ("(1)", "(2)"),
        ("(-5)", "(-6)"),
        ("(5", "6)"),
        ("--5", "6"),
        ("5 kg each", "6 kg each"),
        ("24 Mar", "25 Mar"),
    ],
)
def test_identifiers_names_and_mixtures_are_no_numbers(levels):
    assert reading(*levels) is None


def test_a_stray_leading_zero_is_a_number_and_one_in_a_hundred_are_identifiers():
    levels = ["007", *(str(i) for i in range(10, 500))]
    assert reading(*levels) == NumberText()
    assert reading(*levels).parse(["007"]) == 7
    assert reading(*levels[:100]) is None


@pytest.mark.parametrize("text", ["0", "0.5", "-0.5", "0,5", "0 %"])
def test_a_zero_before_the_decimals_is_no_identifier(text):
    assert isinstance(reading(text, text.replace("0", "2")), NumberText)


def test_what_is_beyond_float64_is_not_read():
    assert np.isnan(NumberText().parse(["1e999", "-1e999", "1e999 "])).all()
    assert np.isnan(NumberText(suffix=" m").parse(["1e999 m"])).all()
    assert NumberText().parse(["1e-999"]) == 0


# One odd cell, blanks


def test_one_odd_cell_in_7043_is_named_and_read_as_missing():
    levels = ["n.v.t.", *(f"{i / 20:.2f}" for i in range(7042))]
    seen = tally(levels, np.ones(7043, int))
    found = reading_of(seen)
    assert found == NumberText(digits=2, fixed=True)
    assert odd_values(seen, found) == ["n.v.t."]
    assert np.isnan(found.parse(levels)).sum() == 1


def test_blanks_and_marks_do_not_count():
    levels = [" ", "NA", "none", *map(str, range(3))]
    counts = np.array([11, 500, 800, 1, 1, 1])
    seen = tally(levels, counts)
    assert reading_of(seen) == NumberText()
    assert odd_values(seen, NumberText()) == []


@pytest.mark.parametrize("n_odd, n_numbers, read", [(5, 95, True), (5, 94, False), (6, 500, False)])
def test_at_most_five_texts_and_five_percent_stand_in_the_way(n_odd, n_numbers, read):
    levels = [*(f"odd{'!' * i}" for i in range(n_odd)), *map(str, range(n_numbers))]
    assert (reading(*levels) is not None) == read


def test_further_units_are_odd_values():
    levels = ["€5", *(f"${i}" for i in range(30))]
    seen = tally(levels, np.ones(31, int))
    assert reading_of(seen) == NumberText("$")
    assert odd_values(seen, NumberText("$")) == ["€5"]


# Writing


def test_numbers_are_rounded_as_the_column_is():
    style = NumberText("$", thousands=",", digits=2, fixed=True)
    x = np.array([1234567.891, -0.001, np.nan, np.inf, -12.5])
    assert style.format(x) == ["$1,234,567.89", "$0.00", None, None, "-$12.50"]
    assert style._replace(fixed=False, minus="(").format(x[-1:]) == ["($12.5)"]


def test_numbers_with_exponents_are_written_in_full():
    x = np.array([1e-300, 0.1 + 0.2, 12.0, -2.5e20])
    style = NumberText(decimal=",", exponent="E")
    assert style.format(x) == ["1E-300", "0,30000000000000004", "12", "-2,5E+20"]
    np.testing.assert_array_equal(style.parse(style.format(x)), x)


STYLES = st.builds(
    NumberText,
    prefix=st.sampled_from(["", "$", "€ ", "R$", "USD ", "Rs. "]),
    suffix=st.sampled_from(["", "%", " %", " kg", " m2", "€", "′", "+"]),
    thousands=st.sampled_from(["", ",", ".", " ", "'", "’", "\u00a0", "\u202f"]),
    decimal=st.sampled_from([".", ","]),
    digits=st.integers(0, 8),
    fixed=st.booleans(),
    minus=st.sampled_from("-−–("),
    exponent=st.sampled_from(["", "e", "E"]),
).filter(lambda style: style.thousands != style.decimal)


@given(STYLES, st.lists(st.floats(-1e15, 1e15)))
def test_parsing_undoes_writing_in_every_style(style, numbers):
    digits = 400 if style.exponent else style.digits
    expected = [float(f"{x:.{digits}f}") for x in numbers]
    np.testing.assert_array_equal(style.parse(style.format(np.array(numbers))), expected)


@given(STYLES, st.lists(st.integers(-(10**12), 10**12), min_size=2, unique=True))
def test_a_written_column_is_recognised(style, whole):
    numbers = np.array(whole) / 100
    levels = style._replace(digits=2, fixed=True, exponent="").format(numbers)
    found = reading(*levels)
    if found is not None:  # a column of which all are in parentheses is none of numbers
        np.testing.assert_array_equal(found.parse(levels), numbers)
    else:
        assert style.minus == "(" and max(whole) < 0


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False)))
def test_plain_numbers_are_read_as_python_reads_them(numbers):
    levels = [repr(x) for x in numbers]
    np.testing.assert_array_equal(NumberText().parse(levels), numbers)
    np.testing.assert_array_equal(NumberText().parse([*levels, "NA"])[:-1], numbers)


def test_no_texts_are_no_numbers():
    assert NumberText().parse([]).shape == (0,)
    assert NumberText().format(np.empty(0)) == []
    assert math.isnan(NumberText().parse([""])[0])
