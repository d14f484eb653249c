"""The door: every kind of input becomes the same rows, and what is refused is explained."""

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError

from lowdim.core.blocks import ArrayBlocks
from lowdim.core.dask_blocks import DaskBlocks
from lowdim.core.estimator import Estimator
from lowdim.core.opening import as_blocks
from lowdim.core.stream import StreamBlocks
from lowdim.core.validation import (
    check_at_least,
    check_at_most,
    check_choice,
    check_codes,
    check_finite_rows,
    check_number,
    check_weights,
    count_nonfinite,
    observed,
    observed_rows,
    open_rows_for,
)
from lowdim.tables.streaming import stream


class Complete(Estimator):
    """Needs complete, dense rows."""

    def fit(self, X, y=None):
        self.rows = self.open_rows(X)
        self.fitted_ = True
        return self

    def see(self, X):
        return values(self.open_rows(X, reset=False))


class Tolerant(Complete):
    """Takes NaN and sparse matrices."""

    accepts_nan = True
    accepts_sparse = True


class InMemory(Complete):
    """Takes neither streams nor Dask."""

    accepts_stream = False
    accepts_dask = False


class NeedsThree(Complete):
    min_rows = 3


def dense(X):
    return X.toarray() if sp.issparse(X) else X


def values(rows):
    result = rows.map(dense)
    return result.compute() if hasattr(result, "compute") else result


TABLE = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.5]])
NAMES = ["height", "weight"]
COLUMNS = dict(zip(NAMES, TABLE.T, strict=True))


def csv_stream(tmp_path, table=TABLE, names=NAMES):
    path = tmp_path / "table.csv"
    pd.DataFrame(table, columns=names).to_csv(path, index=False)
    return stream(path)


KINDS = {
    "list": lambda tmp_path: TABLE.tolist(),
    "numpy": lambda tmp_path: TABLE,
    "fortran": lambda tmp_path: np.asfortranarray(TABLE),
    "object": lambda tmp_path: TABLE.astype(object),
    "pandas": lambda tmp_path: pd.DataFrame(COLUMNS),
    "pandas nullable": lambda tmp_path: pd.DataFrame(COLUMNS).astype("Float64"),
    "pandas arrow": lambda tmp_path: pd.DataFrame(COLUMNS).astype("double[pyarrow]"),
    "polars": lambda tmp_path: pl.DataFrame(COLUMNS),
    "pyarrow": lambda tmp_path: pa.table(COLUMNS),
    "csr_matrix": lambda tmp_path: sp.csr_matrix(TABLE),
    "csr_array": lambda tmp_path: sp.csr_array(TABLE),
    "csc_array": lambda tmp_path: sp.csc_array(TABLE),
    "coo_matrix": lambda tmp_path: sp.coo_matrix(TABLE),
    "dask array": lambda tmp_path: da.from_array(TABLE, chunks=(2, 1)),
    "dask frame": lambda tmp_path: dd.from_pandas(pd.DataFrame(COLUMNS), npartitions=2),
    "stream": csv_stream,
    "blocks": lambda tmp_path: as_blocks(TABLE),
}
NAMED = ["pandas", "pandas nullable", "pandas arrow", "polars", "pyarrow", "dask frame", "stream"]


# Every kind


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_input_becomes_the_same_rows(kind, tmp_path):
    model = Tolerant().fit(KINDS[kind](tmp_path))
    np.testing.assert_array_equal(values(model.rows), TABLE)
    assert model.n_features_in_ == 2 and model.rows.dtype == np.float64
    assert hasattr(model, "feature_names_in_") == (kind in NAMED)
    if kind in NAMED:
        assert model.feature_names_in_.tolist() == NAMES
        assert model.feature_names_in_.dtype == object


@pytest.mark.parametrize("kind", KINDS)
def test_other_methods_take_every_kind_too(kind, tmp_path):
    model = Tolerant().fit(pd.DataFrame(COLUMNS) if kind in NAMED else TABLE)
    np.testing.assert_array_equal(model.see(KINDS[kind](tmp_path)), TABLE)


