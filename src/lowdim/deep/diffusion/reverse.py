"""The way back from noise to rows, for whoever can tell the noise in a row.

With times s < t of the schedule,  a = alpha_bar_t / alpha_bar_s,  b^2 = 1 - a^2,  e = noise in x_t:

    ddpm   x_s = (x_t - b^2 / beta_bar_t e) / a + sd eps      sd^2 = b^2 beta_bar_s^2 / beta_bar_t^2
                                                              ("posterior"), or b^2 ("beta")
    ddim   x_s = x_t / a + (beta_bar_s - beta_bar_t / a) e    no noise is added: a flow

Both start from N(0, I) at the last step.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from lowdim.core.random import random_generator
from lowdim.core.threads import single_threaded_blas
from lowdim.core.validation import check_at_least, check_at_most, check_choice
from lowdim.deep.diffusion.schedule import DiffusionSchedule

SAMPLERS, VARIANCES = ("ddpm", "ddim"), ("posterior", "beta")


@single_threaded_blas()
def reverse_diffusion(
    predict_noise: Callable[[np.ndarray, int], Any],
    schedule: DiffusionSchedule,
    n_samples: int,
    n_features: int,
    *,
    sampler: str = "ddpm",
    steps: int | None = None,
    variance: str = "posterior",
    random_state: Any = None,
) -> np.ndarray:
    """Rows from noise, step by step.

    Parameters
    ----------
    predict_noise : callable
        predict_noise(x_t, t): what is expected of the noise in rows x_t (n_samples, n_features)
        after step t, from 1 to schedule.n_steps.
    schedule : DiffusionSchedule
        By which rows became noise.
    n_samples, n_features : int
        Rows and columns.
    sampler : {"ddpm", "ddim"}, default="ddpm"
        "ddpm" adds noise again after each step; "ddim" does not, and gets along with fewer steps.
    steps : int or None, default=None
        How many of the schedule's times are visited, evenly; None: all.
    variance : {"posterior", "beta"}, default="posterior"
        Of the noise of "ddpm": right for rows that are all alike, or for N(0, I).
    random_state : int, Generator, RandomState or None, default=None

    Returns
    -------
    ndarray of shape (n_samples, n_features)

    References
    ----------
    Ho, Jain and Abbeel (2020), Denoising diffusion probabilistic models. Song, Meng and Ermon
    (2021), Denoising diffusion implicit models.

    Examples
    --------
    Rows of N(3, 1/4): the noise in x_t is known.

    >>> from lowdim.deep import DiffusionSchedule, reverse_diffusion
    >>> schedule = DiffusionSchedule(200)
    >>> def predict_noise(x, t):
    ...     kept, added = schedule.level(t)
    ...     return added * (x - kept * 3.0) / (kept**2 / 4 + added**2)
    >>> X = reverse_diffusion(predict_noise, schedule, 1000, 1, random_state=0)
    >>> bool(abs(X.mean() - 3.0) < 0.1 and abs(X.std() - 0.5) < 0.05)
    True
    """
    if not isinstance(schedule, DiffusionSchedule):
        raise TypeError(
            f"schedule={schedule!r} is no DiffusionSchedule; give DiffusionSchedule(n_steps, kind)."
        )
    if not callable(predict_noise):
        raise TypeError(f"predict_noise={predict_noise!r} must be a function of rows and a step.")
    check_choice("sampler", sampler, SAMPLERS)
    check_choice("variance", variance, VARIANCES)
    n, d = check_at_least("n_samples", n_samples, 1), check_at_least("n_features", n_features, 1)
    random = random_generator(random_state)
    times = visited(schedule, steps)
    x = random.normal(size=(n, d))
    for t, s in pairwise([*times[::-1], 0]):
        noise = np.asarray(predict_noise(x, t))
        if noise.shape != x.shape:
            raise ValueError(
                f"predict_noise gave shape {noise.shape} for rows of shape {x.shape}; it must give "
                "a number for each of theirs."
            )
        if not np.isfinite(noise).all():
            raise ValueError(f"predict_noise gave numbers that are not finite at t={t}.")
        step = step_back(schedule, t, s, sampler, variance)
        x = step.of_row * x + step.of_noise * noise
        if step.std > 0:
            x += step.std * random.normal(size=(n, d))
    return x


def visited(schedule: DiffusionSchedule, steps: int | None) -> list[int]:
    """The times that are visited, rising; the last one is the schedule's last."""
    T = schedule.n_steps
    if steps is None:
        return list(range(1, T + 1))
    steps = check_at_most("steps", steps, T, "steps of the schedule")
    return [round(T * (i + 1) / steps) for i in range(steps)]


class Step(NamedTuple):
    """x_s = of_row x_t + of_noise e + std eps."""

    of_row: float
    of_noise: float
    std: float


def step_back(
    schedule: DiffusionSchedule, t: int, s: int, sampler: str, variance: str = "posterior"
) -> Step:
    """The step from time t back to time s; the other way round, s > t, for the flow of "ddim"."""
    (kept_s, added_s), (kept_t, added_t) = schedule.level(s), schedule.level(t)
    a = float(kept_t / kept_s)
    if sampler == "ddim":
        return Step(1.0 / a, float(added_s - added_t / a), 0.0)
    b2 = 1.0 - a * a
    std = np.sqrt(b2) * (added_s / added_t if variance == "posterior" else float(s > 0))
    return Step(1.0 / a, float(-b2 / added_t / a), float(std))
