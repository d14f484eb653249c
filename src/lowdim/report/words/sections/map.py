"""The map of words, and the nearest words of the one that is chosen."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from lowdim.report.page.parts import counted, options, percent, place
from lowdim.report.page.sections import MAP, Script, Section, Tile
from lowdim.report.words import figures
from lowdim.report.words.findings import Findings

MAP_ID = "map"
GLANCE = "glance"  # the name of the small map at the top
WORDS = Script("words", "lowdim.report.words", needs=(MAP,))

_BODY = Markup("""
<div class="controls">
<form id="{id}-form"><label>Find a word <input id="{id}-search" size="16" autocomplete="off">
</label><button>Show</button></form>
<label>Colour by <select id="{id}-color">{colors}</select></label>
<button type="button" id="{id}-in">Zoom in</button>
<button type="button" id="{id}-out">Zoom out</button>
<button type="button" id="{id}-whole">Whole map</button>
<button type="button" id="{id}-clear">Clear</button>
</div>
<ul id="{id}-found" class="found-words" aria-label="words that were found"></ul>
<p id="{id}-found-said" class="muted" aria-live="polite"></p>
<div class="with-panel">
{figure}
<div class="panel">
<h3 id="{id}-word" dir="auto" tabindex="-1" aria-live="polite">A word</h3>
<p id="{id}-said" class="muted"></p>
<div class="scroll" tabindex="0" role="region" aria-label="nearest words" id="{id}-near"></div>
</div>
</div>
<details{open}><summary>What the colours mean</summary>
<ul id="{id}-legend" class="legend" aria-label="colours"></ul></details>
<p class="muted">{note}</p>
""")


def map_section(findings: Findings, data: dict[str, Any]) -> Section:
    """The words in the plane."""
    source = figures.word_source(MAP_ID, findings.plane.points)
    caption = (
        "Each point is a word, and the commonest words have their names written; zoom in to see "
        "more names. Tap a point to light its nearest words."
    )
    note = (
        "How near words are is the cosine of the angle between their vectors, in all "
        f"{findings.vocabularies[0].units.shape[1]} dimensions: 1 for the same direction, 0 for "
        "words that have nothing to do with each other. Words without a button are not in the map."
    )
    n_all = sum(vocabulary.n_all for vocabulary in findings.vocabularies)
    return Section(
        MAP_ID,
        "The map of words",
        "Map",
        map_sentence(findings),
        _BODY.format(
            id=MAP_ID,
            colors=options(enumerate(column["name"] for column in data["columns"]), 0),
            figure=place(MAP_ID, caption),
            note=note,
            open=Markup(" open") if len(findings.vocabularies) == 2 else "",
        ),
        {MAP_ID: figures.word_map(MAP_ID, source), GLANCE: figures.glance_map(source)},
        Tile(f"{n_all:,}", "word" if n_all == 1 else "words"),
        scripts=(WORDS,),
        data=data,
    )


def map_sentence(findings: Findings) -> str:
    """How much of the truth the map can show."""
    n = len(findings.side)
    n_all = sum(vocabulary.n_all for vocabulary in findings.vocabularies)
    some = "All" if n == n_all else f"The {n:,} commonest of"
    many = f"{some} {counted(n_all, 'word')}"
    share = percent(findings.plane.share)
    if findings.plane.by_neighbours:
        return (
            f"{many}, those that are near each other side by side: of the 10 nearest words of a "
            f"word, the map has {share} among its nearest. How far groups lie apart says nothing "
            "(t-SNE); the list of nearest words uses all dimensions."
        )
    kept = f"{many} in the plane that keeps most of what they differ in: {share} of it."
    if findings.plane.share < 0.5:
        kept += (
            " Words that lie close together in the map may be far apart; the list of nearest "
            "words, which uses all dimensions, is right."
        )
    return kept
