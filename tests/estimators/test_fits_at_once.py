"""Fits on several threads at once, as in a web server: bit by bit what each fit gives alone."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from tests.blas import blas_on
from tests.estimators.examples import (
    CLASSES,
    METHODS,
    assert_same_model,
    quiet,
    short,
    small,
    table,
)

pytestmark = quiet

SHAPES = [(300, 60), (50, 120)]


def ready(name):
    return short(small(name))


def encoded(model, X):
    return model.transform(X) if METHODS[type(model).__name__].transform else np.zeros(0)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_fits_on_four_threads_at_once_are_what_each_is_alone(shape):
    X = table(*shape)
    with blas_on(2):
        alone = {name: ready(name).fit(X) for name in CLASSES}
        codes = {name: encoded(model, X) for name, model in alone.items()}
        names = list(CLASSES) * 2
        with ThreadPoolExecutor(4) as users:
            together = list(users.map(lambda name: ready(name).fit(X), names))
            coded = list(users.map(lambda name: encoded(alone[name], X), names))
    for name, model, Z in zip(names, together, coded, strict=True):
        assert_same_model(alone[name], model)
        np.testing.assert_array_equal(codes[name], Z, err_msg=name)
