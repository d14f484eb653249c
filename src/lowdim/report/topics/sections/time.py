"""Topics over time: what grows and what fades."""

from __future__ import annotations

import numpy as np
from markupsafe import Markup

from lowdim.report.page.figures import heat_map
from lowdim.report.page.parts import percent, place
from lowdim.report.page.sections import Section
from lowdim.report.page.texts import excerpt, harmless
from lowdim.report.topics import figures
from lowdim.report.topics.findings import Findings
from lowdim.report.topics.times import OverTime

MOST_TOPICS = 40


def time_section(findings: Findings) -> Section | None:
    """The shares of topics by period; None without dates, or with one period."""
    found = findings.time
    if found is None:
        return None
    names = [harmless(topic.name) for topic in findings.topics]
    chosen = np.argsort(-found.change, kind="stable")[: figures.MOST_LINES]
    shown = [f"{j + 1} {name}" for j, name in enumerate(names)][:MOST_TOPICS]
    shares = np.nan_to_num(found.shares[:, : len(shown)])
    with np.errstate(divide="ignore", invalid="ignore"):
        weight = found.n_documents / found.n_documents.sum()
        relative = shares / np.maximum(weight @ shares, 1e-12) - 1.0
    relative[found.n_documents == 0] = 0.0
    drawn = {
        "time": figures.lines_over_time(found.names, found.shares, names, chosen.tolist()),
        "periods": heat_map(relative.T, shown, found.names, "periods", "from the mean", 1.5),
    }
    body = Markup('<div class="wide">{}</div><div class="wide">{}</div>').format(
        place("time", "The topics that change most; tap a name to hide its line."),
        place(
            "periods", "All topics: blue where a topic is larger than on the whole, orange below."
        ),
    )
    if found.n_unknown:
        body += Markup('<p class="muted">{:,} documents have no date.</p>').format(found.n_unknown)
    return Section(
        "time",
        "Topics over time",
        "Over time",
        time_sentence(findings),
        body,
        drawn,
        in_short=True,
    )


def time_sentence(findings: Findings) -> str:
    """Which topics grew and which shrank most, from the first third to the last."""
    found = findings.time
    assert found is not None
    third = max(1, len(found.names) // 3)
    early, late = (_mean(found, part) for part in (slice(0, third), slice(-third, None)))
    change = late - early
    up, down = int(np.argmax(change)), int(np.argmin(change))
    names = [excerpt(topic.name, 60) for topic in findings.topics]
    span = f"From {found.names[0]} to {found.names[-1]}"
    if max(change[up], -change[down]) < 0.005:
        return f"{span} the topics keep their shares."
    return (
        f"{span}, {names[up]} grew most (from {percent(early[up])} to {percent(late[up])}), and "
        f"{names[down]} shrank most (from {percent(early[down])} to {percent(late[down])})."
    )


def _mean(found: OverTime, part: slice) -> np.ndarray:
    weight = found.n_documents[part].astype(np.float64)
    return weight @ np.nan_to_num(found.shares[part]) / max(weight.sum(), 1.0)
