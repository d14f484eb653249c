"""Tables are written to every kind of file, complete or not at all, and never over what is read."""

import gc
import io
import os
import resource
import sys

import numpy as np
import pandas as pd
import pytest

from lowdim.tables.errors import TableError
from lowdim.tables.writing import WRITABLE, check_outputs, open_writer, write_table
from tests.tables.writing.files import ENDINGS, numbers_in, written

# ---- every kind of file --------------------------------------------------------------------------


@pytest.mark.parametrize("ending", [ending for ending in ENDINGS if ending != ".xlsx"])
def test_equal_tables_give_equal_bytes(ending, tmp_path):  # .xlsx: but for the time of writing
    for name in ("one", "two"):
        write_table(np.eye(3), name + ending)
    one, two = ((tmp_path / f"{name}{ending}").read_bytes() for name in ("one", "two"))
    assert one == two
    assert not ending.endswith(".gz") or one[4:8] == bytes(4)  # no time


# ---- standard output -----------------------------------------------------------------------------


def test_a_minus_is_csv_on_standard_output_after_what_was_printed(monkeypatch):
    output = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(output, "ascii"))
    print("before")
    with open_writer("-", digits={"a": 1}) as writer:
        writer.write(pd.DataFrame({"a": [1.0], "é": ["x"]}))
    print("after", flush=True)
    assert output.getvalue() == "before\na,é\n1.0,x\nafter\n".encode()
    assert os.listdir() == []


def test_a_reader_that_goes_away_is_a_broken_pipe(monkeypatch):
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "w", closefd=True) as pipe:
        monkeypatch.setattr(sys, "stdout", pipe)
        with pytest.raises(BrokenPipeError):
            write_table(np.zeros((20_000, 5)), "-")
        os.dup2(os.open(os.devnull, os.O_WRONLY), writing)  # for what is still in the buffer


# ---- complete or not at all ----------------------------------------------------------------------


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_after_an_exception_all_is_as_it_was(tmp_path, ending, error, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    path = tmp_path / f"t{ending}"
    path.write_text("what was there")
    for n_chunks in (0, 2):
        with pytest.raises(error), open_writer(path.name) as writer:
            for _ in range(n_chunks):
                writer.write(np.zeros((2, 1)), ["a"])
            raise error
        assert os.listdir(tmp_path) == [path.name]
        assert path.read_text() == "what was there"


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("at_the_end", [False, True])
def test_a_full_disk_leaves_all_as_it_was(tmp_path, rng, ending, at_the_end, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    path = tmp_path / f"t{ending}"
    path.write_text("what was there")
    X = rng.normal(size=(2000, 2))
    gc.freeze()  # what is there already need not be looked at
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        with pytest.raises(OSError, match="too large"), open_writer(path.name) as writer:
            writer.write(X[:20])
            resource.setrlimit(resource.RLIMIT_FSIZE, (50 if at_the_end else 9000, limits[1]))
            for _ in range(0 if at_the_end else 30):
                writer.write(X)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    gc.collect()  # nobody tries again
    assert os.listdir(tmp_path) == [path.name]
    assert path.read_text() == "what was there"


@pytest.mark.parametrize("ending", ENDINGS)
def test_of_two_writers_at_once_the_last_one_to_end_stays(tmp_path, ending):
    path = f"t{ending}"
    with open_writer(path) as first:
        first.write(np.full((2, 2), 1.5))
        with open_writer(path) as second:
            second.write(np.full((1, 2), 2.5))
        first.write(np.full((1, 2), 1.5))
        assert (numbers_in(path) == 2.5).all()
    assert (numbers_in(path) == np.full((3, 2), 1.5)).all()
    assert os.listdir(tmp_path) == [path]


def test_a_link_stays_and_the_file_behind_it_is_written(tmp_path):
    (tmp_path / "link.csv").symlink_to("behind.csv")
    written(pd.DataFrame({"a": [1]}), "link.csv")
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "behind.csv").read_text() == "a\n1\n"


def test_a_link_planted_in_place_of_the_temporary_file_is_not_followed(tmp_path, monkeypatch):
    from lowdim.core import atomic

    monkeypatch.setattr(atomic.secrets, "token_hex", lambda n: "0" * 2 * n)
    (tmp_path / "victim").write_text("precious")
    (tmp_path / atomic._own_name()).symlink_to("victim")
    with pytest.raises(FileExistsError):
        write_table(np.eye(2), "t.csv")
    assert (tmp_path / "victim").read_text() == "precious"
    assert not (tmp_path / "t.csv").exists()


# ---- before any work: check_outputs --------------------------------------------------------------


def refused(message, outputs, inputs=(), **options):
    with pytest.raises(TableError, match=message) as caught:
        check_outputs(outputs, inputs, **options)
    return caught.value


def test_outputs_that_can_be_written_pass(tmp_path):
    (tmp_path / "in.csv").touch()
    (tmp_path / "old.csv").touch()
    (tmp_path / "parts").mkdir()
    outputs = {"output": "old.csv", "filled": "NEW.Parquet", "model": "m.any", "plot": None}
    inputs = ["in.csv", None, "-", "nowhere.csv", "parts", "parts-*.csv"]
    check_outputs(outputs, inputs, kinds={"model": ()})
    check_outputs({"output": "-", "model": "-.lowdim"}, ["-"], {"model": ()})
    check_outputs({"page": "p.html"}, [], {"page": (".html", ".htm")})
    for ending in WRITABLE:
        check_outputs({"output": f"t{ending.upper()}"}, [])
    assert sorted(os.listdir()) == ["in.csv", "old.csv", "parts"]


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("t.doc", r"t\.doc ends in '\.doc', which cannot be written\. End output=\.\.\. in \.csv,"),
        ("t", "t has no ending that says how to write it"),
        ("t.parquet.gz", r"ends in '\.parquet\.gz'"),
        ("t.gz", r"ends in '\.gz'"),
        (".csv", "has no ending"),
        ("nowhere/t.csv", "There is no folder .*nowhere to write t.csv to. Create it"),
        ("folder.csv", "folder.csv is a folder. Name a file in it for output="),
        ("new.csv/", "is a folder"),
        ("pipe.csv", "pipe.csv is not a regular file"),
        ("loop.csv", "loop.csv is not a regular file"),
        ("dangling.csv", "There is no folder .*nowhere to write"),
        ("t\x1b[2J.doc", "t\ufffd"),
    ],
)
def test_outputs_that_cannot_be_written_are_refused(tmp_path, path, message):
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "loop.csv").symlink_to("loop.csv")
    (tmp_path / "dangling.csv").symlink_to("nowhere/t.csv")
    os.mkfifo(tmp_path / "pipe.csv")
    error = refused(message, {"output": path})
    assert "--output" in error.for_command_line() and "\n" not in str(error)


