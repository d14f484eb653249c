"""The Gaussian factor model, learned from the entries that were observed.

    x = W z + mean + e,     z ~ N(0, I),  e ~ N(0, diag(noise)),     x_o: what a row has observed

    minimise over mean, W, noise     J = - sum_i log N(x_io; mean_o, W_o W_o' + diag(noise_o))

Equal noise in all columns is probabilistic PCA, one noise per column is factor analysis. In units
of the noise, y = (x - mean) / sqrt(noise) and V = W / sqrt(noise), one step of EM is

    statistics   z | x_o ~ N(m, C),   C = (I + V_o'V_o)^-1,   m = C V_o'y_o        of every row
    update       each column:  regress y on (z, 1) over the rows that observe it
                 then z ~ N(a, R) over all rows becomes N(0, I) again:
                 mean <- mean + W a,   W <- W R^(1/2)

The last line (parameter-expanded EM) costs nothing and saves most of the passes; Anderson's
extrapolation from the last steps saves half of the rest, and is taken only where it lowers J: so J
never rises. The first W comes from the covariance over pairs of observed entries.

Cost of a pass: O(n d k^2) time; O(n d k), as for complete data, for rows that share their pattern
of holes with many. Memory beside one block: sums of d (k + 1)(k + 2) / 2 numbers, as many times as
the log of the number of blocks; 22 vectors of d (k + 2) numbers for the extrapolation.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from lowdim.core.blocks import Blocks, add
from lowdim.core.loop import iterate
from lowdim.core.validation import check_columns_observed
from lowdim.linalg.gaussian import LOG_2PI
from lowdim.linalg.observed import Columns, observed_columns
from lowdim.linalg.svd import deterministic_signs

# Noise below this part of a column's variance is taken as this part: exactly low-rank data have
# none, and I + V'V must keep digits for rows that observe fewer than k entries.
NOISE_FLOOR = 1e-10

# What is computed for some rows at a time, beside the sums, takes about this much memory.
PART_BYTES = 2**23

LARGEST_SUMS_BYTES = 2**30

# From how many multiplications on a pattern of holes is worth a turn of its own.
SHARED_WORK = 2**20

LARGEST_PAIRS = 2**20  # pairs of columns whose covariance is looked at for a start
START_JITTER = 0.01  # random part of the first loadings, so that no symmetry holds the search

MEMORY = 10  # steps that the extrapolation looks back on
NOISE_STRIDE = 4.0  # the extrapolation may change a noise by this factor beyond EM's own step


class FactorModel(NamedTuple):
    """x = W z + mean + noise."""

    mean: np.ndarray  # (d,)
    W: np.ndarray  # (d, k)
    noise: np.ndarray  # (d,)  variances


# ---- learning ------------------------------------------------------------------------------------


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
) -> FactorModel:
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
    FactorModel
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
    _check_memory(rows.n_columns, k)
    columns = observed_columns(rows, weight)
    check_columns_observed(columns.n_observed, getattr(estimator, "feature_names_in_", None))
    scale = _scale(columns, isotropic)
    least_noise = NOISE_FLOOR * scale**2

    loop = iterate(
        estimator,
        _fresh(_start(rows, columns, scale, k, isotropic, weight, random)),
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
        loop.record(objective, _fall(loop.history, objective))
        safe = update(sums, search.model, isotropic, least_noise)
        loop.params = _extrapolated(search, safe, objective, scale)
    return _ordered(loop.params.safe)


class Search(NamedTuple):
    """Where the loop stands between two passes."""

    model: FactorModel  # to be looked at next
    safe: FactorModel  # EM's step from the model accepted last: never worse than it
    objective: float  # of that model, by observed entry
    points: np.ndarray  # (m, d (k + 2))  the models accepted before, as vectors
    steps: np.ndarray  # (m, d (k + 2))  EM's step from each


class Sums(NamedTuple):
    """What the E step adds up, in units of the noise; triangles of zz' are packed.

    e = y - V z is what a model leaves of an entry. Sums of e, not of y, keep their digits where
    there is hardly any noise, and their part (z, 1) is the gradient: zero at the optimum.
    """

    sum_zz: np.ndarray  # (d, h)      of (z, 1)(z, 1)' over the rows that observe a column
    sum_ez: np.ndarray  # (d, k + 1)  of e (z, 1)' over them
    sum_ee: np.ndarray  # (d,)        of e^2
    sum_all: np.ndarray  # (h,)        of (z, 1)(z, 1)' over all rows with something observed
    objective: float  #             J, the negative log-likelihood

    @property
    def n_observed(self) -> np.ndarray:
        """How many rows observe each column."""
        return self.sum_zz[:, -1]

    @property
    def by_entry(self) -> float:
        """J by observed entry."""
        return float(self.objective / self.n_observed.sum())


def statistics(
    X: np.ndarray,
    mean: np.ndarray,
    W: np.ndarray,
    noise: np.ndarray,
    weight: np.ndarray | None = None,
) -> Sums:
    """What one block of rows adds up."""
    d, k = W.shape
    h, hk = _triangle(k + 1), _triangle(k)
    sum_zz, sum_c = np.zeros((d, h)), np.zeros((d, hk))
    sum_ez, sum_ee = np.zeros((d, k + 1)), np.zeros(d)
    sum_all, objective = np.zeros(h), 0.0
    for part in _parts(X, mean, W, noise):
        w = np.ones(len(part.left)) if weight is None else weight[part.rows]
        M = _outer_products(np.vstack([part.Z, np.ones(len(w))])) * w  # (h, b)   of means
        C = part.C * w  # (hk, b)  covariances
        if len(part.observed) == 1:  # one pattern for all rows: they go on as one
            M, C = M.sum(axis=1, keepdims=True), C.sum(axis=1, keepdims=True)
        for columns in _column_slices(d, h):
            O = part.observed[:, columns].T
            sum_zz[columns] += O @ M.T
            sum_c[columns] += O @ C.T
        left = part.left * w[:, None]
        sum_ez[:, :k] += left.T @ part.Z.T
        sum_ez[:, k] += left.sum(axis=0)
        sum_ee += np.einsum("if,if->f", left, part.left)
        seen = part.observed.any(axis=1)
        sum_all += M @ seen
        sum_all[:hk] += C @ seen
        objective -= float(w @ _log_density(part))
    # the means of z are in; its covariance C adds C to zz', -C v to e z' and v'C v to e^2
    V = W / _noise_std(W, noise)[:, None]
    CV = _packed_times(sum_c, V)
    sum_zz[:, :hk] += sum_c
    sum_ez[:, :k] -= CV
    sum_ee += np.einsum("fj,fj->f", V, CV)
    return Sums(sum_zz, sum_ez, sum_ee, sum_all, objective)


def update(
    sums: Sums, model: FactorModel, isotropic: bool, least_noise: np.ndarray | float
) -> FactorModel:
    """The model that follows from the sums at `model`: EM's step, which never raises J."""
    d, k = model.W.shape
    std = _noise_std(model.W, model.noise)
    slope, left = _regression(sums)
    V, shift = model.W / std[:, None] + slope[:, :k], slope[:, k]
    noise = std**2 * left
    if isotropic:
        noise = np.full(d, sums.n_observed / sums.n_observed.sum() @ noise)

    # over all rows z has mean a and covariance R; V a and V R^(1/2) say the same with N(0, I)
    moments = _unpacked(sums.sum_all / sums.sum_all[-1])
    a = moments[k, :k]
    variances, axes = np.linalg.eigh(moments[:k, :k] - np.outer(a, a))
    root = (axes * np.sqrt(np.maximum(variances, 0.0))) @ axes.T
    return FactorModel(
        model.mean + std * (shift + V @ a),
        std[:, None] * (V @ root),
        np.maximum(noise, least_noise),
    )


