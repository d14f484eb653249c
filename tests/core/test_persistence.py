"""What is saved comes back bit for bit, and no file, however made, does harm."""

import copy
import io
import json
import os
import pickle
import runpy
import stat
import struct
import sys
import tempfile
import time
import tracemalloc
import zipfile
from collections import namedtuple
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.base import BaseEstimator

import lowdim
from lowdim.core.blocks import Top
from lowdim.core.persistence import (
    LoadError,
    archive,
    files,
    load,
    models,
    read_state,
    save_model,
    values,
    write_state,
)

FIXTURES = Path(__file__).parent.parent / "fixtures"
SPARSE = ["csr_array", "csr_matrix", "csc_array", "csc_matrix", "coo_array", "coo_matrix"]
BIT_GENERATORS = ["MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64"]


class Toy(BaseEstimator):
    """An estimator as those of lowdim: parameters, learned attributes, a method, a property."""

    settled = True

    def __init__(self, size=1, *, start=None, random_state=None):
        self.size = size
        self.start = start
        self.random_state = random_state

    def fit(self, X):
        self.mean_ = X.mean(axis=0)
        self._n_features_out = X.shape[1]
        return self

    @property
    def spread_(self):
        return float(np.ptp(self.mean_))


class Required(BaseEstimator):
    def __init__(self, inner):
        self.inner = inner


@pytest.fixture(autouse=True)
def known_estimators(monkeypatch):
    known = {"Toy": Toy, "Required": Required}
    monkeypatch.setattr("lowdim.core.persistence.models.public_model", known.get)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "a.lowdim"


def same(a, b):
    """Equal to the last bit, and of the same types all the way down."""
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, np.ndarray) and a.dtype == object:
        return a.shape == b.shape and a.tolist() == b.tolist()
    if isinstance(a, np.ndarray | np.generic):
        return (a.dtype, a.shape, a.tobytes()) == (b.dtype, b.shape, b.tobytes())
    if sp.issparse(a):
        arrays = ["data", "row", "col"] if a.format == "coo" else ["data", "indices", "indptr"]
        return a.shape == b.shape and all(same(getattr(a, x), getattr(b, x)) for x in arrays)
    if isinstance(a, np.random.Generator):
        return same(a.bit_generator.state, b.bit_generator.state)
    if isinstance(a, np.random.RandomState):
        return same(a.get_state(legacy=False), b.get_state(legacy=False))
    if isinstance(a, BaseEstimator):
        return same(vars(a), vars(b))
    if isinstance(a, float):
        return struct.pack("d", a) == struct.pack("d", b)
    return a == b


def round_trip(tree):
    with tempfile.TemporaryDirectory() as folder:
        write_state(Path(folder) / "tree", {}, tree)
        return read_state(Path(folder) / "tree")[1]


def npy(array, **header):
    """The bytes of a .npy file; with other words in its header, if given."""
    file = io.BytesIO()
    np.save(file, array)
    raw = file.getvalue()
    for old, new in header.values():
        assert old in raw
        raw = raw.replace(old, new)
        raw = raw[:8] + struct.pack("<H", raw.index(b"\n") - 9) + raw[10:]
    return raw


def write_zip(path, document, entries=None, **options):
    """A file as lowdim writes them, but with any document and any entries."""
    with zipfile.ZipFile(path, "w", **options) as archive:
        text = document if isinstance(document, str | bytes) else json.dumps(document)
        archive.writestr("lowdim.json", text)
        for name, raw in (entries or {}).items():
            archive.writestr(name, raw)


def document(tree, **header):
    return {"header": {"format": 1, "lowdim": "0.1", **header}, "tree": tree}


def write_tree(path, tree, *arrays):
    """A file with this JSON as its tree, and with these entries 0.npy, 1.npy ..."""
    entries = {
        f"{i}.npy": array if isinstance(array, bytes) else npy(array)
        for i, array in enumerate(arrays)
    }
    write_zip(path, document(tree), entries)


def array_node(i):
    return {"$": "array", "entry": f"{i}.npy"}


# ---- golden values -------------------------------------------------------------------------------


def test_document_is_the_json_of_the_specification(path):
    tree = {"a": [1, 2.5, None, True, "é"], "$b": (2**64,), "c": np.zeros(2), "d": -np.inf}
    write_state(path, {"for": "test"}, tree)
    with zipfile.ZipFile(path) as archive:
        text = archive.read("lowdim.json").decode("ascii")
        assert archive.namelist() == ["lowdim.json", "0.npy"]
    assert text == (
        '{"header":{"format":1,"lowdim":"VERSION","for":"test"},"tree":{'
        '"a":[1,2.5,null,true,"\\u00e9"],'
        '"$$b":{"$":"tuple","items":[{"$":"int","hex":"0x10000000000000000"}]},'
        '"c":{"$":"array","entry":"0.npy"},'
        '"d":{"$":"float","hex":"fff0000000000000"}}}'
    ).replace("VERSION", lowdim.__version__)


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


def test_arrays_can_be_read_with_numpy_alone(path, rng):
    tree = {"A": rng.normal(size=(3, 4)), "B": np.asfortranarray(rng.normal(size=(3, 4)))}
    write_state(path, {}, tree)
    with np.load(path, allow_pickle=False) as archive:
        assert np.array_equal(archive["0"], tree["A"])
        assert np.array_equal(archive["1"], tree["B"])


# ---- what is written comes back ------------------------------------------------------------------

dtypes = st.one_of(
    hnp.boolean_dtypes(),
    hnp.integer_dtypes(),
    hnp.unsigned_integer_dtypes(),
    hnp.floating_dtypes(),
    hnp.complex_number_dtypes(),
    hnp.datetime64_dtypes(),
    hnp.timedelta64_dtypes(),
    hnp.unicode_string_dtypes(),
)
shapes = hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4)
arrays = dtypes.flatmap(lambda dtype: hnp.arrays(dtype, shapes))


@st.composite
def text_arrays(draw):
    array = np.empty(draw(shapes), dtype=object)
    for index in np.ndindex(array.shape):
        array[index] = draw(st.text(max_size=4))
    return array


@st.composite
def sparse_arrays(draw):
    cls = getattr(sp, draw(st.sampled_from(SPARSE)))
    dtype = draw(st.sampled_from([bool, np.int8, np.float32, np.float64, complex]))
    return cls(draw(hnp.arrays(dtype, hnp.array_shapes(min_dims=2, max_dims=2, max_side=5))))


@st.composite
def generators(draw):
    bits = getattr(np.random, draw(st.sampled_from(BIT_GENERATORS)))
    generator = draw(st.sampled_from([np.random.Generator, np.random.RandomState]))(
        bits(draw(st.integers(0, 2**128)))
    )
    generator.standard_normal(draw(st.integers(0, 3)))
    return generator


