"""A table as numbers, chunk by chunk, by what was decided about its columns.

An `Encoding` is plain data: it is saved with the model and sent to Dask workers.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from lowdim.core.blocks import ArrayBlocks, Blocks
from lowdim.core.calling import level_of_caller
from lowdim.core.opening import as_blocks
from lowdim.core.stream import Source, StreamBlocks
from lowdim.core.threads import fetched_ahead, ordered_map
from lowdim.tables.codecs import CategoryCodec, FlagCodec, NumberCodec, level_places
from lowdim.tables.errors import TableError, TableWarning, listed, quoted
from lowdim.tables.formats.base import steady_chunks
from lowdim.tables.frames.opening import DaskTable
from lowdim.tables.frames.series import columns_of
from lowdim.tables.frames.values import Values
from lowdim.tables.kinds import ColumnInfo
from lowdim.tables.table import Table


class Encoding(NamedTuple):
    """What the columns of a table become."""

    columns: tuple[ColumnInfo, ...]
    named: bool  # whether columns are found by name, or by their place in a matrix
    marks: tuple[str, ...] = ()  # further marks of missing values
    float32: bool = False
    missing: str = "nan"  # 'nan', 'mean', 'error'
    unknown: str = "warn"  # 'warn', 'error'
    sparse: bool = False

    @property
    def used(self) -> list[ColumnInfo]:
        return [column for column in self.columns if column.used]

    @property
    def codecs(self) -> list[Any]:
        """Of the used columns."""
        return [column.codec for column in self.used]

    @property
    def spans(self) -> list[slice]:
        """Where each used column is in the matrix."""
        ends = np.cumsum([codec.width for codec in self.codecs]).tolist()
        return [slice(a, b) for a, b in zip([0, *ends[:-1]], ends, strict=True)]

    @property
    def places(self) -> list[int]:
        """The numbers of the used columns in the table of the fit."""
        return [f for f, column in enumerate(self.columns) if column.used]

    @property
    def width(self) -> int:
        return sum(codec.width for codec in self.codecs)

    @property
    def dtype(self) -> np.dtype:
        return np.dtype(np.float32 if self.float32 else np.float64)

    @property
    def keeps_zeros(self) -> bool:
        """Whether zeros of a matrix stay zeros, so that a sparse one can stay sparse."""
        codecs = [column.codec for column in self.used]
        return all(_keeps_zero(c) for c in codecs)

    def feature_names(self, names: Sequence[str] | None = None) -> list[str]:
        """Names of the matrix's columns; `names` stand for those of a table without names."""
        own = [c.name for c in self.columns] if names is None else names
        return [
            feature
            for name, column in zip(own, self.columns, strict=True)
            if column.codec is not None
            for feature in column.codec.feature_names(name)
        ]


class Aligned(NamedTuple):
    """Which columns of a table are the used ones of an encoding."""

    columns: list[str | None]  # by used column; None: the table does not have it
    wanted: list[str]  # to be read


def aligned(encoding: Encoding, table: Table) -> Aligned:
    """Find the used columns in a table; raises or warns where it has others."""
    if not encoding.used:
        raise TableError("The parts of the table seen so far have no column to work on.")
    if encoding.named and table.named:
        there = set(table.names)
        lacking = [column.name for column in encoding.used if column.name not in there]
        if len(lacking) == len(encoding.used):
            raise TableError(
                f"{table.where} has none of the columns that the model was fitted with "
                f"({listed([quoted(name) for name in lacking], 4)}).",
                "Give a table with these columns; their order does not matter.",
            )
        if lacking:
            _warn(
                f"{table.where} lacks {listed([quoted(name) for name in lacking])}; "
                f"{'it counts' if len(lacking) == 1 else 'they count'} as missing."
            )
        found = [column.name if column.name in there else None for column in encoding.used]
    else:
        _check_number_of_columns(encoding, table)
        found = [table.names[f] for f in encoding.places]
    return Aligned(found, [name for name in found if name is not None])


def _check_number_of_columns(encoding: Encoding, table: Table) -> None:
    expected, given = len(encoding.columns), len(table.names)
    if given != expected:
        # scikit-learn's words, which its checks look for
        raise TableError(
            f"X has {given} features, but TableEncoder is expecting {expected} features as input."
        )
    if encoding.named:
        warnings.warn(
            "X does not have valid feature names, but TableEncoder was fitted with feature names; "
            "its columns are taken in order.",
            UserWarning,
            stacklevel=level_of_caller(),
        )


