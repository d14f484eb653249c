"""The network by enumeration: what sees what, sums of 1, walks that agree, exact fillings."""

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from lowdim.deep.chain.asking import drawn_codes, filled, log_densities
from lowdim.deep.chain.walk import PlainWalk
from lowdim.deep.transformer.attention import Uncached
from tests.deep.chain.toy import all_rows, plain_levels
from tests.deep.pixelcnn.networks import feels
from tests.deep.transformer.networks import network

MIXED = [3, 0, 6, 1, 5, 2, 4]
KINDS = {
    "plain": {},
    "in another order": {"order": MIXED},
    "own levels": {"own_levels": True, "order": MIXED},
    "sinusoidal": {"positions": "sinusoidal"},
    "no positions": {"positions": None},
}
each_kind = pytest.mark.parametrize("kind", KINDS)


@each_kind
def test_each_entry_feels_all_before_it_and_neither_itself_nor_a_later_one(kind):
    seen = feels(network(**KINDS[kind]), 7, 3)
    order = KINDS[kind].get("order", range(7))
    place = np.argsort(order)
    np.testing.assert_array_equal(seen, place[:, None] > place[None, :])


@each_kind
def test_probabilities_of_all_sequences_add_up_to_one(kind):
    """All 2187 sequences of 7 symbols out of 3."""
    p = np.exp(log_densities(all_rows(7, 3), network(**KINDS[kind]), plain_levels(7, 3), 1))
    assert p.sum() == pytest.approx(1.0, abs=1e-10)
    assert np.ptp(p) > 1e-4


@each_kind
@pytest.mark.parametrize("n_context", [0, 2])
def test_walks_agree_with_the_whole_network(kind, n_context):
    module, generator = (
        network(n_context=n_context, **KINDS[kind]),
        torch.Generator().manual_seed(1),
    )
    codes = torch.randint(4, (5, 7), generator=generator)  # 3: missing
    context = torch.randn(5, n_context, generator=generator).double() if n_context else None
    index = torch.tensor([4, 4, 0])
    with torch.no_grad():
        whole = module.logits(codes, context)
        for walk in (module.walk(5, context), PlainWalk(module, 5, 7, 3, context)):
            rows = torch.arange(5)
            for place, f in enumerate(module.order):
                torch.testing.assert_close(walk.logits(place), whole[rows, f])
                if place == 3:
                    walk.choose(index)
                    rows = index
                walk.put(place, codes[rows, f])


def test_a_walk_may_begin_with_several_entries_at_once():
    module = network()
    codes = torch.randint(3, (4, 7), generator=torch.Generator().manual_seed(2))
    with torch.no_grad():
        whole = module.logits(codes)
        walk = module.walk(4)
        torch.testing.assert_close(walk.begin(codes[:, :4]), whole[:, 4])
        walk.put(4, codes[:, 4])
        torch.testing.assert_close(walk.logits(5), whole[:, 5])
        torch.testing.assert_close(module.walk(4).begin(codes[:, :0]), whole[:, 0])


@pytest.mark.parametrize("kind", ["plain", "own levels"])
def test_moments_of_samples_are_those_of_the_enumeration(kind):
    module, levels, X = network(**KINDS[kind]), plain_levels(7, 3), all_rows(7, 3)
    p = np.exp(log_densities(X, module, levels, 1))
    n = 6000
    uniform = np.random.default_rng(0).random((n, 7))
    drawn = drawn_codes(module, uniform, levels).astype(float)
    np.testing.assert_array_equal(drawn[:50], drawn_codes(Uncached(module), uniform[:50], levels))
    mean = p @ X
    cov = (X - mean).T @ ((X - mean) * p[:, None])
    np.testing.assert_allclose(drawn.mean(axis=0), mean, atol=5 * np.sqrt(0.7 / n))
    np.testing.assert_allclose(np.cov(drawn.T), cov, atol=6 * 0.8 / np.sqrt(n))


@pytest.mark.parametrize("kind", ["plain", "own levels"])
def test_fillings_are_exact_conditional_expectations(kind):
    module, levels, X = network(**KINDS[kind]), plain_levels(7, 3), all_rows(7, 3)
    p = np.exp(log_densities(X, module, levels, 1))
    row = np.array([[np.nan, 2.0, np.nan, 0.0, np.nan, 1.0, 2.0]])
    known = ~np.isnan(row[0])
    fits = (X[:, known] == row[0, known]).all(axis=1)
    weight = p[fits] / p[fits].sum()
    mean, std = filled(row, module, levels, 27, True)
    np.testing.assert_allclose(mean[0], weight @ X[fits], rtol=1e-9)
    var = weight @ X[fits] ** 2 - (weight @ X[fits]) ** 2
    np.testing.assert_allclose(std[0, ~known], np.sqrt(var[~known]), rtol=1e-6)
    assert log_densities(row, module, levels, 27)[0] == pytest.approx(np.log(p[fits].sum()))


def test_attention_looks_back_only_and_is_what_the_layers_use():
    module = network(n_layers=1)
    codes = torch.randint(3, (2, 7), generator=torch.Generator().manual_seed(3))
    with torch.no_grad():
        A = module.attention(codes)
        assert A.shape == (2, 1, 2, 7, 7)
        torch.testing.assert_close(A.sum(dim=4), torch.ones(2, 1, 2, 7).double())
        assert not A.triu(1).any() and (A.diagonal(dim1=3, dim2=4) > 0).all()
        layer = module.layers[0]
        x = module.embedded(module._inputs(codes)[0][:, :-1], None)
        mixed = (A[:, 0] @ layer.split(x)[2]).transpose(1, 2).flatten(2)
        h = x + layer.mixed(mixed)
        h = h + layer.down(torch.nn.functional.gelu(layer.up(layer.before_dense(h))))
        torch.testing.assert_close(layer(x), h)


def test_the_mean_of_the_last_layer_hears_every_entry():
    module = network()
    codes = torch.zeros(8, 7, dtype=torch.int64)
    codes[torch.arange(7) + 1, torch.arange(7)] = 2
    with torch.no_grad():
        found = module.features(codes, torch.full((8,), 7))
        first_only = module.features(codes, torch.full((8,), 3))
    assert ((found[1:] - found[:1]).abs().amax(dim=1) > 1e-6).all()
    torch.testing.assert_close(first_only[4:], first_only[:1].expand(4, -1))  # later ones: unheard


def test_what_is_known_beforehand_is_heard():
    module = network(n_context=2)
    codes = torch.zeros(1, 7, dtype=torch.int64)
    with torch.no_grad():
        a, b = (module.logits(codes, torch.tensor([[x, 1.0]]).double()) for x in (0.0, 1.0))
    assert ((a - b).abs().amax(dim=2) > 1e-9).all()
