"""Threads over blocks: BLAS held and given back, side by side, in forked children, after errors."""

import gc
import multiprocessing
import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from lowdim.core import threads
from lowdim.core.blocks import ArrayBlocks
from lowdim.core.config import config_context
from lowdim.core.opening import as_blocks
from lowdim.core.threads import (
    fetched_ahead,
    ordered_map,
    released_blas,
    shared_map,
    single_threaded_blas,
)
from lowdim.tables.streaming import stream

X = np.random.default_rng(0).normal(size=(4000, 30))


def blas_threads():
    """How many threads each BLAS of this process uses."""
    return [info["num_threads"] for info in threadpool_info() if info["user_api"] == "blas"]


def gram(block):
    return block.T @ block


def count_limited(block):
    return int(set(blas_threads()) == {1})


def folded():
    with config_context(threads=2, block_bytes=2**14):
        return as_blocks(X).fold(gram)


@pytest.fixture(autouse=True)
def blas_as_before():
    """Two BLAS threads, whatever the machine; no test may leave it at another number."""
    with single_threaded_blas():
        pass
    with threadpool_limits(2, user_api="blas"):
        before = blas_threads()
        assert before and set(before) == {2}
        yield
        assert blas_threads() == before
        assert not threads._holders


def wait_until(holds):
    """Wait for what other threads will do within ten seconds."""
    for _ in range(1000):
        if holds():
            return
        time.sleep(0.01)
    raise AssertionError("it never came to hold")


def reader_threads():
    return [thread for thread in threading.enumerate() if "lowdim-reader" in thread.name]


# In order


@pytest.mark.parametrize("n_threads", [1, 2, 3])
@pytest.mark.parametrize("kind", [list, iter])
def test_results_come_in_order(n_threads, kind):
    with config_context(threads=n_threads):
        assert list(ordered_map(str, kind(range(100)))) == [str(i) for i in range(100)]
        assert list(ordered_map(str, kind([]))) == []


@pytest.mark.parametrize("n_threads", [1, 2, 3])
def test_shared_work_comes_in_order_with_blas_held(n_threads):
    with config_context(threads=n_threads):
        found = shared_map(lambda i: (i, count_limited(None)), range(20))
    assert found == [(i, 1) for i in range(20)]
    assert shared_map(str, []) == []


def test_shared_work_is_done_by_the_caller_too_and_work_within_it_stays_where_it_is():
    meet = threading.Barrier(2, timeout=10)

    def work(i):
        meet.wait()  # both are in work at once
        inner = list(ordered_map(lambda _: threading.get_ident(), range(3)))
        return threading.get_ident(), set(inner)

    with config_context(threads=2):
        found = shared_map(work, range(2))
        assert len(list(ordered_map(abs, range(3)))) == 3  # the caller has its threads again
    assert threading.get_ident() in {thread for thread, _ in found}
    assert len({thread for thread, _ in found}) == 2
    assert all(inner == {thread} for thread, inner in found)


@pytest.mark.parametrize("n_threads", [1, 2])
@pytest.mark.parametrize("of_caller", [True, False])
def test_an_error_in_shared_work_ends_it(n_threads, of_caller):
    caller, done, raised = threading.get_ident(), [], threading.Event()

    def work(i):
        if (threading.get_ident() == caller) == of_caller or n_threads == 1:
            raised.set()
            raise KeyError(i)
        raised.wait(10)  # the other thread may begin late
        time.sleep(0.01)
        done.append(i)

    with config_context(threads=n_threads), pytest.raises(KeyError):
        shared_map(work, range(50))
    n_done = len(done)
    assert n_done < 5
    time.sleep(0.03)
    assert len(done) == n_done  # nothing is still in work


def test_only_a_few_items_are_taken_ahead_of_the_results():
    taken = []

    def items():
        for i in range(100):
            taken.append(i)
            yield i

    with config_context(threads=3), closing(ordered_map(str, items())) as results:
        for done, _ in enumerate(results, start=1):
            assert len(taken) <= done + 3


def test_work_really_runs_on_several_threads():
    meeting = threading.Barrier(2, timeout=30)

    def meet(item):
        meeting.wait()  # two must be here at once, or the barrier breaks
        return threading.get_ident()

    with config_context(threads=2):
        assert len(set(ordered_map(meet, range(8)))) == 2


