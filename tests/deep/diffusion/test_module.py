"""The module: what it sees of entries, its loss, and rows that are filled."""

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from lowdim.deep import DiffusionSchedule
from lowdim.deep.diffusion.module import Denoiser, Known, Weighted, drawn_parts, normal_numbers
from lowdim.deep.diffusion.networks import Size
from lowdim.deep.engine import torch_generator
from lowdim.deep.starting import module_of

pytestmark = pytest.mark.usefixtures("one_thread")
SCHEDULE = DiffusionSchedule(10)


def made(network="mlp", conditions=0):
    size = Size((1, 4, 1), 3, (8,), "silu", 0.0, conditions)
    levels = np.stack([SCHEDULE.alpha_bar, SCHEDULE.beta_bar], axis=1)
    make = lambda: Denoiser(network, size, SCHEDULE)  # noqa: E731
    return module_of(make, torch_generator(0), {"levels": levels}).double()


def rows_with_nan():
    return torch.tensor([[1.0, np.nan, 2.0, 3.0], [np.nan] * 4], dtype=torch.float64)


def test_untrained_it_takes_all_for_noise():
    """v = 0: the noise in x_t is beta_bar x_t, as for N(0, I)."""
    module = made()
    module.start()
    x = torch.randn(3, 4).double()
    t = torch.tensor([[1.0], [5.0], [10.0]]).double()
    expected = torch.from_numpy(SCHEDULE.beta_bar[[0, 4, 9]])[:, None] * x
    torch.testing.assert_close(module.noise(torch.cat([x, t], dim=1)), expected, rtol=1e-6, atol=0)


def test_what_is_missing_is_not_seen_and_not_moved():
    module = made()
    x, known = module.known(rows_with_nan())
    other = x.clone()
    other[0, 1] = 7.0
    t = torch.tensor([3, 3])
    v = module(x, t, known)
    torch.testing.assert_close(v, module(other, t, known))
    assert v[0, 1] == 0 and (v[1] == 0).all() and v[0, 0] != 0


def test_what_is_given_is_seen_as_it_is():
    module = made()
    x, known = module.known(rows_with_nan(), give=True)
    assert known.free.tolist() == [[0, 1, 0, 0], [1, 1, 1, 1]]
    v = module(x, torch.tensor([3, 3]), known)
    other = known._replace(values=known.values + known.given)
    assert (module(x, torch.tensor([3, 3]), other) - v)[0, 1].abs() > 1e-6
    assert (v[0, [0, 2, 3]] == 0).all()


def test_filling_keeps_what_is_observed_and_does_not_depend_on_neighbours():
    module, rows = made(), rows_with_nan()
    E = normal_numbers(4, 4)
    drawn = module.filled(rows, E, 5, 0.0)
    assert drawn.shape == (2, 4, 4)
    assert (drawn[0, :, [0, 2, 3]] == rows[0, [0, 2, 3]]).all() and torch.isfinite(drawn).all()
    torch.testing.assert_close(module.filled(rows[:1], E, 5, 0.0), drawn[:1])


def test_parts_are_drawn_as_often_as_they_should():
    """Half of the rows with a part given, an eighth with a part missing, never both."""
    x0 = torch.ones(4000, 6)
    none = torch.zeros(4000, 6)
    known = drawn_parts(x0, Known(none, none, none, x0[:, :2]), torch_generator(0))
    given, missing = known.given.any(dim=1), known.missing.any(dim=1)
    # a share of U(0, 1) of six entries leaves none given with probability 1 / 7
    assert given.double().mean() == pytest.approx(0.5 * 6 / 7, abs=0.03)
    assert missing.double().mean() == pytest.approx(0.125 * 6 / 7, abs=0.02)
    assert not (given & missing).any()
    assert (known.values == known.given).all()
    assert known.context[:, 0].mean() == pytest.approx(0.9, abs=0.02)


def test_the_loss_counts_what_is_observed():
    module = made()
    rows = torch.randn(8, 4).double()
    rows[:, 2] = np.nan
    loss = Weighted("v").loss(module, (rows,), torch_generator(0))
    loss.backward()
    assert torch.isfinite(loss)
    assert module.network.last.weight.grad[2].abs().max() == 0
    assert module.network.last.weight.grad[1].abs().max() > 0


def test_errors_of_noise_and_of_rows_add_up_to_those_of_v():
    """alpha_bar^2 + beta_bar^2 = 1."""
    module, rows = made(), torch.randn(9, 4).double()
    v, noise, x0 = (
        Weighted(name).loss(module, (rows,), torch_generator(1)).item()
        for name in ("v", "noise", "x0")
    )
    assert noise + x0 == pytest.approx(v, rel=1e-6)
    assert noise > 0 and x0 > 0


def test_guidance_goes_away_from_what_is_said_without_y():
    module = made(conditions=3)
    rows = torch.randn(2, 6).double()
    x, known = module.known(rows)
    plain, without = module.velocity(known)(x, 4), module.velocity(known.without_y())(x, 4)
    assert (plain - without).abs().max() > 1e-6
    torch.testing.assert_close(module.velocity(known, 2.0)(x, 4), 3 * plain - 2 * without)


def test_normal_numbers_have_the_moments_of_the_normal():
    E = normal_numbers(20, 3)
    torch.testing.assert_close(E.mean(dim=0), torch.zeros(3).double())
    torch.testing.assert_close((E**2).mean(dim=0), torch.ones(3).double())
    assert (normal_numbers(1, 3) == 0).all()


@pytest.mark.parametrize("network", ["mlp", "unet"])
def test_densities_of_rows_with_and_without_values(network):
    module = made(network)
    found = module.log_density(rows_with_nan(), 5)
    assert torch.isfinite(found).all()
    assert found[1] == 0  # nothing observed
    assert module.bound(rows_with_nan(), None)[1] == 0
