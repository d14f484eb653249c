"""`ChainNetwork`: what models inherit that give the probability of each entry given those before.

    log p(x) = sum_i log p(level of x_i | x_1 ... x_(i-1)) + log of its density within the level

learned by minimising  - sum over observed entries of  log p(level | before), in which missing
entries before are a level of their own. Rows with holes are scored and filled by `particles.py`,
which asks for nothing that was not observed.
"""

from __future__ import annotations

import functools
import math
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
from lowdim.deep.chain.asking import (
    conditionals,
    drawn_codes,
    drawn_copies,
    filled,
    log_densities,
    sum_log_densities,
)
from lowdim.deep.chain.levels import (
    Levels,
    check_known,
    codes_of,
    drawn_values,
    forbidden,
    learned_levels,
)
from lowdim.deep.conditions import Conditional, check_flag
from lowdim.deep.engine import torch_for
from lowdim.deep.network import Network
from lowdim.linalg.observed import observed_columns

N_SAMPLES = 100


class ChainNetwork(Conditional, ImputeMixin, Network):
    """A network with exact probabilities of rows.

    Its module has `order`, `logits` and `walk` (see walk.py), `numbers_of_walk` (how many numbers a
    walk keeps for each row), `numbers_of_row` (about how many a whole row takes), and a buffer
    `forbidden` of shape (d, L).
    """

    accepts_nan: ClassVar[bool] = True
    draws_levels: ClassVar[bool] = True  # where columns hold few values, drawn ones are of them
    draws_bins: ClassVar[bool] = True  # other numbers lie anywhere in bins around those it has seen
    shapes: ClassVar[dict] = {
        **Network.shapes,
        **Conditional.shapes_of_y,
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

    def _fit(self, X: Any, y: Any, more: bool) -> Any:
        """Learn the levels of the columns, then the network."""
        torch_for(type(self).__name__)
        self._check_y_is_there(y)
        more = more and hasattr(self, "weights_")
        rows = self.open_rows(X, reset=not more)
        self._check_rows(rows)
        seed = int(random_generator(self.random_state).integers(2**62))
        if not more:
            self._learn_levels(rows, seed)
        along = self._learn_conditions(y, rows, more)
        rows = rows.checked(check_known, self._levels)
        self._learn(rows, along, chain_loss, seed, more=more)
        assert self.module_  # made now: what only uses a model does not change it
        return self

    def _check_rows(self, rows: Blocks) -> None:
        """Raise where arguments do not fit the rows."""

    def _learn_levels(self, rows: Blocks, seed: int) -> None:
        observed = observed_columns(rows).n_observed
        check_columns_observed(observed, getattr(self, "feature_names_in_", None))
        bins, values, shared = self._level_limits()
        found = learned_levels(rows, bins, seed, most_whole=values, shared=shared)
        self.n_levels_, self.whole_, self.level_values_, self.level_edges_, self.tails_ = found

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

    def conditionals(self, X, *, y=None):
        """Probabilities of the levels of each entry, given the entries before it.

        Parameters
        ----------
        X : array-like of shape (n, d)
            NaN are missing: later entries are given that they are.
        y : array-like of shape (n,) or (n, q), or one value for all rows
            With conditional=True, and only then.

        Returns
        -------
        ndarray of shape (n, d, levels)
            Levels are `level_values_`: values, or means of bins.
        """
        rows, along = self._asked(X, y)
        return rows.map(conditionals, self.module_, self._levels, along=along)

    def score_samples(self, X, n_samples=N_SAMPLES, *, y=None):
        """log p(x) of each row; of a row with NaN, of its observed entries.

        Parameters
        ----------
        X : array-like of shape (n, d)
        n_samples : int, default=100
            Fillings that stand for the missing entries of a row; exact where all of them are fewer.
        y : array-like of shape (n,) or (n, q), or one value for all rows
            With conditional=True, and only then: log p(x | y).

        Returns
        -------
        ndarray of shape (n,)
        """
        n_samples = check_at_least("n_samples", n_samples, 1)
        rows, along = self._asked(X, y)
        return rows.map(log_densities, self.module_, self._levels, n_samples, along=along)

    def score(self, X, y=None):
        """Mean of log p(x) over rows; rows without any observed value do not count.

        With conditional=True, of log p(x | y); else y is not looked at.
        """
        total, count, _ = self._sums(X, y if self.conditional else None)
        return total / count

    def bits_per_dim(self, X, *, y=None):
        """- log2 p(x) by observed entry, over all rows: how many bits an entry takes."""
        total, _, entries = self._sums(X, y)
        if not entries:
            raise ValueError("X has no observed value; bits of an entry need at least one.")
        return -total / entries / math.log(2.0)

    def sample(self, n_samples=1, random_state=None, *, y=None):
        """New rows, entry by entry.

        Parameters
        ----------
        n_samples : int, default=1
        random_state : int, Generator, RandomState or None, default=None
            None: that of the constructor, as in scikit-learn.
        y : array-like of shape (n_samples,) or (n_samples, q), or one value for all rows
            With conditional=True, and only then.

        Returns
        -------
        ndarray of shape (n_samples, d)
        """
        check_is_fitted(self)
        n = check_at_least("n_samples", n_samples, 1)
        along = self._conditions(y, n)
        uniform = generator_of(self, random_state).random((2, n, len(self.n_levels_)))
        codes = drawn_codes(self.module_, uniform[0], self._levels, *along)
        return drawn_values(codes, self._levels, uniform[1])

    def impute(self, X, return_std=False, n_samples=N_SAMPLES, *, y=None):
        """X with NaN replaced by their expectation given the row's observed entries.

        Parameters
        ----------
        X : array-like of shape (n, d)
        return_std : bool, default=False
            Also return the standard deviation of every filled entry (0 where X was observed).
        n_samples : int, default=100
            Fillings of a row, weighted by how well they explain what comes after them; exact where
            there are no more of them.
        y : array-like of shape (n,) or (n, q), or one value for all rows
            With conditional=True, and only then.

        Returns
        -------
        filled : ndarray of shape (n, d), or a data frame if `set_output` asks for it
        std : the same, if return_std
        """
        return_std = check_flag("return_std", return_std)
        function, *params = self._filling(return_std, n_samples)
        rows, along = self._asked(X, y)
        return in_columns_of_x(self, rows.map(function, *params, along=along), X)

    def draw_imputations(self, X, n=5, n_samples=N_SAMPLES, random_state=None, *, y=None):
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
        y : array-like of shape (r,) or (r, q), or one value for all rows
            With conditional=True, and only then.

        Returns
        -------
        ndarray of shape (n, r, d)
        """
        n = check_at_least("n", n, 1)
        n_samples = check_at_least("n_samples", n_samples, 1)
        rows, known = self._asked(X, y)
        count, d = rows.shape
        draws = generator_of(self, random_state).random((count, n * (d + 1) + d))
        given = (self.module_, self._levels, n_samples, n)
        copies = rows.map(drawn_copies, *given, along=(draws, *known))
        return np.moveaxis(np.asarray(copies), 1, 0)

    # ---- inside ----------------------------------------------------------------------------------

    def _checked(self, rows: Blocks) -> Blocks:
        return rows.checked(check_known, self._levels)

    def _sums(self, X: Any, y: Any) -> tuple[float, float, float]:
        """Sum of log p over rows that have any value, their number, and that of their values."""
        rows, along = self._asked(X, y, only_observed=True)
        found = rows.fold(sum_log_densities, self.module_, self._levels, N_SAMPLES, along=along)
        total, count, entries = map(float, found)
        return total, count, entries

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
