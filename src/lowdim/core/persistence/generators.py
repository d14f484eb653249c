"""Kinds of values: random generators and seeds."""

from __future__ import annotations

from typing import Any

import numpy as np

from lowdim.core.persistence.archive import require
from lowdim.core.persistence.plain import native
from lowdim.core.persistence.values import NOT_PLAIN, UPGRADE, kind

# As bad is a wrong state: NumPy reads a buffer at a position in it without looking.

BIT_GENERATORS = {
    "MT19937": np.random.MT19937,
    "PCG64": np.random.PCG64,
    "PCG64DXSM": np.random.PCG64DXSM,
    "Philox": np.random.Philox,
    "SFC64": np.random.SFC64,
}
LARGEST_IN_STATE = {
    "pos": 624,
    "buffer_pos": 4,
    "has_gauss": 1,
    "has_uint32": 1,
    "uinteger": 2**32 - 1,
    "state": 2**128 - 1,
    "inc": 2**128 - 1,
}
# NumPy takes quadratic time to make a seed of very many words
MOST_WORDS, LARGEST_WORD, LARGEST_POOL = 1024, 2**1024, 1024


def _generator_state(generator: np.random.Generator) -> dict[str, Any]:
    bits = generator.bit_generator
    require(
        type(bits) in BIT_GENERATORS.values(),
        f"it draws from a {type(bits).__name__}, which is not one of NumPy's",
        NOT_PLAIN,
    )
    seed = bits.seed_seq  # what `spawn` goes by; with a seed of another kind there is no spawning
    spawns = type(seed) is np.random.SeedSequence
    return {"state": _plain_state(bits.state), "seed": seed if spawns else None}


@kind("generator", np.random.Generator, pack=_generator_state)
def _generator(state: dict, seed: Any) -> np.random.Generator:
    require(type(seed) in (np.random.SeedSequence, type(None)), "its seed is something else")
    bits = _bit_generator(state, seed)
    _check_state(state, like=_plain_state(bits.state))
    bits.state = state
    return np.random.Generator(bits)


def _random_state_state(random_state: np.random.RandomState) -> dict[str, Any]:
    state = _plain_state(random_state.get_state(legacy=False))
    name = state["bit_generator"]
    require(name in BIT_GENERATORS, f"it draws from a {name}, not one of NumPy's", NOT_PLAIN)
    return {"state": state}


@kind("random_state", np.random.RandomState, pack=_random_state_state)
def _random_state(state: dict) -> np.random.RandomState:
    random_state = np.random.RandomState(_bit_generator(state))
    _check_state(state, like=_plain_state(random_state.get_state(legacy=False)))
    random_state.set_state(state)
    return random_state


def _bit_generator(state: dict, seed: np.random.SeedSequence | None = None) -> Any:
    name: Any = state.get("bit_generator")
    require(type(name) is str and name in BIT_GENERATORS, "unknown bit generator", UPGRADE)
    return BIT_GENERATORS[name](seed)


def _plain_state(state: Any) -> Any:
    """The state with Python's numbers, whatever numbers this version of NumPy puts there."""
    if isinstance(state, dict):
        return {name: _plain_state(field) for name, field in state.items()}
    return state.item() if isinstance(state, np.generic) else state


def _check_state(state: dict, like: dict) -> None:
    """The state has fields of the same types and shapes as another one, with values in bounds."""
    require(state.keys() == like.keys(), "its state has other fields")
    for name, example in like.items():
        field = state[name]
        require(type(field) is type(example), f"{name} of its state is of another type")
        if isinstance(example, dict):
            _check_state(field, example)
        elif isinstance(example, np.ndarray):
            same = field.shape == example.shape and native(field[:0]).dtype == example.dtype
            require(same, f"{name} of its state is not {example.shape} of {example.dtype}")
        elif isinstance(example, int):
            require(0 <= field <= LARGEST_IN_STATE[name], f"{name} of its state is out of bounds")
    if "pos" in like:  # a Mersenne Twister at zero stays there: no normal number would ever come
        require(state["key"][0] >> 31 or np.any(state["key"][1:]), "its state is zero")
    if "inc" in like:
        require(state["inc"] % 2 == 1, "its increment is even")


def _seed_fields(seed: np.random.SeedSequence) -> dict[str, Any]:
    fields = {**seed.state, "spawn_key": list(seed.spawn_key)}
    require(
        _is_seed(seed.entropy) and _is_seed(seed.spawn_key) and seed.pool_size <= LARGEST_POOL,
        "its entropy, spawn_key or pool_size is too large",
        NOT_PLAIN,
    )
    return fields


@kind("seed", np.random.SeedSequence, pack=_seed_fields)
def _seed(
    entropy: Any, spawn_key: list, pool_size: int, n_children_spawned: int
) -> np.random.SeedSequence:
    require(
        _is_seed(entropy)
        and _is_seed(spawn_key)
        and 4 <= pool_size <= LARGEST_POOL
        and 0 <= n_children_spawned < 2**32,
        "it is not a seed",
    )
    return np.random.SeedSequence(
        entropy, spawn_key=spawn_key, pool_size=pool_size, n_children_spawned=n_children_spawned
    )


def _is_seed(value: Any) -> bool:
    """One or several non-negative integers."""
    several = isinstance(value, list | tuple) or (isinstance(value, np.ndarray) and value.ndim == 1)
    words = value if several else [value]
    return len(words) <= MOST_WORDS and all(
        isinstance(word, int | np.integer) and 0 <= int(word) < LARGEST_WORD for word in words
    )
