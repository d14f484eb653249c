"""Two stacks of gated convolutions, which together see all pixels before one, and no other.

    vertical     v_l = gate(conv over rows above: v_(l-1))                          all columns near
    horizontal   h_l = h_(l-1) + W gate(conv over this row up to here: h_(l-1) + V v_l here)
    gate(a, b) = tanh(a) * sigmoid(b)

The vertical stack never sees the row it stands in, so it may look at both sides; the horizontal one
sees what is to the left, in its first layer without the pixel itself. One masked stack alone has a
blind spot to the right above. An image (h, w, c) is taken as h rows of w c entries, and a step
sideways as c of them. This module imports torch.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import nn
from torch.nn.functional import pad

from lowdim.deep.layers import Dropout


class Size(NamedTuple):
    """Of a network on images."""

    shape: tuple[int, int, int]  # (h, w, c)
    n_levels: int
    channels: int
    n_layers: int
    kernel_size: int
    n_context: int  # numbers that are known of a row beforehand
    dropout: float

    @property
    def grid(self) -> tuple[int, int]:
        """Rows of an image, and entries of each."""
        h, w, c = self.shape
        return h, w * c

    @property
    def reach(self) -> tuple[int, int]:
        """Rows above, and entries to each side, that a convolution sees."""
        up = self.kernel_size // 2
        return up, up * self.shape[2]


class Pixels(nn.Module):
    """What both kinds of networks share: levels in, scores of levels out."""

    forbidden: torch.Tensor

    def __init__(self, size: Size):
        super().__init__()
        h, w = size.grid
        C, L = size.channels, size.n_levels
        self.size, self.order = size, range(h * w)
        # the last one: missing. from_pretrained draws no numbers, for which torch would import its
        # compiler (1 s)
        self.levels = nn.Embedding.from_pretrained(torch.empty(L + 1, C), freeze=False)
        self.out = nn.Sequential(
            nn.ReLU(), nn.Conv2d(C, C, 1), nn.ReLU(), Dropout(size.dropout), nn.Conv2d(C, L, 1)
        )
        self.register_buffer("forbidden", torch.zeros(h * w, L))

    def embedded(self, codes: torch.Tensor) -> torch.Tensor:
        """Levels (n, h w) as images (n, channels, h, w)."""
        return self.levels(codes).movedim(2, 1).unflatten(2, self.size.grid)

    def scores(self, features: torch.Tensor) -> torch.Tensor:
        """Features (n, channels, h, w) as scores (n, h w, levels)."""
        return self.out(features).flatten(2).movedim(1, 2) + self.forbidden

    def score_at(self, place: int, features: torch.Tensor) -> torch.Tensor:
        """Features of one place, (n, channels), as scores (n, levels)."""
        return self.out(features[:, :, None, None])[:, :, 0, 0] + self.forbidden[place]


class Layer(nn.Module):
    """One layer of both stacks."""

    def __init__(self, size: Size, first: bool):
        super().__init__()
        C, (up, side) = size.channels, size.reach
        own = 0 if first else 1  # whether it sees its own row of v, and its own place of h
        self.first, self.up, self.side = first, up, side
        self.tall = size.grid[0] > 1  # a signal has nothing above it
        if self.tall:
            self.vertical = nn.Conv2d(C, 2 * C, (up + own, 2 * side + 1))
            self.down = nn.Conv2d(2 * C, 2 * C, 1)
        self.horizontal = nn.Conv2d(C, 2 * C, (1, side + own))
        self.onward = nn.Conv2d(C, C, 1)
        q = size.n_context
        self.context = nn.Linear(q, 4 * C, bias=False) if q else None

    def of_context(self, context: torch.Tensor | None) -> tuple[Any, Any]:
        """What is added in both stacks, (n, 2 channels) each."""
        if self.context is None or context is None:
            return 0.0, 0.0
        return self.context(context).chunk(2, dim=1)

    def above(self, v: torch.Tensor, added: Any) -> torch.Tensor:
        """The vertical stack before its gate; v has the rows above it too, and is padded."""
        pre = self.vertical(v)
        return pre + added[:, :, None, None] if isinstance(added, torch.Tensor) else pre

    def forward(
        self, v: torch.Tensor, h: torch.Tensor, here: Any, context: torch.Tensor | None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Both stacks for whole images."""
        for_v, for_h = self.of_context(context)
        side, up = self.side, self.up
        pre_h = self.horizontal(pad(h, (side, -1) if self.first else (side, 0))) + here
        if isinstance(for_h, torch.Tensor):
            pre_h = pre_h + for_h[:, :, None, None]
        if self.tall:
            pre = self.above(pad(v, (side, side, up, -1 if self.first else 0)), for_v)
            v, pre_h = gate(pre), pre_h + self.down(pre)
        onward = self.onward(gate(pre_h))
        return v, onward if self.first else h + onward


