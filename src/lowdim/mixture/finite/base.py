"""What mixtures of independent columns have in common: one fit, and what follows from it."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np

from lowdim.core.blocks import Blocks
from lowdim.core.constraints import AT_LEAST_1, NOT_NEGATIVE, RANDOM_STATE
from lowdim.core.estimator import Estimator
from lowdim.core.output import ColumnsOutput
from lowdim.core.random import random_generator
from lowdim.core.validation import check_columns_observed
from lowdim.mixture.collapse import LEAST_SHARE
from lowdim.mixture.em import EMRun, Step, check_enough_rows, fit_from_starts, lowest
from lowdim.mixture.finite.em import (
    FiniteParams,
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
    as_seen,
    check_values,
    decoded,
    in_units_of,
    measured,
    moved,
    seen_from,
)
from lowdim.mixture.finite.start import start
from lowdim.mixture.methods import MixtureMethods

SAME = 1e-8  # nats by row: objectives that differ by less are equal, whatever the units of X add


class FiniteMixture(ColumnsOutput, MixtureMethods, Estimator):
    """Learning by EM, samples and missing entries, whatever the families of the columns.

    A class gives `_publish(parts, mixture)`, which sets the learned attributes, and `_published()`,
    which gives parts and parameters back from them.
    """

    accepts_nan: ClassVar[bool] = True

    shapes: ClassVar[dict] = {"weights_": ("k",), "lower_bound_": ()}

    _parameter_constraints: ClassVar[dict] = {
        "n_components": [AT_LEAST_1],
        "smoothing": [NOT_NEGATIVE],
        "tol": [NOT_NEGATIVE],
        "max_iter": [AT_LEAST_1],
        "n_init": [AT_LEAST_1],
        "random_state": RANDOM_STATE,
    }

    def __init__(self, n_components, smoothing, tol, max_iter, n_init, random_state):
        self.n_components = n_components
        self.smoothing = smoothing
        self.tol = tol
        self.max_iter = max_iter
        self.n_init = n_init
        self.random_state = random_state

    def _learn_parts(
        self, rows: Blocks, weight: np.ndarray | None, parts: tuple[Part, ...]
    ) -> None:
        """EM from several starts; the best is published."""
        check_enough_rows("n_components", self.n_components, rows, weight)
        rows = rows.checked(check_values, parts)
        parts = tuple(measured(part, rows, weight) for part in parts)
        whole = rows.fold(sums_of_all, parts, along=(weight,))
        _check_observed(whole, parts, rows.n_columns, getattr(self, "feature_names_in_", None))
        average = average_of(whole, parts)
        random = random_generator(self.random_state)

        def step(mixture: FiniteParams, is_last: bool) -> Step:
            sums = rows.fold(statistics, parts, mixture, along=(weight,))
            prior = self.smoothing * log_density_of_average(average, parts, mixture)
            moved = update(sums, parts, average, self.smoothing)
            return Step(moved, (sums.objective - prior) / sums.weight)

        starts = (
            start(rows, parts, average, self.n_components, weight, random)
            for _ in range(self.n_init)
        )
        mixture = fit_from_starts(self, starts, step, best=_best, trouble=_trouble)
        self._publish(parts, mixture)
        seen = [as_seen(part, params) for part, params in zip(parts, mixture.params, strict=True)]
        self._seen = seen if any(seen) else None

    def _opened(self, X, only_observed=False):
        """The rows, and the model in the units in which it looks at such rows."""
        rows = self.open_rows(X, reset=False, only_observed=only_observed)
        parts, params = self._looking_at(rows.is_sparse)
        rows = rows.checked(check_values, parts)
        weights = self.weights_ / self.weights_.sum()
        return rows, log_joint, (parts, FiniteParams(weights, params))

    def _looking_at(self, sparse):
        """The parts in units in which they look at rows, and the parameters of what they see."""
        weights = self.weights_ / self.weights_.sum()
        parts, published = self._published()
        seen = getattr(self, "_seen", None) or [None] * len(parts)
        found = []
        for part, one, as_it_was in zip(parts, published, seen, strict=True):
            if as_it_was is not None:
                found.append(seen_from(part, as_it_was, sparse))
                continue
            params = part.family.taken_up(one)
            part = in_units_of(part, params, weights, sparse)
            found.append((part, moved(part, params)))
        return tuple(part for part, _ in found), tuple(params for _, params in found)

    def _drawn(self, counts, random):
        """Rows as numbers."""
        for part in self._published()[0]:
            part.family.check_gives("sample")
        parts, params = self._looking_at(sparse=False)
        X = np.empty((counts.sum(), self.n_features_in_))
        first = 0
        for j, count in enumerate(counts):
            rows = X[first : first + count]
            for part, one in zip(parts, params, strict=True):
                rows[:, part.place] = decoded(part.family.draw(one, j, count, random), part)
            first += count
        return X

    @abstractmethod
    def _publish(self, parts: tuple[Part, ...], mixture: FiniteParams) -> None:
        """Set the learned attributes."""

    @abstractmethod
    def _published(self) -> tuple[tuple[Part, ...], tuple[dict[str, Any], ...]]:
        """The parts, and the parameters of each as they were published."""

    def _filled(self, X: Any, return_std: bool) -> Any:
        """The rows as numbers, missing values filled, and how uncertain these are."""
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


def _best(runs: list[EMRun]) -> EMRun:
    """The run of the lowest objective; of those that differ in rounding only, the first."""
    least = lowest(runs).objective
    return next(run for run in runs if run.objective <= least + SAME)


def _check_observed(whole: Sums, parts: tuple[Part, ...], d: int, names: Any) -> None:
    count = np.empty(d)
    for part, of_part in zip(parts, whole.counts, strict=True):
        count[part.place] = of_part[0]
    check_columns_observed(count, names)


def _trouble(mixture: FiniteParams) -> str | None:
    """What to say of components without rows."""
    empty = np.flatnonzero(mixture.weights <= 2 * LEAST_SHARE)
    if not len(empty):
        return None
    return (
        f"{len(empty)} of {len(mixture.weights)} components lost all their rows (first: "
        f"{empty[0]}). Try fewer n_components or a larger n_init."
    )
