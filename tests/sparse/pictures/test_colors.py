import numpy as np
import pytest

from lowdim.sparse.pictures.colors import OPPONENT, YCC, color_matrix, mixed


def test_opponent_axes_are_orthonormal():
    assert np.allclose(OPPONENT @ OPPONENT.T, np.eye(3), atol=1e-15)


def test_grey_has_no_colour():
    for M in (OPPONENT, YCC):
        assert np.allclose((M @ np.ones(3))[1:], 0, atol=1e-15)
    assert (YCC @ np.ones(3))[0] == pytest.approx(1)


def test_pure_colours_have_the_values_of_bt601():
    assert np.allclose(YCC @ [0, 0, 1], [0.114, 0.5, -0.114 / 1.402])
    assert np.allclose(YCC @ [1, 0, 0], [0.299, -0.299 / 1.772, 0.5])


def test_alpha_stays(rng):
    planes = rng.normal(size=(4, 3, 2))
    out = mixed(color_matrix("ycc", 4), planes)
    assert np.array_equal(out[3], planes[3])
    assert np.allclose(mixed(np.linalg.inv(color_matrix("ycc", 4)), out), planes)


def test_a_pixel_is_mixed_as_if_it_were_alone(rng):
    planes = rng.normal(size=(3, 40, 50))
    whole = mixed(OPPONENT, planes)
    for rows, columns in ((slice(7), slice(3)), (slice(5, 40), slice(1)), (slice(2, 3), slice(9))):
        part = mixed(OPPONENT, planes[:, rows, columns])
        assert np.array_equal(part, whole[:, rows, columns])
    assert np.allclose(whole, np.tensordot(OPPONENT, planes, 1))
