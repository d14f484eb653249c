"""Who called: warnings point at the user's line, however deep in lowdim they are raised."""

from __future__ import annotations

import sys


def level_of_caller() -> int:
    """The `stacklevel` of a warning that is to point at the line which called lowdim."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").startswith(("lowdim.", "sklearn.")):
        level, frame = level + 1, frame.f_back
    return level
