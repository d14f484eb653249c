"""Our own threads over blocks, with BLAS held to one thread meanwhile.

Work is cut into blocks the same way whatever the number of threads, and every block is worked on
by one thread with single-threaded BLAS: so the number of threads cannot change a result.
"""

from __future__ import annotations

import contextvars
import os
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sized
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeVar

from lowdim.core.config import get_config

Item = TypeVar("Item")
Result = TypeVar("Result")

# reentrant: the garbage collector may close a forgotten generator, which holds BLAS, at any time
_lock = threading.RLock()
_pools: dict[int, ThreadPoolExecutor] = {}
_inside = threading.local()


def ordered_map(
    function: Callable[[Item], Result], items: Iterable[Item]
) -> Generator[Result, None, None]:
    """function(item) for every item, in order, on the configured number of threads.

    At most `threads` items are in work and one more result waits: a stream of large items needs
    memory for that many. BLAS is held until the last result is taken, or the generator closed.
    """
    threads = _threads_for(items)
    with single_threaded_blas():
        if threads == 1:
            yield from map(function, items)
            return
        pool, waiting = _pool(threads), deque[Future[Result]]()
        try:
            for item in items:
                waiting.append(pool.submit(contextvars.copy_context().run, function, item))
                if len(waiting) > threads:
                    yield _first_result(waiting)
            while waiting:
                yield _first_result(waiting)
        finally:
            for future in waiting:
                future.cancel()
            wait(waiting)  # no block is still in work when BLAS gets its threads back


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


_holders = 0
_blas: _Blas | None = None
_original: list[int] = []  # threads of each shared library before the first holder came


class _Blas(NamedTuple):
    """The BLAS libraries of this process, by what their number of threads belongs to."""

    shared: list[Any]  # to the process: OpenBLAS on its own threads
    per_thread: list[Any]  # to each thread that sets it: MKL, and OpenBLAS on OpenMP


@contextmanager
def single_threaded_blas() -> Iterator[None]:
    """Hold BLAS to one thread until the last of all concurrent holders is done.

    Where the limit is a property of the process, the first holder sets it and the last one restores
    it, so fits that run side by side never restore each other's limit.
    """
    global _holders, _original
    with _lock:
        blas = _find_blas()
        if _holders == 0:
            _original = _set_threads(blas.shared, [1] * len(blas.shared))
        _holders += 1
    own = _set_threads(blas.per_thread, [1] * len(blas.per_thread))
    try:
        yield
    finally:
        _set_threads(blas.per_thread, own)
        with _lock:
            _holders = max(_holders - 1, 0)  # 0 before, in a child forked from inside
            if _holders == 0:
                _give_back(blas)


def _find_blas() -> _Blas:
    global _blas
    if _blas is None:
        import scipy.linalg  # noqa: F401  (NumPy and SciPy bring a BLAS each: load, then look)
        from threadpoolctl import ThreadpoolController

        libraries = ThreadpoolController().select(user_api="blas").lib_controllers
        per_thread = [library for library in libraries if _is_per_thread(library)]
        _blas = _Blas([library for library in libraries if library not in per_thread], per_thread)
    return _blas


def _is_per_thread(library: Any) -> bool:
    return library.internal_api == "mkl" or getattr(library, "threading_layer", "") == "openmp"


def _set_threads(libraries: list[Any], threads: list[int]) -> list[int]:
    """Set the number of threads of each library; returns what it was.

    One by one, and not by ThreadpoolController.limit, which makes a report on each call: that
    would cost a small fold half of its time.
    """
    before = [library.get_num_threads() for library in libraries]
    for library, number in zip(libraries, threads, strict=True):
        _release(library)
        library.set_num_threads(number)
    return before


def _release(library: Any) -> None:
    """Let any thread set OpenBLAS next; newer versions of threadpoolctl obey only the first.

    But the holder that gives BLAS back may be another than the one that took it.
    """
    if hasattr(library, "clear_controlling_thread"):
        library.clear_controlling_thread(force=True)


def _give_back(blas: _Blas) -> None:
    _set_threads(blas.shared, _original)
    for library in blas.shared:
        _release(library)


def _forget_after_fork() -> None:
    """Threads and locks do not survive a fork: the child starts with none."""
    global _lock, _holders
    _lock = threading.RLock()
    _pools.clear()
    _inside.worker = False
    if _holders and _blas is not None:
        _give_back(_blas)
    _holders = 0


if hasattr(os, "register_at_fork"):  # not on Windows, which does not fork
    os.register_at_fork(after_in_child=_forget_after_fork)
