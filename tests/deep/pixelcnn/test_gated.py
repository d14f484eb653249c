"""Two stacks: no entry feels itself or a later one, all are seen, and walks agree."""

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from lowdim.deep.chain.asking import log_densities
from lowdim.deep.chain.walk import PlainWalk
from tests.deep.chain.toy import all_rows, plain_levels
from tests.deep.pixelcnn.networks import feels, network


def walked(walk, codes, d):
    found = []
    for place in range(d):
        found.append(walk.logits(place))
        walk.put(place, codes[:, place])
    return torch.stack(found, dim=1)


@pytest.mark.parametrize("kind", ["gated", "masked"])
@pytest.mark.parametrize("shape", [(4, 3, 1), (3, 3, 2), (1, 7, 1), (5, 1, 1)])
def test_no_entry_feels_itself_or_a_later_one_and_each_feels_the_one_before(kind, shape):
    d = int(np.prod(shape))
    seen = feels(network(kind, shape, 3, kernel_size=5), d, 3)
    assert not np.triu(seen).any()
    width = shape[1] * shape[2]
    for i in range(1, d):
        if i % width:  # the one before it in its row; in the first of a row, one above
            assert seen[i, i - 1]
        else:
            assert seen[i, i - width]


def test_two_stacks_have_no_blind_spot():
    """With layers enough every entry before is seen; one masked stack never sees some of them."""
    d = 36
    gated = feels(network("gated", (6, 6, 1), 2, n_layers=6), d, 2)
    np.testing.assert_array_equal(gated, np.tril(np.ones((d, d), bool), -1))
    masked = feels(network("masked", (6, 6, 1), 2, n_layers=6), d, 2)
    row, column = 3, 1
    i = 6 * row + column
    assert not masked[i, 6 * (row - 1) + 5] and gated[i, 6 * (row - 1) + 5]


@pytest.mark.parametrize("kind", ["gated", "masked"])
def test_probabilities_of_all_images_add_up_to_one(kind):
    """All 4096 binary images of 4 x 3."""
    p = np.exp(log_densities(all_rows(12, 2), network(kind), plain_levels(12, 2), 1))
    assert p.sum() == pytest.approx(1.0, abs=1e-10)


@pytest.mark.parametrize("kind", ["gated", "masked"])
@pytest.mark.parametrize("shape", [(4, 3, 1), (3, 3, 2), (1, 7, 1), (5, 1, 1)])
@pytest.mark.parametrize("n_context", [0, 2])
def test_walks_agree_with_the_whole_network(kind, shape, n_context):
    d, generator = int(np.prod(shape)), torch.Generator().manual_seed(1)
    module = network(kind, shape, 3, kernel_size=5, n_context=n_context)
    codes = torch.randint(4, (5, d), generator=generator)  # 3: missing
    context = torch.randn(5, n_context, generator=generator).double() if n_context else None
    with torch.no_grad():
        whole = module.logits(codes, context)
        torch.testing.assert_close(walked(module.walk(5, context), codes, d), whole)
        plain = PlainWalk(module, 5, d, 3, context)
        torch.testing.assert_close(walked(plain, codes, d), whole)


@pytest.mark.parametrize("kind", ["gated", "masked"])
def test_chosen_rows_go_on_as_if_they_had_always_been_alone(kind):
    module, d = network(kind), 12
    codes = torch.randint(2, (4, d), generator=torch.Generator().manual_seed(2))
    index = torch.tensor([2, 2, 0])
    with torch.no_grad():
        walk = module.walk(4)
        walked(walk, codes[:, :7], 7)
        walk.choose(index)
        walk.put(6, codes[index, 6])
        after = walk.logits(7)
        torch.testing.assert_close(after, module.logits(codes[index])[:, 7])


def test_what_is_known_beforehand_is_heard():
    module = network("gated", n_context=2)
    codes = torch.zeros(1, 12, dtype=torch.int64)
    with torch.no_grad():
        a, b = (module.logits(codes, torch.tensor([[x, 1.0]]).double()) for x in (0.0, 1.0))
    assert ((a - b).abs().amax(dim=2) > 1e-9).all()
