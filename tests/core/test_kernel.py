"""Kernels: compiled when first called, able to call each other, safe from many threads."""

import gc
import importlib
import os
import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest
from numba.core.errors import TypingError

from lowdim.core.kernel import kernel
from lowdim.core.kernel import kernels as all_kernels
from lowdim.core.signatures import listed

SOURCE = '''
import sys

import numpy as np

from lowdim.core.kernel import kernel

OFFSET = 0.5


@kernel
def squared(x):
    """One square."""
    return x * x + OFFSET


@kernel
def total(X):
    result = 0.0
    for i in range(X.shape[0]):
        for j in range(X.shape[1]):
            result += squared(X[i, j])
    return result


@kernel(within=True)
def cubed(x):
    return x * x * x + OFFSET


@kernel
def total_cube(x):
    result = 0.0
    for i in range(len(x)):
        result += cubed(x[i])
    return result


@kernel
def dot(x, y):
    result = 0.0
    for i in range(len(x)):
        result += x[i] * y[i]
    return result


quick_dot = kernel(any_order=True)(dot.python)


@kernel(allocates=True)
def listed(n):
    return sum([squared(i * 1.0) for i in range(n)])


@kernel(views=("go", "state"))
def spin(go, state):
    """Waits for another thread: would wait for ever if it held the GIL."""
    state[0] = 1
    while go[0] == 0 and state[1] < 2_000_000_000:
        state[1] += 1
    return go[0]
'''


@pytest.fixture(scope="module")
def kernels(tmp_path_factory):
    """A module with kernels, in a folder of its own: numba keeps its cache beside it."""
    folder = tmp_path_factory.mktemp("kernels")
    (folder / "some_kernels.py").write_text(SOURCE)
    sys.path.insert(0, str(folder))
    import some_kernels

    yield some_kernels
    sys.path.remove(str(folder))
    del sys.modules["some_kernels"]


def test_kernels_call_kernels_and_see_constants(kernels, rng):
    X = rng.normal(size=(7, 3))
    assert kernels.total(X) == pytest.approx((X**2).sum() + 21 * 0.5, rel=1e-14)


def test_a_kernel_within_others_is_compiled_only_in_them(kernels, rng):
    x = rng.normal(size=7)
    assert kernels.total_cube(x) == pytest.approx((x**3 + 0.5).sum(), rel=1e-13)
    assert kernels.cubed(2) == 8.5  # by Python, for which it has no compiled form
    assert [str(s) for s in kernels.cubed.compiled().signatures] == ["(float64,)"]


@pytest.mark.parametrize("collects", [True, False])
def test_garbage_is_collected_after_a_compilation_as_it_was_before(kernels, collects):
    was = gc.isenabled()
    try:
        (gc.enable if collects else gc.disable)()
        with pytest.raises(TypingError):
            kernels.total("no array")
        kernels.total(np.ones((2, 2), dtype=np.int8 if collects else np.int16))
        assert gc.isenabled() == collects
    finally:
        (gc.enable if was else gc.disable)()


def test_names_within_comprehensions_are_found(kernels):
    assert kernels.listed(4) == 14.0 + 4 * 0.5


def test_the_python_twin_gives_the_same(kernels, rng):
    X = rng.normal(size=(5, 4))
    assert kernels.total.python(X) == pytest.approx(kernels.total(X), rel=1e-14)
    assert kernels.squared.__doc__ == "One square." and kernels.squared.__name__ == "squared"


def test_float32_and_read_only_arrays_are_taken(kernels):
    X = np.ones((2, 2), dtype=np.float32)
    X.flags.writeable = False
    assert kernels.total(X) == 6.0


