"""Blocks of rows through a small module that has learned nothing: what must hold of any."""

import numpy as np
import pytest

pytest.importorskip("torch")

import lowdim
from lowdim.deep.diffusion.asking import drawn_copies, filled, new_rows
from lowdim.deep.diffusion.module import normal_numbers

UNITS = (np.array([10.0, 0.0, -5.0]), np.array([2.0, 1.0, 0.1]))


@pytest.fixture(scope="module")
def module():
    X = np.random.default_rng(0).normal(size=(40, 3))
    return lowdim.Diffusion(20, hidden=(8,), max_iter=1, random_state=0).fit(X).module_


def holes(rng, n=6):
    X = rng.normal(size=(n, 3)) * UNITS[1] + UNITS[0]
    X[::2, 0] = np.nan
    X[0, 1] = np.nan
    return X


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_only_nan_are_filled(module, dtype, rng):
    X = holes(rng).astype(dtype)
    full, std = filled(X, module, normal_numbers(4, 3), 5, 0.0, *UNITS, True)
    assert full.dtype == std.dtype == dtype
    seen = ~np.isnan(X)
    assert (full[seen] == X[seen]).all() and (std[seen] == 0).all()
    assert np.isfinite(full).all() and (std[~seen] > 0).all()


def test_copies_differ_where_nan_were_and_nowhere_else(module, rng):
    X = holes(rng)
    copies = drawn_copies(X, module, 5, 0.0, *UNITS, rng.normal(size=(6, 3, 3)))
    assert copies.shape == (6, 3, 3)
    seen = ~np.isnan(X)
    assert (copies.transpose(1, 0, 2)[:, seen] == X[seen]).all()
    assert (np.ptp(copies, axis=1)[~seen] > 0).all()


def test_new_rows_do_not_depend_on_threads(module):
    """600 rows are three pieces, each with its own random numbers."""

    def drawn(threads):
        with lowdim.config_context(threads=threads):
            return new_rows(module, 600, "ddpm", 5, 0.0, np.random.default_rng(0))

    one = drawn(1)
    assert one.shape == (600, 3)
    assert (one == drawn(2)).all()
    assert not np.allclose(one[:88], one[512:])
