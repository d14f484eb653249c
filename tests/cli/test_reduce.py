"""`lowdim reduce` writes the codes that the Python class gives, and says what it did."""

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

import lowdim
from lowdim.report.tables import loadings_table
from tests.cli.codes import coordinates


def standardized(X):
    return (X - np.nanmean(X, axis=0)) / np.nanstd(X, axis=0)


# Golden values


def test_two_columns_of_correlation_r_share_the_variance_as_one_plus_r(run, write):
    # correlation 0.6: of the total of 2, the first component has 1.6
    write("t.csv", "x,y\n1,2\n2,1\n3,4\n4,3\n")
    lines = run("reduce", "t.csv").stdout.splitlines()
    assert "         pca0     80.0%     80.0%" in lines
    assert "         pca1     20.0%    100.0%" in lines


def test_the_summary_says_what_was_done(run, mixed):
    result = run("reduce", mixed, "--id", "name", "-o", "codes.csv", "--model", "m.lowdim")
    lines = result.stdout.splitlines()
    assert lines[0] == "table    mixed.csv: 8 rows, 5 columns as 6 numbers, 3 cells missing (7.5%)"
    assert lines[1].startswith("scale    standard")
    assert lines[2] == "method   PCA, 2 components"
    assert lines[3].split() == ["variance", "together"]
    assert lines[-2:] == ["codes    codes.csv", "model    m.lowdim"]
    assert result.stderr.splitlines() == [
        "one-hot: sex (f, m)",
        "as 1/0: adult (true/false)",
        "dates: born (days)",
        "ignored: nothing (no values)",
    ]


# The codes are those of the class


@pytest.mark.parametrize("name", ["numbers.csv", "numbers.parquet", "numbers.npy"])
@pytest.mark.parametrize("stream", ["--stream", "--no-stream"])
def test_codes_are_those_of_the_class_on_scaled_columns(
    run, read, numbers, small_chunks, name, stream
):
    run("reduce", name, "-k", 3, stream, "-o", "codes.csv")
    expected = lowdim.PCA(3).fit_transform(standardized(numbers))
    # two sums of 40 values in another order
    assert_allclose(coordinates(read("codes.csv")), expected, atol=1e-10)


def test_without_scaling_codes_are_those_of_the_class_on_the_table(run, read, numbers):
    run("reduce", "numbers.csv", "--scale", "none", "-o", "codes.csv")
    assert_allclose(
        coordinates(read("codes.csv")), lowdim.PCA(2).fit_transform(numbers), rtol=1e-10, atol=1e-10
    )


def test_rows_with_missing_values_have_codes(run, read, numbers):
    X = numbers.copy()
    X[::3, 1] = X[1::4, 3] = X[7, :4] = np.nan
    np.save("missing.npy", X)
    result = run("reduce", "missing.npy", "-o", "codes.csv")
    expected = lowdim.PCA(2, random_state=0).fit_transform(standardized(X))
    assert_allclose(coordinates(read("codes.csv")), expected, atol=1e-8)
    assert f"{np.isnan(X).sum()} cells missing" in result.stdout


def test_a_sparse_matrix_is_reduced_without_filling_it(run, read, rng):
    X = np.where(rng.random((60, 8)) < 0.3, rng.normal(size=(60, 8)), 0.0)
    sp.save_npz("sparse.npz", sp.csr_array(X))
    run("reduce", "sparse.npz", "-o", "codes.csv")
    expected = lowdim.PCA(2, random_state=0).fit_transform(sp.csr_array(X / X.std(axis=0)))
    assert_allclose(coordinates(read("codes.csv")), expected, atol=1e-8)


# Options


def test_codes_can_be_written_to_standard_output(run, numbers):
    result = run("reduce", "numbers.csv", "-o", "-")
    run("reduce", "numbers.csv", "-o", "codes.csv")
    with open("codes.csv") as file:
        assert result.stdout == file.read()
    assert "table    numbers.csv" in result.stderr


def test_a_table_can_come_from_standard_input(run, numbers):
    with open("numbers.csv") as file:
        text = file.read()
    result = run("reduce", "-", "-o", "codes.csv", stdin=text)
    assert result.stdout.startswith("table    Standard input: 40 rows")
    run("reduce", "numbers.csv", "-o", "same.csv")
    with open("codes.csv") as codes, open("same.csv") as same:
        assert codes.read() == same.read()


