"""Losses of autoencoders count what is observed, and nothing else."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")


def test_what_is_missing_does_not_reach_the_loss(rng):
    Y = rng.normal(size=(40, 8))
    Y[:, 0][::2] = np.nan
    from lowdim.deep.autoencoding import Coder, squared_loss
    from lowdim.deep.engine import torch_generator
    from lowdim.deep.starting import module_of

    module = module_of(
        lambda: Coder("mlp", (1, 8, 1), 2, (), "relu", 0.0, True), torch_generator(0)
    ).double()
    tensor = torch.from_numpy(Y)
    found = squared_loss(0.0, module, (tensor,), torch_generator(0)).item()
    hat = module.reconstruct(tensor).detach().numpy()
    assert found == pytest.approx(np.nansum((Y - hat) ** 2))
