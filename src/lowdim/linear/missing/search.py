"""Steps of EM, extrapolated: the factor model that makes the observed entries most likely."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lowdim.core.blocks import Blocks
from lowdim.core.loop import iterate
from lowdim.core.validation import check_columns_observed
from lowdim.linalg.accelerate import anderson_point, with_newest
from lowdim.linalg.observed import column_sizes, observed_columns
from lowdim.linalg.svd import deterministic_signs
from lowdim.linear.missing.em import statistics, update
from lowdim.linear.missing.model import NOISE_FLOOR, FactorModel
from lowdim.linear.missing.start import first_model
from lowdim.linear.missing.units import MeasuredModel, in_units, unit_of

LARGEST_SUMS_BYTES = 2**30

MEMORY = 10  # steps that the extrapolation looks back on
NOISE_STRIDE = 4.0  # the extrapolation may change a noise by this factor beyond EM's own step


def fit_missing(
    estimator: Any,
    rows: Blocks,
    k: int,
    *,
    isotropic: bool,
    weight: np.ndarray | None = None,
    max_iter: int,
    tol: float,
    random: np.random.Generator,
) -> MeasuredModel:
    """The factor model that makes the observed entries most likely.

    Parameters
    ----------
    estimator : Estimator
        Gets `history_` (J by observed entry), `n_iter_` and `converged_`.
    rows : Blocks of shape (n, d)
        NaN marks what was not observed.
    k : int
        Number of factors, from 0 up.
    isotropic : bool
        Whether all columns have the same noise.
    weight : array of shape (n,), default=None
        How often each row counts.
    max_iter : int
        Iterations at the most. Each is a pass over the rows, or two if an extrapolation is refused;
        two or three more come before the first.
    tol : float
        Stop when two iterations together lower J by observed entry by at most this.
    random : Generator
        For a small random part of the first W.

    Returns
    -------
    MeasuredModel
        W has orthogonal columns of decreasing length, each with its largest entry positive: the
        likelihood knows W only up to a rotation.

    Notes
    -----
    The noise of a column is at least NOISE_FLOOR times its variance (isotropic: the mean variance);
    a constant column counts as one of mean variance here.

    References
    ----------
    Liu, Rubin and Wu (1998), Parameter expansion to accelerate EM, Biometrika 85. Walker and Ni
    (2011), Anderson acceleration for fixed-point iterations, SIAM J. Numer. Anal. 49. Restarts upon
    a refused step: Henderson and Varadhan (2019), J. Comput. Graph. Stat. 28.
    """
    if rows.is_sparse:
        raise ValueError(
            f"X is sparse and has NaN; {type(estimator).__name__} takes missing values in dense "
            "rows only. Entries that are not stored are zeros: give X.toarray() if NaN is to mean "
            "missing, or leave the NaN entries out."
        )
    _check_memory(rows.n_columns, k)
    columns = observed_columns(rows, weight)
    check_columns_observed(columns.n_observed, getattr(estimator, "feature_names_in_", None))
    unit = unit_of(columns.std.max())
    if unit != 1.0:
        rows = rows.seen(in_units, unit)
        columns = columns._replace(mean=columns.mean / unit, std=columns.std / unit)
    log_unit = float(np.log(unit))
    scale = column_sizes(columns.std, together=isotropic)
    least_noise = NOISE_FLOOR * scale**2

    loop = iterate(
        estimator,
        _fresh(first_model(rows, columns, scale, k, isotropic, weight, random)),
        max_iter=max_iter,
        tol=tol,
    )
    for search in loop:
        sums = rows.fold(statistics, *search.model, along=(weight,))
        if not sums.by_entry <= search.objective:  # the extrapolation went too far
            search = _fresh(search.safe, search.objective)
            sums = rows.fold(statistics, *search.model, along=(weight,))
        objective = min(sums.by_entry, search.objective)  # EM cannot raise it, but rounding can
        loop.params = search
        loop.record(objective + log_unit, _fall(loop.history, objective + log_unit))
        safe = update(sums, search.model, isotropic, least_noise)
        loop.params = _extrapolated(search, safe, objective, scale)
    return MeasuredModel(*_ordered(loop.params.safe), unit)


class EMSearch(NamedTuple):
    """Where the loop stands between two passes."""

    model: FactorModel  # to be looked at next
    safe: FactorModel  # EM's step from the model accepted last: never worse than it
    objective: float  # of that model, by observed entry
    points: np.ndarray  # (m, d (k + 2))  the models accepted before, as vectors
    steps: np.ndarray  # (m, d (k + 2))  EM's step from each


def _check_memory(d: int, k: int) -> None:
    needed = 8 * d * (k + 1) ** 2
    if needed > LARGEST_SUMS_BYTES:
        most = max(int(np.sqrt(LARGEST_SUMS_BYTES / (8 * d))) - 1, 0)
        raise ValueError(
            f"n_components={k} is too many for {d} columns with missing values: the sums over rows "
            f"would take {needed / 2**30:.1f} GB; choose n_components at most {most}."
        )


def _ordered(model: FactorModel) -> FactorModel:
    """The same model with orthogonal columns of W, the longest first."""
    U, s, _ = np.linalg.svd(model.W, full_matrices=False)
    W = deterministic_signs((U * s).T).T if model.W.size else model.W
    return model._replace(W=np.ascontiguousarray(W))


# ---- Anderson's extrapolation --------------------------------------------------------------------


def _fresh(model: FactorModel, objective: float = np.inf) -> EMSearch:
    """A search that starts from `model` without a past."""
    nothing = np.empty((0, model.W.size + 2 * len(model.W)))
    return EMSearch(model, model, objective, nothing, nothing)


def _extrapolated(
    search: EMSearch, safe: FactorModel, objective: float, scale: np.ndarray
) -> EMSearch:
    """Where to look next: where EM's steps, taken as linear in the model, come to rest."""
    here = _as_vector(search.model, scale)
    points = with_newest(search.points, here, MEMORY + 1)
    steps = with_newest(search.steps, _as_vector(safe, scale) - here, MEMORY + 1)
    if len(points) == 1:
        return EMSearch(safe, safe, objective, points, steps)
    model = _as_model(anderson_point(points, steps), safe, scale)
    return EMSearch(model, safe, objective, points, steps)


def _as_vector(model: FactorModel, scale: np.ndarray) -> np.ndarray:
    table = np.column_stack([model.mean, model.W, np.sqrt(model.noise)])
    return (table / scale[:, None]).ravel()


def _as_model(vector: np.ndarray, safe: FactorModel, scale: np.ndarray) -> FactorModel:
    table = vector.reshape(len(scale), -1) * scale[:, None]
    noise = np.square(np.maximum(table[:, -1], 0.0))
    noise = np.clip(noise, safe.noise / NOISE_STRIDE, safe.noise * NOISE_STRIDE)
    return FactorModel(table[:, 0], table[:, 1:-1], noise)


def _fall(history: list[float], objective: float) -> float:
    """How much the objective fell in the last two steps: one alone may be short by accident."""
    return history[-2] - objective if len(history) > 1 else np.inf
