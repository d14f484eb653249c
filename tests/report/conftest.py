"""What the tests of `lowdim.explore` share."""

import numpy as np
import pandas as pd
import pytest

HOSTILE = '</script><script>window.hacked=1</script><img src=x onerror="window.hacked=1">'
MATH = "$$\\alpha$$"


def planted_table(n=160, missing=0.08, seed=0):
    """Two factors, two groups, one odd row; names and values that try to be markup."""
    random = np.random.default_rng(seed)
    group = np.arange(n) % 2
    Z = random.normal(size=(n, 2)) + 6 * group[:, None] * [1, 0]
    X = Z @ random.normal(size=(2, 6)) + 0.2 * random.normal(size=(n, 6))
    X[random.random(X.shape) < missing] = np.nan
    X[7, 0] = X[9, 0] - 5.0  # rows of one group, and noise of 0.2
    names = ["a", "b", "c", HOSTILE, MATH, "[[map]]"]
    table = pd.DataFrame(X, columns=names)
    table["word"] = np.where(group == 0, HOSTILE, "right")
    table.loc[3, "word"] = None
    table["name"] = [f"row <b>{i}</b>" for i in range(n)]
    return table


@pytest.fixture(scope="session")
def planted():
    """A function that makes a table with a truth to find; see `planted_table`."""
    return planted_table


@pytest.fixture(scope="module")
def few_models():
    """The comparison has tests of its own; here two methods are enough."""
    import lowdim
    from lowdim.report.explore import contest

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(contest, "models", lambda shape, rank: {"PPCA": [lowdim.ProbabilisticPCA(1)]})
        yield
