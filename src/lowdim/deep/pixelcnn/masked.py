"""One stack of masked convolutions: the plain network of the lectures.

    h_l = relu(conv(mask * W_l, h_(l-1)))

The mask is 1 above and to the left, and at the place itself in all layers but the first. Pixels to
the right above, beyond a cone, are never seen (the blind spot), which `gated.py` mends. This module
imports torch.
"""

from __future__ import annotations

import torch
from torch import nn
from torch.nn.functional import conv2d, pad

from lowdim.deep.pixelcnn.gated import Pixels, Size


class Masked(nn.Conv2d):
    """A convolution over rows above and this one, that sees no entry to the right."""

    def __init__(self, size: Size, first: bool):
        up, side = size.reach
        super().__init__(size.channels, size.channels, (up + 1, 2 * side + 1))
        self.up, self.side, self.last = up, side, side if first else side + 1
        self.context = (
            nn.Linear(size.n_context, size.channels, bias=False) if size.n_context else None
        )

    def masked(self) -> torch.Tensor:
        """Its weights, with zeros where it must not look."""
        mask = torch.ones_like(self.weight)
        mask[:, :, -1, self.last :] = 0.0
        return self.weight * mask

    def added(self, context: torch.Tensor | None) -> torch.Tensor:
        """Its bias, of each row if something is known of rows: (n or 1, channels)."""
        bias = self.bias[None]
        return bias if self.context is None or context is None else bias + self.context(context)

    def forward(self, h: torch.Tensor, context: torch.Tensor | None = None) -> torch.Tensor:
        """For whole images."""
        found = conv2d(pad(h, (self.side, self.side, self.up, 0)), self.masked())
        return found + self.added(context)[:, :, None, None]


class MaskedPixels(Pixels):
    """The network: rows of levels in, scores of each entry's levels out."""

    def __init__(self, size: Size):
        super().__init__(size)
        self.layers = nn.ModuleList(Masked(size, i == 0) for i in range(size.n_layers))
        up, side = size.reach
        row = size.grid[1] + 2 * side
        self.numbers_of_row = 4 * size.channels * size.grid[0] * size.grid[1]
        self.numbers_of_walk = size.n_layers * size.channels * (up + 1) * row

    def logits(self, codes: torch.Tensor, context: torch.Tensor | None = None) -> torch.Tensor:
        """Scores (n, d, levels) of entries, given those before."""
        h = self.embedded(codes)
        for layer in self.layers:
            h = torch.relu(layer(h, context))
        return self.scores(h)

    def walk(self, n: int, context: torch.Tensor | None = None) -> MaskedWalk:
        """The same, entry by entry."""
        return MaskedWalk(self, n, context)


class MaskedWalk:
    """Keeps the inputs of each layer: some rows above, and this one."""

    def __init__(self, module: MaskedPixels, n: int, context: torch.Tensor | None):
        size = module.size
        (up, side), (_, w) = size.reach, size.grid
        zeros = module.levels.weight.new_zeros
        self._module, self._side, self._width = module, side, w
        self._rows = [zeros(n, size.channels, up + 1, w + 2 * side) for _ in module.layers]
        self._weights = [layer.masked().flatten(1).T for layer in module.layers]
        self._added = [layer.added(context) for layer in module.layers]

    def logits(self, place: int) -> torch.Tensor:
        """Scores (n, levels) of the entry at this place."""
        c = place % self._width
        if c == 0 and place > 0:
            self._rows = [torch.roll(rows, -1, dims=2) for rows in self._rows]
            for rows in self._rows:
                rows[:, :, -1] = 0.0
        for i, rows in enumerate(self._rows):
            window = rows[:, :, :, c : c + 2 * self._side + 1].flatten(1)
            h = torch.relu(window @ self._weights[i] + self._added[i])
            if i + 1 < len(self._rows):
                self._rows[i + 1][:, :, -1, self._side + c] = h
        return self._module.score_at(place, h)

    def put(self, place: int, codes: torch.Tensor) -> None:
        """Set the entry at this place."""
        self._rows[0][:, :, -1, self._side + place % self._width] = self._module.levels(codes)

    def choose(self, index: torch.Tensor) -> None:
        """Go on with these of the rows."""
        self._rows = [rows[index] for rows in self._rows]
        self._added = [part[index] if len(part) > 1 else part for part in self._added]
