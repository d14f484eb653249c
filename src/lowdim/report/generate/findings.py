"""All that a page says of drawn rows or images, as plain data."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lowdim.linear.pca.estimator import PCA
from lowdim.report.generate.columns import Shares, Shown, shares_of, shown_columns
from lowdim.report.generate.sides import MOST_ROWS, Odd, Sides, odd_rows, plane_of, sides_of
from lowdim.report.page.stages import stages
from lowdim.selection.samples.judging import SampleQuality, sample_quality
from lowdim.tables.encoder import TableEncoder

MOST_CORRELATED = 24  # columns of numbers in a picture of correlations
PARTS = 30  # principal components of images that are judged


class Correlations(NamedTuple):
    """Of columns of numbers, on both sides."""

    names: list[str]
    real: np.ndarray  # (d, d)
    drawn: np.ndarray


class TableFindings(NamedTuple):
    """Drawn rows beside real ones."""

    name: str
    sides: Sides
    quality: SampleQuality
    columns: list[Shown]
    shares: list[Shares]
    correlations: Correlations
    plane: np.ndarray  # (n + m, 2)
    odd: list[Odd]
    seconds: dict[str, float]


class ImageFindings(NamedTuple):
    """Drawn images beside real ones."""

    name: str
    real: np.ndarray  # (n, h, w[, c])
    drawn: np.ndarray
    quality: SampleQuality
    plane: np.ndarray  # (n + m, 2)
    odd: list[Odd]
    seconds: dict[str, float]


def find_table(
    name: str, real: Any, drawn: Any, held_out: Any, encoder: TableEncoder | None, seed: int
) -> TableFindings:
    """Compare two tables."""
    shares = {"reading": 10, "measures": 60, "columns": 10, "map": 20}
    with stages("comparing", shares) as stage:
        with stage("reading"):
            sides = sides_of(real, drawn, encoder, seed)
            unseen = None if held_out is None or sides.filled else held_out
        with stage("measures"):
            quality = sample_quality(*sides.frames(), held_out=unseen, random_state=seed)
        with stage("columns"):
            columns = shown_columns(sides)
            found = [shares_of(column, len(sides.real)) for column in columns]
            correlations = _correlations(sides)
        with stage("map"):
            plane, odd = plane_of(sides), odd_rows(sides.real, sides.drawn)
    return TableFindings(
        name, sides, quality, columns, found, correlations, plane, odd, stage.seconds
    )


def find_images(name: str, real: np.ndarray, drawn: np.ndarray, seed: int) -> ImageFindings:
    """Compare images by their principal components."""
    random = np.random.default_rng(seed)
    real, drawn = (
        side[np.sort(random.permutation(len(side))[:MOST_ROWS])] for side in (real, drawn)
    )
    with stages("comparing", {"components": 20, "measures": 60, "map": 20}) as stage:
        with stage("components"):
            X, Y = (side.reshape(len(side), -1).astype(np.float64) for side in (real, drawn))
            k = min(PARTS, X.shape[1], len(X) - 1)
            parts = PCA(k, random_state=seed).fit(X)
            A, B = parts.transform(X), parts.transform(Y)
        with stage("measures"):
            quality = sample_quality(A, B, standardize=False, random_state=seed)
        with stage("map"):
            plane = np.vstack([A, B])
            plane = np.column_stack([plane, np.zeros(len(plane))])[:, :2]
            odd = odd_rows(A, B)
    return ImageFindings(name, real, drawn, quality, plane, odd, stage.seconds)


def _correlations(sides: Sides) -> Correlations:
    """Those that changed most, if columns are many."""
    names = sides.encoder.encoding_.feature_names()
    found = []
    for Z in (sides.real, sides.drawn):
        centred = Z - Z.mean(axis=0)
        size = np.sqrt((centred**2).sum(axis=0))
        found.append(centred.T @ centred / np.maximum(np.outer(size, size), np.finfo(float).tiny))
    change = np.abs(found[1] - found[0]).max(axis=0)
    kept = np.sort(np.argsort(-change, kind="stable")[:MOST_CORRELATED])
    return Correlations(
        [names[f] for f in kept], found[0][np.ix_(kept, kept)], found[1][np.ix_(kept, kept)]
    )
