import numpy as np
import pytest
import scipy.sparse as sp

import lowdim
from lowdim.core.blocks import ArrayBlocks
from lowdim.linear.nmf.objective import Penalty, penalties, refuse_negative, units_of


def test_a_penalty_worked_by_hand():
    Z = np.array([[1.0, 2.0], [0.0, 3.0]])
    assert Penalty(2.0, 4.0).of(Z) == 2.0 * 6.0 + 2.0 * 14.0
    assert Penalty(2.0, 4.0).of(Z, np.array([1.0, 2.0])) == 2.0 * 9.0 + 2.0 * 23.0


def test_penalties_are_those_of_scikit_learn():
    units = units_of(ArrayBlocks(np.ones((5, 3))), None, 2.0, "NMF")
    found = penalties(lowdim.NMF(alpha_W=0.5, alpha_H=0.1, l1_ratio=0.25), units, 3)
    np.testing.assert_allclose(found.W, (0.5 * 3 * 0.25, 0.5 * 3 * 0.75))
    np.testing.assert_allclose(found.H, (0.1 * 5 * 0.25, 0.1 * 5 * 0.75))
    same = penalties(lowdim.NMF(alpha_W=0.5, l1_ratio=0.25), units, 3)
    np.testing.assert_allclose(same.H, (0.5 * 5 * 0.25, 0.5 * 5 * 0.75))


@pytest.mark.parametrize("sparse", [False, True])
def test_units_are_powers_of_four_and_means_are_weighted(sparse):
    X = np.array([[0.0, 4.0], [2.0, 0.0], [0.0, 0.0]]) * 2.0**500
    rows = ArrayBlocks(sp.csr_array(X) if sparse else X)
    units = units_of(rows, np.array([1.0, 3.0, 1.0]), 2.0, "NMF")
    assert np.log2(units.unit) % 2 == 0 and units.root**2 == units.unit
    assert units.mean * units.unit == 2.0**500
    assert (units.weight, units.density) == (5.0, 0.4)


def test_a_negative_value_is_named():
    with pytest.raises(ValueError, match=r"passed to NMF \(input X\): the least is -3"):
        refuse_negative(np.array([[1.0, -3.0], [np.nan, -1.0]]), "NMF")
    refuse_negative(sp.csr_array((2, 2)), "NMF")
