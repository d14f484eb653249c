"""Files that want to break the reader are refused in one line, in bounded time and memory.

What is strange but still a table is read.
"""

import gzip
import io
import os
import socket
import tempfile
import time
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lowdim.tables.errors import TableError, plain
from lowdim.tables.formats import RereadNeeded, TextFormat, fold_chunks, open_file

MOST_SECONDS = 20  # far more than any case needs on a machine that does nothing else


def parquet(table=None):
    buffer = io.BytesIO()
    pq.write_table(table or pa.table({"a": np.arange(1000), "b": ["x"] * 1000}), buffer)
    return buffer.getvalue()


def arrow():
    buffer = io.BytesIO()
    table = pa.table({"a": np.arange(1000), "b": ["x"] * 1000})
    with pa.ipc.new_file(buffer, table.schema) as writer:
        writer.write_table(table)
    return buffer.getvalue()


def npy(array, **options):
    buffer = io.BytesIO()
    np.save(buffer, array, **options)
    return buffer.getvalue()


def npz(**members):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in members.items():
            archive.writestr(f"{name}.npy", content)
    return buffer.getvalue()


def zipped(**members):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def claims_huge():
    """A .npy file whose header claims a matrix that no memory holds."""
    content = npy(np.zeros((2, 2)))
    return content.replace(b"(2, 2)", b"(9999999999, 9999999)")[: len(content)]


def lying_workbook():
    """A workbook that says it is small and is not."""
    content = zipped(**{"[Content_Types].xml": b"x", "xl/worksheets/sheet1.xml": bytes(10**7)})
    size = (10**7).to_bytes(4, "little")
    assert content.count(size) == 2
    return content.replace(size, (10).to_bytes(4, "little"))


