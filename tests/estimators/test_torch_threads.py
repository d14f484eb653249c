"""The number of torch's threads belongs to the user: no method of a network changes it."""

from __future__ import annotations

import numpy as np
import pytest

from tests.estimators.examples import CLASSES, quiet, short, small, table

torch = pytest.importorskip("torch")

pytestmark = quiet

NETWORKS = [name for name, cls in CLASSES.items() if cls.__module__.startswith("lowdim.deep.")]
X = table(n=30)
MISSING = np.where(X > 16, np.nan, X)
ASKS = {
    **{name: (X,) for name in ("transform", "predict", "score_samples", "score")},
    "impute": (MISSING,),
    "sample": (3,),
}


@pytest.mark.parametrize("name", NETWORKS)
def test_threads_of_torch_are_left_alone(name):
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    try:
        model = short(small(name), max_iter=1).fit(X)
        assert torch.get_num_threads() == 3
        for method, arguments in ASKS.items():
            if hasattr(model, method):
                getattr(model, method)(*arguments)
                assert torch.get_num_threads() == 3, method
    finally:
        torch.set_num_threads(before)
