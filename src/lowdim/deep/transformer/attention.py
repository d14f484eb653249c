"""The network: layers in which each place looks at those before it. This module imports torch.

    inputs    start, x_1, ..., x_(d-1)      shifted by one: place i sees x_1 ... x_(i-1), says x_i
    a layer   h := h + W softmax(q k' / sqrt(size of a head)) v     of the normalised h, j <= i only
              h := h + MLP(normalised h)
    scores    (normalised h) E' + b         E are the vectors by which levels came in

Where columns have levels of their own, each has its own part of E. A row starts with one symbol;
another one stands for a missing value and, in text, for the place where a document begins.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import torch
from torch import nn
from torch.nn.functional import gelu, scaled_dot_product_attention

from lowdim.deep.chain.walk import PlainWalk
from lowdim.deep.layers import Dropout

START = 0.02  # standard deviation of vectors of levels and places before learning


class Size(NamedTuple):
    """Of a network on sequences."""

    order: tuple[int, ...]  # of the d columns
    n_levels: int
    own_levels: bool  # whether each column has its own
    n_layers: int
    n_heads: int
    width: int
    n_context: int  # numbers that are known of a row beforehand
    positions: str | None
    dropout: float

    @property
    def n_places(self) -> int:
        """The length of a row."""
        return len(self.order)


class Layer(nn.Module):
    """Attention, then a network for each place."""

    def __init__(self, size: Size):
        super().__init__()
        w = size.width
        self.n_heads = size.n_heads
        self.before_heads, self.before_dense = nn.LayerNorm(w), nn.LayerNorm(w)
        self.heads, self.mixed = nn.Linear(w, 3 * w), nn.Linear(w, w)
        self.up, self.down = nn.Linear(w, 4 * w), nn.Linear(4 * w, w)
        self.dropout = Dropout(size.dropout)

    def split(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """Queries, keys and values, (n, heads, places, size of a head) each."""
        three = self.heads(self.before_heads(x)).unflatten(2, (3, self.n_heads, -1))
        q, k, v = three.permute(2, 0, 3, 1, 4)
        return q, k, v

    def forward(self, x: torch.Tensor, kept: Kept | None = None, at: int = 0) -> torch.Tensor:
        """x (n, m, width) of m places from `at` on; of those before, what is kept of them."""
        q, k, v = self.split(x)
        if kept is not None:
            k, v = kept.with_new(k, v, at)
        mixed = scaled_dot_product_attention(q, k, v, is_causal=x.shape[1] > 1)
        x = x + self.dropout(self.mixed(mixed.transpose(1, 2).flatten(2)))
        return x + self.dropout(self.down(gelu(self.up(self.before_dense(x)))))

    def weights(self, x: torch.Tensor) -> torch.Tensor:
        """How much each place looks at each input, (n, heads, places, places)."""
        q, k, _ = self.split(x)
        scores = q @ k.transpose(2, 3) / math.sqrt(q.shape[3])
        later = torch.ones(scores.shape[2:], dtype=torch.bool, device=x.device).triu(1)
        return scores.masked_fill(later, -math.inf).softmax(dim=3)


class Kept:
    """Keys and values of a layer, for n rows."""

    def __init__(self, n: int, size: Size, like: torch.Tensor):
        shape = (n, size.n_heads, size.n_places, size.width // size.n_heads)
        self.k, self.v = like.new_empty(shape), like.new_empty(shape)
        self._end = 0  # places up to here are known

    def with_new(
        self, k: torch.Tensor, v: torch.Tensor, at: int
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Keep these, of places from `at` on; all up to them."""
        end = at + k.shape[2]
        self._end = end
        self.k[:, :, at:end], self.v[:, :, at:end] = k, v
        return self.k[:, :, :end], self.v[:, :, :end]

    def choose(self, index: torch.Tensor) -> None:
        """Go on with these of the rows."""
        self.k, self.v = self._chosen(self.k, index), self._chosen(self.v, index)

    def _chosen(self, part: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
        found = part.new_empty((len(index), *part.shape[1:]))
        found[:, :, : self._end] = part[index, :, : self._end]
        return found


class CausalNetwork(nn.Module):
    """Rows of levels in, scores of each entry's levels out."""

    forbidden: torch.Tensor
    places: Any

    def __init__(self, size: Size):
        super().__init__()
        d, L, w = size.n_places, size.n_levels, size.width
        tables = d if size.own_levels else 1
        self.size, self.order = size, list(size.order)
        self.missing, self.start_symbol = tables * L, tables * L + 1
        self.numbers_of_walk, self.numbers_of_row = 2 * size.n_layers * d * w, 8 * d * w
        # from_pretrained draws no numbers, for which torch would import its compiler (1 s)
        self.symbols = nn.Embedding.from_pretrained(torch.empty(tables * L + 2, w), freeze=False)
        self.bias = nn.Parameter(torch.empty(tables, L))
        if size.positions == "learned":
            self.places = nn.Parameter(torch.empty(d, w))
        else:
            places = torch.zeros(d, w) if size.positions == "sinusoidal" else None
            self.register_buffer("places", places)
        self.context = nn.Linear(size.n_context, w, bias=False) if size.n_context else None
        self.dropout = Dropout(size.dropout)
        self.layers = nn.ModuleList(Layer(size) for _ in range(size.n_layers))
        self.norm = nn.LayerNorm(w)
        self.register_buffer("forbidden", torch.zeros(d, L))

    def start(self) -> None:
        """Vectors are small at first, and so is what the layers add to them all together."""
        with torch.no_grad():
            self.bias.zero_()
            for vectors in (self.symbols.weight, *([self.places] if self._learns_places else [])):
                vectors.mul_(START / vectors.std(correction=0).clamp(min=1e-12))
            for layer in self.layers:
                for last in (layer.mixed, layer.down):
                    last.weight.mul_((2 * len(self.layers)) ** -0.5)

    @property
    def _learns_places(self) -> bool:
        return self.size.positions == "learned"

    # ---- whole rows ------------------------------------------------------------------------------

    def logits(self, codes: torch.Tensor, context: torch.Tensor | None = None) -> torch.Tensor:
        """Scores (n, m, levels) of the first m entries, m = d if the order is another one."""
        inputs, columns = self._inputs(codes)
        scores = self.scores(self.states(inputs[:, :-1], context), columns)
        if self._reordered:
            scores = scores[:, torch.argsort(columns)]
        return scores + self.forbidden[: codes.shape[1]]

    def features(
        self, codes: torch.Tensor, n_entries: torch.Tensor, context: torch.Tensor | None = None
    ) -> torch.Tensor:
        """Sum over the first n_entries of what the last layer makes of each, (n, width)."""
        inputs, _ = self._inputs(codes)
        states = self.states(inputs, context)[:, 1:]
        counted = torch.arange(codes.shape[1], device=codes.device) < n_entries[:, None]
        return (states * counted[:, :, None]).sum(dim=1)

    def attention(self, codes: torch.Tensor, context: torch.Tensor | None = None) -> torch.Tensor:
        """How much places look at inputs, (n, layers, heads, places, places)."""
        inputs, _ = self._inputs(codes)
        x, found = self.embedded(inputs[:, :-1], context), []
        for layer in self.layers:
            found.append(layer.weights(x))
            x = layer(x)
        return torch.stack(found, dim=1)

    @property
    def _reordered(self) -> bool:
        return self.order != list(range(len(self.order)))

    def _inputs(self, codes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Symbols (n, m + 1) of rows in their order, the start in front; and their columns."""
        columns = torch.arange(codes.shape[1], device=codes.device)
        if self._reordered:
            columns = torch.tensor(self.order, device=codes.device)
            codes = codes[:, columns]
        first = codes.new_full((len(codes), 1), self.start_symbol)
        return torch.cat([first, self.symbols_of(codes, columns)], dim=1), columns

    def symbols_of(self, codes: torch.Tensor, columns: Any) -> torch.Tensor:
        """Levels of columns as rows of the table of vectors."""
        if not self.size.own_levels:
            return codes  # the missing level comes after all others
        L = self.size.n_levels
        return torch.where(codes == L, self.missing, codes + columns * L)

    def embedded(
        self, inputs: torch.Tensor, context: torch.Tensor | None, at: int = 0
    ) -> torch.Tensor:
        """Symbols (n, m) from place `at` on, as vectors."""
        x = self.symbols(inputs)
        if self.places is not None:  # what follows the last place of a row shares it
            end = at + inputs.shape[1]
            last = len(self.places) - 1
            x = x + self.places[torch.arange(at, end, device=x.device).clamp(max=last)]
        if self.context is not None and context is not None:
            x = x + self.context(context)[:, None]
        return self.dropout(x)

    def states(
        self,
        inputs: torch.Tensor,
        context: torch.Tensor | None,
        kept: list[Kept] | None = None,
        at: int = 0,
    ) -> torch.Tensor:
        """What the last layer makes of symbols, normalised: (n, m, width)."""
        x = self.embedded(inputs, context, at)
        for i, layer in enumerate(self.layers):
            x = layer(x, None if kept is None else kept[i], at)
        return self.norm(x)

    def scores(self, states: torch.Tensor, columns: torch.Tensor) -> torch.Tensor:
        """States (n, m, width) of these m columns as scores of their levels."""
        vectors = self.symbols.weight[: self.missing]
        if not self.size.own_levels:
            return states @ vectors.T + self.bias[0]
        own = vectors.unflatten(0, (-1, self.size.n_levels))[columns]  # (m, levels, width)
        return torch.einsum("nmw,mlw->nml", states, own) + self.bias[columns]

    # ---- entry by entry --------------------------------------------------------------------------

    def walk(self, n: int, context: torch.Tensor | None = None) -> CausalWalk:
        """The same, entry by entry."""
        return CausalWalk(self, n, context)


class CausalWalk:
    """Keeps the keys and values of each layer: a new entry asks for its own only."""

    def __init__(self, module: CausalNetwork, n: int, context: torch.Tensor | None):
        weight = module.symbols.weight
        self._module, self._context = module, context
        self._kept = [Kept(n, module.size, weight) for _ in module.layers]
        self._last = torch.full((n,), module.start_symbol, device=weight.device)

    def begin(self, codes: torch.Tensor) -> torch.Tensor:
        """Put the first m entries, (n, m), at once; the scores of the next one."""
        inputs, _ = self._module._inputs(codes)
        states = self._module.states(inputs, self._context, self._kept)
        return self._scores(states[:, -1:], codes.shape[1])

    def logits(self, place: int) -> torch.Tensor:
        """Scores (n, levels) of the entry at this place."""
        states = self._module.states(self._last[:, None], self._context, self._kept, place)
        return self._scores(states, place)

    def _scores(self, states: torch.Tensor, place: int) -> torch.Tensor:
        column = self._module.order[place]
        scores = self._module.scores(states, torch.tensor([column], device=states.device))
        return scores[:, 0] + self._module.forbidden[column]

    def put(self, place: int, codes: torch.Tensor) -> None:
        """Set the entry at this place."""
        codes = codes.to(self._last.device)
        self._last = self._module.symbols_of(codes, self._module.order[place])

    def choose(self, index: torch.Tensor) -> None:
        """Go on with these of the rows."""
        index = index.to(self._last.device)
        self._last = self._last[index]
        self._context = None if self._context is None else self._context[index]
        for kept in self._kept:
            kept.choose(index)


class Uncached:
    """The network, which forgets after each entry what it has computed."""

    def __init__(self, module: CausalNetwork):
        self.module, self.order, self.size = module, module.order, module.size
        self.numbers_of_walk = module.numbers_of_walk
        self.parameters = module.parameters

    def walk(self, n: int, context: torch.Tensor | None = None) -> PlainWalk:
        """All of it for each entry."""
        return PlainWalk(self.module, n, self.size.n_places, self.size.n_levels, context)
