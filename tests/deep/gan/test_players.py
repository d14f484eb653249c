"""Two players: golden steps on x y, against loops in NumPy; what a fit remembers."""

import numpy as np
import pytest

from lowdim.deep.gan.players import Players
from lowdim.deep.learner import Settings

torch = pytest.importorskip("torch")

H = 0.3


class One(torch.nn.Module):
    """A player with one number."""

    def __init__(self, value):
        super().__init__()
        self.value = torch.nn.Parameter(torch.tensor([value], dtype=torch.float64))


class Both(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.generator, self.discriminator = One(1.0), One(0.5)


class Bilinear:
    """x lowers x y, y raises it; both losses are sums over rows."""

    @staticmethod
    def generator(module, batch, noise):
        return (module.generator.value * module.discriminator.value).sum() * len(batch[0])

    @staticmethod
    def discriminator(module, batch, noise):
        return -Bilinear.generator(module, batch, noise)


def players(rule="sgd", update="simultaneous", n_critic=1, **settings):
    found = Players(
        Both(),
        Bilinear,
        Settings(rule, H, "constant", precision="double", betas=(0.5, 0.9), **settings),
        update=update,
        n_critic=n_critic,
        n_steps=100,
        seed=0,
        device=torch.device("cpu"),
    )
    return found


def path(learner, n=30):
    """(x, y) before the first and after each step."""
    found = []
    for k in range(n + 1):
        module = learner.module
        found.append([module.generator.value.item(), module.discriminator.value.item()])
        if k < n:
            learner.step((np.zeros((4, 1)),))
    return np.array(found)


def test_simultaneous_steps_leave_at_the_rate_of_the_formula():
    r = np.hypot(*path(players()).T)
    np.testing.assert_allclose(r[1:] / r[:-1], np.sqrt(1 + H**2), rtol=1e-12)


def test_alternating_steps_stay_on_an_ellipse():
    """The discriminator goes first: x^2 + y^2 + h x y is what such a step keeps."""
    x, y = path(players(update="alternating"), 200).T
    np.testing.assert_allclose(x**2 + y**2 + H * x * y, 1.25 + H * 0.5, rtol=1e-12)


class Adam:
    """Its direction, in NumPy."""

    def __init__(self):
        self.m = self.v = np.zeros(2)
        self.t = 0

    def __call__(self, g):
        self.t += 1
        self.m, self.v = 0.5 * self.m + 0.5 * g, 0.9 * self.v + 0.1 * g**2
        return self.m / (1 - 0.5**self.t) / (np.sqrt(self.v / (1 - 0.9**self.t)) + 1e-8)


def F(z):
    return np.array([z[1], -z[0]])


def test_extra_adam_is_algorithm_4_of_gidel_et_al():
    z, adam, expected = np.array([1.0, 0.5]), Adam(), [[1.0, 0.5]]
    for _ in range(30):
        ahead = z - H * adam(F(z))
        z = z - H * adam(F(ahead))
        expected.append(z)
    np.testing.assert_allclose(path(players("extra_adam")), expected, rtol=1e-9, atol=1e-12)


def test_optimistic_adam_is_algorithm_1_of_daskalakis_et_al():
    z, adam, last, expected = np.array([1.0, 0.5]), Adam(), None, [[1.0, 0.5]]
    for _ in range(30):
        now = adam(F(z))
        z, last = z - 2 * H * now + H * (now if last is None else last), now
        expected.append(z)
    np.testing.assert_allclose(path(players("optimistic_adam")), expected, rtol=1e-9, atol=1e-12)


def test_generator_moves_after_every_n_critic_steps_of_the_discriminator():
    moved = np.abs(np.diff(path(players(n_critic=3), 9), axis=0)) > 0
    assert moved[:, 1].all()
    assert moved[:, 0].tolist() == [False, False, True] * 3


@pytest.mark.parametrize("rule", ["extra_adam", "adam", "optimistic_adam", "sgd"])
def test_a_learner_goes_on_from_its_state(rule):
    whole = players(rule, update="alternating", average=0.9)
    expected = path(whole, 7)
    first, second = (players(rule, update="alternating", average=0.9) for _ in range(2))
    path(first, 4)
    second.restore(first.state())
    np.testing.assert_array_equal(path(second, 3), expected[4:])
    for name, value in whole.weights().items():
        np.testing.assert_array_equal(second.weights()[name], value)


def test_the_generator_is_averaged_and_the_discriminator_is_not():
    learner = players(average=0.5)
    x, y = path(learner, 1)[1]
    found = learner.weights()
    assert found["discriminator.value"][0] == y
    decay = 1 / 10  # of the first step
    assert found["generator.value"][0] == pytest.approx(decay * 1.0 + (1 - decay) * x)


def test_long_gradients_of_a_player_are_shortened():
    step = np.diff(path(players(clip=0.1), 1), axis=0)[0]
    np.testing.assert_allclose(np.abs(step), 0.1 * H, rtol=1e-5)
