"""Our own threads over blocks, with BLAS held to one thread meanwhile.

Work is cut into blocks the same way whatever the number of threads, and every block is worked on
by one thread with single-threaded BLAS: so the number of threads cannot change a result.

The same holds for what lies between the blocks: every public method and function holds BLAS to one
thread while it runs (`single_threaded_blas`), because BLAS and LAPACK round in another way for
another number of threads. Large products go over our threads (`linalg/products.py`).
"""

from __future__ import annotations

import contextvars
import functools
import os
import threading
import weakref
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence, Sized
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from itertools import product
from typing import Any, NamedTuple, TypeVar, cast

from lowdim.core.config import get_config

Item = TypeVar("Item")
Result = TypeVar("Result")
Function = TypeVar("Function", bound=Callable)

# reentrant: the garbage collector may end a forgotten holder or generator while this thread has it
_lock = threading.RLock()
_pools: dict[int, ThreadPoolExecutor] = {}
_inside = threading.local()


def ordered_map(
    function: Callable[[Item], Result], items: Iterable[Item]
) -> Generator[Result, None, None]:
    """function(item) for every item, in order, on the configured number of threads.

    At most `threads` items are in work and one more result waits: a stream of large items needs
    memory for that many. BLAS is held while an item is in work, not while the caller uses a result.
    """
    threads = _threads_for(items)
    work = _holding(function)
    if threads == 1:
        yield from map(work, items)
        return
    pool, waiting = _pool(threads), deque[Future[Result]]()
    try:
        for item in items:
            waiting.append(pool.submit(contextvars.copy_context().run, work, item))
            if len(waiting) > threads:
                yield _first_result(waiting)
        while waiting:
            yield _first_result(waiting)
    finally:
        for future in waiting:
            future.cancel()
        if not _lock._is_owned():  # type: ignore[attr-defined]  # see _lock: workers may need it
            wait(waiting)  # no block is still in work after an error


