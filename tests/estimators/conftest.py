"""Models that learn from targets get some in the common tests, where a test gives none."""

import functools

import numpy as np
import pytest
from sklearn.base import is_classifier
from sklearn.utils import get_tags

from lowdim.core.numeric import as_array
from tests.estimators.examples import CLASSES

NOT_GIVEN = object()
SUPERVISED = [cls for cls in CLASSES.values() if get_tags(cls()).target_tags.required]


def targets(model, X):
    """Targets that follow from the numbers of the rows."""
    try:
        n = X.shape[0] if hasattr(X, "shape") else len(as_array(X, "X", "a test"))
    except (TypeError, IndexError, ValueError, RuntimeError):  # what it is will be refused
        n = 1
    wave = np.sin(np.arange(min(n, 10**5)))  # a matrix may lie about its shape
    return (wave > 0).astype(int) if is_classifier(model) else wave


def with_targets(method, name):
    """The method of a class, with targets where none are given; None is given."""

    @functools.wraps(method)
    def call(self, X, y=NOT_GIVEN, *args, **kwargs):
        if y is NOT_GIVEN:
            y = targets(self, X)
            if name == "partial_fit" and is_classifier(self):
                kwargs.setdefault("classes", [0, 1])
        return method(self, X, y, *args, **kwargs)

    call.gives_targets = True
    return call


@pytest.fixture(autouse=True)
def targets_where_none_are_given(monkeypatch):
    for cls in SUPERVISED:
        for name in ("fit", "score"):
            owner = next(base for base in cls.__mro__ if name in vars(base))
            if not hasattr(vars(owner)[name], "gives_targets"):
                monkeypatch.setattr(owner, name, with_targets(vars(owner)[name], name))
        descriptor = vars(cls).get("partial_fit")
        if hasattr(descriptor, "fn"):  # scikit-learn's available_if
            held = with_targets(descriptor.fn, "partial_fit")
            monkeypatch.setattr(descriptor, "fn", held)
        elif descriptor is not None:
            monkeypatch.setattr(cls, "partial_fit", with_targets(descriptor, "partial_fit"))
