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
from lowdim.report.explore.findings import Findings
from lowdim.report.explore.payload import json_script, row_labels
from lowdim.report.explore.sections import Section, all_sections
from lowdim.report.page.parts import counted, figure_mark

# scripts and styles in the file itself; WebGL shaders are compiled from text ('unsafe-eval')
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; "
    "img-src data: blob:; font-src data:; base-uri 'none'; form-action 'none'"
)

IN_SHORT = ("dimensions", "contest", "factors", "clusters", "filled", "odd")

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
<ul class="tiles" aria-label="In numbers">{tiles}</ul>
<div class="glance">
<ul class="short" aria-label="In short">{short}</ul>
<figure role="group" aria-label="The rows at a glance">{glance}
<figcaption>The rows, coloured by <b id="glance-by">cluster</b>: those that are alike lie close
together. <a href="#map">Explore the map</a></figcaption></figure>
</div>
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
    sections = all_sections(findings, code, seed)
    drawn = {name: figure for section in sections for name, figure in section.figures.items()}
    drawing, places = components(drawn)
    name = findings.where.replace("\\", "/").rsplit("/", 1)[-1] or "A table"
    n, d = len(findings.encoded.X), len(findings.encoded.columns)
    return str(
        _PAGE.format(
            policy=POLICY,
            version=__version__,
            title=f"{name}: what is inside",
            subtitle=f"{counted(n, 'row')}, {counted(d, 'column')}",
            style=Markup(_resource("page", "page.css")),
            bokeh=Markup(Resources(mode="inline", components=["bokeh", "bokeh-gl"]).render_js()),
            tiles=_tiles(sections),
            short=_in_short(sections),
            glance=Markup(places["glance"]),
            links=_links(sections),
            sections=Markup("\n").join(_section(section, places) for section in sections),
            labels=json_script("row-labels", row_labels(findings)),
            drawing=Markup(drawing),
            script=Markup(_resource("explore", "page.js")),
        )
    )


def _tiles(sections: Sequence[Section]) -> Markup:
    return Markup("").join(
        Markup('<li><a href="#{}"><b{}>{}</b> {}</a></li>').format(
            section.id,
            "" if section.tile.value[0].isdigit() else Markup(' class="words"'),
            *section.tile,
        )
        for section in sections
        if section.tile is not None
    )


def _in_short(sections: Sequence[Section]) -> Markup:
    """What was found, a sentence for each section that finds something."""
    found = [section for section in sections if section.id in IN_SHORT]
    return Markup("").join(Markup("<li>{}</li>").format(section.lead) for section in found)


def _links(sections: Sequence[Section]) -> Markup:
    return Markup("").join(
        Markup('<li><a href="#{}">{}</a></li>').format(section.id, section.link)
        for section in sections
    )


def _section(section: Section, places: dict[str, str]) -> Markup:
    body = str(section.body)
    for name in section.figures:
        body = body.replace(figure_mark(name), places[name])
    return Markup(
        '<section id="{0}" aria-labelledby="{0}-title"><h2 id="{0}-title">{1}</h2>'
        '<p class="lead">{2}</p>{3}</section>'
    ).format(section.id, section.title, section.lead, Markup(body))


def _resource(package: str, name: str) -> str:
    return (files(f"lowdim.report.{package}") / name).read_text(encoding="utf-8")
