"""`ChainNetwork`: what models inherit that give the probability of each entry given those before.

    log p(x) = sum_i log p(level of x_i | x_1 ... x_(i-1)) + log of its density within the level

learned by minimising  - sum over observed entries of  log p(level | before), in which missing
entries before are a level of their own. Rows with holes are scored and filled by `particles.py`,
which asks for nothing that was not observed.
"""

from __future__ import annotations

import functools
from abc import abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from lowdim.core.blocks import Blocks
from lowdim.core.imputation import ImputeMixin
from lowdim.core.output import in_columns_of_x
from lowdim.core.random import generator_of, random_generator
from lowdim.core.validation import check_at_least, check_columns_observed
from lowdim.deep.chain.levels import (
    Levels,
    check_known,
    codes_of,
    drawn_values,
    forbidden,
    learned_levels,
    level_stds,
    log_widths,
)
from lowdim.deep.chain.particles import Fillings, fillings
from lowdim.deep.engine import on_one_thread, torch_for
from lowdim.deep.network import Network, in_double
from lowdim.linalg.observed import observed_columns

N_SAMPLES = 100
MOST_NUMBERS = 2**24  # that walks of a piece of a block keep


class ChainNetwork(ImputeMixin, Network):
    """A network with exact probabilities of rows.

    Its module has `order`, `logits` and `walk` (see walk.py), `numbers_of_walk` (how many numbers a
    walk keeps for each row), and a buffer `forbidden` of shape (d, L).
    """

    accepts_nan: ClassVar[bool] = True
    shapes: ClassVar[dict] = {
        **Network.shapes,
        "n_levels_": ("d",),
        "whole_": ("d",),
        "level_values_": ("d", "levels"),
        "level_edges_": ("d", "between"),
        "tails_": ("d", 2),
    }

    n_levels_: np.ndarray
    whole_: np.ndarray
    level_values_: np.ndarray
    level_edges_: np.ndarray
    tails_: np.ndarray

    # ---- learn -----------------------------------------------------------------------------------

    @abstractmethod
    def _level_limits(self) -> tuple[int, int, bool]:
        """Most bins of a column, most values that are levels, whether columns share levels."""

    def _open(self, X: Any, more: bool = False) -> tuple[Blocks, int]:
        """The rows to learn from, and a seed; learns the levels of the columns."""
        torch_for(type(self).__name__)
        more = more and hasattr(self, "weights_")
        rows = self.open_rows(X, reset=not more)
        seed = int(random_generator(self.random_state).integers(2**62))
        if not more:
            observed = observed_columns(rows).n_observed
            check_columns_observed(observed, getattr(self, "feature_names_in_", None))
            bins, values, shared = self._level_limits()
            found = learned_levels(rows, bins, seed, most_whole=values, shared=shared)
            self.n_levels_, self.whole_ = found.n_levels, found.whole
            self.level_values_, self.level_edges_ = found.values, found.edges
            self.tails_ = found.tails
        return rows.checked(check_known, self._levels), seed

    @property
    def _levels(self) -> Levels:
        return Levels(
            self.n_levels_, self.whole_, self.level_values_, self.level_edges_, self.tails_
        )

    def _prepare(self) -> Callable[[np.ndarray], np.ndarray]:
        return functools.partial(codes_of, levels=self._levels)

    def _buffers(self) -> dict[str, np.ndarray]:
        return {"forbidden": forbidden(self._levels)}

    # ---- use -------------------------------------------------------------------------------------

    def conditionals(self, X):
        """Probabilities of the levels of each entry, given the entries before it.

        Parameters
        ----------
        X : array-like of shape (n, d)
            NaN are missing: later entries are given that they are.

        Returns
        -------
        ndarray of shape (n, d, levels)
            Levels are `level_values_`: values, or means of bins.
        """
        return self._rows(X).map(conditionals, self.module_, self._levels)

    def score_samples(self, X, n_samples=N_SAMPLES):
        """log p(x) of each row; of a row with NaN, of its observed entries.

        Parameters
        ----------
        X : array-like of shape (n, d)
        n_samples : int, default=100
            Fillings that stand for the missing entries of a row; exact where all of them are fewer.

        Returns
        -------
        ndarray of shape (n,)
        """
        n_samples = check_at_least("n_samples", n_samples, 1)
        return self._rows(X).map(log_densities, self.module_, self._levels, n_samples)

    def score(self, X, y=None):
        """Mean of log p(x) over rows; rows without any observed value do not count."""
        rows = self._rows(X, only_observed=True)
        total, count = rows.fold(sum_log_densities, self.module_, self._levels, N_SAMPLES)
        return float(total / count)

    def bits_per_dim(self, X):
        """- log2 p(x) by observed entry, over all rows: how many bits an entry takes."""
        rows = self._rows(X, only_observed=True)
        total, _ = rows.fold(sum_log_densities, self.module_, self._levels, N_SAMPLES)
        entries = float(observed_columns(rows).n_observed.sum())
        return float(-total / entries / np.log(2.0))

    def sample(self, n_samples=1, random_state=None):
        """New rows, entry by entry.

        Without a `random_state` here, that of the constructor is used, as in scikit-learn.
        """
        check_is_fitted(self)
        n = check_at_least("n_samples", n_samples, 1)
        random, d = generator_of(self, random_state), len(self.n_levels_)
        uniform = random.random((2, n, d))
        codes = drawn_codes(self.module_, uniform[0], self._levels)
        return drawn_values(codes, self._levels, uniform[1])

    def impute(self, X, return_std=False, n_samples=N_SAMPLES):
        """X with NaN replaced by their expectation given the row's observed entries.

        Parameters
        ----------
        X : array-like of shape (n, d)
        return_std : bool, default=False
            Also return the standard deviation of every filled entry (0 where X was observed).
        n_samples : int, default=100
            Fillings of a row, weighted by how well they explain what comes after them; exact where
            there are no more of them.

        Returns
        -------
        filled : ndarray of shape (n, d), or a data frame if `set_output` asks for it
        std : the same, if return_std
        """
        function, *params = self._filling(return_std, n_samples)
        return in_columns_of_x(self, self._rows(X).map(function, *params), X)

    def draw_imputations(self, X, n=5, n_samples=N_SAMPLES, random_state=None):
        """n copies of X in which NaN are drawn given the row's observed entries.

        Parameters
        ----------
        X : array-like of shape (r, d)
        n : int, default=5
            Copies.
        n_samples : int, default=100
            Fillings of a row among which those of the copies are chosen.
        random_state : int, Generator, RandomState or None, default=None
            None: that of the constructor.

        Returns
        -------
        ndarray of shape (n, r, d)
        """
        rows, n = self._rows(X), check_at_least("n", n, 1)
        n_samples = check_at_least("n_samples", n_samples, 1)
        random = generator_of(self, random_state)
        count, d = rows.shape
        draws = random.random((count, n * (d + 1) + d))
        given = (self.module_, self._levels, n_samples, n)
        copies = rows.map(drawn_copies, *given, along=(draws,))
        return np.moveaxis(np.asarray(copies), 1, 0)

    # ---- inside ----------------------------------------------------------------------------------

    def _rows(self, X: Any, only_observed: bool | None = None) -> Blocks:
        rows = self.open_rows(X, reset=False, only_observed=only_observed)
        return rows.checked(check_known, self._levels)

    def _rows_to_fill(self, X: Any) -> Blocks:
        return self._rows(X)

    def _filling(self, return_std: bool, n_samples: int = N_SAMPLES) -> tuple:
        n_samples = check_at_least("n_samples", n_samples, 1)
        return filled, self.module_, self._levels, n_samples, return_std


