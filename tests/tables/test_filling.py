"""Missing values are filled with what their columns can hold, chunk by chunk."""

import numpy as np
import pandas as pd
import pytest

from lowdim import PCA, ProbabilisticPCA, TableEncoder, TableModel
from lowdim.tables.codecs import words_of
from lowdim.tables.filling import empty_patterns, filled_chunk, filled_chunks, put, rounded
from lowdim.tables.frames.values import Values
from lowdim.tables.opening import open_table


@pytest.fixture
def table(rng):
    size = rng.normal(size=120)
    frame = pd.DataFrame(
        {
            "mass": [f"{70 + 10 * s:.1f} kg" for s in size],
            "length": np.round(170 + 10 * size, 1),
            "group": np.where(size > 0, "large", "small"),
            "remark": [
                f"this is what somebody said about number {i} at length" for i in range(120)
            ],
        }
    )
    frame.loc[::7, "mass"] = None
    frame.loc[3::7, "group"] = "?"
    return frame


def test_text_stays_text_and_marks_are_missing(table):
    filled = TableModel(ProbabilisticPCA(1)).fit(table).impute(table)
    assert filled["mass"].str.endswith(" kg").all()
    assert set(filled["group"]) == {"large", "small"}
    assert filled["remark"].equals(table["remark"])
    known = table["mass"].notna()
    assert filled["mass"][known].equals(table["mass"][known])


def test_a_chunk_says_how_many_cells_were_filled(table):
    model = TableModel(ProbabilisticPCA(1)).fit(table)
    (chunk,) = filled_chunks(model.filler(with_std=True, with_levels=True), open_table(table))
    assert chunk.filled == {"mass": 18, "length": 0, "group": 17}
    assert set(chunk.levels) == {"group"}
    assert (chunk.std["mass"][::7] > 0).all() and chunk.std["mass"][1] == 0
    # of levels it is the probability that another one is right
    assert (chunk.std["group"] <= 0.5).all()


def test_chunks_are_filled_as_the_whole_is(table):
    model = TableModel(ProbabilisticPCA(1)).fit(table)
    whole = model.impute(table)
    parts = [
        filled_chunk(model.filler(), table.iloc[rows], list(table.columns)).table
        for rows in np.array_split(np.arange(len(table)), 3)
    ]
    pd.testing.assert_frame_equal(pd.concat(parts), whole)


def test_a_table_without_missing_values_is_given_back(table):
    model = TableModel(PCA(1)).fit(table)
    complete = model.impute(table)
    assert model.impute(complete).equals(complete)


def test_guesses_are_put_between_what_is_there():
    values, guess = words_of(["a", None, "c"]), words_of(["x", "b", "y"])
    both = put(values, guess, np.array([False, True, False]), None)
    assert [both.levels[c] for c in both.places] == ["a", "b", "c"]
    numbers = put(
        Values("number", np.array([1.0, np.nan])),
        Values("number", np.array([9.0, 2.0])),
        np.array([False, True]),
        None,
    )
    assert numbers.numbers.tolist() == [1.0, 2.0]


def test_matrices_are_filled_in_their_dtype(rng):
    X = rng.normal(size=(40, 3)).astype(np.float32)
    X[0, 1] = np.nan
    filled = TableModel(PCA(1), encoder=TableEncoder(scale=False)).fit(X).impute(X)
    assert filled.dtype == np.float32 and np.isfinite(filled).all()


def test_empty_patterns_are_the_cells_that_could_be_filled():
    table = open_table({"a": [1.0, np.nan, 3.5, 4.0], "k": ["x", "y", None, "x"]})
    encoder = TableEncoder().fit(table)
    found = empty_patterns(encoder.encoding_, encoder.origin_, table)
    assert found.tolist() == [[False, False], [True, False], [False, True], [False, False]]


def test_numbers_are_rounded_to_the_decimals_of_their_column():
    codec = TableEncoder().fit({"a": [1.25, 2.5, 3.75]}).encoding_.used[0].codec
    found = rounded(Values("number", np.array([1.23456, 2.0])), codec)
    assert found.numbers.tolist() == [1.23, 2.0]
