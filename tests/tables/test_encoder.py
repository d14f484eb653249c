"""TableEncoder: there and back, the same in any cut, and what later tables may look like."""

from __future__ import annotations

import warnings
from decimal import Decimal
from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

import lowdim
from lowdim import TableEncoder
from lowdim.tables.errors import TableError, TableWarning


def mixed(rng, n=200, missing=0.1):
    """A frame with a column of each kind, and missing values in all but the first."""
    day = np.datetime64("2020-01-01", "us") + rng.integers(0, 900, size=n) * np.timedelta64(1, "D")
    table = pd.DataFrame(
        {
            "person": [f"p{i:04}" for i in range(n)],
            "height": np.round(rng.normal(170, 10, size=n), 1),
            "visits": pd.array(rng.poisson(3.0, size=n), dtype="Int64"),
            "income": np.round(rng.lognormal(10, 1.5, size=n), 2),
            "share": rng.random(n),
            "smokes": pd.array(rng.random(n) < 0.3, dtype="boolean"),
            "color": pd.Categorical(rng.choice(["red", "green", "blue"], size=n)),
            "born": day,
            "unit": "kg",
        }
    )
    for name in table.columns[1:-1]:
        table.loc[rng.random(n) < missing, name] = None
    return table


# ---- there and back ------------------------------------------------------------------------------


@pytest.mark.parametrize("scale", [True, False])
@pytest.mark.parametrize("drop_level", [False, True])
def test_a_table_comes_back_as_it_was(rng, scale, drop_level):
    table = mixed(rng)
    encoder = TableEncoder(scale=scale, drop_level=drop_level).fit(table)
    back = encoder.inverse_transform(encoder.transform(table), within="observed")
    pd.testing.assert_frame_equal(back, table.drop(columns="person"), rtol=1e-9)


def test_levels_can_be_numbers_of_one_column(rng):
    table = mixed(rng)
    encoder = TableEncoder(level_columns=False).fit(table)
    X = encoder.transform(table)
    color = X[:, encoder.get_feature_names_out().tolist().index("color")]
    np.testing.assert_array_equal(color, table["color"].cat.codes.replace(-1, np.nan))
    back = encoder.inverse_transform(X, within="observed")
    pd.testing.assert_frame_equal(back, table.drop(columns="person"), rtol=1e-9)
    other = table.assign(color="pink")
    with pytest.warns(TableWarning, match="'color' has 'pink' in 200 rows"):
        assert np.isnan(encoder.transform(other)[:, encoder.encoding_.spans[5]]).all()
    with pytest.raises(ValueError, match="missing='mean' needs level_columns=True"):
        TableEncoder(level_columns=False, missing="mean").fit(table)


@pytest.mark.parametrize("library", ["pandas", "pandas pyarrow", "polars", "pyarrow", "dict"])
def test_tables_come_back_in_the_library_and_types_they_came_in(rng, library):
    frame = mixed(rng)
    table = {
        "pandas": lambda: frame,
        "pandas pyarrow": lambda: frame.convert_dtypes(dtype_backend="pyarrow"),
        "polars": lambda: pl.from_pandas(frame),
        "pyarrow": lambda: pa.Table.from_pandas(frame, preserve_index=False),
        "dict": lambda: {name: frame[name].to_numpy() for name in frame.columns},
    }[library]()
    encoder = TableEncoder().fit(table)
    back = encoder.inverse_transform(encoder.transform(table), within="observed")
    assert type(back) is type(table)
    if library.startswith("pandas"):
        pd.testing.assert_frame_equal(back, table.drop(columns="person"), rtol=1e-9)
    elif library == "polars":
        assert_frame_equal(back, table.drop("person"), rel_tol=1e-9)
    elif library == "pyarrow":
        assert back.schema.types == table.drop_columns("person").schema.types
    else:
        assert list(back) == [name for name in table if name != "person"]
        assert back["height"].dtype == np.float64


