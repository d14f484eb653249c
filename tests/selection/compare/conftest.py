"""No test of comparisons leaves a figure open."""

import matplotlib.pyplot as plt
import pytest


@pytest.fixture(autouse=True)
def nothing_stays():
    plt.switch_backend("Agg")
    yield
    plt.close("all")
