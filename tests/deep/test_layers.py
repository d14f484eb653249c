"""Layers: dropout takes its chance from the step alone."""

import pytest

from lowdim.deep.engine import torch_generator

torch = pytest.importorskip("torch")
layers = pytest.importorskip("lowdim.deep.layers")


def test_dropout_keeps_the_mean_and_follows_the_generator(seed):
    layer, X = layers.Dropout(0.25), torch.ones(200, 100)
    found = []
    for key in (seed, seed, seed + 1):
        with layers.with_noise(torch_generator(key)):
            found.append(layer(X))
    assert torch.equal(found[0], found[1]) and not torch.equal(found[0], found[2])
    # 20000 numbers, each 4/3 with probability 3/4: the mean has a deviation of 0.0041
    assert found[0].mean().item() == pytest.approx(1.0, abs=0.02)
    assert torch.equal(layer.eval()(X), X)


def test_dense_layers_have_an_activation_between_them():
    network = layers.dense((4, 3, 2), "relu", 0.5)
    names = [type(layer).__name__ for layer in network]
    assert names == ["Linear", "ReLU", "Dropout", "Linear"]
    assert [type(layer).__name__ for layer in layers.dense((4, 2), "relu")] == ["Linear"]
