"""Dask: the sums of the array, made on workers, lazily, and whatever happens to a worker."""

import os
import pickle
import signal
import sys
from pathlib import Path
from typing import NamedTuple

import cloudpickle
import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from dask.callbacks import Callback

from lowdim.core.blocks import ArrayBlocks
from lowdim.core.config import config_context, get_config
from lowdim.core.dask_blocks import FAN_IN, DaskBlocks
from lowdim.core.opening import as_blocks
from lowdim.core.validation import refuse_nonfinite

# the workers cannot import this file: its functions travel by value
cloudpickle.register_pickle_by_value(sys.modules[__name__])


class Moments(NamedTuple):
    count: int
    sum_x: np.ndarray
    sum_xx: np.ndarray


def moments(X, scale, weight):
    W = X if weight is None else X * weight[:, None]
    return Moments(len(X), scale * W.sum(axis=0), W.T @ X)


def project(X, W):
    return X @ W


def weighted(X, weight):
    return X * weight[:, None], weight


def first_column(X):
    return X[:, 0]


def above_zero(X):
    return X[:, 0] > 0


def dense_sum(X):
    return np.asarray(X.sum(axis=0))


class Counter(Callback):
    """Counts the tasks that local schedulers run."""

    def __init__(self):
        super().__init__(posttask=self._count)
        self.tasks = 0

    def _count(self, *args):
        self.tasks += 1


@pytest.fixture(scope="module")
def cluster():
    """Two worker processes on this machine, reached by loopback only."""
    from distributed import Client, LocalCluster

    quiet = {
        "distributed.scheduler.active-memory-manager.start": False,
        "distributed.comm.timeouts.connect": "60s",
        "distributed.worker.memory.terminate": False,
        "distributed.scheduler.allowed-failures": 5,
    }
    with (
        dask.config.set(quiet),
        LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            protocol="tcp://",
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            silence_logs=50,
        ) as local,
        Client(local, timeout="60s") as client,
    ):
        client.wait_for_workers(2, timeout=60)
        yield client


@pytest.fixture(params=["synchronous", "threads", "distributed"])
def scheduler(request):
    """Every scheduler in turn, as the active one."""
    if request.param == "distributed":
        yield request.getfixturevalue("cluster")
    else:
        with dask.config.set(scheduler=request.param):
            yield request.param


def matrix(rng, n=200, d=5):
    return rng.normal(size=(n, d))


# The same as the array


