"""The last sections of a page: what was done, and how to do it in Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from lowdim.report.page.parts import copyable
from lowdim.report.page.sections import COPY, Section


def steps_section(
    title: str, lead: str, steps: Sequence[str], seconds: Mapping[str, float]
) -> Section:
    """What was done, step by step, and how long the stages took."""
    items = Markup("").join(Markup("<li>{}</li>").format(step) for step in steps)
    times = ", ".join(f"{stage} {value:.1f} s" for stage, value in seconds.items())
    body = Markup('<ul>{}</ul><p class="muted">Time: {}.</p>').format(items, times)
    return Section("done", title, "What was done", lead, body)


def script_section(text: str, gives: str) -> Section:
    """How to do the same in Python; `gives`: what the script gives again."""
    lead = f"This script gives {gives} of this page again; change it as you like."
    body = copyable("script", text)
    return Section("script", "How to do it in Python", "Python", lead, body, scripts=(COPY,))
