"""What a skeleton says about its numbers: their parts, their kind, their value."""

import numpy as np
import pytest

from lowdim.tables.readings.number_layouts import number_layout, plain_numbers
from lowdim.tables.readings.skeletons import by_skeleton


def layout_of(text):
    (skeleton,), _ = by_skeleton([text])
    return number_layout(skeleton)


@pytest.mark.parametrize(
    ("text", "prefix", "suffix", "minus", "thousands", "digits"),
    [
        ("12", "", "", "", "", 0),
        ("-1.50", "", "", "-", "", 2),
        ("$1,234.50", "$", "", "", ",", 2),
        ("1.234.567,8 €", "", " €", "", ".", 1),
        ("(3)", "", "", "(", "", 0),
        ("5 %", "", " %", "", "", 0),
        ("1'000.25", "", "", "", "'", 2),
        ("EUR 7", "EUR ", "", "", "", 0),
        ("120 m2", "", " m2", "", "", 0),
        ("1.5e-3", "", "", "", "", 1),
    ],
)
def test_a_number_is_taken_apart(text, prefix, suffix, minus, thousands, digits):
    found = layout_of(text)
    assert (found.prefix, found.suffix, found.minus) == (prefix, suffix, minus)
    assert (found.thousands, found.digits) == (thousands, digits)
    assert dict(found.details)["digits"] == str(digits)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("12", "whole"),
        ("1.5", "point"),
        ("1,5", "comma"),
        ("1,234", "comma?"),  # a thousand, or a decimal comma: the column decides
        ("0,123", "comma"),
        ("1,234,567", "point"),
        ("1.234,5", "comma"),
        ("007", "identifier"),
        ("12345678901234567", "identifier"),
        ("+4930123456", "identifier"),
        ("20240301", "ymd"),
        ("20241301", "whole"),
        ("1e5", "whole"),
        ("1e999", ""),
    ],
)
def test_the_kind_of_a_number_may_need_its_digits(text, kind):
    assert layout_of(text).kinds([text]) == [(kind, [0])]


@pytest.mark.parametrize(
    "text", ["1.2.3", "1,23,4", "(3", "3)", "--3", "-(3)", "24 Mar", "1st", "1e5,5", "12:30"]
)
def test_other_texts_are_no_numbers(text):
    assert layout_of(text) is None


@pytest.mark.parametrize(
    ("text", "decimal", "value"),
    [
        ("1,234", ".", 1234.0),
        ("1,234", ",", 1.234),
        ("$1,234.50", ".", 1234.5),
        ("(3.5)", ".", -3.5),
        ("−2", ".", -2.0),
        ("1 000 000", ".", 1e6),
        ("1.5e-3", ".", 0.0015),
    ],
)
def test_the_decimal_sign_decides_the_value(text, decimal, value):
    assert layout_of(text).values([text], decimal).tolist() == [value]


def test_plain_numbers_are_read_at_once_or_not_at_all():
    found = plain_numbers(["1", " 2.5 ", "-3e2", "1e999"])
    np.testing.assert_array_equal(found, [1.0, 2.5, -300.0, np.nan])
    assert plain_numbers(["1", "1,5"]) is None
    assert plain_numbers(["1", "nan"]) is None
    assert plain_numbers(["1" * 100]) is None
    assert plain_numbers([]).shape == (0,)