def test_streams_dask_and_arrays_come_in_their_own_blocks(tmp_path):
    kinds = {"stream": StreamBlocks, "dask array": DaskBlocks, "polars": ArrayBlocks}
    for kind, blocks in kinds.items():
        assert isinstance(Tolerant().fit(KINDS[kind](tmp_path)).rows, blocks)


@pytest.mark.parametrize(
    "X",
    [
        TABLE.astype(np.float32),
        pd.DataFrame(TABLE, dtype=np.float32),
        pd.DataFrame(TABLE).astype("Float32"),
        pl.DataFrame(TABLE.astype(np.float32)),
        pa.table({"a": pa.array([1, 2, 3], pa.float32())}),
        sp.csr_array(TABLE.astype(np.float32)),
        da.from_array(TABLE.astype(np.float32)),
        dd.from_pandas(pd.DataFrame(TABLE, dtype=np.float32), npartitions=1),
        stream(lambda: [TABLE.astype(np.float32)]),
    ],
    ids=lambda X: type(X).__module__,
)
def test_float32_is_kept(X):
    model = Tolerant().fit(X)
    assert model.rows.dtype == np.float32 and values(model.rows).dtype == np.float32


@pytest.mark.parametrize("dtype", [np.float16, np.longdouble, np.int8, np.uint64, bool, object])
def test_other_numbers_become_float64(dtype):
    X = np.array([[0, 1], [1, 1]], dtype=dtype)
    rows = Complete().fit(X).rows
    assert rows.dtype == np.float64
    np.testing.assert_array_equal(values(rows), [[0, 1], [1, 1]])


def test_a_frame_of_float32_and_other_columns_becomes_float64():
    frame = pd.DataFrame({"a": np.float32([1, 2]), "b": [3, 4]})
    for X in (frame, pl.from_pandas(frame), pa.Table.from_pandas(frame)):
        assert Complete().fit(X).rows.dtype == np.float64


@pytest.mark.parametrize(
    "X",
    [
        np.array([[1.0, np.nan], [np.nan, 4.0]]),
        np.ma.masked_array([[1.0, 99.0], [99.0, 4.0]], mask=[[0, 1], [1, 0]]),
        np.ma.masked_array([[1, 99], [99, 4]], mask=[[0, 1], [1, 0]]),
        [[1, None], [None, 4]],
        pd.DataFrame({"a": pd.array([1, None], "Int64"), "b": pd.array([None, 4], "Int8")}),
        pd.DataFrame({"a": pd.array([True, None], "boolean"), "b": [np.nan, 4]}),
        pl.DataFrame({"a": [1, None], "b": [None, 4.0]}),
        pa.table({"a": [1, None], "b": [None, 4.0]}),
        dd.from_pandas(pd.DataFrame({"a": [1, None], "b": [None, 4.0]}), npartitions=1),
    ],
    ids=lambda X: type(X).__name__,
)
def test_missing_values_of_every_kind_become_nan(X):
    np.testing.assert_array_equal(values(Tolerant().fit(X).rows), [[1, np.nan], [np.nan, 4]])


def test_a_column_of_nulls_is_missing_altogether():
    for X in (
        pl.DataFrame({"a": [None, None], "b": [1, 2]}),
        pa.table({"a": pa.nulls(2), "b": [1, 2]}),
    ):
        np.testing.assert_array_equal(values(Tolerant().fit(X).rows), [[np.nan, 1], [np.nan, 2]])


def test_input_is_not_copied_without_need_and_never_written_to():
    X = TABLE.copy()
    X.flags.writeable = False
    assert np.shares_memory(Complete().fit(X).rows.in_memory, X)


# Names of columns


