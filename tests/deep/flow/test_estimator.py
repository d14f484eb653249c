"""NormalizingFlow: a density that integrates to 1, exact both ways, that learns a banana."""

import functools

import numpy as np
import pytest
import scipy.stats

import lowdim
from tests.deep.examples import parts_of_batches

pytest.importorskip("torch")

QUICK = {"n_layers": 4, "hidden": (32,), "max_iter": 25, "random_state": 0}


def bananas(n, seed):
    random = np.random.default_rng(seed)
    a = random.normal(size=n)
    return np.column_stack([2 * a, a**2 + 0.3 * random.normal(size=n) + 5])


def log_density_of_bananas(X):
    a = X[:, 0] / 2
    normal = scipy.stats.norm.logpdf
    return normal(a) - np.log(2) + normal(X[:, 1], a**2 + 5, 0.3)


@functools.cache
def fitted():
    return lowdim.NormalizingFlow(**QUICK).fit(bananas(1500, 0))


def test_the_density_integrates_to_one():
    flow = fitted()
    first, second = np.linspace(-14, 14, 281), np.linspace(-6, 40, 461)
    grid = np.stack(np.meshgrid(first, second, indexing="ij"), axis=-1).reshape(-1, 2)
    density = np.exp(flow.score_samples(grid)).reshape(len(first), len(second))
    total = np.trapezoid(np.trapezoid(density, second, axis=1), first)
    assert total == pytest.approx(1.0, abs=5e-3)


def test_transform_is_undone_by_inverse_transform():
    X = bananas(200, 1)
    flow = fitted()
    np.testing.assert_allclose(flow.inverse_transform(flow.transform(X)), X, rtol=1e-5, atol=1e-5)
    Z = np.random.default_rng(2).normal(size=(200, 2))
    np.testing.assert_allclose(flow.transform(flow.inverse_transform(Z)), Z, rtol=1e-5, atol=1e-5)
    single = flow.inverse_transform(flow.transform(X.astype(np.float32)))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, X, rtol=1e-3, atol=1e-3)


def test_it_learns_a_banana_better_than_a_gaussian_does():
    X, new = bananas(1500, 0), bananas(1000, 3)
    gaussian = scipy.stats.multivariate_normal(X.mean(axis=0), np.cov(X.T))
    truth = log_density_of_bananas(new).mean()
    found = fitted().score(new)
    assert found > gaussian.logpdf(new).mean() + 0.7
    assert truth - 0.12 < found < truth + 0.01
    assert found == pytest.approx(fitted().score_samples(new).mean(), rel=1e-9)
    assert fitted().history_[-1] < fitted().history_[0] - 0.5


def test_codes_are_normal_and_samples_are_bananas():
    Z = fitted().transform(bananas(1000, 3))
    np.testing.assert_allclose(Z.mean(axis=0), 0.0, atol=0.15)
    np.testing.assert_allclose(np.cov(Z.T), np.eye(2), atol=0.2)
    drawn = fitted().sample(1000, random_state=0)
    error = drawn[:, 1] - 5 - (drawn[:, 0] / 2) ** 2
    assert 0.2 < scipy.stats.iqr(error) / 1.349 < 0.4
    assert np.array_equal(drawn, fitted().sample(1000, random_state=0))
    assert not np.array_equal(drawn, fitted().sample(1000, random_state=1))


def test_one_column_is_a_gaussian(rng):
    X = rng.normal(3.0, 2.0, size=(300, 1))
    flow = lowdim.NormalizingFlow(2, max_iter=5, random_state=0).fit(X)
    expected = scipy.stats.norm.logpdf(X, X.mean(), X.std()).mean()
    assert flow.score(X) == pytest.approx(expected, abs=0.01)


@pytest.mark.parametrize("d", [3, 7])
def test_units_of_columns_only_shift_the_density(d, rng):
    X = rng.normal(size=(80, d)) @ rng.normal(size=(d, d))
    sizes, shift = rng.uniform(0.1, 10, size=d), rng.normal(size=d)
    short = {**QUICK, "max_iter": 2, "hidden": (8,)}
    one = lowdim.NormalizingFlow(**short).fit(X)
    other = lowdim.NormalizingFlow(**short).fit(X * sizes + shift)
    found = other.score_samples(X * sizes + shift) + np.log(sizes).sum()
    np.testing.assert_allclose(found, one.score_samples(X), rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize(("hidden", "parts"), [((64,), 1), ((512, 512), 2)])
def test_only_large_networks_are_worth_two_threads(hidden, parts, monkeypatch, rng):
    model = lowdim.NormalizingFlow(2, hidden=hidden, max_iter=1, batch_size=128)
    assert parts_of_batches(model, rng.normal(size=(128, 10)), monkeypatch) == [parts]


def test_missing_values_are_refused_and_vae_is_named():
    X = bananas(50, 0)
    X[3, 1] = np.nan
    with pytest.raises(ValueError, match=r"NaN in 1 of 2 columns .*lowdim\.VAE\(\.\.\.\)"):
        lowdim.NormalizingFlow().fit(X)
    with pytest.raises(ValueError, match=r"lowdim\.VAE"):
        fitted().score_samples(X)


def test_bad_arguments_are_refused():
    X = bananas(50, 0)
    with pytest.raises(ValueError, match="n_layers"):
        lowdim.NormalizingFlow(0).fit(X)
    with pytest.raises(ValueError, match="n_samples=0"):
        fitted().sample(0)
    with pytest.raises(ValueError, match="Z has 3 columns; NormalizingFlow has 2"):
        fitted().inverse_transform(np.ones((2, 3)))
