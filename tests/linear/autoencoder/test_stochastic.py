"""A gradient step for each batch of rows."""

import numpy as np

from lowdim import LinearAutoencoder
from tests.linear.autoencoder.tables import TIED, table


@TIED
def test_partial_fit_comes_close_to_pca(tied, rng):
    X = table(rng, n=2000)
    model = LinearAutoencoder(2, tied=tied, batch_size=20, random_state=0)
    for block in np.array_split(X, 10):
        model.partial_fit(block)
    np.testing.assert_allclose(model.mean_, X.mean(axis=0), atol=1e-10)
    best = LinearAutoencoder(2).fit(X).score(X)
    assert best * np.sqrt(1.5) <= model.score(X) <= best * (1 - 1e-10)


def test_partial_fit_goes_on_from_a_fit(rng):
    X = table(rng, n=1000)
    model = LinearAutoencoder(2, batch_size=50).fit(X)
    before = model.score(X)
    model.partial_fit(X[:50])
    assert before * np.sqrt(1.2) <= model.score(X) <= before


def test_a_constant_learning_rate_follows_a_drift(rng):
    first, then = table(rng, n=1000), table(rng, n=1000)
    model = LinearAutoencoder(2, batch_size=20, learning_rate=0.3, random_state=0)
    model.partial_fit(first)
    best = LinearAutoencoder(2).fit(then).score(then)
    before = model.score(then)
    for _ in range(10):
        model.partial_fit(then)
    assert model.score(then) >= max(1.5 * best, before)


def test_rows_of_weight_zero_teach_nothing(rng):
    X = table(rng, n=100)
    model = LinearAutoencoder(2, random_state=0).partial_fit(X)
    before = model.encoder_.copy()
    model.partial_fit(X[:3], sample_weight=[1.0, 0.0, 0.0])
    assert not np.array_equal(model.encoder_, before)
    small = LinearAutoencoder(2, random_state=0, batch_size=10)
    weight = np.where(np.arange(100) < 10, 1.0, 0.0)
    one = small.partial_fit(X, sample_weight=weight).encoder_.copy()
    other = LinearAutoencoder(2, random_state=0, batch_size=10).partial_fit(X[:10]).encoder_
    np.testing.assert_allclose(one, other, atol=1e-12)