def test_a_single_block_is_worked_on_where_it_is_called():
    with config_context(threads=4):
        assert as_blocks(X[:10]).fold(lambda block: threading.get_ident()) == threading.get_ident()


# BLAS


def test_blas_has_one_thread_while_blocks_are_worked_on():
    for n_threads in (1, 2):
        with config_context(threads=n_threads):
            rows = ArrayBlocks(X, block_rows=400)
            assert rows.fold(count_limited) == 10
            assert rows.map(lambda block: np.full(len(block), count_limited(block))).all()


def test_holders_side_by_side_do_not_give_blas_back_too_early():
    inside, leave = threading.Barrier(2, timeout=30), threading.Event()

    def hold():
        with single_threaded_blas():
            inside.wait()
            leave.wait(timeout=30)

    other = threading.Thread(target=hold)
    other.start()
    with single_threaded_blas():
        inside.wait()
    assert set(blas_threads()) == {1}  # the other one still holds it
    leave.set()
    other.join()


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
@pytest.mark.parametrize("n_threads", [1, 2])
def test_an_error_where_results_are_added_up_gives_blas_back(error, n_threads):
    def fails(left, right):
        raise error("while adding")

    with config_context(threads=n_threads):
        rows = ArrayBlocks(X, block_rows=100)
        with pytest.raises(error, match="while adding") as caught:
            rows._reduce(gram, (), (), fails)
    # the traceback in `caught` keeps every frame alive: that must not keep BLAS
    assert caught.value is not None and set(blas_threads()) == {2}


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
@pytest.mark.parametrize("n_threads", [1, 2])
def test_an_error_in_a_function_gives_blas_back(error, n_threads):
    def fails(block):
        raise error("in a block")

    with config_context(threads=n_threads):
        rows = ArrayBlocks(X, block_rows=100)
        for work in (rows.fold, rows.map):
            with pytest.raises(error, match="in a block") as caught:
                work(fails)
            assert caught.value is not None and set(blas_threads()) == {2}


def test_no_block_is_still_in_work_after_an_error():
    started, finished = threading.Event(), threading.Event()

    def work(item):
        if item == 0:
            started.wait(timeout=30)
            raise ValueError("first")
        started.set()
        never.wait(timeout=0.05)  # still here when the error is out, unless it is waited for
        finished.set()
        return item

    never = threading.Event()
    with config_context(threads=2), pytest.raises(ValueError, match="first"):
        list(ordered_map(work, range(5)))
    assert finished.is_set()


@pytest.mark.parametrize("n_threads", [1, 2])
def test_between_results_blas_belongs_to_the_caller(n_threads):
    with (
        config_context(threads=n_threads),
        closing(ordered_map(count_limited, [X] * 20)) as results,
    ):
        assert next(results) == 1
        while threads._holders:  # further items are in work ahead of the caller
            time.sleep(0.001)
        assert set(blas_threads()) == {2}
        assert list(results) == [1] * 19
    assert set(blas_threads()) == {2}


def test_results_that_are_not_taken_to_the_end_give_blas_back():
    with config_context(threads=2), closing(ordered_map(gram, [X] * 20)) as results:
        next(results)
    assert not threads._holders and set(blas_threads()) == {2}


def test_generators_forgotten_in_a_cycle_cannot_block_the_lock():
    results = ordered_map(gram, [X] * 20)
    next(results)
    with threads._lock:  # the garbage collector may close it while this thread holds the lock
        results.close()
    wait_until(lambda: not threads._holders)  # what was in work ends by itself


class PerThreadBlas:
    """A BLAS whose number of threads belongs to the thread that sets it, as MKL's does."""

    internal_api = "mkl"

    def __init__(self):
        self._local = threading.local()

    def get_num_threads(self):
        return getattr(self._local, "threads", 4)

    def set_num_threads(self, number):
        self._local.threads = number


@pytest.mark.parametrize("n_threads", [1, 2])
def test_a_blas_that_counts_threads_by_thread_is_limited_on_all_of_ours(n_threads, monkeypatch):
    blas = PerThreadBlas()
    assert threads._is_per_thread(blas)
    monkeypatch.setattr(threads, "_blas", threads._Blas([], [blas]))
    monkeypatch.setattr(threads, "_pools", {})

    def numbers():
        with config_context(threads=n_threads):
            return ArrayBlocks(X[:20], block_rows=1).map(
                lambda x: np.array([blas.get_num_threads()])
            )

    assert set(numbers()) == {1}
    assert blas.get_num_threads() == 4
    with ThreadPoolExecutor(2) as users:  # each user's thread is a holder of its own
        for seen in users.map(lambda _: numbers(), range(4)):
            assert set(seen) == {1}
        assert set(users.map(lambda _: blas.get_num_threads(), range(4))) == {4}


