"""`read_tokens`: a text, whatever holds it, as numbers of its words.

    documents -> batches -> words of a batch, in numbers of its own     on threads
              -> their numbers among all words seen, and counts         one after the other
    all seen  -> the vocabulary: counts of at least min_count, by falling count, then by name
              -> the text in its numbers; other words go                on threads

On Dask each worker cuts its partitions and numbers their words; the numbers come here.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing
from typing import Any

import numpy as np

from lowdim.core.threads import ordered_map
from lowdim.core.validation import check_at_least
from lowdim.text.counting.cutting import as_tokens, as_words, table_of
from lowdim.text.counting.word_table import Tokens as WordsOfText
from lowdim.text.counting.word_table import WordTable
from lowdim.text.tokens.cutters import Cutter, Numbered
from lowdim.text.tokens.sources import Document, Lines, is_dask_text, items_of
from lowdim.text.tokens.storing import Chunk, IdStore
from lowdim.text.tokens.tokens import Tokens

PARTITIONS_AT_A_TIME = 64


def read_tokens(
    source: Any,
    *,
    tokenizer: Any = "words",
    min_count: int = 5,
    max_final_vocab: int | None = None,
    vocabulary: Sequence[str] | None = None,
    sentences: bool = False,
) -> Tokens:
    """Cut a text into words, once: numbers of 4 bytes for each word that is not rare.

    Parameters
    ----------
    source : path, Corpus, iterable of str or of lists of words, Series, Dask bag, callable, Tokens
        A path may be a pattern with * in it; files are read as `lowdim.corpus` reads them. A string
        among documents is cut into words, a list of words is taken as it is. Any iterable is read
        once. A callable gives an iterator of texts.
    tokenizer : {'words', 'split'}, callable or CountVectorizer, default='words'
        'words': runs of letters, digits and underscores, in lower case. 'split': what stands
        between blanks, as it stands. A function that makes a list of words of a text. A
        CountVectorizer cuts as its own arguments say, with its stop words and stemmer.
    min_count : int, default=5
        Words that stand fewer times in the text are left out.
    max_final_vocab : int or None, default=None
        At most so many words, the commonest.
    vocabulary : list of str or None, default=None
        The words that count, in this order; `min_count` and `max_final_vocab` are not used then.
    sentences : bool, default=False
        Texts are cut into sentences, at full stops and blank lines; otherwise a document is one.

    Returns
    -------
    tokens : Tokens
        `words`, `counts`, `ids`, `starts` and `n_seen`.

    Examples
    --------
    >>> import lowdim
    >>> tokens = lowdim.text.read_tokens(["The cat saw the dog.", "A cat!"], min_count=2)
    >>> tokens.words, tokens.counts.tolist()
    (['cat', 'the'], [2, 2])
    >>> tokens.ids.tolist(), tokens.starts.tolist(), tokens.n_seen
    ([1, 0, 1, 0], [0, 3, 4], 7)
    """
    check_at_least("min_count", min_count, 0)
    if max_final_vocab is not None:
        check_at_least("max_final_vocab", max_final_vocab, 1)
    with (
        closing(_Seen(vocabulary)) as seen,
        closing(_chunks(source, tokenizer, sentences)) as chunks,
    ):
        for chunk in chunks:
            seen.add(chunk)
        return seen.tokens(min_count, max_final_vocab)


class _Seen:
    """Words that were seen, and the text in their numbers."""

    def __init__(self, vocabulary: Sequence[str] | None):
        self._given = None if vocabulary is None else list(vocabulary)
        self._words = WordTable() if self._given is None else table_of(self._given)
        if self._given is not None and len(self._words) != len(self._given):
            raise ValueError("vocabulary has a word twice; give each once.")
        self._counts = np.zeros(max(1024, len(self._words)), dtype=np.int64)
        self._store = IdStore()
        self._n_seen = 0

    def add(self, chunk: Numbered) -> None:
        numbers = self._words.number(chunk.words, self._given is None)
        self._n_seen += len(chunk.ids)
        if len(self._words) > len(self._counts):
            more = np.zeros(2 * len(self._words) - len(self._counts), dtype=np.int64)
            self._counts = np.concatenate([self._counts, more])
        known = numbers >= 0
        self._counts[numbers[known]] += chunk.counts[known]
        self._store.append(Chunk(numbers[chunk.ids], chunk.ends))

    def tokens(self, min_count: int, most: int | None) -> Tokens:
        counts = self._counts[: len(self._words)]
        if self._given is None:
            chosen, words = self._chosen(counts, min_count, most)
        else:
            chosen, words = np.arange(len(counts)), self._given
        number = np.full(len(counts) + 1, -1, dtype=np.int32)  # the last one: of unknown words
        number[chosen] = np.arange(len(chosen), dtype=np.int32)
        counts = counts[chosen]
        self._words, self._counts = WordTable(), np.zeros(0, dtype=np.int64)  # rare words go
        ids, starts = self._store.renumbered(number, int(counts.sum()))
        return Tokens(words, counts, ids, starts, self._n_seen)

    def of_part(self) -> tuple[list[str], np.ndarray, np.ndarray, np.ndarray]:
        """Words, counts, ids and where sentences end, of a part of a text."""
        counts = self._counts[: len(self._words)]
        number = np.arange(len(counts), dtype=np.int32)
        ids, starts = self._store.renumbered(number, int(counts.sum()))
        return as_words(self._words.words()), counts, ids, starts[1:]

    def close(self) -> None:
        self._store.close()

    def _chosen(
        self, counts: np.ndarray, min_count: int, most: int | None
    ) -> tuple[np.ndarray, list[str]]:
        """The words that are not rare, by falling count, then by name."""
        passed = np.flatnonzero(counts >= min_count)
        if most is not None and len(passed) > most:
            least = -np.partition(-counts[passed], most - 1)[most - 1]
            passed = passed[counts[passed] >= least]
        known = self._words.words()
        words = as_words(WordsOfText(known.text, *(part[passed] for part in known[1:])))
        if not words:
            self._refuse(counts, known, min_count)
        by_name = np.array(sorted(range(len(words)), key=words.__getitem__))
        order = by_name[np.argsort(-counts[passed][by_name], kind="stable")][:most].tolist()
        return passed[order], [words[i] for i in order]

    def _refuse(self, counts: np.ndarray, known: WordsOfText, min_count: int) -> None:
        if not len(counts):
            raise ValueError(
                "There are no words in the text; give texts that have some, or another tokenizer."
            )
        most = int(counts.max())
        best = counts == most
        word = min(as_words(WordsOfText(known.text, *(part[best] for part in known[1:]))))
        raise ValueError(
            f"No word stands min_count={min_count} times in the text: of {len(counts):,} different "
            f"words, {word[:60]!r} is the commonest with {most:,}. Choose at most "
            f"min_count={most}, or give more text."
        )


def _as_numbered(tokens: Tokens) -> Numbered:
    return Numbered(as_tokens(tokens.words), tokens.counts, tokens.ids, tokens.starts[1:])


def _chunks(source: Any, tokenizer: Any, sentences: bool) -> Generator[Numbered, None, None]:
    if isinstance(source, Tokens):
        yield _as_numbered(source)
        return
    cutter = Cutter(tokenizer, sentences)
    if is_dask_text(source):
        yield from _from_workers(source, cutter)
    else:
        yield from _cut(items_of(source), cutter)


def _cut(documents: Iterable[Document | Lines], cutter: Cutter) -> Generator[Numbered, None, None]:
    with closing(ordered_map(cutter.cut, cutter.items(documents))) as chunks:
        yield from chunks


def _from_workers(source: Any, cutter: Cutter) -> Iterator[Numbered]:
    import dask

    work = dask.delayed(_of_partition)
    shared = dask.delayed(cutter, traverse=False)
    parts = [work(part, shared) for part in source.to_delayed()]
    for first in range(0, len(parts), PARTITIONS_AT_A_TIME):
        for words, counts, ids, ends in dask.compute(*parts[first : first + PARTITIONS_AT_A_TIME]):
            yield Numbered(as_tokens(words), counts, ids, ends)


def _of_partition(part: Any, cutter: Cutter) -> tuple:
    """The words of a partition, and its text in their numbers; runs on a worker."""
    with closing(_Seen(None)) as seen:
        for chunk in _cut(items_of(list(part)), cutter):
            seen.add(chunk)
        return seen.of_part()
