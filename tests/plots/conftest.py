"""No test of figures leaves anything behind."""

import matplotlib
import matplotlib.pyplot as plt
import pytest


@pytest.fixture(autouse=True)
def nothing_stays():
    """No test leaves a figure open, or other settings than it found."""
    plt.switch_backend("Agg")
    plt.close("all")  # of tests elsewhere
    before = dict(matplotlib.rcParams)
    yield
    plt.close("all")
    assert dict(matplotlib.rcParams) == before
