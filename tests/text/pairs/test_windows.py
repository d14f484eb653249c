"""Windows by their offsets."""

import numpy as np
import pytest

from lowdim.text.pairs.windows import window_of


@pytest.mark.parametrize(
    ("window", "offsets"),
    [
        (2, [-2, -1, 1, 2]),
        ((0, 3), [1, 2, 3]),
        ((1, 0), [-1]),
        ({3, -7}, [-7, 3]),
        (frozenset({1}), [1]),
        ([2, -1, 2], [-1, 2]),
        (np.int64(1), [-1, 1]),
    ],
    ids=str,
)
def test_windows_are_offsets_in_order(window, offsets):
    near = window_of(window, "harmonic", 10)
    assert near.offsets.tolist() == offsets
    np.testing.assert_array_equal(near.weights, 1 / np.abs(offsets))
    assert window_of(window, "flat", 10).weights.tolist() == [1.0] * len(offsets)


def test_a_window_is_no_wider_than_the_longest_sentence():
    assert window_of(10**12, "flat", 3).offsets.tolist() == [-3, -2, -1, 1, 2, 3]
    assert window_of((0, 10**12), "flat", 2).offsets.tolist() == [1, 2]
    assert len(window_of(5, "flat", 0).offsets) == 0


@pytest.mark.parametrize(
    "window",
    [0, -1, True, 2.5, "word", (1,), (-1, 2), (0, 0), {0}, set(), [], [1.5], [0, 1]],
    ids=repr,
)
def test_other_windows_are_refused(window):
    with pytest.raises(ValueError, match=r"window=.* must be an int of at least 1"):
        window_of(window, "flat")


def test_other_weightings_are_refused():
    with pytest.raises(ValueError, match="weighting='even' must be 'flat' or 'harmonic'"):
        window_of(2, "even")
