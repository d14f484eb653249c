"""Newton's method on the log-likelihood as a function of t = log psi alone.

    f(t) = sum_i t_i + sum_explained log g + sum_left (g - 1),    df/dt_i = sum_left (1 - g) u_i^2

with the eigenvalues g and eigenvectors U of psi^-1/2 S psi^-1/2. A step costs O(k d^3) and never
raises f.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
import scipy.linalg

from lowdim.core.loop import iterate
from lowdim.linalg.products import dense_times

# Below this part of the whole, a noise variance may be on its way to 0; below this part of where it
# began, it has gone there, and then the likelihood has several maxima
SUSPICIOUS, VANISHED = 1e-2, 1e-3

# Starts in which a column has nearly no noise, at the most; the steps that all starts make before
# the best ones go on, and how many do; a log psi that differs by less is where another search was
MOST_STARTS, RACE, FINISHING, NEAR = 20, 8, 5, 0.05
FEW_COLUMNS = 100  # up to which noise alone is a start in any case

# Where a factor's eigenvalue is so many times above all that are left over, and columns are more
# than this, Newton's method takes the first terms of a series for the second derivatives
FAR, VERY_FAR = 10.0, 100.0
EXACT_COLUMNS = 100


class NewtonParams(NamedTuple):
    t: np.ndarray  # (d,)  log psi


class Profile(NamedTuple):
    """f and its derivatives at t, and the best W there."""

    f: float
    gradient: np.ndarray  # (d,)
    C: np.ndarray  # (d, d)  psi^-1/2 S psi^-1/2
    g: np.ndarray  # (d,)    its eigenvalues, decreasing
    U: np.ndarray  # (d, d)  its eigenvectors
    explained: np.ndarray  # (d,)  which of them the factors explain


def profile(R: np.ndarray, t: np.ndarray, k: int) -> Profile:
    """f(t) and its gradient; f is log|C| + trace(C^-1 S) - d at the best W."""
    inverse_sd = np.exp(-t / 2)
    C = R * np.outer(inverse_sd, inverse_sd)
    g, U = scipy.linalg.eigh(C, driver="evd", check_finite=False)
    g, U = np.maximum(g[::-1], 0.0), U[:, ::-1]
    explained = (np.arange(len(g)) < k) & (g > 1.0)
    left = np.where(explained, 1.0, g)
    f = float(np.sum(t) + np.sum(np.log(g[explained])) + np.sum(left - 1.0))
    return Profile(f, U**2 @ (1.0 - left), C, g, U, explained)


def hessian(at: Profile) -> np.ndarray:
    """Second derivatives of f (Clarke 1970), for eigenvectors r, s left over and q explained:

      sum_rs (g_r + g_s) / 2                        u_ir u_jr u_is u_js
    + sum_rq (1 - g_r)(g_q + g_r) / (g_q - g_r)     u_ir u_jr u_iq u_jq

    What is left over of I and C is what the explained part leaves: P = I - sum u_q u_q' and
    L = C - sum g_q u_q u_q', so the first sum is P * L, entry by entry. For g_q far above all g_r
    the fraction is (1 - g_r)(1 + 2 g_r / g_q), up to 2 (g_r / g_q)^2 < 0.02: a second sum of
    (P - L) + 2 (L - L^2) / g_q. Newton's method ends where it ends with any such H.
    """
    top = at.explained
    gq, Uq = at.g[top], at.U[:, top]
    largest = at.g[~top].max(initial=0.0)
    far = (gq > FAR * largest) & (len(at.g) > EXACT_COLUMNS)
    P = np.eye(len(at.g)) - Uq @ Uq.T
    L = at.C - (Uq * gq) @ Uq.T
    H = P * L
    if far.any():
        Uf = Uq[:, far]
        H += (Uf @ Uf.T) * (P - L)
        if gq[far].min() < VERY_FAR * largest:
            H += (Uf * (2.0 / gq[far])) @ Uf.T * (L - dense_times(L, L))
    g, U = at.g[~top], at.U[:, ~top]
    for value, u in zip(gq[~far], Uq[:, ~far].T, strict=True):
        apart = np.maximum(value - g, 1e-8 * value)
        weighted = U * ((1.0 - g) * (value + g) / apart)
        H += np.outer(u, u) * dense_times(weighted, U.T)
    return H


def newton(estimator, R, n, k, psi, log_scale, floor):
    """Minimise f; from further starts, too, since there may be several minima."""
    d = len(R)
    base = n / 2 * (d * np.log(2 * np.pi) + d + 2 * log_scale)  # -log p(X) = base + n / 2 f
    start = _joreskog_start(R, k) if psi is None else psi
    if k == d:  # as many factors as columns explain any covariance: nothing to search for
        estimator.history_, estimator.n_iter_, estimator.converged_ = np.array([]), 1, True
        return _best_loadings(R, np.log(start), k)[1:]
    search = partial(_minimise, estimator, R, n, k, base=base, floor=floor)
    best = search(start)
    if psi is None:
        further = _further_starts(d, (best.psi < VANISHED * start).any())
        best = _best_of(search, further, best, steps=min(RACE, estimator.max_iter))
    history = np.append(best.history, base + n / 2 * best.f)
    estimator.history_, estimator.n_iter_ = history, len(history) - 1
    estimator.converged_ = best.converged
    return best.W, best.psi


class Minimum(NamedTuple):
    f: float
    W: np.ndarray
    psi: np.ndarray
    history: np.ndarray  # the objective before each step
    converged: bool


def _best_of(
    search: Callable[..., Minimum], starts: list[np.ndarray], best: Minimum, steps: int
) -> Minimum:
    """The best of minima, by a race: all starts make so many steps, and the first ones go on.

    One that comes to where the search has been before says nothing new and is left.
    """
    racing = [search(start, steps=steps) for start in starts]
    for early in sorted(racing, key=lambda racer: racer.f)[:FINISHING]:
        if np.abs(np.log(early.psi / best.psi)).max() < NEAR:
            continue
        last = search(early.psi)
        if last.f < best.f - 1e-6 * abs(best.f):  # better by more than rounding
            history = np.append(early.history, last.history)
            best = last._replace(history=history)
    return best


def _minimise(estimator, R, n, k, start, *, base, floor, steps=None):
    """Newton's method within log psi >= log floor; f never rises. At most `steps`, if given."""
    start, floor = np.log(np.maximum(start, floor)), np.log(floor)
    loop = iterate(
        estimator,
        NewtonParams(start),
        max_iter=steps or estimator.max_iter,
        tol=0.0 if steps else estimator.tol,
    )
    last, at = None, None
    for (t,) in loop:
        if at is None or t is not last:
            at = profile(R, t, k)
        held = (t <= floor) & (at.gradient > 0)  # at the bound, and would go further
        step = _newton_step(at, ~held)
        slope = abs(float(at.gradient @ step))
        length, trial, new = 1.0, t, at
        while length > 1e-10:
            trial = np.maximum(t + length * step, floor)
            new = profile(R, trial, k)
            if new.f <= at.f - 1e-4 * length * slope:
                break
            length /= 2
        # a noise on its way to 0 would get there in small steps: try it at once
        vanishing = (trial < np.log(SUSPICIOUS)) & (new.gradient > 0)
        if vanishing.any():
            jump = np.where(vanishing, floor, trial)
            beyond = profile(R, jump, k)
            if beyond.f < new.f:
                trial, new = jump, beyond
        fell = at.f - new.f
        loop.record(base + n / 2 * at.f, change=n / 2 * max(fell, 0.0))
        last, at = (trial, new) if fell > 0 else (t, at)
        loop.params = NewtonParams(last)
    known = at if loop.params.t is last else None
    f, W, psi = _best_loadings(R, loop.params.t, k, known)
    return Minimum(f, W, psi, np.asarray(loop.history), loop.converged)


