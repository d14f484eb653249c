"""The sections of the page of maps.

side_by_side   the maps, linked         changes   what another start or setting changes
reading        what may be read         account   what was done, and how to do it in Python
shepard        distances in the data and in the maps
"""

from __future__ import annotations

from lowdim.report.maps.findings import Findings
from lowdim.report.maps.sections.account import done_section, script_section
from lowdim.report.maps.sections.changes import changes_section
from lowdim.report.maps.sections.reading import reading_section
from lowdim.report.maps.sections.shepard import shepard_section
from lowdim.report.maps.sections.side_by_side import maps_section
from lowdim.report.page.sections import Section

__all__ = ["all_sections"]


def all_sections(findings: Findings, script: str) -> list[Section]:
    """The sections that there is something to say in, from top to bottom."""
    wanted = [
        maps_section(findings),
        reading_section(findings),
        shepard_section(findings),
        changes_section(findings),
        done_section(findings),
        script_section(script),
    ]
    return [section for section in wanted if section is not None]
