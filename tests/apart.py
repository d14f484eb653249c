"""Arrays that a kernel is given do not overlap where it writes: LLVM is told so by `core/lowering`.

In the tests every call of a kernel is watched.
"""

import functools

import numpy as np

from lowdim.core import kernel as module


def watch_kernels():
    """From now on kernels that are defined hold their callers to it; before they are imported."""
    module._kernel = watched(module._kernel)


def watched(make_kernel):
    def kernel(function, **options):
        call = make_kernel(function, **options)
        if options["within"]:
            return call
        names = function.__code__.co_varnames[: function.__code__.co_argcount]
        apart = [name not in options["views"] for name in names]

        @functools.wraps(call)
        def checked(*args):
            arrays = [a for a, one in zip(args, apart, strict=True) if one and is_array(a)]
            shared = overlapping(arrays)
            before = [array.tobytes() for array in shared]
            result = call(*args)
            for array, old in zip(shared, before, strict=True):
                assert array.tobytes() == old, (
                    f"{function.__module__}.{function.__name__} writes to memory that two of its "
                    f"arguments share; name them in views=..."
                )
            return result

        module._all[f"{function.__module__}.{function.__name__}"] = checked
        return checked

    return kernel


def is_array(value):
    return isinstance(value, np.ndarray) and value.size > 0


def overlapping(arrays):
    """Those that share memory with another one."""
    if each_has_its_own(arrays):
        return []
    places = sorted([(*bounds(array), i) for i, array in enumerate(arrays)])
    found, end, last = set(), -1, 0
    for start, stop, i in places:
        if start < end:
            found |= {i, last}
        if stop > end:
            end, last = stop, i
    return [arrays[i] for i in sorted(found)]


def each_has_its_own(arrays):
    """Whether each has an owner of its memory to itself: nearly always, and quick to see."""
    owners = [array if array.base is None else array.base for array in arrays]
    return len({id(owner) for owner in owners}) == len(owners) and all(
        isinstance(owner, np.ndarray) and owner.base is None for owner in owners
    )


def bounds(array):
    start = array.__array_interface__["data"][0]
    if array.flags.c_contiguous:
        return start, start + array.nbytes
    return np.lib.array_utils.byte_bounds(array)
