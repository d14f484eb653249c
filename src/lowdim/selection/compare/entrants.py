"""Who takes part in a comparison, under which name, and what is said of each in the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, clone

from lowdim.selection.compare.judging import Outcome
from lowdim.selection.compare.models import ColumnMeans
from lowdim.selection.compare.table import Entrant

BASELINE = "column means"


class Contestant(NamedTuple):
    """A name, and one model or several to choose from."""

    name: str
    candidates: list[Any]


def contestants_of(models: Any) -> list[Contestant]:
    """The baseline, and every model with its name."""
    if isinstance(models, BaseEstimator):
        models = [models]
    if isinstance(models, Mapping):
        names, groups = [str(name) for name in models], list(models.values())
    elif isinstance(models, Iterable) and not isinstance(models, str | np.ndarray):
        names, groups = [], list(models)
    else:
        raise TypeError(f"models={models!r} is not known; give a list or a dict of estimators.")
    if not groups:
        raise ValueError("models is empty; give at least one estimator.")
    candidates = [_candidates(group) for group in groups]
    names = names or _names(candidates)
    if BASELINE in names:
        raise ValueError(f"{BASELINE!r} is the name of the baseline; choose another.")
    given = [Contestant(name, group) for name, group in zip(names, candidates, strict=True)]
    return [*given, Contestant(BASELINE, [ColumnMeans()])]


def _candidates(group: Any) -> list[Any]:
    models = list(group) if isinstance(group, list | tuple) else [group]
    if not models:
        raise ValueError("models has an empty list of candidates; give at least one estimator.")
    for model in models:
        if isinstance(model, type) or not isinstance(model, BaseEstimator):
            hint = f"{model.__name__}()" if isinstance(model, type) else "PCA(2)"
            raise TypeError(
                f"models has {model!r}, which is no estimator; give one such as {hint}, or a list "
                "of them to choose from."
            )
    return models


def _names(groups: list[list[Any]]) -> list[str]:
    """Class names, with package, arguments and number only where they are not unique without."""
    leaders = [type(group[0]) for group in groups]
    names = []
    for group, kind in zip(groups, leaders, strict=True):
        alike = [other for other in leaders if other.__name__ == kind.__name__]
        package = f"{kind.__module__.split('.')[0]}." if len(set(alike)) > 1 else ""
        alone = alike.count(kind) == 1 or len(group) > 1
        names.append(package + (kind.__name__ if alone else _one_line(group[0])))
    seen: Counter[str] = Counter()
    for at, name in enumerate(names):
        seen[name] += 1
        if seen[name] > 1:
            names[at] = f"{name} #{seen[name]}"
    return names


# ---- what is said of a model ---------------------------------------------------------------------


def entrant_of(
    contestant: Contestant, outcomes: list[Outcome], failure: str, repeats: int
) -> Entrant:
    """A line of the table; a model that failed once has failed."""
    candidates = contestant.candidates
    if failure:
        losses = np.full(repeats, np.nan)
        return Entrant(contestant.name, losses, np.nan, None, "", failure, clone(candidates[0]))
    chosen = Counter(outcome.chosen for outcome in outcomes)
    favourite = min(chosen, key=lambda c: (-chosen[c], c))
    sizes = [outcome.size for outcome in outcomes if outcome.chosen == favourite]
    return Entrant(
        contestant.name,
        np.array([outcome.loss for outcome in outcomes]),
        float(np.median([outcome.seconds for outcome in outcomes])),
        sizes[0],
        _remark(candidates, chosen, outcomes),
        "",
        clone(candidates[favourite]),
    )


def _remark(candidates: list[Any], chosen: Counter[int], outcomes: list[Outcome]) -> str:
    """Which candidates were chosen, what was done to the data, and what the model warned of."""
    n, remarks = len(outcomes), []
    if len(candidates) > 1:
        often = [
            _described(candidates[c], candidates) + (f" ({times} of {n})" if times < n else "")
            for c, times in chosen.most_common()
        ]
        remarks.append(", ".join(often))
    remarks += dict.fromkeys(note for outcome in outcomes for note in outcome.treatment)
    warned = Counter(name for outcome in outcomes for name in outcome.warned)
    remarks += [f"{name} {times} of {n}" for name, times in sorted(warned.items())]
    return "; ".join(remarks)


def _described(model: Any, among: list[Any]) -> str:
    """What distinguishes a candidate: the arguments that are not the same in all."""
    if len({type(other) for other in among}) > 1:
        return _one_line(model)
    params = [other.get_params() for other in among]
    mine = model.get_params()
    differ = [name for name in mine if any(repr(p.get(name)) != repr(mine[name]) for p in params)]
    return ", ".join(f"{name}={mine[name]!r}" for name in differ) or _one_line(model)


def _one_line(model: Any) -> str:
    return " ".join(repr(model).split())


def in_one_line(error: Exception) -> str:
    """An error as a remark."""
    return f"{type(error).__name__}: {' '.join(str(error).split())}"
