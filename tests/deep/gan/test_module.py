"""Games: losses by hand, penalties against differences, and what the discriminator learns."""

import numpy as np
import pytest
from scipy.special import log_expit

from lowdim.deep.engine import torch_generator
from lowdim.deep.starting import module_of

torch = pytest.importorskip("torch")
gan = pytest.importorskip("lowdim.deep.gan.module")


def adversaries(q=0, network="mlp", shape=(1, 3, 1), seed=0):
    return module_of(
        lambda: gan.Adversaries(network, shape, 2, q, (5,), "tanh", 0.0), torch_generator(seed)
    ).double()


def rows(n, d, seed):
    return torch.randn(n, d, generator=torch_generator(seed), dtype=torch.float64)


def scores(module, X, seed, given=None):
    """Scores of real rows, and of those that the game draws with this seed."""
    parts = [] if given is None else [given]
    drawn = module.drawn(given, X, torch_generator(seed)).detach()
    found = (module.score(torch.cat([Y, *parts], dim=1)) for Y in (X, drawn))
    return *(s.detach().numpy() for s in found), drawn


@pytest.mark.parametrize("q", [0, 2])
@pytest.mark.parametrize("loss", gan.LOSSES)
def test_losses_without_a_penalty_are_the_formulas(loss, q, seed):
    module, X = adversaries(q), rows(6, 3, seed)
    given = rows(6, q, seed + 1) if q else None
    batch = (X,) if given is None else (X, given)
    s_x, s_g, _ = scores(module, X, 7, given)
    log_d, log_1_d = log_expit(s_x), log_expit(-s_g)
    D, G = {
        "relativistic": (-log_expit(s_x - s_g), -log_expit(s_g - s_x)),
        "nonsaturating": (-log_d - log_1_d, -log_expit(s_g)),
        "minimax": (-log_d - log_1_d, log_1_d),
        "wasserstein": (s_g - s_x, -s_g),
    }[loss]
    game = gan.Game(loss, 0.0)
    assert game.discriminator(module, batch, torch_generator(7)).item() == pytest.approx(D.sum())
    assert game.generator(module, batch, torch_generator(7)).item() == pytest.approx(G.sum())


def slopes(module, Y, h=1e-5):
    """|d score / d row| of each row, by differences."""
    columns = []
    for f in range(Y.shape[1]):
        step = torch.zeros(Y.shape[1], dtype=Y.dtype)
        step[f] = h
        columns.append((module.score(Y + step) - module.score(Y - step)).detach().numpy() / (2 * h))
    return np.linalg.norm(columns, axis=0)


def test_penalties_are_squared_slopes_at_real_and_drawn_rows(seed):
    module, X = adversaries(), rows(6, 3, seed)
    _, _, drawn = scores(module, X, 7)
    free, paid = (
        gan.Game("relativistic", p).discriminator(module, (X,), torch_generator(7)).item()
        for p in (0.0, 3.0)
    )
    expected = 1.5 * sum((slopes(module, Y) ** 2).sum() for Y in (X, drawn))
    assert paid - free == pytest.approx(expected, rel=1e-6)


def test_the_penalty_of_wasserstein_is_zero_for_slopes_of_one():
    module, X = adversaries(), rows(6, 3, 0)
    module.discriminator = torch.nn.Linear(3, 1).double()
    with torch.no_grad():
        module.discriminator.weight.copy_(torch.tensor([[0.6, 0.0, 0.8]], dtype=torch.float64))
    free, paid = (
        gan.Game("wasserstein", p).discriminator(module, (X,), torch_generator(7)).item()
        for p in (0.0, 10.0)
    )
    assert paid == pytest.approx(free, abs=1e-9)
    with torch.no_grad():
        module.discriminator.weight.mul_(3.0)
    free, paid = (
        gan.Game("wasserstein", p).discriminator(module, (X,), torch_generator(7)).item()
        for p in (0.0, 10.0)
    )
    assert paid - free == pytest.approx(6 * 10 * (3 - 1) ** 2, rel=1e-9)


@pytest.mark.parametrize("q", [0, 3])
def test_pictures_go_in_and_out(q):
    module = adversaries(q, "conv", (5, 4, 2))
    X, given = rows(6, 40, 0), rows(6, q, 1)
    batch = (X, given) if q else (X,)
    game = gan.Game("relativistic", 1.0)
    for loss in (game.discriminator, game.generator):
        value = loss(module, batch, torch_generator(0))
        assert np.isfinite(value.item())
    Z = torch.cat([rows(2, 2, 3), given[:2]], dim=1) if q else rows(2, 2, 3)
    assert module.decode(Z).shape == (2, 40)
