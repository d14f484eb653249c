"""Codes of one block of rows, by any algorithm, in any dictionary, with or without missing values.

A row with missing values is coded from what is observed: in the columns that it has. Greedy
pursuits then look at atoms of their former length there, so that an atom which is mostly outside
is not neglected (Mairal, Elad and Sapiro 2008), and take at most half as many atoms as there are
values: of more, many sets make the same values, and nothing says which one makes the others.
"""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from lowdim.core.calling import level_of_caller
from lowdim.sparse.min_l1.problem import Problem
from lowdim.sparse.min_l1.solve import pursue as pursue_basis
from lowdim.sparse.pursuit import by_products, hard, orthonormal
from lowdim.sparse.pursuit.dictionaries import Dictionary, gram_pays, of_atoms, without_gram
from lowdim.sparse.pursuit.greedy import pursue
from lowdim.sparse.pursuit.lasso import follow
from lowdim.sparse.pursuit.matching import mp

SCIKIT_LEARN = ("lasso_lars", "lasso_cd", "lars", "omp", "threshold")
ALGORITHMS = (*SCIKIT_LEARN, "mp", "ols", "cosamp", "iht", "bp", "bpdn")
COUNTED = ("lars", "omp", "ols", "mp", "cosamp", "iht")  # have a number of non-zeros
WITH_ERROR = ("omp", "ols", "mp", "cosamp", "iht", "bpdn")  # may end at an error
PENALISED = ("lasso_lars", "lasso_cd", "threshold")
SIGNED_ONLY = ("lars", "omp", "ols", "mp", "cosamp", "iht", "bp", "bpdn")
BY_PRODUCTS = ("omp", "mp", "threshold", "bp", "bpdn")  # need no atoms written down
FROM_GRAM = ("lasso_lars", "lasso_cd", "lars", "omp", "ols", "mp")
GREEDY = ("omp", "ols", "mp", "cosamp", "iht")

PREMATURE = (
    "Orthogonal matching pursuit ended prematurely due to linear dependence in the dictionary. The "
    "requested precision might not have been met."
)
NEGLIGIBLE = 1e-3  # share of an atom's length in the observed columns with which it is left out
NUMBERS = 2**19  # of codes that are dense for a while


class Plan(NamedTuple):
    """What is asked for."""

    algorithm: str
    n_nonzero: int  # of each code, where it is counted
    alpha: Any  # a number, or one for each row
    max_error: float | None  # |x - z D| / |x| at the most
    max_iter: int
    positive: bool
    split_sign: bool = False
    sparse_output: bool = False
    warns: bool = True  # where omp and ols end before they have as many atoms as they may


def prepared(dictionary: Dictionary, plan: Plan, n: int | None) -> Dictionary:
    """The dictionary with a Gram matrix, where codes of n rows (None: many) are made from it."""
    atoms, known = dictionary.atoms, dictionary.gram is not None
    if atoms is None or known or plan.algorithm not in FROM_GRAM:
        return dictionary
    if plan.algorithm == "omp" and n is not None and not gram_pays(n, plan.n_nonzero, len(atoms)):
        return dictionary
    return of_atoms(atoms)


