"""Layers: dropout takes its chance from the step alone; gradients go where they belong."""

import gc
import weakref

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


def test_gradients_go_where_they_belong(rng):
    network = layers.dense((4, 3, 2), "tanh").double()
    network.append(torch.nn.PReLU().double())  # a layer that knows nothing of it
    X = torch.tensor(rng.normal(size=(6, 4)))

    def loss():
        return (network[:3](X) ** 2).sum() + (network(0.5 * X) ** 3).sum()  # layers are used twice

    weights = list(network.parameters())
    expected = torch.autograd.grad(loss(), weights)
    parts = [torch.full_like(w, torch.nan) for w in weights]  # whatever was there
    into = layers.Gradients(weights, parts)
    with layers.adding_gradients_to(into):
        value = loss()
    found = torch.autograd.grad(value, weights, allow_unused=True)
    assert [g is None for g in found] == [True] * 4 + [False]
    into.add(found)
    for part, gradient in zip(parts, expected, strict=True):
        torch.testing.assert_close(part, gradient, rtol=1e-12, atol=1e-14)
    unused = torch.full((2,), torch.nan)
    layers.Gradients([torch.ones(2)], [unused]).add([None])
    assert not unused.any()


@pytest.mark.parametrize("activation", list(layers.ACTIVATIONS))
@pytest.mark.parametrize("dropout", [0.0, 0.4])
def test_dense_layers_as_one_function_have_the_gradients_of_their_parts(activation, dropout, seed):
    network = layers.dense((5, 4, 3, 2), activation, dropout).double()
    random = torch_generator(seed)
    X = torch.randn((7, 5), generator=random, dtype=torch.float64).requires_grad_()
    weights = list(network.parameters())
    for w in weights:
        torch.nn.init.normal_(w, generator=random)
    with layers.with_noise(torch_generator(seed, 1)):
        expected = torch.autograd.grad((network(X) ** 2).sum(), [X, *weights])
    parts = [torch.full_like(w, torch.nan) for w in weights]
    into = layers.Gradients(weights, parts)
    with layers.with_noise(torch_generator(seed, 1)), layers.adding_gradients_to(into):
        value = (network(X) ** 2).sum()
    assert type(value.grad_fn.next_functions[0][0].next_functions[0][0]).__name__ == (
        "_StackBackward"
    )
    found = torch.autograd.grad(value, [X, *weights], allow_unused=True)
    assert all(g is None for g in found[1:])
    for part, gradient in zip([found[0], *parts], expected, strict=True):
        torch.testing.assert_close(part, gradient, rtol=1e-12, atol=1e-14)


def test_dense_layers_as_one_function_are_forgotten_when_they_are_no_longer_needed(rng):
    network, X = layers.dense((4, 3, 2), "relu"), torch.ones(6, 4)
    weights = list(network.parameters())
    with layers.adding_gradients_to(layers.Gradients(weights, [w.clone() for w in weights])):
        found = network(X)
    given_back = weakref.ref(found)
    gc.disable()
    del found
    gc.enable()
    assert given_back() is None
