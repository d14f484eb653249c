"""`lowdim.words`: from word vectors to a page about them."""

from __future__ import annotations

import os
from dataclasses import dataclass
from importlib.util import find_spec
from numbers import Integral
from pathlib import Path
from typing import Any

from lowdim.core.threads import single_threaded_blas
from lowdim.core.validation import check_at_least, check_at_most, check_choice
from lowdim.report.page.report import PageReport
from lowdim.report.words.findings import MAP_WORDS, Findings, Wishes, find
from lowdim.report.words.questions import questions_of
from lowdim.report.words.reading import source_of
from lowdim.report.words.script import Paths, script

MOST_WORDS = 20_000
ALIGN = ("auto", "alike", "none")


@dataclass(frozen=True)
class WordsReport(PageReport):
    """What was found in word vectors, as a page.

    Attributes
    ----------
    findings : Findings
        The map, the neighbours, the clusters and the analogies as plain data:
        `findings.groups.groups`, `findings.relations`, `findings.accuracy`, `findings.against`, ...
    script : str
        A Python script that finds them again.
    """

    findings: Findings
    script: str

    frame_title = "lowdim words"

    def _make_html(self) -> str:
        from lowdim.report.words.page import page

        return page(self.findings, self.script)

    def show(self) -> Path:
        """Open the page in a browser; returns the file, which is a temporary one."""
        import tempfile
        import webbrowser

        folder = Path(tempfile.mkdtemp(prefix="lowdim-"))
        self.save(folder / "words.html")
        webbrowser.open((folder / "words.html").as_uri())
        return folder / "words.html"

    def __repr__(self) -> str:
        found = self.findings
        n_all = sum(vocabulary.n_all for vocabulary in found.vocabularies)
        d = found.vocabularies[0].units.shape[1]
        return f"WordsReport({n_all} words, {d} dimensions, {len(found.groups.groups)} clusters)"


@single_threaded_blas()
def words(
    vectors: Any,
    *,
    questions: Any = None,
    against: Any = None,
    align: str = "auto",
    n_words: int = MAP_WORDS,
    name: str | None = None,
    random_state: int = 0,
) -> WordsReport:
    """Show word vectors: a map, the nearest words of each, clusters, analogies.

    Parameters
    ----------
    vectors : WordVectors, a model that has them as `wv`, or a path
        A path is a file of word2vec's text (.txt, .vec) or binary form (.bin), also with .gz, of
        GloVe's, or what `save` wrote (.lowdim).
    questions : path, dict or None, default=None
        Analogies, as `lowdim.datasets.load_analogies` reads or gives them: the page says how many
        are answered rightly, and draws their pairs as arrows. None draws a few pairs of common
        English words.
    against : like vectors, or None, default=None
        Vectors of another language or corpus, for one map of both.
    align : {'auto', 'alike', 'none'}, default='auto'
        How `vectors` come into the space of `against`. 'alike' turns them so that words written
        alike come together; 'none' takes them as they are; 'auto' looks whether words written
        alike are near each other already.
    n_words : int, default=5000
        Words of the map: the commonest; of two vocabularies together. At most 20000.
    name : str or None, default=None
        What the page calls the vectors; None: the name of the file.
    random_state : int, default=0
        The same number gives the same page.

    Returns
    -------
    WordsReport
        `save("words.html")` writes the page; a notebook shows it; `findings` are its numbers.

    Examples
    --------
    >>> import numpy as np
    >>> import lowdim
    >>> vectors = np.random.default_rng(0).normal(size=(6, 4)) + np.repeat([[9.0], [-9.0]], 3, 0)
    >>> wv = lowdim.WordVectors(["sea", "ship", "wave", "sun", "moon", "star"], vectors)
    >>> report = lowdim.words(wv)
    >>> near = report.findings.near[0].index[0, :2]
    >>> sorted(report.findings.words[i] for i in near)
    ['ship', 'wave']
    """
    check_choice("align", align, ALIGN)
    check_at_least("n_words", n_words, 1)
    check_at_most("n_words", n_words, MOST_WORDS, "words that a map can show")
    if not isinstance(random_state, Integral) or random_state < 0:
        raise ValueError(
            f"random_state={random_state!r} must be a whole number, at least 0: the page says how "
            "to make it again."
        )
    if find_spec("bokeh") is None:
        raise ImportError('The page needs bokeh: pip install "lowdim[report]".')
    asked = None if questions is None else questions_of(questions)
    source = source_of(vectors, "the vectors")
    source = source if name is None else source._replace(name=name)
    other = None if against is None else source_of(against, "the other vectors")
    wishes = Wishes(align, int(n_words))
    findings = find(source, other, asked, wishes, int(random_state))
    paths = Paths(*(_path(given) for given in (vectors, against, questions)))
    return WordsReport(findings, script(findings, paths, int(random_state)))


def _path(given: Any) -> str | None:
    return os.fspath(given) if isinstance(given, str | os.PathLike) else None