WORDS = st.text("abcd", min_size=1, max_size=3)
NUMBERS = st.floats(-1e6, 1e6, allow_nan=False, width=32)
KINDS = {
    "number": NUMBERS,
    "whole": st.integers(-(10**6), 10**6),
    "flag": st.booleans(),
    "word": st.sampled_from(["a", "b", "c d", "é", "__class__", "=1+1", "x,y", '"']),
    "date": st.datetimes(
        pd.Timestamp("1900-01-01").to_pydatetime(), pd.Timestamp("2100-01-01").to_pydatetime()
    ).map(lambda moment: moment.replace(microsecond=0)),  # a microsecond in 200 years is rounding
}


@st.composite
def tables(draw):
    """Small frames of any kinds of columns with missing values; also of one row or one level."""
    n = draw(st.integers(1, 12))
    columns, roles = {}, {"numeric": [], "categorical": []}
    for j, kind in enumerate(
        draw(st.lists(st.sampled_from(sorted(KINDS)), min_size=1, max_size=4))
    ):
        values = draw(st.lists(st.one_of(st.none(), KINDS[kind]), min_size=n, max_size=n))
        name = f"{kind} {j}"
        dtype = {"number": "Float64", "whole": "Int64", "flag": "boolean"}.get(kind)
        dtype = {"word": object, "date": "datetime64[us]"}.get(kind, dtype)
        columns[name] = pd.Series(values, dtype=dtype)
        if kind == "word" and any(value is not None for value in values):
            roles["categorical"].append(name)
        if kind in ("number", "whole") and any(value is not None for value in values):
            roles["numeric"].append(name)
    return pd.DataFrame(columns), roles


@settings(max_examples=40)
@given(tables())
def test_any_small_table_comes_back(drawn):
    table, roles = drawn
    encoder = TableEncoder(**roles, log=False)
    try:
        Z = encoder.fit_transform(table)
    except TableError as error:
        assert "no column to work on" in str(error)
        return
    back = encoder.inverse_transform(Z, within="observed")
    for name in back.columns:
        column = encoder.columns_[name]
        if column.kind == "constant":  # a constant is there in every row
            known = table[name].dropna()
            same = back[name].isna() if known.empty else back[name] == known.iloc[0]
            assert same.all()
            continue
        expected, got = table[name], back[name]
        assert got.dtype == expected.dtype
        assert got.isna().tolist() == expected.isna().tolist()
        if column.form == "number" and column.kind != "category":
            span = float(expected.astype(float).abs().max())
            np.testing.assert_allclose(
                got.dropna().astype(float), expected.dropna().astype(float), atol=1e-12 * span
            )
        else:
            assert got.dropna().tolist() == expected.dropna().tolist()


# ---- any cut -------------------------------------------------------------------------------------


def same_encoders(left, right):
    """Equal decisions, and equal numbers up to rounding."""
    assert left.n_rows_seen_ == right.n_rows_seen_
    for a, b in zip(left.columns_, right.columns_, strict=True):
        assert a._replace(codec=None) == b._replace(codec=None)
        for x, y in zip(a.codec or (), b.codec or (), strict=True):
            if isinstance(x, float | np.ndarray):
                np.testing.assert_allclose(y, x, rtol=1e-11)
            else:
                assert x == y


def test_chunks_give_the_encoder_of_the_whole(rng):
    table = mixed(rng)
    by_chunks = TableEncoder()
    cuts = [0, *sorted(rng.integers(1, len(table) - 1, size=3).tolist()), len(table)]
    for start, stop in pairwise(cuts):
        if stop > start:
            by_chunks.partial_fit(table.iloc[start:stop].reset_index(drop=True))
    same_encoders(by_chunks, TableEncoder().fit(table))


def test_the_first_part_may_be_a_single_row(rng):
    table = mixed(rng)
    encoder = TableEncoder().partial_fit(table.iloc[:1])
    with pytest.raises(TableError, match="no column to work on"):
        encoder.transform(table)
    encoder.partial_fit(table.iloc[1:].reset_index(drop=True))
    same_encoders(encoder, TableEncoder().fit(table))


