"""Word vectors in files, and as gensim's."""

from __future__ import annotations

import os
from typing import Any, Self

import numpy as np

from lowdim.core.persistence import load, save_model
from lowdim.core.validation import check_at_least, check_choice
from lowdim.tables.errors import plain, quoted
from lowdim.text.vectors.keyed import Keyed
from lowdim.text.vectors.reading import Form, read_counts, read_vectors
from lowdim.text.vectors.source import WordFileError, opened
from lowdim.text.vectors.writing import write_counts, write_vectors

DUPLICATES = ("error", "first")


class Filed(Keyed):
    """What word vectors have to do with files and with gensim."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write words, vectors and counts to one file that `lowdim.load` reads; it runs no code.

        Examples
        --------
        >>> import lowdim, tempfile
        >>> wv = lowdim.WordVectors(["a", "b"], [[1.0, 0.0], [0.6, 0.8]], counts=[3, 2])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     wv.save(f"{folder}/words.lowdim")
        ...     again = lowdim.load(f"{folder}/words.lowdim")
        >>> again.most_similar("a"), again.get_vecattr("a", "count")
        ([('b', 0.6)], 3)
        """
        save_model(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Word vectors of any file: what lowdim saved, also a model that has some, or another.

        A file that lowdim did not write is read by `load_word2vec_format`, which finds out what it
        is.
        """
        with opened(path, plain(os.fspath(path), 200)) as file:
            ours = file.read(4) == b"PK\x03\x04"
        if not ours:
            return cls.load_word2vec_format(path)
        found = load(path)
        vectors = found if isinstance(found, Keyed) else getattr(found, "wv", None)
        if not isinstance(vectors, Keyed):
            raise WordFileError(
                f"{plain(os.fspath(path), 200)} holds a {type(found).__name__}, which has no word "
                "vectors."
            )
        return cls(vectors.index_to_key, vectors.vectors, vectors.counts)

    @classmethod
    def load_word2vec_format(
        cls,
        fname: str | os.PathLike[str],
        fvocab: str | os.PathLike[str] | None = None,
        binary: bool | None = None,
        encoding: str = "utf8",
        unicode_errors: str = "strict",
        limit: int | None = None,
        datatype: Any = np.float32,
        no_header: bool | None = None,
        *,
        duplicates: str = "error",
    ) -> Self:
        """Read a file of word2vec, GloVe, fastText (.vec) or gensim (save_word2vec_format).

        Parameters
        ----------
        fname : str or path-like
            Also packed by gzip.
        fvocab : str or path-like, default=None
            A file with the counts of the words: "word count" in each line.
        binary : bool or None, default=None
            Whether vectors are stored as bytes; None: it is found out.
        encoding, unicode_errors : str, default="utf8", "strict"
            Of the words; "replace" or "ignore" for bytes that are no characters.
        limit : int or None, default=None
            Only the first words, which usually are the commonest.
        datatype : dtype, default=float32
            Of the vectors; float32 or float64.
        no_header : bool or None, default=None
            Whether the first line is that of a word, as in files of GloVe; None: it is found out.
        duplicates : {"error", "first"}, default="error"
            What is done with a word that stands in the file twice; "first" keeps the first.

        Returns
        -------
        WordVectors

        Raises
        ------
        ValueError
            If the file is cut short, longer than its header says, has NaN or a word twice: with the
            line. Nothing is believed of a header before it is seen. Pickles (gensim's `save`) are
            not read, for that would run what is in them.

        Examples
        --------
        >>> import lowdim, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = f"{folder}/glove.txt"
        ...     with open(path, "w") as file:
        ...         _ = file.write("the 0.5 0.1 -1\\nof 0.25 1e-2 3\\n")
        ...     lowdim.WordVectors.load_word2vec_format(path)["of"]
        array([0.25, 0.01, 3.  ], dtype=float32)
        """
        check_choice("duplicates", duplicates, DUPLICATES)
        if limit is not None:
            check_at_least("limit", limit, 1)
        form = Form(encoding, unicode_errors, duplicates)
        words, vectors = read_vectors(
            fname, form, binary=binary, no_header=no_header, limit=limit, dtype=datatype
        )
        if fvocab is None:
            return cls(words, vectors)
        known = read_counts(fvocab, form)
        for word in words:
            if word not in known:
                raise WordFileError(
                    f"{plain(os.fspath(fvocab), 200)} has no count of {quoted(word)}, which has a "
                    "vector."
                )
        return cls(words, vectors, [known[word] for word in words])

    def save_word2vec_format(
        self,
        fname: str | os.PathLike[str],
        fvocab: str | os.PathLike[str] | None = None,
        binary: bool = False,
        *,
        write_header: bool = True,
        prefix: str = "",
        sort_attr: str | None = "count",
        line_ends: bool = False,
    ) -> None:
        """Write a file that word2vec's programs, gensim and others read.

        Parameters
        ----------
        fname : str or path-like
            Packed by gzip if the name ends in .gz.
        fvocab : str or path-like, default=None
            A file for the counts, "word count" in each line.
        binary : bool, default=False
            Whether vectors are stored as bytes of float32, or as text.
        write_header : bool, default=True
            False leaves out the first line, as files of GloVe do.
        prefix : str, default=""
            Stands before every word.
        sort_attr : str or None, default="count"
            Words by falling count, where counts are known; None: as they are.
        line_ends : bool, default=False
            Whether a line end follows each vector of a binary file, as word2vec itself writes it.
        """
        if fvocab is not None and self.counts is None:
            raise ValueError("fvocab needs counts; these word vectors have none.")
        check_choice("sort_attr", sort_attr, ("count", None))
        if binary and not write_header:
            raise ValueError("write_header=False is for text; a binary file needs the header.")
        order = np.arange(len(self))
        if sort_attr is not None and self.counts is not None:
            order = np.argsort(-self.counts, kind="stable")
        same = bool(np.all(np.diff(order) == 1))
        words = [prefix + self.index_to_key[i] for i in order]
        vectors = self.vectors if same else self.vectors[order]
        write_vectors(
            fname, words, vectors, binary=binary, header=write_header, line_ends=line_ends
        )
        if fvocab is not None:
            assert self.counts is not None
            write_counts(fvocab, words, self.counts[order].tolist())

    @classmethod
    def from_gensim(cls, keyed: Any) -> Self:
        """The same words and vectors as gensim's KeyedVectors, or those of a model of gensim's."""
        keyed = getattr(keyed, "wv", keyed)
        if not hasattr(keyed, "index_to_key") or not hasattr(keyed, "vectors"):
            raise TypeError(
                f"A {type(keyed).__name__} was given; choose KeyedVectors of gensim 4, or a model "
                "that has them."
            )
        words = [str(word) for word in keyed.index_to_key]
        vectors = np.array(keyed.vectors[: len(words)])
        counts = getattr(keyed, "expandos", {}).get("count")
        return cls(words, vectors, None if counts is None else np.asarray(counts)[: len(words)])

    def to_gensim(self) -> Any:
        """The same words, vectors and counts as KeyedVectors of gensim, which must be installed."""
        try:
            from gensim.models import KeyedVectors
        except ImportError:
            raise ImportError(
                "to_gensim needs gensim: pip install gensim. Without it, save_word2vec_format "
                "writes a file that gensim reads."
            ) from None
        keyed = KeyedVectors(self.vector_size, dtype=self.vectors.dtype)
        keyed.add_vectors(self.index_to_key, np.array(self.vectors))
        if self.counts is not None:
            keyed.expandos["count"] = np.array(self.counts)
        return keyed
