"""W and H that a user gives as the start of NMF."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_array

from lowdim.linear.nmf.objective import refuse_negative
from lowdim.linear.nmf.start import Factors


def given_factors(W: Any, H: Any, n_components: Any, data: Any, root: float) -> Factors:
    """Both factors, checked against X, in its unit."""
    if W is None or H is None:
        missing = " and ".join(name for name, Z in (("W", W), ("H", H)) if Z is None)
        raise ValueError(f"init='custom' starts from W and H, and {missing} is not given.")
    n, d = data.shape
    k = np.shape(H)[0] if n_components in ("auto", None) else n_components
    W = _checked(W, (n, k), "W", data.dtype)
    H = _checked(H, (k, d), "H", data.dtype)
    for name, Z in (("W", W), ("H", H)):
        if not Z.any():
            raise ValueError(f"Array passed to NMF (input {name}) is full of zeros.")
    factor = data.dtype.type(1.0 / root)
    return Factors(np.array(W * factor, order="C"), np.array(H.T * factor, order="C"))


def given_components(H: Any, n_components: Any, d: int, dtype: np.dtype) -> np.ndarray:
    """H, checked against X."""
    if H is None:
        raise ValueError("update_H=False finds W for a given H, and H is None; give H.")
    k = np.shape(H)[0] if n_components in ("auto", None) else n_components
    return _checked(H, (k, d), "H", dtype)  # zeros only: a penalty may have left no more


def _checked(Z: Any, shape: tuple[int, int], name: str, dtype: np.dtype) -> np.ndarray:
    given = check_array(Z, dtype=[np.float64, np.float32], input_name=name)
    for found, expected, place in zip(given.shape, shape, ("first", "second"), strict=True):
        if found != expected:
            raise ValueError(
                f"Array with wrong {place} dimension passed to NMF (input {name}). Expected "
                f"{expected}, but got {found}."
            )
    if given.dtype != dtype:
        raise TypeError(
            f"H and W should have the same dtype as X: {name} has {given.dtype}, X {dtype}."
        )
    refuse_negative(given, "NMF", name)
    return given
