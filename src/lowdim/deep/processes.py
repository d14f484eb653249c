"""Several processes as one fit: under torchrun every process takes its part of each batch.

    torchrun --nproc-per-node 4 fit.py

Each process has all rows, or a way to read them; of the shards of a batch it works on every n-th,
and the sums of all are added. So all have the same weights after each step.
"""

from __future__ import annotations

import atexit
import os
from typing import Any


def join() -> None:
    """Join the processes that torchrun has started, if it has, and if that was not done yet."""
    if "TORCHELASTIC_RUN_ID" not in os.environ or int(os.environ.get("WORLD_SIZE", "1")) == 1:
        return
    import torch

    if not torch.distributed.is_initialized():
        torch.distributed.init_process_group("nccl" if torch.cuda.is_available() else "gloo")
        atexit.register(_leave)


def _leave() -> None:
    """Leave the group before Python ends: threads of it that still run would abort the process."""
    import torch

    if torch.distributed.is_initialized():
        torch.distributed.destroy_process_group()


def place() -> tuple[int, int]:
    """The number of this process and how many there are."""
    import torch

    together = torch.distributed
    if together.is_available() and together.is_initialized():
        return together.get_rank(), together.get_world_size()
    return 0, 1


def own_part(items: list) -> list:
    """The items that this process works on."""
    rank, size = place()
    return items[rank::size]


def added_over_processes(total: float, vector: Any, n_shards: int) -> tuple[float, int]:
    """A number, and the gradients of shards, added over all processes: those lie in shard 0 then.

    Returns the number, and how many shards are left to be added.
    """
    if place()[1] == 1:
        return total, n_shards
    vector.add(n_shards)
    return reduced(total, vector.gradients(1)[0][0]), 1


def reduced(total: float, gradient: Any) -> float:
    """A number, added over all processes, and so is a gradient, in its place."""
    import torch

    if place()[1] == 1:
        return total
    torch.distributed.all_reduce(gradient)
    number = torch.tensor([total], dtype=torch.float64)
    torch.distributed.all_reduce(number)
    return number.item()
