"""Which method should one trust on this table? Judged by hidden entries, each at its best size."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np

import lowdim
from lowdim.cluster.kmeans.estimator import KMeans
from lowdim.completion.als.estimator import ALS
from lowdim.completion.soft_impute import SoftImpute
from lowdim.linear.factor_analysis import FactorAnalysis
from lowdim.linear.nmf import NMF
from lowdim.linear.ppca import ProbabilisticPCA
from lowdim.mixture.factor_analyzers import MixtureOfFactorAnalyzers
from lowdim.mixture.gaussian.estimator import GaussianMixture
from lowdim.report.explore.preparing import Encoded
from lowdim.selection.compare.contest import compare
from lowdim.selection.compare.table import Comparison
from lowdim.tables.wishes import ignoring

ROWS, VALUES = 1_000, 50_000  # of the sample: so many rows, fewer of wide tables
LEAST_SAMPLE = 200
LEAST_ROWS = 20
LEAST_VALUES = 100
LEAST_IN_SAMPLE = 20  # values of a column
REPEATS = 4
MOST_FULL = 12  # columns up to which a mixture has full covariances: slow with missing values
NETWORK = "variational autoencoder"
UNITS, RATE = 64, 1e-2  # of it
STEPS, BATCH, BATCHES = 200, 32, 8  # in all; rows of a step, fewer where rows are few


def contest(encoded: Encoded, rank: int, seed: int) -> Comparison | None:
    """The models of the page and their neighbours, compared on a sample of rows.

    Hidden are cells of the table: of a category, all of its columns together. None for a table too
    small to hide a part of it.
    """
    U = encoded.U
    rows = max(LEAST_SAMPLE, min(ROWS, VALUES // U.shape[1]))
    few = _hardly_there(encoded, rows) if len(U) > rows else []
    d = U.shape[1] - len(few)
    if np.isfinite(U).sum() < LEAST_VALUES or len(U) < LEAST_ROWS or d < 2:
        return None
    sparse = encoded.table.is_sparse  # which has numbers only, and shows them here as a dense one
    # about zero: `compare` centres columns itself, for all but models of non-negative numbers
    encoder = None if sparse else ignoring(encoded.unit_encoder, few).set_params(center=False)
    positive = _no_negative(U if encoder is None else encoder.fit_transform(encoded.table))
    return compare(
        U if sparse else encoded.table,
        models((min(len(U), rows), d), rank, positive),
        encoder=encoder,
        max_rows=rows,
        repeats=REPEATS,
        random_state=seed,
    )


def _hardly_there(encoded: Encoded, rows: int) -> list[str]:
    """Columns of which a sample would hold next to no values."""
    spans = encoded.unit_encoder.encoding_.spans
    seen = [np.isfinite(encoded.U[:, span.start]).mean() for span in spans]
    used = encoded.unit_encoder.encoding_.used
    return [c.name for c, share in zip(used, seen, strict=True) if share * rows < LEAST_IN_SAMPLE]


def _no_negative(X: Any) -> bool:
    return bool(np.fmin.reduce(np.asarray(X, np.float64), axis=None, initial=0.0) >= 0)


def models(shape: tuple[int, int], rank: int, positive: bool = False) -> dict[str, list[Any]]:
    """Candidates of two sizes for each method, near the chosen rank.

    `positive` says whether no value is negative: then columns may be sums of parts. A candidate
    costs several fits in each repetition, since sizes are chosen without hidden values. The
    network, whose fits take longest, has one size, the larger rank: what it does not need of a code
    stays unused. It takes part where torch is installed.
    """
    n, d = shape
    most = max(min(d - 1, n // 3), 1)
    ranks = sorted({min(max(k, 1), most) for k in (rank, rank + 2)})
    room = min(n, d, max(2 * ranks[-1], 10))  # for SoftImpute, whose penalty does the rest
    groups = [k for k in (2, 4) if k <= n // 10] or [1]
    form = "full" if d <= MOST_FULL else "diag"
    # the mean, which the others have beside their components, is one more part
    sums = {"NMF": [NMF(min(k + 1, most), max_iter=100) for k in ranks]} if positive else {}
    return {
        "probabilistic PCA": [ProbabilisticPCA(k, max_iter=100, tol=1e-5) for k in ranks],
        "factor analysis": [FactorAnalysis(k, tol=1e-3, max_iter=100) for k in ranks],
        "SoftImpute": [
            SoftImpute(penalty, max_rank=room, max_iter=100, tol=1e-3) for penalty in (0.1, 0.03)
        ],
        "ALS": [ALS(k, penalty=penalty) for k in ranks[:1] for penalty in (0.03, 0.1)],
        **sums,
        "k-means": [KMeans(k) for k in groups],
        "Gaussian mixture": [
            GaussianMixture(k, covariance_type=form, reg_covar=1e-2, max_iter=30) for k in groups
        ],
        "mixture of factor analysers": [
            MixtureOfFactorAnalyzers(k, ranks[0], max_iter=25, tol=1e-3) for k in groups
        ],
        **({NETWORK: [network(n, ranks[-1])]} if has_torch() else {}),
    }


def network(n: int, k: int) -> Any:
    """A network for some hundred rows: few units, and 200 large steps whatever n is."""
    batch = min(BATCH, max(-(-n // BATCHES), 1))
    passes = -(-STEPS // -(-n // batch))
    return lowdim.VAE(k, hidden=(UNITS,), max_iter=passes, batch_size=batch, learning_rate=RATE)


def has_torch() -> bool:
    """Whether torch is installed; it is not imported yet."""
    return find_spec("torch") is not None
