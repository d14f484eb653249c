"""Kinds of values: things that lowdim exports and that are no models, such as word vectors."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from lowdim._version import __version__
from lowdim.core.persistence.archive import DAMAGED, FileProblem, require
from lowdim.core.persistence.values import NOT_PLAIN, TAGS, UPGRADE, kind
from lowdim.core.public import homes, public_object


class PlainObject(ABC):
    """What a class inherits that `lowdim` exports and that is saved by its fields.

    Saved and loaded like models: alone, or as a part of one.
    """

    def __init_subclass__(cls, **arguments: Any) -> None:
        super().__init_subclass__(**arguments)
        TAGS[cls] = "exported"

    @abstractmethod
    def _fields(self) -> dict[str, Any]:
        """What is saved: plain values by name."""

    @classmethod
    @abstractmethod
    def _of_fields(cls, fields: dict[str, Any]) -> Any:
        """A new one. Raises ValueError, TypeError or KeyError for fields that make none."""


def _named_fields(value: Any) -> dict[str, Any]:
    cls = type(value)
    require(
        _public_class(cls.__name__) is cls,
        f"{cls.__module__}.{cls.__qualname__} is not a class that lowdim exports",
        NOT_PLAIN,
    )
    return {"name": cls.__name__, "fields": value._fields()}


@kind("exported", pack=_named_fields)
def _exported(name: str, fields: dict) -> Any:
    cls = _public_class(name)
    require(cls, f"lowdim {__version__} has no class {name[:40]!r}", UPGRADE)
    assert cls is not None
    try:
        return cls._of_fields(fields)
    except (ValueError, TypeError, KeyError) as error:
        raise FileProblem(f"it is no {name} ({error!s:.200})", DAMAGED) from error


def _public_class(name: str) -> type[PlainObject] | None:
    if name not in homes():
        return None
    value = public_object(homes()[name], name)
    return value if isinstance(value, type) and issubclass(value, PlainObject) else None
