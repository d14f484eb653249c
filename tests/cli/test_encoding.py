"""Columns become numbers, the same way for every further table."""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

import lowdim
from lowdim.cli.encoding import (
    Choice,
    TableEncoder,
    column_moments,
    learn,
    merged,
    one_hot,
)
from lowdim.tables import CsvFormat, files, open_table


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def encoded(table, **choice):
    """The matrix that a table becomes, and the names of its columns."""
    encoder, n_rows, _, _ = learn(table, Choice(**choice))
    return encoder.rows(table, n_rows).map(np.asarray), encoder.feature_names


def notes(table, **choice):
    return learn(table, Choice(**choice)).notes


# Golden values


def test_every_kind_of_column_becomes_what_it_should(mixed):
    X, names = encoded(open_table(mixed), standardize=False)
    assert names == ["mass", "length", "sex=f", "sex=m", "adult"]
    nan = np.nan
    assert_array_equal(
        X,
        [
            [4.1, 10.5, 1, 0, 1],
            [5.3, 11.0, 0, 1, 1],
            [nan, 12.5, 0, 1, 0],
            [3.9, 9.5, 1, 0, 1],
            [4.6, nan, nan, nan, 0],
            [6.0, 13.5, 1, 0, 0],
            [5.1, 12.0, 0, 1, 1],
            [4.4, 9.0, 0, 1, 0],
        ],
    )


def test_numbers_are_scaled_by_the_deviation_of_what_is_observed(write):
    X, _ = encoded(open_table(write("t.csv", "x,y\n1,5\n3,5\n,5\n")))
    assert_array_equal(X, [[-1, 0], [1, 0], [np.nan, 0]])


def test_a_category_is_scaled_by_the_root_of_its_share(write):
    X, names = encoded(open_table(write("t.csv", "t\na\na\na\nb\n")))
    assert names == ["t=a", "t=b"]
    a, b = (1 - 0.75) / np.sqrt(0.75), -0.75 / np.sqrt(0.75)
    assert_allclose(X, [[a, -0.5]] * 3 + [[b, 1.5]], rtol=1e-15)


def test_categories_alone_have_all_variances_one(write, rng):
    # the covariance is I - sqrt(p) sqrt(p)', a projection of rank m - 1
    values = rng.permutation(list("a" * 7 + "b" * 3 + "c" * 5 + "d" * 9))
    X, _ = encoded(open_table(write("t.csv", "\n".join(["t", *values]))))
    variances = np.linalg.eigvalsh(X.T @ X / len(X))
    assert_allclose(variances, [0, 1, 1, 1], atol=1e-14)


def test_one_hot_marks_categories_and_holes_and_names_what_it_does_not_know():
    X, others = one_hot(pa.array(["b", None, "a", "z", "z"]), ["a", "b"])
    assert_array_equal(X, [[0, 1], [np.nan, np.nan], [1, 0], [0, 0], [0, 0]])
    assert others == ["z"]


# Moments


def test_moments_keep_their_digits_far_from_zero(rng):
    X = rng.normal(size=(500, 3))
    far = column_moments(X + 1e8)
    # X + 1e8 is rounded to 1.5e-8, which is the error of the deviations
    assert_allclose(far.square / 500, X.var(axis=0), rtol=1e-6)


@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_moments_of_two_parts_are_those_of_the_whole(rng, offset):
    X = rng.normal(size=(60, 4)) * [1, 10, 100, 0] + offset
    X[rng.random(X.shape) < 0.3] = np.nan
    X[:20, 2] = np.nan  # a part without a single value
    whole = merged(column_moments(X[:20]), column_moments(X[20:]))
    assert_array_equal(whole.observed, (~np.isnan(X)).sum(axis=0))
    assert_allclose(whole.mean, np.nanmean(X, axis=0), rtol=1e-14, atol=1e-14)
    assert_allclose(whole.square, column_moments(X).square, rtol=1e-8, atol=1e-18)


def test_moments_of_sparse_rows_are_those_of_dense_ones(rng):
    X = np.where(rng.random((50, 6)) < 0.2, rng.normal(size=(50, 6)), 0.0)
    X[3, 2] = np.nan
    X[:, 5] = 0.0
    for sparse, dense in zip(column_moments(sp.csr_array(X)), column_moments(X), strict=True):
        assert_allclose(sparse, dense, rtol=1e-13, atol=1e-15)


# Properties


