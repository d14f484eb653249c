"""How many dimensions: the spectrum, parallel analysis and held-out entries."""

from __future__ import annotations

from markupsafe import Markup

from lowdim.report.explore import figures
from lowdim.report.explore.findings import Findings
from lowdim.report.page.parts import counted, percent, place
from lowdim.report.page.sections import Section, Tile


def rank_section(findings: Findings) -> Section:
    """The spectrum, parallel analysis and held-out entries."""
    spectrum = findings.spectrum
    drawn = {
        "scree": figures.scree(spectrum.share, spectrum.chance, spectrum.rank),
        "heldout": figures.criterion(
            spectrum.held_out.ranks,
            spectrum.held_out.curve,
            spectrum.held_out.errors,
            spectrum.rank,
            "components",
            "held-out error (1: column means)",
        ),
    }
    captions = [
        place(
            "scree",
            "Scree and parallel analysis: the share of each component; the line is what columns "
            "shuffled at random give.",
        ),
        place(
            "heldout",
            "Bi-cross-validation: the error on hidden values by number of components, ± 1 standard "
            "error.",
        ),
    ]
    body = Markup('<div class="pair">{}{}</div>').format(*captions)
    if spectrum.kept != spectrum.rank:
        body += Markup('<p class="muted">The models below keep {}.</p>').format(
            f"{counted(spectrum.kept, 'component')}, so that rows can be drawn"
            if spectrum.kept > spectrum.rank
            else counted(spectrum.kept, "component")
        )
    tile = Tile(str(spectrum.rank), f"of {findings.encoded.X.shape[1]} dimensions")
    title, lead = "How many dimensions", rank_sentence(findings)
    return Section("dimensions", title, "Dimensions", lead, body, drawn, tile, in_short=True)


def rank_sentence(findings: Findings) -> str:
    """How many dimensions, and why."""
    spectrum, d = findings.spectrum, findings.encoded.X.shape[1]
    error = spectrum.held_out.curve[spectrum.rank]
    parallel = counted(spectrum.parallel.choice, "component")
    if spectrum.rank == 0:
        return (
            "No component predicts hidden values better than the column means do: the columns say "
            f"little about each other. By parallel analysis, {parallel} beat chance."
        )
    dimensions = counted(spectrum.rank, "dimension")
    share = percent(float(spectrum.share[: spectrum.rank].sum()))
    same = spectrum.rank == spectrum.parallel.choice
    chance = "parallel analysis agrees" if same else f"by parallel analysis, {parallel} beat chance"
    return (
        f"The {d} columns of numbers behave like {dimensions}, which hold {share} of the variance: "
        "no larger number predicts hidden values much better (error "
        f"{error:.2f}, where column means have 1); {chance}."
    )
