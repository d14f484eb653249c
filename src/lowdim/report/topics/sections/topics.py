"""The topics: what they are about, in a table, in a map, and word by word."""

from __future__ import annotations

import math

import numpy as np
from markupsafe import Markup

from lowdim.report.page.parts import counted, options, percent, place, table
from lowdim.report.page.sections import FIGURES, Script, Section, Tile
from lowdim.report.page.texts import excerpt
from lowdim.report.topics import figures
from lowdim.report.topics.findings import Findings, Topic
from lowdim.report.topics.payload import term_payload

TERMS = Script("terms", "lowdim.report.topics", needs=(FIGURES,))
INCOHERENT = 0.0  # NPMI up to which words come together by chance

_TERMS = Markup("""
<h3>The map of topics, and their words</h3>
<div class="controls">
<label>Topic <select id="{id}-topic">{topics}</select></label>
<button type="button" id="{id}-before">Before</button>
<button type="button" id="{id}-after">Next</button>
<label>Relevance
<input type="range" id="{id}-relevance" min="0" max="1" step="0.05" value="0.6"></label>
<output id="{id}-relevance-value">0.60</output>
</div>
<div class="halves">
<div>{figure}<p id="{id}-said" class="muted" aria-live="polite"></p></div>
<div class="panel">
<h3 id="{id}-chosen" aria-live="polite">A topic</h3>
<p id="{id}-share" class="muted"></p>
<div class="scroll" tabindex="0" role="region" aria-label="words of the topic"><table class="terms">
<thead><tr><th scope="col">word</th><th scope="col">in this topic, in all</th>
<th scope="col" class="number">times</th></tr></thead>
<tbody id="{id}-terms"></tbody></table></div>
</div>
</div>
""")


def topic_section(findings: Findings) -> Section:
    """What the topics are about."""
    topics = findings.topics
    names = [topic.name for topic in topics]
    lines = [
        (
            Markup('<button type="button" data-topic="{}">{}</button>').format(
                topic.number, topic.number + 1
            ),
            Markup("<b>{}</b>").format(excerpt(topic.name, 80)),
            percent(topic.share),
            "" if math.isnan(topic.coherence) else f"{topic.coherence:+.2f}",
            f"{topic.n_documents:,}",
            ", ".join(excerpt(word, 30) for word in topic.words),
        )
        for topic in topics
    ]
    heads = ["topic", "name", "share#", "coherence#", "documents#", "most relevant words"]
    caption = (
        "Each circle is a topic, as large as its share of the words. Topics that use the same "
        "words lie close together. Tap one to see its words."
    )
    body = table(heads, lines, "topics") + _TERMS.format(
        id="topics",
        topics=options(((t.number, f"{t.number + 1} {t.name}") for t in topics), 0),
        figure=place("topics", caption),
    )
    body += Markup('<p class="muted">{}</p>').format(
        "Share: of all words that count. Coherence: how much more often the words of a topic stand "
        "in one document than by chance (NPMI, from -1 to 1). Documents: of which it is the "
        "largest topic. Bars: how often a word stands for this topic, within how often it is there "
        "in all. Relevance: on the right, the frequent words of a topic come first; on the left, "
        "those that no other topic has."
    )
    k = len(topics)
    drawn = {"topics": figures.topic_circles(findings.points, findings.model.topic_weights_, names)}
    return Section(
        "topics",
        "The topics",
        "Topics",
        topic_sentence(topics),
        body,
        drawn,
        Tile(str(k), "topic" if k == 1 else "topics"),
        in_short=True,
        scripts=(TERMS,),
        data=term_payload(findings),
    )


def topic_sentence(topics: list[Topic]) -> str:
    """The largest topics, and whether the topics hang together."""
    first = "; ".join(f"{excerpt(t.name, 60)} ({percent(t.share)})" for t in topics[:3])
    many = "The largest topics are" if len(topics) > 1 else "The topic is"
    said = f"{many} {first}."
    coherence = np.array([topic.coherence for topic in topics])
    if np.isnan(coherence).all():
        return said
    loose = int((coherence <= INCOHERENT).sum())
    if loose:
        verb = "has" if loose == 1 else "have"
        said += (
            f" {counted(loose, 'topic')} of {len(topics)} {verb} words that come together no more "
            "often than by chance: do not read much into such topics."
        )
    return said
