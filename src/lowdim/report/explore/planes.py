"""The rows in the planes of t-SNE and UMAP, beside that of the components.

Each is fitted to at most MAP_FIT_ROWS rows; the others are placed among them, row by row.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import lowdim
from lowdim.report.explore.preparing import Encoded
from lowdim.report.explore.sampling import MAP_FIT_ROWS
from lowdim.report.placing import fit_and_place, rows_with_values

PLANES = {"t-SNE": "TSNE", "UMAP": "UMAP"}  # by their names: the public classes
PERPLEXITY, NEIGHBORS = 30.0, 15
FEWEST_ROWS = 10  # a row looks at some others; fewer rows have no neighbourhoods


def plane_model(name: str, n: int, seed: int) -> Any:
    """The model of a plane for n rows, not fitted; with few rows a row looks at fewer others."""
    model = getattr(lowdim, PLANES[name])(random_state=seed)
    looks = {
        "perplexity": min(PERPLEXITY, (n - 1) / 3),
        "n_neighbors": min(NEIGHBORS, n - 1),
    }
    known = model.get_params()
    return model.set_params(**{key: value for key, value in looks.items() if key in known})


def find_planes(encoded: Encoded, seed: int) -> dict[str, np.ndarray]:
    """Places of all rows in each plane, (n, 2); none for a table of very few rows."""
    X: Any = encoded.rows.in_memory
    if len(rows_with_values(X)) < FEWEST_ROWS:
        return {}
    found = {}
    for name in PLANES:

        def fit(some: Any, name: str = name) -> Any:
            return plane_model(name, some.shape[0], seed).fit(some)

        _, Y, _ = fit_and_place(fit, X, MAP_FIT_ROWS, seed)
        found[name] = Y
    return found