REFUSED = {
    # what is no text
    "empty": ("t.csv", b"", "t.csv is empty"),
    "only line ends": ("t.csv", b"\n\n\r\n", "t.csv has no rows"),
    "only blanks": ("t.csv", b"   \n  ", "t.csv has no rows"),
    "only line ends, many": ("t.csv", b"\n" * 10**6, "no rows near its start, only blank lines"),
    "only a mark": ("t.csv", b"\xef\xbb\xbf", "t.csv has no rows"),
    "header only": ("t.csv", b"a,b\n", "t.csv has no rows"),
    "header without end": ("t.csv", b"a,b", "t.csv has no rows"),
    "header only, packed": ("t.csv.gz", gzip.compress(b"a,b\n"), "has no rows"),
    "nothing, packed": ("t.csv.gz", gzip.compress(b""), "has no rows"),
    "zero bytes": ("t.csv", b"a,b\n1,\0\n", r"zero bytes \(NUL\).*encoding="),
    "zero bytes far down": ("t.csv", b"a,b\n" + b"1,2\n" * 10**5 + b"1,\0\n", "NUL.*line 100,002"),
    "all zero bytes": ("t.csv", bytes(10**6), "zero bytes"),
    "a workbook as text": ("t.csv", zipped(a=b"x" * 1000), "zero bytes"),
    "parquet as text": ("t.txt", parquet(), "zero bytes"),
    "an elf": ("t.data", b"\x7fELF\x02\x01\x01" + bytes(50), "zero bytes"),
    "not in the encoding": ("t.csv", "a,b\n1,é\n".encode("cp1252"), "not in utf-8.*encoding="),
    # rows
    "too few fields": ("t.csv", b"a,b\n1,2\n3\n", "line 3: 1 field where 2 are .*Mend that line"),
    "too many fields": ("t.csv", b"a,b\n1,2\n3,4,5\n", "line 3: 3 fields where 2 are .*'3,4,5'"),
    "too many fields far down": (
        "t.csv",
        b'a,b\n"x\ny",2\n\n' + b"1,2\n" * 10**6 + b"3,4,5\n",
        "line 1,000,005: 3 fields where 2 are expected",
    ),
    "too many fields in blanks": ("t.txt", b"a b\n1 2\n1 2\n 3  4 5\n", "line 4: 3 fields where 2"),
    "too many fields after comments": (
        "t.csv",
        b"# c\na,b\n#\n1,2\n1\n",
        "line 5: 1 field where 2",
    ),
    "a header that is too long": ("t.csv", b"a,b,c,d\n1,2\n3,4\n", "line 2: 2 fields where 4"),
    "a million columns": (
        "t.csv",
        b"x," * 10**6 + b"x\n" + b"1," * 10**6 + b"1\n",
        "1,000,001 col",
    ),
    "only commas": ("t.csv", b"," * 10**6, "has 1,000,001 columns.*separator="),
    "a million blank columns": ("t.txt", b"1 " * 10**6, "has 1,000,000 columns"),
    # quotes
    "a quote left open": ("t.csv", b'a,b\n1,"x\n2,y\n', "line 2: a quote .* never closed.*quote="),
    "a quote left open far down": (
        "t.csv",
        b"a,b\n" + b"1,2\n" * 10**5 + b'1,"x\n' + b"1,2\n" * 10**5,
        "line 100,002: a quote .* never closed",
    ),
    "quotes only": ("t.csv", b'"' * 10**5 + b'"', "never closed"),
    # packed
    "cut gz": ("t.csv.gz", gzip.compress(b"a,b\n" + b"1,2\n" * 9999)[:-9], "damaged or cut short"),
    "gz of nothing": ("t.csv.gz", b"\x1f\x8b\x08\x00", "damaged or cut short"),
    "damaged gz": ("t.csv.gz", gzip.compress(bytes(range(256)) * 9)[:99] + b"x" * 500, "damaged"),
    "zero bytes in gz": ("t.csv.gz", gzip.compress(bytes(10**8)), "zero bytes"),
    "a line of 100 MB in gz": ("t.csv.gz", gzip.compress(b"a" * 10**8), "row of more than 32 MB"),
    # other formats
    "cut parquet": ("t.parquet", parquet()[:-100], "cannot be read as a parquet file"),
    "no parquet": ("t.parquet", b"a,b\n1,2\n" * 10, "cannot be read as a parquet file"),
    "damaged parquet": ("t.parquet", parquet()[:99] + b"x" * 99 + parquet()[198:], "parquet file"),
    "a footer that lies": ("t.parquet", b"PAR1" + b"\xff" * 8 + b"PAR1", "parquet file"),
    "cut arrow": ("t.arrow", arrow()[:-500], "cannot be read as an Arrow file"),
    "no arrow": ("t.arrow", b"a,b\n1,2\n" * 10, "cannot be read as an Arrow file"),
    "no npy": ("t.npy", b"a,b\n1,2\n", r"t\.npy .*(damaged|cannot be read)"),
    "cut npy": ("t.npy", npy(np.eye(50))[:-100], r"t\.npy .*(damaged|cannot be read)"),
    "npy of objects": ("t.npy", npy(np.array([[None]])), "holds Python objects"),
    "npy that claims too much": ("t.npy", claims_huge(), r"t\.npy .*"),
    "npz of objects": ("t.npz", npz(a=npy(np.array([[None]]))), "holds Python objects"),
    "npz of pickles": ("t.npz", npz(a=b"cos\nsystem\n(S'true'\ntR."), r"t\.npz .*"),
    "no npz": ("t.npz", b"PK\x03\x04 and nothing more", "is damaged"),
    "sparse npz without parts": ("t.npz", npz(format=npy("csr"), shape=npy([2, 2])), "cannot be"),
    "no workbook": ("t.xlsx", b"a,b\n1,2\n", "not a workbook, or it is damaged"),
    "a zip as workbook": ("t.xlsx", zipped(a=b"x"), "zip archive, but not a workbook"),
    "an empty workbook": ("t.xlsx", zipped(**{"[Content_Types].xml": b""}), "as a workbook"),
    "a workbook that lies": ("t.xlsx", lying_workbook(), "cannot be read as a workbook"),
    "json too deep": ("t.json", "[" * 10**6, "more than 50 lists or objects within each other"),
    "lines too deep": ("t.jsonl", '{"a":' + "[" * 10**5 + "]" * 10**5 + "}\n", "more than 50"),
    "lines too deep behind text": (
        "t.jsonl",
        '{"b":"' + "]" * 10**5 + '","a":' + "[" * 10**5 + "]" * 10**5 + "}\n",
        "more than 50 lists",
    ),
    "json that ends": ("t.json", '{"a": [1', "this is not JSON"),
}


@pytest.mark.parametrize("case", REFUSED)
@pytest.mark.parametrize("stream", [None, True])
def test_a_hostile_file_is_refused_in_one_line(write, case, stream):
    name, content, message = REFUSED[case]
    encoding = "utf-8" if case == "not in the encoding" else None
    separator = "whitespace" if case == "a million blank columns" else None
    form = TextFormat(encoding=encoding, separator=separator)
    write(name, content)
    start = time.monotonic()
    with pytest.raises(TableError, match=message) as error:
        fold_chunks(open_file(name, form, stream=stream), int, lambda n, chunk: n + 1)
    assert "\n" not in str(error.value) and not isinstance(error.value, RereadNeeded)
    assert name in str(error.value) and len(str(error.value)) < 500
    assert time.monotonic() - start < MOST_SECONDS


# What is no file


def test_a_pipe_is_refused_without_waiting_for_it():
    os.mkfifo("t.csv")
    with pytest.raises(TableError, match=r"t\.csv is a pipe, not a file\..*'-'"):
        open_file("t.csv")


def test_a_socket_is_refused():
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as server:
        server.bind(f"{folder}/t.csv")
        with pytest.raises(TableError, match=r"t\.csv is a socket, not a file"):
            open_file(f"{folder}/t.csv")


