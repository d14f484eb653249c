import numpy as np
import pytest

from lowdim import plots
from tests.plots.reading import curves


def test_shares_are_cells_and_theory_a_line():
    success = np.array([[1.0, 0.2, 0.0], [1.0, 0.9, 0.1]])
    ax = plots.phase_diagram(success, [0.2, 0.6], [0.1, 0.3, 0.5], [0.25, 0.4])
    assert np.array_equal(ax.collections[0].get_array().reshape(3, 2), success.T)
    (line,) = curves(ax)
    assert np.allclose(line, [[0.2, 0.25], [0.6, 0.4]])
    assert "M/N" in ax.get_xlabel() and "K/M" in ax.get_ylabel()


def test_cells_lie_around_their_values():
    ax = plots.phase_diagram([[1.0, 0.0]], [0.5], [0.1, 0.3])
    corners = ax.collections[0].get_coordinates()
    assert np.allclose(corners[:, 0, 1], [0.0, 0.2, 0.4])
    assert np.allclose(corners[0, :, 0], [0.45, 0.55])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[1.0]], [0.5, 0.6], [0.1]), "deltas has 2 entries where 1 are needed"),
        (([[1.0, 1.0]], [0.5], [0.3, 0.1]), "rhos must rise"),
        (([1.0], [0.5], [0.1]), "success has shape"),
    ],
)
def test_bad_arguments_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        plots.phase_diagram(*arguments)
