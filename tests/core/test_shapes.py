"""Declared shapes are held against what a model has, and against each other."""

from __future__ import annotations

from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pytest
import scipy.sparse as sp

from lowdim.core.shapes import (
    Anything,
    Below,
    Either,
    Given,
    Maybe,
    ShapeError,
    Text,
    check_shapes,
)


class Inside(NamedTuple):
    W: np.ndarray
    t: int


DECLARED = {
    "n_components": Given("k"),
    "n_features_in_": "d",
    "names_": Maybe(Text(("d",))),
    "mean_": ("d",),
    "components_": ("k", "d"),
    "scale_": Either(((), ("d",))),
    "order_": Below("d", ("m",)),
    "inside_": Maybe({"W": ("d", "k"), "t": ()}),
    "parts_": [("k", "first"), ("k", "second")],
    "note_": Anything(),
}


def attributes(**changed):
    """Of a model with d = 3 and k = 2."""
    right = {
        "n_features_in_": 3,
        "names_": np.array(["a", "b", "c"], dtype=object),
        "mean_": np.zeros(3),
        "components_": np.zeros((2, 3)),
        "scale_": 1.0,
        "order_": np.array([2, 0]),
        "inside_": Inside(np.zeros((3, 2)), 4),
        "parts_": [np.zeros((2, 5)), np.zeros((2, 7))],
        "note_": {"any": "thing"},
    }
    return {name: value for name, value in (right | changed).items() if value is not ...}


def check(n_components=2, **changed):
    model = SimpleNamespace(n_components=n_components)
    check_shapes(model, attributes(**changed), DECLARED)


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"names_": ...},
        {"names_": ["a", "b", "c"]},
        {"scale_": np.ones(3)},
        {"scale_": np.float32(2)},
        {"inside_": None},
        {"order_": np.array([], dtype=int)},
        {"mean_": [1.0, 2.0, 3.0]},
        {"components_": sp.csr_array((2, 3))},
        {"n_components": None},
        {"n_components": 0.5},
    ],
)
def test_what_is_as_declared_passes(changed):
    check(**changed)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"mean_": np.zeros(4)}, r"^mean_ has shape \(4,\), and \(3,\) is expected"),
        (
            {"components_": np.zeros((2, 4))},
            r"components_ has shape \(2, 4\), and \(2, 3\) is expected "
            r"\(k from n_components, d from n_features_in_\)",
        ),
        ({"components_": np.zeros((3, 2))}, r"shape \(3, 2\)"),
        ({"components_": np.zeros(6)}, r"shape \(6,\)"),
        ({"components_": np.zeros(())}, r"shape \(\)"),
        ({"components_": np.zeros((2, 3, 1))}, r"shape \(2, 3, 1\)"),
        ({"n_components": 5}, r"components_ has shape \(2, 3\), and \(5, 3\)"),
        ({"n_features_in_": 4}, r"names_ has shape \(3,\), and \(4,\)"),
        ({"n_features_in_": 3.0}, "n_features_in_ is of type float, and a whole number"),
        ({"n_features_in_": -1}, "a whole number is expected"),
        ({"n_features_in_": True}, "a whole number is expected"),
        ({"n_features_in_": ...}, "it has no n_features_in_"),
        ({"mean_": ...}, "it has no mean_"),
        ({"mean_": None}, "mean_ is None, and numbers are expected"),
        ({"mean_": np.array(["1", "2", "3"])}, "mean_ is an array of <U1"),
        ({"mean_": np.zeros(3, dtype=complex)}, "mean_ is an array of complex128"),
        ({"mean_": ["a", "b", "c"]}, "mean_ is of type list"),
        ({"names_": np.zeros(3)}, "names_ is an array of float64, and text"),
        ({"names_": ["a", "b"]}, r"names_ has shape \(2,\)"),
        ({"scale_": np.ones(2)}, "scale_ has shape"),
        ({"order_": np.array([3])}, "order_ has a number that is not one of 0 to 2"),
        ({"order_": np.array([-1])}, "order_ has a number that is not one of 0 to 2"),
        ({"order_": np.array([1.0])}, "whole numbers are expected"),
        ({"inside_": Inside(np.zeros((2, 2)), 4)}, r"inside_\.W has shape \(2, 2\)"),
        ({"inside_": Inside(np.zeros((3, 2)), "4")}, r"inside_\.t is of type str"),
        ({"inside_": np.zeros(3)}, "inside_ is an array of float64, which has no W"),
        ({"inside_": {"W": np.zeros((3, 2))}}, "inside_ has no t"),
        ({"parts_": [np.zeros((2, 5))]}, "parts_ is of type list, and a list of 2"),
        ({"parts_": [np.zeros((2, 5)), np.zeros((3, 7))]}, r"parts_\[1\] has shape \(3, 7\)"),
    ],
)
def test_what_is_not_as_declared_is_named_with_what_was_expected(changed, message):
    with pytest.raises(ShapeError, match=message):
        check(**changed)
