"""The plain masked stack: its masks. What it shares with the gated one is tested there."""

import pytest

pytest.importorskip("torch")

import torch

from tests.deep.pixelcnn.networks import network


def test_masks():
    """Above all, to the left, and itself in all layers but the first."""
    first, second, _ = network("masked", kernel_size=3).layers
    of = {True: first, False: second}
    for is_first, layer in of.items():
        seen = (layer.masked() != 0)[0, 0]
        assert seen[0].all()
        assert seen[1].tolist() == [True, not is_first, False]


def test_what_is_known_beforehand_is_heard():
    module = network("masked", n_context=1)
    codes = torch.zeros(1, 12, dtype=torch.int64)
    with torch.no_grad():
        a, b = (module.logits(codes, torch.tensor([[x]]).double()) for x in (0.0, 1.0))
    assert (a != b).any()
