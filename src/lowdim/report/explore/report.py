"""`lowdim.explore`: from a table to a page about its structure."""

from __future__ import annotations

import csv
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from importlib.util import find_spec
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np

from lowdim.core.validation import check_at_least
from lowdim.report.explore.code import code
from lowdim.report.explore.columns import LEAST_ROWS, encode_table
from lowdim.report.explore.filling import filled_words
from lowdim.report.explore.findings import Findings, find, sample_rows
from lowdim.report.explore.reading import RawTable, read_table
from lowdim.tables import CsvFormat

FRAME_HEIGHT = 800  # pixels of the page in a notebook


@dataclass(frozen=True)
class Report:
    """What was found in a table, as a page.

    Attributes
    ----------
    findings : Findings
        The models and their results as plain data: `findings.factors.model`,
        `findings.clusters.labels`, `findings.filled`, `findings.odd.rows`, ...
    code : str
        Python code that gives the models again.
    """

    findings: Findings
    code: str
    seed: int
    table: RawTable

    @cached_property
    def html(self) -> str:
        """The page: one HTML file that needs no network."""
        from lowdim.report.explore.page import page

        return page(self.findings, self.code, self.seed)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file."""
        Path(path).write_text(self.html, encoding="utf-8")

    def save_filled(self, path: str | os.PathLike[str]) -> None:
        """Write the table with its missing values filled: .csv, or with tabs as .tsv.

        Columns that no model has seen are written as they are.
        """
        kind = Path(path).suffix.lower()
        if kind not in (".csv", ".tsv"):
            raise ValueError(f"{path} ends in {kind!r}; filled tables are written to .csv or .tsv.")
        columns = [_words(column) for column in self.table.columns]
        for part in self.findings.filled:
            words = columns[self.table.names.index(part.column.name)]
            for row, word in zip(part.rows.tolist(), filled_words(part), strict=True):
                words[row] = word
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, delimiter="\t" if kind == ".tsv" else ",")
            writer.writerow(self.table.names)
            writer.writerows(zip(*columns, strict=True))

    def save_models(self, folder: str | os.PathLike[str]) -> list[Path]:
        """Write the models, and the code that made them, to a folder; returns the files."""
        target = Path(folder)
        target.mkdir(parents=True, exist_ok=True)
        models: dict[str, Any] = {
            "factors.lowdim": self.findings.factors.model,
            "clusters.lowdim": self.findings.clusters.model,
        }
        filler = self.findings.filler
        if filler is not None and hasattr(filler.model, "save"):  # column means need no file
            models["filling.lowdim"] = filler.model
        for name, model in models.items():
            model.save(target / name)
        (target / "explore.py").write_text(self.code, encoding="utf-8")
        return [*(target / name for name in models), target / "explore.py"]

    def _repr_html_(self) -> str:
        return (
            f'<iframe srcdoc="{escape(self.html)}" sandbox="allow-scripts allow-downloads" '
            f'style="width: 100%; height: {FRAME_HEIGHT}px; border: 0" '
            'title="lowdim explore"></iframe>'
        )

    def __repr__(self) -> str:
        n, d = self.findings.encoded.X.shape
        rank, clusters = self.findings.spectrum.rank, self.findings.clusters.model.n_components
        groups = "1 cluster" if clusters == 1 else f"{clusters} clusters"
        return f"Report({n} rows, {d} columns of numbers, rank {rank}, {groups})"


def explore(
    table: Any,
    target: str | None = None,
    id: str | None = None,
    drop: Sequence[str] = (),
    sample: int | None = None,
    random_state: int = 0,
    *,
    log: str | bool | Sequence[str] = "auto",
    csv_format: CsvFormat | None = None,
) -> Report:
    """Find the structure of a table: dimensions, factors, clusters, holes, odd rows.

    Parameters
    ----------
    table : path, data frame or matrix
        A .csv, .tsv, .parquet, .npy or .npz file; a pandas, polars or pyarrow table; an array.
        Missing values are welcome.
    target : str or None, default=None
        A column to colour rows by; no model sees it.
    id : str or None, default=None
        The column that names the rows; None looks for one.
    drop : sequence of str, default=()
        Columns to leave out.
    sample : int or None, default=None
        Look at so many rows, drawn at random; None looks at all.
    random_state : int, default=0
        The same number gives the same page.
    log : 'auto', False or list of str, default='auto'
        Columns that enter the models by their logarithm: 'auto' takes it of positive columns that
        are skewed, False of none. The page shows the values themselves.
    csv_format : lowdim.tables.CsvFormat or None, default=None
        How a text file is written.

    Returns
    -------
    Report
        `save("report.html")` writes the page; a notebook shows it.

    Examples
    --------
    >>> import numpy as np, lowdim
    >>> random = np.random.default_rng(0)
    >>> X = random.normal(size=(200, 2)) @ random.normal(size=(2, 6))
    >>> X += 0.3 * random.normal(size=X.shape)
    >>> X[random.random(X.shape) < 0.1] = np.nan
    >>> report = lowdim.explore(X)
    >>> report.findings.spectrum.rank
    2
    """
    _check(drop, log, random_state)
    if find_spec("bokeh") is None:
        raise ImportError('The page needs bokeh: pip install "lowdim[report]".')
    read = read_table(table, csv_format, as_text=[] if id is None else [id])
    n = read.n_rows
    if sample is not None:
        check_at_least("sample", sample, LEAST_ROWS)
        read = read.take(sample_rows(n, sample, random_state))
    encoded = encode_table(read, target, id, drop, log)
    findings = find(encoded, read.where, n, random_state)
    usual: dict[str, Any] = {"target": None, "id": None, "drop": [], "log": "auto"}
    given = {"target": target, "id": id, "drop": list(drop), "log": log}
    options = {name: value for name, value in given.items() if value != usual[name]}
    source = _expression(read.where, csv_format, id)
    text = code(findings, source, sample, random_state, **options)
    return Report(findings, text, random_state, read)


def _check(drop: Sequence[str], log: Any, random_state: Any) -> None:
    if isinstance(drop, str):
        raise TypeError(f"drop={drop!r} is a text; give a list of column names: [{drop!r}].")
    if (isinstance(log, str) and log != "auto") or log is True:
        raise TypeError(f"log={log!r} must be 'auto', False or a list of column names.")
    if not isinstance(random_state, Integral) or random_state < 0:
        raise ValueError(
            f"random_state={random_state!r} must be a whole number, at least 0: the page says how "
            "to make it again."
        )


def _expression(where: str, csv_format: CsvFormat | None, id: str | None) -> str:
    """What stands between the brackets of `read_table`."""
    if not where:
        return "table"
    text = repr(where)
    if csv_format is not None and csv_format != CsvFormat():
        text += f", lowdim.tables.{csv_format!r}"
    return text if id is None else f"{text}, as_text=[{id!r}]"


def _words(column: Any) -> list[str]:
    """A column as it is written, '' where it is missing."""
    if column.codes is not None:
        values = [*column.values, ""]
        return [values[code] for code in column.codes.tolist()]
    if column.form == "date":
        return [_date(x) for x in column.numbers.tolist()]
    return [_number(x, column.integer) for x in column.numbers.tolist()]


def _number(x: float, integer: bool) -> str:
    if np.isnan(x):
        return ""
    return str(int(x)) if integer else repr(x)


def _date(days: float) -> str:
    if np.isnan(days):
        return ""
    moment = np.datetime64("1970-01-01", "s") + np.timedelta64(round(days * 86_400), "s")
    text = str(moment)
    return text.removesuffix("T00:00:00")
