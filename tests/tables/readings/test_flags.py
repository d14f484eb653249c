"""A flag is exactly the two texts of one known pair, in any case of letters."""

import numpy as np
import pytest

from lowdim.tables.readings import FlagText, NumberText, odd_values, reading_of, tally
from lowdim.tables.readings.flags import PAIRS


def reading(*levels, counts=None):
    """What a column of these texts is."""
    return reading_of(tally(levels, np.ones(len(levels), int) if counts is None else counts))


@pytest.mark.parametrize(
    "false, true",
    [
        *(("no", "yes"), ("N", "Y"), ("F", "T"), ("nein", "ja"), ("0", "1"), ("non", "oui")),
        *(("False", "True"), ("OFF", "ON"), ("-", "+"), ("negative", "Positive"), ("No", "Sí")),
    ],
)
def test_pairs_are_flags(false, true):
    flag = reading(true, false)
    assert flag == FlagText(false, true)
    np.testing.assert_array_equal(flag.parse([false, true, "maybe"]), [0, 1, np.nan])
    assert flag.format(np.array([1.0, 0.0, np.nan])) == [true, false, None]


@pytest.mark.parametrize("pair", PAIRS)
def test_every_known_pair_is_recognised_with_marks_of_missing_values(pair):
    assert reading(*pair, "NA", "") == FlagText(*pair)


def test_the_most_common_way_of_writing_is_kept():
    flag = reading("Yes", "yes", "NO", "no ", counts=np.array([5, 2, 1, 3]))
    assert flag == FlagText("no", "Yes")
    np.testing.assert_array_equal(flag.parse(["YES", " No"]), [1, 0])


@pytest.mark.parametrize(
    "levels",
    [("yes",), ("yes", "no", "maybe"), ("yes", "nein"), ("yes", "unknown", "no"), ("00", "01"), ()],
)
def test_one_text_a_third_or_another_pair_is_no_flag(levels):
    assert reading(*levels) is None


def test_further_numbers_make_zero_and_one_numbers():
    assert reading("0", "1", "2") == NumberText()
    assert reading("1") == NumberText()


def test_shares_are_written_as_the_nearer_text():
    assert FlagText("no", "yes").format(np.array([0.2, 0.8, -3.0])) == ["no", "yes", "no"]


def test_texts_beside_a_flag_that_the_user_asked_for_are_odd():
    seen = tally(["yes", "no", "maybe"], np.ones(3, int))
    assert odd_values(seen, FlagText("no", "yes")) == ["maybe"]
