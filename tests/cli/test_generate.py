"""`lowdim generate` draws rows with the columns, order and kinds of a table."""

import re

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import lowdim
from lowdim.cli import generators
from lowdim.cli.generators import NAMES
from tests.cli.surveys import GROUPS, survey

COLUMNS = ["age", "height", "group", "member", "day"]


NETWORKS = ("vae", "transformer", "diffusion", "gan")


@pytest.fixture(autouse=True)
def _few_steps(monkeypatch):
    monkeypatch.setattr(generators, "STEPS", 40)
    monkeypatch.setattr(generators, "READ_STEPS", 40)


@pytest.fixture
def table(write, rng):
    return write("survey.csv", survey(rng))


@pytest.fixture
def complete(write, rng):
    return write("complete.csv", survey(rng, holes=0.0))


@pytest.mark.parametrize("method", NAMES)
def test_rows_have_the_columns_and_kinds_of_the_table(run, read, table, complete, method, tmp_path):
    if method in NETWORKS:
        pytest.importorskip("torch")
    table = complete if method == "gan" else table
    run("generate", table, "-n", 40, "--method", method, "-o", "s.csv", "-q")
    rows = read("s.csv")
    assert list(rows) == COLUMNS  # neither names of rows nor remarks
    assert len(rows["age"]) == 40
    assert_array_equal(rows["age"], np.rint(rows["age"]))
    assert set(rows["group"]) <= set(GROUPS) and set(rows["member"]) <= {"yes", "no"}
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\d", day) for day in rows["day"])
    second = [line.split(",")[1] for line in (tmp_path / "s.csv").read_text().splitlines()[1:]]
    assert all(re.fullmatch(r"\d+\.\d", cell) for cell in second)  # filled, one decimal


def test_groups_keep_what_belongs_to_them(run, read, table):
    run("generate", table, "-n", 300, "--method", "mixture", "-o", "s.csv", "-q")
    rows = read("s.csv")
    group = np.array(rows["group"])
    means = [rows["age"][group == name].mean() for name in GROUPS]
    assert means[0] + 5 < means[1] < means[2] - 5
    shares = [np.mean(group == name) for name in GROUPS]
    assert min(shares) > 0.15


def test_holes_are_those_of_the_table(run, read, table):
    run("generate", table, "-n", 600, "--method", "ppca", "--holes", "-o", "s.csv", "-q")
    rows = read("s.csv")
    for name in ("height", "group"):
        empty = np.mean([cell == "" for cell in rows[name]])
        real = np.mean([cell == "" for cell in read("survey.csv")[name]])
        assert abs(empty - real) < 0.07
    assert np.isfinite(rows["age"]).all()


def test_gan_needs_complete_rows_and_says_what_to_do(refused, table):
    pytest.importorskip("torch")
    said = refused("generate", table, "--method", "gan", "-o", "s.csv")
    assert "empty cells in 'height', 'group', and --method gan needs complete rows" in said
    assert "`lowdim complete`" in said and "transformer" in said


@pytest.mark.parametrize("method", ["transformer", "diffusion"])
def test_networks_draw_what_is_not_given(run, read, table, method, monkeypatch):
    pytest.importorskip("torch")
    monkeypatch.setattr(generators, "STEPS", 300)
    monkeypatch.setattr(generators, "READ_STEPS", 300)
    given = ("--given", "group=east", "--method", method)
    run("generate", table, "-n", 60, *given, "-o", "s.csv", "-q")
    rows = read("s.csv")
    assert set(rows["group"]) == {"east"} and len(rows["age"]) == 60
    assert rows["age"].mean() > 36  # of the table: 34


def test_auto_takes_the_one_that_is_told_least(run, table):
    said = run("generate", table, "-n", 5, "-o", "s.csv").stderr
    assert "--method auto leaves out gan (the table has empty cells)" in said
    line = next(line for line in said.splitlines() if line.startswith("--method auto: "))
    told = dict(re.findall(r"(\w+) (\d\.\d+)", line.partition("(0.5 is best)")[2]))
    assert set(told) >= {"ppca", "mixture"}
    chosen = line.split(": ")[1].split(";")[0]
    assert max(float(told[chosen]), 0.5) == min(max(float(share), 0.5) for share in told.values())