def test_names_are_forgotten_when_fitted_without(tmp_path):
    model = Complete().fit(pd.DataFrame(COLUMNS))
    assert not hasattr(model.fit(TABLE), "feature_names_in_")
    model.fit(csv_stream(tmp_path))
    assert model.feature_names_in_.tolist() == NAMES
    assert not hasattr(model.fit(stream(lambda: [TABLE])), "feature_names_in_")


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, pa.table])
def test_a_frame_with_other_names_is_refused(kind):
    model = Complete().fit(pd.DataFrame(COLUMNS))
    with pytest.raises(ValueError, match="The feature names should match those that were passed"):
        model.see(kind({"height": [1.0], "length": [2.0]}))


def test_a_stream_or_dask_frame_with_other_names_is_refused(tmp_path):
    model = Complete().fit(pd.DataFrame(COLUMNS))
    other = TABLE[:, ::-1]
    frame = dd.from_pandas(pd.DataFrame(other, columns=NAMES[::-1]), npartitions=1)
    for X in (csv_stream(tmp_path, other, NAMES[::-1]), frame):
        with pytest.raises(
            ValueError,
            match=r"The columns of X \(weight, height.*\) are not those that Complete was fitted "
            r"with \(height, weight.*\), in the same order\. Select them with columns=\[\.\.\.\]",
        ):
            model.see(X)


def test_another_number_of_columns_is_refused():
    model = Complete().fit(TABLE)
    wide = np.ones((2, 3))
    for X in (wide, stream(lambda: [wide]), da.from_array(wide), wide.tolist()):
        with pytest.raises(
            ValueError, match="X has 3 features, but Complete is expecting 2 features"
        ):
            model.see(X)


def test_only_fitted_models_look_at_new_rows():
    with pytest.raises(NotFittedError, match="This Complete instance is not fitted yet"):
        Complete().see(TABLE)


# What is refused


@pytest.mark.parametrize(
    ("X", "error", "message"),
    [
        (np.empty((0, 3)), ValueError, r"0 sample\(s\) \(shape=\(0, 3\)\) while a minimum of 1 is"),
        (np.empty((3, 0)), ValueError, r"0 feature\(s\) \(shape=\(3, 0\)\) while a minimum of 1"),
        (pd.DataFrame({"a": []}), ValueError, r"0 sample\(s\)"),
        (pd.DataFrame(index=[0, 1]), ValueError, r"no columns: 0 feature\(s\)"),
        (pl.DataFrame({"a": []}, schema={"a": pl.Float64}), ValueError, r"0 sample\(s\)"),
        (da.ones((0, 2)), ValueError, "n_samples=0; Complete needs at least 1"),
        ([1.0, 2.0], ValueError, "Expected 2D array, got 1D array instead"),
        (pd.Series([1.0]), ValueError, r"Expected (a )?2.?(D|-dimensional)"),
        (pl.Series([1.0]), ValueError, "Expected 2D array, got 1D array"),
        (np.ones((2, 2, 2)), ValueError, r"dim 3.*Give X\.reshape\(len\(X\), -1\)\."),
        (da.ones((2, 2, 2)), ValueError, r"shape \(2, 2, 2\); a 2-D one is needed"),
        ([["a", "b"]], ValueError, "could not convert string to float"),
        (np.array([["1", "2"]]), ValueError, "dtype <U1, which are not numbers; Complete needs"),
        (np.array([["2020-01-01"]], "M8[D]"), ValueError, "datetime64.*, which are not numbers"),
        (np.array([[1, "x"]], dtype=object), ValueError, "could not convert string to float"),
        (np.array([[1j]]), ValueError, "Complex data not supported"),
        (pl.DataFrame({"a": [1]}).lazy(), TypeError, r"lazy frame \(LazyFrame\).*\.collect\(\)"),
        (sp.csr_array(TABLE), TypeError, "Sparse data was passed for X, but dense data is"),
        (stream(lambda: [sp.csr_array(TABLE)]), TypeError, "sparse blocks; Complete needs dense"),
    ],
)  # fmt: skip
def test_what_is_no_matrix_of_numbers_is_refused(X, error, message):
    with pytest.raises(error, match=message):
        Complete().fit(X)


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame({"age": [1, 2], "name": ["x", "y"]}),
        pd.DataFrame({"age": [1, 2], "name": pd.Categorical(["x", "y"])}),
        pd.DataFrame({"age": [1, 2], "name": pd.to_datetime(["2020-01-01", "2021-01-01"])}),
        pl.DataFrame({"age": [1, 2], "name": ["x", "y"]}),
        pl.DataFrame({"age": [1, 2], "name": [[1], [2]]}),
        pl.DataFrame(
            {"age": [1, 2], "name": ["x", "y"]}, schema_overrides={"name": pl.Categorical}
        ),
        pa.table({"age": [1, 2], "name": ["x", "y"]}),
        dd.from_pandas(pd.DataFrame({"age": [1, 2], "name": ["x", "y"]}), npartitions=1),
    ],
    ids=lambda X: type(X).__module__,
)
def test_a_column_that_does_not_hold_numbers_is_named(X):
    with pytest.raises(
        ValueError,
        match=r"X has columns that are not numbers \(1 of 2, first: 'name', .*\): could not "
        r"convert them to float\. Drop or encode them\.",
    ):
        Complete().fit(X)


