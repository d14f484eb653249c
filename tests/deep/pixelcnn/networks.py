"""Small networks on images with random weights, in double precision."""

import torch

from lowdim.deep.pixelcnn.gated import GatedPixels, Size
from lowdim.deep.pixelcnn.masked import MaskedPixels
from lowdim.deep.starting import module_of

KINDS = {"gated": GatedPixels, "masked": MaskedPixels}


def network(kind, shape=(4, 3, 1), n_levels=2, channels=12, n_layers=3, kernel_size=3, n_context=0):
    size = Size(shape, n_levels, channels, n_layers, kernel_size, n_context, 0.0)
    d = shape[0] * shape[1] * shape[2]
    generator = torch.Generator().manual_seed(5)
    buffers = {"forbidden": torch.zeros(d, n_levels).numpy()}
    return module_of(lambda: KINDS[kind](size), generator, buffers, gain=2.0).double().eval()


def feels(module, d, n_levels, n_bases=6):
    """(d, d) bool: whether the scores of entry i change with the level of entry j, somewhere."""
    generator = torch.Generator().manual_seed(0)
    found = torch.zeros(d, d, dtype=torch.bool)
    for _ in range(n_bases):
        base = torch.randint(n_levels, (1, d), generator=generator)
        changed = base.repeat(d, 1)
        changed[torch.arange(d), torch.arange(d)] = (base[0] + 1) % n_levels
        with torch.no_grad():
            before, after = module.logits(base), module.logits(changed)  # row j: entry j changed
        found |= ((after - before).abs().amax(dim=2) > 1e-12).T
    return found.numpy()
