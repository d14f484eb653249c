"""What constructor arguments may be, in scikit-learn's own terms.

A class lists them in `_parameter_constraints`; `@fitting` checks them before any work, and the
error says what was given and what is accepted. scikit-learn keeps these names in a private module
that has not changed since 1.3: this is the one place that imports it.
"""

from __future__ import annotations

from numbers import Integral, Real

import numpy as np
from sklearn.utils._param_validation import (
    HasMethods,
    Interval,
    Options,
    RealNotInt,
    StrOptions,
)

__all__ = [
    "AT_LEAST_0",
    "AT_LEAST_1",
    "NOT_NEGATIVE",
    "POSITIVE",
    "RANDOM_STATE",
    "HasMethods",
    "Integral",
    "Interval",
    "Options",
    "Real",
    "RealNotInt",
    "StrOptions",
]

AT_LEAST_0 = Interval(Integral, 0, None, closed="left")
AT_LEAST_1 = Interval(Integral, 1, None, closed="left")
NOT_NEGATIVE = Interval(Real, 0, None, closed="left")
POSITIVE = Interval(Real, 0, None, closed="neither")
RANDOM_STATE = ["random_state", np.random.Generator]