def test_many_threads_may_make_the_first_call_together(kernels):
    source = kernels.total.python
    together, results, errors = threading.Barrier(6, timeout=60), [], []
    fresh = kernel(source)
    compiled = []

    def first_call():
        try:
            together.wait()
            results.append(fresh(np.ones((3, 2))))
            compiled.append(fresh.compiled())
        except BaseException as error:
            errors.append(error)
            raise

    threads = [threading.Thread(target=first_call) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
    assert not errors and results == [9.0] * 6
    assert len(set(map(id, compiled))) == 1  # one of them was made


def test_a_kernel_lets_other_threads_run(kernels):
    go, state = np.zeros(1, dtype=np.int64), np.zeros(2, dtype=np.int64)
    kernels.spin(np.ones(1, dtype=np.int64), state.copy())  # compiled now
    result = []
    thread = threading.Thread(target=lambda: result.append(kernels.spin(go, state)))
    thread.start()
    while state[0] == 0 and thread.is_alive():
        pass
    go[0] = 1
    thread.join(timeout=60)
    assert result == [1]


def test_a_kernel_can_travel_to_a_worker(kernels):
    again = pickle.loads(pickle.dumps(kernels.total))
    assert again is kernels.total


def test_decorating_imports_no_numba_and_a_call_does_and_keeps_its_work(tmp_path):
    (tmp_path / "some_kernels.py").write_text(SOURCE)
    script = """
import sys
import some_kernels
assert not any(name.split(".")[0] == "numba" for name in sys.modules)
import numpy as np
assert some_kernels.total(np.ones((2, 2))) == 6.0
assert "numba" in sys.modules
dispatcher = some_kernels.total.compiled()
print(sum(dispatcher.stats.cache_hits.values()), sum(dispatcher.stats.cache_misses.values()))
"""

    def run():
        environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
        done = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, timeout=300,
            env=environment, cwd=tmp_path,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout.split()

    assert run() == ["0", "1"]  # compiled
    assert run() == ["1", "0"]  # taken from the disk


def test_who_waits_for_a_compilation_is_told_once_and_never_again(tmp_path):
    (tmp_path / "some_kernels.py").write_text(SOURCE)
    script = """
import lowdim, numpy as np, some_kernels
with lowdim.config_context(progress=True):  # as at a terminal
    some_kernels.total(np.ones((2, 2)))
    some_kernels.squared(2.0)
"""

    def run():
        environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
        done = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, timeout=300,
            env=environment, cwd=tmp_path,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stderr

    assert run() == "compiling (once; `lowdim warmup` does it ahead for all methods)\n"
    assert run() == ""


def test_sums_in_any_order_agree_up_to_rounding(kernels, rng):
    X = rng.normal(size=(20, 1000))
    in_order, any_order, again = (
        np.array([dot(x, x) for x in X])
        for dot in (kernels.dot, kernels.quick_dot, kernels.quick_dot)
    )
    np.testing.assert_allclose(any_order, in_order, rtol=1e-13)  # 1000 terms, all positive
    np.testing.assert_array_equal(any_order, again)
    assert (any_order != in_order).any()  # another order rounds otherwise: it is another kernel


def test_every_kernel_is_known_by_the_name_of_its_module(kernels):
    assert all_kernels()["some_kernels.squared"] is kernels.squared


def test_a_kernel_is_compiled_again_when_one_that_it_calls_has_changed(tmp_path):
    """Also where that one stands in another file, at whose date numba does not look."""
    head = "from lowdim.core.kernel import kernel\n"
    outer = "@kernel\ndef outer(x):\n    return FACTOR * inner(x)\n"
    (tmp_path / "calling.py").write_text(f"{head}from called import FACTOR, inner\n\n{outer}")

    def run(factor, body):
        text = f"{head}FACTOR = {factor}\n\n@kernel\ndef inner(x):\n    return {body}\n"
        (tmp_path / "called.py").write_text(text)
        environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
        done = subprocess.run(
            [sys.executable, "-B", "-c", "import calling; print(calling.outer(3.0))"],
            capture_output=True, text=True, timeout=300, env=environment, cwd=tmp_path,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return float(done.stdout)

    assert run(1.0, "x + 1.0") == 4.0
    assert run(1.0, "x + 2.0") == 5.0
    assert run(2.0, "x + 2.0") == 10.0


ALLOCATING = {"array", "arange", "copy", "dot", "empty", "full", "ones", "zeros", "zeros_like"}


def test_a_kernel_that_makes_arrays_says_so():
    for module in listed():
        importlib.import_module(module)
    silent = {
        name
        for name, one in all_kernels().items()
        if not one.allocates and ALLOCATING & set(one.python.__code__.co_names)
    }
    assert silent == set()


def test_a_kernel_that_says_so_may_make_arrays():
    def made(n):
        return np.zeros(n).sum()

    assert kernel(allocates=True)(made)(3) == 0.0