@pytest.mark.parametrize("kind", ["numpy", "pandas", "polars", "csr_array"])
def test_infinity_is_refused_and_its_column_named(kind, tmp_path):
    table = TABLE.copy()
    table[1, 1] = -np.inf
    X = {
        "numpy": table,
        "pandas": pd.DataFrame(table, columns=NAMES),
        "polars": pl.DataFrame(table, schema=NAMES),
        "csr_array": sp.csr_array(table),
    }[kind]
    column = "'weight'" if kind in NAMED else "1"
    with pytest.raises(
        ValueError,
        match=r"X has infinity or values too large for float64 in 1 of 2 columns "
        rf"\(first: {column}\); Tolerant needs finite values\. Remove these rows, or set",
    ):
        Tolerant().fit(X)


def test_nan_is_refused_where_it_is_not_accepted_and_the_remedy_named():
    table = TABLE.copy()
    table[0] = np.nan
    with pytest.raises(
        ValueError,
        match=r"X has NaN in 2 of 2 columns \(first: 'height'\); Complete needs complete rows\. "
        r"Fill them first, for example with lowdim\.PCA\(\.\.\.\)\.fit\(X\)\.impute\(X\)\.",
    ):
        Complete().fit(pd.DataFrame(table, columns=NAMES))
    Tolerant().fit(table)


def test_in_streams_and_on_dask_nan_is_found_in_the_pass_that_meets_it(tmp_path):
    blocks = [np.ones((5, 2)), np.full((5, 2), np.nan)]
    for X in (stream(lambda: blocks), da.from_array(np.concatenate(blocks), chunks=(5, 2))):
        rows = Complete().fit(X).rows  # nothing is read at the door
        with pytest.raises(ValueError, match=r"X has NaN in 2 of 2 columns \(first: 0\); Complete"):
            rows.fold(np.sum)
        rows = Tolerant().fit(X).rows
        assert rows.fold(np.sum) == 10.0 and np.isnan(rows.all_rows.fold(np.sum))
        blocks_with_inf = stream(lambda: [np.full((5, 2), np.inf)])
        with pytest.raises(ValueError, match="X has infinity"):
            Tolerant().fit(blocks_with_inf).rows.fold(np.sum)


def test_too_few_rows_are_refused_where_their_number_is_known():
    for X in (TABLE[:2], da.from_array(TABLE[:2]), as_blocks(TABLE[:2])):
        with pytest.raises(ValueError, match="X has n_samples=2; NeedsThree needs at least 3 rows"):
            NeedsThree().fit(X)
    model = NeedsThree().fit(TABLE)
    assert model.see(TABLE[:1]).shape == (1, 2)


def test_methods_that_need_all_rows_in_memory_say_so(tmp_path):
    for X in (csv_stream(tmp_path), da.from_array(TABLE)):
        with pytest.raises(
            TypeError, match=r"X is a \w+; InMemory needs all rows in memory\. Give it an array"
        ):
            InMemory().fit(X)
    InMemory().fit(TABLE)


