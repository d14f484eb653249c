"""How many groups, what makes them, and how sure they are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from markupsafe import Markup

from lowdim.report.explore import figures
from lowdim.report.explore.findings import Findings
from lowdim.report.explore.preparing import Encoded
from lowdim.report.page.figures import heat_map
from lowdim.report.page.parts import percent, place, table
from lowdim.report.page.sections import Section, Tile

MOST_TOP = 5  # columns named for a cluster
LEAST_CONTRAST = 0.4  # standard deviations from which a cluster's column is worth a word
LARGEST_CONTRAST = 2.0  # opaque in the heat map


def cluster_section(findings: Findings) -> Section:
    """How many groups, what makes them, and how sure they are."""
    encoded, clusters = findings.encoded, findings.clusters
    profiles, names = clusters.profiles, encoded.feature_names
    k = len(profiles.sizes)
    drawn, pictures = {}, []
    if clusters.choice is not None:
        drawn["bic"] = figures.criterion(
            clusters.choice.sizes,
            clusters.choice.curve,
            None,
            clusters.choice.choice,
            "clusters",
            "BIC",
        )
        pictures.append(place("bic", "The lower the BIC, the better that number of clusters."))
    if k > 1:
        spread = np.nanmax(np.abs(np.nan_to_num(profiles.contrasts)), axis=0)
        shown = np.sort(np.argsort(-spread, kind="stable")[: figures.MOST_FEATURES])
        drawn["profiles"] = heat_map(
            profiles.contrasts[:, shown].T,
            [names[f] for f in shown],
            [f"cluster {j}" for j in range(k)],
            "cluster profiles",
            "from the mean, in deviations",
            largest=LARGEST_CONTRAST,
        )
        pictures.append(
            place("profiles", "Means of the clusters, in standard deviations from the whole.")
        )
    lines = [
        (
            str(j),
            f"{int(profiles.sizes[j]):,}",
            percent(profiles.sizes[j] / len(encoded.X)),
            _contrasts(profiles.contrasts[j], names),
            _row_names(encoded, [int(profiles.typical[j])]),
            _row_names(encoded, clusters.border[j]),
        )
        for j in np.argsort(-profiles.sizes, kind="stable")
    ]
    heads = ["cluster", "rows#", "share#", "what is high and low", "typical row", "border rows"]
    body = table(heads, lines, "clusters") + Markup('<div class="pair">{}</div>').format(
        Markup("").join(pictures)
    )
    lead, tile = cluster_sentence(findings), Tile(str(k), "cluster" if k == 1 else "clusters")
    return Section("clusters", "The clusters", "Clusters", lead, body, drawn, tile, in_short=True)


def cluster_sentence(findings: Findings) -> str:
    """How many groups, and whether they would be found again."""
    clusters = findings.clusters
    k = len(clusters.profiles.sizes)
    if clusters.choice is None:
        return "There are too few different rows to look for clusters."
    if k == 1:
        return "The rows form one group: by BIC, more clusters do not describe them better."
    agreement = float(clusters.stability.mean())
    words = (
        "they are found again in resampled rows"
        if agreement >= 0.8
        else "resampled rows give similar ones"
        if agreement >= 0.5
        else "resampled rows give others: do not read much into them"
    )
    most = ", the most that were tried" if k == clusters.choice.sizes[-1] else ""
    return (
        f"By BIC the rows form {k} clusters{most}; {words} (agreement {agreement:.2f}, where 1 is "
        "the same and 0 is chance)."
    )


def _contrasts(contrast: np.ndarray, names: Sequence[str]) -> Markup:
    contrast = np.nan_to_num(contrast)
    top = np.argsort(-np.abs(contrast), kind="stable")[:MOST_TOP]
    return Markup(", ").join(
        Markup('<span class="{}">{}</span> {} ({})').format(
            "high" if contrast[f] > 0 else "low",
            "high" if contrast[f] > 0 else "low",
            names[f],
            f"{contrast[f]:+.1f}",
        )
        for f in top
        if abs(contrast[f]) >= LEAST_CONTRAST
    )


def _row_names(encoded: Encoded, rows: Sequence[int]) -> str:
    return ", ".join(encoded.label(row) for row in rows if row >= 0)
