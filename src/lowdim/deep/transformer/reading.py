"""Text that is read and written by a network: probabilities, mean states, new text.

A text longer than the context is read in windows that overlap by half, so that each token is seen
with at least half a context before it; so is text written that grows beyond it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from lowdim.core.threads import ordered_map
from lowdim.deep.engine import one_torch_thread
from lowdim.deep.transformer.texts import Asked, windows_of

TOKENS_TOGETHER = 2**12  # that a thread reads at once


def text_loss(module: Any, batch: tuple, generator: Any) -> Any:
    """- log p of tokens given those before: the mean over a window, summed over rows.

    A row is longer than the window, which begins anywhere.
    """
    import torch

    (codes,) = batch
    c = min(module.size.n_places, codes.shape[1])
    begin = torch.randint(codes.shape[1] - c + 1, (len(codes), 1), generator=generator)
    places = (begin + torch.arange(c)).to(codes.device)
    window = codes.gather(1, places)
    logits = module.logits(window)
    L = logits.shape[2]
    total = torch.nn.functional.cross_entropy(
        logits.reshape(-1, L), window.reshape(-1), ignore_index=L, reduction="sum"
    )
    return total / c


# ---- read ----------------------------------------------------------------------------------------


def log_probabilities(
    module: Any, codes: Iterable[np.ndarray], separated: bool
) -> tuple[np.ndarray, np.ndarray]:
    """log p of each document, and its number of tokens."""
    c = module.size.n_places
    count: list[int] = []
    total: list[float] = []

    def work(asked: Asked) -> tuple[Asked, np.ndarray]:
        found = _of_tokens(module, asked.codes)
        counts = np.arange(asked.codes.shape[1]) >= asked.first[:, None]
        return asked, np.where(counts, found, 0.0).sum(axis=1)

    asked = windows_of(
        _counted(codes, count), c, module.size.n_levels, separated, max(1, c // 2), _together(c)
    )
    for part, sums in ordered_map(work, asked):
        total += [0.0] * (int(part.document[-1]) + 1 - len(total))
        for document, value in zip(part.document, sums, strict=True):
            total[document] += float(value)
    total += [0.0] * (len(count) - len(total))
    return np.array(total), np.array(count)


def _counted(codes: Iterable[np.ndarray], count: list[int]) -> Iterable[np.ndarray]:
    for tokens in codes:
        count.append(len(tokens))
        yield tokens


def _together(context: int) -> int:
    return max(1, TOKENS_TOGETHER // context)


@one_torch_thread()
def _of_tokens(module: Any, codes: np.ndarray) -> np.ndarray:
    """log p of each token of windows, (m, c); 0 where there is none."""
    import torch

    with torch.no_grad():
        log_p = torch.log_softmax(module.logits(_tensor(module, codes)), dim=2)
    known = codes < log_p.shape[2]
    at = torch.from_numpy(np.where(known, codes, 0)[:, :, None]).to(log_p.device)
    found = log_p.gather(2, at)[:, :, 0].double().cpu().numpy()
    return np.where(known, found, 0.0)


@one_torch_thread()
def probabilities(module: Any, codes: np.ndarray, separated: bool) -> np.ndarray:
    """Probabilities of all tokens at each place of a document, (m, levels)."""
    import torch

    c, L = module.size.n_places, module.size.n_levels
    found = []
    for asked in windows_of([codes], c, L, separated, max(1, c // 2), _together(c)):
        with torch.no_grad():
            p = torch.softmax(module.logits(_tensor(module, asked.codes)), dim=2).cpu().numpy()
        for row, first, own in zip(p, asked.first, asked.codes, strict=True):
            found.append(row[first:][own[first:] < L])
    return np.concatenate(found)


def mean_states(module: Any, codes: Iterable[np.ndarray], separated: bool) -> np.ndarray:
    """The mean of the last layer over the tokens of each document; 0 of an empty one."""
    import torch

    c, L, w = module.size.n_places, module.size.n_levels, module.size.width
    count: list[int] = []

    @one_torch_thread()
    def work(asked: Asked) -> tuple[Asked, np.ndarray]:
        n_entries = torch.from_numpy(_lengths(asked.codes, L))
        with torch.no_grad():
            tensor = _tensor(module, asked.codes)
            return asked, module.features(tensor, n_entries.to(tensor.device)).cpu().numpy()

    sums: list[np.ndarray] = []
    asked = windows_of(_counted(codes, count), c, L, separated, c, _together(c))
    for part, found in ordered_map(work, asked):
        while len(sums) <= part.document[-1]:
            sums.append(np.zeros(w))
        for document, value in zip(part.document, found, strict=True):
            sums[document] += value
    while len(sums) < len(count):
        sums.append(np.zeros(w))
    entries = np.array(count) + int(separated)
    return (np.stack(sums) / np.maximum(entries, 1)[:, None]).astype(np.float32)


def _lengths(codes: np.ndarray, filler: int) -> np.ndarray:
    """Entries of each row up to its last token."""
    tokens = codes < filler
    return np.where(tokens.any(axis=1), codes.shape[1] - np.argmax(tokens[:, ::-1], axis=1), 1)


def _tensor(module: Any, codes: np.ndarray) -> Any:
    import torch

    return torch.from_numpy(np.ascontiguousarray(codes)).to(next(module.parameters()).device)


# ---- write ---------------------------------------------------------------------------------------


class Choice(NamedTuple):
    """How the next token is chosen."""

    temperature: float = 1.0
    top_k: int | None = None
    top_p: float | None = None


@one_torch_thread()
def written(
    module: Any, begin: np.ndarray, uniform: np.ndarray, choice: Choice, cached: bool = True
) -> np.ndarray:
    """Tokens (n, length) that follow the given ones, by uniform numbers in [0, 1) of that shape."""
    import torch

    from lowdim.deep.transformer.attention import Uncached

    (n, length), c, m = uniform.shape, module.size.n_places, len(begin)
    codes = np.concatenate([np.tile(begin, (n, 1)), np.zeros((n, length), np.int64)], axis=1)
    keep = c // 2
    since = m - keep if m >= c else 0  # the first entry that is still seen
    walk, log_p = None, None
    with torch.no_grad():
        for t in range(m, m + length):
            if t - since >= c:
                since, walk = t - keep, None
            if walk is None:
                walk = (module if cached else Uncached(module)).walk(n)
                log_p = _begun(walk, _tensor(module, codes[:, since:t]))
            else:
                log_p = walk.logits(t - since)
            token = chosen(log_p, choice, uniform[:, t - m])
            walk.put(t - since, torch.from_numpy(token))
            codes[:, t] = token
    return codes[:, m:]


def _begun(walk: Any, codes: Any) -> Any:
    """Put the first entries; the scores of the next."""
    if hasattr(walk, "begin"):
        return walk.begin(codes)
    for place in range(codes.shape[1]):
        walk.put(place, codes[:, place])
    return walk.logits(codes.shape[1])


def chosen(scores: Any, choice: Choice, uniform: np.ndarray) -> np.ndarray:
    """A token for each row of scores, (n,) int64."""
    import torch

    scores = scores.double().cpu()
    if choice.temperature == 0:
        return scores.argmax(dim=1).numpy()
    falling, place = torch.sort(scores / choice.temperature, dim=1, descending=True, stable=True)
    p = torch.softmax(falling, dim=1)
    if choice.top_k is not None:
        p[:, choice.top_k :] = 0.0
        p = p / p.sum(dim=1, keepdim=True)
    if choice.top_p is not None:
        p[p.cumsum(dim=1) - p >= choice.top_p] = 0.0
    ahead = p.cumsum(dim=1)
    u = torch.from_numpy(np.ascontiguousarray(uniform))[:, None] * ahead[:, -1:]
    number = (ahead <= u).sum(dim=1, keepdim=True)
    last = (p > 0).sum(dim=1, keepdim=True) - 1
    return place.gather(1, torch.minimum(number, last))[:, 0].numpy()


def sinusoids(n: int, width: int) -> np.ndarray:
    """Vectors of places (Vaswani et al. 2017), (n, width), of length about 0.7."""
    rate = np.exp(-math.log(10_000.0) * (np.arange(width) // 2 * 2) / width)
    angle = np.arange(n)[:, None] * rate
    return np.where(np.arange(width) % 2 == 0, np.sin(angle), np.cos(angle)) / math.sqrt(width)