plain = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
leaves = (
    plain
    | arrays
    | arrays.filter(np.size).map(lambda array: array.flat[0])  # NumPy scalars
    | text_arrays()
    | sparse_arrays()
    | generators()
    | st.builds(Toy, st.integers(), start=arrays)
    | st.builds(Top, arrays, arrays, plain)
)
trees = st.recursive(
    leaves,
    lambda children: (
        st.lists(children, max_size=4)
        | st.lists(children, max_size=3).map(tuple)
        | st.dictionaries(st.text(max_size=3) | st.just("$"), children, max_size=4)
    ),
    max_leaves=10,
)


@given(trees)
def test_every_tree_comes_back(tree):
    assert same(round_trip(tree), tree)


@pytest.mark.parametrize("bits", [0x7FF8000000000000, 0xFFF8000000000001, 0x7FF0000000000123])
def test_every_nan_keeps_its_bits(bits):
    (value,) = struct.unpack("d", struct.pack("Q", bits))
    tree = [value, np.float64(value), np.array([value])]
    assert same(round_trip(tree), tree)


def test_order_of_memory_is_kept_and_views_are_written_by_value(tmp_path, rng):
    A = rng.normal(size=(4, 6))
    mapped = np.lib.format.open_memmap(tmp_path / "A.npy", mode="w+", shape=A.shape)
    mapped[:] = A
    read_only = A.copy()
    read_only.flags.writeable = False
    for array in (A, np.asfortranarray(A), A.T, A[::2, ::-3], read_only, mapped, mapped[1:]):
        again = round_trip(array)
        assert np.array_equal(again, array)
        assert again.flags.f_contiguous == (array.flags.f_contiguous or again.ndim < 2)
        assert type(again) is np.ndarray
        assert again.flags.owndata and again.flags.writeable and again.flags.aligned


@pytest.mark.parametrize("name", SPARSE)
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_sparse_arrays_are_kept_as_they_are(name, index):
    if name.startswith("coo"):
        names = ["row", "col"]
        matrix = getattr(sp, name)(([1.0, 2.0, 3.0], ([0, 2, 0], [3, 1, 3])), shape=(3, 4))
        matrix.coords = matrix.row.astype(index), matrix.col.astype(index)
    else:
        names = ["indices", "indptr"]  # with unsorted and repeated indices
        matrix = getattr(sp, name)((3, 4) if name.startswith("csr") else (4, 3))
        matrix.data = np.array([1.0, 2.0, 3.0])
        matrix.indices = np.array([3, 1, 3], dtype=index)
        matrix.indptr = np.array([0, 2, 2, 3], dtype=index)
    again = round_trip(matrix)
    assert same(again, matrix)
    assert all(getattr(again, array).dtype == index for array in names)
    assert np.array_equal(again.toarray(), matrix.toarray())


def test_room_to_spare_in_a_sparse_matrix_is_not_written():
    matrix = sp.csr_array(np.eye(3))
    matrix.data, matrix.indices = np.append(matrix.data, [7, 7]), np.append(matrix.indices, [9, 9])
    again = round_trip(matrix)
    assert len(again.data) == 3
    assert np.array_equal(again.toarray(), np.eye(3))


@pytest.mark.parametrize("bits", BIT_GENERATORS)
def test_generators_go_on_where_they_were(bits, seed):
    generator = np.random.Generator(getattr(np.random, bits)(seed))
    generator.integers(9, dtype=np.int32)  # half of a 64-bit draw is left over
    generator.spawn(2)
    again = round_trip(generator)
    assert np.array_equal(
        again.integers(9, size=7, dtype=np.int32), generator.integers(9, size=7, dtype=np.int32)
    )
    assert np.array_equal(again.normal(size=7), generator.normal(size=7))
    for child, expected in zip(again.spawn(2), generator.spawn(2), strict=True):
        assert same(child, expected)


@pytest.mark.parametrize("bits", BIT_GENERATORS)
def test_random_states_go_on_where_they_were(bits, seed):
    random_state = np.random.RandomState(getattr(np.random, bits)(seed))
    random_state.normal()  # its twin is left over
    again = round_trip(random_state)
    assert np.array_equal(again.normal(size=7), random_state.normal(size=7))


@pytest.mark.parametrize(
    "entropy", [7, 2**200, [1, 2], (3, 4), np.array([1, 2], np.uint64), np.int64(5)]
)
def test_seeds_go_on_where_they_were(entropy):
    seed = np.random.SeedSequence(entropy, spawn_key=(1, 2), pool_size=8)
    seed.spawn(3)
    again = round_trip(seed)
    assert same(again.state, seed.state)
    assert same(again.spawn(1)[0].generate_state(4), seed.spawn(1)[0].generate_state(4))


def test_generator_without_a_seed_sequence_comes_back():
    generator = np.random.Generator(np.random.RandomState(0)._bit_generator)
    assert generator.bit_generator.seed_seq is None
    assert np.array_equal(round_trip(generator).normal(size=3), generator.normal(size=3))


def test_named_tuples_of_lowdim_come_back():
    top = Top(np.arange(2), np.array([2.0, 1.0]), sp.csr_array(np.eye(2)))
    assert same(round_trip([top]), [top])


def test_field_added_to_a_named_tuple_gets_its_default(path, monkeypatch):
    new = namedtuple("Top", ["index", "score", "rows", "extra"], defaults=["nothing"])
    write_state(path, {}, Top(1, 2, 3))
    new.__module__ = "lowdim.core.blocks"
    monkeypatch.setattr("lowdim.core.blocks.Top", new)
    assert read_state(path)[1] == new(1, 2, 3, "nothing")


def test_model_comes_back_with_parameters_and_attributes(path, rng):
    model = Toy(5, start=Toy(2), random_state=np.random.RandomState(0)).fit(rng.normal(size=(5, 3)))
    model.start.fit(np.ones((2, 1), np.float32))
    model.feature_names_in_ = np.array(["a", "b", "c"], dtype=object)
    model._sklearn_output_config = {"transform": "pandas"}
    save_model(model, path)
    again = load(path)
    assert same(again, model)
    assert again.get_params().keys() == model.get_params().keys()


def test_model_that_is_not_fitted_can_be_saved(path):
    save_model(Toy(4), path)
    assert same(load(path), Toy(4))


def test_callbacks_are_no_part_of_the_model(path):
    model = Toy()
    model._skl_callbacks = [print]
    save_model(model, path)
    assert vars(load(path)) == vars(Toy())


def test_parameter_that_an_old_file_does_not_have_gets_its_default(path):
    node = {"$": "estimator", "name": "Toy", "parameters": {"size": 2}, "attributes": {}}
    write_zip(path, document(node, **{"class": "Toy"}))
    assert same(load(path), Toy(2, start=None, random_state=None))


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