def chain_loss(module: Any, batch: tuple, generator: Any) -> Any:
    """- log p of the observed levels of a batch, given those before, summed over rows."""
    import torch

    codes, *context = batch
    logits = module.logits(codes, *context)
    L = logits.shape[2]
    return torch.nn.functional.cross_entropy(
        logits.reshape(-1, L), codes.reshape(-1), ignore_index=L, reduction="sum"
    )


# ---- blocks of rows ------------------------------------------------------------------------------


def conditionals(X: np.ndarray, module: Any, levels: Levels) -> np.ndarray:
    """Probabilities of the levels of each entry of a block, given those before."""
    import torch

    with torch.no_grad():
        logits = _logits(module, X, codes_of(X, levels))
        return torch.softmax(logits, dim=2).cpu().numpy()


def log_densities(X: np.ndarray, module: Any, levels: Levels, n_samples: int) -> np.ndarray:
    """log p(x) of a block of rows."""
    import torch

    codes = codes_of(X, levels)
    holes = (codes == levels.missing).any(axis=1)
    found = np.empty(len(X))
    with torch.no_grad():
        whole = codes[~holes]
        if len(whole):
            log_p = torch.log_softmax(_logits(module, X, whole).double(), dim=2).cpu().numpy()
            found[~holes] = np.take_along_axis(log_p, whole[:, :, None], axis=2).sum(axis=(1, 2))
    if holes.any():
        parts = _pieces(X[holes], module, levels, n_samples)
        found[holes] = np.concatenate([part.log_evidence for _, part in parts])
    density = log_widths(X, codes, levels).sum(axis=1)
    return (found + density).astype(X.dtype if X.dtype.kind == "f" else np.float32)


def sum_log_densities(
    X: np.ndarray, module: Any, levels: Levels, n_samples: int
) -> tuple[float, int]:
    """Their sum, and the number of rows."""
    return float(log_densities(X, module, levels, n_samples).sum(dtype=np.float64)), len(X)


