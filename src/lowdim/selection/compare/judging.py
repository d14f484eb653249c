"""One model on one split: what it loses on what it has not seen.

    error of a model = sum over held-out entries of (guess - x)^2 / the same for column means

in standardised units, so that 0 is perfect and 1 is as good as column means; of a cell of a table
that is several columns of numbers, their mean.
"""

from __future__ import annotations

import time
import warnings
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from lowdim.core.session import InterruptedFitWarning
from lowdim.selection.compare.models import (
    MEANS_FOR_MISSING,
    NOT_CENTERED,
    filled,
    log_likelihood,
    n_parameters,
    needs_means,
    takes_nan,
    takes_only_positive,
    units_for,
    with_means,
)
from lowdim.selection.splits import Cells, Split, columns_of


class Rules(NamedTuple):
    """What `compare` was asked for."""

    hold_out: str
    share: float
    criterion: str
    standardize: bool
    cells: Cells


class Outcome(NamedTuple):
    """What one model did on one split."""

    loss: float
    seconds: float
    size: int | None
    chosen: int
    treatment: tuple[str, ...]  # what was done to the data for this model
    warned: frozenset[str]  # categories of its warnings


def judge(model: Any, X: np.ndarray, split: Split, rules: Rules) -> Outcome:
    """Fit the model to what the split leaves it, and say what it loses on what is held out."""
    training = split.training(X)
    question = split.question(X) if rules.criterion == "error" else X[split.ask_rows]
    columns = columns_of(training)
    units = units_for(model, columns, rules.standardize)
    mean = units.to_model(columns.center)
    learned, rows = units.to_model(training), units.to_model(question)
    if not takes_nan(model):
        learned = with_means(learned, mean)
    began = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(learned)
        said = (
            filled(model, rows, mean) if rules.criterion == "error" else log_likelihood(model, rows)
        )
    seconds = time.perf_counter() - began
    warned = {warning.category for warning in caught}
    if InterruptedFitWarning in warned:  # Ctrl-C ends a fit early; here it is meant for all of them
        raise KeyboardInterrupt
    if rules.criterion == "error":
        asked = split.asked()
        truth = (X[split.ask_rows] - columns.center) / columns.spread
        guess = units.standardised(_checked(said, asked, model))
        weight = np.broadcast_to((1.0 / rules.cells.width)[rules.cells.column], asked.shape)
        loss = relative_error(guess[asked], truth[asked], weight[asked])
    else:
        loss = -float(units.log_density_standardised(said, rows).mean())
    if not np.isfinite(loss):
        raise ValueError(f"{type(model).__name__} loses {loss} on held-out data")
    treatment = [NOT_CENTERED] if rules.standardize and takes_only_positive(model) else []
    treatment += [MEANS_FOR_MISSING] if needs_means(model, training, question) else []
    names = frozenset(category.__name__ for category in warned)
    return Outcome(loss, seconds, n_parameters(model), 0, tuple(treatment), names)


def relative_error(guess: np.ndarray, truth: np.ndarray, weight: Any = 1.0) -> float:
    """Squared error relative to that of column means, which are 0 in standardised units."""
    by_means = float((weight * np.square(truth)).sum())
    return float((weight * np.square(guess - truth)).sum()) / (by_means or 1.0)


def _checked(guess: np.ndarray, asked: np.ndarray, model: Any) -> np.ndarray:
    if guess.shape != asked.shape:
        raise ValueError(
            f"{type(model).__name__} gives {guess.shape} values where {asked.shape} are needed"
        )
    unknown = np.count_nonzero(~np.isfinite(guess[asked]))
    if unknown:
        raise ValueError(
            f"{type(model).__name__} leaves {unknown} of {np.count_nonzero(asked)} held-out "
            "entries unknown (NaN or infinite)"
        )
    return guess


def seeded(model: Any, seed: int) -> Any:
    """An unfitted copy; the seeds that it leaves open are set."""
    model = clone(model)
    open_seeds = [
        name
        for name, value in model.get_params().items()
        if value is None and (name == "random_state" or name.endswith("__random_state"))
    ]
    return model.set_params(**dict.fromkeys(open_seeds, seed))