@pytest.mark.parametrize("name", ["numbers.csv", "numbers.parquet", "numbers.npy"])
@pytest.mark.parametrize("stream", [False, True])
def test_all_files_and_ways_to_read_them_give_the_same_numbers(numbers, monkeypatch, name, stream):
    monkeypatch.setattr(files, "CSV_BLOCK_BYTES", 512)
    monkeypatch.setattr(files, "PART_BYTES", 7 * 5 * 8)
    table = open_table(name, stream=stream)
    assert len(list(table.blocks(table.names))) > 3
    X, _ = encoded(table)
    expected = (numbers - numbers.mean(axis=0)) / numbers.std(axis=0)
    # a column at 100 with a deviation of 0.1 keeps 2e-13, and every merge of parts rounds its mean
    assert_allclose(X, expected, atol=2e-11)


def test_categories_are_found_in_all_parts_of_a_stream(write, monkeypatch):
    monkeypatch.setattr(files, "CSV_BLOCK_BYTES", 64)
    lines = [f"{i},{'abc'[i // 34]}" for i in range(100)]
    name = write("t.csv", "\n".join(["x,t", *lines]))
    whole, names = encoded(open_table(name, stream=False))
    parts, same_names = encoded(open_table(name, stream=True))
    assert names == same_names == ["x", "t=a", "t=b", "t=c"]
    assert_allclose(parts, whole, rtol=1e-13)


def test_an_encoder_is_plain_data(mixed):
    table = open_table(mixed)
    encoder = learn(table, Choice(id="name")).encoder
    again = TableEncoder.from_dict(json.loads(json.dumps(encoder.to_dict())))
    assert again == encoder
    (block,) = table.blocks(encoder.needed)
    assert_array_equal(again.encode(table, block).X, encoder.encode(table, block).X)


def test_float32_stays_float32(rng):
    X = rng.normal(size=(20, 3)).astype(np.float32)
    np.save("t.npy", X)
    pq.write_table(pa.table({n: c for n, c in zip("abc", X.T, strict=True)}), "t.parquet")
    for name in ("t.npy", "t.parquet"):
        for stream in (False, True):
            rows, _ = encoded(open_table(name, stream=stream))
            assert rows.dtype == np.float32
            assert_allclose(rows.std(axis=0), 1.0, rtol=1e-5)


def test_a_sparse_matrix_is_scaled_and_stays_sparse(rng):
    X = np.where(rng.random((50, 6)) < 0.4, rng.normal(size=(50, 6)), 0.0)
    sp.save_npz("t.npz", sp.csr_array(X))
    table = open_table("t.npz")
    encoder, n_rows, n_missing, _ = learn(table, Choice())
    rows = encoder.rows(table, n_rows).in_memory
    assert sp.issparse(rows) and n_missing == 0
    assert_allclose(rows.toarray(), X / X.std(axis=0), rtol=1e-13)
    np.save("dense.npy", X)
    dense = open_table("dense.npy")
    (block,) = dense.blocks(encoder.columns)
    assert_allclose(encoder.encode(dense, block).X, rows.toarray(), rtol=1e-13)


# Which columns are used


@pytest.mark.parametrize(
    ("choice", "used"),
    [
        ({}, ["mass", "length", "sex", "adult"]),
        ({"onehot": False}, ["mass", "length", "adult"]),
        ({"max_categories": 1}, ["mass", "length", "adult"]),
        ({"max_categories": 2}, ["mass", "length", "sex", "adult"]),
        ({"columns": ["length", "mass"]}, ["mass", "length"]),
        ({"columns": ["*s"]}, ["mass"]),
        ({"columns": ["*s", "adult"]}, ["mass", "adult"]),
        ({"drop": ["mass", "a*"]}, ["length", "sex"]),
        ({"columns": ["mass", "sex"], "drop": ["sex"]}, ["mass"]),
        ({"id": "sex"}, ["mass", "length", "adult"]),
    ],
)
def test_the_user_chooses_columns(mixed, choice, used):
    assert learn(open_table(mixed), Choice(**choice)).encoder.columns == used


def test_a_name_with_the_signs_of_a_pattern_is_a_name(write):
    table = open_table(write("t.csv", "m [g],m g,x*\n1,2,3\n2,4,9\n"))
    assert learn(table, Choice(columns=["m [g]"])).encoder.columns == ["m [g]"]
    assert learn(table, Choice(drop=["x*"])).encoder.columns == ["m [g]", "m g"]


