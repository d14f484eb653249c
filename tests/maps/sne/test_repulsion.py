import numpy as np
import pytest

import lowdim
from lowdim.maps.sne import repulsion as module
from lowdim.maps.sne.repulsion import _sum_pairs, gauss_sums, repulsion


def twin(Z, Y, charges, own):
    """The sums in float64, by their definition."""
    difference = Z[:, None, :].astype(np.float64) - Y
    W = np.exp(-(difference**2).sum(axis=2)) * charges
    if not own:
        np.fill_diagonal(W, 0.0)
    return W.sum(axis=1), (W[:, :, None] * difference).sum(axis=1)


@pytest.mark.parametrize("own", [True, False], ids=["places", "points"])
@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_sums_are_those_of_the_definition(rng, k, own):
    Y = (2 * rng.normal(size=(70, k))).astype(np.float32)
    Z = (2 * rng.normal(size=(30, k))).astype(np.float32) if own else Y
    charges = rng.random(70).astype(np.float32)
    value, force = twin(Z, Y, charges, own)
    found = gauss_sums(Z, Y, charges, leave_out=None if own else np.arange(70))
    # exp is good to 3e-7; differences of places of size 6 to 5e-7, twice that in the exponent
    np.testing.assert_allclose(found.value, value, rtol=5e-6)
    np.testing.assert_allclose(found.force, force, rtol=2e-5, atol=1e-5)


def test_the_kernel_is_its_python_twin(rng):
    Y = rng.normal(size=(3, 12)).astype(np.float32)
    charges = rng.random(12).astype(np.float32)
    out, expected = np.zeros((12, 4), np.float32), np.zeros((12, 4), np.float32)
    _sum_pairs(Y, Y, charges, np.arange(12), 0, 12, out)
    _sum_pairs.python(Y, Y, charges, np.arange(12), 0, 12, expected)
    np.testing.assert_allclose(out, expected, rtol=1e-5, atol=1e-6)


def test_a_point_far_from_all_others_keeps_its_digits():
    Y = np.array([[0, 0], [6, 0]], np.float32)
    found = repulsion(Y)
    # the exponent, 52 in powers of 2, is good to 3e-6
    np.testing.assert_allclose(found.value, np.exp(-36), rtol=4e-6)
    np.testing.assert_allclose(found.force[:, 0], [-6 * np.exp(-36), 6 * np.exp(-36)], rtol=4e-6)


def test_a_field_gives_the_same_sums(rng, monkeypatch):
    Y = (4 * rng.normal(size=(1500, 2))).astype(np.float32)
    charges = rng.random(1500).astype(np.float32)
    exact = repulsion(Y, charges)
    monkeypatch.setattr(module, "MOST_ROWS", 1000)
    field = repulsion(Y, charges)
    scale = np.abs(exact.force).max()
    np.testing.assert_allclose(field.value, exact.value, atol=0.01 * exact.value.max())
    np.testing.assert_allclose(field.force, exact.force, atol=0.02 * scale)


def test_threads_change_no_bit(rng, monkeypatch):
    monkeypatch.setattr(module, "PIECE", 5000)
    Y = rng.normal(size=(200, 2)).astype(np.float32)
    results = []
    for threads in (1, 3):
        with lowdim.config_context(threads=threads):
            results.append(repulsion(Y))
    np.testing.assert_array_equal(results[0].value, results[1].value)
    np.testing.assert_array_equal(results[0].force, results[1].force)