def test_outputs_of_other_kinds_have_their_own_endings():
    kinds = {"page": (".html", ".htm")}
    error = refused(
        r"ends in '\.csv', .* End page=\.\.\. in \.html, \.htm\.", {"page": "t.csv"}, kinds=kinds
    )
    assert error.for_command_line().endswith("End --page in .html, .htm.")
    refused("Only csv can be written to standard output", {"page": "-"}, kinds=kinds)


def test_folders_and_files_that_are_read_only_are_refused(tmp_path, monkeypatch):
    (tmp_path / "t.csv").touch()

    def access(path, mode):
        return os.path.isdir(path) != refuse_folders

    monkeypatch.setattr(os, "access", access)
    refuse_folders = True
    refused("The folder .* cannot be written to", {"output": "t.csv"})
    refuse_folders = False
    refused("t.csv is read-only", {"output": "t.csv"})


SPELLINGS = ["in.csv", "./in.csv", "folder/../in.csv", "link.csv", "hard.csv", "linked/in.csv"]


@pytest.mark.parametrize("absolute", [False, True])
@pytest.mark.parametrize("output", SPELLINGS)
@pytest.mark.parametrize("source", SPELLINGS)
def test_no_output_is_over_an_input_however_it_is_spelled(tmp_path, output, source, absolute):
    (tmp_path / "in.csv").write_text("a\n1\n")
    (tmp_path / "folder").mkdir()
    (tmp_path / "link.csv").symlink_to("in.csv")
    (tmp_path / "hard.csv").hardlink_to("in.csv")
    (tmp_path / "linked").symlink_to(".")
    output = str(tmp_path / output) if absolute else output
    error = refused("is read.*; writing it would destroy it", {"save": output}, ["x", source])
    assert error.cure == "Choose another file for {save}."


def test_files_of_folders_and_patterns_that_are_read_are_inputs(tmp_path):
    (tmp_path / "parts" / "deep").mkdir(parents=True)
    for name in ("a.csv", "deep/b.csv"):
        (tmp_path / "parts" / name).touch()
    for source in ("parts", "./parts/", "parts/*.csv", "p*/a.csv"):
        refused(r"a.csv is read \(as ", {"output": "parts/a.csv"}, [source])
    refused("is read", {"output": "parts/deep/b.csv"}, ["parts"])
    check_outputs({"output": "parts/new.csv"}, ["parts", "parts/*.csv"])
    check_outputs({"output": "parts/deep/b.csv"}, ["parts/*.csv"])


@pytest.mark.parametrize("exists", [False, True])
@pytest.mark.parametrize(
    "other", ["t.csv", "./t.csv", "folder/../t.csv", "linked/t.csv", "link.csv"]
)
def test_no_two_outputs_are_the_same_file(tmp_path, exists, other):
    (tmp_path / "folder").mkdir()
    (tmp_path / "linked").symlink_to(".")
    (tmp_path / "link.csv").symlink_to("t.csv")
    if exists:
        (tmp_path / "t.csv").touch()
    refused(
        r"would be written twice\. Choose different files for output=\.\.\. and filled=\.\.\.",
        {"output": "t.csv", "model": None, "filled": other},
    )


def test_standard_output_takes_one_table():
    refused("- would be written twice", {"output": "-", "filled": "-"})


# ---- the door ------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["t.doc", "t", "t.npy.gz"])
def test_endings_that_cannot_be_written_are_refused(tmp_path, path):
    with pytest.raises(TableError, match=r"End path=\.\.\. in \.csv, \.tsv"):
        write_table(np.eye(2), path)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(("name", "path"), [("pyarrow", "t.csv"), ("xlsxwriter", "t.xlsx")])
def test_a_missing_library_is_named_before_any_work(monkeypatch, name, path):
    monkeypatch.setitem(sys.modules, name, None)
    message = rf'Writing {path} needs {name}: pip install "lowdim\[io\]"'
    with pytest.raises(ImportError, match=message):
        check_outputs({"output": path}, [])
    with pytest.raises(ImportError, match=message):
        write_table(np.eye(2), path)
    check_outputs({"model": path}, [], {"model": ()})


def test_matrices_need_no_other_library(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    check_outputs({"output": "t.npy"}, [])
    write_table(np.eye(2), "t.npy")
    write_table(np.eye(2), "t.npz")
    with pytest.raises(ImportError, match=r"pip install \"lowdim\[io\]\""):
        write_table(pd.DataFrame({"a": [1]}), "t.npy")
