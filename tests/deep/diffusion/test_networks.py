"""Both networks: shapes, and what they see."""

import pytest

pytest.importorskip("torch")

import torch

from lowdim.deep.diffusion.networks import N_WAVES, ResidualMLP, Size, UNet, waves
from lowdim.deep.engine import torch_generator
from lowdim.deep.starting import module_of

pytestmark = pytest.mark.usefixtures("one_thread")


def made(cls, image=(1, 6, 1), hidden=(8, 16), conditions=0):
    size = Size(image, 3, hidden, "silu", 0.0, conditions)
    return module_of(lambda: cls(size), torch_generator(0))


@pytest.mark.parametrize("image", [(1, 1, 1), (1, 7, 1), (5, 3, 2), (8, 8, 1)])
@pytest.mark.parametrize("cls", [ResidualMLP, UNet])
def test_rows_of_any_shape_come_out_as_they_went_in(cls, image):
    h, w, c = image
    net = made(cls, image, (4, 8, 8), conditions=2)
    out = net(torch.randn(3, 3 * h * w * c), torch.randn(3, N_WAVES + 2))
    assert out.shape == (3, h * w * c)


@pytest.mark.parametrize("cls", [ResidualMLP, UNet])
def test_rows_time_and_conditions_are_seen(cls):
    net = made(cls, conditions=2)
    X, context = torch.randn(2, 18), torch.randn(2, N_WAVES + 2)
    before = net(X, context)
    for place in (0, N_WAVES):
        changed = context.clone()
        changed[:, place] += 1.0
        assert (net(X, changed) - before).abs().max() > 1e-4
    assert (net(X + 1.0, context) - before).abs().max() > 1e-4


def test_a_row_does_not_see_its_neighbours():
    for cls in (ResidualMLP, UNet):
        net = made(cls).double()
        X, context = torch.randn(4, 18).double(), torch.randn(4, N_WAVES).double()
        torch.testing.assert_close(net(X, context)[:2], net(X[:2], context[:2]))


def test_colours_of_a_place_stay_together():
    """A picture that is bright in one corner changes the U-Net's output around that corner."""
    net = made(UNet, (16, 16, 2), (4,)).double()
    for name, w in net.named_parameters():
        if "norm" in name:  # statistics of whole pictures would reach everywhere
            w.data.zero_()
    X, context = torch.zeros(1, 3 * 512).double(), torch.zeros(1, N_WAVES).double()
    bright = X.clone()
    bright[0, 0] = 1.0
    change = (net(bright, context) - net(X, context)).reshape(16, 16, 2).abs().sum(dim=2)
    assert change[:2, :2].max() > 0 and change[9:].max() == 0


def test_times_are_told_apart():
    angle = torch.linspace(0.01, 1.56, 50)
    seen = waves(angle.cos(), angle.sin())
    assert seen.shape == (50, N_WAVES)
    assert torch.cdist(seen, seen).add(torch.eye(50) * 9).min() > 0.01
    assert torch.isfinite(waves(torch.tensor([1e-8]), torch.tensor([1.0]))).all()
