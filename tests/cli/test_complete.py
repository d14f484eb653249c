"""`lowdim complete` fills missing values in the table's own kinds, and leaves what is there."""

import csv
import re
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import lowdim

METHODS = ["ppca", "als", "softimpute", "vae"]


def matrix(table):
    return np.column_stack([table[name] for name in "abcde"])


def test_what_is_written_is_what_the_class_imputes(run, read, incomplete):
    run("complete", "incomplete.csv", "--id", "name", "-k", 2, "--std", "-o", "filled.csv")
    table = read("filled.csv")
    there = ~np.isnan(incomplete)
    assert_array_equal(matrix(table)[there], incomplete[there])
    mean, scale = np.nanmean(incomplete, axis=0), np.nanstd(incomplete, axis=0)
    model = lowdim.ProbabilisticPCA(2, random_state=0).fit((incomplete - mean) / scale)
    filled, std = model.impute((incomplete - mean) / scale, return_std=True)
    within = np.clip(
        filled * scale + mean, np.nanmin(incomplete, axis=0), np.nanmax(incomplete, axis=0)
    )
    assert_allclose(matrix(table)[~there], within[~there], rtol=1e-6)
    for f, name in enumerate("abcde"):
        if np.isnan(incomplete[:, f]).any():
            assert_allclose(table[f"{name}_std"], std[:, f] * scale[f], rtol=1e-6, atol=1e-12)
        else:
            assert f"{name}_std" not in table


@pytest.mark.parametrize("method", METHODS)
def test_every_method_fills_all_missing_values_near_the_truth(
    run, read, incomplete, numbers, method
):
    if method == "vae":
        pytest.importorskip("torch")
    run("complete", "incomplete.csv", "--id", "name", "--method", method, "-o", "f.csv", "-q")
    filled = matrix(read("f.csv"))
    there = ~np.isnan(incomplete)
    assert_array_equal(filled[there], incomplete[there])
    assert np.isfinite(filled).all()
    error = ((filled - numbers) / numbers.std(axis=0))[~there]
    assert np.sqrt(np.mean(error**2)) < 1.5  # 1: the mean of the column


def test_what_was_there_stays_to_the_last_digit(run, read, write, rng):
    X = np.exp(rng.normal(scale=4.0, size=(60, 3)))  # scaling and back would cost digits
    X[::7, 0] = np.nan
    rows = [",".join("" if np.isnan(x) else repr(float(x)) for x in row) for row in X]
    run("complete", write("wide.csv", "\n".join(["a,b,c", *rows, ""])), "-k", 1, "-o", "f.csv")
    there = ~np.isnan(X[:, 0])
    assert_array_equal(read("f.csv")["a"][there], X[there, 0])


def test_ids_keep_their_zeros_and_columns_their_order(run, incomplete, tmp_path):
    run("complete", "incomplete.csv", "--id", "name", "-o", "filled.csv")
    first, second = (tmp_path / "filled.csv").read_text().splitlines()[:2]
    assert first == "name,a,b,c,d,e" and second.startswith('"00",')


def test_streamed_and_in_memory_are_the_same(run, read, incomplete):
    arguments = ("complete", "incomplete.csv", "--id", "name", "-k", "2")
    run(*arguments, "--stream", "-o", "s.csv")
    run(*arguments, "--no-stream", "-o", "m.csv")
    assert_allclose(matrix(read("s.csv")), matrix(read("m.csv")), rtol=1e-6)


def test_text_gets_the_likeliest_category(run, read, write):
    random = np.random.default_rng(0)
    lines = ["size,weight,kind,ok,day,remark"]
    for i in range(40):
        size = (i % 2) * 10 + random.normal()
        kind = ["small", "large"][i % 2]
        ok = ["true", "false"][i % 2]
        kind, ok = ("", "") if i in (6, 7) else (kind, ok)
        lines.append(f'{size:.3f},{2 * size:.3f},{kind},{ok},2020-01-{i % 28 + 1:02d},"a, {i}"')
    run("complete", write("t.csv", "\n".join(lines) + "\n"), "-k", 1, "-o", "f.csv")
    table = read("f.csv")
    assert table["kind"][6:8] == ["small", "large"]
    assert table["ok"][6:8] == ["true", "false"]
    assert table["day"][3] == "2020-01-04" and table["remark"][3] == "a, 3"


