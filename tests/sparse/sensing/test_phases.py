import numpy as np
import pytest

import lowdim
from lowdim import sparse
from lowdim.sparse.sensing.needed import found_share


def test_nearly_all_are_found_below_the_line_and_nearly_none_above(seed):
    line = found_share(0.5)
    found = sparse.phase_transition(
        80, [0.5], [line - 0.2, line + 0.2], n_trials=8, random_state=seed
    )
    assert found.success[0, 0] >= 7 / 8 and found.success[0, 1] <= 1 / 8
    assert found.theory == pytest.approx([line])


def test_shapes_and_settings_are_kept():
    found = sparse.phase_transition(20, [0.2, 0.5, 0.9], [0.3, 0.6], n_trials=1, random_state=0)
    assert found.success.shape == (3, 2) and found.theory.shape == (3,)
    assert np.array_equal(found.deltas, [0.2, 0.5, 0.9]) and np.array_equal(found.rhos, [0.3, 0.6])
    assert np.all(np.diff(found.theory) > 0)


def test_threads_change_nothing():
    one, two = (None, None)
    with lowdim.config_context(threads=1):
        one = sparse.phase_transition(30, [0.5, 0.7], [0.2, 0.5], n_trials=3, random_state=1)
    with lowdim.config_context(threads=2):
        two = sparse.phase_transition(30, [0.5, 0.7], [0.2, 0.5], n_trials=3, random_state=1)
    assert np.array_equal(one.success, two.success)


def test_any_method_can_be_tried():
    def least_squares(U, y):
        return np.linalg.pinv(U) @ y

    few = sparse.phase_transition(
        20, [0.5, 1.0], [0.2], n_trials=3, method=least_squares, random_state=0
    )
    assert few.success.tolist() == [[0.0], [1.0]]  # only where all numbers are measured


@pytest.mark.parametrize("method", ["omp", "ols", "cosamp", "iht"])
def test_greedy_pursuits_find_few_and_not_many(method):
    found = sparse.phase_transition(
        60, [0.5], [0.1, 0.9], n_trials=4, method=method, random_state=1
    )
    assert found.success[0, 0] >= 0.75 and found.success[0, 1] == 0


def test_the_picture_has_the_line_of_theory():
    found = sparse.phase_transition(10, [0.4, 0.8], [0.3, 0.7], n_trials=1, random_state=0)
    ax = found.plot()
    assert np.allclose(ax.lines[0].get_ydata(), found.theory)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"deltas": [0.0, 0.5]}, "deltas must be numbers more than 0 and at most 1"),
        ({"rhos": [1.2]}, "rhos must be numbers more than 0 and at most 1"),
        ({"rhos": []}, "rhos must be numbers"),
        ({"n_trials": 0}, "n_trials=0 is too small"),
        ({"size": 2.5}, "size=2.5 must be an int"),
        ({"method": "magic"}, "method='magic' is not known"),
    ],
)
def test_bad_input(changed, message):
    settings = {"size": 10, "deltas": [0.5], "rhos": [0.5], "n_trials": 1, **changed}
    with pytest.raises(ValueError, match=message):
        sparse.phase_transition(settings.pop("size"), **settings)