def _best_loadings(
    R: np.ndarray, t: np.ndarray, k: int, known: Profile | None = None
) -> tuple[float, np.ndarray, np.ndarray]:
    """f, W = psi^1/2 U_k (G_k - I)^1/2 and psi at t, where the profile may be known already."""
    at, psi = known or profile(R, t, k), np.exp(t)
    gain = np.sqrt(np.maximum(np.where(at.explained, at.g, 1.0) - 1.0, 0.0))[:k]
    return at.f, np.sqrt(psi)[:, None] * at.U[:, :k] * gain, psi


def _newton_step(at: Profile, free: np.ndarray) -> np.ndarray:
    """-H^-1 gradient on the free columns; where H is not positive, its positive part (U U')^2."""
    step = np.zeros(len(free))
    g = at.gradient[free]
    left = at.U[free][:, ~at.explained]
    for H in (hessian(at)[np.ix_(free, free)], (left @ left.T) ** 2):
        ridge = 1e-10 * max(float(np.trace(H)) / max(len(H), 1), 1e-300)
        H.flat[:: len(H) + 1] += ridge
        try:
            factor = scipy.linalg.cho_factor(H, check_finite=False)
        except scipy.linalg.LinAlgError:
            continue
        step[free] = -scipy.linalg.cho_solve(factor, g, check_finite=False)
        break
    else:
        step[free] = -g
    # log psi in steps of at most a factor e^3: far away, the quadratic says little
    return step * min(1.0, 3.0 / max(float(np.abs(step).max(initial=0.0)), 1e-300))


def _joreskog_start(R: np.ndarray, k: int) -> np.ndarray:
    """(1 - k / 2d) times what each column has alone."""
    d = len(R)
    ridge = 1e-6 * np.eye(d)  # singular correlations have no inverse
    return np.clip((1.0 - 0.5 * k / d) / np.diag(np.linalg.inv(R + ridge)), 0.005, 1.0)


def _further_starts(d: int, a_noise_vanished: bool) -> list[np.ndarray]:
    """Noise alone; where a noise has gone to 0, each column in turn nearly without noise, too.

    With many columns and no such noise, no other minimum was ever seen.
    """
    starts = [np.ones(d)] if a_noise_vanished or d <= FEW_COLUMNS else []
    if a_noise_vanished:
        starts += list(np.where(np.eye(min(d, MOST_STARTS), d, dtype=bool), 0.01, 0.5))
    return starts
