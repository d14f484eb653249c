"""What `verbose` asks for: one rule for every class that has the argument."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

from lowdim.core.config import config_context
from tests.estimators.examples import CLASSES, quiet, small, table

pytestmark = quiet

# it chooses a number from errors that all take one step: there is nothing to tell in between
WITHOUT_LOOP = {"OrthogonalMatchingPursuitCV"}
HAVE_VERBOSE = [
    name
    for name, cls in CLASSES.items()
    if "verbose" in inspect.signature(cls).parameters and name not in WITHOUT_LOOP
]


@pytest.mark.parametrize("name", HAVE_VERBOSE)
def test_verbose_shows_a_bar_where_none_would_be(name, capfd):
    """Also where the settings say none; by default, nothing is said where no terminal is."""
    X = table()
    y = np.arange(len(X)) % 2
    small(name).fit(X, y)
    assert capfd.readouterr() == ("", "")
    with config_context(progress=False):
        small(name, verbose=1).fit(X, y)
    shown = capfd.readouterr().err
    assert name in shown
    assert "objective" in shown or "loss" in shown