def test_dask_gives_the_encoder_and_the_matrix_of_the_whole(rng):
    dd = pytest.importorskip("dask.dataframe")
    table = mixed(rng)
    table["person"] = table["person"].astype(object)
    whole = TableEncoder().fit(table)
    distributed = dd.from_pandas(table, npartitions=3)
    on_dask = TableEncoder().fit(distributed)
    same_encoders(on_dask, whole)
    Z = on_dask.transform(distributed)
    assert type(Z).__module__.startswith("dask")
    np.testing.assert_allclose(Z.compute(), whole.transform(table), rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".feather", ".jsonl"])
def test_files_give_the_numbers_of_the_frame(rng, tmp_path, ending):
    table = mixed(rng)
    path = tmp_path / f"table{ending}"
    write = {
        ".csv": lambda: table.to_csv(path, index=False),
        ".parquet": lambda: table.to_parquet(path),
        ".feather": lambda: table.to_feather(path),
        ".jsonl": lambda: table.to_json(path, orient="records", lines=True, date_format="iso"),
    }
    write[ending]()
    from_file = TableEncoder().fit(path)
    Z = from_file.transform(path)
    expected = TableEncoder().fit_transform(table)
    np.testing.assert_allclose(Z, expected, rtol=1e-9, atol=1e-9)
    streamed = lowdim.tables.open_table(path, stream=True)
    assert streamed.streamed
    rows = TableEncoder().fit(streamed).rows(streamed)
    np.testing.assert_allclose(rows.map(np.asarray), expected, rtol=1e-9, atol=1e-9)


def test_the_number_of_threads_does_not_change_the_numbers(rng, monkeypatch):
    monkeypatch.setattr("lowdim.tables.table.CHUNK_BYTES", 4000)
    table = mixed(rng)
    results = []
    for threads in (1, 3):
        with lowdim.config_context(threads=threads):
            results.append(TableEncoder().fit_transform(table))
    np.testing.assert_array_equal(*results)


# ---- matrices ------------------------------------------------------------------------------------


def test_float32_stays_float32(rng):
    X = rng.normal(size=(50, 3)).astype(np.float32)
    assert TableEncoder().fit_transform(X).dtype == np.float32
    assert TableEncoder().fit_transform(pd.DataFrame(X)).dtype == np.float32
    assert TableEncoder().fit_transform(X.astype(np.float64)).dtype == np.float64


def test_columns_of_a_matrix_are_centered_and_scaled(rng):
    X = 3.0 + 2.0 * rng.normal(size=(100, 4))
    np.testing.assert_allclose(
        TableEncoder().fit_transform(X), (X - X.mean(axis=0)) / X.std(axis=0), atol=1e-12
    )


def test_columns_can_be_scaled_about_zero(rng):
    X = 3.0 + 2.0 * rng.random(size=(100, 4))
    encoder = TableEncoder(center=False)
    np.testing.assert_allclose(encoder.fit_transform(X), X / X.std(axis=0), atol=1e-12)
    table = mixed(rng)
    encoder = TableEncoder(center=False, log=False, dates="days").fit(table)
    Z = encoder.transform(table)
    assert np.nanmin(Z) == 0.0  # of levels and dates
    back = encoder.inverse_transform(Z)
    pd.testing.assert_frame_equal(back[["height", "smokes", "color", "born"]],
                                  table[["height", "smokes", "color", "born"]])  # fmt: skip
    assert not any("minus" in column.done for column in encoder.encoding_.used)


def test_a_sparse_matrix_is_scaled_and_stays_sparse(rng):
    X = sp.random_array((200, 10), density=0.2, rng=rng, format="csr")
    Z = TableEncoder().fit_transform(X)
    assert sp.issparse(Z)
    dense = X.toarray()
    np.testing.assert_allclose(Z.toarray(), dense / dense.std(axis=0), atol=1e-12)


