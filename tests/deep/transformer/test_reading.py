"""Text read and written: probabilities by enumeration, choices of tokens."""

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from lowdim.deep.transformer.reading import (
    Choice,
    chosen,
    log_probabilities,
    mean_states,
    probabilities,
    sinusoids,
    text_loss,
    written,
)
from tests.deep.chain.toy import all_rows
from tests.deep.transformer.networks import network


@pytest.mark.parametrize("separated", [True, False])
def test_probabilities_of_all_texts_of_one_length_add_up_to_one(separated):
    """Texts of 7 tokens are longer than the context of 4."""
    module = network(d=4)
    texts = all_rows(7, 3).astype(np.int64)
    total, count = log_probabilities(module, list(texts), separated)
    assert np.exp(total).sum() == pytest.approx(1.0, abs=1e-9)
    assert (count == 7).all()
    p = probabilities(module, texts[100], separated)
    assert p.shape == (7, 3)
    assert np.log(p[np.arange(7), texts[100]]).sum() == pytest.approx(total[100], rel=1e-9)


def test_empty_texts_are_sure():
    total, count = log_probabilities(network(d=4), [np.empty(0, int), np.array([1, 2])], True)
    assert total[0] == 0 > total[1] and count.tolist() == [0, 2]


def test_the_loss_of_whole_windows_is_their_mean_log_probability():
    module = network(d=4)
    codes = np.array([[0, 1, 2, 0], [2, 2, 1, 0]])
    total, _ = log_probabilities(module, list(codes), False)
    with torch.no_grad():
        loss = text_loss(module, (torch.from_numpy(codes),), torch.Generator())
    assert loss.item() == pytest.approx(-total.sum() / 4, rel=1e-9)


def test_a_step_learns_from_windows_that_begin_anywhere():
    module, seen = network(d=3, n_levels=5), set()
    logits = module.logits
    module.logits = lambda window: seen.add(tuple(window[0].tolist())) or logits(window)
    generator = torch.Generator().manual_seed(0)
    for _ in range(40):
        text_loss(module, (torch.arange(5)[None],), generator)
    assert seen == {(0, 1, 2), (1, 2, 3), (2, 3, 4)}


def test_mean_states_of_texts():
    module = network(d=4)
    tokens = np.array([0, 1, 2, 1, 0, 2])
    Z = mean_states(module, [tokens, tokens[:0], tokens[:3]], False)
    assert Z.shape == (3, 8) and not Z[1].any()
    with torch.no_grad():
        first = module.features(torch.tensor([[0, 1, 2, 1]]), torch.tensor([4]))
        second = module.features(torch.tensor([[0, 2]]), torch.tensor([2]))
    np.testing.assert_allclose(Z[0], ((first + second) / 6)[0].numpy(), rtol=1e-5)


@pytest.mark.parametrize("begin", [[], [1], [0, 1, 2, 0, 1, 1]])
def test_text_written_with_a_cache_is_that_without(begin):
    uniform = np.random.default_rng(0).random((5, 11))
    module, begin = network(d=4), np.array(begin, dtype=np.int64)
    found = written(module, begin, uniform, Choice())
    assert found.shape == (5, 11) and len(np.unique(found)) == 3
    np.testing.assert_array_equal(found, written(module, begin, uniform, Choice(), cached=False))


def test_written_tokens_follow_the_probabilities():
    module, n = network(d=4), 4000
    drawn = written(module, np.array([2]), np.random.default_rng(1).random((n, 2)), Choice())
    first = probabilities(module, np.array([2, 0]), False)[1]
    np.testing.assert_allclose(np.bincount(drawn[:, 0], minlength=3) / n, first, atol=0.035)
    after = drawn[drawn[:, 0] == 1, 1]
    second = probabilities(module, np.array([2, 1, 0]), False)[2]
    tolerance = 4.5 * 0.5 / np.sqrt(len(after))
    np.testing.assert_allclose(np.bincount(after, minlength=3) / len(after), second, atol=tolerance)


def test_choices():
    scores = torch.log(torch.tensor([[0.1, 0.5, 0.15, 0.25]])).repeat(4000, 1)
    u = (np.arange(4000) + 0.5) / 4000

    def shares(**arguments):
        return np.bincount(chosen(scores, Choice(**arguments), u), minlength=4) / 4000

    np.testing.assert_allclose(shares(), [0.1, 0.5, 0.15, 0.25], atol=1e-3)
    np.testing.assert_allclose(shares(top_k=2), [0, 2 / 3, 0, 1 / 3], atol=1e-3)
    np.testing.assert_allclose(shares(top_k=9), [0.1, 0.5, 0.15, 0.25], atol=1e-3)
    np.testing.assert_allclose(shares(top_p=0.6), [0, 2 / 3, 0, 1 / 3], atol=1e-3)
    np.testing.assert_allclose(shares(top_p=0.4), [0, 1, 0, 0])
    np.testing.assert_allclose(shares(temperature=0.0), [0, 1, 0, 0])
    sharp = np.array([0.1, 0.5, 0.15, 0.25]) ** 2
    np.testing.assert_allclose(shares(temperature=0.5), sharp / sharp.sum(), atol=1e-3)


@pytest.mark.parametrize("width", [1, 7, 8])
def test_sinusoids_tell_places_apart(width):
    P = sinusoids(50, width)
    assert P.shape == (50, width) and (np.linalg.norm(P, axis=1) <= 1.0).all()
    assert len(np.unique(P.round(12), axis=0)) == 50
