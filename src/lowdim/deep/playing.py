"""Two players on one function: x lowers it, y raises it, by the steps of the textbooks.

    F(x, y) = (df/dx, -df/dy)        the direction that both want to leave

    simultaneous     z := z - eta F(z)
    alternating      x := x - eta df/dx (x, y),   then y := y + eta df/dy (new x, y)
    extragradient    z := z - eta F(z - eta F(z))                   the gradient one step ahead
    optimistic       z := z - eta (2 F(z) - F(z before))            the same, guessed from the last

On f = x y the first spirals out, the second circles for ever, the last two find the saddle.
Gradients are torch's, in float64.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from lowdim.core.threads import single_threaded_blas
from lowdim.core.validation import check_at_least, check_choice, check_number
from lowdim.deep.engine import one_torch_thread, torch_for
from lowdim.deep.minimizing import require_finite, start_of, value_and_gradient


class Saddle(NamedTuple):
    """Where a game has led; see `play`."""

    x: np.ndarray
    y: np.ndarray
    fun: float
    grad_norm: float
    n_iter: int
    converged: bool
    history: np.ndarray
    path: tuple[np.ndarray, np.ndarray] | None


@single_threaded_blas()
def play(
    fun: Callable[[Any, Any], Any],
    x0: Any,
    y0: Any,
    *,
    method: str = "extragradient",
    learning_rate: float = 0.1,
    max_iter: int = 1000,
    tol: float = 0.0,
    keep_path: bool = False,
) -> Saddle:
    """Search a saddle point:  min over x, max over y of fun(x, y).

    Parameters
    ----------
    fun : callable
        Maps two float64 tensors, of the shapes of x0 and y0, to a scalar tensor.
    x0, y0 : array
        Where the two players start.
    method : {'extragradient', 'optimistic', 'alternating', 'simultaneous'}, default='extragradient'
        The first two converge on functions that are convex in x and concave in y; the last two are
        what generative adversarial networks were first trained by, and may circle or leave.
    learning_rate : float, default=0.1
        eta; below 1/L for the first, below 1/(2L) for the second, if gradients change by L at most.
    max_iter : int, default=1000
        Steps at the most.
    tol : float, default=0.0
        Stop where the norm of both gradients together is at most this.
    keep_path : bool, default=False
        Keep every x and y.

    Returns
    -------
    Saddle
        Named tuple of x, y, the value `fun` there, `grad_norm`, `n_iter`, `converged` (the norm is
        at most tol), `history` (the values at all points, the first and the last too), and `path`:
        all x and all y, of shapes (n_iter + 1, ...), or None.

    References
    ----------
    Korpelevich (1976), The extragradient method. Daskalakis, Ilyas, Syrgkanis and Zeng (2018),
    Training GANs with optimism. Gidel, Berard, Vignoud, Vincent and Lacoste-Julien (2019).

    Examples
    --------
    >>> from lowdim.deep import play
    >>> found = play(lambda x, y: (x * y).sum(), [1.0], [1.0], learning_rate=0.5, max_iter=200)
    >>> bool(abs(found.x[0]) < 1e-6 and abs(found.y[0]) < 1e-6)
    True
    """
    check_choice("method", method, STEPS)
    eta = check_number("learning_rate", learning_rate, 0.0, open_low=True)
    check_at_least("max_iter", max_iter, 1)
    check_number("tol", tol, 0.0)
    game = _Game(fun, start_of(x0, "x0", "play"), start_of(y0, "y0", "play"))
    torch_for("play")
    step, z, before, k = STEPS[method], game.start, None, 0
    history, path = [], [z]
    with one_torch_thread():
        value, F = game.look(z)
        while k < max_iter:
            require_finite(value, F, k, eta)
            history.append(value)
            if np.linalg.norm(F) <= tol:
                break
            z, before, k = step(game, z, F, before, eta), F, k + 1
            value, F = game.look(z)
            if keep_path:
                path.append(z)
        else:
            require_finite(value, F, k, eta)
            history.append(value)
    norm = float(np.linalg.norm(F))
    xs, ys = zip(*map(game.apart, path), strict=True)
    kept = (np.array(xs), np.array(ys)) if keep_path else None
    return Saddle(*game.apart(z), value, norm, k, norm <= tol, np.array(history), kept)


class _Game:
    """Both players as one vector z = (x, y), and where it wants to go."""

    def __init__(self, fun: Callable[[Any, Any], Any], x: np.ndarray, y: np.ndarray):
        self._fun, self._shapes, self.n_x = fun, (x.shape, y.shape), x.size
        self.start = np.concatenate([x.ravel(), y.ravel()])

    def look(self, z: np.ndarray) -> tuple[float, np.ndarray]:
        """The value at z, and F(z)."""
        value, gradient = value_and_gradient(lambda at: self._fun(*self.apart(at)), z, ())
        return value, np.concatenate([gradient[: self.n_x], -gradient[self.n_x :]])

    def apart(self, z: Any) -> tuple[Any, Any]:
        """x and y of z."""
        of_x, of_y = self._shapes
        return z[: self.n_x].reshape(of_x), z[self.n_x :].reshape(of_y)


# ---- the steps: z after one of them; F is F(z), before is F of the step before, or None ----------


def _simultaneous(game: _Game, z: np.ndarray, F: np.ndarray, before: Any, eta: float) -> np.ndarray:
    return z - eta * F


def _alternating(game: _Game, z: np.ndarray, F: np.ndarray, before: Any, eta: float) -> np.ndarray:
    z = z.copy()
    z[: game.n_x] -= eta * F[: game.n_x]
    z[game.n_x :] -= eta * game.look(z)[1][game.n_x :]
    return z


def _extragradient(
    game: _Game, z: np.ndarray, F: np.ndarray, before: Any, eta: float
) -> np.ndarray:
    return z - eta * game.look(z - eta * F)[1]


def _optimistic(game: _Game, z: np.ndarray, F: np.ndarray, before: Any, eta: float) -> np.ndarray:
    return z - eta * (F if before is None else 2.0 * F - before)


STEPS: dict[str, Callable[..., np.ndarray]] = {
    "extragradient": _extragradient,
    "optimistic": _optimistic,
    "alternating": _alternating,
    "simultaneous": _simultaneous,
}
