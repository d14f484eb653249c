"""Which method: all judged by the same held-out words."""

from __future__ import annotations

import numpy as np
from markupsafe import Markup

from lowdim.report.page.parts import listed, percent, place, table
from lowdim.report.page.sections import Section, Tile
from lowdim.report.topics import figures
from lowdim.report.topics.contest import MOST_ITERATIONS, UNIGRAM, Contest
from lowdim.report.topics.findings import Findings


def method_section(findings: Findings) -> Section | None:
    """Methods by the perplexity of held-out words; None if they were not compared."""
    found = findings.comparison
    if found is None:
        return None
    good = [True, *(name in found.ties for name in found.names[1:])]
    mean, error = found.mean, found.error
    base = dict(zip(found.names, mean, strict=True)).get(UNIGRAM)
    lines = [
        (
            name,
            f"{mean[m]:,.0f} ± {error[m]:,.0f}",
            "" if base is None or name == UNIGRAM else percent(1 - mean[m] / base),
            "best" if m == 0 else "tie" if good[m] else "worse",
            f"{found.seconds[m]:.2f}",
        )
        for m, name in enumerate(found.names)
    ]
    lines += [(name, "", "", reason, "") for name, reason in found.failures.items()]
    heads = ["method", "perplexity#", "below unigram#", "verdict", "seconds#"]
    caption = "Perplexity of held-out words, ± 2 standard errors; filled: the best, and its ties."
    body = table(heads, lines, "comparison of methods") + Markup(
        '<div class="wide">{}</div><p class="muted">Perplexity is the number of words among which '
        "the model hesitates: the lower, the better. {:,} documents, {} topics, {} repeats; a "
        "fifth of the documents was held out, the shares of each found from half of its words and "
        "judged by the other half. All methods saw the same words. The unigram model knows how "
        "frequent words are and no topics. pLSA and KL-NMF were stopped after {} iterations at the "
        "most, LDA by its own rule, and none was tuned: a method that loses here may do better "
        "with other settings. A tie is a difference of at most two standard errors, which {} "
        "repeats give roughly.</p>"
    ).format(
        place("methods", caption),
        found.n_documents,
        found.n_topics,
        len(found.perplexity),
        MOST_ITERATIONS,
        len(found.perplexity),
    )
    tile = Tile(found.names[0], "predicts held-out words best")
    return Section(
        "methods",
        "Which method",
        "Methods",
        method_sentence(found),
        body,
        {"methods": figures.methods(found.names, mean, error, np.array(good))},
        tile,
        in_short=True,
    )


def method_sentence(found: Contest) -> str:
    """Which method predicts held-out words best."""
    best = found.names[0]
    if best == UNIGRAM:
        return (
            "No method predicts held-out words better than the frequencies of words do: do not "
            "read much into the topics."
        )
    tied = (
        f"; a tie with {listed(found.ties)}" if found.ties else ", clearly better than the others"
    )
    mean = dict(zip(found.names, found.mean, strict=True))
    gain = ""
    if UNIGRAM in mean:
        gain = f", {percent(1 - mean[best] / mean[UNIGRAM])} below that of a model without topics"
    return f"{best} predicts held-out words best (perplexity {mean[best]:,.0f}{gain}){tied}."
