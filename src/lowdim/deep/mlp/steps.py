"""How a dense network learns with scikit-learn's meaning of its arguments.

    loss of a batch    (sum_i w_i loss_i + alpha / 2 sum_l |W_l|^2) / sum_i w_i
    learning rate      'constant';  'invscaling': eta / (t + 1)^power_t, t rows after each pass;
                       'adaptive': a fifth each time that patience runs out, until 1e-6

With 'adamw' the decay is the step's own: W <- (1 - rate alpha) W, and no part of the loss.
"""

from __future__ import annotations

import math
from typing import Any

from lowdim.deep.learner import Learner, Stepped

LEAST_RATE = 1e-6  # of 'adaptive'


class DenseSteps(Learner):
    """A Learner with a penalty of weights but not of intercepts, and a rate that is its own."""

    def __init__(self, *arguments: Any, alpha: float, **keywords: Any):
        super().__init__(*arguments, **keywords)
        self.rate_now = self.settings.learning_rate
        self._alpha = alpha
        self._matrices = [w for w in self._weights if w.ndim > 1]

    def step(self, batch: tuple) -> Stepped:
        found = super().step(batch)
        if not math.isfinite(found.loss):
            raise ValueError(
                f"The loss is no longer a finite number after {self.n_done} steps: Solver produced "
                "non-finite parameter weights. The input data may contain large values and need to "
                "be preprocessed. Scale the columns of X, or lower learning_rate_init."
            )
        return found

    def rate(self) -> float:
        return self.rate_now

    def penalized(self, weight: float) -> float:
        import torch

        if self._alpha == 0:
            return 0.0
        apart = self.settings.optimizer == "adamw"
        total = 0.0
        with torch.no_grad():
            for w in self._matrices:
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
