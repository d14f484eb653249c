"""The residual MLP there and back, by hand: its gradient without autograd. This imports torch.

    H_0 = W_f [X, context] + b_f            a = silu(S),  S = W_t context + b_t
    block:   A = W1 H + b1,   [s, r] = W_a a + b_a,   P = A (1 + s) + r
             H' = H + W2 (act(P) kept) + b2
    out = W_l H + b_l

With D for derivatives of the loss, from the last block to the first:

    D_P = (D_H' W2) kept act'(P),    D_s = D_P A,    D_r = D_P,    D_A = D_P (1 + s)
    D_H = D_H' + D_A W1,             D_a = sum over blocks of [D_s, D_r] W_a

Autograd would go through a dozen functions for each block, and add gradients up in new memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch

from lowdim.deep.diffusion.networks import N_WAVES, ResidualMLP
from lowdim.deep.layers import Gradients, activated, add_gradients, kept_of, times_slope


class Passed(NamedTuple):
    """What came out of a block's parts; `P` is what the slope of its activation follows from."""

    H: torch.Tensor  # (n, width)
    A: torch.Tensor  # (n, units)
    scale: torch.Tensor  # (n, units)  1 + s
    P: torch.Tensor  # (n, units)
    inner: torch.Tensor  # (n, units)  act(P) kept
    kept: torch.Tensor | None


class Forth(NamedTuple):
    """What came out of the network."""

    out: torch.Tensor  # (n, d)
    seen: torch.Tensor  # (n, groups d + q)
    context: torch.Tensor  # (n, N_WAVES + q)
    S: torch.Tensor  # (n, TIME_UNITS)
    at: torch.Tensor  # (n, TIME_UNITS)
    blocks: list[Passed]
    H: torch.Tensor  # (n, width)  after the last block


def forth(network: ResidualMLP, X: torch.Tensor, context: torch.Tensor) -> Forth:
    """What the network gives, and what `back` needs of it."""
    seen = torch.cat([X, context[:, N_WAVES:]], dim=1) if context.shape[1] > N_WAVES else X
    S = _linear(network.time, context)
    at, H, blocks = torch.nn.functional.silu(S), _linear(network.first, seen), []
    for block in network.blocks:
        scale, shift = _linear(block.time, at).chunk(2, dim=1)
        scale += 1.0
        A = _linear(block.inner, H)
        P = torch.addcmul(shift, A, scale)
        inner = activated(P, block.activation_name)
        kept = kept_of(inner, block.dropout)
        inner = inner if kept is None else inner * kept
        blocks.append(Passed(H, A, scale, P, inner, kept))
        H = torch.addmm(H, inner, block.outer.weight.t()).add_(block.outer.bias)
    return Forth(_linear(network.last, H), seen, context, S, at, blocks, H)


def back(network: ResidualMLP, passed: Forth, D: torch.Tensor, into: Gradients) -> None:
    """Add the gradients of all weights, by derivatives D of the loss by what the network gave."""
    D, D_at = _through(network.last, passed.H, D, into), torch.zeros_like(passed.at)
    for block, part in _reversed(network.blocks, passed.blocks):
        D_P = _through(block.outer, part.inner, D, into)
        D_P = D_P if part.kept is None else D_P * part.kept
        D_P = times_slope(D_P, part.P, block.activation_name)
        D_time = torch.cat([D_P * part.A, D_P], dim=1)
        add_gradients(block.time.weight, block.time.bias, passed.at, D_time, into)
        D_at.addmm_(D_time, block.time.weight)
        D_A = D_P.mul_(part.scale)
        add_gradients(block.inner.weight, block.inner.bias, part.H, D_A, into)
        D.addmm_(D_A, block.inner.weight)
    add_gradients(network.first.weight, network.first.bias, passed.seen, D, into)
    D_S = times_slope(D_at, passed.S, "silu")
    add_gradients(network.time.weight, network.time.bias, passed.context, D_S, into)


def _linear(layer: Any, X: torch.Tensor) -> torch.Tensor:
    return torch.addmm(layer.bias, X, layer.weight.t())


def _through(layer: Any, X: torch.Tensor, D: torch.Tensor, into: Gradients) -> torch.Tensor:
    add_gradients(layer.weight, layer.bias, X, D, into)
    return D @ layer.weight


def _reversed(blocks: Any, passed: Sequence[Passed]) -> list[tuple[Any, Passed]]:
    return list(zip(blocks, passed, strict=True))[::-1]