# Finite or not


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_nan_and_infinities_are_counted_by_column(kind):
    X = np.array([[np.nan, 1.0, np.inf], [np.nan, 0.0, -np.inf], [0.0, 2.0, np.nan]])
    found = count_nonfinite(kind(X))
    assert found.nan.tolist() == [2, 0, 1] and found.inf.tolist() == [0, 0, 2]


def test_large_finite_values_are_no_infinities():
    X = np.full((10, 2), np.finfo(np.float32).max, dtype=np.float32)  # their sum is infinite
    assert not count_nonfinite(X).inf.any()
    found = check_finite_rows(Complete(), as_blocks(X), allow_nan=False)
    assert found.nan.tolist() == [0, 0]


# Rows without values


EMPTY = np.full((1, 2), np.nan)
GROWN = np.vstack([EMPTY, TABLE[:1], EMPTY, TABLE[1:]])
HOLDERS = {
    "array": lambda X: X,
    "stream": lambda X: stream(lambda: iter(np.split(X, [1, 3]))),
    "dask": lambda X: da.from_array(X, chunks=((1, 2, len(X) - 3), 2)),
    "blocks": as_blocks,
}
each_holder = pytest.mark.parametrize("hold", HOLDERS.values(), ids=HOLDERS)


@each_holder
def test_a_fit_does_not_see_rows_without_values_but_other_methods_do(hold):
    model = Tolerant().fit(hold(GROWN))
    np.testing.assert_array_equal(values(model.rows), TABLE)
    np.testing.assert_array_equal(values(model.rows.all_rows), GROWN)
    assert model.rows.n_left_out == 2 and model.rows.shape == TABLE.shape
    assert check_weights([9, 1, 9, 2, 3], model.rows).tolist() == [1.0, 2.0, 3.0]
    with pytest.raises(ValueError, match=r"sample_weight.shape == \(3,\), expected \(5,\)"):
        check_weights([1, 2, 3], model.rows)
    np.testing.assert_array_equal(model.see(hold(GROWN)), GROWN)
    seen = model.open_rows(hold(GROWN), reset=False, only_observed=True)
    np.testing.assert_array_equal(values(seen), TABLE)
    everything = model.open_rows(hold(GROWN), only_observed=False)
    np.testing.assert_array_equal(values(everything), GROWN)


@each_holder
def test_rows_left_out_by_a_fit_are_unknown_to_the_fits_within_it(hold):
    rows = Tolerant().fit(hold(GROWN)).rows
    within = Tolerant().fit(rows).rows
    assert within.all_rows.shape[0] == 3 and within.n_left_out == 0
    assert check_weights([1, 2, 3], within).tolist() == [1.0, 2.0, 3.0]


@each_holder
def test_a_fit_that_meets_nan_asks_for_the_observed_rows(hold):
    weight = np.array([9.0, 1.0, 9.0, 2.0, 3.0])
    partly = GROWN.copy()
    partly[-1, 0] = np.nan
    for X, n_observed in ((GROWN, [3, 3]), (partly, [2, 3])):
        rows = Tolerant().open_rows(hold(X), check_finite=False)
        seen = observed_rows(Tolerant(), rows, weight)
        np.testing.assert_array_equal(values(seen.rows), X[[1, 3, 4]])
        assert seen.weight.tolist() == [1.0, 2.0, 3.0]
        assert seen.n_observed.tolist() == n_observed
        assert seen.is_complete == (X is GROWN)
    rows = Tolerant().open_rows(hold(np.vstack([TABLE, partly[3:]])), check_finite=False)
    seen = observed_rows(Tolerant(), rows, weight)
    assert seen.rows is rows and seen.weight is weight and not seen.is_complete


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_only_rows_of_nothing_but_nan_are_without_values(kind):
    X = np.array([[np.nan, 1.0, np.nan], [np.nan] * 3, [0.0, 0.0, 0.0], [np.nan, 0.0, np.nan]])
    assert observed(kind(X)).tolist() == [True, False, True, True]
    assert count_nonfinite(kind(X)).empty == 1
    for some in (X[[0, 2]], X[2:]):
        assert observed(kind(some)) is None and count_nonfinite(kind(some)).empty == 0


