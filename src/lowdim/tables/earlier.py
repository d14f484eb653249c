"""Models that were saved without a `TableEncoder`, as models of tables.

The command line of earlier versions saved a model with an attribute `table_encoding_`, plain values
that say how its table became numbers:

    named                whether columns are found by name
    id                   the column that names the rows, or None
    columns, ignored     what was used, in the order of the matrix, and what was not
    categories           column -> levels, for columns of text
    center, scale        one for each column of the matrix, or None where units were kept

A model that was fitted in Python has no encoding: its columns are numbers, taken as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from lowdim.tables.codecs import CategoryCodec, Codec, NumberCodec
from lowdim.tables.decoding import Origin
from lowdim.tables.encoder import TableEncoder
from lowdim.tables.encoding import Encoding
from lowdim.tables.frames.dtypes import default_backend
from lowdim.tables.kinds import ColumnInfo
from lowdim.tables.model import TableModel
from lowdim.tables.numbers import MOST_DIGITS

ATTRIBUTE = "table_encoding_"


def as_table_model(model: Any) -> TableModel:
    """The model with the encoder that its table had.

    Parameters
    ----------
    model : fitted estimator
        A TableModel is given back as it is; what `table_encoding_` says becomes the encoder; any
        other model takes the columns it was fitted with, by their names or places, as numbers.
    """
    if isinstance(model, TableModel):
        return model
    if hasattr(model, ATTRIBUTE):
        encoder = encoder_of_dict(getattr(model, ATTRIBUTE))
    else:
        names = getattr(model, "feature_names_in_", None)
        named = names is not None
        columns = list(map(str, range(model.n_features_in_) if names is None else names))
        encoder = _encoder([_used(name, _as_it_is()) for name in columns], named)
    whole = TableModel(model)
    whole.estimator_, whole.encoder_ = model, encoder
    whole.n_features_in_ = encoder.n_features_in_
    if hasattr(encoder, "feature_names_in_"):
        whole.feature_names_in_ = encoder.feature_names_in_
    return whole


def encoder_of_dict(values: Mapping[str, Any]) -> TableEncoder:
    """The encoder that gives the numbers of a `table_encoding_`; ValueError if it is damaged."""
    try:
        saved = _Saved(**values)
        agree = saved.sizes_agree()
    except (TypeError, AttributeError, ValueError) as error:
        raise ValueError(f"The model's table encoding is damaged: {error}.") from None
    if not agree:
        raise ValueError("The model's table encoding is damaged: its sizes do not agree.")
    columns = [
        *(_used(name, codec) for name, codec in saved.codecs()),
        *(_left_out(name, "ignored") for name in saved.ignored),
    ]
    if not saved.named:
        columns.sort(key=lambda column: int(column.name))
    elif saved.id is not None:
        columns.append(_left_out(saved.id, "id"))
    return _encoder(columns, saved.named, saved.id, scaled=saved.scale is not None)


class _Saved(NamedTuple):
    """What `table_encoding_` holds."""

    named: bool
    id: str | None
    columns: list[str]
    categories: dict[str, list[str]]
    ignored: list[str]
    center: list[float] | None
    scale: list[float] | None

    @property
    def widths(self) -> list[int]:
        """How many columns of the matrix each column is."""
        return [len(self.categories.get(name, [name])) for name in self.columns]

    def sizes_agree(self) -> bool:
        sizes = {len(part) for part in (self.center, self.scale) if part is not None}
        agree = sizes <= {sum(self.widths)} and set(self.categories) <= set(self.columns)
        agree &= (self.center is None) == (self.scale is None)
        if not self.named:
            places = [*self.columns, *self.ignored]
            agree &= sorted(map(int, places)) == list(range(len(places)))
        return agree

    def codecs(self) -> Iterator[tuple[str, Codec]]:
        start = 0
        for name, width in zip(self.columns, self.widths, strict=True):
            own = slice(start, start + width)
            center, scale = (
                None if part is None else np.array(part[own]) for part in (self.center, self.scale)
            )
            yield name, _codec(self.categories.get(name), center, scale)
            start += width


def _codec(levels: list[str] | None, center: np.ndarray | None, scale: np.ndarray | None) -> Codec:
    """Of a column: the center of a level was its share, its scale the root of that."""
    if levels is not None:
        shares = np.full(len(levels), 1 / len(levels)) if center is None else center
        return CategoryCodec(tuple(levels), shares, scaled=center is not None)
    if center is None or scale is None:
        return _as_it_is()
    return _as_it_is()._replace(center=float(center[0]), scale=float(scale[0]))


def _as_it_is() -> NumberCodec:
    """Numbers of which no more is known."""
    return NumberCodec("number", -np.inf, np.inf, digits=MOST_DIGITS + 1)


def _used(name: str, codec: Codec) -> ColumnInfo:
    done = "one column per level" if isinstance(codec, CategoryCodec) else "a number"
    form = "words" if isinstance(codec, CategoryCodec) else "number"
    return ColumnInfo(name, codec.kind, 0, None, done, codec, form=form)


def _left_out(name: str, kind: str) -> ColumnInfo:
    return ColumnInfo(name, kind, 0, None, "names the rows" if kind == "id" else "left out")


def _encoder(
    columns: Sequence[ColumnInfo], named: bool, id_: str | None = None, *, scaled: bool = False
) -> TableEncoder:
    """A fitted encoder with these columns."""
    encoder = TableEncoder(id=id_, scale=scaled)
    names = [column.name for column in columns]
    encoder.n_features_in_ = len(names)
    if named:
        encoder.feature_names_in_ = np.array(names, dtype=object)
    backend = default_backend() if named else "array"
    encoder.origin_ = Origin(backend, tuple(names), (None,) * len(names))
    encoder.encoding_ = Encoding(tuple(columns), named)
    encoder.n_rows_seen_, encoder.id_ = 0, id_
    return encoder
