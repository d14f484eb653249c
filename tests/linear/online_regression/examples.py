"""Rows near a plane, for tests of regression."""

STEPS = ("sgd", "nlms", "adagrad")


def rows(rng, n=200, d=4, q=None, noise=0.5):
    """X, y and the true coefficients."""
    X = rng.normal(size=(n, d)) + rng.normal(size=d)
    w = rng.normal(size=d if q is None else (d, q))
    return X, X @ w + 2.0 + noise * rng.normal(size=(n,) if q is None else (n, q)), w
