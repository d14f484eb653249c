"""The page: sections and pictures in one HTML file that needs no network.

bokeh's script is inlined, and a content security policy forbids the page to load or send anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files

from bokeh.embed import components
from bokeh.resources import Resources
from markupsafe import Markup

from lowdim._version import __version__
from lowdim.report.explore import sections as parts
from lowdim.report.explore.findings import Findings
from lowdim.report.explore.payload import json_script, row_labels
from lowdim.report.explore.sections import Section

# scripts and styles in the file itself; WebGL shaders are compiled from text ('unsafe-eval')
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; "
    "img-src data: blob:; font-src data:; base-uri 'none'; form-action 'none'"
)

_PAGE = Markup("""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="lowdim {version}">
<title>{title}</title>
<style>{style}</style>
{bokeh}
</head>
<body>
<a class="skip" href="#main">Skip to the findings</a>
<header>
<h1>{title}</h1>
<p class="muted">{subtitle}</p>
<ul class="short" aria-label="In short">{short}</ul>
</header>
<nav aria-label="Sections"><ul>{links}</ul></nav>
<main id="main">
{sections}
</main>
<footer>Made by lowdim {version}. This file holds all it needs: it works without a network, and no
data leave the machine.</footer>
{labels}
{drawing}
<script>{script}</script>
</body>
</html>
""")


def page(findings: Findings, code: str, seed: int) -> str:
    """The whole page as text."""
    wanted = [
        parts.table_section(findings),
        parts.rank_section(findings),
        parts.contest_section(findings),
        parts.factor_section(findings),
        parts.map_section(findings, seed),
        parts.cluster_section(findings),
        parts.filled_section(findings),
        parts.odd_section(findings),
        parts.done_section(findings),
        parts.code_section(code),
    ]
    sections = [section for section in wanted if section is not None]
    drawn = {name: figure for section in sections for name, figure in section.figures.items()}
    drawing, places = components(drawn)
    name = findings.where.replace("\\", "/").rsplit("/", 1)[-1] or "A table"
    n, d = len(findings.encoded.X), len(findings.encoded.columns)
    return str(
        _PAGE.format(
            policy=POLICY,
            version=__version__,
            title=f"{name}: what is inside",
            subtitle=f"{parts.counted(n, 'row')}, {parts.counted(d, 'column')}",
            style=Markup(_resource("page.css")),
            bokeh=Markup(Resources(mode="inline", components=["bokeh", "bokeh-gl"]).render_js()),
            short=_in_short(findings),
            links=_links(sections),
            sections=Markup("\n").join(_section(section, places) for section in sections),
            labels=json_script("row-labels", row_labels(findings)),
            drawing=Markup(drawing),
            script=Markup(_resource("page.js")),
        )
    )


def _in_short(findings: Findings) -> Markup:
    sentences = [
        parts.rank_sentence(findings),
        parts.factor_sentence(findings),
        parts.cluster_sentence(findings),
        parts.odd_sentence(findings),
    ]
    if findings.filled:
        sentences.insert(3, parts.filled_sentence(findings))
    if findings.comparison is not None:
        sentences.insert(1, parts.contest_sentence(findings.comparison))
    return Markup("").join(Markup("<li>{}</li>").format(sentence) for sentence in sentences)


def _links(sections: Sequence[Section]) -> Markup:
    return Markup("").join(
        Markup('<li><a href="#{}">{}</a></li>').format(section.id, section.title)
        for section in sections
    )


def _section(section: Section, places: dict[str, str]) -> Markup:
    body = str(section.body)
    for name in section.figures:
        body = body.replace(parts.figure_mark(name), places[name])
    return Markup(
        '<section id="{0}" aria-labelledby="{0}-title"><h2 id="{0}-title">{1}</h2>'
        '<p class="lead">{2}</p>{3}</section>'
    ).format(section.id, section.title, section.lead, Markup(body))


def _resource(name: str) -> str:
    return (files("lowdim.report.explore") / name).read_text(encoding="utf-8")
