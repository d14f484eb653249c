"""Weights as one vector: steps are those of torch.optim, whatever the shards and the pieces."""

import numpy as np
import pytest

import lowdim
from lowdim.deep import vector as vectors
from lowdim.deep.learner import Settings
from lowdim.deep.vector import Vector

torch = pytest.importorskip("torch")


def two_weights(rng):
    return [torch.nn.Parameter(torch.tensor(rng.normal(size=shape))) for shape in ((3, 4), (5,))]


def test_weights_are_views_of_it(rng):
    weights = two_weights(rng)
    expected = torch.cat([w.detach().reshape(-1) for w in weights]).clone()
    vector = Vector(weights, Settings())
    assert torch.equal(vector.all, expected)
    vector.all += 1.0
    assert torch.equal(weights[1], expected[12:] + 1.0)
    assert [part.shape for part in vector.parts(vector.all)] == [(3, 4), (5,)]


PEERS = {
    "sgd": (torch.optim.SGD, {}),
    "heavy_ball": (torch.optim.SGD, {"momentum": 0.9}),
    "nesterov": (torch.optim.SGD, {"momentum": 0.9, "nesterov": True}),
    "adagrad": (torch.optim.Adagrad, {"eps": 1e-8}),
    "adam": (torch.optim.Adam, {"betas": (0.8, 0.99)}),
    "adamw": (torch.optim.AdamW, {"betas": (0.8, 0.99)}),
}


@pytest.mark.parametrize("name", PEERS)
def test_steps_are_those_of_torch(rng, name):
    weights = two_weights(rng)
    peers = [torch.nn.Parameter(w.detach().clone()) for w in weights]
    make, arguments = PEERS[name]
    peer = make(peers, lr=0.05, weight_decay=0.1, fused=True, **arguments)
    vector = Vector(weights, Settings(optimizer=name, betas=(0.8, 0.99), weight_decay=0.1))
    for step in range(1, 5):
        shards = rng.normal(size=(3, 17))
        for (found, _), given in zip(vector.gradients(3), shards, strict=True):
            found.copy_(torch.tensor(given))
        total = torch.tensor(shards[0] + shards[1] + shards[2])
        for w, part in zip(peers, vector.parts(total), strict=True):
            w.grad = part.clone()
        peer.step()
        vector.add_and_move(3, 0.05, step, 0.0)
        for w, expected in zip(weights, peers, strict=True):
            torch.testing.assert_close(w, expected, rtol=1e-14, atol=1e-15)


def test_threads_and_pieces_do_not_matter(rng, monkeypatch):
    gradient, found = torch.tensor(rng.normal(size=17)), []
    for threads, pieces in ((1, ((0, 1),)), (1, ((0, 4),)), (3, ((0, 4),))):
        monkeypatch.setattr(vectors, "PIECES", pieces)
        weights = two_weights(np.random.default_rng(0))
        vector = Vector(weights, Settings(average=0.9))
        vector.gradients(1)[0][0].copy_(gradient)
        with lowdim.config_context(threads=threads):
            vector.add_and_move(1, 0.1, 1, 0.5)
        found.append((vector.all.numpy().copy(), vector.average.numpy().copy()))
    for w, average in found[1:]:
        np.testing.assert_allclose(w, found[0][0], rtol=1e-15)  # of a piece's last numbers
        np.testing.assert_allclose(average, found[0][1], rtol=1e-15)
    np.testing.assert_array_equal(found[1][0], found[2][0])
    weights = two_weights(np.random.default_rng(0))
    start = np.concatenate([w.detach().numpy().ravel() for w in weights])
    np.testing.assert_allclose(found[0][1], 0.5 * (start + found[0][0]), rtol=1e-14)


def test_what_was_written_down_is_put_back(rng):
    one, other = (Vector(two_weights(rng), Settings(average=0.9)) for _ in range(2))
    for vector in (one, other):
        vector.gradients(1)[0][0].fill_(0.3)
    one.add_and_move(1, 0.1, 1, 0.5)
    other.restore(one.state())
    for vector in (one, other):
        vector.gradients(1)[0][0].fill_(-0.2)
        vector.add_and_move(1, 0.1, 2, 0.5)
    assert torch.equal(one.all, other.all) and torch.equal(one.average, other.average)
