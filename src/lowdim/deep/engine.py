"""torch as the networks use it: imported when first needed, on one thread, its settings left alone.

Threads are ours, as everywhere: a batch is cut into shards of fixed size, each worked on by one of
our threads with torch at one thread. torch's own threads would change the bits of convolutions.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from lowdim.core.config import get_config

MISSING = "{name} needs torch, which is not installed. Install it with: pip install 'lowdim[deep]'"


def torch_for(name: str) -> Any:
    """The module torch; an ImportError that says how to install it, for what is called `name`."""
    try:
        import torch
    except ImportError as error:
        raise ImportError(MISSING.format(name=name)) from error
    return torch


@contextmanager
def one_torch_thread() -> Iterator[None]:
    """Hold torch to one thread, here and on threads that begin meanwhile; then as it was."""
    import torch

    before = torch.get_num_threads()
    if before != 1:
        torch.set_num_threads(1)
    try:
        yield
    finally:
        if before != torch.get_num_threads():
            torch.set_num_threads(before)


def on_one_thread() -> None:
    """See that the thread this runs on, one of our own, has torch at one thread."""
    import torch

    if torch.get_num_threads() != 1:  # it was made before torch was held
        torch.set_num_threads(1)


def device_of(name: str | None) -> Any:
    """The device to learn on: the one that is named, else CUDA, else MPS, else the processor."""
    import torch

    if name is not None:
        try:
            return torch.empty(0, device=name).device
        except (RuntimeError, AssertionError, NotImplementedError) as error:
            reason = str(error).splitlines()[0]
            raise ValueError(
                f"device={name!r} cannot be used here ({reason}); choose 'cpu', or None for the "
                "best there is."
            ) from error
    if torch.cuda.is_available():
        return torch.device("cuda")
    if torch.backends.mps.is_available():
        return torch.device("mps")
    return torch.device("cpu")


def configured_device() -> Any:
    """The device of the settings (`lowdim.set_config(device=...)`)."""
    return device_of(get_config().device)


def torch_generator(*key: int) -> Any:
    """A generator of random numbers on the processor that follows from whole numbers alone."""
    import torch

    (seed,) = np.random.SeedSequence(key).generate_state(1, np.uint64)
    return torch.Generator().manual_seed(int(seed >> np.uint64(1)))
