"""A section: a title, one sentence that says what was found, pictures and tables.

A section names the scripts that it needs and the data that they read. A script is called once for
each section that names it:

    page.script("counts", (part, data, drawn) => {        // js/counts.js
      part("total").textContent = data.total;             // the element with id "<section>-total"
    });

    Section("visits", "The visits", "Visits", "Most came by day.", body,
            scripts=(Script("counts", "my.package"),), data={"total": 7})
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any, NamedTuple

from markupsafe import Markup

from lowdim.report.page.payload import json_script


class Tile(NamedTuple):
    """A finding in a number or two words, and what it counts."""

    value: str
    what: str


class Script(NamedTuple):
    """The file js/<name>.js of a package.

    Attributes
    ----------
    name : str
    package : str
    needs : tuple of Script
        Scripts that must come before it.
    """

    name: str
    package: str = "lowdim.report.page"
    needs: tuple[Script, ...] = ()

    def text(self) -> str:
        """The file as text."""
        return (files(self.package) / "js" / f"{self.name}.js").read_text(encoding="utf-8")


CORE = Script("core")
FIGURES = Script("figures", needs=(CORE,))
MAP = Script("map", needs=(FIGURES,))
TABLE = Script("table", needs=(CORE,))
COPY = Script("copy", needs=(CORE,))


@dataclass(frozen=True)
class Section:
    """A part of the page.

    Attributes
    ----------
    id, title : str
    link : str
        The title in a word or two, for the list of sections.
    lead : str
        One sentence that says what was found.
    body : Markup
        `parts.place(name, ...)` in it is where the figure of that name goes.
    figures : dict of bokeh figures
        By names that no other section has.
    tile : Tile or None
        What the top of the page says of it; None for sections that find nothing.
    in_short : bool
        Whether the lead stands at the top of the page, too.
    scripts : tuple of Script
    data : Any
        What the scripts get, as JSON has it; None: nothing.
    """

    id: str
    title: str
    link: str
    lead: str
    body: Markup
    figures: dict[str, Any] = field(default_factory=dict)
    tile: Tile | None = None
    in_short: bool = False
    scripts: tuple[Script, ...] = ()
    data: Any = None


def scripts_of(sections: Iterable[Section]) -> list[Script]:
    """The scripts that a page needs, each once, after those that it needs itself."""

    def with_needs(script: Script) -> Iterator[Script]:
        for need in script.needs:
            yield from with_needs(need)
        yield script

    named = [script for section in sections for script in section.scripts]
    drawn = [FIGURES] if any(section.figures for section in sections) else []
    return list(dict.fromkeys(s for script in [CORE, *drawn, *named] for s in with_needs(script)))


# ---- as markup -----------------------------------------------------------------------------------


def section_markup(section: Section) -> Markup:
    """The section, and its data."""
    names = " ".join(script.name for script in section.scripts)
    return Markup(
        '<section id="{0}" aria-labelledby="{0}-title"{1}><h2 id="{0}-title">{2}</h2>'
        '<p class="lead">{3}</p>{4}{5}</section>'
    ).format(
        section.id,
        Markup(' data-scripts="{}"').format(names) if names else "",
        section.title,
        section.lead,
        section.body,
        "" if section.data is None else json_script(f"{section.id}-data", section.data),
    )


def tiles_markup(sections: Sequence[Section]) -> Markup:
    """What was found, in numbers."""
    tiles = [
        Markup('<a href="#{}"><b{}>{}</b> {}</a>').format(
            section.id,
            "" if section.tile.value[:1].isdigit() else Markup(' class="words"'),
            *section.tile,
        )
        for section in sections
        if section.tile is not None
    ]
    return _list(tiles, "tiles", "In numbers")


def short_markup(sections: Sequence[Section]) -> Markup:
    """What was found, a sentence for each section that finds something."""
    return _list([section.lead for section in sections if section.in_short], "short", "In short")


def _list(items: Sequence[str], kind: str, label: str) -> Markup:
    """A list of texts; nothing if there are none."""
    if not items:
        return Markup("")
    inside = Markup("").join(Markup("<li>{}</li>").format(item) for item in items)
    return Markup('<ul class="{}" aria-label="{}">{}</ul>').format(kind, label, inside)


def links_markup(sections: Sequence[Section]) -> Markup:
    """The list of sections."""
    return Markup("").join(
        Markup('<li><a href="#{}">{}</a></li>').format(section.id, section.link)
        for section in sections
    )