def test_text_is_a_category_if_values_come_back(write):
    rows = "".join(f"{i},n{i},{'ab'[i % 2]},same\n" for i in range(30))
    table = open_table(write("t.csv", f"x,name,t,constant\n{rows}"))
    assert learn(table, Choice()).encoder.columns == ["x", "t", "constant"]
    small = open_table(write("t.csv", "x,name\n1,a\n2,b\n3,c\n4,a\n"))
    assert learn(small, Choice()).encoder.columns == ["x"]


def test_the_number_of_missing_cells_counts_columns_that_are_used(mixed):
    assert learn(open_table(mixed), Choice()).n_missing == 3
    assert learn(open_table(mixed), Choice(columns=["mass"])).n_missing == 1


# What is said


def test_it_is_said_what_became_of_each_column(mixed):
    assert notes(open_table(mixed)) == [
        "one-hot: sex (f, m)",
        "true/false as 1/0: adult",
        "ignored: born (dates or times)",
        "ignored: nothing (no values at all)",
        "ignored: name (text, another in nearly every row)",
    ]


def test_numbers_alone_need_no_word(numbers):
    assert notes(open_table("numbers.csv")) == notes(open_table("numbers.npy")) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x,y\n1,0.1\n2,0.1\n3,0.1\n", "constant: y (adds nothing)"),
        ("x,t\n1,a\n2,a\n", "one-hot: t (a)"),
        (
            ",x\n0,5\n1,6\n",
            "ignored: '' (a column without a name, such as row numbers; keep it with",
        ),
        ("x,t\n1,?\n2,3\n3,4.5\n", "hint: t would be numbers but for values such as '?'; is the"),
        (
            'x,t\n1,"1,5"\n2,"2,5"\n',
            "hint: t would be numbers but for values such as '1,5'; is the c",
        ),
        ("1.5,2\n3,4\n5,7\n", "hint: the first line is all numbers"),
        ("x,t\n1,\n2,\n", "ignored: t (no values at all)"),
    ],
)
def test_what_may_be_wrong_is_said(write, text, said):
    assert any(note.startswith(said) for note in notes(open_table(write("t.csv", text))))


def test_a_column_of_nan_is_left_out_and_named(rng):
    X = rng.normal(size=(10, 3))
    X[:, 1] = np.nan
    np.save("t.npy", X)
    learned = learn(open_table("t.npy"), Choice())
    assert learned.encoder.columns == ["0", "2"]
    assert learned.notes == ["ignored: 1 (no values at all)"]


# Further tables


@pytest.fixture
def encoder(mixed):
    return learn(open_table(mixed), Choice(id="name")).encoder


def test_the_order_of_columns_does_not_matter(encoder, mixed, write):
    rows = [line.split(",") for line in Path(mixed).read_text().splitlines()]
    lines = [",".join(row[i] for i in (5, 3, 0, 2, 1, 4)) for row in rows]
    table, other = open_table(mixed), open_table(write("other.csv", "\n".join(lines)))
    results = []
    for here in (table, other):
        (block,) = here.blocks(encoder.fitted_to(here).columns)
        results.append(encoder.encode(here, block).X)
    assert_array_equal(*results)


def test_unknown_categories_are_none_of_those_known(encoder, write):
    table = open_table(write("t.csv", "mass,length,sex,adult\n4,10,x,true\n4,10,f,true\n"))
    (block,) = table.blocks(encoder.fitted_to(table).columns)
    X, unknown = encoder.encode(table, block)
    assert unknown == {"sex": ["x"]}
    share = 3 / 7
    assert_allclose(X[:, 2], [-np.sqrt(share), (1 - share) / np.sqrt(share)])


def test_a_column_without_values_here_is_missing(encoder, write):
    table = open_table(write("t.csv", "mass,length,sex,adult\n4,,,\n"), as_text=["sex"])
    (block,) = table.blocks(encoder.fitted_to(table).columns)
    X, unknown = encoder.encode(table, block)
    assert_array_equal(np.isnan(X), [[False, True, True, True, True]])
    assert not unknown


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("mass,sex,adult\n1,f,true\n", "t.csv lacks the column 'length' that"),
        ("sex,adult\nf,true\n", "t.csv lacks the 2 columns 'mass', 'length' that"),
        ("mass,length,sex,adult\nheavy,1,f,true\n", "t.csv has text in the column 'mass', where"),
        ("mass,length,sex,adult\n2020-01-01,1,f,true\n", "has dates or times in the column 'mass'"),
    ],
)
def test_a_table_without_the_columns_of_the_model_is_refused(encoder, write, text, message):
    with pytest.raises(ValueError, match=message.replace(".", r"\.")):
        encoder.fitted_to(open_table(write("t.csv", text)))