@pytest.mark.parametrize("stream", ["--stream", "--no-stream"])
def test_the_id_column_is_kept_as_it_is_and_is_no_data(
    run, read, write, numbers, small_chunks, stream
):
    ids = ["007", "NA", "a,b", 'say "x"', *(f"row {i}" for i in range(36))]
    quoted = ['"' + name.replace('"', '""') + '"' for name in ids]
    with open("numbers.csv") as file:
        header, *rows = file.read().splitlines()
    lines = [f"{header},key", *(f"{row},{name}" for row, name in zip(rows, quoted, strict=True))]
    write("named.csv", "\n".join(lines))
    run("reduce", "named.csv", "--id", "key", stream, "-o", "codes.csv")
    run("reduce", "numbers.csv", stream, "-o", "same.csv")
    codes = read("codes.csv")
    assert list(codes) == ["key", "pca0", "pca1"] and codes["key"] == ids
    # a stream of longer lines comes in other parts, whose sums round differently
    assert_allclose(coordinates(codes), coordinates(read("same.csv")), atol=1e-10)


@pytest.mark.parametrize(
    ("options", "n_columns"),
    [
        ([], 5),
        (["--columns", "mass,length"], 2),
        (["--columns", "mass", "--columns", "length"], 2),
        (["--columns", '"mass", length,sex'], 3),
        (["--drop", "sex, mass"], 3),
        (["--ignore", "*s"], 4),
        (["--max-levels", "1"], 4),
        (["--max-categories", "1"], 4),
        (["--dates", "none"], 4),
        (["--id", "mass"], 4),
    ],
)
def test_columns_are_chosen_by_options(run, mixed, options, n_columns):
    assert f" rows, {n_columns} columns" in run("reduce", mixed, *options).stdout


@pytest.fixture
def shop(write):
    """Sizes in an order, prices with a heavy tail, regions 1 to 3, dates."""
    sizes, lines = ["s", "m", "l"], ["size,price,region,day"]
    for i in range(60):
        day = f"20{10 + i // 6}-{i % 12 + 1:02d}-05"
        lines.append(f"{sizes[i * 7 % 3]},{2.0 ** (i % 20)},{i * 5 % 3 + 1},{day}")
    return write("shop.csv", "\n".join(lines) + "\n")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "one-hot: size (l, m, s)"),
        ([], "dates: day (days, season)"),
        ([], "logarithm: price (heavy tails; --log none takes the numbers as they are)"),
        (
            [],
            "hint: region: 3 different whole numbers; if they stand for categories: --categorical",
        ),
        (["--ordered", "size=s,m,l"], "ordered: size (s < m < l)"),
        (["--categorical", "region"], "one-hot: size (l, m, s), region (1, 2, 3)"),
        (["--dates", "days"], "dates: day (days)"),
        (["--log", "region,price"], "logarithm: price, region (as asked)"),
    ],
)
def test_what_columns_are_can_be_said(run, shop, options, said):
    assert said in run("reduce", shop, *options).stderr.splitlines()


def test_what_a_column_is_reaches_the_codes(run, shop):
    run("reduce", shop, "--ordered", "size=s,m,l", "--log", "none", "--model", "m.lowdim")
    names = lowdim.load("m.lowdim").encoder_.get_feature_names_out().tolist()
    assert names == ["size", "price", "region", "day", "day season sin", "day season cos"]
    kinds = {column.name: column.kind for column in lowdim.load("m.lowdim").columns_}
    assert kinds["size"] == "ordered" and kinds["region"] == "whole number"


def test_columns_of_a_matrix_are_chosen_by_number(run, read, numbers):
    run("reduce", "numbers.npy", "--columns", "0,2,4", "-o", "codes.csv")
    expected = lowdim.PCA(2).fit_transform(standardized(numbers)[:, [0, 2, 4]])
    assert_allclose(coordinates(read("codes.csv")), expected, atol=1e-10)


def test_k_can_be_a_share_of_the_variance(run, read, numbers):
    run("reduce", "numbers.csv", "-k", "0.999999", "-o", "codes.csv")
    assert coordinates(read("codes.csv")).shape == (40, 5)


