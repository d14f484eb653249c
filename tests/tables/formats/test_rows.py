"""Files are cut where rows end, whatever quotes, packing and encodings do."""

import gzip
import itertools

import pyarrow as pa
import pyarrow.csv
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lowdim.tables.errors import TableError
from lowdim.tables.formats import rows as rows_module
from lowdim.tables.formats.form import WHITESPACE
from lowdim.tables.formats.rows import Cutter, TextSource, pieces, tabbed, without_comments

COMMAS = Cutter(",", '"')


def ends_one_by_one(text, separator, quote):
    """Where rows end and a quote is left open: character by character."""
    ends, opened, within, at_start, i = [], -1, False, True, 0
    while i < len(text):
        c = text[i]
        if within:
            if c == quote and text[i + 1 : i + 2] == quote:
                i += 1
            elif c == quote:
                within, at_start = False, False
        elif c == quote and at_start:
            within, opened = True, i
        else:
            at_start = c in (separator, "\n", "\r")
            if c == "\n":
                ends.append(i + 1)
        i += 1
    return ends, opened if within else -1


@given(st.text(alphabet='a",\n', max_size=30))
def test_rows_end_where_a_reader_of_single_characters_ends_them(text):
    found = COMMAS.row_ends(text.encode())
    assert (found.ends.tolist(), found.open_quote) == ends_one_by_one(text, ",", '"')
    last = ends_one_by_one(text, ",", '"')[0]
    assert COMMAS.last_row_end(bytearray(text.encode())) == (last[-1] if last else 0)


def test_all_short_texts_are_cut_as_if_character_by_character():
    for n in range(8):
        for letters in itertools.product('a",\n', repeat=n):
            text = "".join(letters)
            found = COMMAS.row_ends(text.encode())
            assert (found.ends.tolist(), found.open_quote) == ends_one_by_one(text, ",", '"'), text


def test_pyarrow_counts_as_many_rows():
    for letters in itertools.product('a",\n', repeat=5):
        text = "".join(letters) + "\n"
        ends, opened = ends_one_by_one(text, ",", '"')
        if opened >= 0:
            continue
        rows = [text[a:b] for a, b in itertools.pairwise([0, *ends])]
        invalid = []
        found = pyarrow.csv.read_csv(
            pa.BufferReader(text.encode()),
            pyarrow.csv.ReadOptions(use_threads=False, column_names=["x"]),
            pyarrow.csv.ParseOptions(
                newlines_in_values=True,
                invalid_row_handler=lambda row: invalid.append(row) or "skip",  # noqa: B023
            ),
        )
        assert found.num_rows + len(invalid) == sum(row != "\n" for row in rows), text


def test_quotes_may_follow_any_blank_where_blanks_part_columns():
    cutter = Cutter(WHITESPACE, '"')
    assert cutter.row_ends(b'a  "x\ny"\nb\t"z"\n').ends.tolist() == [9, 15]


def test_without_a_quote_each_line_is_a_row():
    assert Cutter(",", "").row_ends(b'"a\n"b\n').ends.tolist() == [3, 6]


def read_back(path, cutter=COMMAS, encoding="utf-8", size=16, skip=0):
    return list(pieces(TextSource(str(path), str(path)), encoding, cutter, skip, size))


@pytest.mark.parametrize("size", [1, 5, 16, 1000])
def test_pieces_are_whole_rows_and_together_the_file(write, size):
    text = 'a,b\n1,"x\ny, z"\n22222222222222222222222222222,2\n3,"""q"""\n4,5" wide'
    path = write("t.csv", text)
    found = read_back(path, size=size)
    assert "".join(piece.rows.decode() for piece in found) == text
    assert [piece.offset for piece in found] == [
        sum(len(p.rows) for p in found[:i]) for i in range(len(found))
    ]
    for piece in found[:-1]:
        assert COMMAS.row_ends(piece.rows).ends[-1] == len(piece.rows)
    assert "".join(p.rows.decode() for p in read_back(path, size=size, skip=4)) == text[4:]


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16", "utf-16-be", "shift_jis"])
@pytest.mark.parametrize("packed", [False, True])
def test_pieces_are_utf8_whatever_the_file_is(write, encoding, packed):
    text = "x,y\n" + "1,plain\n" * 50 + ("2,東京\n" if encoding == "shift_jis" else "2,é\n") * 50
    content = text.encode(encoding)
    path = write("t.csv.gz", gzip.compress(content) if packed else content)
    found = b"".join(p.rows for p in read_back(path, encoding=encoding, size=40, skip=0))
    assert found.decode("utf-8-sig") == text


def test_lines_are_counted_from_one(write):
    source = TextSource("t.csv", write("t.csv", "é\nb\nc\n".encode("utf-16")))
    assert [source.line_number("utf-16", offset, b"\n") for offset in (0, 2, 3, 5)] == [1, 1, 2, 3]


def test_comments_go_and_values_that_look_like_them_stay():
    piece = b'# one\na,b\n#two\n1,"x\n# y"\n#'
    assert without_comments(piece, b"#", COMMAS) == b'a,b\n1,"x\n# y"\n'
    assert without_comments(b"a\n1", b"#", COMMAS) == b"a\n1"


def test_blanks_between_columns_become_tabs():
    assert tabbed(b"  a   b\t c \r\n1 2 3\n", '"') == b"a\tb\tc\n1\t2\t3\n"
    assert tabbed(b' 1  "a  b"  2 \n"c ""d"" "\t3 4\n', '"') == b'1\t"a  b"\t2\n"c ""d"" "\t3\t4\n'


# The door


def test_a_quote_that_is_never_closed_is_named(write):
    path = write("t.csv", 'a,b\n1,2\n3,"x\n4,5\n')
    with pytest.raises(TableError, match=r't\.csv, line 3: a quote \("\) is opened and never'):
        read_back(path)


def test_a_row_without_end_is_named(write, monkeypatch):
    monkeypatch.setattr(rows_module, "LONGEST_ROW", 100)
    path = write("t.csv", "a,b\n1,2\n" + "3" * 1000)
    with pytest.raises(TableError, match=r"t\.csv has a row of more than 0 MB at line 3"):
        read_back(path)


@pytest.mark.parametrize(
    "content",
    [gzip.compress(b"a\n" * 5000, mtime=0)[:-10], b"\x1f\x8b\x08 damaged"],
    ids=["cut", "damaged"],
)
def test_a_damaged_packed_file_is_named(write, content):
    path = write("t.csv.gz", content)
    with pytest.raises(TableError, match=r"t\.csv\.gz is damaged or cut short"):
        read_back(path)


def test_bytes_that_are_no_characters_are_named(write):
    path = write("t.csv", b"a,b\n1,\x81\n")
    with pytest.raises(TableError, match=r"t\.csv is not in (cp1252|charmap).*encoding="):
        read_back(path, encoding="cp1252")
