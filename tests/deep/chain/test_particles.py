"""Fillings of rows with holes, against enumeration."""

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from lowdim.deep.chain.asking import log_densities
from lowdim.deep.chain.particles import fillings, thinned
from tests.deep.chain.toy import Toy, all_rows, plain_levels

D, L = 5, 3


def enumerated(module, row):
    """All rows that agree with `row` where it is observed, their probabilities, and the sum."""
    rows = all_rows(D, L)
    fits = ((rows == row) | np.isnan(row)).all(axis=1)
    p = np.exp(log_densities(rows[fits], module, plain_levels(D, L), 1))
    return rows[fits], p / p.sum(), np.log(p.sum())


@pytest.mark.parametrize("order", [None, [3, 0, 4, 1, 2]])
@pytest.mark.parametrize("n_particles", [81, 40])
def test_expectations_and_evidence(order, n_particles, seed):
    """Exact with 81 fillings, for four holes have no more; else within the noise of what is cut."""
    module = Toy(D, L, seed, order)
    nan = np.nan
    X = np.array(
        [[nan, 2, nan, nan, 1], [nan, nan, nan, nan, 0], [0, nan, 2, 2, nan], [0, 1, 2, 0, 1]]
    )
    codes = np.where(np.isnan(X), L, X).astype(np.int64)
    with torch.no_grad():
        found = fillings(module, codes, L, n_particles, np.random.default_rng(seed).random(D))
    exact = n_particles >= 81
    for i, row in enumerate(X):
        rows, p, log_sum = enumerated(module, row)
        mean = found.weights[i] @ found.codes[i]
        np.testing.assert_allclose(mean, p @ rows, atol=1e-9 if exact else 0.15)
        np.testing.assert_allclose(found.log_evidence[i], log_sum, atol=1e-9 if exact else 0.15)


def test_the_mean_over_many_is_exact(seed):
    """What was cut away is made good on average: the evidence has no bias."""
    module, row = Toy(D, L, seed), np.array([np.nan, np.nan, np.nan, 1, 0])
    codes = np.tile(np.where(np.isnan(row), L, row).astype(np.int64), (4000, 1))
    with torch.no_grad():
        u = np.random.default_rng(seed).random(codes.shape)
        found = np.exp(fillings(module, codes, L, 4, u).log_evidence)
    error = found.std() / np.sqrt(len(found))
    assert abs(found.mean() - np.exp(enumerated(module, row)[2])) < 5 * error + 1e-12


def test_a_row_does_not_depend_on_its_neighbours(seed):
    module, nan = Toy(D, L, seed), np.nan
    X = np.array([[nan, nan, nan, 1, 0], [2, nan, 1, nan, nan], [nan] * D])
    codes = np.where(np.isnan(X), L, X).astype(np.int64)
    u = np.random.default_rng(seed).random(D)
    with torch.no_grad():
        together = fillings(module, codes, L, 5, u).log_evidence
        alone = [fillings(module, codes[[i]], L, 5, u).log_evidence[0] for i in range(3)]
    np.testing.assert_allclose(together, alone, rtol=1e-12)


def test_thinning_keeps_large_weights_and_expectations(rng):
    log_w = np.log(np.array([[0.5, 0.2, 0.1, 0.08, 0.05, 0.04, 0.03, 0.0]]) + 1e-300)
    log_w[0, -1] = -np.inf
    total = np.zeros(8)
    u = (np.arange(2000) + 0.5) / 2000
    for value in u:
        chosen, new = thinned(log_w, 4, value)
        assert chosen.shape == new.shape == (1, 4)
        assert {0, 1} <= set(chosen[0])  # 0.3 / 2 is below both
        np.testing.assert_allclose(np.exp(new).sum(), 1.0, rtol=1e-12)
        total[chosen[0]] += np.exp(new[0])
    np.testing.assert_allclose(total / 2000, np.exp(log_w[0]), atol=2e-3)


def test_fewer_than_asked_for_are_kept_as_they_are():
    log_w = np.log(np.array([[0.7, 0.0, 0.3, 0.0, 0.0]]) + 0.0, where=[[1, 0, 1, 0, 0]],
                   out=np.full((1, 5), -np.inf))  # fmt: skip
    chosen, new = thinned(log_w, 3, 0.4)
    kept = new[0] > -np.inf
    assert set(chosen[0][kept]) == {0, 2}
    np.testing.assert_allclose(np.sort(np.exp(new[0][kept])), [0.3, 0.7])


def test_levels_of_equal_weight_survive_alike():
    """Of 100 fillings with 12 levels each, 100 are left: every level about as often."""
    chosen, _ = thinned(np.zeros((1, 1200)), 100, 0.3)
    counts = np.bincount(chosen[0] % 12, minlength=12)
    assert counts.min() >= 1 and counts.max() <= 25  # 8.3 on average
