"""How a dense network learns with scikit-learn's meaning of its arguments.

    loss of a batch    (sum_i w_i loss_i + alpha / 2 sum_l |W_l|^2) / sum_i w_i
    learning rate      'constant';  'invscaling': eta / (t + 1)^power_t, t rows after each pass;
                       'adaptive': a fifth each time that patience runs out, until 1e-6

With 'adamw' the decay is the step's own: W <- (1 - rate alpha) W, and no part of the loss.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.special import expit, xlogy

from lowdim.core.threads import shared_map
from lowdim.deep.engine import on_one_thread
from lowdim.deep.learner import Learner, Stepped
from lowdim.deep.mlp.forward import FUNCTIONS, SLOPES

LEAST_RATE = 1e-6  # of 'adaptive'


class DenseSteps(Learner):
    """A Learner with a penalty of weights but not of intercepts, and a rate that is its own."""

    def __init__(self, *arguments: Any, alpha: float, out: str, **keywords: Any):
        super().__init__(*arguments, **keywords)
        self.rate_now = self.settings.learning_rate
        self._alpha, self._out = alpha, out
        arrays = [w.detach().numpy() for w in self._weights] if self.device.type == "cpu" else []
        self._W, self._b = arrays[::2], arrays[1::2]

    def step(self, batch: tuple) -> Stepped:
        found = super().step(batch)
        if not math.isfinite(found.loss):
            raise ValueError(
                f"The loss is no longer a finite number after {self.n_done} steps: Solver produced "
                "non-finite parameter weights. The input data may contain large values and need to "
                "be preprocessed. Scale the columns of X, or lower learning_rate_init."
            )
        return found

    def _losses(
        self, shards: list[tuple[int, tuple]], gradients: list, weight: float
    ) -> list[float]:
        """The loss of each shard, summed over rows.

        Its gradient, divided by the weight of the batch, goes to its place. Without noise, and on
        the processor, by the recursion of error signals in NumPy: for small
        layers torch takes as long to write down what it does as to do it.
        """
        if self._noisy or self.device.type != "cpu":
            return super()._losses(shards, gradients, weight)
        activation, out = self.module.activation_name, self._out
        penalized = self._alpha > 0 and self.settings.optimizer != "adamw"

        def work(item: tuple) -> float:
            (number, rows), (_, parts) = item
            on_one_thread()
            rows = [_array_of(part, self._W[0].dtype) for part in rows]
            into = [part.numpy() for part in parts]
            with np.errstate(all="ignore"):  # a loss that is not finite is noticed by the step
                loss = backpropagated(rows, self._W, self._b, activation, out, into, weight)
                if penalized and number == 0:
                    loss += self._penalty_of(into[::2], weight)
            return loss

        return shared_map(work, list(zip(shards, gradients, strict=False)))

    def _penalty_of(self, into: Sequence[np.ndarray], weight: float) -> float:
        """alpha / 2 sum_l |W_l|^2, whose gradient is added: its part for a batch of this weight."""
        import torch

        total = 0.0
        for W, gradient in zip(self._W, into, strict=True):
            torch.from_numpy(gradient).add_(torch.from_numpy(W), alpha=self._alpha / weight)
            total += float(np.vdot(W, W))
        return 0.5 * self._alpha * total

    def _is_changed(self) -> bool:
        in_numpy = not self._noisy and self.device.type == "cpu"
        return self._alpha > 0 and (self.settings.optimizer == "adamw" or not in_numpy)

    def rate(self) -> float:
        return self.rate_now

    def penalized(self, weight: float) -> float:
        import torch

        apart = self.settings.optimizer == "adamw"
        total = 0.0
        with torch.no_grad():
            for w in self._weights[::2]:
                if apart:
                    w.mul_(1.0 - self.rate_now * self._alpha)
                else:
                    w.grad.add_(w, alpha=self._alpha / weight)
                    flat = w.view(-1)
                    total += float(flat.dot(flat))
        return 0.5 * self._alpha * total

    def slower(self) -> bool:
        """A fifth of the rate, if that is not too small already."""
        if self.rate_now <= LEAST_RATE:
            return False
        self.rate_now /= 5.0
        return True

    def state(self) -> dict[str, Any]:
        return {**super().state(), "rate": self.rate_now}

    def restore(self, state: dict[str, Any]) -> None:
        super().restore(state)
        self.rate_now = float(state["rate"])


def _array_of(part: Any, dtype: Any) -> np.ndarray:
    part = part.toarray() if sp.issparse(part) else part
    return part if part.dtype == np.int64 else part.astype(dtype, copy=False)


def backpropagated(
    batch: list[np.ndarray],
    W: Sequence[np.ndarray],
    b: Sequence[np.ndarray],
    activation: str,
    out: str,
    into: Sequence[np.ndarray],
    divisor: float = 1.0,
) -> float:
    """The sum of losses; its gradients by W_1, b_1, W_2, ..., divided, go `into` arrays.

    W are (after, before) here.
    """
    X, y, *weight = batch
    values = [X]
    for layer, (matrix, shift) in enumerate(zip(W, b, strict=True), start=1):
        Z = affine(values[-1], matrix, shift)
        values.append(FUNCTIONS[activation](Z) if layer < len(W) else Z)
    losses, delta = loss_and_signal(values[-1], y, out)
    if weight:
        losses = losses * weight[0]
        delta *= weight[0][:, None]
    delta /= divisor
    for layer in reversed(range(len(W))):
        np.matmul(delta.T, values[layer], out=into[2 * layer])
        np.sum(delta, axis=0, out=into[2 * layer + 1])
        if layer:
            delta = delta @ W[layer]
            if activation != "identity":
                delta *= SLOPES[activation](values[layer])
    return float(losses.sum(dtype=np.float64))


def affine(X: np.ndarray, W: np.ndarray, b: np.ndarray) -> np.ndarray:
    """X W' + b, by torch: for products of rows with rows NumPy's BLAS takes a sixth longer."""
    import torch

    rows, matrix, shift = map(torch.from_numpy, (X, W, b))
    return torch.addmm(shift, rows, matrix.t()).numpy()


def loss_and_signal(Z: np.ndarray, y: np.ndarray, out: str) -> tuple[np.ndarray, np.ndarray]:
    """The loss of each row, from the sums z of its outputs, and its derivatives by them."""
    if out == "softmax":
        Z = Z - Z.max(axis=1, keepdims=True)
        P = np.exp(Z)
        total = P.sum(axis=1, keepdims=True)
        P /= total
        log_total = np.log(total[:, 0])
        if y.ndim == 1:
            rows = np.arange(len(y))
            losses = log_total - Z[rows, y]
            P[rows, y] -= 1
            return losses, P
        return log_total * y.sum(axis=1) - (y * Z).sum(axis=1), P * y.sum(axis=1)[:, None] - y
    if out == "logistic":
        return (np.logaddexp(0, Z) - y * Z).sum(axis=1), expit(Z) - y
    if out == "identity":
        delta = Z - y
        return 0.5 * np.einsum("ij,ij->i", delta, delta), delta
    means = np.exp(Z)
    return (xlogy(y, y) - y * Z - y + means).sum(axis=1), means - y
