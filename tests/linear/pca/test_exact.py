"""Axes from a whole matrix."""

import numpy as np
import pytest

import lowdim
from lowdim import PCA
from lowdim.core.opening import as_blocks
from lowdim.linear.pca.axes import AxesProblem
from lowdim.linear.pca.exact import arpack, covariance_eigh, full, gram
from tests.linear.pca.tables import spectrum_data


def test_solvers_that_need_the_matrix_refuse_streams_and_say_what_to_choose(rng):
    X = spectrum_data(rng)
    rows = lowdim.stream(lambda: iter([X]))
    for solver in ("full", "gram"):
        with pytest.raises(TypeError, match="choose 'krylov' or 'covariance_eigh'"):
            PCA(2, svd_solver=solver).fit(rows)
    with pytest.raises(ValueError, match="choose 'krylov'"):
        PCA(2, svd_solver="arpack").fit(rows)


@pytest.mark.parametrize("weighted", [True, False])
def test_the_gram_matrix_the_covariance_and_the_svd_give_the_same_axes(rng, weighted):
    X = rng.normal(size=(12, 30)) * np.linspace(3.0, 1.0, 30) + 5.0
    weight = rng.uniform(0.5, 2.0, size=12) if weighted else None
    problem = AxesProblem(PCA(), as_blocks(X), weight, 3, rng)
    reference = covariance_eigh(problem)
    for solver in (gram, full, arpack):
        axes = solver(problem)
        np.testing.assert_allclose(axes.scatter, reference.scatter, rtol=1e-9)
        np.testing.assert_allclose(np.abs(np.sum(axes.W * reference.W, axis=0)), 1.0, atol=1e-8)
        assert axes.total == pytest.approx(reference.total, rel=1e-10)