@pytest.mark.parametrize(
    ("scale", "why"), [("standard", "nine tenths"), ("none", "bi-cross-validation")]
)
def test_k_auto_finds_the_planted_number(run, read, rng, scale, why):
    # three factors, each with four columns of its own; the noise is a tenth of the variance
    X = rng.normal(size=(200, 3)) @ np.kron(np.eye(3), np.ones((1, 4)))
    np.save("t.npy", X + 0.3 * rng.normal(size=(200, 12)))
    result = run("reduce", "t.npy", "-k", "auto", "--scale", scale, "-o", "codes.csv")
    assert coordinates(read("codes.csv")).shape == (200, 3)
    assert result.stderr.startswith("-k auto: 3 components, of 0 to")
    assert why in result.stderr


def test_seed_and_solver_reach_the_class(run, numbers):
    run("reduce", "numbers.npy", "--solver", "randomized", "--seed", 7, "--model", "m.lowdim")
    model = lowdim.load("m.lowdim").estimator_
    assert (model.svd_solver, model.random_state, model.n_components) == ("randomized", 7, 2)


def test_the_same_command_gives_the_same_bytes(run, numbers, tmp_path):
    for name in ("a", "b"):
        run("reduce", "numbers.csv", "--solver", "randomized", "-o", f"{name}.csv",
            "--model", f"{name}.lowdim")  # fmt: skip
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()
    assert (tmp_path / "a.lowdim").read_bytes() == (tmp_path / "b.lowdim").read_bytes()


def test_quiet_says_nothing(run, mixed):
    result = run("reduce", mixed, "-q", "-o", "codes.csv")
    assert (result.stdout, result.stderr) == ("", "")


def test_without_an_output_nothing_is_written(run, numbers, tmp_path):
    before = sorted(tmp_path.iterdir())
    assert "written  nothing; -o FILE" in run("reduce", "numbers.csv").stdout
    assert sorted(tmp_path.iterdir()) == before


def test_many_components_are_cut_short(run, rng):
    np.save("t.npy", rng.normal(size=(50, 15)))
    text = run("reduce", "t.npy", "-k", "15").stdout
    assert "pca9" in text and "pca10" not in text
    assert "and 5 more, all together 100.0%" in text


def test_a_text_table_of_another_form_is_read(run, read, write):
    text = "näme;größe;höhe\nä;1,5;?\nö;2,5;4\nü;4,0;7\nß;0,5;1\n"
    write("t.csv", text.encode("latin-1"))
    run("reduce", "t.csv", "--delimiter", ";", "--decimal", ",", "--encoding", "latin-1",
        "--missing", "?", "--id", "näme", "-k", 1, "-o", "codes.csv")  # fmt: skip
    assert read("codes.csv")["näme"] == list("äöüß")
    result = run("reduce", "t.csv", "--encoding", "latin-1", "-k", 1, "-o", "found.csv")
    assert result.stderr.startswith("read as: ';' between columns, ',' for decimals, ")
    assert_array_equal(read("found.csv")["pca0"], read("codes.csv")["pca0"])


def test_a_table_without_a_header_is_read(run, write):
    write("t.csv", "1,2\n2,1\n3,4\n4,3\n")
    assert "t.csv: 4 rows, 2 columns" in run("reduce", "t.csv", "--no-header").stdout


def test_numbers_need_no_pyarrow(numbers, tmp_path):
    script = (
        "import sys\nfor name in ('pyarrow', 'pyarrow.lib', 'pyarrow.csv'):\n"
        "    sys.modules[name] = None\n"
        "from lowdim.cli import main\nmain()"
    )
    files = [str(tmp_path / "numbers.npy"), "-o", str(tmp_path / "codes.npy")]
    command = [sys.executable, "-c", script, "reduce", *files]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert np.load(tmp_path / "codes.npy").shape == (40, 2)


def test_factor_analysis_prints_the_loadings_of_the_class(run, rng):
    # two factors with four columns each, of which a third is noise: far from a Heywood case
    X = rng.normal(size=(300, 2)) @ np.kron(np.eye(2), np.ones((1, 4)))
    X += 0.7 * rng.normal(size=X.shape)
    pq.write_table(pa.table({n: c for n, c in zip("abcdefgh", X.T, strict=True)}), "t.parquet")
    text = run("reduce", "t.parquet", "--method", "fa", "--rotation", "varimax").stdout
    fa = lowdim.FactorAnalysis(2, rotation="varimax").fit(standardized(X))
    table = loadings_table(fa.components_.T, fa.noise_variance_, "abcdefgh")
    assert text.endswith(f"\n\n{table.to_text()}\n")


