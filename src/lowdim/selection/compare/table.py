"""The result of a comparison: a small table, best model first."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Any, NamedTuple

import numpy as np

from lowdim.core.result_table import ResultTable
from lowdim.selection.choice import excess_over, standard_error

TIE_ERRORS = 2.0  # standard errors of a paired difference that are still a tie
SLIGHT = 1e-3  # a difference, relative to the best error, that is a tie however sure it is
LARGE = 2.0  # times the best error that are no tie however unsure: a model that fails now and then
LOSSES = {"error": "error", "likelihood": "neg_log_likelihood"}
AXES = {
    "error": "error on held-out entries (column means = 1)",
    "likelihood": "−log p of held-out rows, per row",
}


class Entrant(NamedTuple):
    """What was found of one model."""

    name: str
    losses: np.ndarray  # (repeats,), NaN where it failed
    seconds: float
    size: int | None
    remark: str
    failure: str
    estimator: Any


class Protocol(NamedTuple):
    """How models were judged."""

    criterion: str
    hold_out: str
    share: float
    repeats: int
    shape: tuple[int, int]  # of the rows that were compared
    n_rows: int  # of X
    used: tuple[int, int] | None = None  # of a table: columns that are used, and all of them

    def __str__(self) -> str:
        n, d = self.shape
        what = "error relative to column means" if self.criterion == "error" else "−log p per row"
        sample = f" (drawn from {self.n_rows:,} rows)" if n < self.n_rows else ""
        width = d if self.used is None else self.used[0]
        return (
            f"{100 * self.share:.3g}% of the {self.hold_out} of {n:,} x {width:,}{sample} held "
            f"out, {self.repeats} times; {what}{self._encoded()}"
        )

    def _encoded(self) -> str:
        if self.used is None:
            return ""
        used, columns = self.used
        some = f"{columns:,}" if used == columns else f"{used:,} of {columns:,}"
        return f"; {some} columns of the table became {self.shape[1]:,} columns of numbers"

    @property
    def overlap(self) -> float:
        """How much the training data of the repeats have in common (Nadeau and Bengio 2003)."""
        return self.share / (1.0 - self.share)


class Comparison:
    """Models judged by the same held-out data, best first.

    Attributes
    ----------
    names : tuple of str
        The models, best first; those that failed come last.
    winner : str
        The model of smallest mean loss.
    ties : tuple of str
        Models that cannot be distinguished from the winner: the mean paired difference is at most
        two standard errors, or a thousandth of the winner's error; the error at most twice as
        large.
    losses : ndarray of shape (repeats, models)
        What each model lost on each split, in the order of `names`; NaN where it failed.
    failures : dict of str
        Why models failed, by name.
    estimators : dict of estimators
        The models, unfitted, by name; of a list of candidates the one chosen most often.
    protocol : Protocol
        criterion, hold_out, share, repeats, the shape of the numbers that were compared, the rows
        of X, and of a table how many columns are used and how many there are.
    encoder : TableEncoder or None
        What made numbers of the table; `.encoder.columns_` says how. None: X was taken as it is.
    table : ResultTable
        model, error (or neg_log_likelihood), std_error, difference, difference_std_error, verdict,
        seconds, parameters, remark.
    """

    def __init__(self, entrants: Iterable[Entrant], protocol: Protocol, encoder: Any = None):
        self.entrants = sorted(entrants, key=_mean_loss)
        self.protocol = protocol
        self.encoder = encoder
        self.table = ResultTable(self._columns())

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(entrant.name for entrant in self.entrants)

    @property
    def winner(self) -> str:
        return self.entrants[0].name

    @property
    def ties(self) -> tuple[str, ...]:
        return tuple(np.array(self.names, dtype=object)[self.table["verdict"] == "tie"])

    @property
    def losses(self) -> np.ndarray:
        return np.column_stack([entrant.losses for entrant in self.entrants])

    @property
    def failures(self) -> dict[str, str]:
        return {e.name: e.failure for e in self.entrants if e.failure}

    @property
    def estimators(self) -> dict[str, Any]:
        return {e.name: e.estimator for e in self.entrants}

    def _columns(self) -> dict[str, Any]:
        losses = self.losses
        mean, error = losses.mean(axis=0), standard_error(losses, self.protocol.overlap)
        difference, spread = excess_over(losses, 0, self.protocol.overlap)
        slight = SLIGHT * (mean[0] if self.protocol.criterion == "error" else 1.0)
        tie = difference <= np.maximum(TIE_ERRORS * spread, slight)
        if self.protocol.criterion == "error":
            tie &= mean <= LARGE * mean[0] + SLIGHT
        verdict = np.where(np.isnan(mean), "failed", np.where(tie, "tie", "worse")).astype(object)
        verdict[0] = "best"
        return {
            "model": list(self.names),
            LOSSES[self.protocol.criterion]: mean,
            "std_error": error,
            "difference": difference,
            "difference_std_error": spread,
            "verdict": verdict,
            "seconds": np.array([e.seconds for e in self.entrants]),
            "parameters": [e.size for e in self.entrants],
            "remark": [e.failure or e.remark for e in self.entrants],
        }

    def to_frame(self, backend: str = "pandas") -> Any:
        """The table as a data frame of pandas, polars or pyarrow."""
        return self.table.to_frame(backend)

    def __len__(self) -> int:
        return len(self.entrants)

    def __getitem__(self, name: str) -> np.ndarray:
        return self.table[name]

    def __repr__(self) -> str:
        return f"{self.protocol}\n{self._for_people().to_text()}\n{self.summary()}"

    def _repr_html_(self) -> str:
        head, foot = (f"<p>{escape(text)}</p>" for text in (str(self.protocol), self.summary()))
        return f"{head}{self._for_people()._repr_html_()}{foot}"

    def summary(self) -> str:
        """The result in a sentence."""
        ties = self.ties
        if not ties:
            return f"Best: {self.winner}."
        return f"Best: {self.winner}; not distinguishable from it: {', '.join(ties)}."

    def _for_people(self) -> ResultTable:
        """The table with rounded numbers."""
        table, loss = self.table, LOSSES[self.protocol.criterion]
        shown = {
            "model": table["model"],
            loss: [_number(value, "{:.4f}") for value in table[loss]],
            "±": [_number(value, "{:.4f}") for value in table["std_error"]],
            "verdict": table["verdict"],
            "seconds": [_number(value, "{:.2g}") for value in table["seconds"]],
            "parameters": ["-" if size is None else f"{size:,}" for size in table["parameters"]],
        }
        remarks = table["remark"]
        return ResultTable(shown | ({"remark": remarks} if any(remarks) else {}))

    def plot(self, ax: Any = None) -> Any:
        """Loss of every model with its standard error; returns the matplotlib Axes.

        The winner and its ties are filled. Models that failed are not shown.
        """
        from lowdim.plots import comparison

        ran = [e for e in range(len(self)) if not self.entrants[e].failure]
        return comparison(
            [self.names[e] for e in ran],
            self.table[LOSSES[self.protocol.criterion]][ran],
            self.table["std_error"][ran],
            self.table["verdict"][ran] != "worse",
            xlabel=AXES[self.protocol.criterion],
            baseline=1.0 if self.protocol.criterion == "error" else None,
            ax=ax,
        )


def _mean_loss(entrant: Entrant) -> float:
    """Sorts failures last."""
    mean = float(entrant.losses.mean())
    return np.inf if np.isnan(mean) else mean


def _number(value: float, form: str) -> str:
    return "-" if np.isnan(value) else form.format(value)