def test_a_matrix_cannot_stand_for_a_table_with_names(encoder):
    np.save("t.npy", np.zeros((3, 4)))
    with pytest.raises(ValueError, match=r"t\.npy has no column names.*mass, length, sex, adult"):
        encoder.fitted_to(open_table("t.npy"))


def test_columns_of_a_matrix_are_found_by_their_place_in_a_table_with_names(write):
    np.save("t.npy", np.array([[1.0, np.nan, 2.0], [3.0, np.nan, 5.0]]))
    encoder = learn(open_table("t.npy"), Choice()).encoder
    table = open_table(write("t.csv", "id,a,b,c\nr,1,0,2\n"))
    fitted = encoder.fitted_to(table, id_column="id")
    assert (fitted.columns, fitted.id) == (["a", "c"], "id")
    with pytest.raises(ValueError, match="has 4 columns; the model was fitted on a matrix of 3"):
        encoder.fitted_to(table)


def test_a_model_fitted_in_python_takes_its_columns_as_they_are(numbers):
    unnamed = lowdim.PCA(2).fit(numbers)
    named = lowdim.PCA(2).fit(pq.read_table("numbers.parquet"))
    assert TableEncoder.of_model(unnamed).columns == list("01234")
    assert TableEncoder.of_model(named).columns == list("abcde")
    assert TableEncoder.of_model(named).scale is None


@pytest.mark.parametrize(
    "damage",
    [
        {"columns": None},
        {"columns": ["a"]},
        {"scale": [1.0]},
        {"categories": {"other": ["a"]}},
        {"categories": []},
        {"further": 1},
        {"named": False},
    ],
)
def test_a_damaged_encoding_is_refused(encoder, damage):
    with pytest.raises(ValueError, match="table encoding is damaged"):
        TableEncoder.from_dict(encoder.to_dict() | damage)


# The door


@pytest.mark.parametrize(
    ("text", "choice", "message"),
    [
        ("x,y\n1,2\n", {"columns": ["z"]}, "has no column 'z'; it has x, y"),
        ("length,y\n1,2\n", {"columns": ["lenght"]}, "did you mean 'length'"),
        ("x,y\n1,2\n", {"drop": ["z*"]}, r"has no column 'z\*'"),
        ("x,y\n1,2\n", {"id": "z"}, "has no column 'z'"),
        ("x,y\n1,2\n", {"drop": ["*"]}, "--drop took all"),
        (
            "x,y\na,b\nc,d\n",
            {},
            "no column to work on .'x': text, another in nearly every row, 'y'",
        ),
        ("x,y\na,b\na,b\n", {"onehot": False}, "no column to work on .'x': text, 'y': text"),
        ("x,y\n1,2\n", {}, "has 1 row; a model needs at least 2"),
        ("x,y\n1,2\ninf,3\n", {}, "infinite values in the column 'x'"),
    ],
)
def test_a_table_that_cannot_be_used_is_refused(write, text, choice, message):
    with pytest.raises(ValueError, match=message):
        learn(open_table(write("t.csv", text)), Choice(**choice))


def test_a_parquet_table_without_rows_is_refused():
    pq.write_table(pa.table({"x": pa.array([], pa.float64())}), "t.parquet")
    with pytest.raises(ValueError, match="has no row; a model needs at least 2"):
        learn(open_table("t.parquet"), Choice())


def test_columns_of_a_matrix_go_by_their_numbers():
    np.save("t.npy", np.arange(12.0).reshape(4, 3))
    table = open_table("t.npy")
    assert learn(table, Choice(columns=["2", "0"])).encoder.columns == ["0", "2"]
    with pytest.raises(ValueError, match="has no column '3'; its columns are numbered from 0 to 2"):
        learn(table, Choice(columns=["3"]))
    with pytest.raises(ValueError, match="--id needs a table with column names"):
        learn(table, Choice(id="0"))


def test_values_too_large_to_be_scaled_are_refused_unless_the_unit_is_kept(write):
    table = open_table(write("t.csv", "x,y\n1e200,1\n-1e200,2\n"))
    with pytest.raises(ValueError, match=r"column 'x' that are too large.*--scale none"):
        learn(table, Choice())
    assert learn(table, Choice(standardize=False)).encoder.columns == ["x", "y"]


def test_further_marks_make_a_column_numbers(write):
    table = open_table(write("t.csv", "x\n1\n?\n3\n"), CsvFormat(missing=("?",)))
    X, _ = encoded(table, standardize=False)
    assert_array_equal(X.ravel(), [1, np.nan, 3])
