"""A network of this kind whose probabilities are known: masked linear scores."""

import numpy as np
import torch

from lowdim.deep.chain.levels import Levels
from lowdim.deep.chain.walk import PlainWalk


class Toy(torch.nn.Module):
    """Scores of an entry are linear in the levels of those before it, in the given order."""

    numbers_of_walk = 8
    numbers_of_row = 8

    def __init__(self, d, L, seed, order=None):
        super().__init__()
        self.order = list(range(d)) if order is None else order
        self.L = L
        random, place = np.random.default_rng(seed), np.argsort(self.order)
        before = place[:, None] > place[None, :]  # entry, earlier entry
        W = 1.5 * random.normal(size=(d, L, d, L + 1))
        self.W = torch.nn.Parameter(torch.from_numpy(W * before[:, None, :, None]))
        self.b = torch.nn.Parameter(torch.from_numpy(random.normal(size=(d, L))))

    def logits(self, codes, context=None):
        seen = torch.nn.functional.one_hot(codes, self.L + 1).to(self.W.dtype)
        return torch.einsum("nfm,ekfm->nek", seen, self.W) + self.b

    def walk(self, n, context=None):
        return PlainWalk(self, n, len(self.order), self.L, context)


def plain_levels(d, L):
    """Columns whose values are 0, 1, ..., L - 1."""
    values = np.tile(np.arange(float(L)), (d, 1))
    return Levels(
        np.full(d, L), np.full(d, True), values, (values[:, 1:] + values[:, :-1]) / 2,
        np.zeros((d, 2)),
    )  # fmt: skip


def all_rows(d, L):
    """All rows of d entries with L levels, (L^d, d)."""
    return np.stack(np.meshgrid(*[np.arange(float(L))] * d, indexing="ij"), axis=-1).reshape(-1, d)
