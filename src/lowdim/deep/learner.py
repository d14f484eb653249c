"""A network and its optimizer: a step for each batch, with the same bits on any number of threads.

    g = sum over shards of the gradient of sum_i loss_i,   divided by the weight of the batch

A batch is cut into shards by its size alone; our threads work on them, each with torch at one
thread, and their gradients are added in a fixed order (vector.py). Noise (dropout, draws of a
latent) comes from a generator made for each shard from (seed, step, shard), so it needs no memory
of its own.

Under torchrun every process takes its part of the shards, and the sums are added over processes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from lowdim.core.threads import shared_map
from lowdim.deep.engine import on_one_thread, torch_generator
from lowdim.deep.optimizers import rate_at
from lowdim.deep.processes import added_over_processes, own_part
from lowdim.deep.vector import Vector, array_of

SHARD, MOST_SHARDS = 64, 8  # rows of a shard at least; shards of a batch at most
BATCH = MOST_SHARDS  # in place of the number of a shard, where noise is drawn for all of them


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
    straight : callable or None
        straight(module, batch, generator, gradients, weight) gives the same loss as a number, and
        adds its gradient, divided by the weight, to `layers.Gradients`: a derivation by hand, in
        single or double precision. None where it has none for this batch.
    draw : callable or None
        draw(module, batch, generator) is what `loss` and `straight` get in place of a batch:
        tensors with a row each. Made for a whole batch, on one thread: many small steps on several
        threads wait for each other.
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
        straight: Callable[..., float | None] | None = None,
        draw: Callable[..., tuple] | None = None,
    ):
        import torch

        self.dtype = torch.float64 if settings.precision == "double" else torch.float32
        self.module = module.to(device, self.dtype)
        self.settings, self.n_steps, self.seed, self.device = settings, n_steps, seed, device
        self._loss, self._penalty, self._weighted = loss, penalty, weighted
        self._prepare = prepare
        self._shard, self._noisy = shard, noisy
        self._straight = straight if settings.precision != "mixed" else None
        self._draw = draw
        self._weights = [p for p in self.module.parameters() if p.requires_grad]
        self.vector = Vector(self._weights, settings)
        self.n_done = 0

    # ---- a step ----------------------------------------------------------------------------------

    def step(self, batch: tuple) -> Stepped:
        """Learn from one batch: arrays with a row each."""
        weight = self.weight_of(batch)
        if not weight > 0:
            return Stepped(0.0, 0.0)
        if self._draw is not None:
            batch = self.drawn(self.tensors(batch), torch_generator(self.seed, self.n_done, BATCH))
        shards = own_part(list(enumerate(self._shards(batch))))
        gradients = self.vector.gradients(max(1, len(shards)))
        if not shards:  # under torchrun, others have them all
            gradients[0][0].zero_()
        loss = sum(self._losses(shards, gradients, weight), 0.0)
        rate, vector = self.rate(), self.vector
        n, moving = len(gradients), (rate, self.n_done + 1, self._decay())
        loss, n = added_over_processes(loss, vector, n)
        if self._is_changed():
            vector.add(n)
            with self._as_gradient(gradients[0][1]):
                loss += self.penalized(weight)
            self._clip(gradients[0][0])
            vector.move(*moving)
        else:
            vector.add_and_move(n, *moving)
        self.n_done += 1
        return Stepped(loss, weight)

    def _is_changed(self) -> bool:
        """Whether a gradient is not yet that of the loss when shards are added up."""
        return self._penalty is not None or self.settings.clip is not None

    @contextmanager
    def _as_gradient(self, parts: list) -> Iterator[None]:
        """Weights have these gradients, for a while."""
        for w, part in zip(self._weights, parts, strict=True):
            w.grad = part
        yield
        for w in self._weights:
            w.grad = None

    def _clip(self, gradient: Any) -> None:
        """Shorten a long gradient."""
        import torch

        longest = self.settings.clip
        if longest is not None:
            length = torch.linalg.vector_norm(gradient).item()
            if length > longest:
                gradient *= longest / length

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

    def _losses(
        self, shards: list[tuple[int, tuple]], gradients: list, weight: float
    ) -> list[float]:
        """The loss of each shard, summed over rows.

        Its gradient, divided by the weight of the batch, goes to its place.
        """
        import torch

        from lowdim.deep.layers import Gradients, adding_gradients_to, with_noise

        in_place = self.settings.precision != "mixed"

        def work(item: tuple) -> float:
            (number, rows), (_, parts) = item
            on_one_thread()
            noise = torch_generator(self.seed, self.n_done, number) if self._noisy else None
            into = Gradients(self._weights, parts)
            batch = rows if self._draw is not None else self.tensors(rows)
            if self._straight is not None:
                with torch.no_grad(), with_noise(noise):
                    found = self._straight(self.module, batch, noise, into, weight)
                if found is not None:
                    into.add([None] * len(parts))  # 0 for weights that it did not use
                    return found
            with (
                self._precision(),
                with_noise(noise),
                adding_gradients_to(into if in_place else None),
            ):
                loss = self._loss(self.module, batch, noise)
            into.add(torch.autograd.grad(loss / weight, self._weights, allow_unused=True))
            return loss.item()

        return shared_map(work, list(zip(shards, gradients, strict=False)))

    def _shards(self, batch: tuple) -> Sequence[tuple]:
        """Parts of a batch, by its size alone; their sizes differ by one row at most.

        1, 2, 4 or 8 of them: of three, one of two threads would have two, and the other wait.
        """
        n = batch[0].shape[0]
        most = min(n // self._shard, MOST_SHARDS) if self.device.type == "cpu" else 1
        count = 2 ** (max(most, 1).bit_length() - 1)
        cuts = [n * i // count for i in range(count + 1)]
        return [tuple(part[a:b] for part in batch) for a, b in pairwise(cuts)]

    def drawn(self, batch: tuple, noise: Any) -> tuple:
        """What the loss gets of a batch of tensors."""
        import torch

        if self._draw is None:
            return batch
        with torch.no_grad():
            return self._draw(self.module, batch, noise)

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

    def _decay(self) -> float:
        """Of the moving average of the weights: at first it is the mean of all steps so far."""
        return min(self.settings.average, (self.n_done + 1) / (self.n_done + 10.0))

    # ---- as arrays -------------------------------------------------------------------------------

    def weights(self) -> dict[str, np.ndarray]:
        """What the network would use now, by name: the average, where there is one."""
        names = [name for name, p in self.module.named_parameters() if p.requires_grad]
        average = self.vector.average
        found = self._weights if average is None else self.vector.parts(average)
        return {name: array_of(w) for name, w in zip(names, found, strict=True)}

    def put(self, weights: dict[str, np.ndarray]) -> None:
        """Set the weights of the network."""
        import torch

        with torch.no_grad():
            for name, w in self.module.named_parameters():
                w.copy_(torch.from_numpy(weights[name]))

    def state(self) -> dict[str, Any]:
        """All that it takes to go on: weights, what the optimizer remembers, average, steps."""
        return {**self.vector.state(), "n_done": self.n_done}

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from what `state` gave."""
        self.vector.restore(state)
        self.n_done = int(state["n_done"])
