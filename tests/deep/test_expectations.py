"""Gradients of Gaussian expectations: both estimators against the closed form of a quadratic."""

import numpy as np
import pytest

import lowdim

torch = pytest.importorskip("torch")


def quadratic(rng, k=3):
    A, c = rng.normal(size=(k, k)), rng.normal(size=k)
    A = A + A.T
    At, ct = torch.from_numpy(A), torch.from_numpy(c)
    return A, c, lambda z: ((z @ At) * z).sum(dim=1) + z @ ct


@pytest.mark.parametrize("method", ["reparam", "reinforce"])
def test_both_are_unbiased_for_a_quadratic(rng, method):
    A, c, f = quadratic(rng)
    mean, U = rng.normal(size=3), np.tril(rng.normal(size=(3, 3))) + 2 * np.eye(3)
    n = 40_000
    found = lowdim.deep.gaussian_gradient(f, mean, U, method=method, n_samples=n, random_state=0)
    for estimate, variance, exact in (
        (found.mean, found.mean_variance, 2 * A @ mean + c),
        (found.factor, found.factor_variance, 2 * A @ U),
    ):
        assert np.all(np.abs(estimate - exact) < 5 * np.sqrt(variance / n) + 1e-12)


def test_scores_vary_more_than_draws(rng):
    _, _, f = quadratic(rng)
    first, second = (
        lowdim.deep.gaussian_gradient(f, np.zeros(3), np.eye(3), method=m, random_state=0)
        for m in ("reparam", "reinforce")
    )
    assert second.mean_variance.sum() > first.mean_variance.sum()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"method": "magic"}, "method='magic' is not known"),
        ({"n_samples": 1}, "n_samples=1 is too small"),
        ({"factor": np.ones((2, 3))}, "mean has shape"),
        ({"factor": np.ones((2, 2))}, "invertible"),
        ({"fun": lambda z: z}, r"fun gave \(1000, 2\) for 1000 draws"),
    ],
)
def test_bad_arguments_are_refused(arguments, message):
    given = {"fun": lambda z: z.sum(dim=1), "mean": [0.0, 0.0], "factor": np.eye(2), **arguments}
    with pytest.raises(ValueError, match=message):
        lowdim.deep.gaussian_gradient(**given)
