import numpy as np
import pytest

from lowdim.sparse.denoising.shrinking import (
    RULES,
    by_frequencies,
    by_wavelets,
    shrunk,
    threshold_of,
)


def test_thresholds_by_hand(rng):
    z = rng.normal(0, 5, 1000)
    assert threshold_of(z, 2.0, "universal") == pytest.approx(2 * np.sqrt(2 * np.log(1000)))
    assert threshold_of(z, 2.0, "bayes") == pytest.approx(4 / np.sqrt(np.mean(z**2) - 4))
    assert threshold_of(z, 50.0, "bayes") == np.abs(z).max()


def test_sure_has_the_least_estimated_risk(rng):
    z = np.concatenate([rng.normal(0, 1, 300), rng.normal(0, 10, 60)])
    t = threshold_of(z, 1.0, "sure")

    def risk(t):
        return len(z) - 2 * np.sum(np.abs(z) <= t) + np.sum(np.minimum(np.abs(z), t) ** 2)

    assert all(risk(t) <= risk(other) + 1e-9 for other in np.linspace(0, 6, 200))


def test_soft_and_hard():
    z = np.array([-3.0, 0.5, 1.0, 4.0])
    t = threshold_of(z, 0.6, "universal")
    assert shrunk(z, 0.6, "universal", "hard").tolist() == [-3, 0, 0 if t > 1 else 1, 4]
    assert shrunk(z, 0.6, "universal", "soft") == pytest.approx(
        [-3 + t, 0, max(1 - t, 0), 4 - t], abs=1e-12
    )


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("mode", ["soft", "hard"])
@pytest.mark.parametrize("size", [(3000,), (60, 70)])
def test_there_is_less_noise_afterwards(rng, rule, mode, size):
    t = np.add.outer(np.arange(size[0]), np.arange(size[1])) if len(size) == 2 else np.arange(3000)
    clean = 100 * np.sin(t / 40.0)
    noisy = clean + rng.normal(0, 10, size)
    found = by_wavelets(noisy, 10.0, "sym8", rule, mode)
    assert np.std(found - clean) < 0.6 * np.std(noisy - clean)
    found = by_frequencies(noisy, 10.0, rule, mode)
    assert np.std(found - clean) < 0.75 * np.std(noisy - clean)


def test_without_noise_nothing_changes(rng):
    x = rng.normal(size=(40, 33))
    for rule in ("universal", "sure"):
        assert np.allclose(by_wavelets(x, 0.0, "db2", rule, "soft"), x)
        assert np.allclose(by_frequencies(x, 0.0, rule, "soft"), x)
