"""What there is to say about a table: the models of the page and their results, as plain data.

    rank        parallel analysis and held-out entries, on a sample of rows
    contest     the methods compared by hidden entries
    factors     ProbabilisticPCA of that rank; its axes also rotated by varimax
    clusters    GaussianMixture of the codes that beat chance, their number by BIC; their stability
    filling     expectation and uncertainty, by the best method of the contest that has both
    odd rows    least likely under the factor model
    maps        t-SNE and UMAP, fitted to a sample, all rows placed

A code is the few numbers that stand for a row: its place along the factors.
Steps whose cost grows faster than the rows look at a random sample; `remarks` says which did.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from lowdim.linear.ppca import ProbabilisticPCA
from lowdim.linear.rotation import rotate
from lowdim.report.explore.clusters import Clusters, find_clusters
from lowdim.report.explore.contest import contest
from lowdim.report.explore.filling import FilledColumn, Filler, choose_filler, fill
from lowdim.report.explore.missingness import Missingness, missingness
from lowdim.report.explore.odd import Oddness, odd_rows
from lowdim.report.explore.planes import find_planes
from lowdim.report.explore.preparing import Encoded
from lowdim.report.explore.sampling import FILL_ROWS, FIT_ROWS, said_of_samples
from lowdim.report.page.stages import stages
from lowdim.selection.auto import auto_rank, rank_rows, sample_rows
from lowdim.selection.compare.table import Comparison
from lowdim.selection.rank import RankChoice, choose_rank
from lowdim.tables.model import TableModel

STAGES = {  # about what part of the time they take, in percent
    "missing values": 2,
    "number of dimensions": 25,
    "comparison of methods": 55,
    "factors": 2,
    "clusters": 10,
    "filling": 4,
    "odd rows": 2,
    "maps": 20,
}


class Spectrum(NamedTuple):
    """How many dimensions.

    Attributes
    ----------
    share : ndarray
        Share of the variance of each component, missing values at their means.
    chance : ndarray
        What shuffled columns would give (95% quantile).
    parallel : RankChoice
    held_out : RankChoice
    rank : int
        The chosen number, by the rule of `lowdim.selection.auto`.
    kept : int
        Components of the models: at least two where possible, for the map.
    """

    share: np.ndarray
    chance: np.ndarray
    parallel: RankChoice
    held_out: RankChoice
    rank: int
    kept: int


class Factors(NamedTuple):
    """The factor model.

    Attributes
    ----------
    model : ProbabilisticPCA
    codes : ndarray (n, k)
    plane : ndarray (n, >= 2)
        The codes; of a model with one component, also what it leaves.
    correlations : ndarray (d, k)
        Of the columns of the matrix with the components, under the model.
    rotated : ndarray (d, k)
        The same after varimax.
    explained : ndarray (d,)
        Share of each column's variance that the components explain.
    names : list of str
        What each rotated factor is about.
    """

    model: ProbabilisticPCA
    codes: np.ndarray
    plane: np.ndarray
    correlations: np.ndarray
    rotated: np.ndarray
    explained: np.ndarray
    names: list[str]


class Findings(NamedTuple):
    """All that the page shows."""

    where: str
    n_rows_read: int
    encoded: Encoded
    missing: Missingness
    spectrum: Spectrum
    comparison: Comparison | None  # None for a table too small to hide a part of it
    factors: Factors
    clusters: Clusters
    filler: Filler | None  # None if nothing is missing
    filled: list[FilledColumn]
    odd: Oddness
    maps: dict[str, np.ndarray]  # places of the rows, (n, 2), by the names of `planes.PLANES`
    models: dict[str, TableModel]  # 'factors', 'clusters' and, if values are missing, 'filling'
    remarks: list[str]  # what looked at a sample, what did not converge
    seconds: dict[str, float]


def find(encoded: Encoded, n_rows_read: int, seed: int) -> Findings:
    """Fit the models of the page.

    Parameters
    ----------
    encoded : Encoded
    n_rows_read : int
        Of the table, before rows were drawn from it.
    seed : int
    """
    with warnings.catch_warnings(record=True) as caught, stages("exploring", STAGES) as stage:
        warnings.simplefilter("always")
        with stage("missing values"):
            missing = missingness(encoded)
        with stage("number of dimensions"):
            spectrum = _spectrum(encoded, seed)
        with stage("comparison of methods"):
            comparison = contest(encoded, spectrum.rank, seed)
        models = {}
        with stage("factors"):
            factors, models["factors"] = _factors(encoded, spectrum.kept, seed)
        with stage("clusters"):
            n_components = min(max(spectrum.parallel.choice, 2), spectrum.kept)
            clusters, models["clusters"] = find_clusters(encoded, n_components, seed)
        with stage("filling"):
            filler, filled = None, []
            if missing.n_missing:
                filler, models["filling"] = _filler(encoded, comparison, spectrum.kept, seed)
                filled = fill(encoded, models["filling"])
        with stage("odd rows"):
            odd = _odd(encoded, factors.model)
        with stage("maps"):
            maps = find_planes(encoded, seed)
    remarks = _remarks(encoded, missing, clusters)
    if comparison is None:
        remarks.insert(0, "Methods were not compared: there are too few values to hide some.")
    remarks += sorted({f"A method warned: {warning.message}" for warning in caught})
    return Findings(
        encoded.table.where,
        n_rows_read,
        encoded,
        missing,
        spectrum,
        comparison,
        factors,
        clusters,
        filler,
        filled,
        odd,
        maps,
        models,
        remarks,
        stage.seconds,
    )


def _remarks(encoded: Encoded, missing: Missingness, clusters: Clusters) -> list[str]:
    """Which steps looked at a sample of the rows."""
    return said_of_samples(
        len(encoded.X),
        encoded.U.shape[1],
        incomplete=bool(np.isnan(encoded.X).any()),
        filled=missing.n_missing > 0,
        stable=len(clusters.stability) > 0,
    )


def _filler(
    encoded: Encoded, found: Comparison | None, rank: int, seed: int
) -> tuple[Filler, TableModel]:
    """The model that fills missing values, fitted."""
    U: Any = encoded.unit_rows.in_memory
    filler = choose_filler(found, min(rank, U.shape[1] - 1), seed)
    model = TableModel(filler.model, encoder=clone(encoded.unit_encoder))
    rows = sample_rows(U.shape[0], FILL_ROWS, seed)
    model.fit_encoded(encoded.table, encoded.unit_encoder, U[rows])
    return filler._replace(model=model.estimator_), model


def _odd(encoded: Encoded, model: ProbabilisticPCA) -> Oddness:
    mean, W = (part.astype(np.float64) for part in (model.mean_, model.W_))
    return odd_rows(encoded, mean, W, float(model.noise_variance_))


# ---- how many dimensions -------------------------------------------------------------------------


def _spectrum(encoded: Encoded, seed: int) -> Spectrum:
    rows = sample_rows(len(encoded.U), rank_rows(encoded.U.shape[1]), seed)
    U, X = encoded.U[rows], encoded.X[rows][:, encoded.free]  # the same columns in other units
    some = (~np.isnan(U)).sum(axis=0) > 1
    U, X = U[:, some], X[:, some]
    parallel = choose_rank(X, "parallel", random_state=seed)
    held_out = auto_rank(U, encoded.encoder.scale, seed, parallel)
    total = max(float(parallel.curve.sum()), np.finfo(float).tiny)
    assert parallel.reference is not None
    kept = min(max(held_out.choice, 2), max(encoded.X.shape[1] - 1, 1))
    return Spectrum(
        parallel.curve / total,
        parallel.reference / total,
        parallel,
        held_out,
        held_out.choice,
        kept,
    )


# ---- factors -------------------------------------------------------------------------------------


def _factors(encoded: Encoded, k: int, seed: int) -> tuple[Factors, TableModel]:
    X: Any = encoded.rows.in_memory
    incomplete = bool(np.isnan(encoded.X).any())
    if incomplete and X.shape[0] > FIT_ROWS:
        X = X[sample_rows(X.shape[0], FIT_ROWS, seed)]
    ppca = ProbabilisticPCA(n_components=k, random_state=seed)
    model = TableModel(ppca, encoder=clone(encoded.encoder))
    fitted = model.fit_encoded(encoded.table, encoded.encoder, X).estimator_
    codes = fitted.transform(encoded.rows)
    deviation = np.sqrt((fitted.W_**2).sum(axis=1) + fitted.noise_variance_)
    correlations = fitted.W_ / np.where(deviation > 0, deviation, 1.0)[:, None]
    rotated = _rotated(correlations)
    names = [factor_name(rotated[:, j], encoded.feature_names) for j in range(k)]
    explained = (correlations**2).sum(axis=1)
    plane = _plane(encoded, fitted, codes)
    return Factors(fitted, codes, plane, correlations, rotated, explained, names), model


def _rotated(correlations: np.ndarray) -> np.ndarray:
    """Varimax loadings, if there is something to rotate."""
    if correlations.shape[1] < 2 or np.linalg.matrix_rank(correlations) < correlations.shape[1]:
        return correlations
    return rotate(correlations, "varimax").loadings


def _plane(encoded: Encoded, model: ProbabilisticPCA, codes: np.ndarray) -> np.ndarray:
    """Two coordinates at least: the codes, and if there is one only, the rest's largest part."""
    if codes.shape[1] > 1:
        return codes
    rest = np.asarray(model.impute(encoded.rows)) - model.inverse_transform(codes)
    _, _, Vt = np.linalg.svd(rest - rest.mean(axis=0), full_matrices=False)
    return np.column_stack([codes, (rest - rest.mean(axis=0)) @ Vt[0]])


def factor_name(loadings: np.ndarray, names: Sequence[str], most: int = 3) -> str:
    """A factor by the columns that load on it: 'mass, length against depth'."""
    size = np.abs(loadings)
    top = [f for f in np.argsort(-size, kind="stable")[:most] if size[f] >= 0.5 * size.max()]
    with_it = [names[f] for f in top if loadings[f] > 0]
    against = [names[f] for f in top if loadings[f] < 0]
    if not with_it or not against:
        return ", ".join(with_it or against)
    return f"{', '.join(with_it)} against {', '.join(against)}"