def test_an_array_of_words_and_numbers_is_a_table(rng):
    X = np.array([["a", 1.0], ["b", 2.0], ["a", None], ["b", 5.5]] * 5, dtype=object)
    encoder = TableEncoder().fit(X)
    assert [column.kind for column in encoder.columns_] == ["category", "positive"]


# ---- later tables --------------------------------------------------------------------------------


def test_columns_are_found_by_name(rng):
    table = mixed(rng)
    encoder = TableEncoder().fit(table)
    turned = table[table.columns[::-1]].assign(more=1)
    np.testing.assert_array_equal(encoder.transform(turned), encoder.transform(table))


def test_columns_that_are_lacking_count_as_missing(rng):
    table = mixed(rng)
    encoder = TableEncoder().fit(table)
    with pytest.warns(TableWarning, match="The table lacks 'height', 'color'; they count as"):
        Z = encoder.transform(table.drop(columns=["height", "color"]))
    names = encoder.get_feature_names_out().tolist()
    lost = [f for f, name in enumerate(names) if name.startswith(("height", "color"))]
    assert np.isnan(Z[:, lost]).all()
    with pytest.raises(TableError, match="has none of the columns that the model was fitted with"):
        encoder.transform(pd.DataFrame({"a": [1.0], "b": [2.0]}))


def test_levels_that_were_not_seen_are_none_of_the_known_ones():
    table = pd.DataFrame({"color": ["red", "blue"] * 20, "x": np.arange(40.0)})
    encoder = TableEncoder().fit(table)
    new = pd.DataFrame({"color": ["red", "pink", "pink"], "x": [1.0, 2.0, 3.0]})
    with pytest.warns(TableWarning, match="'color' has 'pink' in 2 rows"):
        Z = encoder.transform(new)
    np.testing.assert_allclose(Z[1, :2], -np.sqrt([0.5, 0.5]))
    with pytest.raises(TableError, match="which the model has never seen"):
        TableEncoder(unknown="error").fit(table).transform(new)


def test_missing_values_can_be_means_or_an_error(rng):
    table = mixed(rng)
    Z = TableEncoder(missing="mean").fit_transform(table)
    plain = TableEncoder().fit_transform(table)
    assert np.isfinite(Z).all()
    assert (Z[np.isnan(plain)] == 0).all()
    with pytest.raises(TableError, match="has missing values"):
        TableEncoder(missing="error").fit_transform(table)


@pytest.mark.parametrize(("scale", "center"), [(False, True), (True, False), (False, False)])
def test_means_are_those_of_columns_that_are_not_centered(scale, center):
    table = pd.DataFrame(
        {
            "x": [1e6, 3e6, np.nan, 8e6, 2e6],
            "tail": [1.0, 10.0, np.nan, 1000.0, 7.0],
            "size": ["small", "large", None, "large", "small"],
            "day": pd.to_datetime(["2020-01-01", "2020-01-03", None, "2020-02-01", "2020-01-09"]),
        }
    )
    wishes = {"ordered": {"size": ["small", "large"]}, "scale": scale, "center": center}
    wishes["log"] = ["tail"]
    plain = TableEncoder(**wishes).fit_transform(table)
    Z = TableEncoder(missing="mean", **wishes).fit_transform(table)
    assert np.isnan(plain[2]).all()
    np.testing.assert_allclose(Z[2], np.nanmean(plain, axis=0), rtol=1e-12)


def test_text_that_cannot_be_a_number_any_more_is_refused(rng):
    encoder = TableEncoder().fit({"x": [1.0, 2.0, 4.0], "y": [3.0, 1.0, 1.0]})
    with pytest.raises(TableError, match="Column 'x' holds text such as 'tall'"):
        encoder.transform({"x": ["tall", "2"], "y": [1.0, 2.0]})


# ---- uncertainty ---------------------------------------------------------------------------------