def encoded_chunk(
    chunk: Any, encoding: Encoding, found: Sequence[str | None]
) -> tuple[Any, dict[str, Counter]]:
    """The numbers of a chunk that holds the columns found, and levels that are not known."""
    unknown: dict[str, Counter] = {}
    if isinstance(chunk, np.ndarray) or sp.issparse(chunk):
        return _checked(_of_matrix(chunk, encoding), encoding), unknown
    values = iter(columns_of(chunk))
    X = np.empty((chunk_rows(chunk), encoding.width), dtype=encoding.dtype)
    for info, span, name in zip(encoding.used, encoding.spans, found, strict=True):
        if name is None:
            X[:, span] = np.nan
            continue
        column = without_marks(next(values), encoding.marks)
        assert info.codec is not None
        X[:, span] = info.codec.encode(info.name, column)
        if info.kind == "category":
            others = unknown_levels(info.codec, column)
            if others:
                unknown[info.name] = others
    return _checked(X, encoding), unknown


def chunk_rows(chunk: Any) -> int:
    return int(chunk.shape[0])


def without_marks(values: Values, marks: Sequence[str]) -> Values:
    """The values with marks of the user's own as missing."""
    if values.places is None or not marks or not set(marks) & set(values.levels):
        return values
    kept = [-1 if level in marks else j for j, level in enumerate(values.levels)]
    return replace(values, places=np.array([*kept, -1], dtype=np.int32)[values.places])


def unknown_levels(codec: Any, values: Values) -> Counter:
    """How often each level occurs that the codec does not know."""
    if values.places is not None and set(values.levels) <= set(codec.levels):
        return Counter()
    odd = level_places(values, codec.levels, codec.numbers) == -2
    if not odd.any():
        return Counter()
    if values.places is not None:
        return Counter(values.levels[j] for j in values.places[odd].tolist())
    assert values.numbers is not None
    return Counter(f"{x:g}" for x in values.numbers[odd].tolist())


def _of_matrix(X: Any, encoding: Encoding) -> Any:
    """A matrix of the used columns, encoded at once where all are plain numbers."""
    codecs = encoding.codecs
    if sp.issparse(X) and not encoding.keeps_zeros:
        X = X.toarray()
    if sp.issparse(X):
        scale = np.array([c.scale * c.unit for c in codecs])
        return sp.csr_array((X.data / scale[X.indices], X.indices, X.indptr), X.shape, X.dtype)
    if not all(_is_linear(c) for c in codecs):
        parts = [
            c.encode(i.name, Values("number", X[:, f]))
            for f, (c, i) in enumerate(zip(codecs, encoding.used, strict=True))
        ]
        return np.hstack(parts).astype(encoding.dtype, copy=False)
    center = np.array([c.center for c in codecs])
    scale = np.array([c.scale for c in codecs])
    unit = np.array([getattr(c, "unit", 1.0) for c in codecs])
    Y = np.where(np.isinf(X), np.nan, X) / unit
    for f, codec in enumerate(codecs):
        if isinstance(codec, NumberCodec) and codec.zero is not None:
            Y[:, f] = np.log(np.maximum(Y[:, f], codec.zero))
    Y -= center
    Y /= scale
    return Y.astype(encoding.dtype, copy=False)


def _is_linear(codec: Any) -> bool:
    """Whether numbers are what they are, or their logarithms, centered and scaled."""
    if isinstance(codec, NumberCodec):
        return codec.scores is None
    return isinstance(codec, FlagCodec)


def _keeps_zero(codec: Any) -> bool:
    if not isinstance(codec, NumberCodec):
        return False
    return codec.center == 0 and codec.zero is None and codec.scores is None


def _checked(X: Any, encoding: Encoding) -> Any:
    if encoding.missing == "nan" or sp.issparse(X):
        return X
    absent = np.isnan(X)
    if encoding.missing == "error" and absent.any():
        name = encoding.feature_names()[int(np.argmax(absent.any(axis=0)))]
        raise TableError(
            f"{quoted(name)} has missing values.",
            "Leave them to the method: {missing}='nan', or fill them first.",
        )
    return _with_means(X, encoding, absent)


def _with_means(X: np.ndarray, encoding: Encoding, absent: np.ndarray) -> np.ndarray:
    """Means in place of missing values: about 0 where columns are centered."""
    means = np.concatenate([_mean(column.codec) for column in encoding.used])
    return np.where(absent, means, X).astype(X.dtype, copy=False)


def _mean(codec: Any) -> np.ndarray:
    if isinstance(codec, CategoryCodec):
        return (codec.shares[codec.kept] - codec.center) / codec.scale
    if isinstance(codec, FlagCodec):
        return np.array([(codec.share - codec.center) / codec.scale])
    means = np.zeros(codec.width)  # of season and hour the middle of the circle
    means[0] = codec.mean
    return means


# ---- whole tables -------------------------------------------------------------------------------


