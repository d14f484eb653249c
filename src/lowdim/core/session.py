"""The session of one fit: what its loops share, which is a checkpoint and the answer to Ctrl-C.

A checkpoint is one file: the states of all loops so far, and what they belong to (the model, its
parameters, a hash of the data). Its name follows from these, so that any number of fits may share
a folder. It is written every few seconds, read when a loop begins, and removed when the fit is
done. `core/persistence` has its format.

    <folder>/<model>-<hash of what it belongs to>.checkpoint
"""

from __future__ import annotations

import copy
import json
import signal
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from hashlib import blake2b
from numbers import Number
from pathlib import Path
from typing import Any, Protocol, cast

import joblib
import numpy as np

from lowdim._version import __version__
from lowdim.core.atomic import remove_leftovers
from lowdim.core.callbacks import FitTask
from lowdim.core.calling import level_of_caller
from lowdim.core.config import get_config
from lowdim.core.persistence import LoadError, read_state, write_state

EARLIER_NAME = "fit.checkpoint"  # of the one checkpoint that a folder had


class CheckpointError(ValueError):
    """A checkpoint of another version of lowdim or of another fit, or that cannot be read."""


class InterruptedFitWarning(UserWarning):
    """Ctrl-C ended a fit early; the model holds the best parameters up to then."""


class Fingerprinted(Protocol):
    """What a fit learns from."""

    def fingerprint(self) -> str:
        """A hash of every value."""


class Resumable(Protocol):
    """What a session needs of a loop."""

    params: Any

    def state(self) -> dict:
        """All that it takes to go on from here."""

    def take_up(self, state: dict) -> None:
        """Go on from this state."""


_current: ContextVar[Session | None] = ContextVar("lowdim_session", default=None)


