"""What is saved comes back bit for bit, and no file, however made, does harm."""

import copy
import io
import json
import pickle
import runpy
import zipfile
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from lowdim.core.blocks import Top
from lowdim.core.persistence import (
    LoadError,
    Tensors,
    load,
    models,
    read_state,
    save_model,
    values,
    write_state,
)
from lowdim.core.persistence.tensors import DTYPES
from tests.core.persistence.handmade import (
    BIT_GENERATORS,
    SPARSE,
    Toy,
    fail,
    round_trip,
    same,
    write_tree,
    write_zip,
)

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
def tensors(draw):
    kinds = st.sampled_from([np.dtype(descr) for descr in DTYPES.values()])
    values = kinds.flatmap(lambda dtype: hnp.arrays(dtype, shapes))
    return Tensors(draw(st.dictionaries(st.text(max_size=3), values, max_size=3)))


@st.composite
def generators(draw):
    bits = getattr(np.random, draw(st.sampled_from(BIT_GENERATORS)))
    generator = draw(st.sampled_from([np.random.Generator, np.random.RandomState]))(
        bits(draw(st.integers(0, 2**128)))
    )
    generator.standard_normal(draw(st.integers(0, 3)))
    return generator


def is_unicode(value):
    """Not text with half of a surrogate pair, which files refuse (test_values.py)."""
    return not isinstance(value, str) or not any("\ud800" <= c <= "\udfff" for c in value)


plain = st.none() | st.booleans() | st.integers() | st.floats() | st.text()

leaves = (
    plain
    | arrays
    | arrays.filter(np.size).map(lambda array: array.flat[0]).filter(is_unicode)  # NumPy scalars
    | text_arrays()
    | sparse_arrays()
    | tensors()
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
        "weights": Tensors(W=np.eye(2, dtype=np.float32), seen=np.array([True]), b=np.ones(())),
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
    | st.sampled_from(
        [
            *(f"{i}.npy" for i in range(9)),
            "0.safetensors",
            "lowdim.json",
            "0x10",
            "<f8",
            "<U1",
            "|O",
        ]
    )
    | st.sampled_from([*values.KINDS, *values.ENTRIES, *SPARSE, *BIT_GENERATORS, "Toy"])
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

FIXTURES = Path(__file__).parents[2] / "fixtures"

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
    if hasattr(model, "predict_entries"):  # completers had a mean square as score, and `predict`
        expected["outputs"].pop("predict")
        expected["outputs"]["score"] = -np.sqrt(-expected["outputs"]["score"])
    if expected["class"] == "LinearAutoencoder":  # it had the mean of |x - x_hat|^2
        mean_square = -expected["outputs"]["score"] / model.n_features_in_
        expected["outputs"]["score"] = -np.sqrt(mean_square)
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
