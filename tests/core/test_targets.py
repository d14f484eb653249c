"""What is to be predicted, at the door."""

import numpy as np
import pytest
import scipy.sparse as sp

from lowdim.core.blocks import ArrayBlocks
from lowdim.core.targets import check_targets


class Model:
    pass


ROWS = ArrayBlocks(np.zeros((4, 2)))


@pytest.mark.parametrize("given", [[1, 2, 3, 4], np.arange(4, dtype=np.float32), range(4)])
def test_numbers_of_any_kind_become_float64(given):
    y = check_targets(Model(), given, ROWS)
    assert y.dtype == np.float64 and y.shape == (4,)
    np.testing.assert_array_equal(y, list(given))


def test_several_outputs_stay_columns_and_dask_comes_into_memory():
    da = pytest.importorskip("dask.array")
    y = check_targets(Model(), da.from_array(np.ones((4, 3)), chunks=(2, 3)), ROWS)
    assert isinstance(y, np.ndarray) and y.shape == (4, 3) and y.flags.c_contiguous


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        (None, ValueError, "Model requires y to be passed, but the target y is None"),
        ([1, 2, 3], ValueError, "inconsistent numbers of samples: X has 4 rows, y has 3"),
        (np.ones((4, 1, 1)), ValueError, r"y has shape \(4, 1, 1\); Model needs \(4,\)"),
        (np.ones((4, 0)), ValueError, r"y has shape \(4, 0\)"),
        (sp.csr_array(np.ones((4, 1))), TypeError, "y is a sparse matrix"),
        ([1, np.nan, 3, np.nan], ValueError, r"y contains NaN in 2 of 4 rows \(first: row 1\)"),
        ([1, 2, np.inf, 4], ValueError, r"y contains infinity in 1 of 4 rows \(first: row 2\)"),
        (["a", "b", "c", "d"], ValueError, "y has the text 'a'|y holds values of dtype"),
    ],
)
def test_what_is_no_target_is_refused(given, error, message):
    with pytest.raises(error, match=message):
        check_targets(Model(), given, ROWS)
