"""How rows become noise: identities, golden values, a chain of single steps, and the door."""

import numpy as np
import pytest

from lowdim.deep import DiffusionSchedule

SCHEDULES = [
    DiffusionSchedule(1000),
    DiffusionSchedule(7, kind="linear"),
    DiffusionSchedule(None, kind=[0.1, 0.5, 0.3]),
]


@pytest.mark.parametrize("schedule", SCHEDULES, ids=repr)
def test_what_is_kept_and_what_is_added_make_one(schedule):
    np.testing.assert_allclose(schedule.alpha**2 + schedule.beta**2, 1.0, rtol=1e-12)
    np.testing.assert_allclose(schedule.alpha_bar**2 + schedule.beta_bar**2, 1.0, rtol=1e-12)
    np.testing.assert_allclose(schedule.alpha_bar, np.cumprod(schedule.alpha), rtol=1e-9)
    assert (np.diff(schedule.alpha_bar) < 0).all()


def test_published_schedules():
    """Ho et al.: beta^2 from 1e-4 to 0.02; Nichol and Dhariwal: a squared cosine, half-way 1/2."""
    linear = DiffusionSchedule(1000, kind="linear")
    np.testing.assert_allclose(linear.beta[[0, -1]] ** 2, [1e-4, 0.02])
    np.testing.assert_allclose(linear.alpha_bar[-1] ** 2, 4.0358e-5, rtol=1e-4)
    cosine = DiffusionSchedule(1000)
    f = np.cos((np.array([0.0, 0.5]) + 0.008) / 1.008 * np.pi / 2) ** 2
    np.testing.assert_allclose(cosine.alpha_bar[499] ** 2, f[1] / f[0], rtol=1e-10)
    assert cosine.beta[-1] ** 2 == pytest.approx(0.999)


def test_given_steps_are_taken_as_they_are():
    schedule = DiffusionSchedule(3, kind=[0.1, 0.5, 0.3])
    np.testing.assert_allclose(schedule.beta, [0.1, 0.5, 0.3], rtol=1e-15)
    assert schedule.n_steps == 3
    assert repr(schedule) == "DiffusionSchedule(kind=<3 given beta_t>)"


def test_one_jump_is_what_single_steps_make(rng):
    """alpha_bar and beta_bar of x_t by its recursion: a row kept, and variances of noise added."""
    schedule = DiffusionSchedule(50)
    kept, variance = 1.0, 0.0
    for t in range(1, 51):
        kept *= schedule.alpha[t - 1]
        variance = schedule.alpha[t - 1] ** 2 * variance + schedule.beta[t - 1] ** 2
        np.testing.assert_allclose(schedule.level(t), (kept, np.sqrt(variance)), rtol=1e-9)
    assert schedule.level(0) == (1.0, 0.0)


def test_diffused_rows_are_the_row_and_noise_each_at_its_own_step(rng):
    schedule = DiffusionSchedule(20)
    x0, t = rng.normal(size=(4, 3)).astype(np.float32), np.array([1, 5, 20, 7])
    xt, noise = schedule.diffuse(x0, t, random_state=3)
    kept, added = schedule.alpha_bar[t - 1][:, None], schedule.beta_bar[t - 1][:, None]
    np.testing.assert_allclose(xt, kept * x0 + added * noise, rtol=1e-6)
    again, _ = schedule.diffuse(x0, t, random_state=3)
    np.testing.assert_array_equal(xt, again)


def test_a_step_back_is_the_conditional_of_a_joint_gaussian(rng):
    """Condition (x_(t-1), x_t) given x_0 on x_t, by the formula of conditional Gaussians."""
    schedule = DiffusionSchedule(30)
    x0, xt = rng.normal(size=(5, 2)), rng.normal(size=(5, 2))
    for t in (1, 2, 17, 30):
        kept, left = schedule.level(t - 1)
        a, b = schedule.alpha[t - 1], schedule.beta[t - 1]
        gain = left**2 * a / (a**2 * left**2 + b**2)
        mean = kept * x0 + gain * (xt - a * kept * x0)
        found = schedule.posterior(x0, xt, t)
        np.testing.assert_allclose(found.mean, mean, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(found.variance, left**2 - gain * a * left**2, atol=1e-12)
    each = schedule.posterior(x0, xt, np.full(5, 17))
    np.testing.assert_allclose(each.mean, schedule.posterior(x0, xt, 17).mean)
    assert each.variance.shape == (5,)


def test_after_the_last_step_back_the_row_itself_is_left():
    found = DiffusionSchedule(10).posterior([[3.0]], [[-1.0]], 1)
    assert found.mean[0, 0] == pytest.approx(3.0)
    assert found.variance == 0.0


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"n_steps": 0}, "n_steps=0"),
        ({"n_steps": None}, "n_steps=None"),
        ({"kind": "sine"}, "kind='sine'"),
        ({"kind": [0.5, 1.0], "n_steps": None}, "above 0 and below 1"),
        ({"kind": [[0.5]], "n_steps": None}, r"kind has shape \(1, 1\)"),
        ({"kind": [0.5, 0.1], "n_steps": 3}, "n_steps=3, and kind holds 2"),
    ],
)
def test_schedules_that_are_refused(given, says):
    with pytest.raises(ValueError, match=says):
        DiffusionSchedule(**given)


@pytest.mark.parametrize("t", [0, 11, 2.5, [1, 2, 3]])
def test_steps_that_are_refused(t):
    with pytest.raises(ValueError, match=r"^t(=| has)"):
        DiffusionSchedule(10).diffuse(np.zeros((2, 2)), t)


def test_rows_that_do_not_belong_together_are_refused():
    with pytest.raises(ValueError, match=r"xt has shape \(2, 2\) and x0 has \(3, 2\)"):
        DiffusionSchedule(10).posterior(np.zeros((3, 2)), np.zeros((2, 2)), 5)


def test_the_picture_is_of_one_chain():
    """Its last column is noise, its first the rows; between, as much of them as alpha_bar says."""
    figure = pytest.importorskip("matplotlib.figure").Figure
    schedule = DiffusionSchedule(100)
    x0 = np.full((400, 9), 3.0)
    chain = schedule._chain(x0, [0, 50, 100], 0)
    assert (chain[:, 0] == x0).all()
    kept, added = schedule.level(np.array([50, 100]))
    np.testing.assert_allclose(chain.mean(axis=(0, 2))[1:], 3.0 * kept, atol=0.1)
    np.testing.assert_allclose(chain.std(axis=(0, 2))[1:], added, atol=0.1)
    ax = figure().subplots()
    assert schedule.plot(x0[:2], n=4, image_shape=(3, 3), random_state=0, ax=ax) is ax
    assert np.asarray(ax.images[0].get_array()).shape == (2 * 4 - 1, 5 * 4 - 1, 3)
    ax = schedule.plot(ax=figure().subplots())
    assert ax.get_title(loc="left").startswith("as much noise as row: t = ")
    with pytest.raises(ValueError, match="n=101 is more than"):
        schedule.plot(x0, n=101)
