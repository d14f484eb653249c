"""The sections of the page: a title, one sentence that says what was found, pictures and tables.

columns      the table            rows         the map
dimensions   how many             clusters     groups of rows
methods      which one            filled       the filled table
factors      what they are        oddities     the odd rows
account      what was done to the data, and how to do it in Python
"""

from __future__ import annotations

from lowdim.report.explore.findings import Findings
from lowdim.report.explore.sections.account import done_section, script_section
from lowdim.report.explore.sections.clusters import cluster_section
from lowdim.report.explore.sections.columns import table_section
from lowdim.report.explore.sections.dimensions import rank_section
from lowdim.report.explore.sections.factors import factor_section
from lowdim.report.explore.sections.filled import filled_section
from lowdim.report.explore.sections.methods import contest_section
from lowdim.report.explore.sections.oddities import odd_section
from lowdim.report.explore.sections.rows import map_section
from lowdim.report.page.sections import Section

__all__ = ["all_sections"]


def all_sections(findings: Findings, script: str, seed: int) -> list[Section]:
    """The sections that there is something to say in, from top to bottom."""
    wanted = [
        table_section(findings),
        rank_section(findings),
        contest_section(findings),
        factor_section(findings),
        map_section(findings, seed),
        cluster_section(findings),
        filled_section(findings),
        odd_section(findings),
        done_section(findings),
        script_section(script),
    ]
    return [section for section in wanted if section is not None]