def test_entries_with_the_headers_of_large_ones_are_read(path, monkeypatch, rng):
    monkeypatch.setattr(archive, "LARGE", 0)
    tree = [rng.normal(size=5), rng.normal(size=(2, 3))]
    write_state(path, {}, tree)
    assert path.read_bytes().count(b"\xff" * 8 + b"\5\0\x14\0") == 2  # sizes are in an extra field
    assert same(read_state(path)[1], tree)


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


def fail(*args, **kwargs):
    raise KeyboardInterrupt


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


# ---- the door: what cannot be saved --------------------------------------------------------------

Foreign = namedtuple("Foreign", ["a"])


class Subclass(Toy):
    pass


class HalfKnown(np.random.PCG64):
    pass


def endless():
    tree = []
    tree.append(tree)
    return tree


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (print, r"it is code \(print\)"),
        (Toy.fit, r"it is code \(Toy.fit\)"),
        (np.float32, r"it is code \(float32\)"),
        (object(), "it is a builtins.object"),
        ({1, 2}, "it is a builtins.set"),
        (b"raw", "it is a builtins.bytes"),
        (1j, "it is a builtins.complex"),
        (Path("a"), r"it is a pathlib"),
        (Foreign(1), "it is a .*Foreign, not a named tuple of lowdim"),
        (Subclass(), "Subclass is not an estimator that lowdim exports. Save a model of lowdim"),
        ({1: 2}, "it has a key of type int"),
        ("\ud800", "it is text with half of a surrogate pair"),
        ({"\ud800": 1}, "it is text with half of a surrogate pair"),
        (endless(), "it is more than 100 levels deep"),
        (np.array(["a", 1], object), "it is an array of dtype object that holds more than text"),
        (np.array([("a", 1)], "U1,i4"), r"it is an array of dtype .* that holds more than text"),
        (np.ones(2, np.longdouble), "it is an array of dtype (float128|float96)"),
        (np.ones(0, np.longdouble), "it is an array of dtype (float128|float96)"),
        (np.array(["a"], np.dtypes.StringDType()), "it is an array of dtype StringDType"),
        (np.longdouble(1), "it is a longdouble of dtype (float128|float96)"),
        (np.ma.ones(2), "it is a MaskedArray of dtype float64"),
        (np.array([b"a"]), "it is an array of dtype |S1"),
        (sp.lil_array((2, 2)), "it is a scipy.sparse._lil.lil_array"),
        (sp.coo_array(np.ones(3)), "it has 1 dimensions, not 2"),
        (
            np.random.Generator(HalfKnown()),
            "it draws from a HalfKnown, which is not one of NumPy's",
        ),
        (
            np.random.SeedSequence(1, pool_size=2000),
            "its entropy, spawn_key or pool_size is too large",
        ),
        (np.random.RandomState(HalfKnown()), "it draws from a HalfKnown, not one of NumPy's"),
        (
            np.random.SeedSequence(1, spawn_key=[1] * 2000),
            "its entropy, spawn_key or pool_size is too large",
        ),
        (np.random.SeedSequence([1] * 2000), "its entropy, spawn_key or pool_size is too large"),
    ],
)
def test_what_is_not_plain_data_is_refused_by_its_place(path, value, message):
    with pytest.raises(TypeError, match=message) as error:
        save_model(Toy(start={"inner": [0, value]}), path)
    assert str(error.value).startswith("cannot save Toy.parameters['start']['inner'][1]")
    model = Toy()
    model.learned_ = value
    with pytest.raises(TypeError, match=r"^cannot save Toy\.attributes\['learned_'\].*" + message):
        save_model(model, path)
    with pytest.raises(TypeError, match=r"^cannot save tree\[0\].*" + message):
        write_state(path, {}, [value])
    with pytest.raises(TypeError, match=r"^cannot save header\['x'\].*" + message):
        write_state(path, {"x": value}, None)
    assert not path.exists()


def test_error_says_what_to_do(path):
    with pytest.raises(TypeError, match="set it to None before saving and set it again after"):
        save_model(Toy(print), path)


@pytest.mark.parametrize(
    "name", ["fit", "settled", "spread_", "__class__", "__len__", "not a name"]
)
def test_attribute_that_would_not_load_is_not_saved(path, name):
    model = Toy()
    vars(model)[name] = 1
    with pytest.raises(TypeError, match=f"Toy cannot have an attribute '{name}'. Delete it"):
        save_model(model, path)


def test_only_estimators_are_models(path):
    with pytest.raises(TypeError, match=r"model=\[1\] is a list; choose an estimator of lowdim"):
        save_model([1], path)


# ---- the door: files that cannot be loaded -------------------------------------------------------


def refused(path, message, reader=read_state):
    with pytest.raises(LoadError, match=message) as error:
        reader(path)
    text = str(error.value)
    assert text.startswith(f"cannot load {str(path)!r}: ")
    assert text.endswith(".") and len(text) < 500 + len(str(path))


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


def test_newer_format_asks_for_an_upgrade(path):
    write_zip(path, {"header": {"format": 2, "lowdim": "9.1"}, "new": {}}, {"what": b"ever"})
    refused(
        path,
        rf"it was written by lowdim 9.1, format 2; this is lowdim {lowdim.__version__}, "
        "which reads formats up to 1. Upgrade lowdim",
    )


def test_state_is_not_a_model(path):
    for tree, name in [({"a": 1}, "dict"), (Toy(), "Other"), (Toy(), None)]:
        write_state(path, {"class": name}, tree)
        refused(path, "it holds the state of a fit or other data, not a model", load)
    write_state(path, {}, Toy())
    refused(path, "it holds the state of a fit or other data, not a model", load)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "lowdim.json is not JSON"),
        ("{", "lowdim.json is not JSON"),
        ("[" * 10**6, "it is nested too deeply"),
        ('{"a":' * 10**6, "it is nested too deeply"),
        (b"\xff\xfe{}", "lowdim.json is not UTF-8"),
        (json.dumps(document(1)).encode("utf-16"), "lowdim.json is not UTF-8"),
        ("[]", "lowdim.json has no header"),
        ("{}", "lowdim.json has no header"),
        ('{"header":{}}', "does not say in what format"),
        ('{"header":{"format":true,"lowdim":"1"}}', "does not say in what format"),
        ('{"header":{"format":0,"lowdim":"1"}}', "does not say in what format"),
        ('{"header":{"format":1,"lowdim":1}}', "does not say in what format"),
        ('{"header":{"format":1,"lowdim":"1"}}', "more than header and tree"),
        ('{"header":{"format":1,"lowdim":"1"},"tree":1,"x":1}', "more than header and tree"),
        ('{"header":{"format":1,"lowdim":"1","format":1},"tree":1}', "the same key twice"),
    ],
)
def test_wrong_documents(path, text, message):
    write_zip(path, text)
    refused(path, message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("NaN", "NaN, which is not JSON"),
        ("-Infinity", "-Infinity, which is not JSON"),
        ("1e999", "a number that is not a float"),
        ("0." + "1" * 10**6, "a number that is not a float"),
        ("1" * 10**6, "an integer of more than 53 bits"),
        ("[" * 150 + "]" * 150, "is more than 100 levels deep"),
        ('{"$":"tuple","items":[' * 60 + "]}" * 60, "is more than 100 levels deep"),
    ],
)
def test_wrong_numbers_and_depths(path, text, message):
    template = json.dumps(document("HERE"))
    write_zip(path, template.replace('"HERE"', text))
    refused(path, message)


