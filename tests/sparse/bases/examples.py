"""Dictionaries of every kind, for what holds for all of them."""

import functools

import pytest

from lowdim import sparse

ORTHONORMAL = ("identity", "dft", "dct", "hadamard", "haar", "db3", "sym5", "lapped")
WAVELETS = ("haar", "db3", "sym5", "coif1", "bior1.3", "bior3.1", "bior4.4", "rbio3.5", "dmey")
REDUNDANT = ("dct-overcomplete", "gabor", "grassmannian")
KINDS = tuple(dict.fromkeys((*ORTHONORMAL, *WAVELETS, *REDUNDANT)))
SHAPES = {"signal": (32, None), "picture": ((4, 8), None), "in blocks": (16, 8)}

each_kind = pytest.mark.parametrize("kind", KINDS)
each_shape = pytest.mark.parametrize("where", SHAPES)


@functools.cache
def example(kind, where):
    shape, block = SHAPES[where]
    return sparse.basis(kind, shape, block=block)
