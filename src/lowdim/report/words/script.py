"""The Python script that finds what the page says again, by the public names of lowdim."""

from __future__ import annotations

from typing import NamedTuple

from lowdim.report.words.findings import NORMALIZED, Findings
from lowdim.report.words.plane import map_model
from lowdim.report.words.reading import BINARY, MODEL

FIRST_LINE = '"""The findings of a page of lowdim words, found again."""'


class Paths(NamedTuple):
    """Files that the page was made from; None: it was in memory, or not given."""

    vectors: str | None
    against: str | None
    questions: str | None


def script(findings: Findings, paths: Paths, seed: int) -> str:
    """A script that repeats what the page did."""
    parts = [_opened(paths.vectors, "vectors"), _words(findings, seed)]
    if findings.accuracy is not None:
        asked = "questions" if paths.questions is None else repr(paths.questions)
        parts.append(
            "# how many analogies are answered rightly\n"
            f"score, sections = vectors.evaluate_word_analogies({asked})\n"
            "print(score)\n"
        )
    if findings.against is not None:
        parts.append(_against(paths, findings.against.turned))
    parts.append(
        "# a word, and what it is near to\n"
        "print(vectors.most_similar(words[0], topn=5))\n"
        "vectors.save('vectors.lowdim')  # lowdim.load reads it\n"
    )
    body = "\n".join(parts)
    imports = "import numpy as np\n\nimport lowdim\n" if "np." in body else "import lowdim\n"
    return f"{FIRST_LINE}\n\n{imports}\n{body}"


def _opened(path: str | None, name: str) -> str:
    if path is None:
        return f"# `{name}`: what the page is about, in memory\n"
    if path.lower().endswith(MODEL):
        return f"{name} = lowdim.load({path!r})\n{name} = getattr({name}, 'wv', {name})\n"
    binary = ", binary=True" if path.lower().endswith(BINARY) else ""
    return f"{name} = lowdim.WordVectors.load_word2vec_format({path!r}{binary})\n"


def _words(findings: Findings, seed: int) -> str:
    first = findings.vocabularies[0]
    n, k = int((findings.side == 0).sum()), len(findings.groups.groups)
    order = f"range({n})"
    if first.counts is not None:
        order = f'np.argsort(-vectors.counts, kind="stable")[:{n}]'
    both = "" if findings.against is None else " of the first set alone"
    return f"""\
# the commonest words, their vectors divided by their lengths
words = [vectors.index_to_key[i] for i in {order}]
units = np.array([vectors.get_vector(word, norm=True) for word in words], dtype=np.float64)

# a map, clusters and the nearest words{both}
points = lowdim.{map_model(n, seed)!r}.fit_transform(units)
labels = lowdim.KMeans({k}, random_state={seed}).fit_predict(units)
index, cosine = vectors.nearest(words, topn=10)
"""


def _against(paths: Paths, turned: bool) -> str:
    opened = _opened(paths.against, "other")
    if not turned:
        return f"""\
# another set of vectors in the same space, and what is near to a word there
{opened}\
print(other.similar_by_vector(vectors[words[0]], topn=5))
"""
    return f"""\
# another set of vectors, the two laid on each other by the words that both have
{opened}\
alignment = lowdim.text.align(vectors, other, normalize={NORMALIZED!r})
print(alignment.translate(words[0]), alignment.shift()[:5])
"""
