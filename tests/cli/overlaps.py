"""Watches which arrays kernels are given: they are compiled as if no two of them overlapped."""

import functools
import inspect
import itertools

import numpy as np

from lowdim.core import kernel


def watch_overlaps():
    """Before kernels are imported: pairs of arguments that share memory, as they come to light."""
    found, make = set(), kernel._kernel

    def watched(function, **options):
        call = make(function, **options)
        names, views = list(inspect.signature(function).parameters), set(options["views"])

        @functools.wraps(call)
        def look(*args):
            for pair in overlapping(zip(names, args, strict=True)):
                if not set(pair) <= views:
                    found.add((f"{function.__module__}.{function.__name__}", *pair))
            return call(*args)

        kernel._all[f"{function.__module__}.{function.__name__}"] = look
        return look

    kernel._kernel = watched
    return found


def overlapping(named):
    """Names of arrays that lie next to each other in memory and overlap."""
    ends = sorted(
        (*np.lib.array_utils.byte_bounds(array), name)
        for name, array in named
        if isinstance(array, np.ndarray) and array.size
    )
    for before, after in itertools.pairwise(ends):
        if after[0] < before[1]:
            yield tuple(sorted([before[2], after[2]]))
