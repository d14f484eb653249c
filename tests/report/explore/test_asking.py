"""What is asked of a page about a table."""

import pytest

import lowdim
from lowdim.report.explore.asking import check_asked, opened_table, with_wishes


def test_wishes_are_added_to_a_copy_of_the_encoder():
    given = lowdim.TableEncoder(ignore=["a"])
    wished = with_wishes(given, "name", ["b"], False)
    assert wished.id == "name" and list(wished.ignore) == ["a", "b"] and wished.log is False
    assert given.id is None and given.ignore == ["a"]


def test_names_of_rows_stay_as_they_are_written(tmp_path):
    (tmp_path / "t.csv").write_text("id,x\n007,1\n008,2\n")
    (chunk,) = opened_table(tmp_path / "t.csv", "id").chunks()
    assert chunk.column("id").to_pylist() == ["007", "008"]


@pytest.mark.parametrize(
    ("drop", "log", "random_state", "message"),
    [
        ("a", None, 0, "drop='a' is a text"),
        ((), True, 0, "log=True must be 'auto'"),
        ((), "x", 0, "log='x' must be 'auto'"),
        ((), None, -1, "random_state=-1 must be a whole number"),
    ],
)
def test_what_makes_no_sense_is_refused(drop, log, random_state, message):
    with pytest.raises((TypeError, ValueError), match=message):
        check_asked(drop, log, random_state)


def test_an_encoder_that_fills_is_refused():
    with pytest.raises(ValueError, match="missing='nan' is needed"):
        with_wishes(lowdim.TableEncoder(missing="mean"), None, (), None)
    with pytest.raises(TypeError, match=r"must be a lowdim\.TableEncoder"):
        with_wishes("no", None, (), None)
