"""Settings that hold for a whole program or for a `with` block, never for one estimator."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields, replace
from numbers import Integral, Real
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Config:
    """The settings and what they do.

    Attributes
    ----------
    threads : int or None
        Worker threads for data in memory and in files; None means one per available core.
        Results do not depend on it.
    progress : bool or None
        Show progress bars; None means only on a terminal.
    checkpoint : str, Path or None
        Folder in which running fits keep their state, each in a file of its own, to be continued
        after a crash.
    checkpoint_seconds : float
        At least this long between two checkpoints.
    block_bytes : int
        Rows in memory are worked on in blocks of about this size, so that a block and what is
        computed from it stay in the processor's cache.
    spill_bytes : int
        Counts of pairs of words that take more are kept in temporary files.
    device : str or None
        Where networks learn and run: 'cpu', 'cuda', 'cuda:1', 'mps'; None means the best there is.
    """

    threads: int | None = None
    progress: bool | None = None
    checkpoint: str | Path | None = None
    checkpoint_seconds: float = 5.0
    block_bytes: int = 2**22
    spill_bytes: int = 2**30
    device: str | None = None

    def __post_init__(self) -> None:
        if self.threads is not None and not _is_count(self.threads):
            raise ValueError(
                f"threads={self.threads!r} must be an int, at least 1, or None for all cores."
            )
        if self.progress not in (None, True, False):
            raise ValueError(f"progress={self.progress!r} must be True, False or None.")
        if not isinstance(self.checkpoint, str | Path | None):
            raise ValueError(f"checkpoint={self.checkpoint!r} must be a folder or None.")
        if not isinstance(self.checkpoint_seconds, Real) or not self.checkpoint_seconds >= 0:
            raise ValueError(
                f"checkpoint_seconds={self.checkpoint_seconds!r} must be a number, at least 0."
            )
        if not _is_count(self.block_bytes):
            raise ValueError(f"block_bytes={self.block_bytes!r} must be an int, at least 1.")
        if not _is_count(self.spill_bytes):
            raise ValueError(f"spill_bytes={self.spill_bytes!r} must be an int, at least 1.")
        if not isinstance(self.device, str | None):
            raise ValueError(
                f"device={self.device!r} must be the name of a device, such as 'cpu' or 'cuda', "
                "or None for the best there is."
            )

    @property
    def n_threads(self) -> int:
        return self.threads or _available_cores()


def _is_count(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= 1


@functools.cache
def _available_cores() -> int:
    """Cores that this process may use: by its affinity, and by the limits of a container."""
    import joblib

    return joblib.cpu_count()


_default = Config()
_override: ContextVar[Config | None] = ContextVar("lowdim_config", default=None)


def get_config() -> Config:
    """The settings in force here."""
    return _override.get() or _default


def set_config(**settings: Any) -> None:
    """Change settings for the whole program (all threads); see `Config` for their meaning."""
    global _default
    _default = _changed(_default, settings)


@contextmanager
def config_context(**settings: Any) -> Iterator[Config]:
    """Change settings within a `with` block, for this thread only.

    Examples
    --------
    >>> import lowdim
    >>> with lowdim.config_context(threads=1) as config:
    ...     config.n_threads
    1
    """
    token = _override.set(_changed(get_config(), settings))
    try:
        yield get_config()
    finally:
        _override.reset(token)


def _changed(config: Config, settings: dict[str, Any]) -> Config:
    known = [field.name for field in fields(Config)]
    for name in settings:
        if name not in known:
            raise TypeError(f"There is no setting {name!r}; the settings are {', '.join(known)}.")
    return replace(config, **settings)
