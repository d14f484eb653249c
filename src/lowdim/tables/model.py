"""`TableModel`: an encoder and a model as one, from a table to a table, in one file."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn import get_config
from sklearn.base import BaseEstimator, clone
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from lowdim.core.blocks import Blocks, is_dask
from lowdim.core.constraints import HasMethods
from lowdim.core.estimator import Estimator, SavedModel
from lowdim.core.opening import as_blocks
from lowdim.core.random import generator_of
from lowdim.core.shapes import Anything, Maybe, Text
from lowdim.core.validation import check_choice
from lowdim.tables.decoding import decoded_frame
from lowdim.tables.drawing import drawn_matrix
from lowdim.tables.encoder import TableEncoder
from lowdim.tables.encoding import encoded_rows
from lowdim.tables.errors import TableError
from lowdim.tables.filling import Filler, filled_chunks
from lowdim.tables.frames.dtypes import backend_of, build_frame, joined_frames
from lowdim.tables.frames.opening import DaskTable
from lowdim.tables.opening import open_table
from lowdim.tables.table import Table


def _estimator_has(name: str) -> Any:
    """Whether the model has a method: the fitted one, or the one to be fitted."""

    def check(self: TableModel) -> bool:
        getattr(getattr(self, "estimator_", self.estimator), name)  # raises AttributeError
        return True

    return available_if(check)


class TableModel(SavedModel, BaseEstimator):
    """A model of tables: the encoder makes numbers of a table, the model learns from them.

    What comes out is a table again: codes (the few numbers that stand for a row) with names, filled
    tables with the columns, kinds and types of the one that came in, new rows like those that were
    learned from. `save` writes encoder and model into one file, which `lowdim.load` reads on any
    machine.

    Cost: that of the model, and one pass over the table for the encoder.

    Parameters
    ----------
    estimator : estimator of lowdim, or a pipeline of them
        What learns from the numbers.
    encoder : TableEncoder or None, default=None
        What makes numbers of the table; None means TableEncoder(), and for a model that takes no
        negative values one that makes none: TableEncoder(center=False, log=False, dates="days").

    Attributes
    ----------
    estimator_, encoder_ : fitted copies of both
    columns_ : ColumnTable
        What was decided about each column and why.
    n_features_in_ : int
    feature_names_in_ : ndarray, if the table has names

    See Also
    --------
    TableEncoder : the encoder alone, for a pipeline of your own.

    Notes
    -----
    `transform`, `inverse_transform`, `impute`, `predict`, `predict_proba`, `score`, `score_samples`
    and `sample` are there where the model has them. Later tables may lack columns, which count as
    missing values, have them in another order, and have levels that were not seen.

    Examples
    --------
    >>> import lowdim
    >>> from lowdim.datasets import load_penguins
    >>> table = dict(zip(load_penguins().feature_names, load_penguins().X.T))
    >>> model = lowdim.TableModel(lowdim.ProbabilisticPCA(2)).fit(table)
    >>> filled = model.impute(table)
    >>> bool(min(filled["body_mass_g"]) > 0)
    True
    """

    _parameter_constraints: ClassVar[dict] = {
        "estimator": [HasMethods("fit")],
        "encoder": [TableEncoder, None],
    }

    shapes: ClassVar[dict] = {
        "n_features_in_": "d",
        "encoder_": {"n_features_in_": "d"},
        "estimator_": Anything(),
        "code_names_": Maybe(Text(("codes",))),  # other names of codes than the estimator's
    }

    def __init__(self, estimator, *, encoder=None):
        self.estimator = estimator
        self.encoder = encoder

    def fit(self, X, y=None, **fit_params):
        """Learn from a table.

        Parameters
        ----------
        X : path, data frame, dict of arrays, matrix, Dask collection, stream or Table
            What `lowdim.tables.open_table` takes; a large file is read in parts.
        y : ignored
            Accepted for compatibility with scikit-learn.
        **fit_params
            For the fit of the model, such as sample_weight.
        """
        self._validate_params()
        table = open_table(X)
        encoder = usual_encoder(self.estimator) if self.encoder is None else clone(self.encoder)
        return self.fit_encoded(table, encoder.fit(table), **fit_params)

    def fit_encoded(
        self, table: Table, encoder: TableEncoder, rows: Any = None, **fit_params: Any
    ) -> TableModel:
        """Learn from a table whose encoder is fitted already.

        Parameters
        ----------
        table : Table
        encoder : TableEncoder
            Fitted.
        rows : matrix, Blocks or None, default=None
            The table's numbers, if they are made already, or some rows of them; None makes them.
        **fit_params
            For the fit of the model.
        """
        self.encoder_ = encoder
        if rows is None:
            rows = encoded_rows(encoder.encoding_, table, _known_rows(encoder, table))
        elif not isinstance(rows, Blocks):
            rows = as_blocks(rows)
            rows.feature_names = encoder.encoding_.feature_names() if table.named else None
        self.estimator_ = clone(self.estimator).fit(_for(self.estimator, rows), **fit_params)
        self.n_features_in_ = encoder.n_features_in_
        for name in ("feature_names_in_", "code_names_"):
            self.__dict__.pop(name, None)
        if hasattr(encoder, "feature_names_in_"):
            self.feature_names_in_ = encoder.feature_names_in_
        return self

    @_estimator_has("transform")
    def transform(self, X):
        """Codes of the rows, as a data frame of X's library with the codes' names."""
        table = open_table(X)
        return self._framed(self._asked("transform", table), table)

    @_estimator_has("transform")
    def fit_transform(self, X, y=None, **fit_params):
        """Learn from a table, and give the codes of its rows."""
        table = open_table(X)
        return self.fit(table, y, **fit_params).transform(table)

    @_estimator_has("transform")
    def set_output(self, *, transform=None):
        """Choose the library of the codes that `transform` gives.

        Parameters
        ----------
        transform : {'default', 'pandas', 'polars'} or None, default=None
            'default' gives a data frame of X's library, and a matrix for a matrix; None changes
            nothing.
        """
        if transform is not None:
            check_choice("transform", transform, ("default", "pandas", "polars"))
            self._sklearn_output_config = {"transform": transform}
        return self

    @_estimator_has("inverse_transform")
    def inverse_transform(self, X, within="kind"):
        """The table that codes stand for; see `TableEncoder.inverse_transform`."""
        check_is_fitted(self)
        Z = np.asarray(self.estimator_.inverse_transform(np.asarray(X, dtype=np.float64)))
        return self.encoder_.inverse_transform(Z, within)

    @_estimator_has("impute")
    def impute(
        self,
        X,
        return_std=False,
        return_levels=False,
        *,
        within="observed",
        fill_not_applicable=None,
    ):
        """The table with its missing values filled; what was there stays as it is.

        Parameters
        ----------
        X : as in `fit`
        return_std : bool, default=False
            Also return how uncertain filled values are.
        return_levels : bool, default=False
            Also return the probabilities of levels.
        within : {'observed', 'kind'} or None, default='observed'
            Filled values stay within what was seen, or what their kind can be.
        fill_not_applicable : bool or None, default=None
            Fill cells that do not apply, too; None goes by the encoder.

        Returns
        -------
        filled : table like X
        std : table, if return_std
            For each column that is used: standard deviations in its own units (of dates days, of
            ordered levels places; of categories and flags the probability of another level), 0
            where the value was there, missing where the cell stays empty.
        levels : dict of tables, if return_levels
            For each category and flag the probability of each level.
        """
        check_is_fitted(self)
        table = open_table(X)
        filler = self.filler(
            within=within,
            fill_not_applicable=fill_not_applicable,
            with_std=return_std,
            with_levels=return_levels,
        )
        if isinstance(table, DaskTable):
            raise TableError(
                "The table is a Dask collection, which cannot be filled as a whole.",
                "Fill its partitions: X.map_partitions(model.impute).",
            )
        chunks = list(filled_chunks(filler, table))
        backend = backend_of(table)
        filled = joined_frames([chunk.table for chunk in chunks], table, backend)
        results: list[Any] = [filled]
        if return_std:
            results.append(_stacked([chunk.std for chunk in chunks], backend))
        if return_levels:
            results.append(self._level_tables([chunk.levels for chunk in chunks], backend))
        return results[0] if len(results) == 1 else tuple(results)

    @_estimator_has("impute")
    def filler(self, **settings: Any) -> Filler:
        """What fills tables by this model, for `lowdim.tables.filling.filled_chunks`."""
        check_is_fitted(self)
        if settings.get("fill_not_applicable") is None:
            settings["fill_not_applicable"] = self.encoder_.fill_not_applicable
        return Filler(self.estimator_, self.encoder_.encoding_, self.encoder_.origin_, **settings)

    @_estimator_has("predict")
    def predict(self, X):
        """What the model predicts of each row, such as its cluster."""
        return self._asked("predict", open_table(X))

    @_estimator_has("predict_proba")
    def predict_proba(self, X):
        """Probabilities of what it predicts."""
        return self._asked("predict_proba", open_table(X))

    @_estimator_has("score_samples")
    def score_samples(self, X):
        """The log-likelihood of each row, as numbers."""
        return self._asked("score_samples", open_table(X))

    @_estimator_has("score")
    def score(self, X, y=None):
        """The model's score of the table, as numbers; higher is better."""
        return self._asked("score", open_table(X))

    @_estimator_has("sample")
    def sample(self, n_samples=1, random_state=None, *, within="kind"):
        """New rows, as a table like the one that came in.

        Levels of categories and flags are drawn by the model's own probabilities of them, given
        the numbers of the row and the levels before. Without a `random_state` here, that of the
        model is used, as in scikit-learn.
        """
        check_is_fitted(self)
        encoder, random = self.encoder_, generator_of(self.estimator_, random_state)
        Z = drawn_matrix(self.estimator_, encoder.encoding_, n_samples, random)
        fill = encoder.fill_not_applicable
        return decoded_frame(encoder.encoding_, encoder.origin_, Z, within, fill)

    @_estimator_has("get_feature_names_out")
    def get_feature_names_out(self, input_features=None):
        """Names of the codes; of a model that `lowdim map` saved, those of its coordinates."""
        check_is_fitted(self)
        self.encoder_.get_feature_names_out(input_features)  # which says if these are others
        names = getattr(self, "code_names_", None)
        return self.estimator_.get_feature_names_out() if names is None else names.copy()

    @property
    def columns_(self):
        """What was decided about each column."""
        check_is_fitted(self)
        return self.encoder_.columns_

    def __sklearn_is_fitted__(self):
        return hasattr(self, "estimator_")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        model = get_tags(self.estimator)
        tags.estimator_type, tags.transformer_tags = model.estimator_type, model.transformer_tags
        tags.classifier_tags = model.classifier_tags
        filled = getattr(self.encoder, "missing", "nan") == "mean"
        first = get_tags(_first_step(self.estimator)).input_tags
        tags.input_tags.allow_nan = filled or first.allow_nan
        tags.input_tags.sparse = model.input_tags.sparse
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags

    def _asked(self, method: str, table: Table) -> Any:
        """What the model says of the table's rows."""
        check_is_fitted(self)
        rows = _for(self.estimator_, encoded_rows(self.encoder_.encoding_, table))
        return getattr(self.estimator_, method)(rows)

    def _framed(self, Z: Any, table: Table) -> Any:
        """Codes with their names, as a table; of matrices and Dask collections as they come."""
        own = getattr(self, "_sklearn_output_config", {})  # as scikit-learn's transformers have it
        library = own.get("transform", get_config()["transform_output"])
        if is_dask(Z) or (library == "default" and not table.named):
            return Z
        columns = dict(zip(self.get_feature_names_out(), np.asarray(Z).T, strict=True))
        backend = backend_of(table) if library == "default" else library
        index = getattr(table, "index", None) if backend == "pandas" else None
        return build_frame(backend, columns, index)

    def _level_tables(self, parts: list[dict[str, np.ndarray]], backend: str) -> dict[str, Any]:
        tables = {}
        for column in self.encoder_.encoding_.used:
            if column.name in parts[0]:
                share = np.concatenate([part[column.name] for part in parts])
                levels = column.codec.levels  # type: ignore[union-attr]
                tables[column.name] = build_frame(
                    backend, dict(zip(levels, share.T.copy(), strict=True))
                )
        return tables


def _known_rows(encoder: TableEncoder, table: Table) -> int | None:
    return encoder.n_rows_seen_ if table.n_rows is None else table.n_rows


def _first_step(estimator: Any) -> Any:
    """What sees the numbers first."""
    return estimator.steps[0][1] if isinstance(estimator, Pipeline) else estimator


def _for(estimator: Any, rows: Blocks) -> Any:
    """The rows as the estimator takes them: our own take Blocks, others a matrix."""
    first = _first_step(estimator)
    if isinstance(first, Estimator):
        return rows
    X = rows.in_memory
    if X is None:
        raise TableError(
            f"A {type(first).__name__} needs all rows in memory, and the table is read in parts.",
            "Open it whole: {stream}=False.",
        )
    return X


def _stacked(parts: list[dict[str, np.ndarray]], backend: str) -> Any:
    columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    return build_frame(backend, columns)


def usual_encoder(estimator: Any) -> TableEncoder:
    """What makes the numbers that a model takes: no negative ones, if it takes none."""
    if get_tags(estimator).input_tags.positive_only:
        return TableEncoder(center=False, log=False, dates="days")
    return TableEncoder()
