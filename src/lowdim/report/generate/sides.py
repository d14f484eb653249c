"""Real and drawn rows of a table as numbers, complete, and as the values that a page shows."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lowdim.linear.ppca import ProbabilisticPCA
from lowdim.selection.samples.pairs import over_blocks
from lowdim.tables.decoding import decoded_columns, framed
from lowdim.tables.encoder import TableEncoder
from lowdim.tables.filling import rounded
from lowdim.tables.opening import open_table

MOST_ROWS = 5000  # of each side
MOST_FACTORS = 5  # of the model that fills empty cells
ODD = 6  # drawn rows
NEAREST = 2  # real rows beside each


class Sides(NamedTuple):
    """Rows of both sides; the first are real."""

    encoder: TableEncoder
    real: np.ndarray  # (n, d)  numbers, complete
    drawn: np.ndarray  # (m, d)
    values: np.ndarray  # (n + m, d)  with NaN where the table has no value
    filled: bool  # whether empty cells were filled

    @property
    def both(self) -> np.ndarray:
        return np.vstack([self.real, self.drawn])

    def frames(self) -> tuple[Any, Any]:
        """Both sides as tables, complete, with the decimals of the table."""
        encoding, origin = self.encoder.encoding_, self.encoder.origin_
        codecs = {column.name: column.codec for column in encoding.columns}
        tables = []
        for Z in (self.real, self.drawn):
            found = decoded_columns(encoding, Z, "kind", True)
            columns = {name: rounded(values, codecs[name]) for name, values in found.items()}
            tables.append(framed(encoding, origin, columns))
        return tables[0], tables[1]


class Odd(NamedTuple):
    """A drawn row that is far from real ones."""

    row: int  # among drawn ones
    distance: float
    nearest: list[int]  # among real ones


def sides_of(real: Any, drawn: Any, encoder: TableEncoder | None, seed: int) -> Sides:
    """Both tables as numbers of one encoder, that of the real one."""
    table = open_table(real)
    if encoder is None:
        encoder = TableEncoder().fit(table)
    random = np.random.default_rng(seed)
    Z = [_some(_dense(encoder.transform(side)), random) for side in (table, open_table(drawn))]
    values = np.vstack(Z)
    has_holes = bool(np.isnan(values).any())
    if has_holes:
        Z = _filled(Z[0], Z[1], random)
    return Sides(encoder, Z[0], Z[1], values, has_holes)


def plane_of(sides: Sides) -> np.ndarray:
    """The first two principal components of real rows, for both sides: (n + m, 2)."""
    d = sides.real.shape[1]
    middle = sides.real.mean(axis=0)
    axes = np.linalg.svd(sides.real - middle, full_matrices=False)[2][: min(2, d)]
    plane = (sides.both - middle) @ axes.T
    return plane if plane.shape[1] == 2 else np.column_stack([plane, np.zeros(len(plane))])


def odd_rows(real: np.ndarray, drawn: np.ndarray) -> list[Odd]:
    """The drawn rows that are farthest from any real one, and the real ones nearest to them."""
    middle = real.mean(axis=0)
    count = min(NEAREST, len(real))

    def near(_: Any, squared: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        best = np.argsort(squared, axis=1, kind="stable")[:, :count]
        return best, np.take_along_axis(squared, best[:, :1], axis=1)[:, 0]

    found = list(over_blocks(near, drawn - middle, real - middle))
    best = np.concatenate([part[0] for part in found])
    distance = np.sqrt(np.concatenate([part[1] for part in found]))
    order = np.argsort(-distance, kind="stable")[:ODD]
    return [Odd(int(i), float(distance[i]), best[i].tolist()) for i in order]


def _dense(Z: Any) -> np.ndarray:
    return np.asarray(Z.toarray() if hasattr(Z, "toarray") else Z, dtype=np.float64)


def _some(Z: np.ndarray, random: np.random.Generator) -> np.ndarray:
    if len(Z) <= MOST_ROWS:
        return Z
    return Z[np.sort(random.permutation(len(Z))[:MOST_ROWS])]


def _filled(real: np.ndarray, drawn: np.ndarray, random: np.random.Generator) -> list[np.ndarray]:
    """Both sides without NaN: each drawn row is emptied as a real one is, and one model fills all.

    Filled cells are then no more like each other on one side than on the other.
    """
    empty = np.isnan(real)
    chosen = empty[random.integers(len(real), size=len(drawn))]
    drawn = np.where(chosen, np.nan, drawn)
    k = max(1, min(MOST_FACTORS, real.shape[1] - 1, len(real) - 1))
    model = ProbabilisticPCA(k, random_state=0).fit(real)
    return [np.asarray(model.impute(side)) for side in (real, drawn)]
