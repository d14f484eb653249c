"""``python -m benchmarks [FAMILY ...]``: run the cases of these families, or of all."""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import click

import benchmarks
from benchmarks.harness import Case, Outcome, run_case
from benchmarks.report import replace_section, section

MACHINERY = {"__main__", "harness", "worker", "report"}
RESULTS = Path(__file__).with_name("RESULTS.md")
QUICK_SHRINK = 10


def family_names() -> list[str]:
    """Every module beside this one that is not part of the machinery is a family."""
    names = {module.name for module in pkgutil.iter_modules(benchmarks.__path__)}
    return sorted(names - MACHINERY)


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("families", nargs=-1, type=click.Choice(family_names()), metavar="[FAMILY]...")
@click.option("--quick", is_flag=True, help="A tenth of the rows; prints, does not write.")
@click.option("--case", "only", help="Run this case alone; prints, does not write.")
@click.option("--big", is_flag=True, help="Run the cases that take minutes instead of the others.")
@click.option("--repeats", default=9, show_default=True, type=click.IntRange(min=1))
def main(families: tuple[str, ...], quick: bool, only: str | None, big: bool, repeats: int) -> None:
    """Measure lowdim beside the best peers and write benchmarks/RESULTS.md."""
    outcomes: list[Outcome] = []
    found = missed = False
    for name in families or family_names():
        family = importlib.import_module(f"benchmarks.{name}")
        if not hasattr(family, "CASES"):
            if only is None and not big:
                missed |= report_table(name, family, quick)
            continue
        cases = chosen_cases(family, only, big)
        if not cases:
            continue
        found = True
        shrink = QUICK_SHRINK if quick else 1
        ran = run_family(family, cases, repeats, shrink)
        outcomes += ran
        body = section(ran, family.LIBRARIES)
        title = f"{name} (big)" if big else name
        publish(title, body, write=not quick and only is None)
    if only is not None and not found:
        raise click.UsageError(f"no case is called {only!r}")
    sys.exit(1 if missed or any(outcome.failures for outcome in outcomes) else 0)


def report_table(name: str, family: ModuleType, quick: bool) -> bool:
    """A family without peers makes its own table; whether it missed a limit of its own."""
    body, missed = family.measure(quick)
    publish(name, body, write=not quick)
    return missed


def publish(title: str, body: str, write: bool) -> None:
    click.echo(f"\n## {title}\n\n{body}\n")
    if write:
        before = RESULTS.read_text() if RESULTS.exists() else ""
        RESULTS.write_text(replace_section(before, title, body))


def chosen_cases(family: ModuleType, only: str | None, big: bool) -> list[Case]:
    """The case that was named; else the big ones or the others."""
    if only is not None:
        return [case for case in family.CASES if case.name == only]
    return [case for case in family.CASES if case.big == big]


def run_family(
    family: ModuleType, cases: Sequence[Case], repeats: int, shrink: int
) -> list[Outcome]:
    outcomes = []
    for case in cases:
        click.echo(f"{case.name} ...", err=True)
        outcomes.append(run_case(family, case, repeats, shrink))
    return outcomes


if __name__ == "__main__":
    main()