def test_digits_are_limited_even_where_python_does_not_limit_them(path, monkeypatch):
    limit = sys.get_int_max_str_digits()
    write_zip(path, json.dumps(document("HERE")).replace('"HERE"', "7" * 10**7))
    sys.set_int_max_str_digits(0)
    try:
        started = time.perf_counter()
        refused(path, "an integer of more than 53 bits")
        assert time.perf_counter() - started < 5  # int("7" * 10**7) takes minutes
    finally:
        sys.set_int_max_str_digits(limit)


WRONG_NODES = [
    ({"$": None}, "does not know its kind of value"),
    ({"$": []}, "does not know its kind of value"),
    ({"$": "object", "class": "os.system"}, "does not know its kind of value"),
    ({"$": "tuple"}, "it has other fields than the kind 'tuple'"),
    ({"$": "tuple", "items": 1}, "its items is of type int"),
    ({"$": "tuple", "items": [], "x": 1}, "it has other fields than the kind 'tuple'"),
    ({"$": "array"}, "it has other fields than the kind 'array'"),
    ({"$": "array", "entry": 1}, "its entry is of type int"),
    ({"$": "array", "entry": "../x.npy"}, "it has no entry"),
    ({"$": "array", "entry": "lowdim.json"}, "it has no entry"),
    ({"$": "int", "hex": "12"}, "it is not a hexadecimal integer"),
    ({"$": "int", "hex": "0x_1"}, "it is not a hexadecimal integer"),
    ({"$": "float", "hex": "00"}, "it is not the 8 bytes of a float"),
    ({"$": "float", "hex": "00 00 00 00 00 00"}, "it is not the 8 bytes of a float"),
    ({"$": "scalar", "dtype": "<f8", "hex": "00"}, "it is not the 8 bytes of one <f8"),
    ({"$": "scalar", "dtype": "<f8", "hex": "zz" * 8}, "it is not the 8 bytes of one <f8"),
    ({"$": "scalar", "dtype": "|O", "hex": "00" * 8}, "does not write the dtype"),
    ({"$": "scalar", "dtype": "<f16", "hex": "00" * 16}, "does not write the dtype"),
    ({"$": "scalar", "dtype": "<U1", "hex": "ffffff7f"}, "a character is not in Unicode"),
    ({"$": "scalar", "dtype": "|b1", "hex": "02"}, "a boolean is neither 0 nor 1"),
    ({"$": "scalar", "dtype": "<M8[zz]", "hex": "00" * 8}, "there is no dtype"),
    ({"$": "text_array", "shape": [2], "items": ["a"]}, "1 strings do not fill its shape"),
    ({"$": "text_array", "shape": [1], "items": [1]}, "it holds more than text"),
    ({"$": "text_array", "shape": [-1, -1], "items": ["a"]}, "its shape is impossible"),
    ({"$": "text_array", "shape": [True], "items": ["a"]}, "its shape is impossible"),
    ({"$": "text_array", "shape": [1] * 65, "items": ["a"]}, "its shape is impossible"),
    ({"$": "text_array", "shape": [0, 2**52, 2**52], "items": []}, "its shape is impossible"),
    ({"$": "namedtuple", "name": "os.stat_result", "fields": {}}, "no such named tuple"),
    ({"$": "namedtuple", "name": "lowdim.core.blocks.np", "fields": {}}, "no such named tuple"),
    ({"$": "namedtuple", "name": "lowdim.core.blocks.Blocks", "fields": {}}, "no such named tuple"),
    ({"$": "namedtuple", "name": "lowdim.core.loop.Top", "fields": {}}, "no such named tuple"),
    ({"$": "namedtuple", "name": "lowdim.core.nothing.Top", "fields": {}}, "no such named tuple"),
    ({"$": "namedtuple", "name": "lowdim.cli.__main__.x", "fields": {}}, "no such named tuple"),
    ({"$": "namedtuple", "name": "lowdim..x", "fields": {}}, "no such named tuple"),
    ({"$": "namedtuple", "name": "lowdim.core.blocks.Top", "fields": {}}, "its fields are others"),
    (
        {
            "$": "namedtuple",
            "name": "lowdim.core.blocks.Top",
            "fields": {"index": 0, "score": 0, "rows": 0, "more": 0},
        },
        "its fields are others",
    ),
    (
        {"$": "estimator", "name": "Nope", "parameters": {}, "attributes": {}},
        "has no estimator 'Nope'",
    ),
    (
        {"$": "estimator", "name": "Toy", "parameters": {"self": 1}, "attributes": {}},
        "the parameters of Toy are others: size, start, random_state",
    ),
    (
        {"$": "estimator", "name": "Required", "parameters": {}, "attributes": {}},
        "the parameters of Required are others: inner",
    ),
    *(
        (
            {"$": "estimator", "name": "Toy", "parameters": {}, "attributes": {name: 1}},
            f"Toy cannot have an attribute '{name}'",
        )
        for name in [
            "fit",
            "size",
            "settled",
            "spread_",
            "__class__",
            "__dict__",
            "a b",
            "_skl_callbacks",
            "",
        ]
    ),
    ({"$": "generator", "state": {}, "seed": None}, "unknown bit generator"),
    ({"$": "generator", "state": {"bit_generator": "seed"}, "seed": None}, "unknown bit generator"),
    ({"$": "generator", "state": {"bit_generator": ["PCG64"]}, "seed": None}, "unknown bit gen"),
    (
        {"$": "generator", "state": {"bit_generator": "PCG64"}, "seed": None},
        "its state has other fi",
    ),
    (
        {"$": "generator", "state": {"bit_generator": "PCG64"}, "seed": 1},
        "its seed is something else",
    ),
    ({"$": "random_state", "state": {"bit_generator": "PCG64"}}, "its state has other fields"),
    *(
        (
            {"$": "seed", "entropy": 1, "spawn_key": [], "pool_size": 4, "n_children_spawned": 0}
            | field,
            "it is not a seed",
        )
        for field in [
            {"entropy": None},
            {"entropy": -1},
            {"entropy": 1.5},
            {"entropy": [[1]]},
            {"entropy": [1] * 1025},
            {"entropy": {"$": "int", "hex": "0x1" + "0" * 256}},
            {"spawn_key": ["a"]},
            {"pool_size": 2**40},
            {"pool_size": 0},
            {"n_children_spawned": -1},
            {"n_children_spawned": 2**32},
            {"entropy": [[1], [2, 3]]},
        ]
    ),
]


