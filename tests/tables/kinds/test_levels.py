"""Columns with a few levels, in an order or in none."""

from __future__ import annotations

import pytest

from lowdim.tables.errors import TableError
from tests.tables.kinds.columns import described, repeated


def test_order_is_the_users():
    column = described(repeated("low", "high", "middle"), ordered={"x": ["low", "middle", "high"]})
    assert (column.kind, column.codec.levels) == ("ordered", ("low", "middle", "high"))
    with pytest.raises(TableError, match=r"'x' has 'middle', which its order \(low, high\)"):
        described(repeated("low", "high", "middle"), ordered={"x": ["low", "high"]})
    numbers = described(repeated(3, 1, 2), ordered={"x": [1, 2, 3]})
    assert numbers.codec.numbers.tolist() == [1.0, 2.0, 3.0]
