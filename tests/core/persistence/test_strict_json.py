"""JSON of files: what leaves a doubt about its meaning is refused, with its name."""

import pytest

from lowdim.core.persistence.archive import FileProblem
from lowdim.core.persistence.strict_json import parsed_json


def test_what_is_clear_is_read():
    assert parsed_json('{"a": [1, 2.5, null, true]}', "x") == {"a": [1, 2.5, None, True]}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "x is not JSON"),
        ('{"a": 1, "a": 1}', "x has the same key twice"),
        ("123456789012345678", "x has an integer of more than 53 bits"),
        ("1e999", "x has a number that is not a float"),
        ("NaN", "x has NaN, which is not JSON"),
    ],
)
def test_doubts_are_refused(text, message):
    with pytest.raises(FileProblem, match=message):
        parsed_json(text, "x")
