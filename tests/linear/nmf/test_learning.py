import numpy as np
import pytest

from lowdim import NMF
from lowdim.core.blocks import ArrayBlocks
from lowdim.linear.nmf.data import data_of
from lowdim.linear.nmf.divergence import divergence_by_row
from lowdim.linear.nmf.learning import Problem, Solver, learn_factors
from lowdim.linear.nmf.objective import penalties, units_of
from lowdim.linear.nmf.start import Factors
from tests.linear.nmf.examples import parts


@pytest.mark.parametrize(
    ("solver", "beta"), [("cd", 2.0), ("bpp", 2.0), ("mu", 2.0), ("mu", 1.0), ("mu", 0.5)]
)
def test_the_factors_are_no_worse_than_the_last_objective(solver, beta, rng):
    X = parts(rng) + 0.1
    rows, model = ArrayBlocks(X), NMF(3, max_iter=7, tol=0)
    units = units_of(rows, None, beta, "NMF")
    problem = Problem(rows, None, None, units, penalties(model, units, 12))
    start = Factors(rng.random((40, 3)) + 0.1, rng.random((12, 3)) + 0.1)
    data = data_of(rows, None, units.unit)
    W, V = learn_factors(model, problem, data, lambda: start, rng, Solver(solver))
    X = X / units.unit
    size = 0.5 * np.sum(X**2) if beta == 2.0 else np.sum(X**beta)
    J = divergence_by_row(X, W @ V.T, beta).sum() / size
    last = model.history_[-1]
    assert J <= last * (1 + 1e-10)  # updates: the last components were not yet looked at
    if solver != "mu" or beta == 1.0:
        assert last == pytest.approx(J, rel=1e-8)