def shared_map(function: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
    """function(item) for every item, in order; the calling thread works on them, too.

    For items of a millisecond or so: where `ordered_map` wakes a thread for each item and is woken
    by it, this one begins at once, and takes what no other thread has taken yet.
    """
    threads = _threads_for(items)
    work = _holding(function)
    if threads == 1:
        return [work(item) for item in items]
    found: list[Any] = [None] * len(items)
    left = deque(range(len(items)))

    def work_on() -> None:
        while left:
            try:
                i = left.popleft()
            except IndexError:  # another thread was quicker
                return
            try:
                found[i] = work(items[i])
            except BaseException:
                left.clear()  # nothing begins after an error
                raise

    pool = _pool(threads)
    others = [pool.submit(contextvars.copy_context().run, work_on) for _ in range(threads - 1)]
    _inside.worker = True
    try:
        work_on()
    finally:
        _inside.worker = False
        left.clear()  # Ctrl-C
        begun = [future for future in others if not future.cancel()]
        wait(begun)
    for future in begun:
        future.result()  # its error, if it had one
    return found


def _holding(function: Callable[[Item], Result]) -> Callable[[Item], Result]:
    """The function of one item with BLAS held; it takes no name and no signature from it."""

    def work(item: Item) -> Result:
        with _Hold():
            return function(item)

    return work


def _threads_for(items: Iterable) -> int:
    if getattr(_inside, "worker", False):
        return 1  # a fold inside a block stays on its thread: no pool waits for itself
    threads = get_config().n_threads
    return min(threads, max(len(items), 1)) if isinstance(items, Sized) else threads


def _start_worker() -> None:
    _inside.worker = True
    per_thread = _find_blas().per_thread
    _set_threads(per_thread, [1] * len(per_thread))


def _first_result(waiting: deque[Future[Result]]) -> Result:
    result = waiting[0].result()  # on Ctrl-C it still waits in the queue, to be waited for
    waiting.popleft()
    return result


def fetched_ahead(items: Iterable[Item]) -> Generator[Item, None, None]:
    """The same items; the next one is fetched on a thread of its own while this one is used.

    The thread ends with the last item, or when the generator is closed.
    """
    iterator, end = iter(items), object()
    context = contextvars.copy_context()
    reader = ThreadPoolExecutor(1, thread_name_prefix="lowdim-reader")

    def fetch() -> Any:
        return context.run(next, iterator, end)

    try:
        ahead = reader.submit(fetch)
        while (item := ahead.result()) is not end:
            ahead = reader.submit(fetch)
            yield item
    finally:
        reader.shutdown(cancel_futures=True)
        if isinstance(iterator, Generator):
            iterator.close()


def _pool(threads: int) -> ThreadPoolExecutor:
    with _lock:
        if threads not in _pools:
            _pools[threads] = ThreadPoolExecutor(
                threads, thread_name_prefix="lowdim", initializer=_start_worker
            )
        return _pools[threads]


_holders: dict[int, Any] = {}  # every `_Hold` that is inside: a weak reference by its id
_blas: _Blas | None = None
_original: list[int] | None = None  # threads of each shared library before; None: not held


class _Blas(NamedTuple):
    """The BLAS libraries of this process, by what their number of threads belongs to."""

    shared: list[Any]  # to the process: OpenBLAS on its own threads
    per_thread: list[Any]  # to each thread that sets it: MKL, and OpenBLAS on OpenMP


def single_threaded_blas() -> _Hold:
    """Hold BLAS to one thread until the last of all concurrent holders is done.

    For a `with` block, or as a decorator `@single_threaded_blas()` of a function (not of a
    generator function, whose body runs later). Costs a few microseconds, within another one less.

    Where the limit is a property of the process, the first holder sets it and the last one restores
    it, so fits that run side by side never restore each other's limit.
    """
    return _Hold()


class _Hold:
    """One holder. Whatever interrupts it, it leaves: at the latest when it is gone."""

    def __init__(self) -> None:
        self._own: list[int] = []  # threads of each per-thread library before
        self.thread = 0

    def __call__(self, function: Function) -> Function:
        @functools.wraps(function)
        def held(*args: Any, **kwargs: Any) -> Any:
            with _Hold():
                return function(*args, **kwargs)

        held.holds_blas = True  # type: ignore[attr-defined]
        return cast(Function, held)

    def __enter__(self) -> None:
        try:
            blas = _find_blas()
            self.thread = threading.get_ident()
            with _lock:
                self._join()
                _limit(blas)
            if blas.per_thread:
                self._own = _set_threads(blas.per_thread, [1] * len(blas.per_thread))
        except BaseException:
            self._leave()
            raise

    def __exit__(self, *error: object) -> None:
        try:
            self._leave()
        except BaseException:  # Ctrl-C: once more
            self._leave()
            raise

    def _join(self) -> None:
        # Ctrl-C may keep `__exit__` from running: then the reference notices that this one is gone
        # (and not `__del__`: it would run each time, and swallow each Ctrl-C that meets it)
        _holders[id(self)] = weakref.ref(self, functools.partial(_left, id(self)))

    def _leave(self) -> None:
        if self._own:
            _set_threads(_find_blas().per_thread, self._own)
        _left(id(self))


@contextmanager
def released_blas() -> Iterator[None]:
    """Give BLAS back for a while, as far as this thread holds it: for code of the user's."""
    holds, blas = _holds_of_this_thread(), _find_blas()
    own = holds[0]._own if holds else []
    for hold in holds:
        _left(id(hold))
    limited = _set_threads(blas.per_thread, own) if own else []
    try:
        yield
    finally:
        if own:
            _set_threads(blas.per_thread, limited)
        if holds:
            with _lock:
                for hold in holds:
                    hold._join()
                _limit(blas)


def _holds_of_this_thread() -> list[_Hold]:
    """The outermost first."""
    with _lock:
        holds = [reference() for reference in _holders.values()]
    here = threading.get_ident()
    return [hold for hold in holds if hold is not None and hold.thread == here]


def _left(holder: int, *_: object) -> None:
    with _lock:
        _holders.pop(holder, None)
        _give_back()


def _limit(blas: _Blas) -> None:
    """See that the shared libraries have one thread, and remember what they had.

    Within another hold, too: limits that others set and restore may overlap with ours.
    """
    global _original
    if _original is None:  # remembered before it is changed: Ctrl-C may come in between
        _original = [library.get_num_threads() for library in blas.shared]
    for library in blas.shared:
        if library.get_num_threads() != 1:
            library.set_num_threads(1)


def _give_back() -> None:
    """Restore the shared libraries if nobody holds them any more."""
    global _original
    if not _holders and _original is not None and _blas is not None:
        _set_threads(_blas.shared, _original)
        _original = None


def _find_blas() -> _Blas:
    global _blas
    if _blas is None:
        import scipy.linalg  # noqa: F401  (NumPy and SciPy bring a BLAS each: load, then look)
        from threadpoolctl import ThreadpoolController

        libraries = ThreadpoolController().select(user_api="blas").lib_controllers
        per_thread = [library for library in libraries if _is_per_thread(library)]
        shared = [_direct(library) for library in libraries if library not in per_thread]
        _blas = _Blas(shared, per_thread)
    return _blas


def _is_per_thread(library: Any) -> bool:
    return library.internal_api == "mkl" or getattr(library, "threading_layer", "") == "openmp"


class _OpenBlas(NamedTuple):
    """OpenBLAS by its own functions, which take a microsecond; by threadpoolctl it takes 20.

    And newer versions of that obey only the thread that came first, but the holder that gives BLAS
    back may be another than the one that took it.
    """

    get_num_threads: Callable[[], int]
    set_num_threads: Callable[[int], None]


def _direct(library: Any) -> Any:
    """The library by its own functions if they are found, else as threadpoolctl has it."""
    for prefix, suffix in product(("", "scipy_"), ("", "64_", "_64")):
        get = getattr(library.dynlib, f"{prefix}openblas_get_num_threads{suffix}", None)
        set_ = getattr(library.dynlib, f"{prefix}openblas_set_num_threads{suffix}", None)
        if get is not None and set_ is not None:
            return _OpenBlas(get, set_)
    return library


def _set_threads(libraries: list[Any], threads: list[int]) -> list[int]:
    """Set the number of threads of each library; returns what it was."""
    before = [library.get_num_threads() for library in libraries]
    for library, number in zip(libraries, threads, strict=True):
        library.set_num_threads(number)
    return before


def _forget_after_fork() -> None:
    """Threads and locks do not survive a fork: the child starts with none."""
    global _lock
    _lock = threading.RLock()
    _pools.clear()
    _inside.worker = False
    _holders.clear()
    _give_back()


if hasattr(os, "register_at_fork"):  # not on Windows, which does not fork
    os.register_at_fork(after_in_child=_forget_after_fork)