# The door


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nothing.csv"], ["There is no file nothing.csv"]),
        (["mixed.csv", "-k", "9"], ["-k 9", "6 numbers", "at most 6"]),
        (["mixed.csv", "--columns", "weight"], ["no column 'weight'"]),
        (["mixed.csv", "--id", "nam"], ["no column 'nam'", "did you mean 'name'?"]),
        (["mixed.csv", "--columns", "name"], ["no column to work on", "'name'"]),
        (["mixed.csv", "--solver", "nonsense"], ["svd_solver", "nonsense"]),
        (["mixed.csv", "-o", "codes.doc"], ["'.doc'", "--output", ".parquet"]),
        (["mixed.csv", "-o", "codes"], [".csv"]),
        (["mixed.csv", "-o", "no/such/codes.csv"], ["no folder", "no/such", "Create it"]),
        (["mixed.csv", "--model", "no/such/m.lowdim"], ["no folder", "--model"]),
        (["mixed.csv", "-o", "mixed.csv"], ["mixed.csv is read"]),
        (["mixed.csv", "--model", "./mixed.csv"], ["./mixed.csv is read (as mixed.csv)"]),
        (["mixed.csv", "-o", "x.csv", "--model", "./x.csv"], ["would be written twice"]),
        (["mixed.csv", "-o", "folder.csv"], ["folder.csv is a folder"]),
        (["mixed.csv", "--encoding", "klingon"], ["The encoding 'klingon'", "--encoding"]),
        (["mixed.csv", "--delimiter", ",", "--decimal", ","], ["--separator"]),
        (["mixed.csv", "--categorical", "sex", "--numeric", "sex"], ["'sex'", "Name it once"]),
        (["mixed.csv", "--ordered", "sex"], ["sex", "size=small,medium,large"]),
        (["mixed.csv", "--ordered", "sex=f,x"], ["'m'", "--ordered"]),
        (["one_row.csv"], ["one_row.csv", "1 row"]),
    ],
)
def test_bad_input_is_refused_with_a_reason(refused, mixed, write, tmp_path, arguments, words):
    (tmp_path / "folder.csv").mkdir()
    write("one_row.csv", "x,y\n1,2\n")
    line = refused("reduce", *arguments)
    assert all(word in line for word in words), line


def test_nothing_is_read_before_the_output_is_known_to_be_possible(refused):
    line = refused("reduce", "absent.csv", "-o", "nowhere/codes.csv")
    assert "There is no folder" in line and "nowhere to write codes.csv to" in line


def test_a_folder_that_cannot_be_written_to_is_refused(refused, mixed, monkeypatch):
    monkeypatch.setattr("lowdim.tables.writing.os.access", lambda path, mode: False)
    assert "cannot be written to" in refused("reduce", mixed, "-o", "codes.csv")


def test_a_full_disk_leaves_no_half_file(refused, mixed, tmp_path, monkeypatch):
    def fail(*arguments):
        raise OSError(28, "No space left on device", "codes.csv")

    monkeypatch.setattr("lowdim.tables.writing.CsvWriter.write", fail)
    assert refused("reduce", mixed, "-o", "codes.csv") == (
        "Error: codes.csv: No space left on device."
    )
    assert [path.name for path in tmp_path.iterdir()] == ["mixed.csv"]


# Parts that add up


def test_parts_are_those_of_columns_that_are_scaled_and_not_centred(run, read, write, rng):
    X = np.round(rng.gamma(1.0, size=(40, 2)) @ rng.gamma(1.0, size=(2, 4)), 6)
    write("t.csv", "\n".join(["a,b,c,d", *(",".join(map(repr, row.tolist())) for row in X)]) + "\n")
    lines = run("reduce", "t.csv", "--method", "nmf", "-o", "codes.csv").stdout.splitlines()
    assert "method   NMF, 2 components" in lines
    expected = lowdim.NMF(2, random_state=0).fit_transform(X / X.std(axis=0))
    codes = read("codes.csv")
    assert_allclose(np.column_stack([codes["nmf0"], codes["nmf1"]]), expected, atol=1e-6)


def test_a_column_with_negative_values_is_named_where_parts_add_up(refused, write):
    write("t.csv", "x,y,z\n1,2,3\n2,-1,4\n3,4,5.5\n4,3,1\n")
    message = refused("reduce", "t.csv", "--method", "nmf")
    assert "--method nmf takes values of 0 or more, and 'y' has negative ones" in message