def test_auto_of_few_rows_does_not_choose(run, mixed):
    said = run("generate", mixed, "-n", 5, "-o", "s.csv").stderr
    assert "--method auto: ppca; 8 rows are too few to choose by" in said


def test_a_seed_gives_the_same_rows_and_another_one_others(run, table, tmp_path):
    texts = []
    for name, seed in (("a.csv", 3), ("b.csv", 3), ("c.csv", 4)):
        run("generate", table, "-n", 20, "--method", "ppca", "--seed", seed, "-o", name, "-q")
        texts.append((tmp_path / name).read_text())
    assert texts[0] == texts[1] != texts[2]


@pytest.mark.parametrize("method", NAMES)
def test_a_saved_model_draws_the_same_rows(run, complete, method, tmp_path):
    if method in NETWORKS:
        pytest.importorskip("torch")
    run("generate", complete, "-n", 20, "--method", method, "--model", "m", "-o", "a.csv")
    run("generate", "m", "-n", 20, "-o", "b.csv")
    assert (tmp_path / "a.csv").read_text() == (tmp_path / "b.csv").read_text()
    assert isinstance(lowdim.load(tmp_path / "m"), lowdim.TableModel)


def test_models_of_other_verbs_draw_rows(run, read, table):
    run("complete", table, "-k", 2, "--model", "m.lowdim", "-q")
    run("generate", "m.lowdim", "-o", "s.csv", "-q")
    assert list(read("s.csv")) == COLUMNS
    assert len(read("s.csv")["age"]) == 120  # as many as it learned from


def test_given_values_are_kept_and_others_follow(run, read, table):
    run("generate", table, "-n", 60, "--method", "mixture", "--model", "m.lowdim", "-q")
    given = ("--given", "group=east", "--given", "member=no")
    run("generate", "m.lowdim", "-n", 60, *given, "-o", "s.csv", "-q")
    rows = read("s.csv")
    assert set(rows["group"]) == {"east"} and set(rows["member"]) == {"no"}
    assert len(rows["age"]) == 60 and rows["age"].mean() > 38
    run("generate", "m.lowdim", "-n", 9, "--given", "age=24", "-o", "s.csv", "-q")
    assert_array_equal(read("s.csv")["age"], 24)


def test_a_matrix_gives_a_matrix(run, tmp_path, rng):
    np.save(tmp_path / "X.npy", rng.normal(size=(80, 3)) + 100)
    run("generate", "X.npy", "-n", 25, "--method", "ppca", "-o", "Y.npy")
    Y = np.load(tmp_path / "Y.npy")
    assert Y.shape == (25, 3) and abs(Y.mean() - 100) < 1


def test_no_advice_is_given_that_cannot_be_followed(run, write, rng):
    """Around a circle BIC asks for as many Gaussians as are tried; `n_components` is no option."""
    angle = rng.uniform(0.0, 2 * np.pi, size=1000)
    lines = [f"{np.cos(a):.4f},{np.sin(a):.4f}" for a in angle]
    write("t.csv", "\n".join(["x,y", *lines]))
    result = run("generate", "t.csv", "-n", 5, "--method", "mixture")
    assert "Gaussians: 10 clusters, of 1 to 10" in result.stderr
    assert "Warning" not in result.stderr


def test_a_column_without_values_is_there_and_empty(run, read, write, rng):
    lines = [f"{x:.2f},,{y:.2f}" for x, y in rng.normal(size=(40, 2))]
    write("t.csv", "\n".join(["x,none,y", *lines]))
    run("generate", "t.csv", "-n", 5, "--method", "ppca", "-o", "s.csv", "-q")
    rows = read("s.csv")
    assert list(rows) == ["x", "none", "y"]
    assert rows["none"] == [""] * 5


SPELLED = {  # columns, and what their cells look like
    "x": r"-?\d\.\d{8}",
    "a": r"True|False",
    "b": r"TRUE|FALSE",
    "c": r"Y|N",
    "d": r"0|1",
    "e": r"2024-\d\d-\d\d \d\d:\d\d:\d\d",
    "f": r"2024-\d\d-\d\d \d\d:\d\d",
    "g": r"2024-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z",
    "h": r"2024-\d\d-\d\d \d\d:\d\d:\d\d\+01:00",
}


