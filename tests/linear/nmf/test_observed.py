import numpy as np
import pytest
from scipy.optimize import nnls

from lowdim.linalg.entries import observed
from lowdim.linalg.ridge import Regression, row_systems
from lowdim.linear.nmf import observed as module
from lowdim.linear.nmf.half import Half
from lowdim.linear.nmf.objective import Penalty
from lowdim.linear.nmf.observed import exact_codes, fits, lower_rows, lower_systems
from tests.linear.nmf.examples import parts

PENALTIES = [Penalty(), Penalty(0.2, 0.3)]


def example(rng, n=30, d=12, k=4):
    X = parts(rng, n, d)
    X[rng.random(X.shape) < 0.3] = np.nan
    X[4] = np.nan
    entries = observed(X)
    return X, entries, rng.random(entries.nnz) + 0.1, rng.random((d, k)), rng.random((n, k))


def J(x, w, V, z, penalty):
    o = ~np.isnan(x)
    left = x[o] - V[o] @ z
    return 0.5 * w @ left**2 + penalty.l1 * z.sum() + 0.5 * penalty.l2 * z @ z


def by_row(entries, weight):
    return np.split(weight, entries.indptr[1:-1])


@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("with_weights", [False, True])
def test_one_sweep_is_what_is_written_down(penalty, with_weights, rng):
    X, entries, weight, V, Z = example(rng)
    weight = weight if with_weights else np.ones(entries.nnz)
    half = Half("cd", penalty, 1)
    found = lower_rows(entries, weight if with_weights else None, V, Z, half)
    for i, w in enumerate(by_row(entries, weight)):
        o, z, slope = ~np.isnan(X[i]), Z[i].copy(), 0.0
        for r in range(4):
            down = w * V[o, r] @ (X[i, o] - V[o] @ z) - penalty.l1 - penalty.l2 * z[r]
            slope += abs(down) if z[r] > 0 or down > 0 else 0.0
            curve = w @ V[o, r] ** 2 + penalty.l2
            z[r] = max(0.0, z[r] + down / curve) if curve > 0 else z[r]
        np.testing.assert_allclose(found.Z[i], z, atol=1e-12)
        fit = J(X[i], w, V, z, Penalty())
        assert found.fit[i] == pytest.approx(fit, abs=1e-10)
        assert found.slope[i] == pytest.approx(slope if curve > 0 else 0.0, abs=1e-10)


@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("solver", ["cd", "bpp", "als"])
def test_long_rows_and_sums_give_the_same(penalty, solver, rng, monkeypatch):
    _, entries, weight, V, Z = example(rng)
    half = Half(solver, penalty, 3, order=np.array([2, 0, 3, 1]))
    plain = lower_rows(entries, weight, V, Z, half)
    on = Regression(V, np.zeros(len(V)), np.zeros(4))
    systems = row_systems(entries, on, weight=weight)
    found, slope = lower_systems(systems, Z, half)
    np.testing.assert_allclose(found, plain.Z, atol=1e-9)
    used = np.diff(entries.indptr) > 0
    np.testing.assert_allclose(slope[used], plain.slope[used], atol=1e-9)
    squares = np.array(
        [
            w @ x**2
            for w, x in zip(by_row(entries, weight), by_row(entries, entries.data), strict=True)
        ]
    )
    np.testing.assert_allclose(fits(systems, squares, found), plain.fit, atol=1e-9)
    monkeypatch.setattr(module, "LONGEST_BYTES", 0)
    monkeypatch.setattr(module, "SYSTEMS_BYTES", 8 * 16 * 7)  # seven rows at a time
    again = lower_rows(entries, weight, V, Z, half)
    np.testing.assert_allclose(again.Z, plain.Z, atol=1e-9)
    np.testing.assert_allclose(again.fit, plain.fit, atol=1e-9)


def test_exact_codes_are_those_of_each_row_alone(rng):
    X, entries, weight, V, Z = example(rng)
    found = exact_codes(entries, weight, V, Penalty(), Z)
    for i, w in enumerate(by_row(entries, weight)):
        o, root = ~np.isnan(X[i]), np.sqrt(w)
        if o.sum() >= 4:
            np.testing.assert_allclose(
                found[i], nnls(root[:, None] * V[o], root * X[i, o])[0], atol=1e-7
            )
    np.testing.assert_array_equal(found[4], Z[4])  # a row without entries stays where it starts


@pytest.mark.parametrize("penalty", PENALTIES)
def test_the_price_of_codes_counts(penalty, rng):
    X, entries, weight, V, Z = example(rng)
    found = exact_codes(entries, weight, V, penalty, Z)
    for i, w in enumerate(by_row(entries, weight)):
        best = J(X[i], w, V, found[i], penalty)
        for _ in range(20):
            other = np.maximum(found[i] + 0.01 * rng.normal(size=4), 0.0)
            assert J(X[i], w, V, other, penalty) >= best - 1e-9


def test_float32_stays(rng):
    _, entries, _, V, Z = example(rng)
    single = entries.astype(np.float32), None, V.astype(np.float32), Z.astype(np.float32)
    assert lower_rows(*single, Half("cd", Penalty(), 2)).Z.dtype == np.float32
