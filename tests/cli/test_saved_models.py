"""Models from files find the columns that they need, by name or by place."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import lowdim
from lowdim.cli.saved_models import (
    columns_for,
    holds_model,
    load_table_model,
    row_names,
    with_marks,
)
from lowdim.tables.errors import TableError
from lowdim.tables.opening import open_table


def test_columns_of_a_matrix_are_found_by_their_place(run, read, write):
    X = np.array([[1.0, np.nan, 2.0], [3.0, np.nan, 5.0], [4.0, np.nan, 4.0]])
    np.save("t.npy", X)
    run("reduce", "t.npy", "-k", 1, "-o", "codes.csv", "--model", "m.lowdim")
    write("named.csv", "id,a,b,c\nr,1,,2\ns,3,,5\nt,4,,4\n")
    run("apply", "m.lowdim", "named.csv", "--id", "id", "-o", "again.csv")
    assert read("again.csv")["id"] == ["r", "s", "t"]
    assert_allclose(read("again.csv")["pca0"], read("codes.csv")["pca0"], atol=1e-12)
    message = run("apply", "m.lowdim", "named.csv", code=2).stderr
    assert "named.csv has 4 columns; the model was fitted on 3 columns" in message


def test_a_text_table_without_names_is_applied_by_place(run, read, write):
    rows = "".join(f"{i},7,{i * i % 5},{'ab'[i % 2]}\n" for i in range(1, 12))
    write("t.csv", rows)
    run("reduce", "t.csv", "--no-header", "-o", "codes.csv", "--model", "m.lowdim")
    run("apply", "m.lowdim", "t.csv", "--no-header", "-o", "again.csv")
    assert_array_equal(read("again.csv")["pca0"], read("codes.csv")["pca0"])


def test_a_missing_id_column_is_named(run, write, fitted):
    write("new.csv", "mass,length,sex,adult\n4,10,f,true\n")
    result = run("apply", fitted, "new.csv")
    assert result.stderr.startswith("no column 'name' here: rows go by their order")
    assert result.stdout.startswith("pca0,pca1\n")


def test_the_ids_can_be_in_another_column(run, read, write, fitted):
    write("new.csv", "key,mass,length,sex,adult\n007,4,10,f,true\n")
    run("apply", fitted, "new.csv", "--id", "key", "-o", "new-codes.csv")
    assert list(read("new-codes.csv")) == ["key", "pca0", "pca1"]
    with open("new-codes.csv") as file:
        assert file.readlines()[1].startswith('"007",')


def test_only_models_of_rows_can_be_applied(numbers, tmp_path):
    lowdim.TableEncoder().fit(numbers).save(tmp_path / "encoder.lowdim")
    with pytest.raises(TableError, match="holds a TableEncoder, which has no codes"):
        load_table_model(str(tmp_path / "encoder.lowdim"))
    lowdim.PCA(1).fit(numbers).save(tmp_path / "pca.lowdim")
    assert type(load_table_model(str(tmp_path / "pca.lowdim"))) is lowdim.TableModel


def test_further_marks_are_added_to_those_of_the_model():
    table = {"x": [1.5, 2.0, 4.0, 3.0], "k": ["a", "b", "b", "?"]}
    model = lowdim.TableModel(lowdim.PCA(1)).fit(table)
    assert with_marks(model, ["b"]).encoder_.encoding_.marks[-1] == "b"
    model.transform({"x": [1.0], "k": ["b"]})  # warnings are errors: no unknown level


def test_names_of_rows_are_those_wanted_of_the_model_or_of_the_table(numbers):
    table = open_table({"who": ["a", "b", "c"], "x": [1.0, 2.0, 5.0], "y": [3.0, 1.0, 2.0]})
    model = lowdim.TableModel(lowdim.PCA(1), encoder=lowdim.TableEncoder(id="who")).fit(table)
    assert row_names(model, table) == "who" and row_names(model, table, "x") == "x"
    assert row_names(model, open_table({"x": [1.0], "y": [2.0]})) is None
    with pytest.raises(TableError, match=r"has no column 'key'; .* in id="):
        row_names(model, table, "key")


def test_a_model_with_names_needs_a_table_with_names(numbers):
    model = lowdim.TableModel(lowdim.PCA(1)).fit({"x": [1.0, 2.0, 5.0], "y": [3.0, 1.0, 2.0]})
    with pytest.raises(TableError, match="has no column names, and the model was fitted with"):
        columns_for(model.encoder_.encoding_, open_table(numbers), None)


def test_a_model_is_known_by_what_is_in_the_file(tmp_path, rng):
    X = rng.normal(size=(9, 2))
    lowdim.PCA(1).fit(X).save(tmp_path / "called.csv")
    np.savez(tmp_path / "X.npz", X=X)
    (tmp_path / "t.lowdim").write_text("a,b\n1,2\n")
    found = [
        holds_model(str(tmp_path / name)) for name in ("called.csv", "X.npz", "t.lowdim", "no")
    ]
    assert found == [True, False, False, False]
    assert not holds_model("-")
