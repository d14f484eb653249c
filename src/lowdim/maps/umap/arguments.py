"""The arguments of UMAP: what each may be, and which do not go together."""

from __future__ import annotations

from typing import Any

import numpy as np

from lowdim.core.constraints import (
    AT_LEAST_0,
    AT_LEAST_1,
    NOT_NEGATIVE,
    POSITIVE,
    Integral,
    Interval,
    Options,
    Real,
    StrOptions,
)
from lowdim.maps.base import OF_MAPS
from lowdim.maps.points import ALIASES, KNOWN
from lowdim.maps.umap.graded import GRADED

INITS = ("spectral", "random", "pca", "tswspectral", "classical_mds")
EPOCHS_UP_TO_10000, EPOCHS_BEYOND = 500, 200
# distances from which on two rows have nothing in common
NOTHING_IN_COMMON = {
    "cosine": 2.0,
    "correlation": 2.0,
    "hellinger": 1.0,
    "jaccard": 1.0,
    "dice": 1.0,
}

CONSTRAINTS: dict[str, list] = {
    "n_neighbors": [Interval(Integral, 2, None, closed="left")],
    "n_components": OF_MAPS["n_components"],
    "metric": OF_MAPS["metric"],
    "metric_kwds": [dict, None],
    "output_metric": [StrOptions({"euclidean", "l2"})],
    "output_metric_kwds": [dict, None],
    "n_epochs": [AT_LEAST_0, list, None],
    "learning_rate": [POSITIVE],
    "init": [StrOptions(set(INITS)), "array-like"],
    "min_dist": [NOT_NEGATIVE],
    "spread": [POSITIVE],
    "low_memory": ["boolean"],
    "n_jobs": [Integral, None],
    "set_op_mix_ratio": [Interval(Real, 0, 1, closed="both")],
    "local_connectivity": [POSITIVE],
    "repulsion_strength": [NOT_NEGATIVE],
    "negative_sample_rate": [AT_LEAST_0],
    "transform_queue_size": [POSITIVE],
    "a": [POSITIVE, None],
    "b": [POSITIVE, None],
    "random_state": OF_MAPS["random_state"],
    "angular_rp_forest": ["boolean"],
    "target_n_neighbors": [Interval(Integral, 2, None, closed="left"), Options(Integral, {-1})],
    "target_metric": [
        StrOptions({"categorical", *GRADED, *KNOWN, *ALIASES} - {"precomputed"}),
        callable,
    ],
    "target_metric_kwds": [dict, None],
    "target_weight": [Interval(Real, 0, 1, closed="both")],
    "transform_seed": [AT_LEAST_0],
    "transform_mode": [StrOptions({"embedding", "graph"})],
    "force_approximation_algorithm": ["boolean"],
    "verbose": ["verbose"],
    "tqdm_kwds": [dict, None],
    "unique": ["boolean"],
    "densmap": ["boolean"],
    "dens_lambda": [NOT_NEGATIVE],
    "dens_frac": [Interval(Real, 0, 1, closed="both")],
    "dens_var_shift": [NOT_NEGATIVE],
    "output_dens": ["boolean"],
    "disconnection_distance": [POSITIVE, None],
    "precomputed_knn": [tuple, list],
    "neighbors": OF_MAPS["neighbors"],
    "missing": OF_MAPS["missing"],
    "pca_components": [AT_LEAST_1, None],
}


def check_together(model: Any) -> None:
    """Raise if arguments contradict each other."""
    if model.min_dist > model.spread:
        raise ValueError(
            f"min_dist={model.min_dist} must be at most spread={model.spread}: rows cannot be kept "
            "farther apart than the scale of the map. Lower min_dist or raise spread."
        )
    if (model.a is None) != (model.b is None):
        raise ValueError(f"a={model.a} and b={model.b} go together; give both or neither.")
    if isinstance(model.n_epochs, list) and not (
        model.n_epochs and all(_is_whole(epochs) for epochs in model.n_epochs)
    ):
        raise ValueError(f"n_epochs={model.n_epochs} must be whole numbers from 0 up.")
    known = model.precomputed_knn
    if len(known) < 2 or (known[0] is None) != (known[1] is None):
        raise ValueError(
            "precomputed_knn must be (indices, distances) or (indices, distances, index), or all "
            "None."
        )
    given = known[0] is not None or not isinstance(model.neighbors, str)
    if known[0] is not None and not (
        isinstance(model.neighbors, str) and model.neighbors == "auto"
    ):
        raise ValueError("precomputed_knn and neighbors were both given; give one of them.")
    if model.unique and (given or model.metric == "precomputed"):
        raise ValueError(
            "unique=True finds the neighbours of different rows itself; leave out precomputed_knn, "
            "neighbors and metric='precomputed', or set unique=False."
        )


def _is_whole(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= 0


def epochs_of(n_epochs: Any, n: int) -> int:
    """How many epochs are made in all."""
    if n_epochs is None:
        return EPOCHS_UP_TO_10000 if n <= 10_000 else EPOCHS_BEYOND
    return int(max(n_epochs)) if isinstance(n_epochs, list) else int(n_epochs)


def farthest(disconnection_distance: float | None, metric: Any) -> float:
    """The distance from which on rows are not joined, in units of X."""
    if disconnection_distance is not None:
        return float(disconnection_distance)
    return NOTHING_IN_COMMON.get(metric, np.inf) if isinstance(metric, str) else np.inf
