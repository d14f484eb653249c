"""Which sparse codes are found from how many measurements, tried out.

For M = delta N measurements and K = rho M non-zeros: a Gaussian W, a random code, and basis pursuit
of W z. Success is a matter of nearly always or nearly never; the line between is `needed`'s.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lowdim.core.numeric import numeric_array
from lowdim.core.random import random_generator
from lowdim.core.threads import ordered_map, single_threaded_blas
from lowdim.core.validation import check_at_least
from lowdim.sparse.min_l1.problem import Problem
from lowdim.sparse.min_l1.solve import pursue
from lowdim.sparse.sensing.greedy import GREEDY, coded, open_pursuit
from lowdim.sparse.sensing.needed import found_share

if TYPE_CHECKING:
    from matplotlib.axes import Axes

METHODS = ("bp", *GREEDY)
FOUND = 1e-4  # |z - found| / |z| at the most


class PhaseTransition(NamedTuple):
    """How often codes were found, and where theory sees half of them."""

    success: np.ndarray  # (n_deltas, n_rhos)  shares of the trials
    theory: np.ndarray  # (n_deltas,)  rho at which half are found
    deltas: np.ndarray  # (n_deltas,)  M/N
    rhos: np.ndarray  # (n_rhos,)  K/M

    def plot(self, ax: Axes | None = None) -> Axes:
        """The shares as a picture, with the line of theory."""
        from lowdim.plots import phase_diagram

        return phase_diagram(self.success, self.deltas, self.rhos, self.theory, ax=ax)


@single_threaded_blas()
def phase_transition(size, deltas, rhos, *, n_trials, method="bp", random_state=None):
    """How often sparse codes are found again from few Gaussian measurements.

    Parameters
    ----------
    size : int
        Numbers N of a code.
    deltas : array of shape (n_deltas,)
        Measurements for each number, M/N, in (0, 1].
    rhos : array of shape (n_rhos,)
        Non-zeros for each measurement, K/M, in (0, 1].
    n_trials : int
        Codes for each of both.
    method : {'bp', 'omp', 'ols', 'cosamp', 'iht'} or callable, default='bp'
        Basis pursuit; a greedy pursuit, which is told K; or a function of a matrix (M, N) and
        measurements (M,) that gives a code (N,).
    random_state : int, Generator, RandomState or None, default=None

    Returns
    -------
    PhaseTransition
        `success` (n_deltas, n_rhos), the share of codes found; `theory` (n_deltas,), the rho at
        which basis pursuit finds half of all; `plot()`.

    References
    ----------
    Donoho and Tanner (2009); Amelunxen, Lotz, McCoy and Tropp (2014).

    Examples
    --------
    >>> from lowdim import sparse
    >>> found = sparse.phase_transition(60, [0.5], [0.1, 0.8], n_trials=5, random_state=0)
    >>> found.success
    array([[1., 0.]])
    >>> found.theory.round(3)
    array([0.386])
    """
    size = check_at_least("size", size, 1)
    n_trials = check_at_least("n_trials", n_trials, 1)
    deltas, rhos = _shares("deltas", deltas), _shares("rhos", rhos)
    if not (callable(method) or method in METHODS):
        raise ValueError(
            f"method={method!r} is not known; choose one of {', '.join(METHODS)}, or give a "
            "function of a matrix and measurements that returns a code."
        )
    cells = [(delta, rho) for delta in deltas for rho in rhos]
    seeds = random_generator(random_state).spawn(len(cells))

    def share(i: int) -> float:
        m = max(1, round(cells[i][0] * size))
        k = max(1, round(cells[i][1] * m))
        find = _finding(method, k)
        return float(np.mean([_trial(size, m, k, find, seeds[i]) for _ in range(n_trials)]))

    success = np.array(list(ordered_map(share, range(len(cells))))).reshape(len(deltas), len(rhos))
    return PhaseTransition(success, np.array([found_share(d) for d in deltas]), deltas, rhos)


def _trial(size: int, m: int, k: int, find: Callable, random: np.random.Generator) -> bool:
    """Whether one random code is found."""
    W = random.normal(size=(m, size)) / np.sqrt(m)
    z = np.zeros(size)
    z[random.choice(size, k, replace=False)] = random.normal(size=k)
    found = np.asarray(find(W, W @ z), np.float64).reshape(size)
    return bool(np.linalg.norm(found - z) <= FOUND * np.linalg.norm(z))


def _finding(method: Any, k: int) -> Callable:
    """The function of a matrix and measurements that looks for a code of k non-zeros."""
    if callable(method):
        return method
    if method == "bp":
        return lambda W, y: pursue(Problem(W), y).coef
    return lambda W, y: coded(y[None], open_pursuit(W, method, k), 0.0)


def _shares(name: str, given: Any) -> np.ndarray:
    """Numbers in (0, 1], as an array."""
    values = np.atleast_1d(np.asarray(numeric_array(given, name, "phase_transition"), np.float64))
    if values.ndim != 1 or not len(values) or not ((values > 0) & (values <= 1)).all():
        raise ValueError(f"{name} must be numbers more than 0 and at most 1; found {given!r}.")
    return values