@pytest.mark.parametrize(("node", "message"), WRONG_NODES)
def test_wrong_values(path, node, message):
    write_tree(path, {"here": [copy.deepcopy(node)]})
    refused(path, message)
    with pytest.raises(LoadError, match=r"tree\['here'\]\[0\]: "):
        read_state(path)


def generator_node(bits, change):
    generator = np.random.Generator(getattr(np.random, bits)(0))
    state = generator.bit_generator.state
    change(state)
    arrays = []
    return {"$": "generator", "seed": None, "state": values.encode(state, arrays)}, arrays


@pytest.mark.parametrize(
    ("bits", "change", "message"),
    [
        # a position beyond the buffer would make NumPy read foreign memory
        ("MT19937", lambda s: s["state"].update(pos=625), "pos of its state is out of bounds"),
        ("MT19937", lambda s: s["state"].update(pos=-1), "pos of its state is out of bounds"),
        ("MT19937", lambda s: s["state"].update(pos=1.0), "pos of its state is of another type"),
        (
            "MT19937",
            lambda s: s["state"].update(key=np.ones(623, np.uint32)),
            r"key .* not \(624,\)",
        ),
        (
            "MT19937",
            lambda s: s["state"].update(key=np.ones(624)),
            r"key .* not \(624,\) of uint32",
        ),
        (
            "MT19937",
            lambda s: s["state"].update(key=[1] * 624),
            "key of its state is of another type",
        ),
        ("MT19937", lambda s: s["state"].update(key=np.zeros(624, np.uint32)), "its state is zero"),
        ("MT19937", lambda s: s.update(extra=1), "its state has other fields"),
        ("PCG64", lambda s: s["state"].update(inc=2), "its increment is even"),
        ("PCG64", lambda s: s["state"].update(state=2**128), "state of its state is out of bounds"),
        ("PCG64", lambda s: s["state"].update(state=-1), "state of its state is out of bounds"),
        ("PCG64DXSM", lambda s: s.update(has_uint32=2), "has_uint32 of its state is out of bounds"),
        ("PCG64", lambda s: s.update(uinteger=2**32), "uinteger of its state is out of bounds"),
        ("Philox", lambda s: s.update(buffer_pos=5), "buffer_pos of its state is out of bounds"),
        ("Philox", lambda s: s.update(buffer_pos=-1), "buffer_pos of its state is out of bounds"),
        ("Philox", lambda s: s.update(buffer=np.zeros(3, np.uint64)), r"buffer .* not \(4,\)"),
        (
            "SFC64",
            lambda s: s["state"].update(state=np.zeros(5, np.uint64)),
            r"state .* not \(4,\)",
        ),
    ],
)
def test_wrong_states_of_generators(path, bits, change, message):
    node, arrays = generator_node(bits, change)
    write_tree(path, node, *arrays)
    refused(path, message)


I32 = np.int32
GOOD_CSR = {
    "name": "csr_array",
    "shape": [2, 3],
    "data": np.ones(2),
    "indices": np.array([0, 2], I32),
    "indptr": np.array([0, 1, 2], I32),
}
GOOD_COO = {
    "name": "coo_matrix",
    "shape": [2, 3],
    "data": np.ones(2),
    "row": np.array([0, 1], I32),
    "col": np.array([0, 2], I32),
}


def sparse_file(path, fields):
    arrays = [value for value in fields.values() if isinstance(value, np.ndarray)]
    tag = "compressed" if "indptr" in fields else "coordinate"
    node = {"$": tag}
    for name, value in fields.items():
        is_array = isinstance(value, np.ndarray)
        node[name] = array_node([a is value for a in arrays].index(True)) if is_array else value
    write_tree(path, node, *arrays)


@pytest.mark.parametrize(
    ("good", "change", "message"),
    [
        (GOOD_CSR, {"indices": np.array([0, 3], I32)}, "an index is outside its shape"),
        (GOOD_CSR, {"indices": np.array([0, -1], I32)}, "an index is outside its shape"),
        (GOOD_CSR, {"name": "csc_array"}, "an index is outside its shape"),
        (GOOD_CSR, {"indices": np.array([0, 2], np.int16)}, "its indices are int16"),
        (GOOD_CSR, {"indices": np.array([0, 2], np.int64)}, "its indptr does not rise"),
        (GOOD_CSR, {"indices": np.array([0, 2, 1], I32)}, "one index for each number"),
        (GOOD_CSR, {"indices": np.array([[0, 2]], I32)}, "one index for each number"),
        (GOOD_CSR, {"indptr": np.array([0, 2, 1], I32)}, "its indptr does not rise"),
        (GOOD_CSR, {"indptr": np.array([0, 3, 2], I32)}, "its indptr does not rise"),
        (GOOD_CSR, {"indptr": np.array([1, 1, 2], I32)}, "its indptr does not rise"),
        (GOOD_CSR, {"indptr": np.array([0, 1, 1], I32)}, "its indptr does not rise"),
        (GOOD_CSR, {"indptr": np.array([0, 1, 9], I32)}, "its indptr does not rise"),
        (GOOD_CSR, {"indptr": np.array([0, 2], I32)}, "its indptr does not rise"),
        (GOOD_CSR, {"data": np.ones((2, 1))}, "its data are not a list of numbers"),
        (GOOD_CSR, {"data": np.array(["a", "b"])}, "its data are not a list of numbers"),
        (GOOD_CSR, {"shape": [2]}, "it has 1 dimensions, not 2"),
        (GOOD_CSR, {"shape": [2, -3]}, "its shape is impossible"),
        (GOOD_CSR, {"shape": [2, "3"]}, "its shape is impossible"),
        (GOOD_CSR, {"shape": [2, 2**40]}, "its indices are int32, which does not fit"),
        (GOOD_CSR, {"shape": [2**40, 3]}, "its indices are int32, which does not fit"),
        (GOOD_CSR, {"name": "dok_array"}, "unknown class of sparse matrices"),
        (GOOD_CSR, {"name": "coo_array"}, "unknown class of sparse matrices"),
        (GOOD_COO, {"row": np.array([0, 2], I32)}, "an index is outside its shape"),
        (GOOD_COO, {"col": np.array([-1, 2], I32)}, "an index is outside its shape"),
        (GOOD_COO, {"row": np.array([0], I32)}, "one index for each number"),
        (GOOD_COO, {"col": np.array([0.0, 1.0])}, "its indices are float64"),
    ],
)
def test_wrong_sparse_matrices(path, good, change, message):
    sparse_file(path, good)
    assert read_state(path)[1].sum() == 2
    sparse_file(path, good | change)
    refused(path, message)