def encoded_matrix(encoding: Encoding, table: Table, n_rows: int | None = None) -> Any:
    """The whole table as a matrix in memory."""
    if isinstance(table, DaskTable):
        return lazily_encoded(encoding, table)
    found = aligned(encoding, table)
    unknown: dict[str, Counter] = {}
    parts = []
    X: np.ndarray | None = None
    start = 0
    n_rows = table.n_rows if n_rows is None else n_rows
    for part, others in _encoded_chunks(encoding, table, found):
        _count(unknown, others)
        if n_rows is None or sp.issparse(part):
            parts.append(part)
            continue
        if X is None:
            X = np.empty((n_rows, part.shape[1]), dtype=part.dtype)
        X[start : start + len(part)] = part
        start += len(part)
    report_unknown(encoding, unknown)
    if X is not None:
        return X
    if not parts:
        raise TableError(f"{table.where} has no rows.")
    return sp.vstack(parts, format="csr") if sp.issparse(parts[0]) else np.concatenate(parts)


def _encoded_chunks(
    encoding: Encoding, table: Table, found: Aligned, size: int | None = None
) -> Generator[tuple[Any, dict[str, Counter]], None, None]:
    def work(chunk: Any) -> tuple[Any, dict[str, Counter]]:
        return encoded_chunk(chunk, encoding, found.columns)

    chunks = steady_chunks(table, found.wanted, size)
    yield from ordered_map(work, fetched_ahead(chunks) if table.streamed else chunks)


def _count(unknown: dict[str, Counter], others: Mapping[str, Counter]) -> None:
    for name, counts in others.items():
        unknown.setdefault(name, Counter()).update(counts)


def report_unknown(encoding: Encoding, unknown: Mapping[str, Counter]) -> None:
    """Say which levels were not known, or refuse them."""
    for name, counts in unknown.items():
        total, levels = sum(counts.values()), [quoted(level) for level in sorted(counts)]
        rows = "1 row" if total == 1 else f"{total:,} rows"
        what = f"{quoted(name)} has {listed(levels, 3)} in {rows}"
        if encoding.unknown == "error":
            raise TableError(
                f"{what}, which the model has never seen.",
                "unknown='warn' counts them as none of the known levels.",
            )
        _warn(f"{what}, which the model has never seen: none of its known levels.")


def _warn(message: str) -> None:
    warnings.warn(TableWarning(message), stacklevel=level_of_caller())


def encoded_rows(encoding: Encoding, table: Table, n_rows: int | None = None) -> Blocks:
    """The table as rows that every method of lowdim takes."""
    names = encoding.feature_names() if encoding.named else None
    if isinstance(table, DaskTable):
        rows = as_blocks(lazily_encoded(encoding, table))
    elif table.streamed:
        rows = StreamBlocks([EncodedTable(encoding, table, n_rows)], chunk_rows=None)
    else:
        rows = ArrayBlocks(encoded_matrix(encoding, table, n_rows))
    rows.feature_names = names
    return rows


class EncodedTable(Source):
    """A table that is read in parts, encoded as it is read."""

    def __init__(self, encoding: Encoding, table: Table, n_rows: int | None):
        self.where, self._table, self._encoding = table.where, table, encoding
        self._found = aligned(encoding, table)
        self.n_rows = table.n_rows if n_rows is None else n_rows
        self.n_columns, self.dtype = encoding.width, encoding.dtype
        self.is_sparse = table.is_sparse and encoding.keeps_zeros
        self.names = encoding.feature_names() if encoding.named else None
        self._said = False

    def chunks(self, size: int) -> Generator[Any, None, None]:
        unknown: dict[str, Counter] = {}
        for part, others in _encoded_chunks(self._encoding, self._table, self._found, size):
            if not self._said:
                _count(unknown, others)
            yield part
        if not self._said:  # in the first pass; the others see the same
            self._said = True
            report_unknown(self._encoding, unknown)


def lazily_encoded(encoding: Encoding, table: DaskTable) -> Any:
    """A lazy Dask array of the encoded partitions."""
    import dask
    import dask.array as da

    found = aligned(encoding, table)
    part = dask.delayed(_encoded_partition)
    meta = np.empty((0, encoding.width), dtype=encoding.dtype)
    blocks = [
        da.from_delayed(
            part(partition, encoding, found.columns, found.wanted),
            (np.nan, encoding.width),
            meta=meta,
        )
        for partition in table.partitions
    ]
    return da.concatenate(blocks, allow_unknown_chunksizes=True)


def _encoded_partition(
    partition: Any, encoding: Encoding, found: Sequence[str | None], wanted: Sequence[str]
) -> Any:
    """On a worker: the numbers of one partition."""
    if isinstance(partition, np.ndarray) or sp.issparse(partition):
        partition = partition[:, encoding.places]
    else:
        partition = partition[list(wanted)]
    if partition.shape[0] == 0:
        return np.empty((0, encoding.width), dtype=encoding.dtype)
    X, unknown = encoded_chunk(partition, encoding, found)
    report_unknown(encoding, unknown)
    return X