def filled(X: np.ndarray, module: Any, levels: Levels, n_samples: int, return_std: bool) -> Any:
    """A block with expectations in place of NaN, and their standard deviations."""
    missing = np.isnan(X)
    rows = missing.any(axis=1)
    mean, std = np.array(X, dtype=float), np.zeros(X.shape)
    if rows.any():
        parts = [_moments(part, levels) for _, part in _pieces(X[rows], module, levels, n_samples)]
        for into, found in ((mean, [m for m, _ in parts]), (std, [s for _, s in parts])):
            into[rows] = np.where(missing[rows], np.concatenate(found), into[rows])
    filled = mean.astype(X.dtype, copy=False)
    return (filled, std.astype(X.dtype, copy=False)) if return_std else filled


def _moments(part: Fillings, levels: Levels) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation of each entry over the fillings of a row."""
    d = part.codes.shape[2]
    means = np.nan_to_num(levels.values)  # levels that a column lacks have no weight
    values = means[np.arange(d), part.codes]  # (n, m, d)
    unit = np.abs(means).max(axis=1)
    unit = np.where(unit > 0, unit, 1.0)  # squares of large numbers stay finite
    mean = np.einsum("nm,nmd->nd", part.weights, values / unit)
    within = level_stds(levels)[np.arange(d), part.codes] / unit
    spread = (values / unit - mean[:, None, :]) ** 2 + within**2
    return mean * unit, np.sqrt(np.einsum("nm,nmd->nd", part.weights, spread)) * unit


def drawn_copies(
    X: np.ndarray, module: Any, levels: Levels, n_samples: int, n: int, draws: np.ndarray
) -> np.ndarray:
    """n copies of a block, (r, n, d), with draws in place of NaN."""
    r, d = X.shape
    uniform = draws[:, : n * (d + 1)].reshape(r, n, d + 1)
    copies = np.repeat(np.asarray(X)[:, None, :], n, axis=1)
    rows = np.flatnonzero(np.isnan(X).any(axis=1))
    parts = _pieces(X[rows], module, levels, n_samples, draws[rows, n * (d + 1) :])
    for cut, part in parts:
        ahead = np.cumsum(part.weights, axis=1)
        choice = uniform[rows[cut], :, d] * ahead[:, -1:]
        which = (ahead[:, None, :] <= choice[:, :, None]).sum(axis=2)
        codes = np.take_along_axis(part.codes, which[:, :, None], axis=1)
        values = drawn_values(codes, levels, uniform[rows[cut], :, :d])
        own = copies[rows[cut]]
        copies[rows[cut]] = np.where(np.isnan(own), values, own)
    return copies


def _pieces(
    X: np.ndarray, module: Any, levels: Levels, n_samples: int, uniform: np.ndarray | None = None
) -> Any:
    """Fillings of rows with holes, piece by piece: bounded memory, and which rows they are."""
    import torch

    codes, d = codes_of(X, levels), X.shape[1]
    if uniform is None:  # the same for all rows: none depends on its neighbours
        uniform = np.broadcast_to(np.random.default_rng(0).random(d), X.shape)
    by_row = n_samples * (module.numbers_of_walk + d + levels.missing)
    size = max(1, MOST_NUMBERS // by_row)
    with torch.no_grad():
        for i in range(0, len(X), size):
            cut = slice(i, i + size)
            ready = _ready(module, X)
            yield cut, fillings(ready, codes[cut], levels.missing, n_samples, uniform[cut])


def drawn_codes(module: Any, uniform: np.ndarray, levels: Levels) -> np.ndarray:
    """Levels of new rows, (n, d), entry by entry, by uniform numbers in [0, 1)."""
    import torch

    n, d = uniform.shape
    codes = np.empty((n, d), dtype=np.int64)
    size = max(1, MOST_NUMBERS // (module.numbers_of_walk + d + levels.missing))
    on_one_thread()
    with torch.no_grad():
        for i in range(0, n, size):
            u = torch.from_numpy(uniform[i : i + size])
            walk = module.walk(len(u), None)
            for place, f in enumerate(module.order):
                ahead = torch.softmax(walk.logits(place).double(), dim=1).cumsum(dim=1)
                level = (ahead[:, : levels.n_levels[f] - 1].cpu() <= u[:, f, None]).sum(dim=1)
                walk.put(place, level)
                codes[i : i + size, f] = level.numpy()
    return codes


def _logits(module: Any, X: np.ndarray, codes: np.ndarray) -> Any:
    """Scores of all entries of a block of rows X with these levels."""
    import torch

    ready = _ready(module, X)
    return ready.logits(torch.from_numpy(codes).to(next(ready.parameters()).device), None)


def _ready(module: Any, X: np.ndarray) -> Any:
    """The module on this thread, in the precision of the rows."""
    on_one_thread()
    return in_double(module) if X.dtype == np.float64 else module