class Session:
    """What the loops of one fit share: the checkpoint, and whether Ctrl-C was pressed.

    A fit inside a fit (a mixture that starts from k-means) has no checkpoint of its own: it is
    repeated, and the outer loop then takes up its saved state.
    """

    def __init__(
        self,
        estimator: Any,
        task: FitTask | None = None,
        parent: Session | None = None,
        folder: str | Path | None = None,
    ):
        self.root: Session = parent.root if parent else self
        self.estimator = estimator
        self.task = task or FitTask(estimator, None)
        self.interrupted = False
        self.data: dict[str, list[Fingerprinted]] = {}  # what is learned from
        self._folder = Path(folder) if folder and not parent else None
        self.start = _learned_before(estimator) if self._folder else {}
        self._identity: dict[str, str] = {}  # what the checkpoint belongs to
        self._file = Path()  # follows from it
        self._taken_up: Path | None = None  # of an earlier name
        self._saved: list[dict] | None = None  # what it holds, once looked for
        self._finished: list[dict] = []  # the loops of this fit that are done
        self._written = time.monotonic()
        self._closed = False  # after Ctrl-C the file keeps the state in which the fit was cut short
        self._warned: set[str] = set()

    def begin(self, loop: Resumable) -> None:
        """Take up the state in which a checkpoint left this loop, if there is one."""
        if self._folder is None:
            return
        if self._saved is None:
            self._saved = self._read()
        if len(self._finished) < len(self._saved):
            state = self._saved[len(self._finished)]
            if type(state["params"]) is not type(loop.params):
                file = self._taken_up or self._file
                raise CheckpointError(_refusal(file, "holds the state of another method"))
            loop.take_up(state)

    def note(self, loop: Resumable) -> None:
        """Write the state down, if the last time is long enough ago or the fit is cut short."""
        if self._folder is None or self._closed:
            return
        self._closed = self.interrupted
        if self._closed or time.monotonic() - self._written >= get_config().checkpoint_seconds:
            self._write([*self._finished, loop.state()])
            self._written = time.monotonic()

    def end(self, loop: Resumable) -> None:
        """Keep the final state of a loop, for the checkpoints of those that follow it."""
        if self._folder and not self._closed:
            self._finished.append(loop.state())

    def close(self, *, succeeded: bool) -> None:
        """The fit is over: its checkpoint has served, unless it was cut short."""
        if self._identity and succeeded and not self.interrupted:
            self._file.unlink(missing_ok=True)
            if self._taken_up is not None:
                self._taken_up.unlink(missing_ok=True)

    def warn_interrupted(self, n_iter: int, which: str = "best") -> None:
        kept = f" The state is in {self._file}; fit again to continue." if self._closed else ""
        self._warn_once(
            f"Ctrl-C ended the fit of {type(self.estimator).__name__} after {n_iter} "
            f"iterations; the model holds the {which} parameters so far.{kept}",
            InterruptedFitWarning,
        )

    def _warn_once(self, message: str, category: type[Warning]) -> None:
        if category.__name__ not in self._warned:
            self._warned.add(category.__name__)
            warnings.warn(message, category, stacklevel=level_of_caller())

    def _write(self, states: list[dict]) -> None:
        try:
            write_state(self._file, self._identity, states)
        except OSError as error:  # a full disk must not end a fit that is well
            self._warn_once(
                f"The checkpoint {self._file} cannot be written ({error}); the fit goes on.",
                RuntimeWarning,
            )

    def _read(self) -> list[dict]:
        assert self._folder is not None
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CheckpointError(
                f"checkpoint={str(self._folder)!r} cannot be a folder ({error}); choose one that "
                "exists or can be made."
            ) from error
        remove_leftovers(self._folder)
        self._identity = _identity(self)
        self._file = self._folder / _file_name(self._identity)
        try:
            return self._states_in(self._file)
        except FileNotFoundError:  # or just finished by the same fit in another process
            pass
        earlier = self._folder / EARLIER_NAME
        if not _belongs_to(earlier, self._identity):
            return []
        self._taken_up = earlier
        return self._states_in(earlier)

    def _states_in(self, file: Path) -> list[dict]:
        try:
            header, saved = read_state(file)
        except LoadError as error:
            raise CheckpointError(_refusal(file, f"cannot be read ({error})")) from error
        header.pop("format", None)
        for what in [*self._identity, *header]:
            then, now = header.get(what), self._identity.get(what)
            if then != now:
                reason = f"was written with {what}={then}, and this fit has {what}={now}"
                raise CheckpointError(_refusal(file, reason))
        return cast(list[dict], saved)


def _refusal(file: Path, reason: str) -> str:
    return (
        f"The checkpoint {file} {reason}. Fit the same model with the same parameters to the same "
        "data to continue it, or choose another checkpoint folder, or delete the file to start "
        "anew."
    )


@contextmanager
def session_of_fit(estimator: Any, task: FitTask) -> Iterator[None]:
    """The session in which the loops of this fit find themselves."""
    parent = _current.get()
    if parent is not None and parent.estimator is estimator:  # fit_transform that calls fit
        yield
        return
    session = Session(estimator, task, parent, folder=get_config().checkpoint)
    token, succeeded = _current.set(session), False
    try:
        yield
        succeeded = True
    finally:
        _current.reset(token)
        session.close(succeeded=succeeded)


def current_session() -> Session | None:
    """The session of the fit that runs on this thread, if any."""
    return _current.get()


def belongs_to_fit(rows: Fingerprinted, name: str = "X") -> None:
    """Note that the fit running on this thread, if any, learns from these rows, or this text."""
    session = _current.get()
    if session is not None:
        session.data.setdefault(name, []).append(rows)


def _identity(session: Session) -> dict[str, str]:
    """What a checkpoint belongs to, as text that is the same in another process."""
    estimator = session.estimator
    parameters = estimator.get_params(deep=False)
    return {
        "lowdim": __version__,
        "model": type(estimator).__name__,
        **{name: _described(value) for name, value in sorted(parameters.items())},
        **session.start,
        **{
            name: ", ".join(rows.fingerprint() for rows in learned)
            for name, learned in session.data.items()
        },
    }


