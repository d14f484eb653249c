"""Models and states are saved and loaded whole, or refused with a reason."""

import copy
import os
import stat
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest

import lowdim
from lowdim.core.persistence import LoadError, files, load, read_state, save_model, write_state
from tests.core.persistence.handmade import (
    Toy,
    document,
    fail,
    npy,
    refused,
    same,
    write_tree,
    write_zip,
)


def test_file_made_by_hand_loads(path):
    write_zip(
        path,
        {
            "header": {"format": 1, "lowdim": "0.1", "class": "Toy"},
            "tree": {
                "$": "estimator",
                "name": "Toy",
                "parameters": {"size": 3},
                "attributes": {"mean_": {"$": "array", "entry": "0.npy"}, "_n_features_out": 2},
            },
        },
        {"0.npy": npy(np.array([1.0, 4.0]))},
    )
    model = load(path)
    assert (model.size, model.start, model.spread_, model._n_features_out) == (3, None, 3.0, 2)


def test_header_comes_back_with_format_and_version(path):
    write_state(path, {"for": "test", "format": 9, "A": np.ones(2)}, None)
    header, tree = read_state(path)
    expected = {"format": 1, "lowdim": lowdim.__version__, "for": "test", "A": np.ones(2)}
    assert same(header, expected) and tree is None


def test_same_model_gives_the_same_bytes(tmp_path, rng):
    model = Toy(random_state=np.random.default_rng(0)).fit(rng.normal(size=(5, 3)))
    save_model(model, tmp_path / "a")
    save_model(copy.deepcopy(model), tmp_path / "b")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_reading_takes_the_memory_of_the_arrays_and_writing_next_to_none(path):
    tree = {"A": np.ones((2000, 1000)), "B": np.asfortranarray(np.ones((2000, 1000)))}  # 32 MB
    tracemalloc.start()
    try:
        write_state(path, {}, tree)
        assert tracemalloc.get_traced_memory()[1] < 20e6  # NumPy writes through 16 MB
        tracemalloc.reset_peak()
        read_state(path)
        assert tracemalloc.get_traced_memory()[1] < 32e6 + 2e6
    finally:
        tracemalloc.stop()


# ---- a file appears complete or not at all -------------------------------------------------------


@pytest.mark.parametrize(
    "step", ["os.replace", "os.fsync", "numpy.lib.format.write_array", "zipfile.ZipFile.writestr"]
)
def test_failed_save_keeps_the_old_file_and_leaves_nothing_behind(path, monkeypatch, step):
    save_model(Toy(1).fit(np.ones((2, 2))), path)
    with monkeypatch.context() as patch:
        patch.setattr(step, fail)
        with pytest.raises(KeyboardInterrupt):
            save_model(Toy(2).fit(np.ones((2, 2))), path)
    assert [file.name for file in path.parent.iterdir()] == ["a.lowdim"]
    assert load(path).size == 1


def test_what_cannot_be_saved_touches_no_file(path):
    save_model(Toy(1), path)
    with pytest.raises(TypeError):
        save_model(Toy(print), path)
    assert [file.name for file in path.parent.iterdir()] == ["a.lowdim"]
    assert load(path).size == 1


def test_new_file_is_beside_the_old_one_until_it_is_complete(path, monkeypatch):
    write_state(path, {}, 1)
    replace = os.replace

    def check_and_replace(source, target):
        assert Path(source).parent == path.parent and read_state(source)[1] == 2
        assert read_state(path)[1] == 1
        replace(source, target)

    monkeypatch.setattr(os, "replace", check_and_replace)
    write_state(path, {}, 2)
    assert read_state(path)[1] == 2