def test_sparse_matrix_of_the_other_byte_order_is_turned(path):
    fields = {
        name: value.astype(value.dtype.newbyteorder()) if isinstance(value, np.ndarray) else value
        for name, value in GOOD_CSR.items()
    }
    sparse_file(path, fields)
    assert np.array_equal(read_state(path)[1].toarray(), [[1, 0, 0], [0, 0, 1]])


GOOD_NPY = np.arange(6.0).reshape(2, 3)
OBJECTS = io.BytesIO()
np.save(OBJECTS, np.array([{}], dtype=object), allow_pickle=True)


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"", "0.npy is not a .npy file"),
        (b"\x93NUMPY\x01\x00", "0.npy is not a .npy file"),
        (npy(GOOD_NPY)[:9], "0.npy is not a .npy file"),
        (npy(GOOD_NPY)[:50], "a .npy header that lowdim does not write"),
        (b"\x93NUMPY\x02\x00" + npy(GOOD_NPY)[8:], "0.npy is not a .npy file"),
        (npy(GOOD_NPY)[:-1], r"0.npy has 47 bytes of elements, which do not fill \(2, 3\)"),
        (npy(GOOD_NPY) + b"\0", r"0.npy has 49 bytes of elements"),
        (npy(GOOD_NPY, a=(b"(2, 3)", b"(9, 3)")), r"which do not fill \(9, 3\)"),
        (npy(GOOD_NPY, a=(b"(2, 3)", b"(-2, 3)")), "a .npy header that lowdim does not write"),
        (npy(GOOD_NPY, a=(b"(2, 3)", b"(True,)")), "a .npy header that lowdim does not write"),
        (npy(GOOD_NPY, a=(b"(2, 3)", b"(2**9,)")), "a .npy header that lowdim does not write"),
        (npy(GOOD_NPY, a=(b"(2, 3)", b"(1" + b", 1" * 64 + b")")), "its shape is impossible"),
        (npy(GOOD_NPY, a=(b"(2, 3)", b"(4000000000, 4000000000)")), "its shape is impossible"),
        (npy(GOOD_NPY, a=(b"(2, 3)", b"(" + b"9" * 5000 + b",)")), "lowdim does not write"),
        (npy(GOOD_NPY, a=(b"(2, 3)", b"(" * 5000)), "a .npy header that lowdim does not write"),
        (npy(GOOD_NPY, a=(b"(2, 3)", b"-" * 5000 + b"1")), "lowdim does not write"),
        (npy(GOOD_NPY, a=(b"(2, 3)", b"(" + b"1, " * 20000)), "lowdim does not write"),
        (npy(GOOD_NPY, a=(b"(2, 3)", b"(" + b"1" * 60000)), "lowdim does not write"),
        (npy(np.ones((0, 9)), a=(b"(0, 9)", b"(0, %d)" % 2**61)), "its shape is impossible"),
        (npy(GOOD_NPY, a=(b"'<f8'", b"'|O'")), "a .npy header that lowdim does not write"),
        (npy(GOOD_NPY, a=(b"'<f8'", b"'|V8'")), "a .npy header that lowdim does not write"),
        (npy(GOOD_NPY, a=(b"'<f8'", b"'<U0'")), "a .npy header that lowdim does not write"),
        (npy(GOOD_NPY, a=(b"'<f8'", b"[('a', '<f8')]")), "lowdim does not write"),
        (npy(GOOD_NPY, a=(b"'<f8'", b"'<U999999999'")), "there is no dtype"),
        (npy(GOOD_NPY, a=(b"'<f8'", b"'<m8[ab]'")), "there is no dtype"),
        (OBJECTS.getvalue(), "a .npy header that lowdim does not write"),
        (npy(np.array([2], np.uint8), a=(b"'|u1'", b"'|b1'")), "a boolean is neither 0 nor 1"),
        (
            npy(np.array([2**31], np.uint32), a=(b"'<u4'", b"'<U1'")),
            "a character is not in Unicode",
        ),
        (npy(np.array([1], np.uint32), a=(b"'<u4'", b"'>U1'")), "a character is not in Unicode"),
    ],
)
def test_wrong_arrays(path, raw, message):
    write_tree(path, array_node(0), raw)
    started = time.perf_counter()
    refused(path, message)
    assert time.perf_counter() - started < 5  # no header makes the reader search for long


def test_every_unit_of_time_that_the_header_can_name_is_loaded_or_refused(path):
    letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    for unit in [*letters, *(a + "s" for a in letters), ""]:
        for descr in (f"<M8[{unit}]", f"<m8[999999999{unit}]", f"|M8[0{unit}]"):
            write_tree(path, {"$": "scalar", "dtype": descr, "hex": "01" * 8})
            try:
                assert read_state(path)[1].tobytes() == b"\1" * 8
            except LoadError:
                pass


# ---- the door: wrong archives --------------------------------------------------------------------


def test_compressed_entries_are_refused(path):
    bomb = npy(np.zeros(10**6))
    write_zip(path, document(array_node(0)), {"0.npy": bomb}, compression=zipfile.ZIP_DEFLATED)
    assert path.stat().st_size < len(bomb) / 100
    refused(path, "is compressed or encrypted")


@pytest.mark.parametrize("flag", [0x0001, 0x0008, 0x2000])
def test_encrypted_and_streamed_entries_are_refused(path, flag):
    write_tree(path, 1)
    raw = bytearray(path.read_bytes())
    struct.pack_into("<H", raw, raw.index(b"PK\1\2") + 8, flag)
    path.write_bytes(raw)
    refused(path, "'lowdim.json' is compressed or encrypted")


def test_entries_that_nothing_refers_to_are_refused(path):
    write_zip(path, document(1), {"notes.txt": b"hidden"})
    refused(path, "it has 1 entries that nothing refers to")


def test_array_named_twice_is_refused(path):
    write_tree(path, [array_node(0)] * 1000, np.ones(9))
    refused(path, "it has no entry '0.npy', or names it twice")


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_entries_of_one_name_are_refused(path):
    write_tree(path, array_node(0), np.ones(1))
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("0.npy", npy(np.zeros(1)))
    refused(path, "it has '0.npy' twice")


def test_document_is_needed(path):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("0.npy", npy(np.ones(1)))
    refused(path, "it has no entry 'lowdim.json'")


