"""What sections are made of: tables, places of figures, text to copy, numbers in words.

Text from the table is put into markup by `Markup.format` only, which escapes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from markupsafe import Markup

from lowdim.report.page.figures import figure_id, plain


def drawing(name: str) -> Markup:
    """Where the figure of that name is drawn."""
    return Markup('<div class="drawing" id="{}"></div>').format(figure_id(name))


def place(name: str, caption: str) -> Markup:
    """Where a figure goes, with a caption that says how to read it."""
    return Markup(
        '<figure role="group" aria-label="{0}">{1}<figcaption>{0}</figcaption></figure>'
    ).format(caption, drawing(name))


_LONG_TABLE = Markup("""
<div class="controls">
<label>{by} <select id="{id}-group"><option value="">all</option>{groups}</select></label>
<button type="button" id="{id}-before">Before</button>
<button type="button" id="{id}-after">Next</button>
<span id="{id}-place" class="muted" aria-live="polite"></span>
<button type="button" id="{id}-download">Download as CSV</button>
</div>
<div class="scroll long" tabindex="0" role="region" aria-label="{label}"><table>
<thead><tr>{heads}</tr></thead>
<tbody id="{id}-values"></tbody></table></div>
""")


def table(heads: Sequence[str], lines: Iterable[Sequence[Any]], label: str) -> Markup:
    """A table that scrolls by itself; heads that end in '#' are of numbers, set to the right.

    Where no head has a name, there is no line of heads.
    """
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

    names = [name.removesuffix("#") for name in heads]
    head = Markup("<thead><tr>{}</tr></thead>").format(cells("th", names)) if any(names) else ""
    body = Markup("").join(Markup("<tr>{}</tr>\n").format(cells("td", line)) for line in lines)
    return Markup(
        '<div class="scroll" tabindex="0" role="region" aria-label="{}"><table>{}'
        "<tbody>{}</tbody></table></div>"
    ).format(label, head, body)


def long_table(id: str, heads: Sequence[str], groups: Iterable[str], by: str, label: str) -> Markup:
    """A table that js/table.js fills, some lines at a time; for a section that names TABLE.

    Parameters
    ----------
    id : str
        Of the section.
    heads : sequence of str
    groups : iterable of str
        Names of the groups of lines that can be shown alone, in the order of the section's data.
    by : str
        What a group is: 'Column'.
    label : str
        What the table is, for those who do not see it.
    """
    return _LONG_TABLE.format(
        id=id,
        groups=options(enumerate(groups), None),
        by=by,
        label=label,
        heads=Markup("").join(Markup('<th scope="col">{}</th>').format(head) for head in heads),
    )


def copyable(id: str, text: str) -> Markup:
    """Text in lines as they are, and a button that copies it; for a section that names COPY."""
    return Markup(
        '<div class="controls"><button type="button" id="{0}-copy">Copy</button></div>'
        '<pre tabindex="0"><code id="{0}-text">{1}</code></pre>'
    ).format(id, text)


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
