"""What there is to say about a table: the models of the page and their results, as plain data.

    rank        parallel analysis and held-out entries, on a sample of rows
    contest     the methods compared by hidden entries
    factors     ProbabilisticPCA of that rank; its axes also rotated by varimax
    clusters    GaussianMixture of the codes that beat chance, their number by BIC; their stability
    holes       expectation and uncertainty, by the best method of the contest that has both
    odd rows    least likely under the factor model

Steps whose cost grows faster than the rows look at a random sample; `remarks` says which did.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np
from sklearn.metrics import adjusted_rand_score

from lowdim.cluster.gaussian_mixture import GaussianMixture
from lowdim.cluster.profiles import ClusterProfiles, cluster_profiles
from lowdim.cluster.selection import KChoice, choose_k
from lowdim.core.blocks import as_blocks
from lowdim.core.progress import Bar, watch
from lowdim.linear.ppca import ProbabilisticPCA
from lowdim.linear.rank import RankChoice, choose_rank
from lowdim.linear.rotation import rotate
from lowdim.report.compare_table import Comparison
from lowdim.report.explore.columns import Encoded
from lowdim.report.explore.contest import contest
from lowdim.report.explore.filling import FilledColumn, Filler, choose_filler, fill, unit_matrix
from lowdim.report.explore.missingness import Missingness, missingness
from lowdim.report.explore.odd import Oddness, odd_rows

RANK_ROWS, RANK_VALUES = 2_000, 100_000  # for the rank: so many rows, fewer of wide tables
LEAST_RANK_ROWS = 300
FIT_ROWS = 50_000  # for a factor model of a table with holes, and for the number of clusters
FILL_ROWS = 10_000  # for the model that fills holes
STABILITY_ROWS = 2_000  # of each resample
RESAMPLES = 10
MOST_RANK = 20
NEARLY = 0.98  # of what the best number of components gains
MOST_CLUSTERS = 8
ROWS_PER_CLUSTER = 10
BORDER_ROWS = 3
LEAST_VARIANCE = 1e-3  # of a cluster along an axis of codes, which have variance about 1
STAGES = {  # about what part of the time they take, in percent
    "missing values": 2,
    "number of dimensions": 25,
    "comparison of methods": 55,
    "factors": 2,
    "clusters": 10,
    "filling holes": 4,
    "odd rows": 2,
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
        The chosen number: the fewest that predict hidden entries nearly as well as the best.
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
    told : ndarray (d,)
        Share of each column's variance that the components tell.
    names : list of str
        What each rotated factor is about.
    """

    model: ProbabilisticPCA
    codes: np.ndarray
    plane: np.ndarray
    correlations: np.ndarray
    rotated: np.ndarray
    told: np.ndarray
    names: list[str]


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
    remarks: list[str]  # what looked at a sample, what did not converge
    seconds: dict[str, float]


def find(encoded: Encoded, where: str, n_rows_read: int, seed: int) -> Findings:
    """Fit the models of the page."""
    X = encoded.X
    with warnings.catch_warnings(record=True) as caught, stages() as stage:
        warnings.simplefilter("always")
        with stage("missing values"):
            missing = missingness(encoded)
        with stage("number of dimensions"):
            spectrum = _spectrum(encoded, seed)
        with stage("comparison of methods"):
            comparison = contest(rank_matrix(encoded), spectrum.rank, seed)
        with stage("factors"):
            factors = _factors(encoded, spectrum.kept, seed)
        with stage("clusters"):
            clusters = _clusters(encoded, cluster_codes(spectrum, factors.codes), seed)
        with stage("filling holes"):
            filler, filled = _filling(encoded, missing, comparison, spectrum.kept, seed)
        with stage("odd rows"):
            model = factors.model
            odd = odd_rows(encoded, model.mean_, model.W_, float(model.noise_variance_))
    remarks = _remarks(len(X), rank_rows(rank_matrix(encoded).shape[1]), missing, clusters)
    if comparison is None:
        remarks.insert(0, "Methods were not compared: there are too few values to hide some.")
    remarks += sorted({f"A method warned: {warning.message}" for warning in caught})
    return Findings(
        where,
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
        remarks,
        stage.seconds,
    )


class Stages:
    """What is being done, and how long each stage took."""

    def __init__(self, bar: Bar):
        self._bar = bar
        self.seconds: dict[str, float] = {}

    @contextmanager
    def __call__(self, title: str) -> Iterator[None]:
        self._bar.update(sum(STAGES[done] for done in self.seconds), title)
        began = time.perf_counter()
        yield
        self.seconds[title] = time.perf_counter() - began


@contextmanager
def stages() -> Iterator[Stages]:
    """A progress bar over the stages."""
    with watch("exploring", total=sum(STAGES.values())) as bar:
        yield Stages(bar)


def _remarks(n: int, ranked: int, missing: Missingness, clusters: Clusters) -> list[str]:
    """Which steps looked at a sample of the n rows."""
    has_holes = missing.n_missing > 0
    drawn = "rows drawn at random"
    said = {
        f"The rank was chosen on {ranked:,} {drawn}.": n > ranked,
        f"The factor model was fitted to {FIT_ROWS:,} {drawn}, since the table has missing values; "
        "all rows were then encoded and judged by it.": n > FIT_ROWS and has_holes,
        f"The model that fills missing values was fitted to {FILL_ROWS:,} {drawn}; it then filled "
        "all rows.": n > FILL_ROWS and has_holes,
        f"The clusters were found in {FIT_ROWS:,} {drawn}; all rows were then assigned to them.": n
        > FIT_ROWS,
        f"The stability of clusters was judged on {STABILITY_ROWS:,} {drawn}.": (
            n > STABILITY_ROWS and len(clusters.stability) > 0
        ),
    }
    return [sentence for sentence, is_so in said.items() if is_so]