def test_uncertainty_is_carried_back(rng):
    table = mixed(rng, missing=0.0)
    encoder = TableEncoder().fit(table)
    Z = encoder.transform(table)
    ranges = encoder.inverse_std(Z, np.full(Z.shape, 0.5))
    assert set(ranges.levels) == {"smokes", "color"}
    np.testing.assert_allclose(ranges.levels["color"].sum(axis=1), 1.0)
    low, high = ranges.low["height"].astype(float), ranges.high["height"].astype(float)
    spread = table["height"].std(ddof=0)
    np.testing.assert_allclose(high - low, 2 * 1.96 * 0.5 * spread, rtol=1e-9)
    for name in ("visits", "income", "share"):
        low, high = ranges.low[name].astype(float), ranges.high[name].astype(float)
        assert (low >= 0).all() and (low <= high).all()
    assert (ranges.high["share"] <= 1).all()
    with pytest.raises(ValueError, match="negative entries"):
        encoder.inverse_std(Z, -np.ones(Z.shape))


# ---- the rest ------------------------------------------------------------------------------------


def test_index_of_a_frame_names_its_rows(rng):
    table = pd.DataFrame({"x": rng.normal(size=5)}, index=pd.Index(list("abcde"), name="town"))
    assert TableEncoder().fit(table).id_ == "town"
    assert TableEncoder().fit(table.reset_index(drop=True)).id_ is None


def test_infinite_values_are_missing_and_said():
    encoder = TableEncoder().fit({"x": [1.0, np.inf, 3.0, 4.0]})
    assert "1 infinite values read as missing" in encoder.columns_["x"].done
    assert np.isnan(encoder.transform({"x": [np.inf, 2.0]})[0, 0])


@pytest.mark.parametrize("of", [{}, {"numeric": ["x"]}, {"categorical": ["x"]}])
@pytest.mark.parametrize("first", [np.inf, -np.inf, np.nan])
def test_columns_of_infinite_values_only_are_left_out_and_said(first, of, tmp_path):
    table = {"x": [first, np.inf, np.inf, np.inf], "y": [1.0, 2.0, 3.0, 5.0]}
    text = tmp_path / "table.csv"
    text.write_text("x,y\n" + "".join(f"{x},{y}\n" for x, y in zip(*table.values(), strict=True)))
    for rows in (table, str(text)):
        encoder = TableEncoder(**of).fit(rows)
        assert "infinite values only" in encoder.columns_["x"].done
        assert encoder.transform(rows).shape == (4, 1)


def test_files_hold_the_encoder(rng, tmp_path):
    table = mixed(rng)
    encoder = TableEncoder().fit(table)
    encoder.save(tmp_path / "encoder.lowdim")
    again = lowdim.load(tmp_path / "encoder.lowdim")
    np.testing.assert_array_equal(again.transform(table), encoder.transform(table))
    pd.testing.assert_frame_equal(
        again.inverse_transform(encoder.transform(table)),
        encoder.inverse_transform(encoder.transform(table)),
    )
    assert repr(again.columns_) == repr(encoder.columns_)


@pytest.mark.parametrize(
    "name", ["__class__", "a\nb", "\u202ex", "x" * 1000, "", "a=b", "\x1b[31m"]
)
def test_hostile_names_do_no_harm(name, rng):
    table = pd.DataFrame({name: rng.normal(size=9), "y": rng.normal(size=9)})
    encoder = TableEncoder().fit(table)
    assert list(encoder.inverse_transform(encoder.transform(table)).columns) == [name, "y"]
    printed = repr(encoder.columns_)
    assert "\x1b" not in printed and "\u202e" not in printed and len(printed.splitlines()) == 3


def test_nothing_is_warned_about_a_plain_table(rng):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        TableEncoder().fit(mixed(rng)).transform(mixed(rng))


