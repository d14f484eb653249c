"""The kinds of maps that a page can have: the class of each, and what it can be fitted to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import lowdim
from lowdim.core.validation import check_at_least, check_choice, check_number

PERPLEXITY, NEIGHBORS = 30.0, 15  # where nothing is asked


@dataclass(frozen=True)
class Kind:
    """A kind of map.

    Attributes
    ----------
    name : str
        What columns of coordinates begin with: 'tsne' for tsne1, tsne2.
    title : str
    estimator : str
        Name of the public class.
    most_rows : int or None
        Rows that it is fitted to, whatever is asked; None: any number.
    keeps : {'axes', 'distances', 'small distances', 'neighbours'}
        What it is made to keep.
    """

    name: str
    title: str
    estimator: str
    most_rows: int | None
    keeps: str


KINDS = {
    kind.name: kind
    for kind in (
        Kind("pca", "PCA", "PCA", None, "axes"),
        Kind("classical-mds", "classical MDS", "ClassicalMDS", 20_000, "distances"),
        Kind("mds", "MDS", "MDS", 4_000, "distances"),
        Kind("sammon", "Sammon", "Sammon", 2_000, "small distances"),
        Kind("sne", "SNE", "SNE", 10_000, "neighbours"),
        Kind("tsne", "t-SNE", "TSNE", None, "neighbours"),
        Kind("umap", "UMAP", "UMAP", None, "neighbours"),
    )
}
USUAL = ("pca", "mds", "tsne", "umap")


@dataclass(frozen=True)
class Settings:
    """What is asked of the maps.

    Attributes
    ----------
    maps : tuple of str
        Names of `KINDS`.
    perplexity : float or None
        Of SNE and t-SNE; None: 30, less for few rows.
    n_neighbors : int or None
        Of UMAP; None: 15, less for few rows.
    sample : int
        Most rows that a map is fitted to.
    seed : int
    """

    maps: tuple[str, ...]
    perplexity: float | None
    n_neighbors: int | None
    sample: int
    seed: int

    def most_rows(self, kind: Kind) -> int | None:
        """Rows that a map of this kind is fitted to; None: all there are."""
        if kind.name == "pca":
            return None  # costs next to nothing
        return self.sample if kind.most_rows is None else min(self.sample, kind.most_rows)


def settings_of(maps: Any, perplexity: Any, n_neighbors: Any, sample: Any, seed: int) -> Settings:
    """The arguments of `map_table`, checked."""
    wanted = [maps] if isinstance(maps, str) else list(maps)
    if isinstance(maps, str) and "," in maps:
        wanted = [part.strip() for part in maps.split(",")]
    if not wanted:
        raise ValueError(f"maps={maps!r} names no map; choose among {', '.join(KINDS)}.")
    for name in wanted:
        check_choice("maps", name, KINDS)
    if perplexity is not None:
        check_number("perplexity", perplexity, 0, open_low=True)
    if n_neighbors is not None:
        check_at_least("n_neighbors", n_neighbors, 2)
    check_at_least("sample", sample, 5)
    names = tuple(dict.fromkeys(wanted))
    return Settings(names, perplexity, n_neighbors, int(sample), seed)


def estimator_of(kind: Kind, settings: Settings, n: int, **changed: Any) -> Any:
    """A map of this kind for n rows, not fitted.

    What was asked for is taken as it is, so that the class can refuse it; what was not fits n rows.
    """
    model = getattr(lowdim, kind.estimator)(n_components=2)
    asked = {
        "perplexity": _given(settings.perplexity, max(min(PERPLEXITY, (n - 1) / 3), 1.0)),
        "n_neighbors": _given(settings.n_neighbors, min(NEIGHBORS, n - 1)),
        "random_state": settings.seed,
        **changed,
    }
    known = model.get_params()
    return model.set_params(**{name: value for name, value in asked.items() if name in known})


def _given(asked: Any, otherwise: Any) -> Any:
    return otherwise if asked is None else asked


def coordinate_names(names: Sequence[str]) -> list[str]:
    """Names of the columns of coordinates: pca1, pca2, tsne1, ..."""
    return [f"{name}{j}" for name in names for j in (1, 2)]
