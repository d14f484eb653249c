"""Coupling layers: the Jacobian, the inverse, and which columns they split."""

import numpy as np
import pytest

from lowdim.deep.engine import torch_generator
from lowdim.deep.starting import module_of

torch = pytest.importorskip("torch")
flows = pytest.importorskip("lowdim.deep.flow.module")


def flow_of(d, n_layers=5, seed=0):
    """A flow with random weights, in float64."""
    buffers = {
        f"layers.{i}.{name}": columns
        for i, pair in enumerate(flows.sides(d, n_layers))
        for name, columns in zip(("kept", "moved"), pair, strict=True)
    }
    flow = module_of(
        lambda: flows.Flow(d, n_layers, (8,), "tanh", 0.0), torch_generator(seed), buffers, gain=2.0
    ).double()
    with torch.no_grad():
        flow.shift.copy_(torch.linspace(-1, 1, d))
        flow.log_size.copy_(torch.linspace(-0.5, 0.7, d))
    return flow


@pytest.mark.parametrize("d", [2, 3, 6])
def test_log_determinant_is_that_of_autograds_jacobian(d, seed):
    flow = flow_of(d, seed=seed)
    X = torch.randn(4, d, generator=torch_generator(seed), dtype=torch.float64)
    log_det = flow.flowed(X)[1]
    for x, found in zip(X, log_det, strict=True):
        J = torch.autograd.functional.jacobian(lambda row: flow.encode(row[None])[0], x)
        assert found.item() == pytest.approx(torch.linalg.slogdet(J)[1].item(), abs=1e-10)


@pytest.mark.parametrize("d", [2, 5])
def test_layers_can_be_undone(d, seed):
    flow = flow_of(d, seed=seed)
    X = 3 * torch.randn(50, d, generator=torch_generator(seed), dtype=torch.float64)
    torch.testing.assert_close(flow.decode(flow.encode(X)), X, rtol=1e-9, atol=1e-9)


def test_a_flow_that_starts_is_the_normal_distribution(seed):
    flow = flow_of(4, seed=seed)
    flow.start()
    with torch.no_grad():
        flow.shift.zero_(), flow.log_size.zero_()
    X = torch.randn(6, 4, generator=torch_generator(seed), dtype=torch.float64)
    torch.testing.assert_close(flow.encode(X), X)


@pytest.mark.parametrize("d", [2, 3, 7, 16, 33])
def test_any_two_columns_are_on_different_sides_of_a_layer(d):
    n_layers = 2 * int(np.ceil(np.log2(d)))
    apart = np.zeros((d, d), bool)
    for kept, moved in flows.sides(d, n_layers):
        assert len(kept) and len(moved)
        assert sorted([*kept, *moved]) == list(range(d))
        apart[np.ix_(kept, moved)] = True
    assert (apart | np.eye(d, dtype=bool)).all()  # each moved by each other, too
