"""A step on a batch: the gradient of its mean loss, whatever the shards."""

import numpy as np
import pytest

from lowdim.deep import learner as learners
from lowdim.deep.engine import torch_generator
from lowdim.deep.learner import Learner, Settings
from lowdim.deep.starting import module_of

torch = pytest.importorskip("torch")


def loss(module, batch, generator):
    X, y, *weight = batch
    errors = (module(X)[:, 0] - y) ** 2
    return (errors * weight[0]).sum() if weight else errors.sum()


def learner_of(seed=0, penalty=None, weighted=False, shard=learners.SHARD, **settings):
    module = module_of(lambda: torch.nn.Linear(3, 1), torch_generator(seed))
    settings = Settings(
        **{"optimizer": "sgd", "schedule": "constant", "precision": "double", **settings}
    )
    return Learner(
        module, loss, settings, n_steps=10, seed=seed, device=torch.device("cpu"), penalty=penalty,
        weighted=weighted, shard=shard,
    )  # fmt: skip


def by_hand(w, b, X, y, weight):
    error = weight * (X @ w + b - y) / weight.sum()
    return 2 * error @ X, 2 * error.sum()


def test_a_step_goes_down_the_gradient_of_the_mean_loss(rng):
    X, y, weight = (
        rng.normal(size=(50, 3)),
        rng.normal(size=50),
        rng.integers(0, 3, 50).astype(float),
    )
    for weighted in (False, True):
        learner = learner_of(weighted=weighted, learning_rate=0.1, shard=7)
        before = learner.weights()
        batch = (X, y, weight) if weighted else (X, y)
        assert [len(shard[0]) for shard in learner._shards(batch)] == [12, 13, 12, 13]
        seen = learner.step(batch)
        used = weight if weighted else np.ones(50)
        w, b = before["weight"][0], before["bias"][0]
        gradient, of_bias = by_hand(w, b, X, y, used)
        after = learner.weights()
        np.testing.assert_allclose(after["weight"][0], w - 0.1 * gradient, rtol=1e-12)
        np.testing.assert_allclose(after["bias"][0], b - 0.1 * of_bias, rtol=1e-12)
        assert seen.loss == pytest.approx(used @ (X @ w + b - y) ** 2) and seen.weight == used.sum()


def test_a_penalty_is_added_and_long_gradients_are_shortened(rng):
    X, y = rng.normal(size=(20, 3)), rng.normal(size=20)
    learner = learner_of(penalty=lambda module: 5.0 * (module.weight**2).sum(), learning_rate=0.1)
    before = learner.weights()
    learner.step((X, y))
    gradient, _ = by_hand(before["weight"][0], before["bias"][0], X, y, np.ones(20))
    expected = before["weight"][0] - 0.1 * (gradient + 10.0 * before["weight"][0])
    np.testing.assert_allclose(learner.weights()["weight"][0], expected, rtol=1e-12)

    clipped = learner_of(clip=1e-3, learning_rate=1.0)
    before = clipped.weights()
    clipped.step((X, y))
    moved = [clipped.weights()[name] - before[name] for name in before]
    # torch adds 1e-6 to the length that it divides by
    assert np.sqrt(sum((part**2).sum() for part in moved)) == pytest.approx(1e-3, rel=1e-4)


def test_the_average_lies_within_the_path_of_the_weights(rng):
    X, y = rng.normal(size=(20, 3)), rng.normal(size=20)
    plain, averaged = learner_of(learning_rate=0.1), learner_of(learning_rate=0.1, average=0.9)
    path = [plain.weights()["weight"]]
    for _ in range(10):
        plain.step((X, y))
        averaged.step((X, y))
        path.append(plain.weights()["weight"])
    mean = averaged.weights()["weight"]
    assert not np.array_equal(mean, path[-1])
    assert np.all(mean >= np.min(path, axis=0)) and np.all(mean <= np.max(path, axis=0))


@pytest.mark.parametrize("optimizer", ["heavy_ball", "adagrad", "adam"])
def test_what_was_written_down_goes_on_to_the_same_bits(rng, optimizer):
    X, y = rng.normal(size=(20, 3)), rng.normal(size=20)
    one, other = learner_of(optimizer=optimizer), learner_of(seed=1, optimizer=optimizer)
    one.step((X, y))
    other.restore(one.state())
    for learner in (one, other):
        learner.step((X, y))
    np.testing.assert_array_equal(one.weights()["weight"], other.weights()["weight"])
    assert one.n_done == other.n_done == 2


def test_a_batch_without_weight_moves_nothing(rng):
    learner = learner_of(weighted=True)
    before = learner.weights()["weight"]
    seen = learner.step((rng.normal(size=(4, 3)), np.zeros(4), np.zeros(4)))
    assert seen == (0.0, 0.0) and np.array_equal(learner.weights()["weight"], before)
