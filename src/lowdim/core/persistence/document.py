"""The JSON document of a file: its header says who wrote it, its tree holds the values."""

from __future__ import annotations

from typing import Any

from lowdim._version import __version__
from lowdim.core.persistence.archive import DOCUMENT, require
from lowdim.core.persistence.strict_json import parsed_json
from lowdim.core.persistence.values import UPGRADE

FORMAT = 1  # what is written; this one and all before it are read


def parsed(text: str) -> tuple[Any, Any]:
    """Header and tree of the document, still as JSON."""
    document = parsed_json(text, DOCUMENT)
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
