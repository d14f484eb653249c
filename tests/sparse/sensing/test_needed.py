import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from lowdim import sparse
from lowdim.sparse.sensing.needed import found_share, needed_share


@pytest.mark.parametrize(
    ("share", "needed"), [(0.01, 0.0612), (0.05, 0.2039), (0.1, 0.3288), (0.2, 0.5111)]
)
def test_golden_shares(share, needed):
    assert sparse.measurements_needed(1000 * share, 1000) / 1000 == pytest.approx(needed, abs=5e-5)


def test_it_is_the_least_over_t_of_an_average_over_normal_numbers():
    g = np.linspace(-12, 12, 200_001)
    density = np.exp(-(g**2) / 2) / np.sqrt(2 * np.pi) * (g[1] - g[0])
    for r in (0.003, 0.07, 0.4, 0.9):

        def average(t, r=r):
            beyond = np.maximum(np.abs(g) - t, 0) ** 2 @ density
            return r * (1 + t**2) + (1 - r) * beyond

        least = minimize_scalar(average, bounds=(0, 6), method="bounded", options={"xatol": 1e-9})
        assert needed_share(r) == pytest.approx(least.fun, rel=1e-8)


def test_none_and_all():
    assert sparse.measurements_needed(0, 50) == 0.0
    assert sparse.measurements_needed(50, 50) == 50.0
    assert sparse.measurements_needed(1, 1) == 1.0


def test_more_non_zeros_need_more_and_always_more_than_there_are():
    needed = [sparse.measurements_needed(k, 200) for k in range(201)]
    assert np.all(np.diff(needed) > 0)
    assert np.all(np.array(needed[1:-1]) > np.arange(1, 200))


@pytest.mark.parametrize("delta", [0.01, 0.3, 0.99])
def test_the_way_back(delta):
    assert needed_share(found_share(delta) * delta) == pytest.approx(delta, rel=1e-10)
    assert found_share(1.0) == 1.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((11, 10), "n_nonzero=11 is more than the 10 numbers of a code"),
        ((-1, 10), "n_nonzero=-1 must be at least 0"),
        ((1, 0), "size=0 is too small"),
    ],
)
def test_bad_input(arguments, message):
    with pytest.raises(ValueError, match=message):
        sparse.measurements_needed(*arguments)
