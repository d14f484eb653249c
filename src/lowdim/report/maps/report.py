"""`lowdim.map_table`: from a table to a page of maps."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from lowdim.core.threads import single_threaded_blas
from lowdim.report.explore.asking import check_asked, opened_table, with_wishes
from lowdim.report.explore.preparing import in_memory, prepare
from lowdim.report.maps.findings import Findings, find
from lowdim.report.maps.kinds import USUAL, coordinate_names, settings_of
from lowdim.report.maps.script import FIRST_LINE, script
from lowdim.report.page.parts import listed
from lowdim.report.page.report import PageReport
from lowdim.tables.encoder import TableEncoder
from lowdim.tables.errors import TableError, quoted
from lowdim.tables.frames.dtypes import build_frame
from lowdim.tables.model import TableModel
from lowdim.tables.writing import check_outputs, write_table

SCRIPT = "map.py"  # beside the saved models
SAMPLE = 20_000
MOST_FEATURES = 1_000_000  # all columns: a map of pictures has one for each pixel
MATRICES = (".npy", ".npz")  # files without room for row names


@dataclass(frozen=True)
class MapReport(PageReport):
    """Maps of a table, as a page.

    Attributes
    ----------
    findings : Findings
        The maps and what they keep as plain data: `findings.maps[0].Y`, `.kept`, ...
    script : str
        A Python script that makes the maps again.
    """

    findings: Findings
    script: str

    frame_title = "lowdim map"

    @property
    def models(self) -> dict[str, TableModel]:
        """The models by the names of their maps: 'pca', 'tsne', ..."""
        return self.findings.models

    @property
    def coordinates(self) -> dict[str, np.ndarray]:
        """The place of every row in each map: 'pca1', 'pca2', 'tsne1', ...; NaN: none."""
        maps = self.findings.maps
        names = coordinate_names([one.kind.name for one in maps])
        columns = [one.Y[:, j] for one in maps for j in (0, 1)]
        return dict(zip(names, columns, strict=True))

    def _make_html(self) -> str:
        from lowdim.report.maps.page import page

        return page(self.findings, self.script)

    def save_coordinates(self, path: str | os.PathLike[str]) -> None:
        """Write the place of every row in each map: .csv, .parquet, .npy and others.

        Columns are pca1, pca2, tsne1, ...; the names of rows stand first, where they have some.
        """
        target, table, columns = os.fspath(path), self.findings.encoded.table, self.coordinates
        check_outputs({"path": target}, [table.path])
        if target.lower().endswith(MATRICES):
            write_table(np.column_stack(list(columns.values())), target, names=list(columns))
            return
        names = self.findings.encoded.names
        if names is None:
            write_table(build_frame("pyarrow", columns), target)
            return
        if names.name in columns:
            raise TableError(
                f"The column {quoted(names.name)}, which names the rows, has the name of a column "
                "of coordinates.",
                "Rename it, or name another one: {id}.",
            )
        shown = np.array([names.show(i) for i in range(self.findings.n_rows)], dtype=object)
        write_table(build_frame("pyarrow", {names.name: shown, **columns}), target)

    def save_models(self, folder: str | os.PathLike[str]) -> list[Path]:
        """Write the models, and the script that made them, to a folder; returns the files.

        `lowdim.load` reads a model, and `lowdim apply` gives the places of further rows.
        """
        target = Path(folder)
        target.mkdir(parents=True, exist_ok=True)
        own = target / SCRIPT
        if own.exists() and not own.read_text(encoding="utf-8").startswith(FIRST_LINE):
            raise TableError(
                f"{own} is there already, and is not a script of a page.",
                "Choose another folder, or move it away.",
            )
        for name, model in self.models.items():
            model.save(target / f"{name}.lowdim")
        own.write_text(self.script, encoding="utf-8")
        return [*(target / f"{name}.lowdim" for name in self.models), own]

    def __repr__(self) -> str:
        found = self.findings
        titles = listed([one.kind.title for one in found.maps], 8)
        best = max(found.maps, key=lambda one: one.kept.share)
        return (
            f"MapReport({found.n_rows} rows; {titles}; {best.kind.title} keeps "
            f"{best.kept.share:.0%} of neighbours)"
        )


@single_threaded_blas()
def map_table(
    table: Any,
    target: str | None = None,
    *,
    maps: str | Sequence[str] = USUAL,
    perplexity: float | None = None,
    n_neighbors: int | None = None,
    sample: int = SAMPLE,
    encoder: TableEncoder | None = None,
    random_state: int = 0,
    id: str | None = None,
    drop: Sequence[str] = (),
    log: str | bool | Sequence[str] | None = None,
) -> MapReport:
    """Make maps of a table's rows, side by side and linked, and say what may be read from each.

    Cost: that of the maps, each fitted to at most `sample` rows (MDS 4,000, Sammon 2,000, SNE
    10,000), and a pass over the other rows, which are placed. The page draws 100,000 rows as
    points, and more as a picture of density.

    Parameters
    ----------
    table : path, data frame, dict of arrays, matrix or Table
        What `lowdim.tables.open_table` takes: a file, a pandas, polars or pyarrow table, an array.
        Missing values are welcome.
    target : str or None, default=None
        A column to colour rows by; no map sees it.
    maps : sequence of str, default=('pca', 'mds', 'tsne', 'umap')
        Which maps: also 'sammon', 'classical-mds' and 'sne'.
    perplexity : float or None, default=None
        How many rows a row looks at in t-SNE and SNE; None means 30, less for few rows.
    n_neighbors : int or None, default=None
        How many rows a row looks at in UMAP; None means 15, less for few rows.
    sample : int, default=20000
        Rows that a map is fitted to, at most; the others are placed by `transform`.
    encoder : TableEncoder or None, default=None
        What is to be done with columns: TableEncoder(categorical=["region"], ignore=["remark"]).
        None means TableEncoder(). It is not changed.
    random_state : int, default=0
        The same number gives the same page.
    id : str or None, default=None
        The column that names the rows; short for the encoder's argument.
    drop : sequence of str, default=()
        Columns to leave out, beside those that the encoder ignores.
    log : 'auto', False, list of str or None, default=None
        Columns that enter by their logarithm, in place of what the encoder says.

    Returns
    -------
    MapReport
        `save("map.html")` writes the page; a notebook shows it; `coordinates` are the places.

    Examples
    --------
    >>> import numpy as np, lowdim
    >>> X = np.random.default_rng(0).normal(size=(40, 4)) + np.repeat([[0.0], [9.0]], 20, axis=0)
    >>> report = lowdim.map_table(X, maps=["pca", "mds"])
    >>> list(report.coordinates)
    ['pca1', 'pca2', 'mds1', 'mds2']
    """
    check_asked(drop, log, random_state)
    settings = settings_of(maps, perplexity, n_neighbors, sample, int(random_state))
    wished = with_wishes(encoder, id, drop, log)
    if find_spec("bokeh") is None:
        raise ImportError('The page needs bokeh: pip install "lowdim[report]".')
    held = in_memory(opened_table(table, wished.id))
    encoded = prepare(
        held, wished, None if target is None else str(target), most_features=MOST_FEATURES
    )
    findings = find(encoded, settings)
    return MapReport(findings, script(findings))