def spelled_rows(rng, n=60):
    """Rows of flags and dates, spelled in several ways."""
    lines = [",".join(SPELLED)]
    for _ in range(n):
        flags = [
            pair[rng.integers(2)] for pair in (("True", "False"), ("TRUE", "FALSE"), "YN", "01")
        ]
        times = np.datetime64("2024-02-01") + rng.integers(0, 2 * 10**10, 4).astype("m8[ms]")
        e, f, g, h = map(np.datetime_as_string, times)
        dates = [e[:19], f[:16], g + "Z", h[:19] + "+01:00"]
        dates = [date if date.endswith("Z") else date.replace("T", " ") for date in dates]
        lines.append(",".join([f"{rng.normal():.8f}", *flags, *dates]))
    return lines


def test_flags_dates_and_decimals_look_like_those_of_the_table(run, write, tmp_path, rng):
    table = write("t.csv", "\n".join(spelled_rows(rng)) + "\n")
    run("generate", table, "--method", "ppca", "-o", "s.csv", "--model", "m.lowdim", "-q")
    run("generate", "m.lowdim", "-n", 60, "-o", "again.csv", "-q")
    for name in ("s.csv", "again.csv"):
        header, *rows = (tmp_path / name).read_text().splitlines()
        assert header.split(",") == list(SPELLED)
        for row in rows:
            assert all(map(re.fullmatch, SPELLED.values(), row.split(",")))
    assert (tmp_path / "s.csv").read_text() == (tmp_path / "again.csv").read_text()


def test_without_a_file_nothing_is_written(run, table, tmp_path):
    said = run("generate", table, "--method", "ppca").stdout
    assert "drawn    120 rows to draw" in said and "written  nothing" in said
    assert [path.name for path in tmp_path.iterdir()] == ["survey.csv"]


def test_rows_go_to_standard_output_alone(run, table):
    result = run("generate", table, "-n", 3, "--method", "ppca", "-o", "-")
    assert len(result.stdout.splitlines()) == 4
    assert "method   ProbabilisticPCA" in result.stderr


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--given", "group"], "is not a column and a value, such as group=north"),
        (["--given", "region=north"], "region"),
        (["--given", "group=west"], "'group' has no such level; choose one of"),
        (["--given", "height=170.5"], "--given height=170.5: 'height' is of kind"),
        (["--given", "age=old"], "'age' holds whole numbers"),
        (["-n", "0"], "'-n'"),
        (["--method", "magic"], "'magic' is not one of"),
    ],
)
def test_bad_options_are_named(refused, table, options, words):
    assert words in refused("generate", table, "-o", "s.csv", *options)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--holes"], "--holes goes with a table"),
        (["--method", "ppca"], "--method ppca goes with a table"),
        (["--model", "n.lowdim"], "--model goes with a table"),
    ],
)
def test_options_of_tables_do_not_go_with_models(run, refused, table, options, words):
    run("complete", table, "-k", 2, "--model", "m.lowdim", "-q")
    assert words in refused("generate", "m.lowdim", "-o", "s.csv", *options)


def test_a_model_that_draws_nothing_is_refused(run, mixed, refused):
    run("cluster", mixed, "-k", 2, "--model", "k.lowdim", "-q")
    assert "holds a KMeans, which cannot draw rows" in refused(
        "generate", "k.lowdim", "-o", "s.csv"
    )


def test_too_few_rows_for_a_page_are_said_before_anything_is_written(
    refused, write, table, tmp_path
):
    few = write("few.csv", "a,b\n1,x\n2,y\n3,x\n")
    says = refused("generate", few, "-o", "s.csv", "--page", "p.html", "-q")
    assert "--page compares 10 rows or more, and few.csv has 3; leave --page out." in says
    says = refused("generate", table, "-n", 5, "-o", "s.csv", "--page", "p.html", "-q")
    assert "and what is drawn has 5" in says
    assert not (tmp_path / "s.csv").exists()
