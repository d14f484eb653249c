"""The residual MLP there and back by hand agrees with autograd."""

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

import lowdim
from lowdim.deep.diffusion.module import Weighted
from lowdim.deep.layers import Gradients, with_noise


def fitted(X, y=None, **arguments):
    settings = {"n_steps": 20, "hidden": (8, 5), "max_iter": 2, "random_state": 0, **arguments}
    return lowdim.Diffusion(**settings).fit(X, y)


@pytest.mark.parametrize("activation", ["silu", "gelu", "relu", "tanh", "logistic", "identity"])
@pytest.mark.parametrize(
    "arguments",
    [{}, {"prediction": "noise"}, {"prediction": "x0"}, {"dropout": 0.3}, {"conditional": True}],
)
def test_the_derivation_by_hand_is_the_gradient_of_the_loss(activation, arguments, rng):
    X = rng.normal(size=(31, 4))
    X[rng.random(X.shape) < 0.2] = np.nan
    y = rng.normal(size=(31, 2)) if "conditional" in arguments else None
    model = fitted(X, y, activation=activation, **arguments)
    module = model.module_.double().train()
    weights = list(module.parameters())
    with torch.no_grad():
        module.network.last.weight.normal_(generator=torch.Generator().manual_seed(1))
    batch = tuple(torch.from_numpy(part) for part in (X, y) if part is not None)
    weighted = Weighted(model.prediction)
    with with_noise(torch.Generator().manual_seed(2)):
        loss = weighted.loss(module, batch, torch.Generator().manual_seed(3))
    expected = torch.autograd.grad(loss / 7.0, weights)
    parts = [torch.full_like(w, torch.nan) for w in weights]
    with torch.no_grad(), with_noise(torch.Generator().manual_seed(2)):
        generator = torch.Generator().manual_seed(3)
        drawn = weighted.draw(module, batch, generator)
        found = weighted.straight(module, drawn, generator, Gradients(weights, parts), 7.0)
    assert found == pytest.approx(loss.item(), rel=1e-12)
    for part, gradient in zip(parts, expected, strict=True):
        torch.testing.assert_close(part, gradient, rtol=1e-9, atol=1e-12)


def test_a_unet_is_left_to_autograd(rng):
    model = fitted(rng.normal(size=(8, 16)), network="unet", image_shape=(4, 4))
    batch = (torch.zeros(2, 16),)
    assert Weighted().straight(model.module_, batch, torch.Generator(), None, 1.0) is None