@pytest.mark.skipif(os.name == "nt", reason="POSIX permissions and links")
def test_permissions_and_links_stay(path):
    write_state(path, {}, 1)
    mode = stat.S_IMODE(path.stat().st_mode)
    plain_file = path.with_name("plain")
    plain_file.touch()
    assert mode == stat.S_IMODE(plain_file.stat().st_mode)  # as the umask has it

    path.chmod(0o600)
    link = path.with_name("link")
    link.symlink_to(path)
    write_state(link, {}, 2)
    assert link.is_symlink() and read_state(path)[1] == 2
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_folders_are_refused_before_anything_is_written(tmp_path):
    with pytest.raises(IsADirectoryError, match="cannot save: this is not a regular file"):
        write_state(tmp_path, {}, 1)
    with pytest.raises(FileNotFoundError, match=r"cannot save: there is no such folder.*nowhere"):
        write_state(tmp_path / "nowhere" / "a", {}, 1)
    with pytest.raises(OSError, match="cannot save: this is not a regular file"):
        write_state("/dev/null", {}, 1)
    assert list(tmp_path.iterdir()) == []


# ---- the door ------------------------------------------------------------------------------------


def test_error_says_what_to_do(path):
    with pytest.raises(TypeError, match="set it to None before saving and set it again after"):
        save_model(Toy(print), path)


def test_only_estimators_are_models(path):
    with pytest.raises(TypeError, match=r"model=\[1\] is a list; choose an estimator of lowdim"):
        save_model([1], path)


def test_load_error_is_a_value_error_that_lowdim_exports():
    assert issubclass(LoadError, ValueError)
    assert lowdim.LoadError is LoadError and lowdim.load is load


def test_missing_file_folder_and_pipe(tmp_path):
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "nothing")
    refused(tmp_path, "it is not a regular file")
    os.mkfifo(tmp_path / "pipe")
    refused(tmp_path / "pipe", "it is not a regular file")


LONG = "x" * 10**5


@pytest.mark.parametrize(
    "tree",
    [
        {LONG: {"$": 0}},
        {"$": "array", "entry": LONG},
        {"$": "scalar", "dtype": LONG, "hex": ""},
        {"$": "estimator", "name": LONG, "parameters": {}, "attributes": {}},
        {"$": "estimator", "name": "Toy", "parameters": {LONG: 1}, "attributes": {}},
        {"$": "estimator", "name": "Toy", "parameters": {}, "attributes": {LONG + "!": 1}},
        {"$": "namedtuple", "name": LONG, "fields": {}},
        {
            "$": "compressed",
            **dict.fromkeys(["data", "indices", "indptr"], 0),
            "name": LONG,
            "shape": [],
        },
    ],
)
def test_message_is_short_whatever_the_file_holds(path, tree):
    write_tree(path, tree)
    refused(path, "cannot load")
    write_zip(path, document(1, lowdim=LONG, format=2))
    refused(path, "cannot load")
    write_zip(path, document(1), {LONG[:60000]: b""}, compression=zipfile.ZIP_DEFLATED)
    refused(path, "cannot load")


@pytest.mark.parametrize(
    "raw", [b"", b"PK", b"\x80\x04N.", b"a,b\n1,2\n", bytes(1000), b"PK\3\4" * 99]
)
def test_other_files_are_not_lowdim_files(path, raw):
    path.write_bytes(raw)
    refused(path, "it is not a lowdim file, or damaged.* Use an undamaged file that lowdim wrote")


def test_state_is_not_a_model(path):
    for tree, name in [({"a": 1}, "dict"), (Toy(), "Other"), (Toy(), None)]:
        write_state(path, {"class": name}, tree)
        refused(path, "it holds the state of a fit or other data, not a model", load)
    write_state(path, {}, Toy())
    refused(path, "it holds the state of a fit or other data, not a model", load)


def test_file_that_is_cut_while_it_is_read_is_refused(path, monkeypatch):
    write_state(path, {}, np.zeros(10**5))
    parsed = files.parsed

    def cut_and_parse(text):
        os.truncate(path, 5000)
        return parsed(text)

    monkeypatch.setattr(files, "parsed", cut_and_parse)
    refused(path, "0.npy ends too early")
