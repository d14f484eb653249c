import numpy as np
import pytest

from lowdim.text.embeddings.word2vec.chance import key_of
from lowdim.text.embeddings.word2vec.near import (
    keep_words,
    kept_shares,
    reach_of,
    stretch_of,
    thresholds,
)
from lowdim.text.tokens import Tokens

KEY = key_of(5)


def text_of(sentences, v):
    ids = np.array([i for s in sentences for i in s], dtype=np.int32)
    starts = np.cumsum([0, *map(len, sentences)])
    counts = np.bincount(ids, minlength=v)
    return Tokens([f"w{i}" for i in range(v)], counts, ids, starts)


def nears(stretch, reach):
    """(word, words near it) of each place."""
    found = []
    for p in np.flatnonzero(stretch.n_near):
        near = [
            int(stretch.words[q])
            for q in range(stretch.first[p], stretch.last[p])
            if q != p and not (len(reach.holes) and reach.holes[q - p + reach.left])
        ]
        assert len(near) == stretch.n_near[p]
        found.append((int(stretch.words[p]), near))
    return found


def all_kept(v):
    return thresholds(np.ones(v))


def test_a_window_of_two_has_two_words_to_each_side():
    # 17.20: lemon, a [tablespoon of apricot jam, a] pinch
    words = ["lemon", "a", "tablespoon", "of", "apricot", "jam", "pinch"]
    sentence = [words.index(w) for w in "lemon a tablespoon of apricot jam a pinch".split()]
    reach = reach_of(2, False, len(sentence))
    stretch = stretch_of(text_of([sentence], 7), 0, 8, KEY, all_kept(7), reach)
    near = dict(nears(stretch, reach))[words.index("apricot")]
    assert [words[i] for i in near] == ["tablespoon", "of", "jam", "a"]


@pytest.mark.parametrize("window", [1, 3, (2, 0), (0, 3), {-2, 1}, {3}, "sentence", 100], ids=str)
def test_windows_stay_in_their_sentences(window):
    sentences = [list(range(5)), [5], list(range(6, 12)), []]
    reach = reach_of(window, False, 6)
    stretch = stretch_of(text_of(sentences, 12), 0, 12, KEY, all_kept(12), reach)
    if window == "sentence" or window == 100:
        offsets = [o for o in range(-20, 21) if o]
    elif isinstance(window, set):
        offsets = sorted(window)
    else:
        left, right = window if isinstance(window, tuple) else (window, window)
        offsets = [o for o in range(-left, right + 1) if o]
    expected = [
        (w, near)
        for s in sentences
        for i, w in enumerate(s)
        if (near := [s[i + o] for o in offsets if 0 <= i + o < len(s)])
    ]
    assert nears(stretch, reach) == expected


@pytest.mark.parametrize("window", [1, 4, (3, 1), {-4, 2}, "sentence"], ids=str)
@pytest.mark.parametrize("length", [1, 7, 64])
def test_the_same_is_near_whatever_stretches_a_text_is_cut_into(window, length, rng):
    sentences = [rng.integers(0, 9, size=n).tolist() for n in (30, 0, 1, 55, 2, 40)]
    tokens = text_of(sentences, 9)
    keep = thresholds(kept_shares(tokens.counts, 0.02))
    reach = reach_of(window, True, 55)
    n = len(tokens)
    whole = nears(stretch_of(tokens, 0, n, KEY, keep, reach), reach)
    parts = [
        pair
        for lo in range(0, n, length)
        for pair in nears(stretch_of(tokens, lo, min(lo + length, n), KEY, keep, reach), reach)
    ]
    assert parts == whole
    assert 0 < len(whole) < n


def test_frequent_words_are_kept_as_often_as_they_should(seed):
    n = 40_000
    tokens = text_of([[0, 1, 2, 3] * (n // 4)], 4)
    keep = kept_shares(tokens.counts, 0.01)
    np.testing.assert_allclose(keep, np.sqrt(0.04) + 0.04)
    reach = reach_of(2, True, n)
    stretch = stretch_of(tokens, 0, n, key_of(seed), thresholds(keep), reach)
    assert abs(len(stretch.words) / n - keep[0]) < 5 * np.sqrt(keep[0] / n)
    # 1 or 2 to each side, with equal chances
    far = (stretch.last - stretch.first - 1)[5:-5] / 2
    assert set(far) == {1.0, 2.0}
    assert abs(far.mean() - 1.5) < 2.5 / np.sqrt(len(far))


def test_a_window_beyond_all_sentences_shrinks_as_others_do(seed):
    n = 10_000
    tokens = text_of([[0, 1]] * (n // 2), 2)
    stretch = stretch_of(tokens, 0, n, key_of(seed), all_kept(2), reach_of((10, 1), True, 2))
    assert (stretch.n_near == 1).all()
    three = text_of([[0, 1, 2]] * 3000, 3)
    stretch = stretch_of(three, 0, 9000, key_of(seed), all_kept(3), reach_of(4, True, 3))
    share = (stretch.n_near[::3] == 1).mean()  # 1 of 4 reaches 1 far
    assert abs(share - 0.25) < 5 * np.sqrt(0.25 * 0.75 / 3000)


def test_a_sample_of_0_keeps_everything():
    assert (kept_shares(np.array([5, 1]), 0.0) == 1).all()
    assert thresholds(np.ones(1))[0] == 2**32


def test_the_kernel_does_what_it_says(rng):
    sentences = [rng.integers(0, 6, size=n).tolist() for n in (12, 9)]
    tokens = text_of(sentences, 6)
    keep = thresholds(np.full(6, 0.7))
    reach = reach_of({-2, 1}, True, 12)
    stretch = stretch_of(tokens, 4, 17, KEY, keep, reach)
    words, first, last, n_near = np.zeros((4, 21), dtype=np.int32)
    with np.errstate(over="ignore"):
        n = keep_words.python(
            tokens.ids, tokens.starts, (0, 4, 17), KEY, keep, (2, 1, 2, 2), reach.holes,
            words, first, last, n_near,
        )  # fmt: skip
    for found, plain in zip(stretch, (words, first, last, n_near), strict=True):
        np.testing.assert_array_equal(found, plain[:n])