def gate(pre: torch.Tensor) -> torch.Tensor:
    """tanh of the first half of the channels, times sigmoid of the second."""
    a, b = pre.chunk(2, dim=1)
    return torch.tanh(a) * torch.sigmoid(b)


class GatedPixels(Pixels):
    """The network: rows of levels in, scores of each entry's levels out."""

    def __init__(self, size: Size):
        super().__init__(size)
        self.layers = nn.ModuleList(Layer(size, i == 0) for i in range(size.n_layers))
        self.here = nn.Parameter(torch.empty(2 * size.channels, *size.grid))  # of each place
        self.numbers_of_row = 8 * size.channels * size.grid[0] * size.grid[1]
        self.numbers_of_walk = size.n_layers * size.channels * (size.reach[0] + 4) * size.grid[1]

    def start(self) -> None:
        """All places begin alike."""
        with torch.no_grad():
            self.here.zero_()

    def logits(self, codes: torch.Tensor, context: torch.Tensor | None = None) -> torch.Tensor:
        """Scores (n, d, levels) of entries, given those before."""
        v = h = self.embedded(codes)
        here: Any = self.here
        for layer in self.layers:
            v, h = layer(v, h, here, context)
            here = 0.0
        return self.scores(h)

    def walk(self, n: int, context: torch.Tensor | None = None) -> GatedWalk:
        """The same, entry by entry."""
        return GatedWalk(self, n, context)


class GatedWalk:
    """Keeps what each layer has computed; a new row needs the rows above, a new place its left.

    Ramachandran et al. (2017), Fast generation for convolutional autoregressive models.
    """

    def __init__(self, module: GatedPixels, n: int, context: torch.Tensor | None):
        size = module.size
        (up, side), (_, w), C = size.reach, size.grid, size.channels
        weights = module.levels.weight
        self._module, self._side = module, side
        self._context = [layer.of_context(context) for layer in module.layers]
        # inputs of the layers: rows above, padded at both sides; this row, padded to its left
        self._above = [weights.new_zeros(n, C, up, w + 2 * side) for _ in module.layers]
        self._row = [weights.new_zeros(n, C, w + side) for _ in module.layers]
        self._down: list[torch.Tensor] = []
        self._begun = -1

    def logits(self, place: int) -> torch.Tensor:
        """Scores (n, levels) of the entry at this place."""
        r, c = divmod(place, self._module.size.grid[1])
        if r > self._begun:
            self._begin_row(r)
        h = None
        for i, layer in enumerate(self._module.layers):
            pre = self._pre(i, layer, r, c)
            h = layer.onward(gate(pre)[:, :, None, None])[:, :, 0, 0] + (0.0 if h is None else h)
            if i + 1 < len(self._row):
                self._row[i + 1][:, :, self._side + c] = h
        assert h is not None
        return self._module.score_at(place, h)

    def _pre(self, i: int, layer: Layer, r: int, c: int) -> torch.Tensor:
        """Before the gate of the horizontal stack of a layer, (n, 2 channels), at one place."""
        reach = layer.horizontal.weight.shape[3]
        window = self._row[i][:, :, c : c + reach].flatten(1)
        pre = window @ layer.horizontal.weight.flatten(1).T + layer.horizontal.bias
        pre = pre + self._context[i][1]
        if layer.tall:
            pre = pre + self._down[i][:, :, c]
        return pre + self._module.here[:, r, c] if i == 0 else pre

    def _begin_row(self, r: int) -> None:
        """The vertical stack of row r."""
        self._begun = r
        if not self._module.layers[0].tall:
            return
        side, v = self._side, None
        if r > 0:  # the row that is complete is the last one above now
            done = pad(self._row[0], (0, side))[:, :, None]
            self._above[0] = torch.cat([self._above[0], done], dim=2)[:, :, 1:]
        self._down = []
        for i, layer in enumerate(self._module.layers):
            if v is None:
                rows = self._above[0]
            else:
                rows = torch.cat([self._above[i], pad(v, (side, side))], dim=2)
                self._above[i] = rows[:, :, 1:]
            pre = layer.above(rows, self._context[i][0])
            self._down.append(layer.down(pre)[:, :, 0])
            v = gate(pre)
        for row in self._row:
            row.zero_()

    def put(self, place: int, codes: torch.Tensor) -> None:
        """Set the entry at this place."""
        c = place % self._module.size.grid[1]
        self._row[0][:, :, self._side + c] = self._module.levels(codes)

    def choose(self, index: torch.Tensor) -> None:
        """Go on with these of the rows."""
        self._above = [part[index] for part in self._above]
        self._row = [part[index] for part in self._row]
        self._down = [part[index] for part in self._down]
        self._context = [
            tuple(part[index] if isinstance(part, torch.Tensor) else part for part in pair)
            for pair in self._context
        ]
