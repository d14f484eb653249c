"""What the page of `topics` says, section by section."""

from __future__ import annotations

from lowdim.report.page.sections import Section
from lowdim.report.topics.findings import Findings
from lowdim.report.topics.sections.account import done_section, script_section
from lowdim.report.topics.sections.corpus import corpus_section
from lowdim.report.topics.sections.documents import map_section, typical_section
from lowdim.report.topics.sections.labels import label_section
from lowdim.report.topics.sections.methods import method_section
from lowdim.report.topics.sections.number import number_section
from lowdim.report.topics.sections.oddities import odd_section
from lowdim.report.topics.sections.time import time_section
from lowdim.report.topics.sections.topics import topic_section


def all_sections(findings: Findings, script: str, seed: int) -> list[Section]:
    """The sections that there is something to say in, from top to bottom."""
    wanted = [
        topic_section(findings),
        corpus_section(findings),
        number_section(findings),
        method_section(findings),
        map_section(findings, seed),
        typical_section(findings),
        label_section(findings),
        time_section(findings),
        odd_section(findings),
        done_section(findings),
        script_section(script),
    ]
    return [section for section in wanted if section is not None]