@pytest.mark.parametrize("chunks", [(37, 5), (200, 5), (9, 5), (64, 2), ((100, 0, 60, 40), (3, 2))])
def test_fold_map_sample_and_top_agree_with_the_array(chunks, rng):
    X, weight = matrix(rng), rng.uniform(size=200)
    rows, memory = as_blocks(da.from_array(X, chunks=chunks)), ArrayBlocks(X)
    assert rows.shape == (200, 5) and rows.known_rows == 200 and rows.n_columns == 5
    for along in ((weight,), (None,), (da.from_array(weight, chunks=30),)):
        numpy_along = [np.asarray(part) if part is not None else None for part in along]
        sums, expected = (
            rows.fold(moments, 2.0, along=along),
            memory.fold(moments, 2.0, along=numpy_along),
        )
        assert isinstance(sums, Moments) and sums.count == 200
        np.testing.assert_allclose(sums.sum_x, expected.sum_x, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(sums.sum_xx, expected.sum_xx, rtol=1e-12, atol=1e-12)
    W = rng.normal(size=(5, 2))
    np.testing.assert_allclose(rows.map(project, W).compute(), X @ W, rtol=1e-12, atol=1e-14)
    scaled, same = rows.map(weighted, along=(weight,))
    np.testing.assert_array_equal(scaled.compute(), X * weight[:, None])
    np.testing.assert_array_equal(same.compute(), weight)
    seed = int(rng.integers(1000))
    np.testing.assert_array_equal(
        rows.sample(20, np.random.default_rng(seed)), memory.sample(20, np.random.default_rng(seed))
    )
    best, expected = rows.top(first_column, 9), memory.top(first_column, 9)
    np.testing.assert_array_equal(best.index, expected.index)
    np.testing.assert_array_equal(best.rows, expected.rows)
    index = np.array([199, 0, 37, 37])
    np.testing.assert_array_equal(rows.take(index), X[index])
    for batch, expected in zip(
        rows.batches(33, along=(weight, None)),
        memory.batches(33, along=(weight, None)),
        strict=True,
    ):
        np.testing.assert_array_equal(batch[0], expected[0])
        np.testing.assert_array_equal(batch[1], expected[1])
        assert batch[2] is None


def test_every_scheduler_gives_the_same_bits(scheduler, rng):
    X, weight, W = matrix(rng), rng.uniform(size=200), rng.normal(size=(5, 2))
    rows = as_blocks(da.from_array(X, chunks=(23, 5)))
    with dask.config.set(scheduler="synchronous"):
        expected = rows.fold(moments, 2.0, along=(weight,)), rows.map(project, W).compute()
        best = rows.top(first_column, 9)
    sums = rows.fold(moments, 2.0, along=(weight,))
    assert type(sums).__name__ == "Moments"  # not `is`: this class travelled by value
    np.testing.assert_array_equal(sums.sum_xx, expected[0].sum_xx)
    np.testing.assert_array_equal(rows.map(project, W).compute(), expected[1])
    np.testing.assert_array_equal(rows.top(first_column, 9).index, best.index)
    np.testing.assert_allclose(sums.sum_xx, (X * weight[:, None]).T @ X, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(rows.take(np.array([150, 3])), X[[150, 3]])


def test_float32_is_kept_and_summed_in_float64():
    X = np.ones((4, 1), dtype=np.float32)
    X[0] = 2**24
    rows = as_blocks(da.from_array(X, chunks=(1, 1)))
    total = rows.fold(dense_sum)
    assert rows.dtype == np.float32 and total.dtype == np.float64 and total[0] == 2**24 + 3
    assert rows.map(np.square).dtype == np.float32


@pytest.mark.parametrize("dtype", [np.int32, np.uint8, bool, np.float16])
def test_other_numbers_become_float64(dtype):
    rows = as_blocks(da.ones((4, 2), chunks=2, dtype=dtype))
    assert rows.dtype == np.float64 and rows.fold(dense_sum).tolist() == [4.0, 4.0]


def test_sparse_chunks_stay_sparse(rng):
    X = matrix(rng) * (rng.uniform(size=(200, 5)) < 0.2)
    rows = as_blocks(da.from_array(X, chunks=(60, 5)).map_blocks(sp.csr_matrix))
    assert rows.is_sparse
    np.testing.assert_allclose(rows.fold(dense_sum), X.sum(axis=0), rtol=1e-12, atol=1e-12)
    W = rng.normal(size=(5, 2))
    np.testing.assert_allclose(rows.map(project, W).compute(), X @ W, rtol=1e-12, atol=1e-12)


# Lazy


def test_map_computes_nothing_until_asked(rng):
    X, weight = matrix(rng), rng.uniform(size=200)
    D = da.from_array(X, chunks=(40, 5))
    with dask.config.set(scheduler="synchronous"), Counter() as counter:
        rows = as_blocks(D).checked(refuse_nonfinite, False, "PCA", None)
        result = rows.map(project, np.ones((5, 3)))
        pair = rows.map(weighted, along=(weight,))
        assert counter.tasks == 0
        assert isinstance(result, da.Array) and all(isinstance(part, da.Array) for part in pair)
        assert result.shape == (200, 3) and result.chunks[0] == (40,) * 5
        result.compute()
        assert counter.tasks > 0


def test_rows_of_unknown_number_are_not_counted_until_asked(rng):
    X = matrix(rng)
    D = da.from_array(X, chunks=(40, 5))
    D = D[D[:, 0] > 0]
    kept = X[X[:, 0] > 0]
    with dask.config.set(scheduler="synchronous"), Counter() as counter:
        rows = as_blocks(D)
        result = rows.map(np.square)
        assert rows.known_rows is None and counter.tasks == 0
    np.testing.assert_array_equal(result.compute(), kept**2)
    np.testing.assert_allclose(rows.fold(dense_sum), kept.sum(axis=0), rtol=1e-12, atol=1e-13)
    weight = rng.uniform(size=len(kept))
    np.testing.assert_array_equal(
        rows.map(weighted, along=(weight,))[0].compute(), kept * weight[:, None]
    )
    assert rows.shape == kept.shape and rows.known_rows == len(kept)
    assert np.isnan(D.shape[0])  # the user's array is as it was
    np.testing.assert_array_equal(as_blocks(D).take(np.array([5, 1])), kept[[5, 1]])


def test_partitions_that_turn_out_empty_add_nothing(rng):
    X = matrix(rng)
    D = da.from_array(X, chunks=(10, 5))
    rows = as_blocks(D[D[:, 0] > np.sort(X[:, 0])[-3]])  # two rows in two of twenty partitions
    expected = X[X[:, 0] > np.sort(X[:, 0])[-3]]
    np.testing.assert_allclose(rows.fold(dense_sum), expected.sum(axis=0), rtol=1e-12)
    np.testing.assert_array_equal(rows.map(np.square).compute(), expected**2)
    np.testing.assert_array_equal(
        rows.top(first_column, 5).rows, expected[np.argsort(-expected[:, 0])]
    )


def test_the_first_sums_count_rows_of_unknown_number(rng):
    X = matrix(rng)
    D = da.from_array(X, chunks=(40, 5))
    kept = X[X[:, 0] > 0]
    for rows in (as_blocks(D[D[:, 0] > 0]), as_blocks(D).where(above_zero)):
        rows.fold(dense_sum)
        with dask.config.set(scheduler="synchronous"), Counter() as counter:
            assert rows.shape == kept.shape and counter.tasks == 0
        np.testing.assert_array_equal(rows.take(np.array([5, 1])), kept[[5, 1]])
    assert np.isnan(D[D[:, 0] > 0].shape[0]) and D.shape[0] == 200  # the user's array is as it was


def test_no_rows_at_all_is_an_error():
    D = da.ones((20, 2), chunks=(5, 2))
    for empty in (D[:0], D[D[:, 0] > 1]):
        with pytest.raises(ValueError, match=r"X has no rows \(n_samples=0\)"):
            as_blocks(empty).fold(dense_sum)


def test_a_check_travels_to_the_workers_and_its_error_comes_back(scheduler):
    X = np.ones((60, 3))
    X[55, 1] = np.nan
    rows = as_blocks(da.from_array(X, chunks=(10, 3)))
    checked = rows.checked(refuse_nonfinite, False, "PCA", np.array(["a", "b", "c"], dtype=object))
    with pytest.raises(ValueError, match=r"X has NaN in 1 of 3 columns \(first: 'b'\); PCA needs"):
        checked.fold(dense_sum)
    assert np.isnan(rows.fold(dense_sum)[1])


# One graph


def shipped(rows, params):
    """The graph of a pass, as it would be sent."""
    graphs = []

    def keep(graph, keys, **kwargs):
        graphs.append(graph.__dask_graph__() if hasattr(graph, "__dask_graph__") else graph)
        return dask.get(graph, keys)

    with dask.config.set(scheduler=keep):
        rows.fold(moments, params, along=(None,))
    (graph,) = graphs
    return dict(graph)


def test_a_pass_is_one_graph_in_which_the_parameters_occur_once(rng):
    rows = as_blocks(da.from_array(matrix(rng), chunks=(10, 5)))
    params = rng.normal(size=5)
    graph = shipped(rows, params)
    holders = [key for key, task in graph.items() if params.tobytes() in pickle_of(task)]
    assert len(holders) == 1


def pickle_of(task):
    return cloudpickle.dumps(task, protocol=pickle.HIGHEST_PROTOCOL)


def test_sums_are_added_in_a_tree_on_the_workers(rng):
    n = FAN_IN**2 + 1  # partitions: two levels are full, and one more
    rows = as_blocks(da.from_array(rng.normal(size=(n, 5)), chunks=(1, 5)))
    graph = shipped(rows, 1.0)
    joins = [key for key in graph if str(key).startswith("_join")]
    assert len(joins) == (FAN_IN + 1) + 2 + 1


def test_results_that_dask_still_holds_are_not_added_into(rng):
    X = matrix(rng)
    with dask.config.set(scheduler="synchronous"):
        rows = as_blocks(da.from_array(X, chunks=(50, 5)))
        first = rows.fold(dense_sum)
        second = rows.fold(dense_sum)
    np.testing.assert_array_equal(first, second)
    from lowdim.core.blocks import add
    from lowdim.core.dask_blocks import _join

    parts = [([1], np.ones(2)), ([0], None), ([2], np.ones(2)), ([1], np.ones(2))]
    lengths, total = _join(parts, add)
    assert lengths == [1, 0, 2, 1] and total.tolist() == [3.0, 3.0]
    assert all(part.tolist() == [1.0, 1.0] for _, part in parts if part is not None)


def test_workers_run_a_partition_on_one_thread():
    with config_context(threads=4), dask.config.set(scheduler="synchronous"):
        rows = as_blocks(da.ones((10, 2), chunks=5))
        assert rows.fold(lambda X: get_config().n_threads == 1) == 2


def test_large_parameters_are_sent_without_advice_to_scatter_them(cluster):
    rows = as_blocks(da.ones((10, 2), chunks=5))
    large = np.ones(2_000_000)  # 16 MB; warnings are errors here
    assert rows.fold(lambda X, large: len(X) * large[-1], large) == 10.0


# DataFrames


def test_a_dataframe_is_a_matrix_with_names(scheduler, rng):
    frame = pd.DataFrame(matrix(rng), columns=list("abcde"))
    rows = as_blocks(dd.from_pandas(frame, npartitions=3))
    assert isinstance(rows, DaskBlocks) and rows.feature_names == list("abcde")
    assert rows.known_rows is None and rows.n_columns == 5 and rows.dtype == np.float64
    np.testing.assert_allclose(rows.fold(dense_sum), frame.sum(), rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(rows.map(np.square).compute(), frame.to_numpy() ** 2)
    assert rows.shape == (200, 5)


def test_nullable_and_integer_columns_become_floats_and_nan():
    frame = pd.DataFrame(
        {
            "int": [1, 2, 3],
            "nullable": pd.array([1, None, 3], dtype="Int64"),
            "bool": [True, False, True],
            "float32": np.float32([1, 2, 3]),
        }
    )
    rows = as_blocks(dd.from_pandas(frame, npartitions=2))
    expected = [[1, 1, 1, 1], [2, np.nan, 0, 2], [3, 3, 1, 3]]
    np.testing.assert_array_equal(rows.map(np.copy).compute(), expected)
    only = as_blocks(dd.from_pandas(frame[["float32"]], npartitions=2))
    assert only.dtype == np.float32


# The door


def test_what_is_no_matrix_of_numbers_is_refused():
    with pytest.raises(ValueError, match=r"a Dask array of shape \(3,\); a 2-D one is needed"):
        as_blocks(da.ones(3))
    with pytest.raises(ValueError, match="X, a Dask array, has dtype complex128; lowdim needs"):
        as_blocks(da.ones((3, 2), dtype=complex))
    with pytest.raises(ValueError, match=r"a Dask array of dtype <U1; numbers are needed"):
        as_blocks(da.from_array(np.array([["x"]])))


# Fingerprints


def test_the_fingerprint_is_the_same_on_every_scheduler(scheduler, rng):
    X = matrix(rng)
    rows = as_blocks(da.from_array(X, chunks=(23, 5)))
    found = rows.fingerprint()
    with dask.config.set(scheduler="synchronous"):
        assert found == rows.fingerprint()
        X[150, 2] += 1e-9
        assert found != as_blocks(da.from_array(X, chunks=(23, 5))).fingerprint()


# A worker dies


def moments_or_death(X, marker):
    """The first worker that comes to the block of row 0 is killed in the middle of its work."""
    if X[0, 0] == 0 and not Path(marker).exists():
        Path(marker).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return X.T @ X


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="signals")
def test_a_worker_killed_in_the_middle_of_a_fold_does_not_change_the_result(cluster, tmp_path):
    X = np.arange(400.0).reshape(100, 4)
    rows = as_blocks(da.from_array(X, chunks=(10, 4)))
    marker = tmp_path / "one worker has died"
    result = rows.fold(moments_or_death, str(marker))
    assert marker.exists()
    np.testing.assert_array_equal(result, X.T @ X)  # whole numbers: sums are exact
    cluster.wait_for_workers(2, timeout=60)  # a new one has taken its place
