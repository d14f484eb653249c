import numpy as np
import pytest
import scipy.sparse as sp

from lowdim.linear.nmf.coordinates import lower_counts, positive_part
from lowdim.linear.nmf.objective import Penalty

FLOOR = 1e-15


def example(rng, n=12, d=15, k=4):
    V = rng.gamma(0.5, size=(d, k)) + 0.01
    X = rng.poisson(rng.gamma(0.5, size=(n, k)) @ V.T * 3.0).astype(float)
    X[2] = 0.0
    return positive_part(X), V, rng.random((n, k)) + 0.1


def objective(X, Z, V, penalty):
    Y = Z @ V.T + FLOOR
    fit = Y.sum(axis=1) - (X.toarray() * np.log(Y)).sum(axis=1)
    return fit + penalty.l1 * Z.sum(axis=1) + 0.5 * penalty.l2 * (Z**2).sum(axis=1)


def swept(X, V, Z, penalty):
    """One sweep, as it is written down."""
    Z = Z.copy()
    for x, z in zip(X.toarray(), Z, strict=True):
        for r in range(len(z)):
            u = np.where(x > 0, V[:, r] / (V @ z + FLOOR), 0.0)
            g = V[:, r].sum() + penalty.l1 + penalty.l2 * z[r] - x @ u
            h = penalty.l2 + x @ u**2
            if g < 0:
                z[r] -= g / h
            elif z[r] > 0 and h > 0:
                c = g / (h * z[r])
                a = min(np.roots([c, -2 * c - 1, c]).real)
                z[r] = (1 - a) * z[r] if (1 - a) * z[r] > FLOOR else 0.0
            else:
                z[r] = 0.0
    return Z


@pytest.mark.parametrize("penalty", [Penalty(), Penalty(0.3, 0.2)], ids=["plain", "penalties"])
def test_a_sweep_is_what_is_written_down(penalty, rng):
    X, V, Z = example(rng)
    found = lower_counts(X, V, Z, V.sum(axis=0), penalty, floor=FLOOR, sweeps=1, logs=True)
    expected = swept(X, V, Z, penalty)
    np.testing.assert_allclose(found.Z, expected, rtol=1e-8, atol=1e-12)
    Y = np.where(X.toarray() > 0, expected @ V.T, 1.0)
    np.testing.assert_allclose(found.logs, (X.toarray() * np.log(Y)).sum(axis=1), rtol=1e-8)


@pytest.mark.parametrize("penalty", [Penalty(), Penalty(0.3, 0.2)], ids=["plain", "penalties"])
def test_no_sweep_raises_the_objective_from_anywhere(penalty, rng):
    X, V, _ = example(rng)
    Z = rng.gamma(0.2, size=(12, 4)) * 10.0 ** rng.uniform(-6, 3, size=(12, 1))
    before = objective(X, Z, V, penalty)
    for _ in range(20):
        Z = lower_counts(X, V, Z, V.sum(axis=0), penalty, floor=FLOOR, sweeps=1).Z
        after = objective(X, Z, V, penalty)
        assert (after <= before + 1e-10 * np.abs(before)).all()
        before = after


def test_many_sweeps_end_where_no_gradient_points_anywhere_allowed(rng):
    X, V, Z = example(rng)
    Z = lower_counts(X, V, Z, V.sum(axis=0), Penalty(), floor=FLOOR, sweeps=3000).Z
    found = lower_counts(X, V, Z, V.sum(axis=0), Penalty(), floor=FLOOR, sweeps=1)
    assert (found.slope <= 1e-6 * V.sum()).all()
    np.testing.assert_array_equal(Z[2], 0.0)


def test_codes_of_next_to_nothing_stay_numbers(rng):
    X, V, Z = example(rng)
    found = lower_counts(X, V, 1e-300 * Z, V.sum(axis=0), Penalty(), floor=1e-320, sweeps=50).Z
    assert np.isfinite(found).all() and (found >= 0).all()


def test_rows_may_have_slopes_of_their_own(rng):
    X, V, Z = example(rng)
    one = lower_counts(X, V, Z, V.sum(axis=0), Penalty(), floor=FLOOR, sweeps=2).Z
    every = np.repeat(V.sum(axis=0)[None], 12, axis=0)
    np.testing.assert_array_equal(
        lower_counts(X, V, Z, every, Penalty(), floor=FLOOR, sweeps=2).Z, one
    )


def test_rows_with_all_columns_share_their_copy(rng):
    V, Z = rng.random((6, 3)), rng.random((5, 3))
    X = rng.random((5, 6)) + 0.1
    X[2, 3] = 0.0
    together = lower_counts(positive_part(X), V, Z, V.sum(axis=0), Penalty(), floor=0.0, sweeps=2)
    for i in range(5):
        own = positive_part(X[i : i + 1])
        alone = lower_counts(own, V, Z[i : i + 1], V.sum(axis=0), Penalty(), floor=0.0, sweeps=2)
        np.testing.assert_array_equal(together.Z[i], alone.Z[0])


def test_the_positive_part_is_sorted_and_short(rng):
    X = rng.poisson(1.0, size=(5, 7)).astype(np.float32)
    found = positive_part(X)
    assert found.indices.dtype == np.int32 and found.dtype == np.float32
    np.testing.assert_array_equal(found.toarray(), X)
    assert sp.issparse(found) and (found.data > 0).all()


def test_units_of_counts_do_not_matter(rng):
    V, X = rng.gamma(1.0, size=(6, 2)), rng.poisson(4.0, size=(8, 6)).astype(float)
    start = np.ones((8, 2))
    found = []
    for unit in (1.0, 2.0**50):  # of X; that of factors is its root
        root = unit**0.5
        found.append(
            lower_counts(
                positive_part(X * unit), V * root, start * root, V.sum(axis=0) * root,
                Penalty(0.0, 0.0), floor=1e-16 * unit, sweeps=40,
            ).Z / root
        )  # fmt: skip
    np.testing.assert_array_equal(*found)  # powers of two round nothing
