"""Losses of outputs, held against their formulas in probabilities."""

import numpy as np
import pytest
from scipy.special import expit, softmax, xlogy
from sklearn.metrics import mean_poisson_deviance

torch = pytest.importorskip("torch")
from lowdim.deep.losses import OUTPUTS, SumOfLosses, losses  # noqa: E402


def test_losses_are_those_of_the_formulas(rng):
    Z = rng.normal(size=(6, 3))
    P, S = softmax(Z, axis=1), expit(Z)
    shares = rng.dirichlet(np.ones(3), 6)
    flags = rng.integers(0, 2, (6, 3)).astype(float)
    cases = {
        ("softmax", 0): (rng.integers(0, 3, 6), None),
        ("softmax", 1): (shares, -xlogy(shares, P).sum(1)),
        ("logistic", 0): (flags, -(xlogy(flags, S) + xlogy(1 - flags, 1 - S)).sum(1)),
        ("identity", 0): (shares, 0.5 * ((Z - shares) ** 2).sum(1)),
    }
    for (name, _), (y, expected) in cases.items():
        expected = -np.log(P[np.arange(6), y]) if expected is None else expected
        found = losses(torch.tensor(Z), torch.tensor(y), name)
        np.testing.assert_allclose(found.numpy(), expected, rtol=1e-12)


def test_counts_cost_half_their_deviance(rng):
    Z, y = rng.normal(size=(9, 1)), rng.poisson(2.0, (9, 1)).astype(float)
    found = losses(torch.tensor(Z), torch.tensor(y), "exp").mean().item()
    assert found == pytest.approx(mean_poisson_deviance(y, np.exp(Z)) / 2)


def test_no_score_is_too_large():
    Z, y = torch.tensor([[1e4, -1e4]], dtype=torch.float64), torch.tensor([[1.0, 0.0]])
    for name in ("softmax", "logistic"):
        assert losses(Z, y.double(), name).item() == 0.0
        assert OUTPUTS[name](Z).tolist() == [[1.0, 0.0]]


def test_rows_count_by_their_weights():
    Z, y = torch.tensor([[1.0], [3.0]]), torch.tensor([[0.0], [0.0]])
    assert SumOfLosses("identity")(lambda X: X, (Z, y)).item() == 5.0
    assert SumOfLosses("identity")(lambda X: X, (Z, y, torch.tensor([2.0, 0.0]))).item() == 1.0