def directory_end(entries, start):
    """The central directory of (name, offset, size, checksum), and the end record of a zip file."""
    records = b"".join(
        struct.pack(
            "<4s6H3L5H2L",
            b"PK\1\2",
            20,
            20,
            0,
            0,
            0,
            33,
            crc,
            n,
            n,
            len(name),
            0,
            0,
            0,
            0,
            0,
            offset,
        )
        + name
        for name, offset, n, crc in entries
    )
    counts = len(entries), len(entries)
    return records + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, *counts, len(records), start, 0)


def local_entry(name, data):
    checksum = archive.zlib.crc32(data)
    fixed = struct.pack(
        "<4s5H3L2H", b"PK\3\4", 20, 0, 0, 0, 33, checksum, len(data), len(data), len(name), 0
    )
    return fixed + name + data, (len(data), checksum)


def test_entries_that_share_bytes_are_refused(path):
    """The bomb without compression: one entry lies within another."""
    inner, inner_place = local_entry(b"1.npy", npy(np.ones(1000)))
    outer, outer_place = local_entry(b"0.npy", npy(np.frombuffer(inner, np.uint8)))
    text = json.dumps(document([array_node(0), array_node(1)])).encode()
    first, first_place = local_entry(b"lowdim.json", text)
    entries = [
        (b"lowdim.json", 0, *first_place),
        (b"0.npy", len(first), *outer_place),
        (b"1.npy", len(first) + outer.index(inner), *inner_place),
    ]
    raw = first + outer
    path.write_bytes(raw + directory_end(entries, len(raw)))
    with np.load(path) as archive:  # a well-formed file to others
        assert len(archive["1"]) == 1000
    refused(path, "'1.npy' overlaps with another entry")


@pytest.mark.parametrize("size", [10**4, 2**32 - 2])
def test_entry_larger_than_the_file_is_refused(path, size):
    first, (_, checksum) = local_entry(b"lowdim.json", json.dumps(document(1)).encode())
    path.write_bytes(first + directory_end([(b"lowdim.json", 0, size, checksum)], len(first)))
    refused(path, "'lowdim.json' is larger than the file")


def test_entry_beyond_the_end_is_refused(path):
    first, place = local_entry(b"lowdim.json", json.dumps(document(1)).encode())
    for offset, message in [
        (10**6, "'lowdim.json' overlaps"),
        (2**32 - 2, "'lowdim.json' overlaps"),
        (len(first) + 60, "it ends within an entry"),
        (1, "'lowdim.json' is not where the directory says"),
    ]:
        end = directory_end([(b"lowdim.json", offset, *place)], len(first))
        path.write_bytes(first + end)
        refused(path, message)


def test_entry_under_another_name_is_refused(path):
    first, place = local_entry(b"LOWDIM.json", json.dumps(document(1)).encode())
    path.write_bytes(first + directory_end([(b"lowdim.json", 0, *place)], len(first)))
    refused(path, "'lowdim.json' is not where the directory says")


def test_changed_byte_shows_in_the_checksum(path):
    write_state(path, {}, np.zeros(100))
    raw = bytearray(path.read_bytes())
    raw[raw.index(b"}  ") + 500] ^= 1
    path.write_bytes(raw)
    refused(path, "the checksum of 0.npy is wrong")


def test_file_that_is_cut_while_it_is_read_is_refused(path, monkeypatch):
    write_state(path, {}, np.zeros(10**5))
    parsed = files.parsed

    def cut_and_parse(text):
        os.truncate(path, 5000)
        return parsed(text)

    monkeypatch.setattr(files, "parsed", cut_and_parse)
    refused(path, "0.npy ends too early")


# ---- no more memory than the file justifies, no code, no imports ---------------------------------


def peak_of_refusal(path):
    tracemalloc.start()
    try:
        with pytest.raises(LoadError):
            read_state(path)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("shape", [b"(1000000000,)", b"(%d,)" % 2**59, b"(100000, 100000)"])
@pytest.mark.parametrize("descr", [b"'<f8'", b"'|b1'", b"'<U90000000'"])
def test_huge_shape_takes_no_memory(path, shape, descr):
    raw = npy(GOOD_NPY, a=(b"(2, 3)", shape), b=(b"'<f8'", descr))
    write_tree(path, array_node(0), raw)
    assert peak_of_refusal(path) < 1e6


def test_huge_entry_takes_no_memory(path):
    first, (_, checksum) = local_entry(b"lowdim.json", json.dumps(document(1)).encode())
    end = directory_end([(b"lowdim.json", 0, 2**32 - 2, checksum)], len(first))
    path.write_bytes(first + end)
    assert peak_of_refusal(path) < 1e6


