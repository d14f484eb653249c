"""The plain walk: what the whole network says, entry by entry, in its order."""

import pytest

pytest.importorskip("torch")

import torch

from lowdim.deep.chain.walk import PlainWalk
from tests.deep.chain.toy import Toy


@pytest.mark.parametrize("order", [None, [2, 0, 3, 1]])
def test_it_says_what_the_network_says(order, seed):
    module = Toy(4, 3, seed, order)
    codes = torch.randint(3, (6, 4), generator=torch.Generator().manual_seed(0))
    index = torch.tensor([5, 0, 0])
    with torch.no_grad():
        whole, walk = module.logits(codes), PlainWalk(module, 6, 4, 3, None)
        for place, f in enumerate(module.order):
            torch.testing.assert_close(walk.logits(place), whole[:, f])
            walk.put(place, codes[:, f])
            if place == 1:
                walk.choose(index)
                codes, whole = codes[index], whole[index]
