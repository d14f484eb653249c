"""L-BFGS on the whole loss: SciPy's search, torch's gradients, one pass over the rows a look."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import scipy.optimize
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from lowdim.core.blocks import Blocks
from lowdim.core.calling import level_of_caller
from lowdim.deep.engine import on_one_thread, one_torch_thread


class Minimum(NamedTuple):
    """What the search found."""

    weights: dict[str, np.ndarray]
    loss: float
    n_iter: int
    history: np.ndarray
    converged: bool


def minimised(
    estimator: Any, rows: Blocks, targets: np.ndarray, weight: np.ndarray | None, module: Any
) -> Minimum:
    """Search from the weights that the module has; stops by `tol`, `max_iter` and `max_fun`."""
    weights = {name: w.detach().numpy() for name, w in module.named_parameters()}
    total = float(rows.shape[0] if weight is None else weight.sum())
    history: list[float] = []

    def value_and_gradient(theta: np.ndarray) -> tuple[float, np.ndarray]:
        at = _unpacked(theta, weights)
        _put(module, at)
        loss, *parts = rows.fold(
            loss_and_gradient, module, estimator.out_activation_, along=(targets, weight)
        )
        for i, w in enumerate(at.values()):
            if w.ndim > 1:
                loss += 0.5 * estimator.alpha * float(np.vdot(w, w))
                parts[i] = parts[i] + estimator.alpha * w
        return loss / total, np.concatenate([part.ravel() for part in parts]) / total

    def note(intermediate_result: Any) -> None:
        history.append(float(intermediate_result.fun))
        if estimator.verbose:
            print(f"Iteration {len(history)}, loss = {history[-1]:.8f}")

    with one_torch_thread():
        found = scipy.optimize.minimize(
            value_and_gradient,
            np.concatenate([w.ravel() for w in weights.values()]).astype(np.float64),
            method="L-BFGS-B",
            jac=True,
            callback=note,
            options={
                "maxfun": estimator.max_fun,
                "maxiter": estimator.max_iter,
                "gtol": estimator.tol,
            },
        )
    if found.status != 0:
        _warn(estimator, found)
    n_iter = min(int(found.nit), estimator.max_iter)
    best = {name: w.copy() for name, w in _unpacked(found.x, weights).items()}
    return Minimum(best, float(found.fun), n_iter, np.array(history), found.status == 0)


def loss_and_gradient(
    X: Any, module: Any, activation: str, y: np.ndarray, weight: np.ndarray | None
) -> tuple:
    """What a block of rows adds to the loss and to its gradient."""
    import torch

    from lowdim.deep.losses import SumOfLosses

    on_one_thread()
    parameters = list(module.parameters())
    dtype = parameters[0].dtype
    X = X.toarray() if sp.issparse(X) else np.ascontiguousarray(X)
    batch = [torch.from_numpy(X).to(dtype), torch.from_numpy(y)]
    if y.dtype != np.int64:
        batch[1] = batch[1].to(dtype)
    if weight is not None:
        batch.append(torch.from_numpy(weight).to(dtype))
    loss = SumOfLosses(activation)(module, tuple(batch))
    gradient = torch.autograd.grad(loss, parameters)
    return (loss.item(), *(g.numpy().astype(np.float64) for g in gradient))


def _unpacked(theta: np.ndarray, like: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The arrays by name that lie one after the other in theta."""
    cuts = np.cumsum([w.size for w in like.values()])[:-1]
    parts = np.split(theta, cuts)
    return {
        name: part.reshape(w.shape) for (name, w), part in zip(like.items(), parts, strict=True)
    }


def _put(module: Any, weights: Mapping[str, np.ndarray]) -> None:
    import torch

    with torch.no_grad():
        for name, w in module.named_parameters():
            w.copy_(torch.from_numpy(weights[name]))


def _warn(estimator: Any, found: Any) -> None:
    reason = found.message.decode() if isinstance(found.message, bytes) else found.message
    warnings.warn(
        f"lbfgs failed to converge after {found.nit} iterations and {found.nfev} evaluations "
        f"({reason}). Raise max_iter (now {estimator.max_iter}), max_fun (now "
        f"{estimator.max_fun}) or tol, or scale the columns of X.",
        ConvergenceWarning,
        stacklevel=level_of_caller(),
    )
