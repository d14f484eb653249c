import numpy as np
import pytest

from lowdim.deep.transformer.orders import order_of


def test_orders():
    np.testing.assert_array_equal(order_of(None, 4, 0), np.arange(4))
    np.testing.assert_array_equal(order_of([2, 0, 1], 3, 0), [2, 0, 1])
    drawn = order_of("random", 30, 5)
    np.testing.assert_array_equal(np.sort(drawn), np.arange(30))
    np.testing.assert_array_equal(drawn, order_of("random", 30, 5))
    assert not np.array_equal(drawn, np.arange(30))


@pytest.mark.parametrize("order", [[0, 1], [0, 1, 1], [1, 2, 3], [0.0, 1.0, 2.0], [[0, 1, 2]]])
def test_what_is_no_permutation_is_refused(order):
    with pytest.raises(ValueError, match=r"order=.*each of the 3 columns 0 to 2 once"):
        order_of(order, 3, 0)
