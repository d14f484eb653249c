"""Contrasts and their derivatives."""

import numpy as np
import pytest

from lowdim.linear.ica.contrasts import Contrast


@pytest.mark.parametrize("fun", ["logcosh", "exp", "cube"])
def test_contrasts_have_their_derivatives(fun):
    contrast = Contrast.of(fun, None)
    y = np.linspace(-3, 3, 13)[:, None]
    _, g, slope = contrast.evaluate(y)
    step = 1e-6
    above, below = contrast.evaluate(y + step), contrast.evaluate(y - step)
    np.testing.assert_allclose((above[0] - below[0]) / (2 * step), g, atol=1e-8)
    np.testing.assert_allclose((above[1] - below[1]) / (2 * step), slope, atol=1e-7)


def test_the_contrast_of_a_gaussian_is_the_integral():
    # E log cosh v = 0.374567 (Hyvarinen 1999), E v^4 / 4 = 3/4, E -exp(-v^2/2) = -1/sqrt 2
    assert Contrast.of("logcosh", None).gaussian == pytest.approx(0.374567, abs=1e-6)
    assert Contrast.of("cube", None).gaussian == pytest.approx(0.75, abs=1e-12)
    assert Contrast.of("exp", None).gaussian == pytest.approx(-1 / np.sqrt(2), abs=1e-9)
