"""The Python in the documentation runs: every page top to bottom, as a reader would type it.

Python blocks of a page share their names. Console blocks run each line that starts with
`$ lowdim`. Both run in one empty folder per page, so a page creates the files that it reads.
"""

import re
import shlex
from pathlib import Path
from typing import NamedTuple

import pytest
from click.testing import CliRunner

from lowdim.cli import main
from lowdim.report.explore import contest

ROOT = Path(__file__).resolve().parent.parent
FENCE = re.compile(r"^```(python|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Block(NamedTuple):
    language: str
    text: str
    line: int


def blocks(page):
    """The Python and console blocks of a Markdown page, with the line where each begins."""
    text = page.read_text(encoding="utf-8")
    return [Block(m[1], m[2], text.count("\n", 0, m.start(2))) for m in FENCE.finditer(text)]


PAGES = [
    page
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    if "_build" not in page.parts and "generated" not in page.parts and blocks(page)
]


def run_python(block, page, names):
    # empty lines in front: tracebacks then show the line of the page
    exec(compile("\n" * block.line + block.text, str(page), "exec"), names)


def run_console(block, page):
    for command in re.findall(r"^\$ lowdim (.*)$", block.text, re.MULTILINE):
        result = CliRunner().invoke(main, shlex.split(command), prog_name="lowdim")
        assert result.exit_code == 0, f"{page.name}: lowdim {command}\n{result.output}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_python_of_the_page_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(contest, "REPEATS", 2)  # of the comparison that explore makes: the fewest
    names = {"__name__": page.stem}
    for block in blocks(page):
        if block.language == "python":
            run_python(block, page, names)
        else:
            run_console(block, page)


def test_blocks_are_found_with_their_lines(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "# Title\n\n```python\nx = 1\n```\n\n```text\nno\n```\n\n```python\ny = x\n```\n"
    )
    assert blocks(page) == [Block("python", "x = 1\n", 3), Block("python", "y = x\n", 11)]


def test_a_broken_page_fails_at_its_line(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("```python\nx = 1\n```\n\n```python\n\nx / 0\n```\n")
    names = {}
    first, second = blocks(page)
    run_python(first, page, names)
    with pytest.raises(ZeroDivisionError) as error:
        run_python(second, page, names)
    assert error.traceback[-1].lineno == 6  # counted from 0: line 7 of the page
