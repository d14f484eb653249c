"""Small networks on sequences with random weights, in double precision."""

import numpy as np
import torch

from lowdim.deep.starting import module_of
from lowdim.deep.transformer.attention import CausalNetwork, Size
from lowdim.deep.transformer.reading import sinusoids


def network(
    d=7, n_levels=3, order=None, own_levels=False, positions="learned", n_context=0, width=8,
    n_layers=2,
):  # fmt: skip
    size = Size(
        tuple(range(d)) if order is None else tuple(order),
        n_levels, own_levels, n_layers, 2, width, n_context, positions, 0.0,
    )  # fmt: skip
    buffers = {"forbidden": np.zeros((d, n_levels))}
    if positions == "sinusoidal":
        buffers["places"] = sinusoids(d, width)
    generator = torch.Generator().manual_seed(5)
    return module_of(lambda: CausalNetwork(size), generator, buffers, gain=2.0).double().eval()