def _filling(
    encoded: Encoded, missing: Missingness, found: Comparison | None, rank: int, seed: int
) -> tuple[Filler | None, list[FilledColumn]]:
    if missing.n_missing == 0:
        return None, []
    U = unit_matrix(encoded)
    filler = choose_filler(found, min(rank, U.shape[1] - 1), seed)
    filler.model.fit(U[sample_rows(len(U), FILL_ROWS, seed)])
    return filler, fill(encoded, filler.model)


def sample_rows(n: int, size: int, seed: int) -> np.ndarray:
    """`size` distinct rows of n in their order, or all if there are no more."""
    if n <= size:
        return np.arange(n)
    return np.sort(np.random.default_rng(seed).choice(n, size, replace=False))


# ---- how many dimensions -------------------------------------------------------------------------


def rank_matrix(encoded: Encoded) -> np.ndarray:
    """The matrix without the largest category of each categorical column.

    A hidden one would follow from the others, and every held-out error would be too small.
    """
    return encoded.X[:, encoded.free]


def rank_rows(n_columns: int) -> int:
    """How many rows the rank is chosen on."""
    return max(LEAST_RANK_ROWS, min(RANK_ROWS, RANK_VALUES // n_columns))


def _spectrum(encoded: Encoded, seed: int) -> Spectrum:
    X = rank_matrix(encoded)
    X = X[sample_rows(len(X), rank_rows(X.shape[1]), seed)]
    X = X[:, (~np.isnan(X)).sum(axis=0) > 1]
    n, d = X.shape
    parallel = choose_rank(X, "parallel", random_state=seed)
    most = min(MOST_RANK, max(parallel.choice + 5, 8), n - 1, d - 1)
    held_out = choose_rank(X, "bcv", max_rank=max(most, 1), repeats=5, random_state=seed)
    total = max(float(parallel.curve.sum()), np.finfo(float).tiny)
    assert parallel.reference is not None
    rank = fewest_near_best(held_out)
    kept = min(max(rank, 2), max(encoded.X.shape[1] - 1, 1))
    return Spectrum(
        parallel.curve / total,
        parallel.reference / total,
        parallel,
        held_out,
        rank,
        kept,
    )


def fewest_near_best(held_out: RankChoice) -> int:
    """The fewest components that gain nearly all that the best number gains over column means."""
    curve = held_out.curve
    enough = curve <= curve.min() + (1 - NEARLY) * (curve[0] - curve.min())
    return min(held_out.choice, int(np.argmax(enough)))


# ---- factors -------------------------------------------------------------------------------------


def _factors(encoded: Encoded, k: int, seed: int) -> Factors:
    X = encoded.X
    has_holes = bool(np.isnan(X).any())
    rows = sample_rows(len(X), FIT_ROWS, seed) if has_holes else slice(None)
    model = ProbabilisticPCA(n_components=k, random_state=seed).fit(X[rows])
    codes = model.transform(X)
    deviation = np.sqrt((model.W_**2).sum(axis=1) + model.noise_variance_)
    correlations = model.W_ / np.where(deviation > 0, deviation, 1.0)[:, None]
    rotated = _rotated(correlations)
    names = [factor_name(rotated[:, j], encoded.feature_names) for j in range(k)]
    told = (correlations**2).sum(axis=1)
    return Factors(model, codes, _plane(X, model, codes), correlations, rotated, told, names)


def _rotated(correlations: np.ndarray) -> np.ndarray:
    """Varimax loadings, if there is something to rotate."""
    if correlations.shape[1] < 2 or np.linalg.matrix_rank(correlations) < correlations.shape[1]:
        return correlations
    return rotate(correlations, "varimax").loadings


def _plane(X: np.ndarray, model: ProbabilisticPCA, codes: np.ndarray) -> np.ndarray:
    """Two coordinates at least: the codes, and if there is one only, the rest's largest part."""
    if codes.shape[1] > 1:
        return codes
    rest = model.impute(X) - model.inverse_transform(codes)
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


# ---- clusters ------------------------------------------------------------------------------------


def cluster_codes(spectrum: Spectrum, codes: np.ndarray) -> np.ndarray:
    """The codes in which clusters are looked for: those above chance, two at least.

    Later components often belong to a single category, whose rows would each be a cluster.
    """
    return np.ascontiguousarray(codes[:, : max(spectrum.parallel.choice, 2)])


def _clusters(encoded: Encoded, codes: np.ndarray, seed: int) -> Clusters:
    rows = sample_rows(len(codes), FIT_ROWS, seed)
    # rows that are all alike would make clusters of no extent
    different = len(np.unique(codes[rows].round(9), axis=0))
    mixture = mixture_of((different, codes.shape[1]), seed)
    most = min(MOST_CLUSTERS, different // ROWS_PER_CLUSTER)
    choice = None
    if most < 2:
        model = mixture.fit(codes[rows])
    else:
        choice = choose_k(codes[rows], mixture, k=range(1, most + 1), random_state=seed)
        model = choice.model
    labels = model.predict(codes)
    certainty = model.predict_proba(codes).max(axis=1)
    k = model.n_components
    return Clusters(
        choice,
        model,
        labels,
        certainty,
        cluster_profiles(as_blocks(encoded.X), labels, k),
        [_least_certain(labels == j, certainty) for j in range(k)],
        _stability(codes, labels, model, seed) if k > 1 else np.empty(0),
    )


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
