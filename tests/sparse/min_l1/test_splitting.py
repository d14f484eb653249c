import numpy as np
import pytest
from scipy.sparse.linalg import LinearOperator

from lowdim import sparse
from lowdim.sparse.min_l1 import splitting
from lowdim.sparse.min_l1.problem import OutsideError, Problem
from tests.sparse.min_l1.examples import coded, planted, proves


def test_tight_frames_are_seen(rng):
    U = sparse.union(sparse.basis("identity", 16), sparse.basis("haar", 16))
    assert splitting.tight_frame(Problem(U)) == pytest.approx(2.0)
    assert splitting.tight_frame(Problem(rng.normal(size=(8, 20)))) is None


@pytest.mark.parametrize("way", ["matrix", "decomposed", "gradients"])
@pytest.mark.parametrize("extra", [0.0, 0.7])
def test_the_inverse_of_the_frame(rng, monkeypatch, way, extra):
    A = rng.normal(size=(8, 20))
    if way != "matrix":
        monkeypatch.setattr("lowdim.sparse.min_l1.problem.WRITTEN_DOWN", 1)
    if way == "gradients":
        monkeypatch.setattr(splitting, "LARGEST_GRAM", 1)
    U = LinearOperator(A.shape, lambda z: A @ z, lambda x: A.T @ x, dtype=float)
    solve = splitting.frame_inverse(Problem(U), extra, None)
    for y in rng.normal(size=(3, 8)):
        assert np.allclose(solve(y), np.linalg.solve(A @ A.T + extra * np.eye(8), y), atol=1e-8)


@pytest.mark.parametrize("noise", [0.0, 0.1])
def test_large_operators_need_products_alone(rng, monkeypatch, noise):
    monkeypatch.setattr("lowdim.sparse.min_l1.problem.WRITTEN_DOWN", 1)
    U = sparse.union(sparse.basis("identity", 128), sparse.basis("dct", 128))
    z, x = coded(rng, U, 6)
    found = sparse.basis_pursuit(U, x, noise=noise)
    assert found.solver == "admm" and proves(U.matrix(), x, found, noise=noise)
    if not noise:
        assert np.allclose(found.coef, z, atol=1e-8)


def test_outside_of_the_span():
    problem = Problem(np.eye(3)[:, :2])
    for noise in (0.0, 0.4):
        with pytest.raises(OutsideError) as error:
            splitting.check_span(problem, np.array([1.0, 2.0, 0.5]), noise)
        assert error.value.left == pytest.approx(0.5)
    splitting.check_span(problem, np.array([1.0, 2.0, 0.5]), 0.6)


def test_an_answer_is_sparse(rng):
    U, z, x = planted(rng, 40, 100, 5)
    found = splitting.alternate(Problem(U), x, 0.0, 1e-8, 10_000)
    assert found.finished and np.count_nonzero(found.coef) == 5
    assert np.allclose(found.coef, z)
