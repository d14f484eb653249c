"""Text to numbers, whatever holds it: against a dictionary of counts."""

import os
import re
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest

import lowdim
from lowdim.text import read_tokens
from lowdim.text.tokens import cutters, reading, storing

WORDS = ["the", "cat", "Dog", "a", "of", "é", "好", "x_1", "sat", "mat", "sun"]


def texts(rng, n=60):
    return [" ".join(rng.choice(WORDS, size=rng.integers(0, 9))) for _ in range(n)]


def by_dictionary(lists, min_count, most=None):
    count = Counter(word for words in lists for word in words)
    kept = [word for word, times in count.items() if times >= min_count]
    names = sorted(kept, key=lambda word: (-count[word], word))[:most]
    number = {word: i for i, word in enumerate(names)}
    sentences = [[number[word] for word in words if word in number] for words in lists]
    return names, [count[word] for word in names], sentences


def assert_is(tokens, expected):
    words, counts, sentences = expected
    assert tokens.words == words
    np.testing.assert_array_equal(tokens.counts, counts)
    assert tokens.counts.dtype == np.int64 and tokens.ids.dtype == np.int32
    np.testing.assert_array_equal(tokens.starts, np.cumsum([0, *map(len, sentences)]))
    np.testing.assert_array_equal(tokens.ids, [i for sentence in sentences for i in sentence])


def assert_same(left, right):
    assert left.words == right.words and left.n_seen == right.n_seen
    for name in ("counts", "ids", "starts"):
        np.testing.assert_array_equal(getattr(left, name), getattr(right, name))


@pytest.mark.parametrize(("min_count", "most"), [(1, None), (15, None), (0, 4), (12, 100)])
def test_words_are_counted_and_numbered_by_falling_count(rng, min_count, most):
    docs = texts(rng)
    lists = [re.findall(r"\w+", doc.lower()) for doc in docs]
    tokens = read_tokens(docs, min_count=min_count, max_final_vocab=most)
    assert_is(tokens, by_dictionary(lists, min_count, most))
    assert tokens.n_seen == sum(map(len, lists))


def test_of_equally_frequent_words_the_first_by_name_come_first():
    tokens = read_tokens(["d c b a", "B b"], min_count=1, tokenizer="split", max_final_vocab=3)
    assert tokens.words == ["b", "B", "a"]


def test_one_result_whatever_holds_the_text(rng, tmp_path):
    docs = [doc or "a" for doc in texts(rng)]
    reference = read_tokens(docs, min_count=3)
    (tmp_path / "all.txt").write_text("\n".join(docs), encoding="utf-8")
    (tmp_path / "part-1.txt").write_text("\n".join(docs[:20]), encoding="utf-8")
    (tmp_path / "blank.txt").write_text("\n \n" + "\r\n\n".join(docs) + "\n\n")
    (tmp_path / "part-2.txt").write_text("\n".join(docs[20:]), encoding="utf-8")
    sources = [
        (doc for doc in docs),
        lowdim.corpus(docs),
        tmp_path / "all.txt",
        lowdim.corpus(tmp_path / "blank.txt", split="line"),
        os.fspath(tmp_path / "part-*.txt"),
        np.array(docs),
        lambda: iter(docs),
        [doc.lower().split() for doc in docs],
        (tuple(doc.lower().split()) for doc in docs),
        reference,
    ]
    for source in sources[:-1]:
        assert_same(read_tokens(source, min_count=3), reference)
    again = read_tokens(reference, min_count=3)
    assert again.words == reference.words and (again.ids == reference.ids).all()


@pytest.mark.parametrize("partitions", [1, 4])
def test_a_dask_bag_gives_what_a_list_gives(rng, partitions, monkeypatch):
    bag = pytest.importorskip("dask.bag")
    monkeypatch.setattr(reading, "PARTITIONS_AT_A_TIME", 3)
    docs = texts(rng)
    reference = read_tokens(docs, min_count=3)
    of_texts = bag.from_sequence(docs, npartitions=partitions)
    of_lists = of_texts.map(str.lower).map(str.split)
    for source in (of_texts, of_lists):
        assert_same(read_tokens(source, min_count=3), reference)
    known = reference.words[::2]
    left, right = (read_tokens(source, vocabulary=known) for source in (docs, of_texts))
    assert_same(left, right)