def test_a_decorated_function_holds_blas_each_time_and_keeps_its_name():
    held = single_threaded_blas()(blas_threads)
    assert set(held()) == set(held()) == {1}
    assert held.__name__ == "blas_threads" and held.holds_blas
    assert set(blas_threads()) == {2}


def test_a_limit_that_others_restore_meanwhile_is_set_again():
    with single_threaded_blas():
        with threadpool_limits(3, user_api="blas"):  # as a library does whose limit overlaps ours
            with single_threaded_blas():
                assert set(blas_threads()) == {1}
        assert ArrayBlocks(X).fold(count_limited) == 1


def test_released_blas_is_the_callers_and_then_held_again():
    with single_threaded_blas(), single_threaded_blas():
        with released_blas():
            assert set(blas_threads()) == {2}
            assert ArrayBlocks(X).fold(count_limited) == 1
            assert set(blas_threads()) == {2}
        assert set(blas_threads()) == {1}
    with released_blas():  # nothing to release
        assert set(blas_threads()) == {2}


def test_blas_is_released_only_as_far_as_nobody_else_holds_it():
    inside, leave = threading.Event(), threading.Event()

    def hold():
        with single_threaded_blas():
            inside.set()
            leave.wait(timeout=30)

    other = threading.Thread(target=hold)
    other.start()
    inside.wait(timeout=30)
    with single_threaded_blas(), released_blas():
        assert set(blas_threads()) == {1}
        leave.set()
        other.join()
        assert set(blas_threads()) == {2}


def test_a_blas_that_counts_threads_by_thread_is_released_too(monkeypatch):
    blas = PerThreadBlas()
    monkeypatch.setattr(threads, "_blas", threads._Blas([], [blas]))
    with single_threaded_blas(), single_threaded_blas():
        assert blas.get_num_threads() == 1
        with released_blas():
            assert blas.get_num_threads() == 4
        assert blas.get_num_threads() == 1
    assert blas.get_num_threads() == 4


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no interval timer")
def test_ctrl_c_at_any_moment_leaves_no_holder_behind(rng):
    def hold():
        with single_threaded_blas(), single_threaded_blas():
            with released_blas():
                pass

    hold()
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    interrupted = 0
    try:
        for seconds in rng.uniform(2e-6, 6e-5, size=300):
            try:
                signal.setitimer(signal.ITIMER_REAL, seconds)
                for _ in range(20):
                    hold()
            except KeyboardInterrupt:
                interrupted += 1
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert interrupted > 100
    gc.collect()
    assert not threads._holders and set(blas_threads()) == {2}


# Side by side


def test_the_last_holder_gives_blas_back_also_when_the_first_was_another_thread():
    inside, leave = threading.Event(), threading.Event()

    def hold():
        with single_threaded_blas():
            inside.set()
            leave.wait(timeout=30)

    first = threading.Thread(target=hold)
    first.start()
    inside.wait(timeout=30)
    with single_threaded_blas():
        leave.set()
        first.join()
        assert set(blas_threads()) == {1}
    assert set(blas_threads()) == {2}


def test_four_threads_that_fold_at_once_get_what_one_gets():
    alone = folded()
    with ThreadPoolExecutor(4) as users:
        together = list(users.map(lambda _: folded(), range(12)))
    for result in together:
        np.testing.assert_array_equal(result, alone)


def test_the_number_of_blas_threads_does_not_change_results():
    results = []
    for n in (1, 2):
        with threadpool_limits(n, user_api="blas"):
            results.append(folded())
            results.append(as_blocks(X).map(np.matmul, X[:30].T))
    np.testing.assert_array_equal(results[0], results[2])
    np.testing.assert_array_equal(results[1], results[3])


# Forks


def fold_in_child(connection):
    assert as_blocks(X).fold(count_limited) == 1
    connection.send((folded(), blas_threads()))
    connection.close()


def result_of_child(start):
    context = multiprocessing.get_context("fork")
    receive, send = context.Pipe(duplex=False)
    child = start(context, send)
    assert receive.poll(60), "the forked child hangs"
    result = receive.recv()
    child.join(60)
    assert child.exitcode == 0
    return result


fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
no_thread_warning = pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork.*:DeprecationWarning")


def start_child(context, send):
    child = context.Process(target=fold_in_child, args=(send,))
    child.start()
    return child


@fork
@no_thread_warning
def test_a_forked_child_folds_as_its_parent_did():
    parent = folded()  # starts the threads that do not survive the fork
    child, blas = result_of_child(start_child)
    np.testing.assert_array_equal(child, parent)
    assert set(blas) == {2}


@fork
@no_thread_warning
def test_a_child_forked_while_another_thread_folds_gets_its_own_start():
    inside, leave = threading.Event(), threading.Event()

    def hold(block):
        inside.set()
        leave.wait(timeout=60)
        return 0

    other = threading.Thread(target=lambda: as_blocks(X[:10]).fold(hold))
    other.start()
    inside.wait(timeout=60)
    with threads._lock:  # as if the fork came at the worst moment
        child, blas = result_of_child(start_child)
    leave.set()
    other.join()
    np.testing.assert_array_equal(child, folded())
    assert set(blas) == {2}


@fork
@no_thread_warning
def test_a_child_forked_from_within_a_fold_can_go_on():
    context = multiprocessing.get_context("fork")
    receive, send = context.Pipe(duplex=False)

    def fork_inside(block):
        return os.fork()

    with config_context(threads=1):
        pid = ArrayBlocks(X[:1]).fold(fork_inside)
    if pid == 0:  # the child: out of the fold that it was born in
        code = 1
        try:
            fold_in_child(send)
            code = 0
        finally:
            os._exit(code)
    assert receive.poll(60), "the forked child hangs"
    child, blas = receive.recv()
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    np.testing.assert_array_equal(child, folded())
    assert set(blas) == {2}


# Fetched ahead


def test_the_next_item_is_fetched_while_this_one_is_used():
    fetched = [threading.Event() for _ in range(5)]

    def items():
        for i, event in enumerate(fetched):
            event.set()
            yield i

    for i in fetched_ahead(items()):
        if i + 1 < len(fetched):
            assert fetched[i + 1].wait(timeout=30)  # without our asking for it
        if i + 2 < len(fetched):
            assert not fetched[i + 2].is_set()  # but no further: memory is for two
    assert reader_threads() == []


def test_an_error_while_fetching_comes_out_in_its_place():
    def items():
        yield 1
        yield 2
        raise OSError("disk")

    got = []
    with pytest.raises(OSError, match="disk"):
        got.extend(fetched_ahead(items()))
    assert got == [1, 2] and reader_threads() == []


def test_closing_early_ends_the_reader_and_closes_what_it_read():
    closed = threading.Event()

    def items():
        try:
            while True:
                yield 0
        finally:
            closed.set()

    source = items()
    with closing(fetched_ahead(source)) as ahead:
        next(ahead)
    assert closed.is_set() and reader_threads() == []


@pytest.mark.parametrize("n_threads", [1, 2])
def test_an_error_in_a_pass_over_a_stream_leaves_no_reader_and_no_open_source(n_threads):
    open_sources = 0

    def blocks():
        nonlocal open_sources
        open_sources += 1
        try:
            for _ in range(50):
                yield X[:100]
        finally:
            open_sources -= 1

    def fails(block):
        raise ValueError("in a block")

    def fails_adding(left, right):
        raise ValueError("while adding")

    rows = stream(blocks)
    with config_context(threads=n_threads):
        works = [
            lambda: rows.fold(fails),
            lambda: rows.map(fails),
            lambda: rows._reduce(gram, (), (), fails_adding),
            lambda: rows.take(np.array([10**9])),
        ]
        for work in works:
            with pytest.raises((ValueError, IndexError)) as caught:
                work()
            assert caught.value is not None  # its traceback is alive
            assert reader_threads() == [] and open_sources == 0
        batches = rows.batches(7)
        next(batches)
        batches.close()
        assert reader_threads() == [] and open_sources == 0
        assert rows.fold(len) == 5000


def test_a_stream_whose_source_folds_itself_finishes():
    def blocks():
        for _ in range(3):
            yield ArrayBlocks(X, block_rows=100).map(np.square)

    with config_context(threads=2):
        total = stream(blocks).fold(gram)
    np.testing.assert_allclose(total, 3 * (X**2).T @ X**2, rtol=1e-12)