def test_a_text_file_without_names_is_a_table_of_any_kinds(tmp_path, rng):
    path = tmp_path / "plain.csv"
    lines = [f"{i},{'ab'[i % 2]},{rng.normal():.3f}" for i in range(40)]
    path.write_text("\n".join(lines) + "\n")
    table = lowdim.tables.open_table(path, header=False)
    encoder = TableEncoder().fit(table)
    assert [column.kind for column in encoder.columns_] == ["id", "category", "number"]
    Z = encoder.transform(table)
    assert Z.shape == (40, 3)
    np.testing.assert_allclose(Z[:, 0], np.where(np.arange(40) % 2, -1, 1) * np.sqrt(0.5))


@pytest.mark.parametrize("stream", [False, True])
def test_a_word_far_down_in_a_column_of_numbers_is_read_as_missing(tmp_path, rng, stream):
    path = tmp_path / "long.csv"
    x, y = rng.normal(size=(2, 60_000)).round(3)
    lines = [f"{a},{b}" for a, b in zip(x, y, strict=True)]
    lines[50_000] = f"broken,{y[50_000]}"
    path.write_text("x,y\n" + "\n".join(lines) + "\n")
    table = lowdim.tables.open_table(path, stream=stream)
    encoder = TableEncoder().fit(table)
    column = encoder.columns_["x"]
    assert (column.kind, column.n_missing) == ("number", 1)
    assert "'broken' read as missing" in column.done
    again = lowdim.tables.open_table(path, stream=stream)  # it does not know of the word yet
    Z = encoder.rows(again).map(np.asarray)
    assert np.isnan(Z[50_000, 0]) and np.isnan(Z).sum() == 1
    np.testing.assert_allclose(Z[:, 1], (y - y.mean()) / y.std(), atol=1e-9)


def test_a_sparse_matrix_has_the_numbers_of_the_dense_one(rng):
    X = rng.poisson(1.0, size=(60, 4)) * np.array([1.0, 2.0, 1.0, 5.0])
    sparse = lowdim.TableEncoder().fit(sp.csr_array(X))
    np.testing.assert_allclose(sparse.transform(X), sparse.transform(sp.csr_array(X)).toarray())
    np.testing.assert_allclose(sparse.inverse_transform(sparse.transform(X), None), X)
    dense = lowdim.TableEncoder().fit(X)
    np.testing.assert_array_equal(dense.transform(sp.csr_array(X)), dense.transform(X))


def test_columns_named_twice_are_renamed_and_it_is_said(rng):
    table = pd.DataFrame(rng.normal(size=(9, 3)), columns=["x", "y", "x"])
    with pytest.warns(TableWarning, match="renamed: columns that had the name of another: x_2"):
        encoder = TableEncoder().fit(table)
    assert encoder.get_feature_names_out().tolist() == ["x", "y", "x_2"]


def test_columns_that_are_not_wanted_are_not_read(rng, tmp_path, monkeypatch):
    path = tmp_path / "wide.parquet"
    pd.DataFrame(rng.normal(size=(20, 5)), columns=list("abcde")).to_parquet(path)
    table = lowdim.tables.open_table(path, stream=True)
    asked = []
    chunks = table.chunks
    monkeypatch.setattr(
        table,
        "chunks",
        lambda columns=None, size=None: asked.append(columns) or chunks(columns, size),
    )
    encoder = TableEncoder(columns=["b", "d"], id="a").fit(table)
    encoder.rows(table).map(np.asarray)
    assert all(set(columns) == {"b", "d"} for columns in asked)
    assert [c.kind for c in encoder.columns_] == ["id", "number", "ignored", "number", "ignored"]


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_durations_periods_and_zones_come_back_as_they_were(rng, library):
    table = pd.DataFrame(
        {
            "took": pd.to_timedelta(rng.integers(1, 500, size=80), unit="h"),
            "zoned": pd.date_range("2020-01-01", periods=80, freq="7h", tz="Europe/Berlin"),
            "x": rng.normal(size=80),
        }
    )
    if library == "pandas":
        table["when"] = pd.period_range("2015-01", periods=80, freq="M")
    table.loc[4, "took"] = pd.NaT
    own = {"pandas": lambda t: t, "polars": pl.from_pandas, "pyarrow": pa.Table.from_pandas}
    given = own[library](table)
    encoder = TableEncoder().fit(given)
    back = encoder.inverse_transform(encoder.transform(given), within="observed")
    if library == "pandas":
        pd.testing.assert_frame_equal(back, given, rtol=1e-9)
    else:
        types = (lambda t: t.dtypes) if library == "polars" else (lambda t: t.schema.types)
        assert types(back) == types(given)
        assert (
            back["took"].to_pylist() == given["took"].to_pylist()
            if library == "pyarrow"
            else (back["took"].to_list() == given["took"].to_list())
        )
    ranges = encoder.inverse_std(
        np.nan_to_num(encoder.transform(given)), np.ones((80, encoder.encoding_.width))
    )
    low, high = (np.asarray(end["took"]) for end in (ranges.low, ranges.high))
    assert (low <= high).all() and (low >= np.timedelta64(0)).all()


