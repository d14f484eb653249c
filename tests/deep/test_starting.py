"""The first weights of a network."""

import pytest

from lowdim.deep.engine import torch_generator
from lowdim.deep.starting import module_of, module_with

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


def test_torch_is_held_to_one_thread_while_a_network_is_made():
    seen = []

    def counting():
        seen.append(torch.get_num_threads())
        return network()

    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        module = module_of(counting, torch_generator(0))
        weights = {name: w.detach().numpy() for name, w in module.named_parameters()}
        module_with(weights, counting)
        assert seen == [1, 1] and torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


def test_a_network_with_given_weights_has_them_and_draws_none():
    module = module_of(network, torch_generator(1)).double()
    weights = {name: w.detach().numpy() for name, w in module.named_parameters()}
    torch.manual_seed(3)
    found = module_with(weights, network, dtype=torch.float64)
    after = torch.rand(2)
    for a, b in zip(found.parameters(), module.parameters(), strict=True):
        assert a.dtype == torch.float64 and torch.equal(a, b)
    torch.manual_seed(3)
    assert torch.equal(torch.rand(2), after)


def test_weights_of_another_shape_are_refused():
    weights = {name: w.detach().numpy() for name, w in network().named_parameters()}
    with pytest.raises(ValueError, match=r"weights_\['3.bias'\] has shape \(1,\); .* \(300,\)"):
        module_with(weights | {"3.bias": weights["3.bias"][:1]}, network)
