"""Direct sums: beside plain sums in double precision, in blocks, on threads."""

import numpy as np
import pytest

import lowdim
from lowdim.maps.field import direct as module
from lowdim.maps.field.direct import direct
from lowdim.maps.field.radial import radial


def plain(Z, Y, charges, kernel):
    difference = Z[:, None, :].astype(np.float64) - Y
    value, slope = kernel.value_and_slope((difference**2).sum(axis=2))
    return value @ charges, 2 * np.einsum("ij,ijk,j->ik", slope, difference, charges)


@pytest.mark.parametrize(
    ("name", "dof"), [("student", 1.0), ("student", 2.0), ("student", 2.5), ("gauss", 1.0)]
)
@pytest.mark.parametrize("axes", [1, 2, 3, 5])
def test_sums_are_those_of_the_definition(name, dof, axes, rng):
    kernel = radial(name, dof)
    Z, Y, charges = rng.normal(size=(40, axes)), rng.normal(size=(70, axes)), rng.random(70)
    values, gradients = direct(Z, Y, charges.astype(np.float32), kernel)
    expected_values, expected_gradients = plain(Z, Y, charges, kernel)
    np.testing.assert_allclose(values, expected_values, rtol=2e-5)
    np.testing.assert_allclose(gradients, expected_gradients, atol=1e-4)


def test_far_from_zero_places_keep_their_digits(rng):
    Y = rng.normal(size=(50, 2))
    near, away = (direct(A, A, np.ones(50, np.float32), radial("student")) for A in (Y, Y + 1e7))
    np.testing.assert_allclose(away[0], near[0], rtol=1e-5)
    np.testing.assert_allclose(away[1], near[1], atol=1e-4)


@pytest.mark.parametrize("dof", [1.0, 3.0])
def test_blocks_and_threads_change_no_bit(dof, rng, monkeypatch):
    Y, charges = rng.normal(size=(300, 2)), rng.random(300).astype(np.float32)
    monkeypatch.setattr(module, "FEW_PAIRS", 0)
    monkeypatch.setattr(module, "PAIRS", 300 * 32)
    results = []
    for threads in (1, 2, 3):
        with lowdim.config_context(threads=threads):
            results.append(direct(Y, Y, charges, radial("student", dof)))
    for other in results[1:]:
        for left, right in zip(results[0], other, strict=True):
            np.testing.assert_array_equal(left, right)


def test_no_places_have_no_values():
    values, gradients = direct(
        np.empty((0, 2)), np.ones((3, 2)), np.ones(3, np.float32), radial("student")
    )
    assert values.shape == (0,)
    assert gradients.shape == (0, 2)
