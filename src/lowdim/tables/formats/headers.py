"""Names of columns: whether the first row holds them, whether the second holds units, and names
for columns that have none or share one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from lowdim.tables.errors import listed, quoted
from lowdim.tables.formats.cells import is_missing, is_number, is_typed

LONGEST_UNIT = 16
MOST_SAID = 6  # columns that a note names
UNIT_SIGNS = "°%‰µμΩ/²³^·$€£¥"
UNITS = frozenset(
    "kg g mg ug ng lb lbs oz m cm mm um nm km in ft yd mi m2 m3 cm2 cm3 l L ml mL dl dL s sec ms "
    "us ns min h hr hrs hours d day days week weeks month months y yr yrs year years degC degF C F "
    "K Pa hPa kPa MPa bar mbar atm psi V mV kV A mA W kW MW kWh J kJ MJ cal kcal N kN Hz kHz MHz "
    "GHz mol mmol umol mph rpm ppm ppb dB deg rad USD EUR GBP CHF count counts pct percent".split()
)


# ---- the row of names ----------------------------------------------------------------------------


def has_header(rows: Sequence[Sequence[str]], width: int) -> bool:
    """Whether the first row holds the names of the columns.

    Every column votes: for, if the first cell is a word and those below are numbers or dates;
    against, if it is one of them itself, or a word that comes again. Years (1990, 1991, ...) and
    running numbers are names, too, and do not vote.
    """
    if not rows:
        return True
    first, below = rows[0], [row for row in rows[1:] if len(row) == width]
    if 2 <= len(first) == width - 1:
        return not any(map(is_typed, first))
    if not below:
        return not any(map(is_typed, first))
    if _counts_on(first) and not _counts_on(below[0]):
        return True
    return (
        sum(_vote(first[f], [row[f] for row in below]) for f in range(min(width, len(first)))) >= 0
    )


def _vote(name: str, below: Sequence[str]) -> int:
    known = [cell for cell in below if not is_missing(cell)]
    if not known:
        return 0
    if all(map(is_typed, known)):
        return 0 if is_missing(name) else (-1 if is_typed(name) else 1)
    return -1 if name.strip() and name in below else 0


def _counts_on(cells: Sequence[str]) -> bool:
    """Whether the numbers among the cells are whole and rise by the same step."""
    numbers = [cell.strip() for cell in cells if is_typed(cell)]
    if len(numbers) < 2 or not all(cell.isdecimal() and len(cell) < 16 for cell in numbers):
        return False
    steps = {int(b) - int(a) for a, b in pairwise(numbers)}
    return len(steps) == 1 and min(steps) > 0


# ---- the row of units ----------------------------------------------------------------------------


def has_units(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the row beneath the names holds units: 'kg', '(cm)', '[mm]' above numbers."""
    if len(rows) < 3:
        return False
    columns = list(zip(*rows[1:], strict=True))
    above = [cells[0].strip() for cells in columns if _holds_numbers(cells[1:])]
    if not above or not all(_may_be_unit(cell) for cell in above):
        return False
    return 2 * sum(map(_is_unit, above)) >= len(above)


def _holds_numbers(cells: Sequence[str]) -> bool:
    known = [cell for cell in cells if not is_missing(cell)]
    return bool(known) and all(map(is_number, known))


def _may_be_unit(cell: str) -> bool:
    return len(cell) <= LONGEST_UNIT and (
        cell in ("", "-") or not (is_typed(cell) or is_missing(cell))
    )


def _is_unit(cell: str) -> bool:
    in_brackets = len(cell) > 2 and cell[0] + cell[-1] in ("()", "[]", "<>")
    return in_brackets or cell in UNITS or (any(sign in cell for sign in UNIT_SIGNS))


# ---- names ---------------------------------------------------------------------------------------


def unique_names(given: Sequence[str], *, rows_first: bool = False) -> tuple[list[str], list[str]]:
    """Names, each once, and what to say about those that are not as given.

    A second 'x' is called 'x_2'; a column without a name by its number, 'column_3'; with
    `rows_first`, a first column without a name holds names of rows, as pandas writes them: 'index'.
    """
    given = [name.strip() for name in given]
    seen: set[str] = set()
    free = _FreeNames(given)
    names, renamed, nameless = [], [], []
    for f, name in enumerate(given):
        new = name
        if not name:
            new = free.like("index" if rows_first and f == 0 else f"column_{f + 1}")
            nameless.append(new)
        elif name in seen:
            new = free.numbered(name)
            renamed.append(f"{quoted(name)} to {quoted(new)}")
        seen.add(new)
        names.append(new)
    notes = [f"columns without a name are called {listed(nameless)}"] if nameless else []
    if renamed:
        more = f" and {len(renamed) - MOST_SAID:,} more" if len(renamed) > MOST_SAID else ""
        said = ", ".join(renamed[:MOST_SAID]) + more
        notes.append(f"columns named twice are renamed: {said}")
    return names, notes


class _FreeNames:
    """Names that no column has yet."""

    def __init__(self, taken: Sequence[str]):
        self._taken, self._numbers = set(taken), Counter[str]()

    def like(self, name: str) -> str:
        """The name, or else with a number."""
        if name in self._taken:
            return self.numbered(name)
        self._taken.add(name)
        return name

    def numbered(self, stem: str) -> str:
        """The first of stem_2, stem_3, ... that is free."""
        while True:
            self._numbers[stem] += 1
            name = f"{stem}_{self._numbers[stem] + 1}"
            if name not in self._taken:
                self._taken.add(name)
                return name
