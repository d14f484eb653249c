"""What sections are made of: titles, tables, figures, numbers in words.

Text from the table is put into markup by `Markup.format` only, which escapes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from markupsafe import Markup

from lowdim.report.page.figures import plain

MOST_TOP = 5  # columns named for a factor or a cluster


class Tile(NamedTuple):
    """A finding in a number or two words, and what it counts."""

    value: str
    what: str


@dataclass(frozen=True)
class Section:
    """A part of the page; `figure_mark` in the body is the place of a figure.

    Attributes
    ----------
    id, title : str
    link : str
        The title in a word or two, for the list of sections.
    lead : str
        One sentence that says what was found.
    body : Markup
    figures : dict of bokeh figures
    tile : Tile or None
        What the top of the page says of it; None for sections that find nothing.
    """

    id: str
    title: str
    link: str
    lead: str
    body: Markup
    figures: dict[str, Any] = field(default_factory=dict)
    tile: Tile | None = None


def figure_mark(name: str) -> Markup:
    """An element that stands for a figure; text of the table, escaped, cannot look like it."""
    return Markup('<i data-figure="{}"></i>').format(name)


def place(name: str, caption: str) -> Markup:
    """Where a figure goes, with a caption that says how to read it."""
    return Markup(
        '<figure role="group" aria-label="{0}">{1}<figcaption>{0}</figcaption></figure>'
    ).format(caption, figure_mark(name))


def table(heads: Sequence[str], lines: Iterable[Sequence[Any]], label: str) -> Markup:
    """A table that scrolls by itself; heads that end in '#' are of numbers, set to the right."""
    right = [head.endswith("#") for head in heads]

    def cells(tag: str, values: Sequence[Any]) -> Markup:
        return Markup("").join(
            Markup("<{0}{1}>{2}</{0}>").format(
                Markup(tag),
                Markup(' class="number"' if is_right else "")
                + Markup(' scope="col"' if tag == "th" else ""),
                value,
            )
            for value, is_right in zip(values, right, strict=True)
        )

    head = cells("th", [name.removesuffix("#") for name in heads])
    body = Markup("").join(Markup("<tr>{}</tr>\n").format(cells("td", line)) for line in lines)
    return Markup(
        '<div class="scroll" tabindex="0" role="region" aria-label="{}"><table><thead><tr>{}</tr>'
        "</thead><tbody>{}</tbody></table></div>"
    ).format(label, head, body)


def percent(share: float) -> str:
    """A share in percent, with no more digits than one wants to read."""
    value = 100 * share
    if 0 < value < 0.1:
        return "<0.1 %"
    return f"{value:.1f}".removesuffix(".0") + " %" if value < 10 else f"{value:.0f} %"


def counted(count: int, what: str) -> str:
    """'1 row', '2 rows'."""
    return f"{count:,} {what}" + ("" if count == 1 else "s")


def listed(names: Sequence[str], most: int = 4) -> str:
    """'a, b and c'; of many, the first."""
    names = [plain(name, 40) for name in names]
    if len(names) > most:
        return ", ".join(names[:most]) + f" and {len(names) - most} more"
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]])) if names else ""


def options(choices: Iterable[tuple[Any, str]], selected: Any) -> Markup:
    """Choices of a <select>: value and text of each."""
    return Markup("").join(
        Markup('<option value="{}"{}>{}</option>').format(
            value, Markup(" selected") if value == selected else "", plain(text, 60)
        )
        for value, text in choices
    )
