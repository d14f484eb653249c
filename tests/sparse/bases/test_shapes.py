import numpy as np
import pytest

from lowdim.sparse.bases.shapes import checked_shape


@pytest.mark.parametrize("shape", [8, np.int64(8), (8,), [8]])
def test_a_length(shape):
    assert checked_shape(shape) == (8,)


@pytest.mark.parametrize("shape", [0, -1, 2.5, "8", True, (2, 3, 4), (), (4, 0), None])
def test_what_is_no_shape(shape):
    with pytest.raises(ValueError, match="length of a signal, or the height and width"):
        checked_shape(shape)
