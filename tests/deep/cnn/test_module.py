"""The module of convolutions: sizes of what it gives, for images of any shape."""

import pytest

torch = pytest.importorskip("torch")
from lowdim.deep.cnn.module import Convolutions  # noqa: E402


@pytest.mark.parametrize(
    ("shape", "kernel", "pool", "maps"),
    [
        ((8, 8, 1), (3, 3), 2, [(8, 8), (4, 4), (2, 2)]),
        ((7, 5, 3), (3, 3), 2, [(7, 5), (4, 3), (2, 2)]),
        ((1, 9, 1), (1, 4), 3, [(1, 9), (1, 3), (1, 1)]),
        ((2, 2, 2), (5, 5), 4, [(2, 2), (1, 1), (1, 1)]),
    ],
)
def test_maps_keep_the_size_and_pools_divide_it(shape, kernel, pool, maps):
    module = Convolutions(shape, (4, 5, 6), kernel, pool, (7,), 3, "relu", 0.0, "softmax")
    X = torch.rand(2, shape[0] * shape[1] * shape[2])
    for layer, (channels, size) in enumerate(zip((4, 5, 6), maps, strict=True)):
        assert module.maps(X, layer).shape == (2, channels, *size)
    assert module(X).shape == (2, 3) and module.hidden(X, 0).shape == (2, 7)
    torch.testing.assert_close(module.output(X).sum(dim=1), torch.ones(2))


def test_scores_follow_from_the_hidden_layer():
    module = Convolutions((4, 4, 1), (2,), (3, 3), 2, (5,), 3, "tanh", 0.0, "identity").eval()
    X = torch.rand(3, 16)
    torch.testing.assert_close(module(X), module.dense.linear[1](module.hidden(X, 0)))
