"""Kinds of values: named tuples, estimators and pipelines of lowdim."""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from typing import Any

from sklearn.base import BaseEstimator

from lowdim._version import __version__
from lowdim.core.earlier_names import EARLIER_NAMES
from lowdim.core.persistence.archive import DAMAGED, FileProblem, require
from lowdim.core.persistence.values import NOT_PLAIN, UPGRADE, kind
from lowdim.core.public import public_model
from lowdim.core.shapes import ShapeError, check_shapes

# how a fit is watched is no part of the model
NOT_KEPT = frozenset({"_skl_callbacks", "_callback_fit_ctx", "_parent_callback_ctx"})


def _named_fields(value: Any) -> dict[str, Any]:
    cls = type(value)
    path = f"{cls.__module__}.{cls.__qualname__}"
    own = _lowdim_namedtuple(path) is cls
    require(own, f"it is a {path}, not a named tuple of lowdim", NOT_PLAIN)
    return {"name": path, "fields": value._asdict()}


@kind("namedtuple", pack=_named_fields)
def _namedtuple(name: str, fields: dict) -> Any:
    cls: Any = _lowdim_namedtuple(EARLIER_NAMES.get(name, name))
    require(cls, "this lowdim has no such named tuple", UPGRADE)
    missing = set(cls._fields) - set(cls._field_defaults) - set(fields)
    require(not missing and fields.keys() <= set(cls._fields), "its fields are others", UPGRADE)
    return cls(**fields)


def _lowdim_namedtuple(path: str) -> type | None:
    """The named tuple that a module of lowdim defines at its top level under this name, if any."""
    if not re.fullmatch(r"lowdim(?:\.[A-Za-z][A-Za-z0-9_]*)+\.[A-Za-z0-9_]+", path):
        return None
    module, _, name = path.rpartition(".")
    try:
        cls = vars(import_module(module)).get(name)
    except ImportError:
        return None
    named = isinstance(cls, type) and issubclass(cls, tuple) and hasattr(cls, "_fields")
    return cls if named and cls.__module__ == module else None


def _estimator_fields(model: Any) -> dict[str, Any]:
    cls = type(model)
    require(
        public_model(cls.__name__) is cls,
        f"{cls.__module__}.{cls.__qualname__} is not an estimator that lowdim exports",
        "Save a model of lowdim itself; a subclass or an estimator of another library can go into "
        "a pickle, to be loaded only where its origin is trusted.",
    )
    parameters = model.get_params(deep=False)
    not_kept = NOT_KEPT | getattr(cls, "not_saved", frozenset())
    attributes = {
        name: value
        for name, value in vars(model).items()
        if name not in parameters and name not in not_kept
    }
    _check_attributes(cls, attributes, "Delete it, or give it another name.")
    _check_shapes(model, attributes, "Change all of them alike, or fit the model again.")
    return {"name": cls.__name__, "parameters": parameters, "attributes": attributes}


@kind("estimator", pack=_estimator_fields)
def _estimator(name: str, parameters: dict, attributes: dict) -> Any:
    cls: Any = public_model(name)
    require(cls, f"lowdim {__version__} has no estimator {name[:40]!r}", UPGRADE)
    known = inspect.signature(cls).parameters
    required = {parameter for parameter, about in known.items() if about.default is about.empty}
    require(
        required <= parameters.keys() <= known.keys(),
        f"the parameters of {name} are others: {', '.join(known)}",
        UPGRADE,
    )
    _check_attributes(cls, attributes)
    model = cls(**parameters)
    vars(model).update(attributes)
    _check_shapes(model, attributes)
    return model


def _check_shapes(model: Any, attributes: dict[str, Any], cure: str = DAMAGED) -> None:
    """What a fitted model has learned has the shapes that its class declares."""
    if not attributes or not hasattr(model, "_shapes"):
        return
    try:
        check_shapes(model, attributes, model._shapes())
    except ShapeError as error:
        raise FileProblem(f"{type(model).__name__}: {error}", cure) from error
    except (TypeError, ValueError, KeyError, AttributeError, IndexError) as error:
        # what is declared depends on attributes, which are something else than they should be
        problem = f"the attributes of {type(model).__name__} do not go together ({error!r:.200})"
        raise FileProblem(problem, cure) from error


def _pipeline_class() -> type:
    from sklearn.pipeline import Pipeline

    return Pipeline


def _pipeline_fields(model: Any) -> dict[str, Any]:
    others = {k: v for k, v in model.get_params(deep=False).items() if k != "steps"}
    usual = {k: v for k, v in type(model)([]).get_params(deep=False).items() if k != "steps"}
    require(others == usual, "it is a pipeline with settings beside its steps", NOT_PLAIN)
    return {"names": [name for name, _ in model.steps], "steps": [step for _, step in model.steps]}


@kind("pipeline", pack=_pipeline_fields)
def _pipeline(names: list, steps: list) -> Any:
    require(len(names) == len(steps) > 0, "it does not have one name for each step")
    require(all(type(name) is str for name in names), "the name of a step is not text")
    require(all(isinstance(step, BaseEstimator) for step in steps), "a step is not a model")
    return _pipeline_class()(list(zip(names, steps, strict=True)))


def _check_attributes(cls: type, attributes: dict[str, Any], cure: str = DAMAGED) -> None:
    """They are data beside the parameters, and hide nothing that the class has."""
    taken = {*dir(cls), *inspect.signature(cls).parameters, *NOT_KEPT}
    for name in attributes:
        fitting = name.isidentifier() and not name.startswith("__") and name not in taken
        require(fitting, f"{cls.__name__} cannot have an attribute {name[:40]!r}", cure)
