"""Random generators go on where they were; no state of a file leads outside of their memory."""

import numpy as np
import pytest

from lowdim.core.persistence import values
from tests.core.persistence.handmade import (
    BIT_GENERATORS,
    cannot_load,
    cannot_save,
    refused,
    round_trip,
    same,
    write_tree,
)


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


# ---- the door ------------------------------------------------------------------------------------


class HalfKnown(np.random.PCG64):
    pass


@pytest.mark.parametrize(
    ("value", "message"),
    [
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
def test_generators_that_a_file_cannot_hold_are_not_saved(path, value, message):
    cannot_save(path, value, message)


@pytest.mark.parametrize(
    ("node", "message"),
    [
        ({"$": "generator", "state": {}, "seed": None}, "unknown bit generator"),
        (
            {"$": "generator", "state": {"bit_generator": "seed"}, "seed": None},
            "unknown bit generator",
        ),
        (
            {"$": "generator", "state": {"bit_generator": ["PCG64"]}, "seed": None},
            "unknown bit gen",
        ),
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
                {
                    "$": "seed",
                    "entropy": 1,
                    "spawn_key": [],
                    "pool_size": 4,
                    "n_children_spawned": 0,
                }
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
    ],
)
def test_wrong_generators_and_seeds(path, node, message):
    cannot_load(path, node, message)


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