def test_dates_can_be_levels():
    table = pd.DataFrame(
        {"day": pd.to_datetime(["2020-01-01", "2020-01-02"] * 10), "x": np.arange(20.0) ** 2}
    )
    encoder = TableEncoder(categorical=["day"]).fit(table)
    assert encoder.columns_["day"].codec.width == 2
    back = encoder.inverse_transform(encoder.transform(table), within="observed")
    pd.testing.assert_frame_equal(back, table, rtol=1e-9)


def test_decimals_come_back_as_decimals(rng):
    prices = [Decimal(int(cents)).scaleb(-2) for cents in rng.integers(-9999, 9999, 60)]
    table = pd.DataFrame({"price": prices, "x": rng.normal(size=60)})
    encoder = TableEncoder().fit(table)
    back = encoder.inverse_transform(encoder.transform(table))
    assert back["price"].tolist() == prices
    assert set(map(type, back["price"])) == {Decimal}


# ---- normal scores -------------------------------------------------------------------------------


def test_a_table_of_scores_comes_back_as_it_was(rng):
    table = mixed(rng)
    encoder = TableEncoder(scores="normal").fit(table)
    back = encoder.inverse_transform(encoder.transform(table), within="observed")
    pd.testing.assert_frame_equal(back, table.drop(columns="person"), rtol=1e-9)


def test_scores_of_numbers_and_dates_look_normal_whatever_their_shape(rng):
    table = mixed(rng, n=3000, missing=0.1)
    encoder = TableEncoder(scores="normal", dates="days").fit(table)
    Z = pd.DataFrame(encoder.transform(table), columns=encoder.get_feature_names_out())
    for name in ("height", "visits", "income", "share", "born"):
        z = Z[name].to_numpy()
        assert np.array_equal(np.isnan(z), table[name].isna().to_numpy())
        z = z[~np.isnan(z)]
        assert abs(z.mean()) < 1e-3 and abs(z.std() - 1) < 1e-2
        if name != "visits":  # at quantiles of the normal distribution, to a row in a thousand
            quantiles = np.quantile(z, [0.1, 0.3, 0.5, 0.7, 0.9])
            np.testing.assert_allclose(quantiles, [-1.2816, -0.5244, 0, 0.5244, 1.2816], atol=0.02)
    assert "normal scores" in encoder.columns_["income"].done
    assert "normal scores" in encoder.columns_["born"].done


@pytest.mark.parametrize("unit", [1e-150, 1.0, 1e150])
def test_scores_have_no_units(unit, rng):
    x = rng.lognormal(size=500)
    plain = TableEncoder(scores="normal").fit_transform({"x": x, "y": rng.normal(size=500)})
    scaled = TableEncoder(scores="normal").fit({"x": unit * x, "y": plain[:, 1]})
    Z = scaled.transform({"x": unit * x, "y": plain[:, 1]})
    np.testing.assert_allclose(Z[:, 0], plain[:, 0], atol=1e-6)
    beyond = scaled.transform({"x": unit * np.array([50.0, 1e3]), "y": [0.0, 0.0]})
    assert np.isfinite(beyond).all() and beyond[1, 0] > beyond[0, 0] > Z[:, 0].max()


