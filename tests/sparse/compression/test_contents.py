import numpy as np
import pytest

from lowdim.sparse.compression.contents import Factors, placed
from lowdim.sparse.compression.plan import Plan


def test_values_go_to_their_places():
    masks = [[np.array([[0, 1]]), np.array([[1, 0]])]]
    assert [b.tolist() for b in placed(masks, np.array([2.0, 3.0]))[0]] == [[[0, 2]], [[3, 0]]]
    for values in ([1.0], [1.0, 2.0, 3.0]):
        with pytest.raises(ValueError, match="cannot be read"):
            placed(masks, np.array(values))
    with pytest.raises(ValueError, match="cannot be read"):
        placed([[np.array([[2, 1]])]], np.array([1.0, 2.0]))


def test_factors_that_do_not_fit():
    plan = Plan((4, 5), "svd", None, None, "ycc")
    good = (np.ones((1, 4, 2)), np.ones((1, 2)), np.ones((1, 2, 5)))
    Factors(plan, *good).check()
    with pytest.raises(ValueError, match="shapes of one picture"):
        Factors(plan, good[0], good[1], good[2][:, :1]).check()
    with pytest.raises(ValueError, match="not finite"):
        Factors(plan, good[0] * np.nan, *good[1:]).check()
