import warnings

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.linalg import LinearOperator, aslinearoperator
from sklearn.exceptions import ConvergenceWarning

from lowdim import sparse
from lowdim.sparse.min_l1 import solve
from tests.sparse.min_l1.examples import AWKWARD, awkward, coded, planted, proves

SOLVERS = ("lp", "homotopy", "admm")
SMALL = np.array([[1.0, 0.0, 2**-0.5], [0.0, 1.0, 2**-0.5]])


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_diagonal_is_one_atom(solver):
    found = sparse.basis_pursuit(SMALL, [1.0, 1.0], solver=solver)
    assert np.allclose(found.coef, [0, 0, np.sqrt(2)], atol=1e-9)
    assert np.abs(found.coef).sum() == pytest.approx(np.sqrt(2), rel=1e-12)
    assert found.solver == solver and proves(SMALL, np.ones(2), found)


def test_in_an_orthonormal_basis_noise_is_soft_thresholding(rng):
    U = sparse.basis("dct", 32)
    x = rng.normal(size=32)
    noise = 0.5 * np.linalg.norm(x)
    z = U.analyze(x)

    def left(t):
        return np.linalg.norm(np.minimum(np.abs(z), t))

    low, high = 0.0, np.abs(z).max()
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if left(middle) < noise else (low, middle)
    expected = np.sign(z) * np.maximum(np.abs(z) - low, 0)
    for solver in ("homotopy", "admm"):
        found = sparse.basis_pursuit(U, x, noise=noise, solver=solver)
        assert np.allclose(found.coef, expected, atol=1e-8)


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_planted_code_is_found(rng, solver):
    U, z, x = planted(rng, 40, 100, 5)
    found = sparse.basis_pursuit(U, x, solver=solver)
    assert np.allclose(found.coef, z, atol=1e-8)
    assert proves(U, x, found)


@pytest.mark.parametrize("kind", AWKWARD)
@pytest.mark.parametrize("whole", [False, True])
def test_awkward_dictionaries_are_proved(rng, kind, whole):
    U = awkward(kind, rng)
    z, x = coded(rng, U, min(5, U.shape[1]), whole=whole)
    program = sparse.basis_pursuit(U, x, solver="lp")
    for solver in ("homotopy", "admm"):
        found = sparse.basis_pursuit(U, x, solver=solver)
        assert proves(U, x, found)
        cost = np.abs(found.coef).sum()
        assert cost == pytest.approx(np.abs(program.coef).sum(), rel=1e-7, abs=1e-12)
        assert cost <= np.abs(z).sum() * (1 + 1e-7)


@pytest.mark.parametrize("kind", AWKWARD)
def test_with_noise_homotopy_and_admm_agree(rng, kind):
    U = awkward(kind, rng)
    x = rng.normal(size=U.shape[0])
    reach = np.linalg.norm(x - U @ np.linalg.lstsq(U, x)[0])
    noise = 0.7 * reach + 0.3 * np.linalg.norm(x)
    exact, other = (
        sparse.basis_pursuit(U, x, noise=noise, solver=solver) for solver in ("homotopy", "admm")
    )
    assert proves(U, x, exact, noise=noise) and proves(U, x, other, noise=noise)
    assert np.abs(exact.coef).sum() == pytest.approx(np.abs(other.coef).sum(), rel=2e-8)


def test_with_noise_all_of_it_is_used(rng):
    U, _, x = planted(rng, 20, 50, 8)
    found = sparse.basis_pursuit(U, x, noise=0.3)
    assert np.linalg.norm(x - U @ found.coef) == pytest.approx(0.3, rel=1e-9)
    assert proves(U, x, found, noise=0.3)


@pytest.mark.parametrize("solver", SOLVERS)
def test_weights_are_costs(rng, solver):
    U, _, x = planted(rng, 15, 40, 6)
    weights = rng.uniform(0.5, 2.0, size=40)
    found = sparse.basis_pursuit(U, x, weights=weights, solver=solver)
    assert proves(U, x, found, weights=weights)
    scaled = sparse.basis_pursuit(U / weights, x, solver="lp")  # z_j = v_j / w_j
    assert weights @ np.abs(found.coef) == pytest.approx(np.abs(scaled.coef).sum(), rel=1e-8)


@pytest.mark.parametrize("scale", [1e-150, 1e-30, 1e30, 1e150])
def test_units_of_signal_and_atoms_do_not_matter(rng, scale):
    U, z, x = planted(rng, 20, 40, 3)
    assert np.allclose(sparse.basis_pursuit(U, x * scale).coef / scale, z, atol=1e-9)
    found = sparse.basis_pursuit(U * scale, x)
    assert np.allclose(found.coef * scale, z, atol=1e-9)
    assert np.abs(U.T @ (found.dual * scale)).max() <= 1 + 1e-9
    noisy = sparse.basis_pursuit(U, x * scale, noise=0.2 * scale)
    assert np.allclose(noisy.coef / scale, sparse.basis_pursuit(U, x, noise=0.2).coef, atol=1e-9)


def test_kinds_of_dictionaries_give_one_answer(rng):
    U = sparse.union(sparse.basis("identity", 32), sparse.basis("dct", 32))
    z, x = coded(rng, U, 3)
    forms = [
        U,
        U.matrix(),
        aslinearoperator(U.matrix()),
        csr_array(U.matrix()),
        U.matrix().tolist(),
    ]
    for form in forms:
        assert np.allclose(sparse.basis_pursuit(form, x).coef, z, atol=1e-9)


