"""`smacof`: a map of given dissimilarities, as a function."""

from __future__ import annotations

from typing import Any

import numpy as np

from lowdim.core.threads import single_threaded_blas
from lowdim.maps.mds.estimator import MDS
from lowdim.maps.square import square_matrix


@single_threaded_blas()
def smacof(
    dissimilarities: Any,
    *,
    metric: bool = True,
    n_components: int = 2,
    init: Any = None,
    n_init: int = 1,
    n_jobs: int | None = None,
    max_iter: int = 300,
    verbose: int = 0,
    eps: float = 1e-6,
    random_state: Any = None,
    return_n_iter: bool = False,
    normalized_stress: bool | str = "auto",
    transformation: str | None = None,
    ties: str = "secondary",
    weights: Any = None,
) -> tuple:
    """A map of given dissimilarities: what MDS does, as a function.

    Parameters
    ----------
    dissimilarities : array of shape (n, n), or of the n (n - 1) / 2 pairs
        Symmetric, 0 or more; NaN are missing.
    metric : bool, default=True
        False means transformation='ordinal'.
    n_components : int, default=2
        Dimensions of the map; that of `init` if it is given.
    init : array of shape (n, n_components), default=None
        Where the search starts; None means at random.
    n_init : int, default=1
        How many random starts are tried; the map of the least stress is kept.
    n_jobs : int
        Accepted for compatibility with scikit-learn; ignored.
    verbose : int, default=0
        See MDS.
    max_iter : int, default=300
        Looks at all pairs, at the most.
    eps : float, default=1e-6
        See MDS.
    random_state : int, Generator, RandomState or None, default=None
        For random starts.
    return_n_iter : bool, default=False
        Whether the number of iterations is returned, too.
    normalized_stress, transformation, ties
        See MDS.
    weights : array of shape (n, n), default=None
        How much each pair counts; None means 1.

    Returns
    -------
    X : ndarray of shape (n, n_components)
        The map, about 0.
    stress : float
        See `stress_` of MDS.
    n_iter : int
        If `return_n_iter`.

    Examples
    --------
    >>> import numpy as np
    >>> from lowdim import smacof
    >>> D = np.array([[0.0, 3.0, 4.0], [3.0, 0.0, 5.0], [4.0, 5.0, 0.0]])
    >>> Y, stress = smacof(D, random_state=0)
    >>> bool(stress < 1e-6)
    True
    >>> round(float(np.linalg.norm(Y[0] - Y[2])), 3)
    4.0
    """
    D = square_matrix(dissimilarities, "dissimilarities", "smacof", nan=True)
    places = None if init is None else np.asarray(init)
    if places is not None and places.ndim == 2:
        n_components = places.shape[1]
    model = MDS(
        n_components,
        metric_mds=metric,
        n_init=n_init,
        init="random",
        max_iter=max_iter,
        verbose=verbose,
        eps=eps,
        n_jobs=n_jobs,
        random_state=random_state,
        metric="precomputed",
        normalized_stress=normalized_stress,
        transformation=transformation,
        ties=ties,
    ).fit(D, init=places, weights=weights)
    found = (model.embedding_, model.stress_)
    return (*found, model.n_iter_) if return_n_iter else found
