import numpy as np
import pytest

import lowdim
from lowdim.text.embeddings.word2vec import training
from lowdim.text.embeddings.word2vec.training import (
    Piece,
    Settings,
    Tables,
    learn_piece,
    pieces_of,
    plan_of,
)
from lowdim.text.tokens import Tokens


def settings(**changed):
    usual = Settings(True, 2, True, 5, 0.75, 0.0, 2, 0.05, 1e-4, True)
    return usual._replace(**changed)


def chain(rng, v=24, n=30_000):
    """A text in which each word chooses the next by a matrix of its own; ids by falling count."""
    steps = np.cumsum(rng.dirichlet(np.full(v, 0.3), size=v), axis=1)
    words, at = np.empty(n, dtype=np.int64), 0
    for i, u in enumerate(rng.random(n)):
        at = min(int(np.searchsorted(steps[at], u)), v - 1)
        words[i] = at
    counts = np.bincount(words, minlength=v)
    order = np.argsort(-counts, kind="stable")
    number = np.empty(v, dtype=np.int32)
    number[order] = np.arange(v)
    return Tokens([str(i) for i in order], counts[order], number[words], np.array([0, n]))


def start(tokens, d, epochs, rng):
    v = len(tokens.words)
    W = ((rng.random((v, d)) - 0.5) / d**0.5).astype(np.float32)
    return Tables(W, np.zeros_like(W), np.zeros(epochs), np.zeros(epochs), 11)


def learned(tokens, chosen, d=8, seed=0):
    tables = start(tokens, d, chosen.epochs, np.random.default_rng(seed))
    plan = plan_of(tokens, tokens.counts, chosen, d)
    for piece in pieces_of(len(tokens), chosen.epochs, plan.n_round):
        tables = learn_piece(tables, tokens, plan, piece)
    return tables


@pytest.fixture
def small_parts(monkeypatch):
    """Few words are cut into parts as many are, and rounds go over threads."""
    monkeypatch.setattr(training, "FEW_WORDS", 8)
    monkeypatch.setattr(training, "WORDS_FOR_THREADS", 0)
    monkeypatch.setattr(training, "PLACES_FOR_THREADS", 0)


