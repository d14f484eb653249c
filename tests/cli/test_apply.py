"""`lowdim apply` gives new rows the codes that the model's own rows had."""

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_allclose

import lowdim


@pytest.fixture
def fitted(run, mixed):
    """A model of the mixed table, m.lowdim, and the codes of its rows, codes.csv."""
    run("reduce", mixed, "--id", "name", "-o", "codes.csv", "--model", "m.lowdim")
    return "m.lowdim"


# The same rows have the same codes


@pytest.mark.parametrize("stream", ["--stream", "--no-stream"])
def test_the_model_s_own_table_has_the_same_codes(run, read, mixed, fitted, stream):
    result = run("apply", fitted, mixed, stream, "-o", "again.csv")
    codes, again = read("codes.csv"), read("again.csv")
    assert codes["name"] == again["name"]
    for name in ("pca0", "pca1"):
        # blocks of another size may round differently in their products
        assert_allclose(again[name], codes[name], atol=1e-12)
    assert (result.stdout, result.stderr) == ("codes    again.csv: 8 rows\n", "")


def test_order_further_columns_and_kind_of_file_do_not_matter(run, read, mixed, fitted):
    table = pacsv.read_csv(mixed).append_column("extra", [list("abcdefgh")])
    order = ["sex", "extra", "length", "name", "adult", "mass"]
    pq.write_table(table.select(order), "other.parquet")
    result = run("apply", fitted, "other.parquet", "-o", "again.csv")
    assert read("again.csv")["name"] == read("codes.csv")["name"]
    assert_allclose(read("again.csv")["pca0"], read("codes.csv")["pca0"], atol=1e-12)
    assert result.stderr == "ignored: extra (not part of the model)\n"


def test_one_row_is_enough(run, read, write, fitted):
    write("one.csv", "name,mass,length,sex,adult\nAnn,4.1,10.5,f,true\n")
    run("apply", fitted, "one.csv", "-o", "one-code.csv")
    assert_allclose(read("one-code.csv")["pca0"], read("codes.csv")["pca0"][:1], atol=1e-12)


def test_codes_go_to_standard_output_by_default(run, mixed, fitted):
    result = run("apply", fitted, mixed)
    with open("codes.csv") as file:
        assert result.stdout == file.read()
    assert result.stderr == ""


def test_a_table_can_come_from_standard_input(run, mixed, fitted):
    with open(mixed) as file:
        result = run("apply", fitted, "-", stdin=file.read())
    with open("codes.csv") as file:
        assert result.stdout == file.read()


def test_a_model_saved_in_python_can_be_applied(run, read, numbers):
    model = lowdim.PCA(2).fit(numbers)
    model.save("plain.lowdim")
    lowdim.PCA(2).fit(pq.read_table("numbers.parquet")).save("named.lowdim")
    for name in ("plain.lowdim", "named.lowdim"):
        run("apply", name, "numbers.csv", "-o", "codes.csv")
        assert_allclose(read("codes.csv")["pca0"], model.transform(numbers)[:, 0], atol=1e-10)


def test_the_model_knows_the_names_of_its_columns(fitted):
    names = ["mass", "length", "sex=f", "sex=m", "adult"]
    assert list(lowdim.load(fitted).feature_names_in_) == names


def test_categories_that_look_like_numbers_stay_text(run, write, rng):
    codes = ["01", "02"] * 10
    pq.write_table(pa.table({"x": rng.normal(size=20), "code": codes}), "t.parquet")
    run("reduce", "t.parquet", "--model", "m.lowdim")
    write("new.csv", "x,code\n0.5,01\n0.1,02\n")
    assert run("apply", "m.lowdim", "new.csv").stderr == ""


# What is said


def test_an_unknown_category_is_named(run, read, write, fitted):
    write("new.csv", "name,mass,length,sex,adult\nIda,4,10,?,true\nJon,5,11,x,false\n")
    result = run("apply", fitted, "new.csv", "-o", "new-codes.csv")
    assert result.stderr == "unknown: sex has '?', 'x', counted as no category\n"
    assert np.isfinite(read("new-codes.csv")["pca0"]).all()


def test_a_missing_id_column_is_named(run, write, fitted):
    write("new.csv", "mass,length,sex,adult\n4,10,f,true\n")
    result = run("apply", fitted, "new.csv")
    assert result.stderr.startswith("no id column 'name' here")
    assert result.stdout.startswith("pca0,pca1\n")


def test_the_ids_can_be_in_another_column(run, read, write, fitted):
    write("new.csv", "key,mass,length,sex,adult\n007,4,10,f,true\n")
    run("apply", fitted, "new.csv", "--id", "key", "-o", "new-codes.csv")
    assert list(read("new-codes.csv")) == ["key", "pca0", "pca1"]
    with open("new-codes.csv") as file:
        assert file.readlines()[1].startswith("007,")


def test_npy_says_that_it_has_no_room_for_ids(run, mixed, fitted):
    result = run("apply", fitted, mixed, "-o", "codes.npy")
    assert result.stderr.startswith("without ids: codes.npy")


def test_quiet_says_nothing(run, write, fitted):
    write("new.csv", "mass,length,sex,adult,extra\n4,10,z,true,1\n")
    result = run("apply", fitted, "new.csv", "--quiet", "-o", "new-codes.csv")
    assert (result.stdout, result.stderr) == ("", "")


# The door


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["m.lowdim", "absent.csv"], ["There is no file absent.csv"]),
        (["absent.lowdim", "mixed.csv"], ["absent.lowdim"]),
        (["mixed.csv", "mixed.csv"], ["mixed.csv", "not a lowdim file"]),
        (["half.lowdim", "mixed.csv"], ["half.lowdim"]),
        (["m.lowdim", "narrow.csv"], ["narrow.csv lacks the column 'length'"]),
        (["m.lowdim", "text.csv"], ["text.csv has text in the column 'mass'"]),
        (["m.lowdim", "header.csv"], ["header.csv has no rows"]),
        (["m.lowdim", "matrix.npy"], ["matrix.npy has no column names"]),
        (["m.lowdim", "mixed.csv", "--id", "nam"], ["no column 'nam'", "'name'"]),
        (["m.lowdim", "mixed.csv", "-o", "codes.xlsx"], ["'.xlsx'"]),
        (["m.lowdim", "mixed.csv", "-o", "mixed.csv"], ["is the table itself"]),
        (["m.lowdim", "mixed.csv", "-o", "no/codes.csv"], ["no folder no"]),
    ],
)
def test_bad_input_is_refused_with_a_reason(refused, write, fitted, tmp_path, arguments, words):
    write("half.lowdim", (tmp_path / fitted).read_bytes()[:300])
    write("narrow.csv", "mass,sex,adult\n1,f,true\n")
    write("text.csv", "mass,length,sex,adult\nheavy,1,f,true\n")
    write("header.csv", "mass,length,sex,adult\n")
    np.save(tmp_path / "matrix.npy", np.zeros((2, 4)))
    line = refused("apply", *arguments)
    assert all(word in line for word in words), line


def test_a_parquet_table_without_rows_is_refused(refused, mixed, fitted):
    pq.write_table(pacsv.read_csv(mixed).slice(0, 0), "empty.parquet")
    assert "empty.parquet has columns but no rows" in refused("apply", fitted, "empty.parquet")


def test_a_model_without_codes_is_refused(refused, mixed, fitted, monkeypatch):
    monkeypatch.setattr(lowdim, "load", lambda path: object())
    assert "has no codes" in refused("apply", fitted, mixed)
