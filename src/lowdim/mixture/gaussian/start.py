"""Where a Gaussian mixture starts: what the user gave, and the rest from the clusters of k-means.

k-means looks at all rows, or at a coreset of many, which keeps the few that lie far from the
others. With many more rows, the likelihood chooses among several starts after a few steps of EM.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import check_array

from lowdim.cluster.coreset import draw_coreset
from lowdim.cluster.kmeans.lloyd import lloyd, run
from lowdim.cluster.kmeans.seeding import Part, part_in_memory, random_rows, seeds
from lowdim.core.blocks import ArrayBlocks, Blocks
from lowdim.linalg.observed import standardized
from lowdim.mixture.collapse import LEAST_SHARE
from lowdim.mixture.em import n_weighted
from lowdim.mixture.gaussian.covariances import KINDS, scaled_squares
from lowdim.mixture.gaussian.density import in_small_blocks
from lowdim.mixture.gaussian.em import GaussianParams, fresh, prepared, statistics, update
from lowdim.mixture.gaussian.units import Space

# The start looks at a coreset of so many rows, or of so many for each column of each component, up
# to a limit
START_ROWS = 5_000
START_ROWS_PER_COLUMN = 10
MOST_START_ROWS = 20_000
# k-means begins so often on all rows, or on a coreset: there a bad start costs many more rows' time
KMEANS_RUNS = 4
CORESET_RUNS = 8
# with so many steps each; the best goes on for so many at the most
KMEANS_FIRST_STEPS = 5
KMEANS_STEPS = 30
# With many more rows than that, up to so many starts are tried, with so many steps of EM each
MOST_TRIALS = 4
START_STEPS = 5


class Given(NamedTuple):
    """What the user gave to start from, in the units of X; None where nothing."""

    weights: np.ndarray | None  # (K,)
    means: np.ndarray | None  # (K, d)
    covariances: np.ndarray | None  # in the shape of covariances_


def check_start(estimator: Any, d: int) -> Given:
    """The constructor's weights, means and precisions, checked."""
    k, kind = estimator.n_components, KINDS[estimator.covariance_type]
    weights = _checked("weights_init", estimator.weights_init, (k,))
    if weights is not None and ((weights < 0).any() or not np.isclose(weights.sum(), 1.0)):
        raise ValueError(
            f"weights_init has the sum {weights.sum():g} and the smallest value "
            f"{weights.min():g}; weights must be 0 or more, with the sum 1."
        )
    precisions = _checked("precisions_init", estimator.precisions_init, kind.shape(k, d))
    covariances = None
    if precisions is not None:
        try:
            covariances = kind.from_precisions(precisions)
        except ValueError as error:
            raise ValueError(
                f"precisions_init is {error}; {estimator.covariance_type!r} precisions must be "
                "symmetric and positive definite (numbers: positive)."
            ) from None
    return Given(weights, _checked("means_init", estimator.means_init, (k, d)), covariances)


def _checked(name: str, value: Any, shape: tuple[int, ...]) -> np.ndarray | None:
    if value is None:
        return None
    array = check_array(value, dtype=np.float64, ensure_2d=False, allow_nd=True, input_name=name)
    if array.shape != shape:
        raise ValueError(f"{name} has shape {array.shape}; {shape} is needed.")
    return array