def test_data_without_empty_rows_are_not_copied():
    X = np.vstack([TABLE, [[np.nan, 1.0], [2.0, np.nan]]])
    assert Tolerant().fit(X).rows.in_memory is X


def test_too_few_rows_with_values_are_refused():
    class Wants(Tolerant):
        min_rows = 4

    with pytest.raises(ValueError, match="n_samples=3 beside 2 rows without any observed value"):
        Wants().fit(GROWN)
    np.testing.assert_array_equal(values(Tolerant().fit(np.repeat(EMPTY, 3, axis=0)).rows), np.nan)


def test_infinity_beside_empty_rows_is_still_refused():
    X = np.vstack([GROWN, [[np.inf, 1.0]]])
    for hold in HOLDERS.values():
        with pytest.raises(ValueError, match="X has infinity"):
            Tolerant().fit(hold(X)).rows.fold(np.sum)


# Weights


def test_weights_become_float64_with_one_entry_per_row():
    rows = as_blocks(TABLE)
    for weight in ([1, 2, 0], np.float32([1, 2, 0]), pd.Series([1, 2, 0]), pl.Series([1, 2, 0]),
                   da.from_array(np.array([1, 2, 0]))):  # fmt: skip
        checked = check_weights(weight, rows)
        assert checked.dtype == np.float64 and checked.tolist() == [1.0, 2.0, 0.0]
    assert check_weights(None, rows) is None
    assert check_weights(2, rows).tolist() == [2.0, 2.0, 2.0]
    assert check_weights([1, 2, 0], stream(lambda: [TABLE])).tolist() == [1.0, 2.0, 0.0]


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ([1.0, 2.0], r"sample_weight.shape == \(2,\), expected \(3,\)"),
        ([[1.0], [2.0], [3.0]], "Sample weights must be 1D array or scalar, got 2D array"),
        ([1.0, -0.5, 2.0], r"sample_weight has a negative value \(-0\.5 for row 1\); .* 0 or more"),
        ([1.0, np.nan, 2.0], "sample_weight contains NaN"),
        ([1.0, np.inf, 2.0], "sample_weight contains infinity"),
        ([0.0, 0.0, 0.0], "must contain at least one non-zero number"),
        (["a", "b", "c"], "could not convert string to float"),
    ],
)
def test_weights_that_are_no_weights_are_refused(weight, message):
    with pytest.raises(ValueError, match=message):
        check_weights(weight, as_blocks(TABLE))


# Codes


def test_codes_need_one_column_per_component():
    assert check_codes(Complete(), [[1, 2]], 2).dtype == np.float64
    lazy = da.ones((3, 2))
    assert check_codes(Complete(), lazy, 2) is lazy
    for Z in ([[1, 2, 3]], da.ones((3, 3))):
        with pytest.raises(ValueError, match="Z has 3 columns; Complete has 2 components, one"):
            check_codes(Complete(), Z, 2)


# Arguments


def test_check_at_most_says_what_the_limit_is():
    assert check_at_most("n_components", 50, 50, "columns of X") == 50
    with pytest.raises(
        ValueError, match=r"^n_components=60 is more than the 50 columns of X; choose at most 50\.$"
    ):
        check_at_most("n_components", 60, 50, "columns of X")
    with pytest.raises(ValueError, match=r"^n_components=0 is too small; choose at least 1\.$"):
        check_at_most("n_components", 0, 50, "columns of X")


@pytest.mark.parametrize(
    "value", [True, False, 2.0, "2", None, np.float64(2), [2], np.array([1, 2])]
)
def test_what_is_not_an_int_is_refused(value):
    with pytest.raises(ValueError, match=r"^max_iter=.* must be an int, at least 1\.$"):
        check_at_least("max_iter", value, 1)


