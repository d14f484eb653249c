"""`lowdim.explore`: from a table to a page about its structure."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import scipy.sparse as sp

from lowdim.core.threads import single_threaded_blas
from lowdim.core.validation import check_at_least
from lowdim.report.explore.asking import check_asked, opened_table, with_wishes
from lowdim.report.explore.findings import Findings, find
from lowdim.report.explore.preparing import LEAST_ROWS, in_memory, n_rows, prepare
from lowdim.report.explore.script import FIRST_LINE, script
from lowdim.report.page.report import PageReport
from lowdim.selection.auto import sample_rows
from lowdim.tables.encoder import TableEncoder
from lowdim.tables.errors import TableError
from lowdim.tables.filling import decimals, filled_chunks
from lowdim.tables.model import TableModel
from lowdim.tables.table import Table, rows_at_a_time
from lowdim.tables.taking import take_rows
from lowdim.tables.writing import check_outputs, open_writer

SCRIPT = "explore.py"  # beside the saved models


@dataclass(frozen=True)
class Report(PageReport):
    """What was found in a table, as a page.

    Attributes
    ----------
    findings : Findings
        The models and their results as plain data: `findings.factors.model`,
        `findings.clusters.labels`, `findings.filled`, `findings.odd.rows`, ...
    script : str
        A Python script that gives the models again.
    """

    findings: Findings
    script: str
    seed: int

    frame_title = "lowdim explore"

    @property
    def models(self) -> dict[str, TableModel]:
        """The models by name: 'factors', 'clusters' and, where values are missing, 'filling'."""
        return self.findings.models

    def _make_html(self) -> str:
        from lowdim.report.explore.page import page

        return page(self.findings, self.script, self.seed)

    def save_filled(self, path: str | os.PathLike[str]) -> None:
        """Write the table with its missing values filled: .csv, .xlsx, .parquet and others.

        All columns are in their places, the names of rows that stand beside them first; what was
        there is written as it is, columns that no model has seen too. Filled numbers have as many
        decimals as their column.
        """
        encoded, target = self.findings.encoded, os.fspath(path)
        table = encoded.table
        check_outputs({"path": target}, [table.path])
        digits = decimals(encoded.encoder.encoding_)
        with open_writer(target, digits=digits, spelling=table.spelling) as writer:
            for chunk, index in zip(self._filled_chunks(), _row_names(table), strict=True):
                rows = chunk if index is None else _beside(index, chunk)
                writer.write(rows, table.names if isinstance(rows, np.ndarray) else None)

    def _filled_chunks(self) -> Iterator[Any]:
        table = self.findings.encoded.table
        if "filling" in self.models:
            filler = self.models["filling"].filler(rounded=True)
            return (chunk.table for chunk in filled_chunks(filler, table))
        return (c.toarray() if sp.issparse(c) else c for c in table.chunks())

    def save_models(self, folder: str | os.PathLike[str]) -> list[Path]:
        """Write the models, and the script that made them, to a folder; returns the files.

        `lowdim.load` reads a model; it takes a table such as this one.
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
        n, d = self.findings.encoded.X.shape
        rank, clusters = self.findings.spectrum.rank, self.findings.clusters.model.n_components
        groups = "1 cluster" if clusters == 1 else f"{clusters} clusters"
        return f"Report({n} rows, {d} columns of numbers, rank {rank}, {groups})"


@single_threaded_blas()
def explore(
    table: Any,
    target: str | None = None,
    *,
    encoder: TableEncoder | None = None,
    sample: int | None = None,
    random_state: int = 0,
    id: str | None = None,
    drop: Sequence[str] = (),
    log: str | bool | Sequence[str] | None = None,
) -> Report:
    """Find the structure of a table: dimensions, factors, clusters, missing values, odd rows.

    Parameters
    ----------
    table : path, data frame, dict of arrays, matrix or Table
        What `lowdim.tables.open_table` takes: a file, a pandas, polars or pyarrow table, an array.
        Missing values are welcome.
    target : str or None, default=None
        A column to colour rows by; no model sees it.
    encoder : TableEncoder or None, default=None
        What is to be done with columns: TableEncoder(categorical=["region"], ignore=["remark"]).
        None means TableEncoder(). It is not changed.
    sample : int or None, default=None
        Look at so many rows, drawn at random; None looks at all.
    random_state : int, default=0
        The same number gives the same page.
    id : str or None, default=None
        The column that names the rows; short for the encoder's argument.
    drop : sequence of str, default=()
        Columns to leave out, beside those that the encoder ignores.
    log : 'auto', False, list of str or None, default=None
        Columns that enter the models by their logarithm, in place of what the encoder says. The
        page shows the values themselves.

    Returns
    -------
    Report
        `save("report.html")` writes the page; a notebook shows it.

    Examples
    --------
    >>> import numpy as np, lowdim
    >>> random = np.random.default_rng(0)
    >>> X = random.normal(size=(100, 2)) @ random.normal(size=(2, 5))
    >>> X += 0.3 * random.normal(size=X.shape)
    >>> X[random.random(X.shape) < 0.1] = np.nan
    >>> report = lowdim.explore(X)
    >>> report.findings.spectrum.rank
    2
    """
    check_asked(drop, log, random_state)
    wished = with_wishes(encoder, id, drop, log)
    if find_spec("bokeh") is None:
        raise ImportError('The page needs bokeh: pip install "lowdim[report]".')
    opened = opened_table(table, wished.id)
    n, numbers = n_rows(opened), None
    if sample is not None and check_at_least("sample", sample, LEAST_ROWS) < n:
        numbers = sample_rows(n, sample, random_state)
        opened = take_rows(opened, numbers)
    held = in_memory(opened)
    encoded = prepare(held, wished, None if target is None else str(target), numbers)
    findings = find(encoded, n, random_state)
    return Report(findings, script(findings, sample, random_state), random_state)


def _row_names(table: Table) -> Iterator[Any]:
    """For each chunk the column that names its rows beside the others; None: there is none."""
    size = rows_at_a_time(len(table.names))
    if table.index_name is None:
        assert table.n_rows is not None
        return iter([None] * -(-table.n_rows // size))
    return table.chunks([table.index_name], size)


def _beside(left: Any, right: Any) -> Any:
    """Two frames of the same rows, next to each other."""
    frames = [nw.from_native(frame, eager_only=True) for frame in (left, right)]
    return nw.concat(frames, how="horizontal").to_native()
