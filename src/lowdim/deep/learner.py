"""A network and its optimizer: a step for each batch, with the same bits on any number of threads.

    g = sum over shards of the gradient of sum_i loss_i,   divided by the weight of the batch

A batch is cut into shards by its size alone; our threads work on them, each with torch at one
thread, and their gradients are added in a fixed order. Noise (dropout, draws of a latent) comes
from a generator made for each shard from (seed, step, shard), so it needs no memory of its own.

Under torchrun every process takes its part of the shards, and the sums are added over processes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from lowdim.core.threads import ordered_map
from lowdim.deep.engine import on_one_thread, torch_generator
from lowdim.deep.optimizers import optimizer_of, rate_at
from lowdim.deep.processes import added_over_processes, own_part

SHARD, MOST_SHARDS = 32, 8  # rows of a shard at least; shards of a batch at most


class Settings(NamedTuple):
    """How to descend."""

    optimizer: str = "adam"
    learning_rate: float = 1e-3
    schedule: str = "cosine"
    warm_up: int = 0  # steps
    momentum: float = 0.9
    betas: tuple[float, float] = (0.9, 0.999)
    eps: float = 1e-8
    power_t: float = 0.5
    weight_decay: float = 0.0
    clip: float | None = None  # longest gradient
    average: float = 0.0  # decay of the moving average of the weights; 0: none
    precision: str = "single"


class Stepped(NamedTuple):
    """What a step saw of the loss, before it moved."""

    loss: float  # sum over the rows of the batch
    weight: float  # of these rows


# sum over rows of their losses: (module, batch of tensors, generator) -> tensor of no dimension
Loss = Callable[[Any, tuple, Any], Any]


class Learner:
    """Takes steps down the mean loss of batches.

    Parameters
    ----------
    module : torch.nn.Module
    loss : callable
        loss(module, batch, generator) is the sum of the losses of the rows of a batch: a tensor.
        Runs on several threads at once.
    settings : Settings
    n_steps : int
        How many there will be, for the schedule.
    seed : int
    device : torch.device
    penalty : callable or None
        penalty(module) is added to the mean loss of a batch.
    weighted : bool
        Whether the last part of a batch holds weights of its rows.
    prepare : callable or None
        prepare(rows), an array of floats, is what the network sees of the rows of a shard.
    shard : int
        Rows of a shard at least; more where the work of a row is small.
    noisy : bool
        Whether the loss, or the network, draws random numbers.
    """

    def __init__(
        self,
        module: Any,
        loss: Loss,
        settings: Settings,
        *,
        n_steps: int,
        seed: int,
        device: Any,
        penalty: Callable[[Any], Any] | None = None,
        weighted: bool = False,
        prepare: Callable[[np.ndarray], np.ndarray] | None = None,
        shard: int = SHARD,
        noisy: bool = True,
    ):
        import torch

        self.dtype = torch.float64 if settings.precision == "double" else torch.float32
        self.module = module.to(device, self.dtype)
        self.settings, self.n_steps, self.seed, self.device = settings, n_steps, seed, device
        self._loss, self._penalty, self._weighted = loss, penalty, weighted
        self._prepare = prepare
        self._shard, self._noisy = shard, noisy
        self._weights = [p for p in self.module.parameters() if p.requires_grad]
        self._optimizer = optimizer_of(settings, self._weights)
        self._average = [w.detach().clone() for w in self._weights] if settings.average else []
        self.n_done = 0

    # ---- a step ----------------------------------------------------------------------------------

    def step(self, batch: tuple) -> Stepped:
        """Learn from one batch: arrays with a row each."""
        import torch

        weight = self.weight_of(batch)
        if not weight > 0:
            return Stepped(0.0, 0.0)
        loss, gradients = self._gradient(batch)
        for w, g in zip(self._weights, gradients, strict=True):
            w.grad = g.div_(weight)
        loss += self.penalized(weight)
        if self.settings.clip is not None:
            torch.nn.utils.clip_grad_norm_(self._weights, self.settings.clip)
        for group in self._optimizer.param_groups:
            group["lr"] = self.rate()
        self._optimizer.step()
        self._optimizer.zero_grad(set_to_none=True)
        self.n_done += 1
        self._follow()
        return Stepped(loss, weight)

    def rate(self) -> float:
        """The learning rate of the next step."""
        return rate_at(self.settings, self.n_done, self.n_steps)

    def penalized(self, weight: float) -> float:
        """Add the gradient of the penalty for a batch of this weight; what it adds to the loss."""
        if self._penalty is not None:
            self._penalty(self.module).backward()  # adds to the gradients
        return 0.0

    def weight_of(self, batch: tuple) -> float:
        """The weight of its rows; each has 1, if nothing else is said."""
        return float(batch[-1].sum()) if self._weighted else float(batch[0].shape[0])

    def _gradient(self, batch: tuple) -> tuple[float, list]:
        """The loss of a batch and its gradient, summed over rows."""
        return self.summed(batch, self._loss, self._weights)

    def summed(self, batch: tuple, of: Loss, weights: list, draw: int = 0) -> tuple[float, list]:
        """A loss of a batch and its gradient in some weights, summed over rows.

        Where a step needs several, `draw` numbers those whose random numbers differ.
        """
        import torch

        from lowdim.deep.layers import with_noise

        def work(shard: tuple[int, tuple]) -> tuple[float, list]:
            number, rows = shard
            on_one_thread()
            key = (self.seed, self.n_done, number, *([draw] if draw else []))
            noise = torch_generator(*key) if self._noisy else None
            with self._precision(), with_noise(noise):
                loss = of(self.module, self.tensors(rows), noise)
            gradients = torch.autograd.grad(loss, weights, allow_unused=True)
            return loss.item(), list(gradients)

        total = 0.0
        sums = [torch.zeros_like(w) for w in weights]
        for loss, gradients in ordered_map(work, own_part(list(enumerate(self._shards(batch))))):
            total += loss
            for into, gradient in zip(sums, gradients, strict=True):
                if gradient is not None:
                    into += gradient
        return added_over_processes(total, sums)

    def _shards(self, batch: tuple) -> Sequence[tuple]:
        n = batch[0].shape[0]
        size = n if self.device.type != "cpu" else max(self._shard, -(-n // MOST_SHARDS))
        return [tuple(part[i : i + size] for part in batch) for i in range(0, n, size)]

    def tensors(self, batch: tuple) -> tuple:
        """Arrays as tensors: numbers in the precision of the network, classes as they are."""
        rows, *others = batch
        rows = rows if self._prepare is None else self._prepare(rows)
        return tuple(self._tensor(part) for part in (rows, *others))

    def _tensor(self, part: Any) -> Any:
        import torch

        part = part.toarray() if sp.issparse(part) else part
        whole = part.dtype == np.int64  # classes; bytes and flags are rows
        found = torch.from_numpy(np.ascontiguousarray(part))
        return found.to(self.device, found.dtype if whole else self.dtype)

    def _precision(self) -> Any:
        import torch

        if self.settings.precision == "mixed":
            return torch.autocast(self.device.type, dtype=torch.bfloat16)
        return nullcontext()

    def _follow(self) -> None:
        """The moving average of the weights: at first the mean of all steps so far."""
        decay = min(self.settings.average, self.n_done / (self.n_done + 9.0))
        for mean, w in zip(self._average, self._weights, strict=bool(self._average)):
            mean.lerp_(w.detach(), 1.0 - decay)

    # ---- as arrays -------------------------------------------------------------------------------

    def weights(self) -> dict[str, np.ndarray]:
        """What the network would use now, by name: the average, where there is one."""
        names = [name for name, p in self.module.named_parameters() if p.requires_grad]
        found = self._average or self._weights
        return {name: _array(w) for name, w in zip(names, found, strict=True)}

    def put(self, weights: dict[str, np.ndarray]) -> None:
        """Set the weights of the network."""
        import torch

        with torch.no_grad():
            for name, w in self.module.named_parameters():
                w.copy_(torch.from_numpy(weights[name]))

    def state(self) -> dict[str, Any]:
        """All that it takes to go on: weights, what the optimizer remembers, average, steps."""
        memory = [
            {key: _array(value) for key, value in self._optimizer.state[w].items()}
            for w in self._weights
        ]
        return {
            "weights": [_array(w) for w in self._weights],
            "memory": memory,
            "average": [_array(w) for w in self._average],
            "n_done": self.n_done,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from what `state` gave."""
        import torch

        with torch.no_grad():
            for w, saved in zip(self._weights, state["weights"], strict=True):
                w.copy_(torch.from_numpy(saved))
            for w, saved in zip(self._average, state["average"], strict=True):
                w.copy_(torch.from_numpy(saved))
        for w, saved in zip(self._weights, state["memory"], strict=True):
            own = {key: torch.from_numpy(np.array(value)) for key, value in saved.items()}
            places = {
                key: value.to(w.device) if value.ndim else value for key, value in own.items()
            }
            self._optimizer.state[w] = places
        self.n_done = int(state["n_done"])


def _array(tensor: Any) -> np.ndarray:
    return tensor.detach().cpu().numpy().copy()
