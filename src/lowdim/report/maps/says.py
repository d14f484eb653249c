"""What may be read from each map and what not, in words with the map's own numbers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lowdim.report.maps.findings import Findings, OneMap
from lowdim.report.page.parts import listed, percent

GOOD_STRESS, FAIR_STRESS = 0.1, 0.2  # Kruskal (1964): good below 0.05 to 0.1, poor above 0.2
IN_ORDER = 0.8  # Spearman's correlation of distances, from which on they may be compared
LOADED = 0.6  # of the largest loading: columns that name an axis


class Reading(NamedTuple):
    """Sentences about a map: what may be read from it, and what not."""

    may: list[str]
    may_not: list[str]


def reading(one: OneMap, findings: Findings) -> Reading:
    """What may be read from a map."""
    by = {
        "axes": _of_axes,
        "distances": _of_distances,
        "small distances": _of_small_distances,
        "neighbours": _of_neighbours,
    }
    found = by[one.kind.keeps](one, findings)
    return Reading([*found.may, _neighbours(one, findings)], found.may_not)


def _neighbours(one: OneMap, findings: Findings) -> str:
    """How many neighbours the map keeps, against chance."""
    m, k = findings.truth.near.shape
    chance = k / max(m - 1, 1)
    return (
        f"Who is next to whom: of a row's {k} nearest rows in the data {percent(one.kept.share)} "
        f"are among its {k} nearest here; by chance it would be {percent(chance)}."
    )


def _of_axes(one: OneMap, findings: Findings) -> Reading:
    model = one.model.estimator_
    share = np.asarray(model.explained_variance_ratio_)[:2]
    names = findings.encoded.feature_names
    axes = [
        f"component {j + 1} ({percent(float(share[j]))} of the variance) goes with "
        f"{_axis(model.components_[j], names)}"
        for j in range(len(share))
    ]
    together = float(share.sum())
    may = [
        f"The axes: {'; '.join(axes)}.",
        f"Distances from above: the plane has {percent(together)} of the variance, so rows that "
        "lie far apart here are far apart in the data.",
    ]
    may_not = [
        f"That rows close together are alike: {percent(max(1 - together, 0.0))} of the variance is "
        "in other directions, which the plane does not show."
    ]
    return Reading(may, may_not)


def _axis(loadings: np.ndarray, names: list[str]) -> str:
    """The columns that an axis goes with, and those that it goes against."""
    size = np.abs(loadings)
    top = [f for f in np.argsort(-size, kind="stable")[:4] if size[f] >= LOADED * size.max()]
    up = listed([names[f] for f in top if loadings[f] > 0])
    down = listed([names[f] for f in top if loadings[f] < 0])
    if up and down:
        return f"{up}, against {down}"
    return up or f"low {down}"


def _of_distances(one: OneMap, findings: Findings) -> Reading:
    stress = one.kept.stress
    how = "well" if stress < GOOD_STRESS else "roughly" if stress < FAIR_STRESS else "poorly"
    may = [
        f"Distances, {how}: the stress is {stress:.3f}, which means that distances are wrong by "
        f"{percent(stress)}, root mean square; their order agrees with that of the data by "
        f"{one.kept.distance_correlation:.2f} (Spearman).",
    ]
    if stress >= FAIR_STRESS:
        may.append("Two dimensions are too few for these distances: trust large ones only.")
    may_not = ["Axes: the map may be turned and mirrored as you like; left and up mean nothing."]
    return Reading(may, may_not)


def _of_small_distances(one: OneMap, findings: Findings) -> Reading:
    stress = getattr(one.model.estimator_, "stress_", None)
    said = "" if stress is None else f" Sammon's stress is {float(stress):.3f}."
    may = [
        "Small distances: an error counts in proportion to 1 over the distance in the data, so "
        f"that near rows are placed with more care than far ones.{said}",
        f"Large distances, with care: all distances together are wrong by "
        f"{percent(one.kept.stress)}, root mean square.",
    ]
    return Reading(may, ["Axes: the map may be turned and mirrored; left and up mean nothing."])


_LOOKS = {"tsne": "perplexity", "sne": "perplexity", "umap": "n_neighbors"}


def _of_neighbours(one: OneMap, findings: Findings) -> Reading:
    setting = _LOOKS[one.kind.name]
    value = getattr(one.model.estimator_, setting)
    about = "perplexity" if setting == "perplexity" else "neighbours"
    looks = f"each row looks at about {value:g} others ({about} {value:g})"
    if about == "neighbours":
        looks = f"each row looks at its {value:g} nearest"
    may = [
        f"Groups: rows of one clump are linked by neighbours in the data; {looks}.",
        "Rows that stand alone between clumps: they have neighbours in several.",
    ]
    correlation = one.kept.distance_correlation
    may_not = [
        "Sizes: a clump that is wide here need not be wide in the data, nor a dense one dense.",
        f"Gaps: how far two clumps are apart says little; the distances of pairs agree with those "
        f"of the data by {correlation:.2f} only (Spearman; 1 is the same order)."
        if correlation < IN_ORDER
        else "Gaps: how far two clumps are apart was not asked for, even where, as here, the order "
        f"of distances happens to agree with the data by {correlation:.2f} (Spearman).",
        "Axes: the map may be turned and mirrored; left and up mean nothing.",
    ]
    if one.kind.name == "sne":
        may_not.append("Emptiness: SNE crowds its middle; t-SNE sets groups apart.")
    return Reading(may, may_not)
