"""Diffusion on a Gaussian, whose noise, density and conditionals are known; modes; its door."""

import numpy as np
import pytest

pytest.importorskip("torch")

import lowdim
from tests.deep.diffusion.gaussians import (
    COV,
    MEAN,
    WEIGHTS,
    around_modes,
    drawn,
    log_density,
    modes,
    nearest_mode,
    noise_in,
)

SMALL = {"n_steps": 50, "hidden": (16,), "max_iter": 2, "random_state": 0}


@pytest.fixture(scope="module")
def model():
    """Learned in a few seconds; the tests below leave room for that."""
    X = drawn(np.random.default_rng(0), 1500)
    return lowdim.Diffusion(200, hidden=(64, 64), max_iter=30, random_state=0).fit(X)


def noise_error(model, X, times):
    """Root mean square of E[e | x_t] - its prediction, over rows and times; the noise has 1."""
    Y = (X - model.mean_) / model.scale_
    mean, cov = (MEAN - model.mean_) / model.scale_, COV / np.outer(model.scale_, model.scale_)
    errors = []
    for t in times:
        x, _ = model.schedule_.diffuse(Y, t, random_state=t)
        errors.append(model.predict_noise(x, t) - noise_in(x, *model.schedule_.level(t), mean, cov))
    return np.sqrt(np.mean(np.square(errors)))


@pytest.mark.slow
def test_the_noise_of_a_gaussian_is_predicted_to_four_percent(seed):
    rng = np.random.default_rng(seed)
    model = lowdim.Diffusion(max_iter=40, random_state=0).fit(drawn(rng, 3000))
    X = drawn(rng, 300)
    assert noise_error(model, X, range(50, 1000, 100)) < 0.04
    assert np.abs(model.score_samples(X[:100]) - log_density(X[:100])).mean() < 0.4


@pytest.mark.slow
def test_modes_keep_their_weights(seed):
    rng = np.random.default_rng(seed)
    X = around_modes(rng, 4000)
    share = np.bincount(nearest_mode(X), minlength=7) / len(X)
    model = lowdim.Diffusion(max_iter=40, random_state=0).fit(X)
    for sampler in ("ddpm", "ddim"):
        new = model.sample(4000, sampler, random_state=0)
        found = np.bincount(nearest_mode(new), minlength=7) / len(new)
        assert np.abs(found - share).max() < 0.04 and np.abs(share - WEIGHTS).max() < 0.04
        distance = np.linalg.norm(new - modes()[nearest_mode(new)], axis=1)
        assert (distance < 0.4).mean() > 0.85


def test_noise_and_density_of_a_gaussian(model, rng):
    X = drawn(rng, 100)
    assert noise_error(model, X, (20, 60, 100, 140, 180)) < 0.08
    found = model.score_samples(X)
    assert np.abs(found - log_density(X)).mean() < 0.4
    assert model.score(X) == pytest.approx(found.mean(), rel=1e-9)


def test_the_bound_lies_below_the_flow(model, rng):
    X = drawn(rng, 60)
    gap = (model.score_samples(X) - model.score_samples(X, "bound")).mean()
    assert 0.5 < gap < 5.0


def test_a_row_returns_from_noise(model, rng):
    X = drawn(rng, 50)
    Z = model.transform(X)
    back = model.inverse_transform(Z)
    assert np.abs(back - X).max() < 0.05 * X.std()
    assert np.abs(Z.mean(axis=0)).max() < 0.6 and np.abs(Z.std(axis=0) - 1.0).max() < 0.4


@pytest.mark.parametrize("sampler", ["ddpm", "ddim"])
def test_new_rows_are_of_that_gaussian(model, sampler):
    X = model.sample(2000, sampler, 50, random_state=0)
    np.testing.assert_allclose(X.mean(axis=0), MEAN, atol=0.2)
    np.testing.assert_allclose(np.cov(X.T), COV, atol=0.25)


