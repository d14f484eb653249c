"""One door for randomness: whatever the user gives as `random_state` becomes a Generator."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np

from lowdim.core.numeric import shown


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
        f"random_state={shown(random_state)} is a {type(random_state).__name__}; "
        "choose an int, a numpy Generator, a RandomState or None."
    )


def generator_of(estimator: Any, random_state: Any = None) -> np.random.Generator:
    """The Generator of a method that draws: from its `random_state`, or else the constructor's.

    So a seeded model draws the same rows each time, as in scikit-learn.
    """
    if random_state is None:
        random_state = getattr(estimator, "random_state", None)
    return random_generator(random_state)
