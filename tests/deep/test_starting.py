"""The first weights of a network."""

import pytest

from lowdim.deep.engine import torch_generator
from lowdim.deep.starting import module_of

torch = pytest.importorskip("torch")


def network():
    return torch.nn.Sequential(
        torch.nn.Conv2d(3, 16, 5),
        torch.nn.GroupNorm(2, 16),
        torch.nn.Flatten(),
        torch.nn.Linear(64, 300),
    )


def test_signals_keep_their_size(seed):
    convolution, scales, _, linear = module_of(network, torch_generator(seed))
    for weights, fans in ((convolution.weight, 25 * (3 + 16)), (linear.weight, 364)):
        # the variance of m uniform numbers has a relative deviation of about 0.9 / sqrt m
        error = 5 * 0.9 / weights.numel() ** 0.5
        assert weights.var().item() == pytest.approx(2 / fans, rel=error)
    assert torch.equal(scales.weight, torch.ones(16)) and not linear.bias.any()


def test_it_follows_from_the_generator_and_leaves_torch_alone():
    torch.manual_seed(3)
    a, b, c = (module_of(network, torch_generator(key))[0].weight for key in (1, 1, 2))
    assert torch.equal(a, b) and not torch.equal(a, c)
    after = torch.rand(2)
    torch.manual_seed(3)
    assert torch.equal(torch.rand(2), after)
