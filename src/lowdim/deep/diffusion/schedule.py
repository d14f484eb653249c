"""How rows become noise: how much of the row is kept, and how much noise is added, at each step.

    x_t = alpha_t x_(t-1) + beta_t eps_t          alpha_t^2 + beta_t^2 = 1,     t = 1, ..., T
        = alpha_bar_t x_0 + beta_bar_t eps        alpha_bar_t = prod of alpha,  beta_bar_t likewise

Given where a row came from, a step back is Gaussian, with

    mean      (alpha_bar_(t-1) beta_t^2 x_0 + alpha_t beta_bar_(t-1)^2 x_t) / beta_bar_t^2
    variance  beta_t^2 beta_bar_(t-1)^2 / beta_bar_t^2
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lowdim.core.numeric import numeric_array
from lowdim.core.random import random_generator
from lowdim.core.validation import check_at_least, check_at_most, check_choice

if TYPE_CHECKING:
    from matplotlib.axes import Axes

KINDS = ("cosine", "linear")
LARGEST = 0.999  # of beta_t^2: a step keeps something of the row
MOST_DRAWN = 40  # pictures in each direction
OFFSET = 0.008  # of the cosine: the first steps are no smaller than the grain of images
LINEAR = (1e-4, 0.02)  # beta_t^2 at both ends of 1000 steps; fewer steps are as much larger


class Moments(NamedTuple):
    """Of a step back; see `DiffusionSchedule.posterior`."""

    mean: np.ndarray
    variance: np.ndarray  # by row, or one number


class DiffusionSchedule:
    """How much of a row is left, and how much noise is added, after each of some steps.

    Parameters
    ----------
    n_steps : int or None, default=1000
        Steps from a row to noise. With an array as `kind`: its length, or None.
    kind : {"cosine", "linear"} or array of shape (n_steps,), default="cosine"
        "cosine": what is left of a row's variance falls as a squared cosine (Nichol and Dhariwal
        2021); "linear": beta_t^2 rises evenly (Ho, Jain and Abbeel 2020). An array holds the beta_t
        themselves, standard deviations of the noise that is added, above 0 and below 1.

    Attributes
    ----------
    n_steps : int
        T.
    alpha, beta : ndarray of shape (n_steps,)
        What a step keeps and adds; entry t - 1 belongs to step t.
    alpha_bar, beta_bar : ndarray of shape (n_steps,)
        What all steps up to t keep and add.

    Examples
    --------
    >>> import numpy as np
    >>> from lowdim.deep import DiffusionSchedule
    >>> schedule = DiffusionSchedule(1000)
    >>> schedule
    DiffusionSchedule(1000, kind='cosine')
    >>> bool(np.allclose(schedule.alpha**2 + schedule.beta**2, 1.0))
    True
    >>> noisy, noise = schedule.diffuse(np.zeros((2, 3)), 500, random_state=0)
    >>> bool(np.allclose(noisy, schedule.beta_bar[499] * noise))
    True
    """

    alpha: np.ndarray
    beta: np.ndarray
    alpha_bar: np.ndarray
    beta_bar: np.ndarray

    def __init__(self, n_steps: int | None = 1000, kind: Any = "cosine"):
        squares = _named(n_steps, kind) if isinstance(kind, str) else _given(n_steps, kind)
        self.n_steps = len(squares)
        self.kind = kind if isinstance(kind, str) else "given"
        self.alpha, self.beta = np.sqrt(1.0 - squares), np.sqrt(squares)
        kept = np.cumsum(np.log1p(-squares))  # logarithm of alpha_bar^2
        self.alpha_bar, self.beta_bar = np.exp(0.5 * kept), np.sqrt(-np.expm1(kept))

    def __repr__(self) -> str:
        if self.kind == "given":
            return f"DiffusionSchedule(kind=<{self.n_steps} given beta_t>)"
        return f"DiffusionSchedule({self.n_steps}, kind={self.kind!r})"

    def level(self, t: Any) -> tuple[np.ndarray, np.ndarray]:
        """alpha_bar_t and beta_bar_t for steps t from 0, where they are 1 and 0, to n_steps."""
        t = self._steps(t, 0)
        at = np.maximum(t - 1, 0)
        return np.where(t > 0, self.alpha_bar[at], 1.0), np.where(t > 0, self.beta_bar[at], 0.0)

    def diffuse(self, x0: Any, t: Any, random_state: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """Rows as they are after t steps, and the noise in them.

        Parameters
        ----------
        x0 : array of shape (n, ...)
        t : int or array of shape (n,)
            Step of each row, from 1 to n_steps.
        random_state : int, Generator, RandomState or None, default=None

        Returns
        -------
        x_t, noise : ndarray of the shape of x0
            x_t = alpha_bar_t x0 + beta_bar_t noise.
        """
        x0 = _rows(x0, "x0", "diffuse")
        t = self._steps(t, 1)
        noise = random_generator(random_state).normal(size=x0.shape)
        kept, added = (_by_row(part, x0) for part in self.level(t))
        return kept * x0 + added * noise, noise

    def posterior(self, x0: Any, xt: Any, t: Any) -> Moments:
        """Mean and variance of x_(t-1) given x_0 and x_t.

        Parameters
        ----------
        x0, xt : array of shape (n, ...)
        t : int or array of shape (n,)
            From 1 to n_steps; after a step back from 1, x_0 itself is left.

        Returns
        -------
        mean : ndarray of the shape of x0
        variance : ndarray of shape () or (n,)
        """
        x0, xt = _rows(x0, "x0", "posterior"), _rows(xt, "xt", "posterior")
        if x0.shape != xt.shape:
            raise ValueError(
                f"xt has shape {xt.shape} and x0 has {x0.shape}; give a row of xt for each of x0."
            )
        t = self._steps(t, 1)
        (kept, left), (_, now) = self.level(t - 1), self.level(t)
        alpha, beta = self.alpha[t - 1], self.beta[t - 1]
        of_start, of_now = kept * beta**2 / now**2, alpha * left**2 / now**2
        mean = _by_row(of_start, x0) * x0 + _by_row(of_now, xt) * xt
        return Moments(mean, beta**2 * left**2 / now**2)

    def plot(
        self,
        x0: Any = None,
        *,
        n: int = 8,
        image_shape: Any = None,
        random_state: Any = None,
        ax: Axes | None = None,
    ) -> Axes:
        """Draw rows on their way to noise, or how much of them is left at each step.

        Parameters
        ----------
        x0 : array-like of shape (m, d) or None, default=None
            Rows, of which at most 40 are drawn at n times of one chain; None draws `alpha_bar` and
            `beta_bar` by step.
        n : int, default=8
            Times that are drawn beside 0, evenly; at most n_steps, and at most 39.
        image_shape : (height, width) or (height, width, 3) or None, default=None
            Of rows that are images; None draws a row as a curve over its columns.
        random_state : int, Generator, RandomState or None, default=None
        ax : matplotlib Axes or None, default=None

        Returns
        -------
        matplotlib Axes
        """
        from lowdim.plots import noise_chain, noise_levels

        if x0 is None:
            return noise_levels(self.alpha_bar, self.beta_bar, ax=ax)
        n = check_at_most("n", n, min(self.n_steps, MOST_DRAWN - 1), "times that can be drawn")
        x0 = _rows(x0, "x0", "plot")[:MOST_DRAWN]
        times = [round(self.n_steps * i / n) for i in range(n + 1)]
        return noise_chain(self._chain(x0, times, random_state), times, image_shape, ax=ax)

    def _chain(self, x0: np.ndarray, times: list[int], random_state: Any) -> np.ndarray:
        """Rows at rising times of one chain, (m, times, d)."""
        random, found = random_generator(random_state), [x0]
        kept, _ = self.level(np.array(times))
        for a in kept[1:] / kept[:-1]:
            noise = random.normal(size=x0.shape)
            found.append(a * found[-1] + np.sqrt(1.0 - a * a) * noise)
        return np.stack(found, axis=1)

    def _steps(self, t: Any, least: int) -> np.ndarray:
        t = np.asarray(t)
        whole = t.dtype.kind in "iu"
        if not whole or ((t < least) | (t > self.n_steps)).any():
            raise ValueError(
                f"t={t} must be whole numbers from {least} to n_steps={self.n_steps}, one, or one "
                "for each row."
            )
        return t


def _named(n_steps: Any, kind: str) -> np.ndarray:
    """beta_t^2 of a schedule with a name."""
    check_choice("kind", kind, KINDS)
    T = check_at_least("n_steps", n_steps, 1)
    if kind == "linear":
        squares = np.linspace(*LINEAR, T) * (1000 / T)
    else:
        left = np.cos((np.arange(T + 1) / T + OFFSET) / (1 + OFFSET) * np.pi / 2) ** 2
        squares = 1.0 - left[1:] / left[:-1]
    return np.minimum(squares, LARGEST)


def _given(n_steps: Any, beta: Any) -> np.ndarray:
    """beta_t^2 of given beta_t."""
    beta = numeric_array(beta, "kind", "DiffusionSchedule").astype(np.float64)
    if beta.ndim != 1 or not len(beta) or not ((beta > 0) & (beta < 1)).all():
        raise ValueError(
            f"kind has shape {beta.shape}; give beta_t of each step, a sequence of numbers above 0 "
            "and below 1, or one of 'cosine', 'linear'."
        )
    if n_steps not in (None, len(beta)):
        raise ValueError(
            f"n_steps={n_steps}, and kind holds {len(beta)} values of beta_t; leave n_steps=None."
        )
    return beta**2


def _rows(x: Any, name: str, who: str) -> np.ndarray:
    x = numeric_array(x, name, who)
    return x.astype(np.float64 if x.dtype.kind != "f" else x.dtype, copy=False)


def _by_row(factor: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """A factor of each row, or one for all, as something that rows can be multiplied by."""
    factor = np.asarray(factor)
    if factor.ndim and factor.shape != rows.shape[:1]:
        raise ValueError(
            f"t has {factor.size} values for {len(rows)} rows; give one, or one for each row."
        )
    shaped = factor.reshape(factor.shape + (1,) * (rows.ndim - factor.ndim))
    return shaped.astype(rows.dtype)
