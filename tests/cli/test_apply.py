"""`lowdim apply` gives new rows the codes that the model's own rows had."""

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import lowdim

# The same rows have the same codes


@pytest.mark.parametrize("stream", ["--stream", "--no-stream"])
def test_the_model_s_own_table_has_the_same_codes(run, read, mixed, fitted, small_chunks, stream):
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
    model = lowdim.load(fitted)
    assert list(model.estimator_.feature_names_in_) == names
    assert model.encoder_.id_ == "name"


def test_categories_that_look_like_numbers_stay_text(run, write, rng):
    codes = ["01", "02"] * 10
    pq.write_table(pa.table({"x": rng.normal(size=20), "code": codes}), "t.parquet")
    run("reduce", "t.parquet", "--model", "m.lowdim")
    write("new.csv", "x,code\n0.5,01\n0.1,02\n")
    assert run("apply", "m.lowdim", "new.csv").stderr == ""


def test_a_word_far_down_in_a_stream_of_numbers_is_refused(refused, write, numbers):
    lines = [f"{a},{b}" for a, b in zip(numbers[:, 0], numbers[:, 1], strict=True)]
    lowdim.PCA(1).fit(pq.read_table("numbers.parquet").select(["a", "b"])).save("m.lowdim")
    write("long.csv", "\n".join(["a,b", *lines * 2000, "heavy,1"]) + "\n")
    line = refused("apply", "m.lowdim", "long.csv", "--stream")
    assert "long.csv: Column 'a' holds text such as 'heavy'" in line


# Filled tables


def test_a_filled_table_is_that_of_complete(run, mixed, tmp_path):
    run("complete", mixed, "-k", 1, "--std", "-o", "filled.csv", "--model", "m.lowdim")
    run("apply", "m.lowdim", mixed, "--filled", "--std", "-o", "again.csv")
    assert (tmp_path / "again.csv").read_text() == (tmp_path / "filled.csv").read_text()
    result = run("apply", "m.lowdim", mixed, "--filled", "--stream")
    first = result.stdout.splitlines()[0]
    assert first == "name,mass,length,sex,adult,born,nothing"


def test_codes_of_a_completion_can_be_had_too(run, read, mixed):
    run("complete", mixed, "-k", 1, "--model", "m.lowdim")
    run("apply", "m.lowdim", mixed, "-o", "codes.csv")
    assert list(read("codes.csv")) == ["name", "probabilisticpca0"]


# What is said


def test_an_unknown_category_is_named(run, read, write, fitted):
    write("new.csv", "name,mass,length,sex,adult\nIda,4,10,y,true\nJon,5,11,x,false\n")
    result = run("apply", fitted, "new.csv", "-o", "new-codes.csv")
    assert result.stderr == (
        "Warning: 'sex' has 'x', 'y' in 2 rows, which the model has never seen: none of its known "
        "levels.\n"
    )
    assert np.isfinite(read("new-codes.csv")["pca0"]).all()


def test_nothing_is_written_if_unknown_levels_are_refused(refused, write, mixed, tmp_path):
    encoder = lowdim.TableEncoder(unknown="error")
    lowdim.TableModel(lowdim.PCA(1), encoder=encoder).fit(tmp_path / mixed).save("m.lowdim")
    write("new.csv", "mass,length,sex,adult,born\n4,10,x,true,2001-05-01\n")
    assert "'sex' has 'x' in 1 row" in refused("apply", "m.lowdim", "new.csv", "-o", "out.csv")
    assert not (tmp_path / "out.csv").exists()


def test_marks_of_missing_values_can_be_named(run, read, write, fitted):
    write("new.csv", "name,mass,length,sex,adult\nIda,4,none,none,true\nJon,5,11,f,false\n")
    run("apply", fitted, "new.csv", "--missing", "none", "-o", "marked.csv")
    write("new.csv", "name,mass,length,sex,adult\nIda,4,,,true\nJon,5,11,f,false\n")
    result = run("apply", fitted, "new.csv", "-o", "empty.csv")
    assert_array_equal(read("marked.csv")["pca0"], read("empty.csv")["pca0"])
    assert result.stderr == ""


def test_a_lacking_column_counts_as_missing_and_is_named(run, read, write, fitted):
    write("narrow.csv", "name,mass,sex,adult\nIda,4,f,true\n")
    result = run("apply", fitted, "narrow.csv", "-o", "narrow-codes.csv")
    assert result.stderr == "Warning: narrow.csv lacks 'length'; it counts as missing.\n"
    write("empty.csv", "name,mass,length,sex,adult\nIda,4,,f,true\n")
    run("apply", fitted, "empty.csv", "-o", "empty-codes.csv")
    assert_array_equal(read("narrow-codes.csv")["pca0"], read("empty-codes.csv")["pca0"])


def test_npy_says_that_it_has_no_room_for_ids(run, mixed, fitted):
    result = run("apply", fitted, mixed, "-o", "codes.npy")
    assert result.stderr.startswith("without row names: codes.npy")


def test_quiet_says_nothing(run, write, fitted):
    write("new.csv", "mass;length;sex;adult;extra\n4,5;10;f;true;1\n")
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
        (["m.lowdim", "other.csv"], ["other.csv has none of the columns", "'mass'"]),
        (["m.lowdim", "text.csv"], ["text.csv: Column 'mass' holds text such as 'heavy'"]),
        (["m.lowdim", "text.csv"], ["mark them as missing: --missing"]),
        (["m.lowdim", "header.csv"], ["header.csv has no rows"]),
        (["m.lowdim", "matrix.npy"], ["matrix.npy has no column names"]),
        (["m.lowdim", "mixed.csv", "--id", "nam"], ["no column 'nam'", "'name'"]),
        (["m.lowdim", "mixed.csv", "-o", "codes.doc"], ["'.doc'", "--output", ".csv"]),
        (["m.lowdim", "mixed.csv", "-o", "mixed.csv"], ["mixed.csv is read"]),
        (["m.lowdim", "mixed.csv", "-o", "m.lowdim.csv"], ["m.lowdim.csv is read (as m.lowdim)"]),
        (["m.lowdim", "mixed.csv", "-o", "no/codes.csv"], ["no folder", "Create it"]),
        (["k.lowdim", "mixed.csv", "--filled"], ["A model of KMeans does not fill missing values"]),
        (["m.lowdim", "mixed.csv", "--std"], ["--std goes with --filled"]),
    ],
)
def test_bad_input_is_refused_with_a_reason(refused, write, fitted, tmp_path, arguments, words):
    write("half.lowdim", (tmp_path / fitted).read_bytes()[:300])
    lowdim.KMeans(2).fit([[0.0], [1.0]]).save("k.lowdim")
    write("other.csv", "x,y\n1,f\n")
    (tmp_path / "m.lowdim.csv").symlink_to(tmp_path / fitted)
    write("text.csv", "mass,length,sex,adult\nheavy,1,f,true\n")
    write("header.csv", "mass,length,sex,adult\n")
    np.save(tmp_path / "matrix.npy", np.zeros((2, 4)))
    line = refused("apply", *arguments)
    assert all(word in line for word in words), line


def test_a_parquet_table_without_rows_is_refused(refused, mixed, fitted):
    pq.write_table(pacsv.read_csv(mixed).slice(0, 0), "empty.parquet")
    assert "empty.parquet has no rows" in refused("apply", fitted, "empty.parquet")


def test_a_model_without_codes_is_refused(refused, mixed, fitted, monkeypatch):
    monkeypatch.setattr(lowdim, "load", lambda path: object())
    assert "has no codes" in refused("apply", fitted, mixed)
