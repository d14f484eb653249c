"""Rows entry by entry: what a network says of the next one. This module imports torch.

A network of this kind has

    logits(codes, context)   (n, d) -> (n, d, L): scores of each entry's levels, given those before
    walk(n, context)         the same, one entry at a time, for n rows at once

where entries come in the order of `module.order`. `PlainWalk` asks the whole network for each
entry; a network can do better, and keep what it has computed.
"""

from __future__ import annotations

from typing import Any, Protocol

import torch


class Walk(Protocol):
    """n rows of which the first entries are known."""

    def logits(self, place: int) -> torch.Tensor:
        """Scores (n, L) of the entry at this place in the order, given those put before."""

    def put(self, place: int, codes: torch.Tensor) -> None:
        """Set the entry at this place, (n,) int64."""

    def choose(self, index: torch.Tensor) -> None:
        """Go on with these of the rows, (m,); one may be chosen more than once, or not at all."""


class PlainWalk:
    """A walk that asks the whole network for each entry."""

    def __init__(self, module: Any, n: int, d: int, missing: int, context: torch.Tensor | None):
        self._module, self._context = module, context
        self._codes = torch.full((n, d), missing, dtype=torch.int64)

    def logits(self, place: int) -> torch.Tensor:
        """Scores of the entry at this place."""
        return self._module.logits(self._codes, self._context)[:, self._module.order[place]]

    def put(self, place: int, codes: torch.Tensor) -> None:
        """Set the entry at this place."""
        self._codes[:, self._module.order[place]] = codes

    def choose(self, index: torch.Tensor) -> None:
        """Go on with these of the rows."""
        self._codes = self._codes[index]
        self._context = None if self._context is None else self._context[index]
