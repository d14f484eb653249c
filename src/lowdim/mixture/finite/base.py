"""What mixtures of independent columns have in common: one fit, and what follows from it."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from lowdim.core.blocks import Blocks
from lowdim.core.estimator import Estimator
from lowdim.core.loop import iterate
from lowdim.core.random import random_generator
from lowdim.core.validation import (
    check_at_least,
    check_at_most,
    check_columns_observed,
)
from lowdim.mixture.collapse import CollapsedComponentWarning
from lowdim.mixture.finite.em import (
    LEAST_SHARE,
    Found,
    Mixture,
    Sums,
    average_of,
    expectation,
    expectation_with_std,
    log_density_of_average,
    log_joint,
    statistics,
    sums_of_all,
    update,
)
from lowdim.mixture.finite.parts import (
    Part,
    check_values,
    decoded,
    in_units_of,
    measured,
    moved,
)
from lowdim.mixture.finite.start import start
from lowdim.mixture.methods import MixtureMethods

SAME = 1e-9  # objectives that differ by less, relative to their size, are equal


class FiniteMixture(MixtureMethods, Estimator):
    """Learning by EM, samples and missing entries, whatever the families of the columns.

    A class gives `_publish(parts, mixture)`, which sets the learned attributes, and `_published()`,
    which gives parts and parameters back from them.
    """

    accepts_nan: ClassVar[bool] = True

    n_components: int
    smoothing: float
    tol: float
    max_iter: int
    n_init: int
    random_state: Any
    weights_: np.ndarray

    def _learn(self, rows: Blocks, weight: np.ndarray | None, parts: tuple[Part, ...]) -> None:
        """EM from several starts; the best is published."""
        n_rows = rows.shape[0] if weight is None else int(np.count_nonzero(weight))
        check_at_most("n_components", self.n_components, n_rows, "rows of X")
        rows = rows.checked(check_values, parts)
        parts = tuple(measured(part, rows, weight) for part in parts)
        whole = rows.fold(sums_of_all, parts, along=(weight,))
        _check_observed(whole, parts, rows.n_columns, getattr(self, "feature_names_in_", None))
        average = average_of(whole, parts)
        random = random_generator(self.random_state)

        starts = (
            start(rows, parts, average, self.n_components, weight, random)
            for _ in range(self.n_init)
        )
        found = [self._fit_from(one, rows, weight, parts, average) for one in starts]
        best = _best(found)
        self.history_, self.converged_ = best.history, best.converged
        self.n_iter_, self.lower_bound_ = len(best.history), -best.objective
        _warn_of_empty(best.mixture)
        self._publish(parts, best.mixture)

    def _fit_from(self, start, rows, weight, parts, average):
        """EM from one start."""
        loop = iterate(self, start, max_iter=self.max_iter, tol=self.tol)
        for mixture in loop:
            sums = rows.fold(statistics, parts, mixture, along=(weight,))
            prior = self.smoothing * log_density_of_average(average, parts, mixture)
            loop.record((sums.objective - prior) / sums.weight)
            loop.params = update(sums, parts, average, self.smoothing)
        return Found(loop.params, loop.history[-1], np.array(loop.history), loop.converged)

    def _opened(self, X):
        """The rows, and the model in the units in which it looks at such rows."""
        rows = self.open_rows(X, reset=False)
        parts, published = self._published()
        weights = self.weights_ / self.weights_.sum()
        params = [part.family.taken_up(one) for part, one in zip(parts, published, strict=True)]
        parts = tuple(
            in_units_of(part, one, weights, rows.is_sparse)
            for part, one in zip(parts, params, strict=True)
        )
        params = [moved(part, one) for part, one in zip(parts, params, strict=True)]
        rows = rows.checked(check_values, parts)
        return rows, log_joint, (parts, Mixture(weights, tuple(params)))

    def _draw(self, n_samples, random_state):
        """Rows as numbers, and the component of each."""
        check_is_fitted(self)
        n_samples = check_at_least("n_samples", n_samples, 1)
        random = random_generator(random_state)
        parts, published = self._published()
        for part in parts:
            part.family.check_gives("sample")
        counts = random.multinomial(n_samples, self.weights_ / self.weights_.sum())
        X = np.empty((n_samples, self.n_features_in_))
        first = 0
        for j, count in enumerate(counts):
            rows = X[first : first + count]
            for part, one in zip(parts, published, strict=True):
                drawn = part.family.draw(part.family.taken_up(one), j, count, random)
                rows[:, part.place] = decoded(drawn, part)
            first += count
        return X, np.repeat(np.arange(len(counts)), counts)

    @abstractmethod
    def _publish(self, parts: tuple[Part, ...], mixture: Mixture) -> None:
        """Set the learned attributes."""

    @abstractmethod
    def _published(self) -> tuple[tuple[Part, ...], tuple[dict[str, Any], ...]]:
        """The parts, and the parameters of each as they were published."""

    def _filled(self, X: Any, return_std: bool) -> Any:
        """The rows as numbers with their holes filled, and how uncertain these are."""
        for part in self._published()[0]:
            part.family.check_gives("impute with return_std" if return_std else "impute")
        rows, _, params = self._opened(X)
        return rows.map(expectation_with_std if return_std else expectation, *params)

    def _n_parameters(self):
        parts, published = self._published()
        of_one = sum(
            part.family.n_parameters(part.family.taken_up(one))
            for part, one in zip(parts, published, strict=True)
        )
        return len(self.weights_) * (of_one + 1) - 1


def _best(found: list[Found]) -> Found:
    """The lowest objective; of those that only rounding tells apart, the first."""
    lowest = min(one.objective for one in found)
    return next(one for one in found if one.objective <= lowest + SAME * max(1.0, abs(lowest)))


def _check_observed(whole: Sums, parts: tuple[Part, ...], d: int, names: Any) -> None:
    count = np.empty(d)
    for part, of_part in zip(parts, whole.counts, strict=True):
        count[part.place] = of_part[0]
    check_columns_observed(count, names)


def _warn_of_empty(mixture: Mixture) -> None:
    empty = np.flatnonzero(mixture.weights <= 2 * LEAST_SHARE)
    if len(empty):
        warnings.warn(
            f"{len(empty)} of {len(mixture.weights)} components lost all their rows (first: "
            f"{empty[0]}). Try fewer n_components or a larger n_init.",
            CollapsedComponentWarning,
            stacklevel=5,
        )
