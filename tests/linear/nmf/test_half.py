import numpy as np

from lowdim.linear.nmf.half import Codes, Half
from lowdim.linear.nmf.objective import Penalty


def test_codes_are_joined_in_the_order_of_the_rows():
    parts_of_rows = [Codes((np.full((n, 2), n), np.zeros(n))) for n in (1, 2, 3)]
    W, last = (parts_of_rows[0] + parts_of_rows[1] + parts_of_rows[2]).joined()
    np.testing.assert_array_equal(W[:, 0], [1, 2, 2, 3, 3, 3])
    assert last.shape == (6,)


def test_what_is_carried_on_does_not_become_negative():
    new, last = np.array([[1.0, 1.0]]), np.array([[0.5, 4.0]])
    np.testing.assert_array_equal(Half("cd", Penalty(), 1, 0.5).carried(new, last), [[1.25, 0.0]])
    assert Half("cd", Penalty(), 1).carried(new, last) is new
