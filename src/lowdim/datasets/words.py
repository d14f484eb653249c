"""Texts for learning word vectors, and what these are judged by: loaders for local copies.

Nothing is fetched: each loader takes the path of a file, also packed by gzip.
"""

from __future__ import annotations

import csv
import gzip
import os
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

Analogy = tuple[str, str, str, str]
WordPair = tuple[str, str, float]

GZIP = b"\x1f\x8b"
HEADER_NAMES = frozenset(
    {"source", "target", "word", "translation", "from", "to", "english", "french", "en", "fr"}
)


class Articles(NamedTuple):
    """Articles of an encyclopedia.

    Attributes
    ----------
    title : list of str
    text : list of str
        Words with blanks between.
    """

    title: list[str]
    text: list[str]


class Sentences(NamedTuple):
    """Sentences of a corpus.

    Attributes
    ----------
    category : list of str
        What kind of text each is from.
    file : list of str
        Which text.
    text : list of str
        Words and signs with blanks between.
    """

    category: list[str]
    file: list[str]
    text: list[str]


def load_wikipedia(path: str | os.PathLike[str]) -> Articles:
    """Articles of a file in which each line is a title, a tab, and the text.

    Parameters
    ----------
    path : str or path-like

    Returns
    -------
    Articles
        `title` and `text`, lists of str.
    """
    title, text = [], []
    for number, line in _lines(path):
        name, tab, words = line.partition("\t")
        if not tab:
            raise _wrong(path, number, line, "a title, a tab and a text")
        title.append(name)
        text.append(words)
    return Articles(title, text)


def load_brown(path: str | os.PathLike[str]) -> Sentences:
    """Sentences of the Brown corpus: each line is a category, a file and a sentence, between tabs.

    Parameters
    ----------
    path : str or path-like

    Returns
    -------
    Sentences
        `category`, `file` and `text`, lists of str.

    References
    ----------
    .. [1] W. N. Francis, H. Kučera (1964). A standard corpus of present-day edited American
       English. Brown University.
    """
    found = Sentences([], [], [])
    for number, line in _lines(path):
        fields = line.split("\t")
        if len(fields) != 3:
            raise _wrong(path, number, line, "a category, a file and a sentence, between tabs")
        for part, field in zip(found, fields, strict=True):
            part.append(field)
    return found


def load_analogies(path: str | os.PathLike[str]) -> dict[str, list[Analogy]]:
    """Questions a : b = c : d, by section.

    Parameters
    ----------
    path : str or path-like
        Four words in each line, and lines ": name" where a section begins, as questions-words.txt
        of word2vec; or a .csv file with the columns type, word1, word2, word3, target, as those
        of Microsoft Research.

    Returns
    -------
    dict
        From sections to lists of (a, b, c, d); `WordVectors.evaluate_word_analogies` takes it.

    References
    ----------
    .. [1] T. Mikolov, K. Chen, G. Corrado, J. Dean (2013). Efficient estimation of word
       representations in vector space. arXiv:1301.3781.
    """
    sections: dict[str, list[Analogy]] = {}
    if _is_csv(path):
        for number, row in _rows(path):
            if len(row) != 5 or not all(row):
                raise _wrong(path, number, ",".join(row), "type,word1,word2,word3,target")
            if number > 1:
                sections.setdefault(row[0], []).append((row[1], row[2], row[3], row[4]))
        return sections
    section: list[Analogy] | None = None
    for number, line in _lines(path):
        words = line.split()
        if line.startswith(":"):
            section = sections.setdefault(line[1:].strip(), [])
        elif section is None:
            raise _wrong(path, number, line, "': ' and the name of a section, before all questions")
        elif len(words) == 4:
            section.append((words[0], words[1], words[2], words[3]))
        else:
            raise _wrong(path, number, line, "four words, with blanks between")
    return sections


def load_word_similarity(path: str | os.PathLike[str]) -> dict[str, list[WordPair]]:
    """How alike people say that pairs of words are, by data set.

    Parameters
    ----------
    path : str or path-like
        A .csv file with the columns dataset, word1, word2, score (the first one may be missing), or
        a file with two words and a score between tabs in each line, such as wordsim353.tsv; lines
        that begin with # are left out.

    Returns
    -------
    dict
        From names to lists of (word, word, score); `WordVectors.evaluate_word_pairs` takes such a
        list. A file without names has one, its own.
    """
    own, found = Path(path).name.split(".")[0], dict[str, list[WordPair]]()
    rows = _rows(path) if _is_csv(path) else ((k, line.split("\t")) for k, line in _lines(path))
    for number, row in rows:
        if row and row[0].startswith("#"):
            continue
        name, *pair = row if len(row) == 4 else [own, *row]
        if len(pair) != 3:
            raise _wrong(path, number, ",".join(row), "two words and a score")
        try:
            score = float(pair[2])
        except ValueError:
            if number == 1 or not found:  # the names of the columns
                continue
            raise _wrong(path, number, ",".join(row), "two words and a score") from None
        found.setdefault(name, []).append((pair[0], pair[1], score))
    return found


def load_dictionary(path: str | os.PathLike[str]) -> list[tuple[str, str]]:
    """Words and their translations; a word that has several stands there several times.

    Parameters
    ----------
    path : str or path-like
        A .csv file whose first two columns are a word and its translation, or a file with both in
        each line, with a tab or a blank between, such as those of MUSE. A first line of names
        ("source,target", "en,fr") is left out.

    Returns
    -------
    list of (str, str)
        `lowdim.text.align` and `Alignment.evaluate` take it.
    """
    pairs: list[tuple[str, str]] = []
    if _is_csv(path):
        rows: Iterable[tuple[int, list[str]]] = _rows(path)
    else:
        rows = ((k, line.split("\t") if "\t" in line else line.split()) for k, line in _lines(path))
    for number, row in rows:
        if len(row) < 2 or not row[0].strip() or not row[1].strip():
            raise _wrong(path, number, ",".join(row), "a word and its translation")
        if number == 1 and {cell.strip().lower() for cell in row[:2]} <= HEADER_NAMES:
            continue
        pairs.append((row[0].strip(), row[1].strip()))
    return pairs


# ---- files ---------------------------------------------------------------------------------------


def _is_csv(path: str | os.PathLike[str]) -> bool:
    return os.fspath(path).removesuffix(".gz").lower().endswith(".csv")


def _lines(path: str | os.PathLike[str]) -> Iterator[tuple[int, str]]:
    """(number, line) of all lines that are not blank."""
    with open(path, "rb") as raw:
        packed = raw.peek(2)[:2] == GZIP
        file = gzip.GzipFile(fileobj=raw) if packed else raw
        try:
            for number, line in enumerate(file, start=1):
                text = line.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
                if text.strip():
                    yield number, text
        except UnicodeDecodeError:
            raise ValueError(f"{path}, line {number}: this is not in UTF-8.") from None
        except (EOFError, zlib.error, gzip.BadGzipFile):
            raise ValueError(f"{path} is damaged or cut short. Get it again.") from None


def _rows(path: str | os.PathLike[str]) -> Iterator[tuple[int, list[str]]]:
    for number, line in _lines(path):
        yield number, next(csv.reader([line]))


def _wrong(path: str | os.PathLike[str], number: int, line: str, expected: str) -> ValueError:
    return ValueError(f"{path}, line {number}: {line[:60]!r} is not {expected}.")
