"""y beside rows: classes and numbers as columns, and what is refused."""

import numpy as np
import pytest

from lowdim.core.opening import as_blocks
from lowdim.deep.conditions import Conditional, with_conditions


class Told(Conditional):
    def __init__(self, conditional=True):
        self.conditional = conditional


def learned(y):
    model = Told()
    (columns,) = model._learn_conditions(y, as_blocks(np.zeros((len(y), 1))))
    return model, columns


@pytest.mark.parametrize(
    "y", [["b", "a", "b", "c"], [3, -1, 3, 7], np.array([1, 0, 1, 2], np.uint8)]
)
def test_classes_are_a_column_each(y):
    model, columns = learned(y)
    np.testing.assert_array_equal(columns, np.eye(3)[[1, 0, 1, 2]])
    np.testing.assert_array_equal(model.classes_, np.unique(y))
    assert model.y_mean_ is None and model._n_conditions == 3
    np.testing.assert_array_equal(model._conditions(y[3], 2)[0], np.eye(3)[[2, 2]])


def test_flags_and_words_of_frames_are_classes():
    import pandas as pd

    np.testing.assert_array_equal(learned([True, False])[1], [[0, 1], [1, 0]])
    words = pd.Series(["x", "y", "x"], dtype="category")
    np.testing.assert_array_equal(learned(words)[1], np.eye(2)[[0, 1, 0]])
    objects = np.array(["x", "y", "x"], dtype=object)
    np.testing.assert_array_equal(learned(objects)[1], np.eye(2)[[0, 1, 0]])


def test_numbers_are_measured_by_their_mean_and_deviation(rng):
    y = 5.0 + 2.0 * rng.normal(size=30)
    model, columns = learned(y)
    np.testing.assert_allclose(columns[:, 0], (y - y.mean()) / y.std())
    assert model.classes_ is None and model._n_conditions == 1
    two = rng.normal(size=(30, 2))
    np.testing.assert_allclose(learned(two)[1].std(axis=0), 1.0)
    np.testing.assert_allclose(learned(np.full(5, 3.3))[1], 0.0)
    # whole numbers go on from numbers
    np.testing.assert_allclose(model._conditions([7, 5], 2)[0][:, 0] * y.std() + y.mean(), [7, 5])


def test_columns_stand_beside_rows_in_their_precision():
    Y = np.zeros((2, 3), np.float32)
    found = with_conditions(Y, (np.ones((2, 1)),))
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, [[0, 0, 0, 1]] * 2)
    assert with_conditions(Y, ()) is Y


def test_a_y_that_is_not_asked_for_is_refused():
    assert Told(False)._conditions(None, 3) == ()
    assert Told(False)._learn_conditions([1, 2], as_blocks(np.zeros((2, 1)))) == ()
    with pytest.raises(ValueError, match=r"y=\[1, 2, 3\] was given, and Told\(conditional=False\)"):
        Told(False)._conditions([1, 2, 3], 3)


BAD = {
    "none": (["a", "b"], None, "requires y to be passed"),
    "an unknown class": (["a", "b"], ["a", "z"], "y has the class 'z', which was not among"),
    "a class of another kind": (["a", "b"], [0, 1], "y has the class 0, which was not among"),
    "too few": (["a", "b"], ["a"], "y has 1 rows, and 2 are needed"),
    "words for numbers": ([0.5, 1.5], ["a", "b"], "y holds 'a', and fit has learned from numbers"),
    "other columns": ([0.5, 1.5], [[1.0, 2.0], [3.0, 4.0]], "y has 2 numbers for each row"),
    "no number": ([0.5, 1.5], [np.nan, 1.0], "NaN"),
    "infinity": ([0.5, 1.5], [np.inf, 1.0], "infinity"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_y_that_does_not_fit_is_refused(case):
    before, y, message = BAD[case]
    model, _ = learned(before)
    with pytest.raises(ValueError, match=message):
        model._conditions(y, 2)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([["a", "b"], ["c", "d"]], "2 columns of text"),
        ([np.nan, 1.0], "NaN"),
        ([None, "a"], "None"),
        (["a"], "y has 1 rows and X has 2"),
    ],
)
def test_a_y_that_nothing_can_be_learned_from_is_refused(y, message):
    with pytest.raises(ValueError, match=message):
        Told()._learn_conditions(y, as_blocks(np.zeros((2, 1))))