def test_a_device_and_a_name_that_cannot_be_are_refused():
    os.symlink("/dev/zero", "t.csv")
    with pytest.raises(TableError, match=r"t\.csv is a device, not a file"):
        open_file("t.csv")
    with pytest.raises(TableError, match="cannot be opened"):
        open_file("a\0b.csv")
    with pytest.raises(TableError, match="cannot be opened"):
        open_file("a" * 5000 + ".csv")
    os.symlink("loop.csv", "loop.csv")
    with pytest.raises(TableError, match="cannot be opened"):
        open_file("loop.csv")


def test_a_folder_that_is_called_as_a_file_is_a_folder():
    os.mkdir("t.csv")
    with pytest.raises(TableError, match=r"t\.csv is a folder without tables"):
        open_file("t.csv")


# Very large


def sparse_file(name, start):
    """A file of 2 GB that takes no room: zero bytes after its start."""
    with open(name, "wb") as file:
        file.write(start)
        file.truncate(2 * 10**9)
    return name


@pytest.mark.parametrize(
    ("start", "message"),
    [(b"", "zero bytes"), (b"a,b\n1,2\n", "zero bytes"), (b"a,b\n" + b"1,2\n" * 99999, "32 MB")],
)
@pytest.mark.parametrize("stream", [None, True])
def test_a_line_of_2_gb_is_refused_in_bounded_time(start, message, stream):
    begin = time.monotonic()
    with pytest.raises(TableError, match=message):
        for _ in open_file(sparse_file("t.csv", start), stream=stream).chunks():
            pass
    assert time.monotonic() - begin < MOST_SECONDS


def test_a_packed_file_of_many_rows_is_unpacked_only_as_far_as_it_is_read(write):
    content = gzip.compress(b"a,b\n") + gzip.compress(b"1,2\n" * 2 * 10**6) * 50  # 400 MB
    table = open_file(write("t.csv.gz", content), stream=True)
    before = pa.total_allocated_bytes()
    begin = time.monotonic()
    chunks = table.chunks(size=1000)
    assert sum(next(chunks).num_rows for _ in range(5)) == 5000
    assert pa.total_allocated_bytes() - before < 50 * 10**6
    chunks.close()
    assert time.monotonic() - begin < MOST_SECONDS


def test_a_workbook_that_unpacks_to_very_much_is_refused(write, monkeypatch):
    monkeypatch.setattr("lowdim.tables.formats.excel.MOST_UNPACKED", 10**6)
    bomb = zipped(**{"[Content_Types].xml": b"x", "xl/worksheets/sheet1.xml": bytes(10**7)})
    for content in (bomb, lying_workbook()):
        with pytest.raises(TableError, match=r"t\.xlsx unpacks to more than 0 GB.*\.csv"):
            open_file(write("t.xlsx", content))


# Strange, but tables


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("a,b\n1e999,-1e999\n", {"a": [np.inf], "b": [-np.inf]}),
        ("__class__,__dict__\n1,2\n", {"__class__": [1], "__dict__": [2]}),
        ('"a\nb","c\x1b[2J\u202e"\n1,2\n', {"a\nb": [1], "c\x1b[2J\u202e": [2]}),
        ("a,b\n1,\x1b[2J\n", {"a": [1], "b": ["\x1b[2J"]}),
        ('a,b\n1,5" pipe\n2,6" pipe\n', {"a": [1, 2], "b": ['5" pipe', '6" pipe']}),
        ("a,b\n=1+1,@SUM(1)\n", {"a": ["=1+1"], "b": ["@SUM(1)"]}),
        ("a,b\n1,{separator}\n", {"a": [1], "b": ["{separator}"]}),
        ("x\n" + "9" * 400 + "\n", {"x": ["9" * 400]}),
    ],
)
@pytest.mark.parametrize("stream", [False, True])
def test_what_is_strange_is_read_as_it_is(write, values, content, expected, stream):
    table = open_file(write("t.csv", content), stream=stream)
    assert values(table) == expected
    assert all(note == plain(note, 10**6) for note in table.notes)


def test_names_in_messages_cannot_move_the_cursor(write):
    table = open_file(write("t.csv", '"a\x1b[2J\nb",c\n1,2\n'))
    with pytest.raises(TableError) as error:
        table.chunks(["zzz"])
    assert "\x1b" not in str(error.value) and "\n" not in str(error.value)
    with pytest.raises(FileNotFoundError) as missing:
        open_file("no\x1b[2J.csv")
    assert "\x1b" not in str(missing.value)


def test_cells_of_random_bytes_never_bring_another_library_down(write, rng):
    for _ in range(30):
        alphabet = rng.choice([b'ab1,"\n', b"1.5;\n\r\t ,", bytes(range(1, 256))])
        content = bytes(rng.choice(np.frombuffer(alphabet, np.uint8), rng.integers(1, 3000)))
        try:
            fold_chunks(open_file(write("t.csv", content)), int, lambda n, chunk: n + 1)
        except TableError as error:
            assert "\n" not in str(error)
