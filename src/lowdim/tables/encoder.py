"""`TableEncoder`: a table of any kinds of columns as a matrix, and the table again from a matrix.

    fit         one look at the table (survey.py), then a kind and a codec for each column
    transform   chunk by chunk, each column by its codec (codecs.py)

What the sums of a survey are does not depend on the cut: in memory, chunk by chunk and on Dask the
encoder is the same, up to rounding.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_array, check_is_fitted

from lowdim.core.blocks import Blocks
from lowdim.core.calling import level_of_caller
from lowdim.core.constraints import AT_LEAST_1, StrOptions
from lowdim.core.estimator import SavedModel
from lowdim.core.progress import watch
from lowdim.core.shapes import Anything, Maybe
from lowdim.core.threads import fetched_ahead, ordered_map
from lowdim.tables import survey as surveys
from lowdim.tables.applicable import find_rules
from lowdim.tables.decoding import Origin, decoded_frame, decoded_ranges
from lowdim.tables.encoding import Encoding, encoded_matrix, encoded_rows
from lowdim.tables.errors import TableError, TableWarning, listed, plain, quoted
from lowdim.tables.formats.base import RereadNeeded
from lowdim.tables.frames.dtypes import backend_of, dtypes_of
from lowdim.tables.frames.opening import DaskTable
from lowdim.tables.info import ColumnTable
from lowdim.tables.kinds import ColumnInfo, Wish, decide, not_read
from lowdim.tables.numbers import NUMBER_SHAPES
from lowdim.tables.opening import open_table
from lowdim.tables.survey import Settings, Survey
from lowdim.tables.table import Table
from lowdim.tables.wishes import wish_of

FIRST_ROWS = 4 * surveys.MANY_WORDS  # of a file, which are looked at before the others


class TableEncoder(TransformerMixin, SavedModel, BaseEstimator):
    """A table with columns of any kind as a matrix of numbers, and back.

    What a column is follows from its values: numbers (whole, positive, shares), flags, categories,
    dates, names of rows, sentences, constants, copies of other columns. Numbers are centered and
    scaled, logarithms stand for heavy positive tails, categories become one column per level, and
    missing values are NaN, which the methods of lowdim take. `inverse_transform` gives a table like
    the one that came in.

    Cost: one pass over the table in `fit`, one in `transform`; memory of one chunk, and of the
    different texts of each column.

    Parameters
    ----------
    categorical : list of str, default=()
        Columns that are categories whatever their values, such as 1, 2, 3 for regions. Here and
        below, names may be patterns such as 'gene*'.
    numeric : list of str, default=()
        Columns that are numbers, though they look like identifiers.
    ordered : dict or None, default=None
        Columns with levels in an order, from first to last:
        {'size': ['small', 'medium', 'large']}; they become one column.
    ignore : list of str, default=()
        Columns to leave out.
    id : str or None, default=None
        The column that names the rows; None looks for one.
    columns : list of str or None, default=None
        Use only these columns.
    log : 'auto', False or list of str, default='auto'
        Columns for which their logarithm stands; 'auto' takes it of columns without negative
        values whose skewness is above 2 and at least halved by it (never with scale=False).
    dates : {'auto', 'days'} or False, default='auto'
        'auto' gives days since the first date, and season and hour where they vary; 'days' the
        days alone; False leaves dates out.
    max_levels : int, default=50
        Text with more different values is no category but names or remarks, and is left out.
    scale : bool, default=True
        Numbers minus their mean over their standard deviation, levels minus their share p over the
        root of p: every column counts about the same. False keeps the units, for columns that
        have one in common, such as pixels or spectra; levels are then 0 or 1.
    center : bool, default=True
        Whether scaled columns are measured from their mean. False scales them about zero, for
        models of non-negative numbers; a sparse matrix always keeps its zeros.
    drop_level : bool, default=False
        Leave out the column of the most frequent level of each category, which follows from the
        others; for models of full covariances. Its share is what the others leave.
    level_columns : bool, default=True
        False: a category becomes one column, the number of its level (0, 1, ... in alphabetical
        order), and flags 0 or 1; for models that know categories, such as VAE with
        likelihood="categorical" for these columns.
    scores : {'normal'} or None, default=None
        'normal': numbers and dates become the normal quantiles of their places among all rows, so
        that each column looks like a Gaussian whatever its shape; the way back goes along the same
        broken line, and on straight at its ends. For models that draw rows, such as Diffusion.
        Units of columns do not matter then; zeros do not stay zeros.
    missing : {'nan', 'mean', 'error'}, default='nan'
        What a missing value becomes: NaN, the mean of its column, or an error.
    missing_marks : list of str, default=()
        Texts that mean "no value", beside empty text, NA, N/A, ?, - and the like.
    unknown : {'warn', 'error'}, default='warn'
        Levels in `transform` that `fit` has not seen: none of the known levels, and a warning; or
        an error.
    fill_not_applicable : bool, default=False
        Whether `inverse_transform` gives values to cells that do not apply; see Notes.

    Attributes
    ----------
    columns_ : ColumnTable
        What was decided about each column and why; prints as a table.
    id_ : str or None
        The column that names the rows.
    encoding_ : Encoding
        The same decisions as plain data: `used` columns with their codecs, `spans` in the matrix.
    origin_ : Origin
        What the table was: its library, and the labels and types of its columns.
    n_rows_seen_ : int
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,), if the table has names

    See Also
    --------
    TableModel : encoder and model as one, with one file.

    Notes
    -----
    A column does not apply where another one has certain values: the category of a storm is empty
    where its status is not 'hurricane'. Such columns are found (in all but 0.5 % of the rows the
    rule must hold) and said in `columns_`; `inverse_transform` and all that fills leaves these
    cells empty, unless fill_not_applicable.

    A logarithm takes zeros for half of the least positive value of the column. Columns are found by
    name in `transform`: they may come in another order, and those that are lacking count as
    missing.

    References
    ----------
    Pages (2004), Analyse factorielle de données mixtes: the scale of categories.

    Examples
    --------
    >>> import lowdim
    >>> table = {
    ...     "mass": ["3.75 kg", "3.80 kg", "5.10 kg", "", "4.90 kg"],
    ...     "island": ["Biscoe", "Dream", "Biscoe", "Dream", "Biscoe"],
    ...     "seen": ["2007-11-11", "2007-11-16", "2008-11-03", "2009-11-10", "2009-11-21"],
    ... }
    >>> encoder = lowdim.TableEncoder().fit(table)
    >>> encoder.get_feature_names_out().tolist()
    ['mass', 'island=Biscoe', 'island=Dream', 'seen']
    >>> encoder.transform(table)[:, 0].round(2).tolist()
    [-1.03, -0.95, 1.16, nan, 0.83]
    >>> encoder.inverse_transform(encoder.transform(table))["mass"].tolist()[0]
    '3.75 kg'
    """

    _parameter_constraints: ClassVar[dict] = {
        "categorical": ["array-like", str],
        "numeric": ["array-like", str],
        "ordered": [dict, None],
        "ignore": ["array-like", str],
        "id": [str, None],
        "columns": ["array-like", str, None],
        "log": [StrOptions({"auto"}), "boolean", "array-like"],
        "dates": [StrOptions({"auto", "days"}), "boolean"],
        "max_levels": [AT_LEAST_1],
        "scale": ["boolean"],
        "center": ["boolean"],
        "drop_level": ["boolean"],
        "level_columns": ["boolean"],
        "scores": [StrOptions({"normal"}), None],
        "missing": [StrOptions({"nan", "mean", "error"})],
        "missing_marks": ["array-like"],
        "unknown": [StrOptions({"warn", "error"})],
        "fill_not_applicable": ["boolean"],
    }
    not_saved: ClassVar[frozenset[str]] = frozenset({"_survey"})

    shapes: ClassVar[dict] = {
        "n_features_in_": "d",
        "n_rows_seen_": (),
        "id_": Anything(),
        "origin_": Anything(),
        "encoding_": Anything(),
        "_survey": Maybe({"numbers": NUMBER_SHAPES}),
    }

    def __init__(
        self,
        *,
        categorical=(),
        numeric=(),
        ordered=None,
        ignore=(),
        id=None,
        columns=None,
        log="auto",
        dates="auto",
        max_levels=50,
        scale=True,
        center=True,
        drop_level=False,
        level_columns=True,
        scores=None,
        missing="nan",
        missing_marks=(),
        unknown="warn",
        fill_not_applicable=False,
    ):
        self.categorical = categorical
        self.numeric = numeric
        self.ordered = ordered
        self.ignore = ignore
        self.id = id
        self.columns = columns
        self.log = log
        self.dates = dates
        self.max_levels = max_levels
        self.scale = scale
        self.center = center
        self.drop_level = drop_level
        self.level_columns = level_columns
        self.scores = scores
        self.missing = missing
        self.missing_marks = missing_marks
        self.unknown = unknown
        self.fill_not_applicable = fill_not_applicable

    def fit(self, X, y=None):
        """Look at a table once, and decide what its columns become.

        Parameters
        ----------
        X : path, data frame, dict of arrays, matrix, Dask collection, stream or Table
            What `lowdim.tables.open_table` takes.
        y : ignored
            Accepted for compatibility with scikit-learn.
        """
        self.__dict__.pop("_survey", None)
        table = open_table(X)
        self.partial_fit(table)
        _check_some_used(self.encoding_.columns, self._survey, table)
        return self

    def partial_fit(self, X, y=None):
        """Look at a further part of the table, and decide anew.

        The first parts may be too small to show what their columns are; `transform` needs at least
        one that is used.
        """
        self._validate_params()
        if self.missing == "mean" and not self.level_columns:
            raise ValueError(
                "missing='mean' needs level_columns=True: numbers of levels have no mean."
            )
        table = open_table(X)
        _check_scores(self, table)
        wish = wish_of(self, table)
        left_out = {*wish.ignore, wish.id}  # they are not even read
        names = [name for name in table.names if name not in left_out]
        if not names:
            raise TableError(f"{table.where} has no column to work on; all are ignored.")
        seen = surveyed(table, wish, names)
        before = getattr(self, "_survey", None)
        if before is None:
            self._set_table(table, names)
        elif before.names != seen.names:
            raise TableError(_other_columns(before.names, seen.names))
        self._survey = seen if before is None else surveys.merged(before, seen)
        self._decide(wish, table)
        return self

    def fit_transform(self, X, y=None):
        """The same as fit(X).transform(X); a file is opened once."""
        table = open_table(X)
        return encoded_matrix(self.fit(table).encoding_, table)  # set_output gives it X's index

    def transform(self, X):
        """The table as numbers, NaN where a value is missing.

        Returns
        -------
        Z : ndarray of shape (n, number of columns of the matrix)
            float32 if the whole table is, else float64; a lazy Dask array for a Dask collection, a
            sparse array for a sparse matrix.
        """
        check_is_fitted(self)
        return encoded_matrix(self.encoding_, open_table(X))

    def rows(self, X: Any) -> Blocks:
        """The table as rows for the methods of lowdim; a large file is encoded as it is read."""
        check_is_fitted(self)
        return encoded_rows(self.encoding_, open_table(X))

    def inverse_transform(self, X, within="kind"):
        """The table that a matrix stands for.

        Parameters
        ----------
        X : array of shape (n, number of columns of the matrix)
        within : {'kind', 'observed'} or None, default='kind'
            'kind' gives what is possible: whole numbers whole, positive ones positive, shares
            within 0 and 1, the most probable level. 'observed' keeps numbers and dates within what
            was seen, too. None gives numbers as they come.

        Returns
        -------
        table : data frame
            Of the library that the table of `fit` came from, with its columns in their order and
            their types; columns that were left out as names or text are not in it.
        """
        Z = self._matrix(X)
        _check_within(within)
        return decoded_frame(self.encoding_, self.origin_, Z, within, self.fill_not_applicable)

    def inverse_std(self, X, std):
        """How sure the values of a decoded table are.

        Parameters
        ----------
        X : array of shape (n, number of columns of the matrix)
        std : array of the same shape
            Standard deviations of its entries.

        Returns
        -------
        ranges : named tuple
            `low` and `high`, tables of the ends of 95 % ranges of numbers, dates and ordered
            levels, which stay possible; `levels`, for each category and flag a table of
            probabilities.
        """
        Z, S = self._matrix(X), self._matrix(std)
        if Z.shape != S.shape:
            raise ValueError(f"X has shape {Z.shape} and std {S.shape}; they must be the same.")
        if (S < 0).any():
            raise ValueError("std has negative entries; standard deviations are 0 or more.")
        return decoded_ranges(self.encoding_, self.origin_, Z, S)

    def get_feature_names_out(self, input_features=None):
        """Names of the matrix's columns: 'mass', 'island=Biscoe'."""
        check_is_fitted(self)
        names = None
        if not self.encoding_.named:
            names = [f"x{f}" for f in range(self.n_features_in_)]
        if input_features is not None:
            known = getattr(self, "feature_names_in_", None)
            if known is not None and list(known) != list(input_features):
                raise ValueError("input_features is not equal to feature_names_in_")
            if len(input_features) != self.n_features_in_:
                raise ValueError(
                    "input_features should have length equal to number of features "
                    f"({self.n_features_in_}), got {len(input_features)}"
                )
            names = list(input_features) if known is None else None
        return np.asarray(self.encoding_.feature_names(names), dtype=object)

    @property
    def columns_(self) -> ColumnTable:
        """What was decided about each column."""
        if not hasattr(self, "encoding_"):
            raise AttributeError("This TableEncoder is not fitted; call fit first.")
        return ColumnTable(self.encoding_.columns)

    def _set_table(self, table: Table, names: Sequence[str]) -> None:
        for note in table.notes:  # what a file was read as is said by who opens it
            if table.backend != "file" and note.startswith("renamed"):
                warnings.warn(TableWarning(note), stacklevel=level_of_caller())
        self.n_features_in_ = len(table.names)
        self.__dict__.pop("feature_names_in_", None)
        if table.named and all(isinstance(label, str) for label in _labels(table)):
            self.feature_names_in_ = np.array(table.names, dtype=object)
        self.origin_ = Origin(
            backend_of(table),
            tuple(_labels(table)),
            _dtypes(table, names),
            {name: table.spelling[name] for name in names if name in table.spelling},
        )

    def _decide(self, wish: Wish, table: Table) -> None:
        seen: Survey = self._survey
        decided = decide(seen, wish)
        rules = find_rules(seen, decided)
        by_name = {c.name: c._replace(not_applicable=rules.get(c.name)) for c in decided}
        columns = [by_name.get(name) or not_read(name, wish) for name in table.names]
        self.encoding_ = Encoding(
            tuple(columns),
            table.named,
            tuple(self.missing_marks),
            seen.only_float32,
            self.missing,
            self.unknown,
            table.is_sparse,
        )
        self.n_rows_seen_ = seen.n_rows
        ids = [column.name for column in columns if column.kind == "id"]
        self.id_ = self.id or table.index_name or (ids[0] if ids else None)

    def _matrix(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        Z = check_array(X, dtype=[np.float64, np.float32], ensure_all_finite="allow-nan")
        if Z.shape[1] != self.encoding_.width:
            raise ValueError(
                f"X has {Z.shape[1]} columns; the table became {self.encoding_.width} columns of "
                "numbers, which are needed."
            )
        return Z

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def surveyed(table: Table, wish: Wish, names: Sequence[str]) -> Survey:
    """One look at these columns of a table."""
    settings = Settings(wish.missing, wish.categorical | set(wish.ordered), wish.scores)
    if isinstance(table, DaskTable):
        return _surveyed_by_dask(table, names, settings)
    while True:
        try:
            return _surveyed_in_order(table, names, settings)
        except RereadNeeded:  # the table knows better now what its columns hold
            continue


def _surveyed_in_order(table: Table, names: Sequence[str], settings: Settings) -> Survey:
    total: Survey | None = None

    def work(chunk: Any) -> Survey:
        return surveys.look(chunk, names, settings, total)  # of some chunks before: see `look`

    chunks: Iterator[Any] = iter(table.chunks(names))
    if table.streamed:
        chunks = fetched_ahead(chunks)
        if (first := next(chunks, None)) is not None:
            total = work(first[:FIRST_ROWS])  # soon: it saves time at all chunks
            chunks = chain([first[FIRST_ROWS:]] if first.shape[0] > FIRST_ROWS else [], chunks)
    with watch(f"reading {plain(table.where)}", total=table.n_rows) as bar:
        for part in ordered_map(work, chunks):
            total = part if total is None else surveys.merged(total, part)
            bar.update(total.n_rows)
    if total is None:
        raise TableError(f"{table.where} has no rows (0 sample(s)); at least 1 is needed.")
    return total


def _surveyed_by_dask(table: DaskTable, names: Sequence[str], settings: Settings) -> Survey:
    """The partitions are looked at where they are."""
    import dask

    part = dask.delayed(_look_at_partition)
    places = [table.names.index(name) for name in names]
    parts = dask.compute(*(part(p, names, places, settings) for p in table.partitions))
    found = [survey for survey in parts if survey is not None]
    if not found:
        raise TableError(f"{table.where} has no rows (0 sample(s)); at least 1 is needed.")
    return functools.reduce(surveys.merged, found)


def _look_at_partition(
    partition: Any, names: Sequence[str], places: Sequence[int], settings: Settings
) -> Survey | None:
    if not partition.shape[0]:
        return None
    is_matrix = isinstance(partition, np.ndarray) or sp.issparse(partition)
    part = partition[:, list(places)] if is_matrix else partition[list(names)]
    return surveys.look(part, names, settings)


def _labels(table: Table) -> list:
    return list(getattr(table, "labels", None) or table.names)


def _dtypes(table: Table, names: Sequence[str]) -> tuple:
    """The types of these columns; None of the others, and of text files, which have none."""
    if not table.named or table.written_by_hand:
        return (None,) * len(table.names)
    if isinstance(table, DaskTable):
        return tuple(dtypes_of(table.meta))
    found = dict(zip(names, dtypes_of(next(iter(table.chunks(names)))), strict=True))
    return tuple(found.get(name) for name in table.names)


def _check_scores(encoder: TableEncoder, table: Table) -> None:
    if encoder.scores is None:
        return
    for name in ("scale", "center"):
        if not getattr(encoder, name):
            raise ValueError(
                f"scores={encoder.scores!r} needs {name}=True: scores have no units and no zero."
            )
    if table.is_sparse:
        raise TableError(
            f"{table.where} is sparse, and scores={encoder.scores!r} would fill it: a score of 0 "
            "is the middle of a column.",
            "Give a dense table, or leave {scores} out.",
        )


def _check_within(within: Any) -> None:
    if within not in (None, "kind", "observed"):
        raise ValueError(f"within={within!r} must be 'kind', 'observed' or None.")


def _check_some_used(columns: Sequence[ColumnInfo], seen: Survey, table: Table) -> None:
    if any(column.used for column in columns):
        return
    rows = f" (n_samples = {seen.n_rows}, 1 sample)" if seen.n_rows == 1 else ""
    why = [f"{quoted(column.name)}: {column.done}" for column in columns]
    raise TableError(
        f"{table.where} has no column to work on{rows}; {listed(why, 3)}.",
        "Say what a column is: {categorical}, {numeric}, or {max_levels}.",
    )


def _other_columns(before: tuple[str, ...], now: tuple[str, ...]) -> str:
    if len(before) != len(now):
        return (
            f"X has {len(now)} features, but TableEncoder is expecting {len(before)} features as "
            "input."
        )
    odd = next(name for name, old in zip(now, before, strict=True) if name != old)
    return f"The columns are not those of the parts before; the first other one is {quoted(odd)}."
