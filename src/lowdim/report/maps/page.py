"""The page of `map`: its sections in the shell that all pages have."""

from __future__ import annotations

from lowdim.report.maps.findings import Findings
from lowdim.report.maps.payload import row_names
from lowdim.report.maps.sections import all_sections
from lowdim.report.page import shell
from lowdim.report.page.parts import counted, listed


def page(findings: Findings, script: str) -> str:
    """The whole page as text."""
    name = findings.encoded.table.where.replace("\\", "/").rsplit("/", 1)[-1] or "A table"
    titles = listed([one.kind.title for one in findings.maps], 8)
    columns = counted(len(findings.encoded.columns), "column")
    return shell.html(
        shell.Page(
            title=f"{name}: {'maps' if len(findings.maps) > 1 else 'a map'} of its rows",
            subtitle=f"{counted(findings.n_rows, 'row')}, {columns}; {titles}",
            sections=all_sections(findings, script),
            data={"row-names": row_names(findings)},
        )
    )