def test_the_summary_says_what_is_to_be_filled(run, incomplete, tmp_path):
    result = run("complete", "incomplete.csv", "--id", "name")
    count = int(np.isnan(incomplete[:, 0]).sum())
    assert "method   ProbabilisticPCA" in result.stdout
    assert f"to fill  a {count}" in result.stdout or count == 0
    assert "written  nothing" in result.stdout
    assert sorted(p.name for p in tmp_path.glob("*.csv")) == ["incomplete.csv", "numbers.csv"]


def test_a_table_without_missing_values_stays_as_it_is(run, read, numbers):
    result = run("complete", "numbers.csv", "-o", "f.csv", "--std")
    assert "filled   nothing" in result.stdout
    table = read("f.csv")
    assert_array_equal(matrix(table), numbers)
    assert list(table) == list("abcde")


def test_whole_numbers_without_missing_values_stay_whole(run, write, tmp_path):
    rows = "".join(f"{i},{i * 2 + 1},{'' if i == 3 else i * 0.5}\n" for i in range(12))
    run("complete", write("t.csv", "n,m,x\n" + rows), "-k", 1, "-o", "f.csv")
    lines = (tmp_path / "f.csv").read_text().splitlines()
    assert lines[2] == "1,3,0.5"
    assert float(lines[4].split(",")[2]) == pytest.approx(1.5, abs=0.2)


def test_the_model_can_be_saved_and_applied(run, read, incomplete):
    run("complete", "incomplete.csv", "--id", "name", "-k", 2, "--model", "m.lowdim")
    run("apply", "m.lowdim", "incomplete.csv", "-o", "codes.csv")
    assert len(read("codes.csv")["name"]) == 40


def test_csv_on_standard_output(run, incomplete):
    result = run("complete", "incomplete.csv", "--id", "name", "-k", "2", "-o", "-")
    assert result.stdout.startswith('name,a,b,c,d,e\n"00",')
    assert "table    incomplete.csv" in result.stderr


def test_cells_that_do_not_apply_stay_empty_unless_asked(run, read, write):
    rows = "".join(
        f"{i * 37 % 11},{'storm' if i % 3 else 'hurricane'},{'' if i % 3 or i == 9 else i % 5}\n"
        for i in range(300)
    )
    write("t.csv", "wind,status,category\n" + rows)
    result = run("complete", "t.csv", "-k", 1, "-o", "f.csv")
    assert "filled   category 1\n" in result.stdout
    assert "empty    category 200 (do not apply; --fill-all fills them)" in result.stdout
    filled = read("f.csv")["category"]
    assert all((cell == "") == bool(i % 3) for i, cell in enumerate(filled))
    assert filled[9] in {"0", "1", "2", "3", "4"}
    result = run("complete", "t.csv", "-k", 1, "--fill-all", "-o", "f.csv")
    assert "filled   category 201\n" in result.stdout and "empty" not in result.stdout
    assert set(read("f.csv")["category"]) <= {0, 1, 2, 3, 4}


def test_filled_values_are_such_as_the_column_has(run, tmp_path, write, rng):
    lines = ["share,count,price,day"]
    for i in range(50):
        size = rng.normal() + 4 * (i % 2)
        cells = [f"{0.1 + 0.05 * (i % 2):.2f}", f"{3 + 2 * (i % 2)}", f'"${900 + 200 * (i % 2):,}"']
        cells = ["" if rng.random() < 0.1 else cell for cell in cells]
        lines.append(
            ",".join([*cells, f"2024-01-{i % 28 + 1:02d}" if i != 7 else "", f"{size:.3f}"])
        )
    lines[0] += ",size"
    write("t.csv", "\n".join(lines) + "\n")
    run("complete", "t.csv", "-k", 1, "-o", "f.csv")
    for line in csv.DictReader((tmp_path / "f.csv").read_text().splitlines()):
        assert re.fullmatch(r"0\.1\d", line["share"]) and line["count"] in {"3", "4", "5"}
        assert re.fullmatch(r"\$(9\d\d|1,[01]\d\d)", line["price"])
        assert re.fullmatch(r"2024-01-\d\d", line["day"])