def _regression(sums: Sums) -> tuple[np.ndarray, np.ndarray]:
    """For each column: coefficients (d, k + 1) of e on (z, 1), and the variance they leave (d,)."""
    d, k = len(sums.sum_ee), sums.sum_ez.shape[1] - 1
    h = _triangle(k + 1)
    tiny = np.finfo(np.float64).tiny
    count = np.maximum(sums.n_observed, tiny)
    slope, left = np.empty((d, k + 1)), np.empty(d)
    for columns in _column_slices(d, 2 * h):
        T = np.vstack([sums.sum_zz[columns].T, sums.sum_ez[columns].T, sums.sum_ee[columns]])
        T /= count[columns]
        # a pivot that is all rounding means: these rows do not tell
        _sweep(T, np.maximum(1e-14 * T[_diagonal(k + 1)], tiny))
        slope[columns], left[columns] = T[h:-1].T, np.maximum(T[-1], 0.0)
    return slope, left


# ---- encoding, filling, scoring: one block in, one block out -------------------------------------


def encode(X: np.ndarray, mean: np.ndarray, W: np.ndarray, noise: np.ndarray) -> np.ndarray:
    """E[z | x_o], (b, k); zero for a row without observed entries."""
    return encode_with_std(X, mean, W, noise)[0]


