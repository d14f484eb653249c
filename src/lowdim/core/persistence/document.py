"""The JSON document of a file: its header says who wrote it, its tree holds the values."""

from __future__ import annotations

import json
import math
from typing import Any

from lowdim._version import __version__
from lowdim.core.persistence.archive import DAMAGED, DOCUMENT, FileProblem, require
from lowdim.core.persistence.values import UPGRADE

FORMAT = 1  # what is written; this one and all before it are read


def parsed(text: str) -> tuple[Any, Any]:
    """Header and tree of the document, still as JSON."""
    try:
        document = json.loads(
            text,
            object_pairs_hook=_unique,
            parse_int=_short_int,
            parse_float=_finite_float,
            parse_constant=_no_constant,
        )
    except ValueError as error:
        raise FileProblem(f"{DOCUMENT} is not JSON ({error})", DAMAGED) from error
    header: Any = document.get("header") if type(document) is dict else None
    require(type(header) is dict, f"{DOCUMENT} has no header")
    written, version = header.get("format"), header.get("lowdim")
    require(
        type(written) is int and written >= 1 and type(version) is str,
        "its header does not say in what format it was written",
    )
    require(
        written <= FORMAT,
        f"it was written by lowdim {version[:40]}, format {written}; this is lowdim {__version__}, "
        f"which reads formats up to {FORMAT}",
        UPGRADE,
    )
    require(document.keys() == {"header", "tree"}, f"{DOCUMENT} has more than header and tree")
    return header, document["tree"]


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    node = dict(pairs)
    require(len(node) == len(pairs), f"{DOCUMENT} has the same key twice in one place")
    return node


def _short_int(digits: str) -> int:
    require(len(digits) <= 17, f"{DOCUMENT} has an integer of more than 53 bits")
    return int(digits)


def _finite_float(digits: str) -> float:
    value = float(digits) if len(digits) <= 32 else math.inf
    require(math.isfinite(value), f"{DOCUMENT} has a number that is not a float")
    return value


def _no_constant(name: str) -> None:
    raise FileProblem(f"{DOCUMENT} has {name}, which is not JSON", DAMAGED)
