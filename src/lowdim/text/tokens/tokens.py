"""`Tokens`: what a text is after it was cut into words."""

from __future__ import annotations

import hashlib
import mmap

import numpy as np
import scipy.sparse as sp

from lowdim.text.counting.cutting import rows_of_counts

READ_AT_A_TIME = 2**18  # words: what is read of a temporary file counts as memory of the process


class Tokens:
    """A text as numbers of words, sentence after sentence; rare words are out.

    Parameters
    ----------
    words : list of str
    counts : int64 array of shape (n_words,)
    ids : int32 array of shape (n_tokens,)
    starts : int64 array of shape (n_sentences + 1,)
    n_seen : int or None, default=None
        None: as many as there are in `ids`.

    Attributes
    ----------
    words : list of str
        The vocabulary, by falling count; of equals the first in alphabetical order first.
    counts : ndarray of shape (n_words,)
        How often each word stands in the text.
    ids : ndarray of shape (n_tokens,)
        The number of each word of the text. Beyond 8 MB it is in a temporary file, which is
        deleted with this object.
    starts : ndarray of shape (n_sentences + 1,)
        Where sentences begin in `ids`; the last entry is where the last one ends. A sentence
        without a word of the vocabulary is empty.
    n_seen : int
        Words of the text before rare ones were left out.
    """

    def __init__(
        self,
        words: list[str],
        counts: np.ndarray,
        ids: np.ndarray,
        starts: np.ndarray,
        n_seen: int | None = None,
    ):
        self.words, self.counts, self.ids, self.starts = words, counts, ids, starts
        self.n_seen = len(ids) if n_seen is None else n_seen

    @property
    def n_sentences(self) -> int:
        return len(self.starts) - 1

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        return (
            f"Tokens({len(self.ids):,} of {self.n_seen:,} words in {self.n_sentences:,} sentences, "
            f"{len(self.words):,} different)"
        )

    def fingerprint(self) -> str:
        """A hash of every word and its place: two texts with the same one are the same."""
        digest = hashlib.blake2b(digest_size=16)
        digest.update("\n".join(self.words).encode("utf-8", "surrogatepass"))
        digest.update(np.ascontiguousarray(self.starts).data)
        for first in range(0, len(self.ids), READ_AT_A_TIME):
            digest.update(np.ascontiguousarray(self.ids[first : first + READ_AT_A_TIME]).data)
            self.release()
        return f"{len(self.ids)} words {digest.hexdigest()}"

    def release(self) -> None:
        """Give back the memory of what was read of a temporary file; it can be read again."""
        mapped = getattr(self.ids.base, "_mmap", None)
        if mapped is not None and hasattr(mapped, "madvise"):  # not on Windows
            mapped.madvise(mmap.MADV_DONTNEED)

    def sentence(self, i: int) -> list[str]:
        """The words of a sentence that are in the vocabulary."""
        return [self.words[word] for word in self.ids[self.starts[i] : self.starts[i + 1]]]

    def counts_by_sentence(self, binary: bool = False) -> sp.csr_array:
        """How often each sentence has each word, or whether it has; float64."""
        X = rows_of_counts(self.ids, self.starts[1:], len(self.words))
        X.sort_indices()
        values = np.ones(X.nnz) if binary else X.data.astype(np.float64)
        return sp.csr_array((values, X.indices, X.indptr), shape=X.shape)
