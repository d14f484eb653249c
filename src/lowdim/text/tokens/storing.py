"""Numbers of words as they come: in memory, or in a temporary file if there are many.

Chunks keep the numbers that words got when they were first seen. When all were seen, they get those
of the vocabulary, chunk by chunk, and words that are not in it go.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from typing import IO, NamedTuple

import numpy as np

from lowdim.core.memory import give_back
from lowdim.core.threads import ordered_map

MOST_BYTES = 2**23  # in memory: a model of words should not grow with the text


class Chunk(NamedTuple):
    """Some words of a text."""

    ids: np.ndarray  # int32
    ends: np.ndarray  # int64, where sentences end; the last one may go on in the next chunk


class IdStore:
    """Chunks of numbers of words."""

    def __init__(self, most_bytes: int = MOST_BYTES):
        self._most = most_bytes // 4
        self._chunks: list[np.ndarray] = []
        self._ends: list[np.ndarray] = []
        self._sizes: list[int] = []
        self._file: IO[bytes] | None = None
        self.n = 0

    def append(self, chunk: Chunk) -> None:
        self.n += len(chunk.ids)
        self._sizes.append(len(chunk.ids))
        self._ends.append(chunk.ends)
        self._chunks.append(chunk.ids)
        if self._file is None and self.n > self._most:
            self._file = tempfile.TemporaryFile(prefix="lowdim-")
        if self._file is not None:
            for ids in self._chunks:
                ids.tofile(self._file)
            self._chunks = []

    def renumbered(self, number: np.ndarray, n_kept: int) -> tuple[np.ndarray, np.ndarray]:
        """(ids, starts) in the numbers of the vocabulary; once.

        number : int32, for each word that was seen; -1: not in the vocabulary
        n_kept : how many words of the text are in the vocabulary
        """
        ids = np.empty(0 if self._file is not None else n_kept, dtype=np.int32)
        starts = np.zeros(1 + sum(map(len, self._ends)), dtype=np.int64)
        done, sentence = 0, 1

        def work(chunk: Chunk) -> Chunk:
            return _in_vocabulary(chunk, number)

        for some, ends in ordered_map(work, self._emptied()):
            if self._file is None:
                ids[done : done + len(some)] = some
            else:
                self._file.seek(4 * done)  # never beyond what was read: words only go
                some.tofile(self._file)
            starts[sentence : sentence + len(ends)] = ends + done
            done, sentence = done + len(some), sentence + len(ends)
        return ids if self._file is None else self._mapped(done), starts

    def _emptied(self) -> Iterator[Chunk]:
        self._chunks.reverse()
        self._ends.reverse()
        place = 0
        for size in self._sizes:
            if self._file is None:
                ids = self._chunks.pop()
            else:
                self._file.seek(place)
                ids = np.fromfile(self._file, dtype=np.int32, count=size)
                place += 4 * size
            yield Chunk(ids, self._ends.pop())

    def _mapped(self, n: int) -> np.ndarray:
        assert self._file is not None
        self._file.truncate(4 * n)
        self._file.flush()
        give_back()  # what cutting has left: a third of what learning needs besides
        if n == 0:
            return np.empty(0, dtype=np.int32)
        # the file has no name: it goes with the last array that sees it
        return np.asarray(np.memmap(self._file, dtype=np.int32, mode="r+", shape=(n,)))

    def close(self) -> None:
        """Forget all chunks; arrays that see the file keep it."""
        self._chunks, self._ends, self._sizes = [], [], []
        if self._file is not None:
            self._file.close()


def _in_vocabulary(chunk: Chunk, number: np.ndarray) -> Chunk:
    ids = number[chunk.ids]
    kept = ids >= 0
    if kept.all():
        return Chunk(ids, chunk.ends)
    before = np.zeros(len(ids) + 1, dtype=np.int64)
    np.cumsum(kept, out=before[1:])
    return Chunk(ids[kept], before[chunk.ends])
