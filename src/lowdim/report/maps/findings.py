"""The maps of a table and what they keep, as plain data.

    clusters     of the rows in the data, to colour by
    maps         each fitted to a sample, all rows placed
    neighbours   in the data: what maps are held against
    changes      some maps made again, with another start or setting

The page draws at most DRAWN_ROWS rows as points; of more rows it shows where they lie as a picture
of density.
"""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from lowdim.report.explore.preparing import Encoded
from lowdim.report.maps.changes import Changes, changes_of
from lowdim.report.maps.groups import Groups, find_groups
from lowdim.report.maps.keeping import Kept, Truth, kept_by, truth_of
from lowdim.report.maps.kinds import KINDS, Kind, Settings, coordinate_names, estimator_of
from lowdim.report.page.parts import counted
from lowdim.report.page.stages import stages
from lowdim.report.placing import fit_and_place, rows_with_values
from lowdim.selection.auto import sample_rows
from lowdim.tables.errors import TableError
from lowdim.tables.model import TableModel

DRAWN_ROWS = 100_000
LEAST_ROWS = 5
SHARES = {"pca": 1, "classical-mds": 5, "mds": 12, "sammon": 8, "sne": 25, "tsne": 25, "umap": 15}


class OneMap(NamedTuple):
    """A map.

    Attributes
    ----------
    kind : Kind
    model : TableModel
    Y : ndarray (n, 2)
        Places of all rows of the table; NaN for rows without values.
    fitted : ndarray of int
        The rows that it was fitted to; the others were placed.
    kept : Kept
    """

    kind: Kind
    model: TableModel
    Y: np.ndarray
    fitted: np.ndarray
    kept: Kept


class Findings(NamedTuple):
    """All that the page shows."""

    encoded: Encoded
    settings: Settings
    maps: list[OneMap]
    drawn: np.ndarray  # rows that are points of the page
    truth: Truth
    groups: Groups
    changes: list[Changes]
    remarks: list[str]  # what looked at a sample, what a method warned of
    seconds: dict[str, float]

    @property
    def models(self) -> dict[str, TableModel]:
        """The models by the names of their maps."""
        return {one.kind.name: one.model for one in self.maps}

    @property
    def n_rows(self) -> int:
        """Of the table."""
        return len(self.maps[0].Y)

    @property
    def n_placed(self) -> int:
        """Rows that have a place: those with values."""
        return int(np.isfinite(self.maps[0].Y[:, 0]).sum())


def find(encoded: Encoded, settings: Settings) -> Findings:
    """Make the maps, and judge them."""
    X: Any = encoded.rows.in_memory
    usable = rows_with_values(X)
    if len(usable) < LEAST_ROWS:
        raise TableError(
            f"{encoded.table.where} has {counted(len(usable), 'row')} with values; a map needs at "
            f"least {LEAST_ROWS}."
        )
    kinds = [KINDS[name] for name in settings.maps]
    shares = {kind.title: SHARES[kind.name] for kind in kinds}
    shares = {"clusters": 5, **shares, "neighbours": 10, "other settings": 20}
    drawn = usable[sample_rows(len(usable), DRAWN_ROWS, settings.seed)]
    with warnings.catch_warnings(record=True) as caught, stages("mapping", shares) as stage:
        warnings.simplefilter("always")
        with stage("clusters"):
            groups = find_groups(X, usable, settings.seed)
        made = []
        for kind in kinds:
            with stage(kind.title):
                made.append(_map(kind, encoded, X, settings))
        with stage("neighbours"):
            truth = truth_of(X[drawn], settings.seed)
            maps = [
                OneMap(*parts, kept_by(parts[2][drawn], truth, settings.seed)) for parts in made
            ]
        with stage("other settings"):
            tried = (changes_of(kind, settings, X[drawn]) for kind in kinds)
            changes = [one for one in tried if one is not None]
    remarks = _remarks(encoded, maps, usable, drawn)
    remarks += sorted({f"A method warned: {warning.message}" for warning in caught})
    return Findings(encoded, settings, maps, drawn, truth, groups, changes, remarks, stage.seconds)


def _map(
    kind: Kind, encoded: Encoded, X: Any, settings: Settings
) -> tuple[Kind, TableModel, np.ndarray, np.ndarray]:
    """A map of the table, fitted to a sample; all rows placed."""
    made: list[TableModel] = []

    def fit(some: Any) -> Any:
        estimator = estimator_of(kind, settings, some.shape[0])
        model = TableModel(estimator, encoder=clone(encoded.encoder))
        made.append(model.fit_encoded(encoded.table, encoded.encoder, some))
        return made[0].estimator_

    names = encoded.feature_names if encoded.table.named else None
    _, Y, fitted = fit_and_place(fit, X, settings.most_rows(kind), settings.seed, names)
    made[0].code_names_ = np.array(coordinate_names([kind.name]), dtype=object)
    return kind, made[0], Y, fitted


def _remarks(
    encoded: Encoded, maps: list[OneMap], usable: np.ndarray, drawn: np.ndarray
) -> list[str]:
    """What looked at a sample, and why."""
    n, said = encoded.rows.shape[0], []
    if len(usable) < n:
        said.append(f"{counted(n - len(usable), 'row')} without any value have no place in a map.")
    for one in maps:
        if len(one.fitted) < len(usable):
            limit = (
                f"; its cost grows with the square of the rows, so it takes {one.kind.most_rows:,} "
                "at most"
                if one.kind.most_rows == len(one.fitted)
                else ""
            )
            said.append(
                f"{one.kind.title} was fitted to {len(one.fitted):,} rows drawn at random{limit}; "
                "the other rows were placed among them, each for itself."
            )
    if len(drawn) < len(usable):
        said.append(
            f"{len(drawn):,} of the {len(usable):,} rows are drawn as points, chosen at random; "
            "the shade behind them shows where all rows lie."
        )
    return said
