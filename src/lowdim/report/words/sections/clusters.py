"""Words that belong together."""

from __future__ import annotations

from markupsafe import Markup

from lowdim.report.page.parts import counted, table
from lowdim.report.page.sections import CORE, Script, Section, Tile
from lowdim.report.words.findings import Findings

CLUSTERS = Script("clusters", "lowdim.report.words", needs=(CORE,))
COMMON = 10  # words that are named


def cluster_section(findings: Findings) -> Section:
    """The clusters, named by the words in their middle."""
    groups, words = findings.groups.groups, findings.words
    lines = [
        (
            Markup('<button type="button" data-cluster="{}">{}</button>').format(g, g + 1),
            Markup("<b><bdi>{}</bdi></b>").format(group.name),
            f"{group.n_words:,}",
            f"{group.tightness:.2f}",
            Markup("<bdi>{}</bdi>").format(", ".join(words[i] for i in group.common[:COMMON])),
        )
        for g, group in enumerate(groups)
    ]
    heads = ["cluster", "words in the middle", "words#", "tightness#", "commonest words"]
    body = table(heads, lines, "clusters") + Markup('<p class="muted">{}</p>').format(
        "Clusters by k-means on the vectors, all of length 1. Tightness: the mean cosine of words "
        "with the middle of their cluster, at most 1. Press a number to see the cluster in the map."
    )
    k = len(groups)
    tightest = max(groups, key=lambda group: (group.n_words > 1, group.tightness))
    lead = (
        f"The {len(words):,} words of the map fall into {counted(k, 'cluster')}; the largest is "
        f"around {groups[0].name}, and the tightest around {tightest.name}."
    )
    return Section(
        "clusters",
        "Words that belong together",
        "Clusters",
        lead,
        body,
        tile=Tile(f"{k}", "cluster of words" if k == 1 else "clusters of words"),
        in_short=True,
        scripts=(CLUSTERS,),
    )
