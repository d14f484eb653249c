"""What another start or another setting changes: small maps next to each other."""

from __future__ import annotations

from markupsafe import Markup

from lowdim.report.maps.changes import Changes
from lowdim.report.maps.findings import Findings
from lowdim.report.maps.payload import changes_payload
from lowdim.report.maps.sections.side_by_side import LINKED
from lowdim.report.page.parts import percent
from lowdim.report.page.sections import Script, Section, Tile

CHANGES_ID = "changes"
AGAIN = Script("again", "lowdim.report.maps", needs=(LINKED,))

_SMALL = Markup("""<figure class="one-map"><div class="plane">
<canvas id="{id}-map-{j}-{at}" role="img" aria-label="{title}, {what}"></canvas></div>
<figcaption>{what}{agreement}</figcaption></figure>""")


def changes_section(findings: Findings) -> Section | None:
    """What another start or setting changes; None if no map has any."""
    if not findings.changes:
        return None
    parts = [_of_map(one, j) for j, one in enumerate(findings.changes)]
    least = min(findings.changes, key=lambda one: one.agreement)
    (what,) = [one.what for one in least.again if one.agreement == least.agreement][:1]
    lead = (
        f"The most that a change does: {least.kind.title} with {what} keeps "
        f"{percent(least.agreement)} of the neighbours of its map. What all small maps show can be "
        "relied on; what only one shows cannot."
    )
    rows = len(findings.changes[0].rows)
    drawn = ", drawn at random" if rows < findings.n_placed else ""
    body = Markup("").join(parts) + Markup('<p class="muted">{}</p>').format(
        f"Made from {rows:,} rows{drawn}, each turned to lie on the first as well as it can. "
        "Agreement: of the 10 nearest points of a point in the first map, how many are among its "
        "10 nearest in the other. Colours and selection are those of the maps above."
    )
    tile = Tile(
        percent(least.agreement), f"of neighbours stay when {least.kind.title} changes most"
    )
    return Section(
        CHANGES_ID,
        "What another start or setting changes",
        "Other settings",
        lead,
        body,
        tile=tile,
        in_short=True,
        scripts=(AGAIN,),
        data=changes_payload(findings),
    )


def _of_map(one: Changes, j: int) -> Markup:
    words = [("as above", ""), *((a.what, f": {percent(a.agreement)} agree") for a in one.again)]
    small = Markup("").join(
        _SMALL.format(
            id=CHANGES_ID, j=j, at=at, title=one.kind.title, what=what, agreement=agreement
        )
        for at, (what, agreement) in enumerate(words)
    )
    return Markup('<h3>{}</h3><div class="small-maps">{}</div>').format(one.kind.title, small)
