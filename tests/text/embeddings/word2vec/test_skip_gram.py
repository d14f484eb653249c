import numpy as np
import pytest

from lowdim.text.embeddings.word2vec.near import Reach, Stretch
from lowdim.text.embeddings.word2vec.skip_gram import (
    MOST_NEAR,
    find_visits,
    learn_visits,
    visits_of,
    work_space,
)

NO_HOLES = np.zeros(0, dtype=bool)
BATCH = 32


def stretch(rng, n=60, v=10, window=3):
    words = rng.integers(0, v, size=n).astype(np.int32)
    p = np.arange(n, dtype=np.int32)
    first, last = np.maximum(p - window, 0), np.minimum(p + window + 1, n)
    return Stretch(words, first, last, (last - first - 1).astype(np.int32))


def problem(rng, dtype, v=10, d=6, width=6, n_noise=8):
    """Visits of one block of everything, tables, and noise."""
    text = stretch(rng, v=v)
    reach = Reach(3, 3, 0, NO_HOLES)
    part = np.zeros(len(text.words), dtype=np.uint8)
    places = np.arange(20, 45, dtype=np.int32)
    visits = visits_of(text, part, reach, places, 0)
    W, C = (rng.normal(size=(v, width)).astype(dtype) for _ in range(2))
    noise = rng.integers(0, v, size=(-(-len(visits.word) // BATCH), n_noise)).astype(np.int32)
    space = tuple(array.astype(dtype) for array in work_space(BATCH, n_noise, width))
    return visits, W, C, noise, space


def loss_of(W, C, visits, noise, weight):
    """What a batch minimises, written out; a row beyond d columns of W is 1."""
    total = 0.0
    for i, (word, share) in enumerate(zip(visits.word, visits.share, strict=True)):
        for c in visits.near[visits.begin[i] : visits.begin[i + 1]]:
            total += np.logaddexp(0, -W[word] @ C[c])
        for c in noise[i // BATCH]:
            total += share * weight * np.logaddexp(0, W[word] @ C[c])
    return total


def numerical(f, X, step=1e-5):
    slope = np.zeros_like(X)
    for at in np.ndindex(X.shape):
        old = X[at]
        X[at] = old + step
        above = f()
        X[at] = old - step
        slope[at] = (above - f()) / (2 * step)
        X[at] = old
    return slope


def test_both_tables_move_against_the_gradient(rng):
    visits, W, C, noise, space = problem(rng, np.float64)
    some = visits._replace(
        word=visits.word[:BATCH], share=visits.share[:BATCH], begin=visits.begin[: BATCH + 1]
    )
    weight, rate, sums = 0.3, 1e-7, np.zeros(2)
    of_W = numerical(lambda: loss_of(W, C, some, noise, weight), W)
    of_C = numerical(lambda: loss_of(W, C, some, noise, weight), C)
    W_new, C_new = W.copy(), C.copy()
    learn_visits.python(W_new, C_new, 6, *some, noise, rate, weight, space, sums)
    np.testing.assert_allclose((W - W_new) / rate, of_W, atol=1e-4)
    np.testing.assert_allclose((C - C_new) / rate, of_C, atol=1e-4)
    np.testing.assert_allclose(sums[0], loss_of(W, C, some, noise, weight), rtol=1e-6)
    assert sums[1] == some.begin[-1]


def test_a_bias_is_a_column_of_contexts_whose_word_is_1(rng):
    visits, W, C, noise, space = problem(rng, np.float64, width=7)
    W[:, 6] = 1.0
    expected = loss_of(W, C, visits, noise, 0.3)
    W[:, 6] = 77.0  # is not looked at
    sums = np.zeros(2)
    learn_visits.python(W, C, 6, *visits, noise, 1e-9, 0.3, space, sums)
    np.testing.assert_allclose(sums[0], expected, rtol=1e-6)


def test_the_kernel_does_what_it_says(rng):
    visits, W, C, noise, space = problem(rng, np.float32)
    rate, weight = np.float32(0.05), np.float32(0.3)
    results = []
    for run in (learn_visits, learn_visits.python):
        new, sums = (W.copy(), C.copy()), np.zeros(2)
        run(*new, 6, *visits, noise, rate, weight, space, sums)
        results.append((*new, sums))
    for fast, plain in zip(*results, strict=True):
        np.testing.assert_allclose(fast, plain, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("window", [3, 30])
def test_each_pair_is_in_one_block_and_noise_is_shared_out(window, rng):
    text = stretch(rng, window=window)
    reach = Reach(window, window, 0, NO_HOLES)
    part = (text.words % 3).astype(np.uint8)
    places = np.arange(10, 30, dtype=np.int32)
    seen = []
    for j in range(3):
        visits = visits_of(text, part, reach, places, j)
        assert len(visits.word) % 4 == 0
        sizes = np.diff(visits.begin)
        assert sizes.max() <= MOST_NEAR
        for i, w in enumerate(visits.word):
            near = visits.near[visits.begin[i] : visits.begin[i + 1]]
            assert (near % 3 == j).all()
            seen += [(int(w), int(c)) for c in near]
        # all visits of a place together weigh as many as it has near
        np.testing.assert_allclose(visits.share.sum(), text.n_near[places].sum(), rtol=1e-5)
    expected = [
        (int(text.words[t]), int(text.words[p]))
        for t in places
        for p in range(text.first[t], text.last[t])
        if p != t
    ]
    assert sorted(seen) == sorted(expected)


def test_finding_visits_does_what_it_says(rng):
    text = stretch(rng, window=8)
    holes = np.arange(-8, 9) % 3 == 0
    part = (text.words % 2).astype(np.uint8)
    places = np.arange(5, 17, dtype=np.int32)
    visits = visits_of(text, part, Reach(8, 8, 0, holes), places, 1)
    twin = tuple(np.zeros(200, dtype=array.dtype) for array in visits)
    n = find_visits.python(*text, part, holes, 8, places, 1, *twin)
    assert n == len(visits.word)
    for fast, plain in zip(visits, twin, strict=True):
        np.testing.assert_array_equal(fast, plain[: len(fast)])
