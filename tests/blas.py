"""BLAS on a number of threads, as threadpoolctl sets it; its libraries are looked for once.

To look for them takes 3 ms where many libraries are loaded, and tests do it thousands of times.
"""

import functools

import numpy  # noqa: F401  (which brings the first BLAS)
import scipy.linalg  # noqa: F401  (and this the second)
from threadpoolctl import ThreadpoolController


@functools.cache
def _libraries():
    return ThreadpoolController().select(user_api="blas")


def blas_on(threads):
    """A context in which BLAS has this number of threads."""
    return _libraries().limit(limits=threads)


def blas_threads():
    """The numbers of threads that the BLAS libraries have now."""
    return {library["num_threads"] for library in _libraries().info()}