def start(
    estimator: Any,
    rows: Blocks,
    weight: np.ndarray | None,
    space: Space,
    given: Given,
    random: np.random.Generator,
) -> GaussianParams:
    """The mixture that EM starts from: what is given, and the rest from some rows."""
    name, k, d = estimator.covariance_type, estimator.n_components, rows.n_columns
    kind = KINDS[name]
    means = None if given.means is None else (given.means - space.center) / space.scale
    identity = np.ones(k) if name == "unit" and given.covariances is None else given.covariances
    covariances = None if identity is None else kind.from_user(identity, space.scale, k)
    if given.weights is not None and means is not None and covariances is not None:
        return fresh(given.weights, means, covariances)

    size = int(np.clip(START_ROWS_PER_COLUMN * k * d, START_ROWS, MOST_START_ROWS))
    n_rows = n_weighted(rows, weight)
    part = some_rows(rows, weight, space, random, None if n_rows <= size else size)
    Z, Y = part.rows, part.rows * space.size
    floor = space.floor(estimator.reg_covar)

    n_trials = int(np.clip(n_rows // (2 * size), 1, MOST_TRIALS))
    if estimator.init_params != "kmeans":
        n_trials = 1
    n_runs = KMEANS_RUNS if n_rows <= size else CORESET_RUNS
    if n_trials > 1:  # the likelihood will choose
        n_runs = 1

    def trial() -> GaussianParams:
        resp = first_responsibilities(estimator.init_params, Z, k, random, part.weight, n_runs)
        found = from_responsibilities(resp, Y, part.weight, name, floor)
        return fresh(
            found.weights if given.weights is None else given.weights,
            found.means if means is None else means,
            found.covariances if covariances is None else covariances,
        )

    if n_trials == 1:
        return trial()
    trials = [some_steps(trial(), Y, part.weight, name, floor) for _ in range(n_trials)]
    return min(trials, key=lambda tried: tried[1])[0]


def some_rows(
    rows: Blocks,
    weight: np.ndarray | None,
    space: Space,
    random: np.random.Generator,
    size: int | None = None,
) -> Part:
    """All rows, or a coreset of this size, with columns of variance 1 and mean 0, also for NaN."""
    unit = space.scale * space.size
    if size is not None:
        standard = rows.seen(standardized, space.center, unit)
        return Part(*draw_coreset(standard, size, random, weight))
    part = part_in_memory(rows, random, weight)
    return Part(standardized(part.rows, space.center, unit), part.weight)


def from_responsibilities(
    resp: np.ndarray, Y: np.ndarray, weight: np.ndarray, name: str, floor: np.ndarray
) -> GaussianParams:
    """The mixture that follows from rows and responsibilities, (K, m)."""
    kind = KINDS[name]
    resp = resp * weight
    count = np.maximum(resp.sum(axis=1), LEAST_SHARE * weight.sum())
    means = resp @ Y / count[:, None]
    sum_x, sum_xx = kind.scatter(Y, resp, means)
    spread = kind.spread(count, sum_x / count[:, None], sum_xx)
    return fresh(count / count.sum(), means, kind.floored(spread, floor, spread))


def some_steps(
    mixture: GaussianParams, Y: np.ndarray, weight: np.ndarray, name: str, floor: np.ndarray
) -> tuple[GaussianParams, float]:
    """A few steps of EM on a part of the rows, in the units of the means, and J per row there."""
    d = Y.shape[1]
    rows = in_small_blocks(ArrayBlocks(Y), len(mixture.weights))
    here = Space(np.zeros(d), np.ones(d), np.ones(d))
    for _ in range(START_STEPS):
        sums = rows.fold(statistics, prepared(name, mixture, here), along=(weight,))
        mixture = update(sums, mixture, name, floor)
    begun_anew = fresh(mixture.weights, mixture.means, mixture.covariances)
    return begun_anew, sums.objective / sums.weight


def first_responsibilities(
    init_params: str,
    Y: np.ndarray,
    k: int,
    random: np.random.Generator,
    weight: np.ndarray,
    n_runs: int,
) -> np.ndarray:
    """Responsibilities of rows before anything is known of the components, (K, m)."""
    if init_params == "random":
        resp = random.random((k, len(Y)))
        return resp / resp.sum(axis=0)
    if init_params == "kmeans":
        begun = lloyd(Y, k, random, weight, max_iter=KMEANS_FIRST_STEPS, n_init=n_runs)
        labels = run(Y, weight, begun.centers, KMEANS_STEPS).labels
    else:
        draw = seeds if init_params == "k-means++" else random_rows
        centers = draw(Y, k, random, weight)
        labels = scaled_squares(Y, centers, np.ones_like(centers)).argmin(axis=0)
    return (labels == np.arange(k)[:, None]).astype(np.float64)