def test_threads_and_chunks_change_nothing(rng, monkeypatch):
    docs = texts(rng)
    reference = read_tokens(docs, min_count=3)
    monkeypatch.setattr(cutters, "CHUNK_CHARACTERS", 30)
    for threads in (1, 2, 5):
        with lowdim.config_context(threads=threads):
            assert_same(read_tokens(docs, min_count=3), reference)
    monkeypatch.setattr(storing.IdStore.__init__, "__defaults__", (100,))
    assert_same(read_tokens(docs, min_count=3), reference)


def test_the_seed_of_hashes_changes_nothing():
    program = (
        "import lowdim; t = lowdim.text.read_tokens([['b', 'a', 'c', 'c'], 'd e f b'], min_count=1)"
        "; print(t.words, t.ids.tolist())"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(found) == 1 and "['b', 'c', 'a'" in found.pop()


def test_known_words_keep_their_numbers(rng):
    tokens = read_tokens(["cat dog cat bird", "", "fish"], vocabulary=["fish", "cat", "worm"])
    assert tokens.words == ["fish", "cat", "worm"] and tokens.counts.tolist() == [1, 2, 0]
    assert tokens.ids.tolist() == [1, 1, 0] and tokens.starts.tolist() == [0, 2, 2, 3]
    assert tokens.n_seen == 5
    assert len(read_tokens([], vocabulary=["a"]).ids) == 0
    assert read_tokens(["zzz"], vocabulary=["a"]).starts.tolist() == [0, 0]


def test_tokens_can_be_cut_down(rng):
    docs = texts(rng)
    every = read_tokens(docs, min_count=1)
    expected, found = read_tokens(docs, min_count=15), read_tokens(every, min_count=15)
    assert found.words == expected.words
    np.testing.assert_array_equal(found.ids, expected.ids)
    np.testing.assert_array_equal(found.starts, expected.starts)


def test_a_long_sentence_is_not_cut(rng, monkeypatch):
    words = rng.choice(WORDS[:4], size=10**5)
    tokens = read_tokens([" ".join(words)], tokenizer="split")
    assert tokens.n_sentences == 1 and len(tokens) == 10**5
    assert [tokens.words[i] for i in tokens.ids[-100:]] == words[-100:].tolist()


def test_beyond_a_gigabyte_numbers_are_in_a_file(rng, monkeypatch):
    docs = texts(rng)
    reference = read_tokens(docs, min_count=1)
    monkeypatch.setattr(storing.IdStore.__init__, "__defaults__", (64,))
    tokens = read_tokens(docs, min_count=1)
    assert isinstance(tokens.ids.base, np.memmap) and reference.ids.base is None
    assert_same(tokens, reference)


@pytest.mark.parametrize("docs", [[], ["", "..."], [[]], iter([])], ids=["0", "1", "2", "3"])
def test_no_words_are_refused(docs):
    with pytest.raises(ValueError, match="There are no words in the text"):
        read_tokens(docs, min_count=1)


def test_the_door():
    message = "No word stands min_count=5 times.*of 2 different words, 'the'.*with 3.*min_count=3"
    with pytest.raises(ValueError, match=message):
        read_tokens(["the the cat", "the"])
    with pytest.raises(ValueError, match="min_count=-1"):
        read_tokens(["a"], min_count=-1)
    with pytest.raises(ValueError, match="max_final_vocab=0"):
        read_tokens(["a"], max_final_vocab=0)
    with pytest.raises(ValueError, match="vocabulary has a word twice"):
        read_tokens(["a"], vocabulary=["a", "a"])
    with pytest.raises(TypeError, match="Text cannot be read from int"):
        read_tokens(3)
