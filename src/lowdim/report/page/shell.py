"""The shell of a page: sections and pictures in one HTML file that needs no network.

All that the file needs is in it, and a content security policy forbids it to load or send anything.
Only the scripts that are in the file when it is written can run: the policy names each by its hash,
so that no text of a table becomes a program, whatever it looks like. Nothing is compiled from text
either; of bokeh that rules out WebGL alone, without which points are drawn on a canvas. Style
elements of a page with figures are free, since bokeh writes some while the page is used, with sizes
in pixels that nobody knows before; style attributes are not.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

from markupsafe import Markup

from lowdim._version import __version__
from lowdim.report.page.figures import bokeh_script, drawing_data
from lowdim.report.page.payload import json_script
from lowdim.report.page.sections import (
    Section,
    links_markup,
    scripts_of,
    section_markup,
    short_markup,
    tiles_markup,
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
</head>
<body>
<a class="skip" href="#main">Skip to the findings</a>
<header>
<h1>{title}</h1>
<p class="muted">{subtitle}</p>
{tiles}
{glance}
</header>
<nav aria-label="Sections"><ul>{links}</ul></nav>
<main id="main">
{sections}
</main>
<footer>Made by lowdim {version}. This file holds all it needs: it works without a network, and no
data leave the machine.</footer>
{data}
{scripts}
</body>
</html>
""")


NOTHING = Markup("")


@dataclass(frozen=True)
class Page:
    """What a page says.

    Attributes
    ----------
    title, subtitle : str
    sections : sequence of Section
    glance : Markup
        What stands at the top, beside what was found in short: a picture of a section, say.
    data : mapping of str to Any
        What scripts of several sections read, as JSON has it: `page.shared("row-names")`.
    """

    title: str
    subtitle: str
    sections: Sequence[Section]
    glance: Markup = NOTHING
    data: Mapping[str, Any] = field(default_factory=dict)


def html(page: Page) -> str:
    """The page as text."""
    sections = page.sections
    style = _plain_lines((files("lowdim.report.page") / "page.css").read_text(encoding="utf-8"))
    figures = {name: drawn for section in sections for name, drawn in section.figures.items()}
    scripts = [_plain_lines(script.text()) for script in scripts_of(sections)]
    shared = {f"shared-{name}": value for name, value in page.data.items()}
    if figures:
        scripts.insert(0, _plain_lines(bokeh_script()))
        shared["figures"] = drawing_data(figures)
    return str(
        _PAGE.format(
            policy=policy(scripts, None if figures else style),
            version=__version__,
            title=page.title,
            subtitle=page.subtitle,
            style=Markup(style),
            tiles=tiles_markup(sections),
            glance=_glance(short_markup(sections), page.glance),
            links=links_markup(sections),
            sections=Markup("\n").join(section_markup(section) for section in sections),
            data=Markup("\n").join(json_script(name, value) for name, value in shared.items()),
            scripts=Markup("\n").join(_script(text) for text in scripts),
        )
    )


def policy(scripts: Sequence[str], style: str | None) -> str:
    """What the page may do: run these scripts, use this style, and nothing over a network.

    A style of None allows all style elements, and pictures that are in the page: bokeh's.
    """
    rules = {
        "default-src": "'none'",
        "script-src": " ".join(map(_hash, scripts)),
        "style-src": "'unsafe-inline'" if style is None else _hash(style),
        "style-src-attr": "'none'",
        "img-src": "data: blob:" if style is None else "'none'",
        "font-src": "data:" if style is None else "'none'",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    return "; ".join(f"{name} {value}" for name, value in rules.items())


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"


def _plain_lines(text: str) -> str:
    """Text as a browser reads it from HTML, so that it has the same hash."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _script(text: str) -> Markup:
    assert "</script" not in text.lower(), "a script would end before its end"
    return Markup("<script>{}</script>").format(Markup(text))


def _glance(short: Markup, glance: Markup) -> Markup:
    if not (short and glance):
        return short or glance
    return Markup('<div class="glance">{}{}</div>').format(short, glance)