def test_float32_is_computed_in_float64_and_its_rounding_is_not_coded(rng):
    U, z, x = planted(rng, 40, 100, 5)
    U, x = U.astype(np.float32), x.astype(np.float32)
    found = sparse.basis_pursuit(U, x)
    assert found.coef.dtype == np.float64
    # a code of all of the rounding has 40 non-zeros
    assert np.allclose(found.coef, z, atol=1e-5) and np.count_nonzero(found.coef) < 20
    noise = np.finfo(np.float32).eps * np.linalg.norm(x.astype(float))
    assert proves(U.astype(float), x.astype(float), found, noise=noise)
    exact = sparse.basis_pursuit(U, x, solver="lp")
    assert np.allclose(U.astype(float) @ exact.coef, x, rtol=0, atol=1e-9)


def test_what_the_noise_explains_needs_no_atoms(rng):
    U, _, x = planted(rng, 10, 20, 3)
    found = sparse.basis_pursuit(U, x, noise=2 * np.linalg.norm(x))
    assert not found.coef.any() and found.gap == 0.0 and found.n_iter == 0
    assert not sparse.basis_pursuit(U, np.zeros(10)).coef.any()


def test_one_number_and_one_atom():
    found = sparse.basis_pursuit([[2.0]], [3.0])
    assert found.coef == pytest.approx([1.5])
    assert found.dual == pytest.approx([0.5])


def test_auto_hands_over_where_a_path_does_not_end(rng, monkeypatch):
    U, z, x = planted(rng, 20, 40, 3)
    monkeypatch.setattr(solve, "follow", lambda *args: None)
    monkeypatch.setattr(solve, "jump", lambda *args: None)
    found = sparse.basis_pursuit(U, x)
    assert found.solver == "lp" and np.allclose(found.coef, z, atol=1e-8)
    assert sparse.basis_pursuit(U, x, noise=0.1).solver == "admm"
    with pytest.warns(ConvergenceWarning, match="no code that makes x"):
        sparse.basis_pursuit(U, x, solver="homotopy")


@pytest.mark.parametrize("solver", SOLVERS)
def test_too_few_iterations_are_a_warning(rng, solver):
    U, _, x = planted(rng, 20, 60, 12)
    with pytest.warns(ConvergenceWarning, match=rf"of {solver} .*Raise max_iter"):
        found = sparse.basis_pursuit(U, x, solver=solver, max_iter=2)
    assert np.abs(U.T @ found.dual).max() <= 1 + 1e-12
    assert found.gap > 1e-8


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_signal_outside_of_the_span(rng, solver):
    U = rng.normal(size=(6, 3)) @ rng.normal(size=(3, 9))
    x = 100 * rng.normal(size=6)
    left = np.linalg.norm(x - U @ np.linalg.lstsq(U, x)[0])
    with pytest.raises(ValueError, match=f"no sum of the atoms of U.* misses it by {left:.3g} "):
        sparse.basis_pursuit(U, x, solver=solver)
    if solver != "lp":
        with pytest.raises(ValueError, match=f"is too small: .* misses x by {left:.3g}\\. "):
            sparse.basis_pursuit(U, x, noise=0.9 * left, solver=solver)


def large_operator():
    return LinearOperator((2**12, 2**12), matvec=lambda z: z, rmatvec=lambda x: x, dtype=float)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"x": [1.0, np.nan]}, "x has NaN or infinity .first: number 1"),
        ({"x": [1.0, 2.0, 3.0]}, r"x has the shape \(3,\); U makes signals of 2 numbers"),
        ({"U": [[1.0, 0.0], [1.0, 0.0]]}, "Atom 1 of U is zero"),
        ({"U": [[1.0, np.nan], [1.0, 0.0]]}, "U has NaN or infinity"),
        ({"U": [1.0, 2.0]}, r"U has the shape \(2,\)"),
        ({"noise": -1.0}, "noise=-1.0 must be at least 0"),
        ({"noise": np.nan}, "noise=nan must be a number"),
        ({"noise": 0.1, "solver": "lp"}, "solver='lp' is for noise=0"),
        ({"weights": [1.0, 1.0]}, r"weights have the shape \(2,\); U has 3 atoms"),
        ({"weights": [1.0, -1.0, 1.0]}, r"weights\[1\]=-1; weights must be positive"),
        ({"weights": [1.0, np.nan, 1.0]}, r"weights\[1\]=nan; weights must be positive"),
        ({"solver": "simplex"}, "solver='simplex' is not known; choose one of 'auto', 'lp'"),
        ({"tol": 0.0}, "tol=0.0 must be more than 0"),
        ({"max_iter": 0}, "max_iter=0 is too small"),
        ({"U": large_operator(), "x": np.ones(2**12), "solver": "lp"}, "choose 'admm'"),
    ],
)
def test_bad_input(arguments, message):
    with pytest.raises(ValueError, match=message):
        sparse.basis_pursuit(**{"U": SMALL, "x": [1.0, 1.0], **arguments})


def test_answers_need_no_warnings(rng):
    U, _, x = planted(rng, 30, 60, 25)  # too many non-zeros to be found, but proved all the same
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for solver in SOLVERS:
            assert proves(U, x, sparse.basis_pursuit(U, x, solver=solver))


@pytest.mark.parametrize("solver", ["lp", "homotopy", "admm"])
@pytest.mark.parametrize("unit", [1e-100, 1e-30, 1e30, 1e100])
def test_the_unit_of_atoms_does_not_matter(rng, solver, unit):
    U, _, x = planted(rng, 10, 30, 3)
    plain = sparse.basis_pursuit(U, x)
    found = sparse.basis_pursuit(U * unit, x, solver=solver)
    assert np.allclose(found.coef * unit, plain.coef, atol=1e-6)
