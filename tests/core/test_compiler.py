"""The compiler of kernels: the same numbers as numba's own, with less to do."""

import numba
import numpy as np
import pytest
from numba.core.caching import NullCache

from lowdim.core import compiler
from lowdim.core.kernel import kernel

SHIFT = 0.5


@kernel(within=True)
def moved(x, times):
    return times * x + SHIFT


@kernel(within=True)
def partial_sum(x, first):
    total = 0.0
    for i in range(first, len(x)):
        total += moved(x[i], 2)
    return total


@kernel
def two_sums(x, n):
    """Calls another kernel with a number that is written down, and with one that is not."""
    return partial_sum(x, 0) + partial_sum(x, n)


@kernel
def add_to(x, y, a):
    for i in range(len(x)):
        y[i] += a * x[i]


@pytest.fixture(autouse=True, scope="module")
def nothing_is_kept_on_disk():
    """What is loaded from disk is not compiled."""
    for one in (two_sums, add_to):
        one.compiled()._cache = NullCache()


def library_of(one):
    (overload,) = one.compiled().overloads.values()
    return overload.library


def test_kernels_within_kernels_give_what_python_gives(rng):
    x = rng.normal(size=9)
    expected = (2 * x + 0.5).sum() + (2 * x[4:] + 0.5).sum()
    assert two_sums(x, 4) == pytest.approx(expected, rel=1e-13)
    assert two_sums.python(x, 4) == pytest.approx(expected, rel=1e-13)


def test_results_are_those_of_numbas_own_compiler_to_the_bit(rng):
    x, y = rng.normal(size=(2, 1001))
    ours, theirs = y.copy(), y.copy()
    add_to(x, ours, 0.3)
    numba.njit(add_to.python)(x, theirs, 0.3)
    assert np.array_equal(ours, theirs)


def test_a_written_number_is_no_other_kind_of_argument(rng):
    two_sums(rng.normal(size=9), 4)
    kinds = [[str(kind) for kind in each] for each in partial_sum.compiled().signatures]
    assert [each[1] for each in kinds] == ["int64"]
    assert len(moved.compiled().signatures) == 1


def test_a_kernel_that_only_kernels_call_has_no_machine_code(rng):
    two_sums(rng.normal(size=9), 4)
    inner, outer = library_of(partial_sum), library_of(two_sums)
    assert "alloca" in inner.get_llvm_str(), "it is not optimised for itself"
    (inner_name,) = [one.name for one in inner.get_defined_functions() if "partial_sum" in one.name]
    assert inner.get_pointer_to_function(inner_name) == 0
    outer_names = [one.name for one in outer.get_defined_functions() if "two_sums" in one.name]
    assert all(outer.get_pointer_to_function(name) for name in outer_names)


def test_only_what_python_calls_is_not_optimised():
    text = compiled_text(add_to.python)
    attributes = {
        line.split()[1]: line for line in text.splitlines() if line.startswith("attributes")
    }
    defined = [line for line in text.splitlines() if line.startswith("define") and "add_to" in line]
    not_optimised = {
        line.partition("@")[2].startswith(compiler.FROM_PYTHON): any(
            "optnone" in attributes[word] for word in line.split() if word in attributes
        )
        for line in defined
    }
    assert not_optimised == {True: True, False: False}


def compiled_text(function):
    options = {"_nrt": False, "no_cfunc_wrapper": True}
    run = numba.njit(pipeline_class=compiler.compiler_of_loops(), **options)(function)
    run(np.ones(3), np.ones(3), 1.0)
    (text,) = run.inspect_llvm().values()
    return text


def test_flags_are_equal_if_the_same_is_set():
    Flags = compiler._flags()
    one, same, other, more = Flags(), Flags(), Flags(), Flags()
    for flags, value in ((one, True), (same, True), (other, False), (more, True)):
        flags.release_gil = value
    more.no_compile = True
    assert one == same and hash(one) == hash(same)
    assert one != other and one != more
    assert one == one.copy() and type(one.copy()) is Flags
    assert len({one, same, other, more}) == 3
