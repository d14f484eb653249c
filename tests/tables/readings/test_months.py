"""Names of months are read in five languages and written as they were."""

import pytest

from lowdim.tables.readings.months import ENGLISH_MONTHS, month_name, month_of

LANGUAGES = ["en", "de", "fr", "es", "it"]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("form", ["long", "short"])
@pytest.mark.parametrize("case", ["title", "lower", "upper", "lower.", "title."])
def test_every_name_that_is_written_is_read(language, form, case):
    style = f"{language} {form} {case}"
    names = [month_name(month, style) for month in range(1, 13)]
    assert len(set(names)) == 12
    for month, name in enumerate(names, start=1):
        found, styles = month_of(name)
        assert found == month and style in styles


@pytest.mark.parametrize(
    ("name", "month", "style"),
    [
        ("Mar", 3, "en short title"),
        ("MÄRZ", 3, "de long upper"),
        ("janv.", 1, "fr short lower."),
        ("Sept", 9, "en short title"),
        ("Mrz", 3, "de short title"),
        ("dic", 12, "es short lower"),
    ],
)
def test_a_style_says_how_a_name_is_written(name, month, style):
    found, styles = month_of(name)
    assert found == month and style in styles


@pytest.mark.parametrize("name", ["", ".", "mAr", "Marc", "Monday", "Mar..", "1", "x" * 1000])
def test_other_words_are_no_months(name):
    assert month_of(name) is None


def test_english_months_are_known_in_both_lengths():
    assert {"may", "september", "sep"} <= ENGLISH_MONTHS and len(ENGLISH_MONTHS) == 23