@pytest.mark.parametrize("value", [3, np.int64(3), np.uint8(3)])
def test_numpy_integers_are_ints(value):
    assert type(check_at_least("max_iter", value, 1)) is int


@pytest.mark.parametrize(
    ("value", "bounds", "message"),
    [
        (-0.1, {"low": 0.0}, r"tol=-0\.1 must be at least 0\."),
        (0.0, {"low": 0.0, "open_low": True}, r"tol=0\.0 must be more than 0\."),
        (2, {"low": 0.0, "high": 1.0}, r"tol=2 must be at least 0 and at most 1\."),
        (np.nan, {"low": 0.0}, "tol=nan must be a number, at least 0"),
        (np.inf, {}, "tol=inf must be a number, finite"),
        ("1", {"high": 1.0}, "tol='1' must be a number, at most 1"),
        (True, {}, "tol=True must be a number, finite"),
        (1j, {}, "must be a number"),
    ],
)
def test_numbers_out_of_bounds_are_refused(value, bounds, message):
    with pytest.raises(ValueError, match=message):
        check_number("tol", value, **bounds)


def test_numbers_within_bounds_become_floats():
    for value in (1, 0.5, np.float32(0.5), np.int64(1)):
        assert type(check_number("tol", value, 0.0, 1.0)) is float


def test_a_choice_must_be_one_of_the_choices():
    assert check_choice("solver", "full", ["auto", "full"]) == "full"
    assert check_choice("solver", None, (None, "full")) is None
    for wrong in ("ful", None, 3, np.array([1, 2]), ["full"], np.array("full")):
        with pytest.raises(
            ValueError, match=r"^solver=.* is not known; choose one of 'auto', 'full'\.$"
        ):
            check_choice("solver", wrong, iter(["auto", "full"]))


# ---- functions that are no estimators ------------------------------------------------------------


def test_a_function_opens_rows_and_is_called_by_its_name():
    rows = open_rows_for("silhouette", [[1, 2], [3, 4]])
    np.testing.assert_array_equal(rows.in_memory, [[1.0, 2.0], [3.0, 4.0]])
    assert np.isnan(open_rows_for("silhouette", [[1, np.nan]], nan=True).in_memory).any()
    with pytest.raises(ValueError, match=r"NaN in 1 of 2 columns \(first: 1\); coreset needs"):
        open_rows_for("coreset", [[1.0, np.nan]])
    with pytest.raises(ValueError, match="X has n_samples=1; coreset needs at least 2 rows"):
        open_rows_for("coreset", [[1.0, 2.0]], min_rows=2)
    with pytest.raises(TypeError, match="X comes in sparse blocks; coreset needs dense ones"):
        open_rows_for("coreset", stream(lambda: iter([sp.eye_array(3)])), sparse=False)
    with pytest.raises(ValueError, match="which are not numbers; coreset needs numbers"):
        open_rows_for("coreset", np.array([["a"]]))


def test_a_function_names_the_columns_of_a_frame():
    frame = pd.DataFrame({"age": [1.0, 2.0], "mass": [np.nan, 1.0]})
    with pytest.raises(ValueError, match=r"NaN in 1 of 2 columns \(first: 'mass'\)"):
        open_rows_for("coreset", frame)


def test_a_function_does_not_propose_to_be_a_model():
    with pytest.raises(TypeError, match=r"give coreset lowdim\.stream\('x\.csv'\)\.$"):
        open_rows_for("coreset", "x.csv")


def test_a_table_given_for_a_number_or_a_word_is_not_written_out():
    table = np.arange(150.0).reshape(30, 5)
    shown = r"=<ndarray of shape \(30, 5\)> "
    with pytest.raises(ValueError, match="^n_samples" + shown + "must be an int"):
        check_at_least("n_samples", table, 1)
    with pytest.raises(ValueError, match="^tol" + shown + "must be a number"):
        check_number("tol", table)
    with pytest.raises(ValueError, match="^solver" + shown + "is not known"):
        check_choice("solver", table, ["full"])
