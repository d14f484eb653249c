"""One door for randomness: whatever the user gives as `random_state` becomes a Generator."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np


def random_generator(random_state: Any = None) -> np.random.Generator:
    """A NumPy Generator from None (fresh entropy), an int, a Generator or a RandomState.

    A Generator is used as it is and so moves on; a RandomState lends a seed and moves on.
    """
    if random_state is None or (
        isinstance(random_state, Integral) and not isinstance(random_state, bool)
    ):
        if random_state is not None and random_state < 0:
            raise ValueError(f"random_state={random_state} is negative; choose an int from 0 up.")
        return np.random.default_rng(None if random_state is None else int(random_state))
    if isinstance(random_state, np.random.Generator):
        return random_state
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(0, 2**32, size=4, dtype=np.uint64))
    raise ValueError(
        f"random_state={random_state!r} is a {type(random_state).__name__}; "
        "choose an int, a numpy Generator, a RandomState or None."
    )
