import numpy as np

from lowdim.text.embeddings.word2vec.chance import (
    STEP,
    draw_words,
    drawn_by,
    key_of,
    mixed,
    shares_of,
)


def test_the_sequence_is_that_of_splitmix64():
    # the first numbers for seed 1234567, of the reference program by Vigna
    seed = 1234567
    expected = [6457827717110365317, 3203168211198807973, 9817491932198370423]
    with np.errstate(over="ignore"):
        keys = [np.uint64(seed) + np.uint64(i) * STEP for i in (1, 2, 3)]
        assert [int(mixed(key)) for key in keys] == expected


def test_sequences_have_keys_of_their_own():
    keys = {int(key_of(7, a, b)) for a in range(50) for b in range(50)}
    assert len(keys) == 2500
    assert key_of(7, 1, 2) != key_of(7, 2, 1)


def test_words_are_drawn_by_their_shares(seed):
    q = np.array([5.0, 0.5, 3.0, 1e-9, 1.5])
    words = np.array([4, 9, 2, 7, 1])
    drawn = drawn_by(shares_of(words, q), (50_000,), key_of(seed))
    share = np.array([(drawn == word).mean() for word in words])
    expected = q / q.sum()
    spread = np.sqrt(expected * (1 - expected) / 50_000)
    assert (np.abs(share - expected) <= 5 * spread + 1e-6).all()


def test_the_kernel_draws_what_a_search_finds(seed, rng):
    q = rng.random(200) ** 4
    shares = shares_of(np.arange(200), q)
    key = key_of(seed, 3)
    drawn = drawn_by(shares, (300,), key)
    with np.errstate(over="ignore"):
        bits = [int(mixed(key + np.uint64(i) * STEP)) >> 11 for i in range(300)]
        twin = np.empty(300, dtype=np.int32)
        draw_words.python(key, *shares, twin)
    u = np.array(bits) * 2.0**-53
    np.testing.assert_array_equal(drawn, np.searchsorted(shares.sums, u, side="right"))
    np.testing.assert_array_equal(drawn, twin)


def test_one_word_is_always_drawn():
    assert (drawn_by(shares_of(np.array([3]), np.array([0.1])), (2, 4), key_of(0)) == 3).all()