def test_missing_values_are_filled_with_their_conditional(model, rng):
    """Column 1 given the others, or given column 0 alone: regressions with known errors."""
    for given in ([0, 2, 3], [0]):
        X = drawn(rng, 60)
        holes = np.full_like(X, np.nan)
        holes[:, given] = X[:, given]
        beta = np.linalg.solve(COV[np.ix_(given, given)], COV[given, 1])
        mean = MEAN[1] + (X[:, given] - MEAN[given]) @ beta
        std = np.sqrt(COV[1, 1] - COV[1, given] @ beta)
        filled, spread = model.impute(holes, return_std=True)
        assert np.sqrt(np.mean((filled[:, 1] - mean) ** 2)) < 0.35
        assert spread[:, 1].mean() == pytest.approx(std, rel=0.2)
        assert (filled[:, given] == X[:, given]).all() and (spread[:, given] == 0).all()
        copies = model.draw_imputations(holes, 40, random_state=0)
        assert copies.shape == (40, 60, 4)
        assert copies[:, :, 1].std(axis=0).mean() == pytest.approx(std, rel=0.2)
        assert np.sqrt(np.mean((copies[:, :, 1].mean(axis=0) - mean) ** 2)) < 0.45


def test_rows_with_missing_values_have_a_density(model, rng):
    from scipy.stats import multivariate_normal

    X = drawn(rng, 60)
    X[:, [0, 3]] = np.nan
    true = multivariate_normal(MEAN[1:3], COV[1:3, 1:3]).logpdf(X[:, 1:3])
    assert np.abs(model.score_samples(X) - true).mean() < 0.4
    X[0] = np.nan
    assert model.score_samples(X)[0] == 0


def test_rows_with_missing_values_teach(rng):
    """Two columns that are the same, a third of the entries missing."""
    X = np.repeat(rng.normal(size=(600, 1)), 2, axis=1) * [1.0, 100.0]
    truth = X.copy()
    X[rng.random(X.shape) < 0.3] = np.nan
    model = lowdim.Diffusion(100, hidden=(64,), max_iter=40, random_state=0).fit(X)
    assert model.sees_missing_
    lost = np.isnan(X[:, 1]) & ~np.isnan(X[:, 0])
    assert np.abs(model.impute(X)[lost, 1] - truth[lost, 1]).mean() < 25.0  # 80 by the mean


def test_rows_of_a_class_and_guidance(rng):
    """Class 1 lies at 3; guidance goes further away from where both classes are."""
    y = np.repeat([0, 1], 200)
    X = rng.normal(size=(400, 2)) + 3.0 * y[:, None]
    model = lowdim.Diffusion(100, conditional=True, hidden=(64,), max_iter=30, random_state=0)
    model.fit(X, y)
    new = model.sample(600, "ddim", 25, random_state=0, y=np.repeat([0, 1], 300))
    assert abs(new[:300].mean()) < 0.5 and abs(new[300:].mean() - 3.0) < 0.5
    own, other = (model.score_samples(X[::8], y=label[::8]).mean() for label in (y, 1 - y))
    assert own > other + 3
    assert model.score(X[::8], y[::8]) == pytest.approx(own, rel=1e-6)
    back = model.inverse_transform(model.transform(X[:9], y=0), y=0)
    assert np.abs(back - X[:9]).max() < 0.1
    filled = model.impute([[np.nan, np.nan]] * 2, y=[0, 1])
    assert filled[0].max() < 1.2 < 1.8 < filled[1].min()
    further = model.set_params(guidance=2.0).sample(300, "ddim", 25, random_state=0, y=1)
    assert further.mean() > new[300:].mean() + 0.1