def _learned_before(estimator: Any) -> dict[str, str]:
    """What a fit with warm_start goes on from, as part of what its checkpoint belongs to."""
    learned = {name: value for name, value in vars(estimator).items() if name.endswith("_")}
    warm = bool(getattr(estimator, "warm_start", False)) and learned
    return {"learned before": joblib.hash(learned)} if warm else {}


def _file_name(identity: dict[str, str]) -> str:
    """A name that only fits of this model with these parameters to these data share.

    The version is left out: a checkpoint of another one is found, and refused.
    """
    text = json.dumps(_without_version(identity), sort_keys=True)
    digest = blake2b(text.encode(errors="surrogatepass"), digest_size=12).hexdigest()
    return f"{identity['model']}-{digest}.checkpoint"


def _belongs_to(file: Path, identity: dict[str, str]) -> bool:
    """Whether a checkpoint of the earlier name, which any fit may have left, is of this one."""
    try:
        header, _ = read_state(file)
    except (LoadError, OSError):
        return False
    header.pop("format", None)
    return _without_version(header) == _without_version(identity)


def _without_version(identity: dict[str, Any]) -> dict[str, Any]:
    return {what: value for what, value in identity.items() if what != "lowdim"}


def _described(value: Any) -> str:
    if value is None or isinstance(value, Number | str):
        return repr(value)
    if hasattr(value, "__qualname__"):
        return f"{value.__module__}.{value.__qualname__}"
    return f"{type(value).__name__} {joblib.hash(value)}"


# ---- states --------------------------------------------------------------------------------------


def frozen(params: Any) -> Any:
    """Parameters that do not move on: arrays are never written into, generators are copied."""
    if isinstance(params, np.random.Generator):
        return copy.deepcopy(params)
    return _rebuilt(params, frozen, params)


def taken_up(saved: Any, start: Any) -> Any:
    """Saved parameters, with the generators of `start` moved on: the fit may use them again."""
    if isinstance(start, np.random.Generator):
        _move(start.bit_generator, saved.bit_generator)
        return start
    return _rebuilt(saved, taken_up, saved, start) if _same_parts(saved, start) else saved


def _same_parts(saved: Any, start: Any) -> bool:
    if isinstance(saved, dict):
        return isinstance(start, dict) and saved.keys() == start.keys()
    return (
        isinstance(saved, tuple | list) and type(start) is type(saved) and len(saved) == len(start)
    )


def _move(generator: Any, to: Any) -> None:
    generator.state = to.state
    then, now = (getattr(bits.seed_seq, "n_children_spawned", 0) for bits in (to, generator))
    if then > now:
        generator.seed_seq.spawn(then - now)


def _rebuilt(like: Any, change: Callable, *trees: Any) -> Any:
    """change(part, ...) for the parts of trees of one shape; what has no parts stays."""
    if isinstance(like, dict):
        return {key: change(*(tree[key] for tree in trees)) for key in like}
    if isinstance(like, tuple | list):
        values = [change(*parts) for parts in zip(*trees, strict=True)]
        return like._make(values) if hasattr(like, "_make") else type(like)(values)
    return like


# ---- Ctrl-C, and warnings ------------------------------------------------------------------------


@contextmanager
def answering_interrupts(session: Session) -> Iterator[None]:
    """The first Ctrl-C asks the loop to end after this iteration; the second raises as usual."""
    previous = signal.getsignal(signal.SIGINT)
    elsewhere = threading.current_thread() is not threading.main_thread()
    if elsewhere or session.interrupted or not _may_be_replaced(previous):
        yield
        return

    def ask_to_stop(number: int, frame: Any) -> None:
        session.interrupted = True
        signal.signal(signal.SIGINT, previous)

    signal.signal(signal.SIGINT, ask_to_stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)


def _may_be_replaced(handler: Any) -> bool:
    """Not a handler set outside Python, not "ignore", and not that of a loop around this one."""
    ours = getattr(handler, "__qualname__", "").startswith(answering_interrupts.__name__)
    return handler not in (None, signal.SIG_IGN) and not ours
