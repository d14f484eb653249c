"""Targets of networks: what they become, and what is refused."""

import numpy as np
import pytest
import scipy.sparse as sp

from lowdim.deep.targets import checked_y, decided, labels, numbers, probabilities


def test_two_classes_are_one_output():
    found = labels("M", ["b", "a", "b"], 3)
    np.testing.assert_array_equal(found.encoded, [[1], [0], [1]])
    assert (found.n_outputs, found.activation) == (1, "logistic")
    assert found.classes.tolist() == ["a", "b"]


def test_several_classes_are_numbered_in_the_order_of_the_known_ones():
    found = labels("M", [7, 3], 2, known=np.array([3, 5, 7]), activation="softmax")
    assert found.encoded.dtype == np.int64
    assert found.encoded.tolist() == [2, 0] and found.n_outputs == 3
    with pytest.raises(ValueError, match=r"not in `self.classes_`"):
        labels("M", [4], 1, known=np.array([3, 5, 7]))


def test_columns_of_0_and_1_are_labels_dense_or_sparse():
    Y = np.array([[1, 1, 0], [0, 1, 0]])
    for given in (Y, sp.csr_array(Y), Y.tolist()):
        found = labels("M", given, 2)
        np.testing.assert_array_equal(found.encoded, Y)
        assert (found.n_outputs, found.activation) == (3, "logistic")


def test_rows_of_probabilities_are_shares_of_classes():
    found = labels("M", [[0.2, 0.8], [1.0, 0.0]], 2)
    assert (found.n_outputs, found.activation) == (2, "softmax")
    with pytest.raises(ValueError, match=r"row 1 is no row of probabilities .*sum 1.5"):
        labels("M", [[0.2, 0.8], [0.75, 0.75]], 2)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "requires y to be passed"),
        ([0, 1], "y has 2 rows and X has 3"),
        ([0.5, 1.5, 2.5], "Unknown label type"),
        ([[0, 2], [1, 3], [2, 2]], "2 columns of classes"),
        ([0, np.nan, 1], "contains NaN"),
        (np.zeros((3, 1, 1, 1)), "dim"),
    ],
)
def test_other_targets_are_refused(y, message):
    with pytest.raises(ValueError, match=message):
        labels("M", y, 3)


def test_numbers_are_columns_and_counts_are_not_negative():
    assert numbers("M", [1, 2], 2).shape == (2, 1)
    assert numbers("M", [[1, 2, 3], [4, 5, 6]], 2).dtype == np.float64
    with pytest.raises(ValueError, match=r"loss='poisson' needs y >= 0, and y has -1"):
        numbers("M", [1, -1], 2, counts=True)
    assert checked_y("M", [1, 2], 2, numeric=True).shape == (2,)


def test_outputs_speak_for_classes():
    two, three = np.array(["a", "b"]), np.array([1, 5, 9])
    assert decided(np.array([[0.2], [0.7]]), two, "logistic").tolist() == ["a", "b"]
    assert decided(np.array([[0.2]]), two[:1], "logistic").tolist() == ["a"]
    output = np.array([[0.6, 0.7, 0.1]])
    assert decided(output, three, "softmax").tolist() == [5]
    assert decided(output, three, "logistic").tolist() == [[1, 1, 0]]
    np.testing.assert_allclose(probabilities(np.array([[0.2]]), two), [[0.8, 0.2]])
    np.testing.assert_array_equal(probabilities(np.array([[0.2]]), two[:1]), [[1.0]])
    assert probabilities(output, three) is output
