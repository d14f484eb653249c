"""Which method: all judged by the same hidden entries."""

from __future__ import annotations

from typing import Any

import numpy as np
from markupsafe import Markup

from lowdim.report.explore import figures
from lowdim.report.explore.contest import NETWORK, UNITS
from lowdim.report.explore.findings import Findings
from lowdim.report.page.parts import listed, place, table
from lowdim.report.page.sections import Section, Tile
from lowdim.selection.compare.table import Comparison


def contest_section(findings: Findings) -> Section | None:
    """Methods judged by the same hidden entries; None if they were not compared."""
    found = findings.comparison
    if found is None:
        return None
    error, spread = found["error"], found["std_error"]
    ran = ~np.isnan(error)
    drawn = {
        "contest": figures.contest(
            [name for name, good in zip(found.names, ran, strict=True) if good],
            error[ran],
            spread[ran],
            found["verdict"][ran] != "worse",
        )
    }
    lines = [
        (
            name,
            "" if np.isnan(error[e]) else f"{error[e]:.3f} ± {spread[e]:.3f}",
            found["verdict"][e],
            "" if np.isnan(found["seconds"][e]) else f"{found['seconds'][e]:.2f}",
            "" if found["parameters"][e] is None else f"{found['parameters'][e]:,}",
            found.failures.get(name) or _size(found.estimators[name]),
        )
        for e, name in enumerate(found.names)
    ]
    heads = ["method", "error#", "verdict", "seconds#", "parameters#", "best size"]
    caption = (
        "Error on hidden values, ± 2 standard errors; filled: the best, and what ties with it."
    )
    body = table(heads, lines, "comparison") + Markup(
        '<div class="wide">{}</div><p class="muted">{}. The hidden values are the same for all '
        "methods, and no method has seen them, nor has the scaling of the columns. Each method has "
        "the size that was best on other hidden values. A tie is a difference of at most two "
        "standard errors. {}</p>"
    ).format(place("contest", caption), found.protocol, _of_networks(found))
    lead, tile = contest_sentence(found), Tile(_capital(found.winner), "predicts best")
    return Section("contest", "Which method", "Methods", lead, body, drawn, tile, in_short=True)


def _of_networks(found: Comparison) -> str:
    """How the network took part, or why it did not."""
    if NETWORK not in found.names:
        return f"A {NETWORK}, which needs torch, was not compared: pip install 'lowdim[deep]'."
    return (
        f"The {NETWORK} has one size, since its fits take longest: {UNITS} hidden units, "
        f"{found.estimators[NETWORK].max_iter} passes over the rows, and as many components as the "
        "larger of the sizes of the others."
    )


def _size(model: Any) -> str:
    """What was chosen of a method: the numbers that say how large it is, in words."""
    settings = model.get_params(deep=False)
    is_mixture = "covariance_type" in settings
    if settings.get("prior") == "normal":  # a network without clusters
        settings.pop("n_clusters")
    words = {
        "n_clusters": "clusters",
        "n_components": "clusters" if is_mixture else "components",
        "penalty": "penalty",
        "covariance_type": "covariances",
    }
    shown = {what: settings[name] for name, what in words.items() if name in settings}
    return ", ".join(
        f"{what} {value}" if what == "penalty" else f"{value} {what}"
        for what, value in shown.items()
    )


def contest_sentence(found: Comparison) -> str:
    """Which method predicts hidden values best."""
    if found.winner == "column means":
        return "No method predicts hidden values better than the column means do."
    ties = found.ties
    tied = f"; a tie with {listed(ties)}" if ties else ", clearly better than the others"
    return (
        f"{_capital(found.winner)} predicts hidden values best (error {found['error'][0]:.2f}, "
        f"where column means have 1){tied}."
    )


def _capital(name: str) -> str:
    return name[0].upper() + name[1:]
