"""Encoders and decoders: shapes, and places stay places."""

import pytest

torch = pytest.importorskip("torch")
coding = pytest.importorskip("lowdim.deep.coding")


@pytest.mark.parametrize("shape", [(28, 28, 1), (7, 5, 3), (1, 9, 1), (6, 6, 2)])
@pytest.mark.parametrize("network", ["mlp", "conv"])
def test_rows_become_codes_and_codes_rows(network, shape):
    h, w, c = shape
    there = coding.encoder(network, shape, 2, 3, (8,), "tanh", 0.1)
    back = coding.decoder(network, shape, 3, 2, (8,), "tanh", 0.1)
    Z = there(torch.zeros(4, 2 * h * w * c))
    assert Z.shape == (4, 3) and back(Z).shape == (4, 2 * h * w * c)


def test_pictures_and_rows_undo_each_other():
    X = torch.arange(2 * 2 * 3 * 4 * 5, dtype=torch.float32).reshape(2, -1)
    pictures = coding.Pictures(2, (3, 4, 5))(X)
    assert pictures.shape == (2, 10, 3, 4)
    assert pictures[0, 1, 0, 2] == X[0, 2 * 5 + 1]  # the second number of the third place
    assert torch.equal(coding.Rows(2)(pictures), X)