@pytest.mark.parametrize("is_skip_gram", [True, False])
def test_the_number_of_threads_changes_no_bit(is_skip_gram, small_parts, rng):
    tokens = chain(rng, n=2000)
    found = []
    for threads in (1, 2, 5):
        with lowdim.config_context(threads=threads):
            found.append(learned(tokens, settings(skip_gram=is_skip_gram, sample=0.05)))
    for other in found[1:]:
        for a, b in zip(found[0], other, strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("is_skip_gram", [True, False])
def test_threads_that_meet_at_many_words_change_no_bit(is_skip_gram, rng):
    # as fits of large texts are: parts of thousands of words, several rounds, many steps in each
    v, n = 3000, 150_000
    share = 1 / np.arange(3, v + 3)
    ids = rng.choice(v, size=n, p=share / share.sum()).astype(np.int32)
    counts = np.bincount(ids, minlength=v)
    order = np.argsort(-counts, kind="stable")
    number = np.empty(v, dtype=np.int32)
    number[order] = np.arange(v)
    tokens = Tokens([str(i) for i in order], counts[order], number[ids], np.array([0, n]))
    found = []
    for threads in (1, 2, 3):
        with lowdim.config_context(threads=threads):
            found.append(learned(tokens, settings(skip_gram=is_skip_gram, epochs=1), d=20))
    for other in found[1:]:
        for a, b in zip(found[0][:2], other[:2], strict=True):
            np.testing.assert_array_equal(a.view(np.int32), b.view(np.int32))
        assert (found[0].loss, found[0].pairs) == (other.loss, other.pairs)


def pmi(tokens, window, k):
    """log p(v|w) / (k q(v)) of all pairs that were seen, q ~ counts^0.75; and where."""
    v, ids = len(tokens.words), tokens.ids
    N = np.zeros((v, v))
    for o in range(1, window + 1):
        weight = (window + 1 - o) / window  # windows of 1, ..., window
        np.add.at(N, (ids[:-o], ids[o:]), weight)
        np.add.at(N, (ids[o:], ids[:-o]), weight)
    q = tokens.counts**0.75 / (tokens.counts**0.75).sum()
    seen = N >= 30
    with np.errstate(divide="ignore"):
        A = np.log(N / N.sum(axis=1, keepdims=True) / q) - np.log(k)
    return A, seen


@pytest.mark.parametrize("parts", [1, 8])
def test_products_of_skip_gram_tend_to_pmi_less_log_k(parts, seed, monkeypatch):
    rng = np.random.default_rng(seed)
    monkeypatch.setattr(training, "FEW_WORDS", 1 if parts == 8 else 10**6)
    tokens = chain(rng)
    A, seen = pmi(tokens, 2, 5)
    tables = learned(tokens, settings(epochs=5), d=24)
    X = tables.W @ tables.C.T
    assert np.corrcoef(X[seen], A[seen])[0, 1] > 0.97
    assert abs((X - A)[seen].mean()) < 0.05


@pytest.mark.parametrize("is_skip_gram", [True, False])
def test_the_loss_falls_to_what_is_left_of_it(is_skip_gram, rng):
    tables = learned(chain(rng), settings(skip_gram=is_skip_gram, epochs=4))
    history = tables.loss / tables.pairs
    untrained = 6 * np.log(2)
    assert history[0] < untrained
    assert (np.diff(history) < 0).all()


def test_the_loss_of_a_start_is_that_of_guesses(rng):
    # C is 0: each of 1 + k guesses loses log 2
    tokens = chain(rng, n=2000)
    for is_skip_gram in (True, False):
        tables = learned(tokens, settings(skip_gram=is_skip_gram, alpha=1e-9, min_alpha=1e-9))
        np.testing.assert_allclose(tables.loss / tables.pairs, 6 * np.log(2), rtol=1e-5)


def test_pairs_are_counted(rng):
    tokens = chain(rng, n=2000)
    tables = learned(tokens, settings(shrink_windows=False, epochs=1))
    assert tables.pairs[0] == 4 * 2000 - 6
    tables = learned(tokens, settings(skip_gram=False, epochs=1))
    assert tables.pairs[0] == 2000


def test_a_slice_is_what_a_fit_loses_at_most():
    pieces = pieces_of(25_000_000, 2, 2**16)
    assert max(piece.hi - piece.lo for piece in pieces) <= 10**7
    assert pieces[0].lo == 0 and pieces[-1] == Piece(1, pieces[-1].lo, 25_000_000)
    assert all(piece.lo % 2**16 == 0 for piece in pieces)
    assert sum(piece.hi - piece.lo for piece in pieces) == 50_000_000


@pytest.mark.parametrize("is_skip_gram", [True, False])
def test_whole_sentences_as_windows_take_small_rounds(is_skip_gram, rng):
    lengths = np.array([3000, 2, 40])
    ids = rng.integers(0, 30, size=lengths.sum()).astype(np.int32)
    counts = np.bincount(ids, minlength=30)
    words = [str(i) for i in range(30)]
    tokens = Tokens(words, counts, ids, np.cumsum([0, *lengths]))
    chosen = settings(skip_gram=is_skip_gram, window="sentence", epochs=1)
    plan = plan_of(tokens, counts, chosen, 4)
    assert plan.n_round * 3000 <= training.PAIRS_OF_ROUND
    if not is_skip_gram:
        assert learned(tokens, chosen, d=4).pairs[0] == lengths.sum()


def test_slices_do_not_change_what_is_learned(rng, monkeypatch):
    tokens = chain(rng, n=9000)
    whole = learned(tokens, settings())
    monkeypatch.setattr(training, "ROUND", 2**11)
    some = learned(tokens, settings())
    monkeypatch.setattr(training, "SLICE", 2**12)
    for a, b in zip(some, learned(tokens, settings()), strict=True):
        np.testing.assert_array_equal(a, b)
    assert some.pairs[0] == whole.pairs[0]  # no window ends with a round


def test_parts_have_even_shares_of_the_noise():
    counts = np.round(1e6 / np.arange(1, 5001)).astype(np.int64)
    tokens = Tokens([str(i) for i in range(5000)], counts, np.zeros(9, np.int32), np.array([0, 9]))
    plan = plan_of(tokens, counts, settings(), 8)
    assert len(plan.noise) == 8
    assert plan.part_shares.max() < 1.5 * plan.part_shares.min()
    np.testing.assert_allclose(plan.part_shares.sum(), 1)
    q = counts**0.75 / (counts**0.75).sum()
    for j, (words, sums, _) in enumerate(plan.noise):
        np.testing.assert_allclose(
            np.diff(sums, prepend=0) * plan.part_shares[j], q[words], atol=1e-12
        )
