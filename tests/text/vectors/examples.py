"""Word vectors for the tests, and the same as gensim's."""

import warnings

import numpy as np
import pytest

from lowdim import WordVectors


def random_vectors(rng, n=60, d=8, dtype=np.float32):
    """n words w0, w1, ... with counts that fall."""
    vectors = rng.normal(size=(n, d)).astype(dtype)
    return WordVectors([f"w{i}" for i in range(n)], vectors, np.arange(n, 0, -1) * 3)


def gensim_twin(wv):
    """KeyedVectors of the same words, made by gensim alone; the test is skipped without it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        keyed = pytest.importorskip("gensim.models").KeyedVectors
    twin = keyed(wv.vector_size, dtype=wv.vectors.dtype)
    twin.add_vectors(wv.index_to_key, np.array(wv.vectors))
    if wv.counts is not None:
        for word, count in zip(wv.index_to_key, wv.counts.tolist(), strict=True):
            twin.set_vecattr(word, "count", count)
    return twin
