"""JSON as files of lowdim have it: no key twice, no number that a reader would have to round."""

from __future__ import annotations

import json
import math
from functools import partial
from typing import Any

from lowdim.core.persistence.archive import DAMAGED, FileProblem, require


def parsed_json(text: str, name: str) -> Any:
    """What the text says; `name` says what is wrong where, if something is."""
    try:
        return json.loads(
            text,
            object_pairs_hook=partial(_unique, name),
            parse_int=partial(_short_int, name),
            parse_float=partial(_finite_float, name),
            parse_constant=partial(_no_constant, name),
        )
    except ValueError as error:
        raise FileProblem(f"{name} is not JSON ({error})", DAMAGED) from error


def _unique(name: str, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    node = dict(pairs)
    require(len(node) == len(pairs), f"{name} has the same key twice in one place")
    return node


def _short_int(name: str, digits: str) -> int:
    require(len(digits) <= 17, f"{name} has an integer of more than 53 bits")
    return int(digits)


def _finite_float(name: str, digits: str) -> float:
    value = float(digits) if len(digits) <= 32 else math.inf
    require(math.isfinite(value), f"{name} has a number that is not a float")
    return value


def _no_constant(name: str, constant: str) -> None:
    raise FileProblem(f"{name} has {constant}, which is not JSON", DAMAGED)
