"""The page of a picture: its sections in the shell that all pages have."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from lowdim.report.page import shell
from lowdim.report.page.account import script_section
from lowdim.report.page.parts import place, table
from lowdim.report.page.sections import CORE, Script, Section, Tile
from lowdim.report.pictures import figures
from lowdim.report.pictures.encoded import atoms_picture, data_uri

SLIDER = Script("slider", "lowdim.report.pictures", needs=(CORE,))

_COMPARE = Markup("""
<div class="compare" id="{id}-both">
<img src="{after}" alt="after" width="{w}" height="{h}">
<img id="{id}-before" src="{before}" alt="before" width="{w}" height="{h}">
<span id="{id}-line" class="divider"></span>
<input type="range" id="{id}-slider" min="0" max="100" step="1" value="50"
aria-label="how much of the picture is as before, in percent">
</div>
<div class="controls">
<span>Before to the left, after to the right of the line</span>
<button type="button" id="{id}-flip" aria-pressed="false">Flip</button>
</div>
<p class="muted">Move the slider with the mouse or with the arrow keys; Flip shows one, then the
other.</p>
""")
_ATOMS = Markup('<figure><img class="atoms" src="{}" alt="{}"><figcaption>{}</figcaption></figure>')


def page(found: Any) -> str:
    """The whole page as text."""
    sections = [_compare(found), _changes(found)]
    if found.curve is not None:
        sections.append(_curve(found))
    if found.atoms is not None:
        sections.append(_atoms(found))
    sections.append(script_section(found.script, "the picture"))
    h, w = found.after.shape[:2]
    return shell.html(
        shell.Page(
            title=f"{found.name}: {found.what}",
            subtitle=f"{w} x {h} pixels",
            sections=sections,
        )
    )


def _compare(found: Any) -> Section:
    h, w = found.after.shape[:2]
    body = _COMPARE.format(
        id="compare",
        before=data_uri(found.before, found.peak),
        after=data_uri(found.after, found.peak),
        w=w,
        h=h,
    )
    body += table(["what", "how much"], list(found.facts.items()), "figures")
    value, what = next(iter(found.facts.items()))[::-1]
    return Section(
        "compare",
        "Before and after",
        "Compare",
        found.sentence,
        body,
        tile=Tile(value, what),
        in_short=True,
        scripts=(SLIDER,),
    )


def _changes(found: Any) -> Section:
    return Section(
        "changes",
        "What changed",
        "Changes",
        "How much the values of pixels changed.",
        place("changes", "To the right: after minus before; upwards: how many of all values."),
        {"changes": figures.changes(found.before, found.after, "changes")},
    )


def _curve(found: Any) -> Section:
    lines = [
        (b, f"{n:,}", f"{p:.2f}", f"{s:.4f}")
        for b, n, p, s in zip(
            *(found.curve[name].tolist() for name in ("basis", "nbytes", "psnr", "ssim")),
            strict=True,
        )
    ]
    body = place("curve", "Each point is a file: the higher and the more to the left, the better.")
    body += table(["basis", "bytes#", "PSNR#", "SSIM#"], lines, "files")
    return Section(
        "curve",
        "Quality by size",
        "Quality by size",
        "How near to the picture a file of so many bytes comes.",
        body,
        {"curve": figures.curves(found.curve, "curve")},
    )


def _atoms(found: Any) -> Section:
    k, h, w = found.atoms.shape
    caption = f"{k} atoms of {h} x {w} pixels, each on its own scale."
    picture = data_uri(atoms_picture(found.atoms), 1.0)
    return Section(
        "atoms",
        "The atoms",
        "Atoms",
        "What the picture is made of: every patch is a sum of few of these.",
        _ATOMS.format(picture, caption, caption),
    )
