"""One vocabulary of gains, the same in every method that has them."""

import numpy as np
import pytest

from lowdim import PCA, KMeans, LinearAutoencoder, OnlineRegression
from lowdim.core.gains import FALLING, power_of


def test_gains_fall_with_their_powers():
    assert [power_of(gain, 0.7) for gain in (*FALLING, "constant", 0.3)] == [1, 1, 0.7, 0, 0]


@pytest.mark.parametrize("gain", FALLING)
def test_every_online_method_knows_them(gain, rng):
    X = rng.normal(size=(60, 3))
    y = X @ [1.0, 2.0, 3.0]
    KMeans(2, gain=gain, random_state=0).partial_fit(X)
    OnlineRegression("sgd", gain=gain, random_state=0).fit(X, y)
    LinearAutoencoder(1, learning_rate=gain, random_state=0).partial_fit(X)
    PCA(1, svd_solver="oja", learning_rate=gain, random_state=0).partial_fit(X)


def test_counting_is_the_harmonic_gain_from_1(rng):
    X = rng.normal(size=(80, 2))
    y = X @ [1.0, -1.0] + 0.1 * rng.normal(size=80)
    count = OnlineRegression("sgd", gain="count", eta0=0.2, shuffle=False).fit(X, y)
    harmonic = OnlineRegression("sgd", gain="harmonic", eta0=1.0, shuffle=False).fit(X, y)
    np.testing.assert_array_equal(count.coef_, harmonic.coef_)