@pytest.mark.parametrize("piece", ["[]", "{}", "0.5", '""', '{"a":0}', '{"$":"tuple","items":[]}'])
def test_memory_for_json_is_proportional_to_the_file(path, piece):
    pieces = ",".join([piece] * (10**5 // len(piece)))
    write_zip(path, json.dumps(document("HERE")).replace('"HERE"', f'[{pieces},{{"$":0}}]'))
    assert peak_of_refusal(path) < 40 * path.stat().st_size


def test_memory_for_entries_is_proportional_to_the_file(path):
    write_zip(path, document(1), {str(i): b"" for i in range(5000)})
    assert peak_of_refusal(path) < 20 * path.stat().st_size


def test_long_names_are_not_copied_for_everything_below_them(path):
    tree = "x"
    for _ in range(50):
        tree = {"k" * 10**5: [tree, 0, 0]}
    write_tree(path, [tree, {"$": 0}])
    started = time.perf_counter()
    assert peak_of_refusal(path) < 4 * path.stat().st_size
    assert time.perf_counter() - started < 10


def test_nothing_is_unpickled_and_nothing_outside_lowdim_imported(path, monkeypatch):
    model = Toy(start=Top(1, 2, 3), random_state=np.random.default_rng(0)).fit(np.ones((2, 2)))
    model.names_ = np.array(["a", "b"], dtype=object)
    imported = []

    def recording_import(name):
        imported.append(name)
        return import_module(name)

    for name in ("load", "loads", "Unpickler", "dump", "dumps", "Pickler"):
        monkeypatch.setattr(pickle, name, fail)
    monkeypatch.setattr(models, "import_module", recording_import)
    save_model(model, path)
    assert same(load(path), model)
    for name in ("os.stat_result", "lowdim_evil.a.B", "lowdim.core.blocks.np.x", "antigravity.x"):
        write_tree(path, {"$": "namedtuple", "name": name, "fields": {}})
        with pytest.raises(LoadError):
            load(path)
    assert imported and all(name.startswith("lowdim.") for name in imported)


# ---- fuzz: any change gives an equal value or a LoadError ----------------------------------------


def rich_tree():
    return {
        "A": np.arange(12.0).reshape(3, 4),
        "flags": np.array([True, False]),
        "names": np.array(["ab", "c"], dtype=object),
        "text": np.array(["ab", "c"]),
        "S": sp.csr_array(np.eye(3)),
        "C": sp.coo_array(np.eye(2)),
        "rng": np.random.default_rng(1),
        "old": np.random.RandomState(1),
        "when": np.datetime64("2026-11-16"),
        "top": Top(np.arange(2), (1.5, None, 2**70), -np.inf),
        "model": Toy(2, start={"$": [1, 2.5]}).fit(np.ones((2, 3))),
    }


@pytest.fixture(scope="module")
def rich_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("fuzz") / "rich"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("lowdim.core.persistence.models.public_model", {"Toy": Toy}.get)
        write_state(path, {"for": "fuzz"}, rich_tree())
    return path.read_bytes()


def load_or_refuse(path, raw):
    """What the bytes stand for, or None if they are refused; anything else is a failure."""
    path.write_bytes(raw)
    try:
        return read_state(path)
    except LoadError as error:
        assert str(path) in str(error)
        return None


def test_damaged_bytes_are_refused_or_make_no_difference(path, rich_file, rng):
    expected = rich_tree()
    refusals = 0
    for _ in range(400):
        raw = bytearray(rich_file)
        for position in rng.integers(len(raw), size=rng.integers(1, 4)):
            raw[position] ^= 1 << rng.integers(8)
        read = load_or_refuse(path, raw)
        refusals += read is None
        assert read is None or same(read[1], expected)
    assert refusals > 200


def test_damage_in_the_directory_is_refused_or_makes_no_difference(path, rich_file, rng):
    expected = rich_tree()
    start = rich_file.index(b"PK\1\2")
    for _ in range(400):
        raw = bytearray(rich_file)
        raw[rng.integers(start, len(raw))] = rng.integers(256)
        read = load_or_refuse(path, raw)
        assert read is None or same(read[1], expected)


def test_cut_files_are_refused(path, rich_file, rng):
    for length in {0, 1, 22, *rng.integers(len(rich_file), size=200).tolist(), len(rich_file) - 1}:
        assert load_or_refuse(path, rich_file[:length]) is None


def test_moved_and_repeated_pieces_are_refused_or_make_no_difference(path, rich_file, rng):
    expected = rich_tree()
    for _ in range(200):
        a, b, c = np.sort(rng.integers(len(rich_file), size=3))
        for raw in (
            rich_file[:a] + rich_file[b:],
            rich_file[:b] + rich_file[a:],
            rich_file[:a] + rich_file[b:c] + rich_file[a:b] + rich_file[c:],
        ):
            read = load_or_refuse(path, raw)
            assert read is None or same(read[1], expected)


def pieces(node):
    """Every list and dict within a piece of JSON, with the keys of its children."""
    if isinstance(node, dict | list):
        keys = list(node) if isinstance(node, dict) else list(range(len(node)))
        yield from ((node, key) for key in keys)
        for key in keys:
            yield from pieces(node[key])


json_leaves = (
    st.none()
    | st.booleans()
    | st.integers(-3, 700)
    | st.sampled_from([2**53 - 1, -(2**53) + 1, 1e300, -0.0])
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=3)
    | st.sampled_from([*(f"{i}.npy" for i in range(9)), "lowdim.json", "0x10", "<f8", "<U1", "|O"])
    | st.sampled_from([*values.KINDS, "array", *SPARSE, *BIT_GENERATORS, "Toy"])
)
json_nodes = st.recursive(
    json_leaves,
    lambda children: (
        st.lists(children, max_size=3)
        | st.dictionaries(
            st.sampled_from(["$", "$$", "items", "hex", "state"]), children, max_size=3
        )
        | st.builds(
            lambda tag, given: (
                {"$": tag} | dict(zip(values.KINDS[tag].fields, given, strict=False))
            ),
            st.sampled_from(list(values.KINDS)),
            st.lists(children, min_size=5, max_size=5),
        )
    ),
    max_leaves=6,
)


@given(data=st.data())
def test_sound_file_with_any_document_loads_or_is_refused(data, rich_file, tmp_path_factory):
    """The checksum is right here, so the change reaches the decoder."""
    path = tmp_path_factory.getbasetemp() / "changed"
    with zipfile.ZipFile(io.BytesIO(rich_file)) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    document = json.loads(entries.pop("lowdim.json"))
    for _ in range(data.draw(st.integers(1, 2))):
        places = list(pieces(document))
        node, key = data.draw(st.sampled_from(places))
        other_node, other_key = data.draw(st.sampled_from(places))
        node[key] = data.draw(json_nodes | st.just(copy.deepcopy(other_node[other_key])))
    write_zip(path, document, entries)
    load_or_refuse(path, path.read_bytes())


def test_sound_file_with_any_array_loads_or_is_refused(path, rich_file, rng):
    with zipfile.ZipFile(io.BytesIO(rich_file)) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    text = entries.pop("lowdim.json")
    names = list(entries)
    for _ in range(300):
        changed = dict(entries)
        name = names[rng.integers(len(names))]
        raw = bytearray(changed[name])
        for position in rng.integers(min(len(raw), 140), size=rng.integers(1, 4)):
            raw[position] = rng.integers(256)
        changed[name] = bytes(raw)
        write_zip(path, text, changed)
        load_or_refuse(path, path.read_bytes())


# ---- files of earlier releases -------------------------------------------------------------------

MODELS = sorted(FIXTURES.glob("format*/*.lowdim"))
STATES = sorted(FIXTURES.glob("format*/*.state"))
script = runpy.run_path(str(FIXTURES / "make_fixtures.py"))


@pytest.mark.parametrize("file", MODELS, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_model_of_an_earlier_release_loads_and_gives_the_same_results(file, monkeypatch):
    monkeypatch.undo()  # the real registry
    expected = json.loads(file.with_suffix(".json").read_text(encoding="utf-8"))
    model = load(file)
    assert type(model).__name__ == expected["class"]
    found = script["outputs"](model)
    for name, outputs in expected["outputs"].items():
        # the BLAS of another machine may add in another order
        tol = 1e-4 if found[name].dtype == np.float32 else 1e-9
        np.testing.assert_allclose(found[name], outputs, rtol=tol, atol=tol)


@pytest.mark.parametrize("file", STATES, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_state_of_an_earlier_release_loads(file):
    assert same(read_state(file)[1], script["every_kind"]())


def test_every_public_estimator_has_a_file_of_an_earlier_time():
    from lowdim.registry import public_estimators

    kept = {json.loads(path.read_text())["class"] for path in FIXTURES.glob("format*/*.json")}
    assert set(public_estimators()) <= kept
