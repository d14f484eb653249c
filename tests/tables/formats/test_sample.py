"""The first rows of a text file, and a look further down."""

import pytest

from lowdim.tables.errors import TableError
from lowdim.tables.formats import open_file, sample
from lowdim.tables.formats.rows import Cutter, TextSource
from lowdim.tables.formats.sample import take_sample


def test_a_look_at_the_end_of_the_file_saves_reading_it_twice(write, monkeypatch):
    monkeypatch.setattr(sample, "SAMPLE_BYTES", 256)
    table = open_file(write("t.csv", "a,b\n" + "1,2\n" * 1000 + "x,3\n"), stream=True)
    assert str(table.schema.field("a").type).startswith(("string", "dictionary"))


def source(name):
    return TextSource(name, name)


def test_a_small_file_is_all_of_the_sample(write):
    found = take_sample(source(write("t.csv", "a,b\n1,é\n")), None)
    assert found == sample.Sample("a,b\n1,é\n".encode(), "utf-8", 0, True)


def test_the_mark_of_utf8_is_left_out_and_counted(write):
    found = take_sample(source(write("t.csv", b"\xef\xbb\xbfa,b\n1,2\n")), None)
    assert (found.text, found.offset) == (b"a,b\n1,2\n", 3)


def test_other_encodings_are_found_or_given_and_become_utf8(write):
    name = write("t.csv", "name,größe\nx,1\n".encode("utf-16"))
    found = take_sample(source(name), None)
    assert found.text.decode() == "name,größe\nx,1\n" and found.encoding.startswith("utf-16")
    name = write("t.csv", "größe\n1\n".encode("latin-1"))
    assert take_sample(source(name), "latin-1").text.decode() == "größe\n1\n"


def test_a_sample_grows_until_it_has_some_lines(write, monkeypatch):
    monkeypatch.setattr(sample, "SAMPLE_BYTES", 16)
    name = write("t.csv", "".join(f"{'x' * 20},{i}\n" for i in range(50)))
    found = take_sample(source(name), None)
    assert found.text.count(b"\n") >= sample.LEAST_LINES and not found.is_all


@pytest.mark.parametrize(
    ("content", "encoding", "message"),
    [
        (b"", None, "t.csv is empty"),
        (b"\n \n\r\n", None, "t.csv has no rows"),
        (b"a,b\n1,\0\n", "utf-8", "t.csv .*(zero|binary)"),
        (b"a,b\n1,\xff\n", "utf-8", "t.csv, line 2, is not in utf-8"),
    ],
)
def test_what_has_no_rows_or_no_text_is_refused(write, content, encoding, message):
    with pytest.raises(TableError, match=message):
        take_sample(source(write("t.csv", content)), encoding)


def test_rows_further_down_are_whole_or_not_looked_at(write, monkeypatch):
    monkeypatch.setattr(sample, "SAMPLE_BYTES", 64)
    monkeypatch.setattr(sample, "LOOK_BYTES", 40)
    lines = [f"{i},{i * i}" for i in range(200)]
    name, cutter = write("t.csv", "\n".join(lines) + "\n"), Cutter(",", '"')
    rows = sample.further_rows(source(name), "utf-8", cutter).decode().splitlines()
    assert len(rows) >= 4 and set(rows) <= set(lines) and rows[-1] == lines[-1]
    assert sample.further_rows(source(name), "cp1252", cutter) == b""
    write("t.csv", "\n".join(f'"{line}"' for line in lines))
    assert sample.further_rows(source(name), "utf-8", cutter) == b""
