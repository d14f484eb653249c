"""What the page of `words` says, section by section."""

from __future__ import annotations

from typing import Any

from lowdim.report.page.sections import Section
from lowdim.report.words.findings import Findings
from lowdim.report.words.sections.account import done_section, script_section
from lowdim.report.words.sections.against import against_section
from lowdim.report.words.sections.analogies import accuracy_section, arrow_section
from lowdim.report.words.sections.clusters import cluster_section
from lowdim.report.words.sections.map import map_section


def all_sections(findings: Findings, data: dict[str, Any], script: str) -> list[Section]:
    """The sections that there is something to say in, from top to bottom."""
    wanted = [
        map_section(findings, data),
        cluster_section(findings),
        arrow_section(findings),
        accuracy_section(findings),
        against_section(findings),
        done_section(findings),
        script_section(script),
    ]
    return [section for section in wanted if section is not None]