def test_scores_of_parts_are_those_of_the_whole(rng, tmp_path):
    table = mixed(rng, n=6000).drop(columns="unit")
    whole = TableEncoder(scores="normal").fit(table)
    parts = TableEncoder(scores="normal")
    for start in (0, 1000, 2500):
        parts.partial_fit(table.iloc[start : {0: 1000, 1000: 2500, 2500: 6000}[start]])
    table.to_csv(tmp_path / "t.csv", index=False)
    file = TableEncoder(scores="normal").fit(tmp_path / "t.csv")
    expected = whole.transform(table)
    np.testing.assert_allclose(parts.transform(table), expected, atol=1e-9)
    np.testing.assert_allclose(file.transform(tmp_path / "t.csv"), expected, atol=1e-6)


def test_scores_of_a_matrix_and_of_text_and_of_dask(rng):
    import dask.dataframe as dd

    X = rng.gamma(1.0, size=(3000, 2))
    of_matrix = TableEncoder(scores="normal").fit_transform(X)
    frame = pd.DataFrame(X, columns=["a", "b"])
    np.testing.assert_allclose(TableEncoder(scores="normal").fit_transform(frame), of_matrix)
    lazy = TableEncoder(scores="normal").fit(dd.from_pandas(frame, npartitions=5))
    np.testing.assert_allclose(lazy.transform(frame), of_matrix)
    text = {"a": [f"{x!r} kg" for x in X[:, 0].tolist()], "b": X[:, 1]}
    np.testing.assert_allclose(TableEncoder(scores="normal").fit_transform(text), of_matrix)


def test_scores_are_saved(rng, tmp_path):
    table = mixed(rng)
    encoder = TableEncoder(scores="normal").fit(table)
    encoder.save(tmp_path / "e.lowdim")
    loaded = lowdim.load(tmp_path / "e.lowdim")
    np.testing.assert_array_equal(loaded.transform(table), encoder.transform(table))


def test_missing_values_can_be_the_mean_of_scores(rng):
    table = mixed(rng)
    Z = TableEncoder(scores="normal", missing="mean", dates="days").fit_transform(table)
    absent = table["height"].isna().to_numpy()
    assert absent.any() and (Z[absent, 0] == 0).all()


def test_ranges_of_scores_hold_the_value_and_follow_the_column(rng):
    x = rng.lognormal(sigma=1.5, size=2000)
    encoder = TableEncoder(scores="normal", log=False).fit({"x": x, "y": rng.normal(size=2000)})
    ranges = encoder.inverse_std(np.zeros((1, 2)), np.ones((1, 2)))
    low, high = float(ranges.low["x"][0]), float(ranges.high["x"][0])
    found = [np.mean(x < low), np.mean(x < high)]
    np.testing.assert_allclose(found, [0.025, 0.975], atol=2e-3)


@pytest.mark.parametrize("other", ["scale", "center"])
def test_scores_need_units_to_go(other):
    with pytest.raises(ValueError, match=f"scores='normal' needs {other}=True"):
        TableEncoder(scores="normal", **{other: False}).fit({"x": [1.0, 2.0, 4.0]})


def test_a_sparse_matrix_has_no_scores():
    X = sp.random_array((20, 5), density=0.3, rng=0)
    with pytest.raises(TableError, match=r"would fill it.*leave scores=\.\.\. out"):
        TableEncoder(scores="normal").fit(X)


def test_unknown_scores_are_refused():
    with pytest.raises(ValueError, match="scores"):
        TableEncoder(scores="uniform").fit({"x": [1.0, 2.0]})
