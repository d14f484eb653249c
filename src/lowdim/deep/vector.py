"""The weights of a network as one vector, with a gradient for each shard of a batch.

    w    all weights one after the other; those of the module are views of it
    g_s  the gradient of shard s, kept from step to step: to give memory back and take it again for
         each gradient costs a quarter of a step

Gradients are added, in the order of the shards, and the optimizer's step is taken piece by piece.
Pieces follow from the number of weights alone, and each number from its own past: threads do not
change bits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lowdim.core.threads import shared_map
from lowdim.deep.engine import on_one_thread
from lowdim.deep.optimizers import memory_of, move

# numbers from which on a vector is cut into so many pieces: a piece that is small costs more to
# hand to a thread than to work on (203,000 numbers: 0.39 ms on two threads, 0.22 on one)
PIECES = ((2**24, 8), (2**21, 4), (2**19, 2), (0, 1))


class Vector:
    """The weights of a module, and what its optimizer remembers of each.

    Parameters
    ----------
    weights : list of tensors
        They become views of the vector.
    settings : learner.Settings
    """

    def __init__(self, weights: list, settings: Any):
        import torch

        self._settings = settings
        self._shapes = [w.shape for w in weights]
        self.all = torch.cat([w.detach().reshape(-1) for w in weights])
        for w, part in zip(weights, self.parts(self.all), strict=True):
            w.data = part
        self.memory = memory_of(settings, self.all)
        self.average = self.all.clone() if settings.average else None
        self._gradients: list[tuple[Any, list]] = []
        n = self.all.numel()
        on_processor = self.all.device.type == "cpu"
        n_pieces = next(pieces for least, pieces in PIECES if n >= least) if on_processor else 1
        size = -(-n // n_pieces)
        self._pieces = [slice(i, i + size) for i in range(0, n, size)]

    def parts(self, vector: Any) -> list:
        """A vector such as this one as views, in the shapes of the weights."""
        sizes = [shape.numel() for shape in self._shapes]
        return [p.view(s) for p, s in zip(vector.split(sizes), self._shapes, strict=True)]

    def gradients(self, n_shards: int) -> list[tuple[Any, list]]:
        """A vector for the gradient of each shard, with its parts; they hold what they held."""
        import torch

        while len(self._gradients) < n_shards:
            vector = torch.zeros_like(self.all)
            self._gradients.append((vector, self.parts(vector)))
        return self._gradients[:n_shards]

    def add(self, n_shards: int) -> None:
        """Leave the sum of the gradients with shard 0."""
        if n_shards == 1:
            return
        self._each_piece(lambda piece: self._added(piece, n_shards))

    def move(self, rate: float, step: int, decay: float) -> None:
        """Take a step down the gradient of shard 0; the average of weights follows by `decay`."""
        self._each_piece(lambda piece: self._moved(piece, rate, step, decay))

    def add_and_move(self, n_shards: int, rate: float, step: int, decay: float) -> None:
        """Both at once, while a piece is in the cache."""

        def work(piece: slice) -> None:
            self._added(piece, n_shards)
            self._moved(piece, rate, step, decay)

        self._each_piece(work)

    def _each_piece(self, function: Callable[[slice], None]) -> None:
        def work(piece: slice) -> None:
            on_one_thread()
            function(piece)

        shared_map(work, self._pieces)

    def _added(self, piece: slice, n_shards: int) -> None:
        total = self._gradients[0][0][piece]
        for vector, _ in self._gradients[1:n_shards]:
            total += vector[piece]

    def _moved(self, piece: slice, rate: float, step: int, decay: float) -> None:
        w = self.all[piece]
        memory = {name: part[piece] for name, part in self.memory.items()}
        move(self._settings, rate, step, w, self._gradients[0][0][piece], memory)
        if self.average is not None:
            self.average[piece].lerp_(w, 1.0 - decay)

    def state(self) -> dict[str, Any]:
        """Weights, what the optimizer remembers, and the average, as arrays."""
        memory = {name: array_of(part) for name, part in self.memory.items()}
        average = None if self.average is None else array_of(self.average)
        return {"weights": array_of(self.all), "memory": memory, "average": average}

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from what `state` gave."""
        import torch

        self.all.copy_(torch.from_numpy(state["weights"]))
        for name, part in self.memory.items():
            part.copy_(torch.from_numpy(state["memory"][name]))
        if self.average is not None:
            self.average.copy_(torch.from_numpy(state["average"]))


def array_of(tensor: Any) -> np.ndarray:
    """A copy of a tensor, as an array."""
    return tensor.detach().cpu().numpy().copy()