# The door


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--std", "--method", "als"], "--std does not go with --method als"),
        (["-k", "0.5"], "share of variance"),
        (["-k", "9"], "choose at most"),
        (["-o", "filled.doc"], "End --output in .csv"),
        (["-o", "filled.npy"], "filled.npy holds numbers only; column 'name'"),
        (["-o", "nowhere/f.csv"], "no folder"),
        (["-o", "incomplete.csv"], "incomplete.csv is read"),
        (["-o", "-", "--model", "-"], "would be written twice"),
    ],
)
def test_bad_input_is_one_line(refused, write, arguments, message):
    rows = "".join(f"n{i},{i % 3},{'' if i == 3 else i}\n" for i in range(9))
    write("incomplete.csv", "name,a,b\n" + rows)
    assert message in refused("complete", "incomplete.csv", "--id", "name", *arguments)


# By a network


def test_a_network_fills_and_says_how_sure_it_is(run, read, incomplete):
    pytest.importorskip("torch")
    run("complete", "incomplete.csv", "--id", "name", "--method", "vae", "-k", 2, "--std",
        "-o", "filled.csv", "--model", "m.lowdim")  # fmt: skip
    table = read("filled.csv")
    mean, scale = np.nanmean(incomplete, axis=0), np.nanstd(incomplete, axis=0)
    X = (incomplete - mean) / scale
    model = lowdim.VAE(2, random_state=0).fit(X)
    filled, std = model.impute(X, return_std=True)
    low, high = np.nanmin(incomplete, axis=0), np.nanmax(incomplete, axis=0)
    expected = np.clip(filled * scale + mean, low, high)
    assert_allclose(matrix(table), np.where(np.isnan(X), expected, incomplete), rtol=1e-3)
    for f in np.flatnonzero(np.isnan(X).any(axis=0)):
        assert_allclose(table[f"{'abcde'[f]}_std"], std[:, f] * scale[f], rtol=1e-3, atol=1e-9)
    run("apply", "m.lowdim", "incomplete.csv", "--filled", "--std", "-o", "again.csv")
    again = read("again.csv")
    assert list(again) == list(table)
    assert_array_equal(matrix(again), matrix(table))


def test_the_number_of_components_of_a_network_is_said(run, incomplete):
    pytest.importorskip("torch")
    result = run("complete", "incomplete.csv", "--id", "name", "--method", "vae")
    assert re.search(r"-k auto: \d+ for a network", result.stderr)
    assert "method   VAE" in result.stdout


def test_a_network_without_torch_says_what_to_install(refused, incomplete, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)  # as if it were not installed
    line = refused("complete", "incomplete.csv", "--method", "vae", "--std")
    assert "--method vae needs torch" in line and "pip install 'lowdim[deep]'" in line


def test_flags_and_dates_are_written_as_they_were_read(run, write, tmp_path, rng):
    lines = ["x,flag,when"]
    for i in range(40):
        flag = "" if i in (3, 7) else ("True", "False")[rng.integers(2)]
        lines.append(f"{rng.normal():.8f},{flag},2024-03-01 {i % 24:02d}:30")
    table = write("t.csv", "\n".join(lines) + "\n")
    run("complete", table, "--method", "ppca", "-o", "filled.csv", "-q")
    written = (tmp_path / "filled.csv").read_text().splitlines()
    for line, filled in zip(lines, written, strict=True):
        assert re.fullmatch(line.replace(",,", ",(True|False),"), filled)