def encode_with_std(
    X: np.ndarray, mean: np.ndarray, W: np.ndarray, noise: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """E[z | x_o] and the standard deviations of z | x_o, both (b, k)."""
    k = W.shape[1]
    Z, std = np.empty((len(X), k), dtype=X.dtype), np.empty((len(X), k), dtype=X.dtype)
    for part in _parts(X, mean, W, noise):
        Z[part.rows] = part.Z.T
        std[part.rows] = np.sqrt(np.maximum(part.C[_diagonal(k)], 0.0)).T
    return Z, std


def expectation(X: np.ndarray, mean: np.ndarray, W: np.ndarray, noise: np.ndarray) -> np.ndarray:
    """E[x | x_o]: X with its NaN filled; observed entries stay as they are, bit for bit."""
    filled = np.array(X)
    for part in _parts(X, mean, W, noise, only_holes=True):
        fit = mean + part.Z.T @ W.T
        filled[part.rows] = np.where(part.observed, X[part.rows], fit)
    return filled


def conditional_std(
    X: np.ndarray, mean: np.ndarray, W: np.ndarray, noise: np.ndarray
) -> np.ndarray:
    """Standard deviation of every missing entry given x_o; 0 where X is observed.

    std(x_f | x_o) = sqrt(w_f' C w_f + noise_f)
    """
    std = np.zeros_like(X)
    for part in _parts(X, mean, W, noise, only_holes=True):
        variance = np.ones((part.C.shape[1], len(W)))
        for columns in _column_slices(len(W), _triangle(W.shape[1])):
            variance[:, columns] += part.C.T @ _outer_products(part.V[columns].T, off_diagonal=2.0)
        std[part.rows] = np.where(part.observed, 0.0, part.std * np.sqrt(np.maximum(variance, 1.0)))
    return std


def log_density(X: np.ndarray, mean: np.ndarray, W: np.ndarray, noise: np.ndarray) -> np.ndarray:
    """log p(x_o) of every row, (b,); 0 for a row without observed entries."""
    density = np.empty(len(X))
    for part in _parts(X, mean, W, noise):
        density[part.rows] = _log_density(part)
    return density


# ---- the door ------------------------------------------------------------------------------------


def _check_memory(d: int, k: int) -> None:
    needed = 8 * d * (k + 1) ** 2
    if needed > LARGEST_SUMS_BYTES:
        most = max(int(np.sqrt(LARGEST_SUMS_BYTES / (8 * d))) - 1, 0)
        raise ValueError(
            f"n_components={k} is too many for {d} columns with missing values: the sums over rows "
            f"would take {needed / 2**30:.1f} GB; choose n_components at most {most}."
        )


# ---- the start -----------------------------------------------------------------------------------


def _scale(columns: Columns, isotropic: bool) -> np.ndarray:
    """The size of each column (isotropic: of all columns), positive even for constant ones."""
    largest = columns.std.max() or 1.0
    typical = largest * np.sqrt(np.mean((columns.std / largest) ** 2)) or 1.0
    if isotropic:
        return np.full(len(columns.std), typical)
    return np.where(columns.std > 0, columns.std, typical)


def _start(
    rows: Blocks,
    columns: Columns,
    scale: np.ndarray,
    k: int,
    isotropic: bool,
    weight: np.ndarray | None,
    random: np.random.Generator,
) -> FactorModel:
    """The leading axes of the covariance over pairs of observed entries, and a little chance.

    From random loadings alone, one fit in six ends in a local optimum when 90% are missing, and the
    others take twice the passes. With many columns, only some are paired with all others, and the
    axes are extended from them (Nystroem).
    """
    d = len(scale)
    W = START_JITTER * random.normal(size=(d, k))
    if k:
        every = -(-d * d // LARGEST_PAIRS)
        pairs = rows.fold(_pair_sums, columns.mean, scale, every, along=(weight,))
        C = pairs.sum_yy / np.where(pairs.n_pairs > 0, pairs.n_pairs, 1.0)  # (d, s)
        values, axes = np.linalg.eigh(C[::every])
        values, axes = values[::-1][:k], deterministic_signs(axes.T[::-1][:k]).T
        values = np.maximum(values, max(0.01 * values[0], np.finfo(np.float64).tiny))
        W[:, : len(values)] += C @ (axes / np.sqrt(values))
    # of unit variances; what pairs say may not fit together, so some noise is left to every column
    explained = np.square(W).sum(axis=1)
    if isotropic:
        explained[:] = explained.mean()
    W *= np.sqrt(0.9 / np.maximum(explained, 0.9))[:, None]
    noise = 1.0 - np.minimum(explained, 0.9)
    return FactorModel(columns.mean, W * scale[:, None], noise * scale**2)


class PairSums(NamedTuple):
    n_pairs: np.ndarray  # (d, s)  weight of the rows that observe both of two columns
    sum_yy: np.ndarray  # (d, s)  of the products of their deviations


def _pair_sums(
    X: np.ndarray, mean: np.ndarray, scale: np.ndarray, every: int, weight: np.ndarray | None
) -> PairSums:
    """Sums over pairs of columns, the second being every so-manieth."""
    d = X.shape[1]
    size = len(range(0, d, every))
    sums = PairSums(np.zeros((d, size)), np.zeros((d, size)))
    for rows in _row_slices(*X.shape):
        O = ~np.isnan(X[rows])
        Y = np.where(O, (X[rows] - mean) / scale, 0.0)
        O = O.astype(np.float64)
        if weight is not None:  # half on each side: a symmetric product takes half the time
            Y *= np.sqrt(weight[rows, None])
            O *= np.sqrt(weight[rows, None])
        sums = add(sums, PairSums(O.T @ O[:, ::every], Y.T @ Y[:, ::every]))
    return sums


def _ordered(model: FactorModel) -> FactorModel:
    """The same model with orthogonal columns of W, the longest first."""
    U, s, _ = np.linalg.svd(model.W, full_matrices=False)
    W = deterministic_signs((U * s).T).T if model.W.size else model.W
    return model._replace(W=np.ascontiguousarray(W))


# ---- Anderson's extrapolation --------------------------------------------------------------------


def _fresh(model: FactorModel, objective: float = np.inf) -> Search:
    """A search that starts from `model` without a past."""
    nothing = np.empty((0, model.W.size + 2 * len(model.W)))
    return Search(model, model, objective, nothing, nothing)


def _extrapolated(search: Search, safe: FactorModel, objective: float, scale: np.ndarray) -> Search:
    """Where to look next: where EM's steps, taken as linear in the model, come to rest."""
    here = _as_vector(search.model, scale)
    points = np.vstack([search.points[-MEMORY:], here])
    steps = np.vstack([search.steps[-MEMORY:], _as_vector(safe, scale) - here])
    if len(points) == 1:
        return Search(safe, safe, objective, points, steps)
    moved, bent = np.diff(points, axis=0), np.diff(steps, axis=0)
    mix = np.linalg.lstsq(bent @ bent.T, bent @ steps[-1], rcond=1e-10)[0]
    model = _as_model(points[-1] + steps[-1] - mix @ (moved + bent), safe, scale)
    return Search(model, safe, objective, points, steps)


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


# ---- codes of some rows at a time ----------------------------------------------------------------


class Part(NamedTuple):
    """Some rows of a block and their codes z | x_o ~ N(Z, C), row by row along the last axis."""

    rows: Any  #          which rows of the block: numbers or a slice
    observed: np.ndarray  # (b, d)   1 where observed; (1, d) if the rows share one pattern
    left: np.ndarray  # (b, d)   y - V Z, 0 where missing
    Z: np.ndarray  # (k, b)
    C: np.ndarray  # (h, b)   packed triangle; (h, 1) if the rows share one pattern
    log_det: np.ndarray  # (b,)     log |I + V_o'V_o|; (1,) if the rows share one pattern
    V: np.ndarray  # (d, k)   W / std
    std: np.ndarray  # (d,)     of the noise


def _parts(
    X: np.ndarray,
    mean: np.ndarray,
    W: np.ndarray,
    noise: np.ndarray,
    only_holes: bool = False,
) -> Iterator[Part]:
    """The block, some rows at a time; without its complete rows if only_holes."""
    k = W.shape[1]
    std = _noise_std(W, noise)
    V = W / std[:, None]
    observed = ~np.isnan(X)
    for rows, shared in _turns(observed, k):
        O = observed[rows]
        if only_holes and shared and O[0].all():
            continue
        Y = X[rows] - mean
        Y /= std
        np.copyto(Y, 0.0, where=~O)
        O = (O[:1] if shared else O).astype(np.float64)
        Z, C, log_det = _shared_codes(O, Y, V) if shared else _mixed_codes(O, Y, V)
        fitted = Z.T @ V.T
        fitted *= O
        Y -= fitted
        yield Part(rows, O, Y, Z, C, log_det, V, std)


def _turns(observed: np.ndarray, k: int) -> Iterator[tuple[Any, bool]]:
    """Rows to be looked at together, and whether all of them observe the same entries."""
    b, d = observed.shape
    size = max(1, PART_BYTES // (8 * (3 * _triangle(k + 1) + 6 * d)))
    if observed.all():
        yield from ((slice(start, start + size), True) for start in range(0, b, size))
        return
    bits = np.packbits(observed, axis=1)
    order = np.lexsort(bits.T)  # equal patterns become neighbours
    new = (bits[order[1:]] != bits[order[:-1]]).any(axis=1)
    starts = np.flatnonzero(np.concatenate([[True], new]))
    lengths = np.diff(starts, append=b)
    frequent = lengths * (k + 1) ** 2 * (d + k) > SHARED_WORK
    for start, length in zip(starts[frequent], lengths[frequent], strict=True):
        for first in range(start, start + length, size):
            yield order[first : min(first + size, start + length)], True
    rest = np.sort(order[np.repeat(~frequent, lengths)])
    for first in range(0, len(rest), size):
        yield rest[first : first + size], False


def _shared_codes(
    O: np.ndarray, Y: np.ndarray, V: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mean, covariance and log-determinant for rows with one pattern: plain products."""
    V = V * O.T
    values, axes = np.linalg.eigh(V.T @ V)
    values = 1.0 + np.maximum(values, 0.0)
    Z = (axes / values) @ (axes.T @ (Y @ V).T)
    C = (axes / values) @ axes.T
    return Z, C[np.tril_indices(len(C))][:, None], np.log(values).sum(keepdims=True)


def _mixed_codes(
    O: np.ndarray, Y: np.ndarray, V: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The same for rows that each have their own pattern: all I + V_o'V_o are swept at once."""
    (b, d), k = O.shape, V.shape[1]
    h = _triangle(k)
    T = np.zeros((_triangle(k + 1), b))
    T[_diagonal(k)] = 1.0
    for columns in _column_slices(d, h):
        T[:h] += _outer_products(V[columns].T) @ O[:, columns].T
    T[h:-1] = (Y @ V).T
    log_det = _sweep(T, np.ones(k))  # I + V'V has no pivot below 1
    return T[h:-1], np.negative(T[:h], out=T[:h]), log_det


def _log_density(part: Part) -> np.ndarray:
    """log p(x_o): -1/2 [ log |2 pi diag(noise_o)| + log |I + V_o'V_o| + |y - V m|^2 + |m|^2 ].

    The quadratic form is written so that it is a sum of squares: nothing cancels.
    """
    with np.errstate(over="ignore"):
        squares = np.einsum("if,if->i", part.left, part.left) + np.square(part.Z).sum(axis=0)
    constant = part.observed @ (LOG_2PI + 2.0 * np.log(part.std)) + part.log_det
    return -0.5 * (constant + squares)


def _noise_std(W: np.ndarray, noise: np.ndarray) -> np.ndarray:
    """sqrt(noise), floored at a tiny part of what W explains of a column."""
    return np.maximum(np.sqrt(noise), np.sqrt(NOISE_FLOOR) * np.linalg.norm(W, axis=1))


# ---- packed triangles: entry (i, j <= i) of a symmetric matrix at i (i + 1) / 2 + j --------------


def _sweep(T: np.ndarray, least: np.ndarray) -> np.ndarray:
    """Sweep the first p = len(least) rows of packed symmetric matrices (h, b), in place.

        [ A   B ]             [ -A^-1     A^-1 B     ]
        [ B'  D ]   becomes   [  .       D - B'A^-1 B ]         A (p, p)

    the inverse, the regression of the rest on the first p, and what it leaves, all in one (Beaton
    1964). Pivots are kept above `least`. Returns log |A|, (b,). A batch along the last axis makes
    each operation a long one: 15 times as fast as LAPACK on one matrix after the other for p = 5.
    """
    size = _order(len(T))
    rows = [_row(i) for i in range(size)]
    log_det = np.zeros(T.shape[1])
    product = np.empty((size, T.shape[1]))
    for j in range(len(least)):
        entries = _entry(np.arange(size), j)
        column = T[entries]
        pivot = np.maximum(column[j], least[j])
        log_det += np.log(pivot)
        ratio = column / pivot
        for i, row in enumerate(rows):
            T[row] -= np.multiply(ratio[i], column[: i + 1], out=product[: i + 1])
        T[entries] = ratio
        T[entries[j]] = -1.0 / pivot
    return log_det


def _outer_products(V: np.ndarray, off_diagonal: float = 1.0) -> np.ndarray:
    """v v' of every column v of V, packed: (h, columns); off the diagonal times a factor."""
    k = len(V)
    V = np.ascontiguousarray(V)
    P = np.empty((_triangle(k), V.shape[1]))
    for i in range(k):
        np.multiply(V[i], V[: i + 1], out=P[_row(i)])
    if off_diagonal != 1.0:
        P *= off_diagonal
        P[_diagonal(k)] /= off_diagonal
    return P


def _packed_times(C: np.ndarray, V: np.ndarray) -> np.ndarray:
    """C_f v_f for every row: packed symmetric C_f (d, h) times v_f (d, k)."""
    product = np.zeros_like(V)
    for i in range(V.shape[1]):
        row = C[:, _row(i)]
        product[:, i] += np.einsum("fj,fj->f", row, V[:, : i + 1])
        product[:, :i] += row[:, :i] * V[:, i, None]
    return product


def _unpacked(packed: np.ndarray) -> np.ndarray:
    """The symmetric matrix of one packed triangle."""
    size = _order(len(packed))
    matrix = np.empty((size, size))
    i, j = np.tril_indices(size)
    matrix[i, j] = matrix[j, i] = packed
    return matrix


def _triangle(size: Any) -> Any:
    """Entries of a packed triangle."""
    return size * (size + 1) // 2


def _order(entries: int) -> int:
    """Size of the matrix whose packed triangle has so many entries."""
    return int((np.sqrt(8 * entries + 1) - 1) / 2 + 0.5)


def _row(i: int) -> slice:
    return slice(_triangle(i), _triangle(i) + i + 1)


def _entry(i: Any, j: Any) -> Any:
    """Where entry (i, j) of the symmetric matrix is."""
    return _triangle(np.maximum(i, j)) + np.minimum(i, j)


def _diagonal(size: int) -> np.ndarray:
    i = np.arange(size)
    return _entry(i, i)


def _row_slices(b: int, d: int) -> Iterator[slice]:
    """Rows at a time, so that a few (rows, d) arrays stay small."""
    size = max(1, PART_BYTES // (8 * 6 * d))
    return (slice(start, start + size) for start in range(0, b, size))


def _column_slices(d: int, h: int) -> Iterator[slice]:
    """Columns at a time, so that (columns, h) arrays stay small."""
    size = max(1, PART_BYTES // (8 * max(h, 1)))
    return (slice(start, start + size) for start in range(0, d, size))