def code_block(
    X: np.ndarray, dictionary: Dictionary, plan: Plan, start: Any = None, cov: Any = None
) -> Any:
    """Codes of one block of rows, dense or csr, (b, k) or with split signs (b, 2 k)."""
    dictionary = dictionary.to(X.dtype)
    size = max(1, NUMBERS // max(dictionary.shape[0], 1))
    parts = [
        _coded(
            X[i : i + size],
            dictionary,
            plan,
            None if start is None else start[i : i + size],
            None if cov is None else cov[i : i + size],
        )
        for i in range(0, len(X), size)
    ]
    if plan.split_sign:
        parts = [_with_split_sign(part) for part in parts]
    if plan.sparse_output:
        rows = [sp.csr_array(part) for part in parts]
        return rows[0] if len(rows) == 1 else sp.csr_array(sp.vstack(rows, format="csr"))
    Z = np.empty((len(X), parts[0].shape[1]), X.dtype)
    for i, part in enumerate(parts):
        some = Z[i * size : (i + 1) * size]
        if isinstance(part, np.ndarray):
            some[:] = part
        else:
            part.toarray(out=some)
    return Z


def _with_split_sign(codes: Any) -> Any:
    if isinstance(codes, np.ndarray):
        return np.hstack([np.maximum(codes, 0), np.maximum(-codes, 0)])
    return sp.hstack([codes.maximum(0), -codes.minimum(0)], format="csr")


def fill_block(X: np.ndarray, dictionary: Dictionary, plan: Plan) -> np.ndarray:
    """A block with missing values replaced by what the rows' codes make there."""
    missing = np.isnan(X)
    rows = missing.any(axis=1)
    if not rows.any():
        return X.copy()
    dense = plan._replace(split_sign=False, sparse_output=True)
    filled = X.copy()
    made = dictionary.to(X.dtype).signals(code_block(X[rows], dictionary, dense))
    filled[rows] = np.where(missing[rows], made, X[rows])
    return filled


def _coded(
    X: np.ndarray, dictionary: Dictionary, plan: Plan, start: Any, cov: np.ndarray | None
) -> np.ndarray | sp.csr_array:
    """Codes of a few rows, dense where most of them are not zero."""
    with np.errstate(invalid="ignore", over="ignore"):
        complete = not np.isnan(X.sum())
    missing = None if complete else np.isnan(X)
    if missing is None or not missing.any():
        return _coded_complete(X, dictionary, plan, start, cov)
    return _coded_observed(X, missing, dictionary, plan)


def _coded_complete(
    X: np.ndarray, dictionary: Dictionary, plan: Plan, start: Any, cov: np.ndarray | None
) -> np.ndarray | sp.csr_array:
    """Codes of complete rows, in units in which squares are neither too large nor too small."""
    with np.errstate(over="ignore"):
        squares = np.einsum("nd,nd->n", X, X)
    info = np.finfo(X.dtype)
    usual = (squares < np.sqrt(info.max)) & ((squares > np.sqrt(info.tiny)) | ~X.any(axis=1))
    if usual.all():
        return _coded_as_is(X, dictionary, plan, start, cov)
    unit = np.ldexp(np.ones(len(X)), np.frexp(np.abs(X).max(axis=1))[1])  # no digit is lost
    column = unit.astype(X.dtype)[:, None]
    codes = _coded_as_is(
        X / column,
        dictionary,
        plan._replace(alpha=plan.alpha / unit),
        None if start is None else start / column,
        None if cov is None else cov / column,
    )
    return sp.csr_array(sp.csr_array(codes).multiply(column))


def _coded_as_is(
    X: np.ndarray, dictionary: Dictionary, plan: Plan, start: Any, cov: np.ndarray | None
) -> np.ndarray | sp.csr_array:
    if dictionary.basis is not None:
        C = dictionary.correlations(X) if cov is None else cov
        return _coded_in_basis(C, X, plan)
    if plan.algorithm == "threshold":
        C = dictionary.correlations(X) if cov is None else cov
        return orthonormal.shrunk(C, plan.alpha, plan.positive)
    squares = (X**2).sum(axis=1)
    enough = None if plan.max_error is None else plan.max_error**2 * squares
    if plan.algorithm in ("bp", "bpdn"):
        return _coded_by_basis_pursuit(X, dictionary, plan)
    if plan.algorithm in ("iht", "cosamp"):
        assert dictionary.atoms is not None
        pursuit = hard.iht if plan.algorithm == "iht" else hard.cosamp
        limit = np.zeros(len(X)) if enough is None else enough
        return sp.csr_array(pursuit(dictionary.atoms, X, plan.n_nonzero, plan.max_iter, limit))
    if dictionary.gram is None:
        return _coded_by_products(X, dictionary, plan, enough)
    C = dictionary.correlations(X) if cov is None else cov
    return _coded_from_gram(dictionary.gram, C, squares, enough, plan, start)


def _coded_from_gram(
    gram: Any, C: np.ndarray, squares: np.ndarray, enough: Any, plan: Plan, start: Any
) -> sp.csr_array:
    if plan.algorithm in ("omp", "ols"):
        least_squares = plan.algorithm == "ols"
        found = pursue(gram, C, squares, plan.n_nonzero, enough, least_squares=least_squares)
        if plan.warns and found.ended_early.any():
            _warn_premature(int(found.ended_early.sum()), len(C))
        return found.codes
    if plan.algorithm == "mp":
        return mp(gram, C, squares, plan.max_iter, plan.n_nonzero, enough).codes
    if plan.algorithm == "lars":
        return follow(gram, C, 0.0, n_nonzero=plan.n_nonzero).codes
    max_steps = plan.max_iter if plan.algorithm == "lasso_lars" else None
    start = None if start is None else sp.csr_array(start)
    found = follow(gram, C, plan.alpha, start=start, positive=plan.positive, max_steps=max_steps)
    if found.ended_early.any():
        warnings.warn(
            f"{found.ended_early.sum()} of {len(C)} rows did not reach the penalty alpha "
            f"in max_iter={plan.max_iter} steps; their codes are those of a larger one. Raise "
            "max_iter.",
            ConvergenceWarning,
            stacklevel=level_of_caller(),
        )
    return found.codes


def _warn_premature(n: int, of: int) -> None:
    warnings.warn(f"{PREMATURE} ({n} of {of} rows.)", RuntimeWarning, stacklevel=level_of_caller())


def _coded_in_basis(C: np.ndarray, X: np.ndarray, plan: Plan) -> np.ndarray:
    """Codes in an orthonormal basis, from c = U'x."""
    squares = (X**2).sum(axis=1)
    enough = None if plan.max_error is None else plan.max_error**2 * squares
    if plan.algorithm in PENALISED:
        return orthonormal.shrunk(C, plan.alpha, plan.positive)
    if plan.algorithm == "lars":
        return orthonormal.shrunk_to_count(C, plan.n_nonzero)
    if plan.algorithm in ("bp", "bpdn"):
        return C if enough is None else orthonormal.shrunk_to_error(C, enough)
    steps = plan.max_iter if plan.algorithm == "mp" else plan.n_nonzero  # no atom comes twice
    return orthonormal.largest_numbers(C, min(plan.n_nonzero, steps), enough)


def _coded_by_basis_pursuit(X: np.ndarray, dictionary: Dictionary, plan: Plan) -> sp.csr_array:
    problem = Problem(dictionary.operator if dictionary.atoms is None else dictionary.atoms.T)
    noise = (plan.max_error or 0.0) * np.sqrt((X.astype(np.float64) ** 2).sum(axis=1))
    rows = [
        sp.csr_array(pursue_basis(problem, x, e).coef[None]).astype(X.dtype)
        for x, e in zip(X.astype(np.float64), noise.tolist(), strict=True)
    ]
    return sp.csr_array(sp.vstack(rows, format="csr"))


def _coded_by_products(
    X: np.ndarray, dictionary: Dictionary, plan: Plan, enough: Any
) -> sp.csr_array:
    if plan.algorithm == "mp":
        return by_products.mp(dictionary, X, plan.max_iter, enough)
    codes, ended_early = by_products.omp(dictionary, X, plan.n_nonzero, enough)
    if ended_early.any():
        _warn_premature(int(ended_early.sum()), len(X))
    return codes


# ---- missing values ------------------------------------------------------------------------------


def _coded_observed(
    X: np.ndarray, missing: np.ndarray, dictionary: Dictionary, plan: Plan
) -> sp.csr_array:
    """Codes of rows with missing values; those that miss the same columns together."""
    patterns, which = np.unique(missing, axis=0, return_inverse=True)
    order = np.argsort(which, kind="stable")
    ends = np.searchsorted(which[order], np.arange(len(patterns) + 1))
    codes = []
    for pattern, first, last in zip(patterns, ends[:-1], ends[1:], strict=True):
        Y = X[order[first:last]]
        if not pattern.any():
            codes.append(sp.csr_array(_coded_complete(Y, dictionary, plan, None, None)))
        elif pattern.all():
            codes.append(sp.csr_array((len(Y), dictionary.shape[0]), dtype=X.dtype))
        else:
            codes.append(_coded_where(Y[:, ~pattern], ~pattern, dictionary, plan))
    return sp.csr_array(sp.vstack(codes, format="csr")[np.argsort(order, kind="stable")])


def _coded_where(
    Y: np.ndarray, observed: np.ndarray, dictionary: Dictionary, plan: Plan
) -> sp.csr_array:
    """Codes of rows of which only these columns are observed."""
    atoms = dictionary.written_down().to(Y.dtype).atoms
    if atoms is None:
        raise ValueError(
            f"X has missing values (NaN), and the dictionary of {dictionary.shape[0]:,} atoms for "
            f"{dictionary.shape[1]:,} numbers is too large to be written down; fill them first, "
            "for example with lowdim.inpaint, or code smaller blocks."
        )
    part = np.ascontiguousarray(atoms[:, observed])
    # of more atoms than half of the values, many sets make the same values
    plan = plan._replace(n_nonzero=min(plan.n_nonzero, max(part.shape[1] // 2, 1)))
    Y = np.ascontiguousarray(Y)
    if plan.algorithm not in GREEDY:
        seen_part = prepared(without_gram(part), plan, len(Y))
        return sp.csr_array(_coded_complete(Y, seen_part, plan, None, None))
    whole, seen = np.linalg.norm(atoms, axis=1), np.linalg.norm(part, axis=1)
    scale = np.divide(whole, seen, out=np.zeros_like(whole), where=seen > NEGLIGIBLE * whole)
    scaled = prepared(without_gram(part * scale[:, None]), plan, len(Y))
    codes = _coded_complete(Y, scaled, plan, None, None)
    return sp.csr_array(sp.csr_array(codes).multiply(scale[None]))
