"""Models from files find the columns that they need, by name or by place."""

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal


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
