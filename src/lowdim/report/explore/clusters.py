"""Groups of rows: a Gaussian mixture of the codes along the components that beat chance.

Later components often belong to a single level of a category, whose rows would each be a cluster.
The number of clusters is chosen by BIC; how well clusters of resampled rows agree with them says
whether they are there.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score
from sklearn.pipeline import Pipeline

from lowdim.cluster.profiles import ClusterProfiles, cluster_profiles
from lowdim.linear.ppca import ProbabilisticPCA
from lowdim.mixture.gaussian.estimator import GaussianMixture
from lowdim.report.explore.preparing import Encoded
from lowdim.report.explore.sampling import FIT_ROWS, STABILITY_ROWS
from lowdim.selection.auto import auto_k, sample_rows
from lowdim.selection.clusters import LARGEST_DEFAULT, KChoice
from lowdim.tables.model import TableModel

RESAMPLES = 10
ROWS_PER_CLUSTER = 10
BORDER_ROWS = 3
LEAST_VARIANCE = 1e-3  # of a cluster along an axis of codes, which have variance about 1


class Clusters(NamedTuple):
    """Groups of rows.

    Attributes
    ----------
    choice : KChoice or None
        The numbers compared; None if there are too few different rows to compare.
    model : GaussianMixture
    labels : ndarray of int (n,)
    certainty : ndarray (n,)
        Probability of the row's own cluster.
    profiles : ClusterProfiles
    border : list of list of int
        For each cluster its least certain rows.
    stability : ndarray (r,)
        Adjusted Rand index of the clusters of each resample with these.
    """

    choice: KChoice | None
    model: GaussianMixture
    labels: np.ndarray
    certainty: np.ndarray
    profiles: ClusterProfiles
    border: list[list[int]]
    stability: np.ndarray


def find_clusters(encoded: Encoded, n_components: int, seed: int) -> tuple[Clusters, TableModel]:
    """The clusters, and the model that gives them: factors, and a mixture of their codes."""
    X: Any = encoded.rows.in_memory
    X = X[sample_rows(X.shape[0], FIT_ROWS, seed)] if X.shape[0] > FIT_ROWS else X
    factors = ProbabilisticPCA(n_components=n_components, random_state=seed)
    codes = factors.fit(X).transform(X)
    mixture, choice = chosen_mixture(codes, seed)
    steps = Pipeline([("factors", factors), ("mixture", mixture)])
    model = TableModel(steps, encoder=clone(encoded.encoder))
    model.fit_encoded(encoded.table, encoded.encoder, X)
    fitted = model.estimator_
    codes = fitted["factors"].transform(encoded.rows)
    mixture = fitted["mixture"]
    labels, certainty = mixture.predict(codes), mixture.predict_proba(codes).max(axis=1)
    k = mixture.n_components
    clusters = Clusters(
        choice,
        mixture,
        labels,
        certainty,
        cluster_profiles(encoded.rows, labels, k),
        [_least_certain(labels == j, certainty) for j in range(k)],
        _stability(codes, labels, mixture, seed) if k > 1 else np.empty(0),
    )
    return clusters, model


def chosen_mixture(codes: np.ndarray, seed: int) -> tuple[GaussianMixture, KChoice | None]:
    """The mixture with as many clusters as BIC says, not fitted."""
    # rows that are all alike would make clusters of no extent
    different = len(np.unique(codes.round(9), axis=0))
    mixture = mixture_of((different, codes.shape[1]), seed)
    choice = auto_k(codes, mixture, seed, most=min(LARGEST_DEFAULT, different // ROWS_PER_CLUSTER))
    if choice is None:
        return mixture, None
    return mixture.set_params(n_components=choice.choice), choice


def mixture_of(shape: tuple[int, int], seed: int) -> GaussianMixture:
    """The mixture for codes: clusters of any shape where rows are many enough to learn it."""
    n, k = shape
    form = "full" if n >= 10 * k * (k + 1) else "diag"
    return GaussianMixture(
        covariance_type=form, reg_covar=LEAST_VARIANCE, n_init=2, random_state=seed
    )


def _least_certain(member: np.ndarray, certainty: np.ndarray) -> list[int]:
    rows = np.flatnonzero(member)
    return rows[np.argsort(certainty[rows], kind="stable")[:BORDER_ROWS]].tolist()


def _stability(
    codes: np.ndarray, labels: np.ndarray, model: GaussianMixture, seed: int
) -> np.ndarray:
    """How well clusters of resampled rows agree with these: 1 is the same, 0 is chance."""
    rows = sample_rows(len(codes), STABILITY_ROWS, seed)
    random = np.random.default_rng(seed)
    agreement = []
    for _ in range(RESAMPLES):
        drawn = codes[random.choice(rows, len(rows))]
        again = GaussianMixture(
            model.n_components,
            covariance_type=model.covariance_type,
            reg_covar=LEAST_VARIANCE,
            random_state=seed,
        ).fit(drawn)
        agreement.append(adjusted_rand_score(labels[rows], again.predict(codes[rows])))
    return np.array(agreement)