@pytest.mark.parametrize("prediction", ["noise", "x0"])
@pytest.mark.parametrize("schedule", ["linear", "given"])
def test_other_losses_and_schedules(prediction, schedule, rng):
    """One column of N(5, 4): mean and spread come back."""
    X = 5.0 + 2.0 * rng.normal(size=(300, 1))
    kind = lowdim.deep.DiffusionSchedule(60).beta if schedule == "given" else schedule
    model = lowdim.Diffusion(60, schedule=kind, prediction=prediction, **_without(SMALL)).fit(X)
    new = model.sample(500, random_state=0)
    assert abs(new.mean() - 5.0) < 0.8 and 1.4 < new.std() < 2.6
    assert model.schedule_.n_steps == 60


def _without(arguments):
    return {k: v for k, v in arguments.items() if k != "n_steps"}


def test_images(rng):
    """A U-Net on pictures of bars, odd sizes and two colours; a density of many columns."""
    bars = np.repeat(rng.normal(size=(80, 9, 1, 1)), 5, axis=2) * np.ones((1, 1, 1, 2))
    X = bars.reshape(80, 90) + 0.1 * rng.normal(size=(80, 90))
    small = {**SMALL, "hidden": (8, 8), "max_iter": 3}
    model = lowdim.Diffusion(network="unet", image_shape=(9, 5, 2), **small).fit(X)
    assert model.history_[-1] < model.history_[0]
    assert model.sample(3, steps=5, random_state=0).shape == (3, 90)
    assert np.isfinite(model.score_samples(X[:4].astype(np.float32), steps=5)).all()
    Z = model.transform(X[:4])
    assert np.abs(model.inverse_transform(Z) - X[:4]).max() < 0.05 * np.ptp(X)


def test_one_column_and_one_step(rng):
    model = lowdim.Diffusion(1, hidden=4, max_iter=1, random_state=0).fit(rng.normal(size=(20, 1)))
    assert model.sample(2).shape == (2, 1)
    assert np.isfinite(model.score_samples([[0.3]], "bound")).all()


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"n_steps": 0}, "n_steps"),
        ({"schedule": "cubic"}, "schedule"),
        ({"schedule": [0.1, 0.2]}, r"n_steps=50, and kind holds 2"),
        ({"prediction": "score"}, "prediction"),
        ({"network": "conv"}, "network"),
        ({"image_shape": (3, 3)}, r"image_shape=\(3, 3\)"),
        ({"guidance": -1.0}, "guidance"),
        ({"hidden": ()}, r"hidden=\(\) has no layers"),
        ({"hidden": (3, 0)}, r"hidden=\(3, 0\)"),
        ({"conditional": True}, "requires y"),
        ({"rate_schedule": "linear"}, "rate_schedule"),
    ],
)
def test_bad_arguments(given, says, rng):
    with pytest.raises(ValueError, match=says):
        lowdim.Diffusion(**{**SMALL, **given}).fit(rng.normal(size=(20, 4)))


def test_bad_calls(rng):
    X = rng.normal(size=(20, 4))
    model = lowdim.Diffusion(**SMALL).fit(X)
    for says, call in {
        r"steps=51 is more than the 50 steps": lambda: model.sample(2, steps=51),
        r"steps=0 is too small": lambda: model.transform(X, steps=0),
        r"steps=99 is more than": lambda: model.score_samples(X, steps=99),
        r"sampler='euler'": lambda: model.sample(2, "euler"),
        r"method='exact'": lambda: model.score_samples(X, "exact"),
        r"n_samples=0 is too small": lambda: model.sample(0),
        r"n_samples=1 is too small": lambda: model.impute(X, True, 1),
        r"n=0 is too small": lambda: model.draw_imputations(X, 0),
        r"t=51 must be whole numbers from 1 to n_steps=50": lambda: model.predict_noise(X, 51),
        r"t=0.5 must be whole": lambda: model.predict_noise(X, 0.5),
        r"one for each of the 20 rows": lambda: model.predict_noise(X, [1, 2]),
        r"y=3 was given": lambda: model.sample(2, y=3),
        r"X has 3 features": lambda: model.score(X[:, :3]),
        r"Z has": lambda: model.inverse_transform(X[:, :3]),
    }.items():
        with pytest.raises(ValueError, match=says):
            call()
