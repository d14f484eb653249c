import numpy as np
import pytest

from lowdim.text.embeddings.word2vec.logistic import logistic


def both(x, run=logistic):
    sigma, cost = np.empty_like(x), np.empty_like(x)
    run(x, len(x), sigma, cost)
    return sigma, cost


def test_probabilities_and_losses_are_right_to_single_precision():
    x = np.concatenate([np.linspace(-30, 30, 2001), [0.0, -79, 79]]).astype(np.float32)
    sigma, cost = both(x)
    y = x.astype(np.float64)
    # e^-|x| is a 64th power: 64 roundings of 6e-8
    np.testing.assert_allclose(sigma, 1 / (1 + np.exp(-y)), rtol=1e-5, atol=1e-12)
    np.testing.assert_allclose(cost, np.logaddexp(0, y), rtol=1e-5, atol=1e-12)


def test_far_scores_lose_what_they_should():
    sigma, cost = both(np.array([1000.0, -1000.0, 3e38], dtype=np.float32))
    np.testing.assert_allclose(sigma, [1, 0, 1], atol=1e-30)
    np.testing.assert_allclose(cost, [1000, 0, 3e38], rtol=1e-6, atol=1e-30)


@pytest.mark.parametrize("n", [0, 1, 7])
def test_only_the_first_numbers_are_looked_at(n):
    sigma = np.full(9, -1.0, dtype=np.float32)
    logistic(np.zeros(9, dtype=np.float32), n, sigma, sigma.copy())
    assert ((sigma == 0.5) == (np.arange(9) < n)).all()


def test_the_kernel_does_what_it_says(rng):
    x = rng.normal(scale=5, size=50).astype(np.float32)
    for fast, plain in zip(both(x), both(x, logistic.python), strict=True):
        np.testing.assert_allclose(fast, plain, rtol=1e-5)
