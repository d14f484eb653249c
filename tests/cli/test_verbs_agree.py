"""The same file gives the same columns in every verb, and `apply` gives the numbers of each."""

import gzip

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import lowdim

N = 40


def text(names, rows, between=","):
    lines = [between.join(names), *(between.join(map(str, row)) for row in rows)]
    return "\n".join(lines) + "\n"


def two_groups(rng):
    """Three columns of numbers in two groups."""
    return rng.normal(size=(N, 3)).round(2) + 4.0 * (np.arange(N)[:, None] % 2)


def some_missing(X, rng):
    cells = X.astype(object)
    cells[rng.random(X.shape) < 0.1] = ""
    return cells


def numbers(rng):
    return "t.csv", text("abc", some_missing(two_groups(rng), rng))


def words(rng):
    X = some_missing(two_groups(rng), rng)
    kind = [["red", "blue", ""][i % 7 % 3] for i in range(N)]
    return "t.csv", text(["a", "b", "c", "colour"], np.column_stack([X, kind]))


def dates(rng):
    X = some_missing(two_groups(rng), rng)
    days = np.datetime64("2020-01-05") + np.arange(N) * 31
    cells = [str(day) if i % 9 else "" for i, day in enumerate(days)]
    return "t.csv", text(["when", "a", "b", "c"], np.column_stack([cells, X]))


def decimal_commas(rng):
    X = some_missing(two_groups(rng), rng)
    cells = [[str(x).replace(".", ",") for x in row] for row in X]
    return "t.csv", text("abc", cells, between=";")


def marks(rng):
    X = some_missing(two_groups(rng), rng)
    X[X == ""] = "?"
    word = [["yes please", "no thanks", "n/a"][i % 5 % 3] for i in range(N)]
    return "t.csv", text([*"abc", "answer"], np.column_stack([X, word]))


def flags(rng):
    X = some_missing(two_groups(rng), rng)
    smoker = [["Yes", "No", ""][(i * i) % 7 % 3] for i in range(N)]
    member = [["true", "false"][i % 3 % 2] for i in range(N)]
    one = [i % 4 % 2 for i in range(N)]
    return "t.csv", text(
        [*"abc", "smoker", "member", "one"], np.column_stack([X, smoker, member, one])
    )


def wide(rng):
    X = np.repeat(two_groups(rng), 7, axis=1) + rng.normal(size=(N, 21)).round(3)
    return "t.csv", text([f"gene{f}" for f in range(21)], some_missing(X.round(3), rng))


def with_id(rng):
    X = some_missing(two_groups(rng), rng)
    price = [f'"${1000 + 250 * (i % 9):,}.50"' for i in range(N)]
    cells = np.column_stack([[f"0{i}" for i in range(N)], X, price])
    return "t.csv", text(["customerID", *"abc", "price"], cells)


def not_applicable(rng):
    X = some_missing(two_groups(rng), rng)
    status = np.array([["storm", "hurricane", "calm"][i % 3] for i in range(N)], dtype=object)
    category = np.where(status == "hurricane", np.arange(N) % 5 + 1, "")
    return "t.csv", text([*"abc", "status", "category"], np.column_stack([X, status, category]))


def packed(rng):
    name, content = words(rng)
    return name + ".gz", gzip.compress(content.encode())


def parquet(rng):
    import pandas as pd

    X = two_groups(rng)
    X[rng.random(X.shape) < 0.1] = np.nan
    frame = pd.DataFrame(X, columns=list("abc"), index=[f"row {i}" for i in range(N)])
    frame["kind"] = pd.Categorical(["x", "y"] * (N // 2))
    frame["count"] = pd.array([None if i == 3 else i % 6 for i in range(N)], dtype="Int64")
    return "t.parquet", frame.to_parquet()


TABLES = [
    *(numbers, words, dates, decimal_commas, marks, flags, wide, with_id, not_applicable),
    *(packed, parquet),
]
VERBS = {"reduce": ["-k", 2], "cluster": ["-k", 2], "complete": ["-k", 1]}


@pytest.fixture(params=TABLES, ids=lambda make: make.__name__)
def table(request, write, rng):
    return write(*request.param(rng))


@pytest.fixture
def report(monkeypatch):
    """What `lowdim explore` found: without what has no part in this and takes long, the page itself
    and the comparison of methods."""
    explore, found = lowdim.explore, []

    def kept(*arguments, **options):
        found.append(explore(*arguments, **options))
        return found[0]

    monkeypatch.setattr(lowdim, "explore", kept)
    monkeypatch.setattr("lowdim.report.explore.findings.contest", lambda *arguments: None)
    monkeypatch.setattr("lowdim.report.explore.page.page", lambda *arguments: "")
    return lambda: found[0]


def columns(model):
    """What was decided about the columns, and the names of the numbers that they become."""
    decided = [(c.name, c.kind, c.n_missing, c.done) for c in model.columns_]
    return decided, model.encoder_.get_feature_names_out().tolist()


def test_the_same_file_gives_the_same_columns_in_every_verb(run, table):
    found = []
    for verb, options in VERBS.items():
        run(verb, table, *options, "--model", f"{verb}.lowdim", "-q")
        found.append(columns(lowdim.load(f"{verb}.lowdim")))
    expected = columns(lowdim.TableModel(lowdim.PCA(1)).fit(table))
    assert all(part == expected for part in found)


@pytest.mark.parametrize("stream", ["--stream", "--no-stream"])
def test_apply_gives_the_numbers_of_the_verb_to_the_printed_digit(run, table, tmp_path, stream):
    for verb, options in VERBS.items():
        run(verb, table, *options, stream, "-o", "first.csv", "--model", "m.lowdim", "-q")
        filled = ["--filled"] if verb == "complete" else []
        run("apply", "m.lowdim", table, *filled, stream, "-o", "again.csv", "-q")
        assert (tmp_path / "again.csv").read_text() == (tmp_path / "first.csv").read_text()


def test_a_page_has_these_columns_and_apply_gives_its_numbers(run, read, table, tmp_path, report):
    run("explore", table, "--models", "models", "--filled", "first.csv", "-q")
    expected = columns(lowdim.TableModel(lowdim.PCA(1)).fit(table))
    assert columns(lowdim.load("models/factors.lowdim")) == expected
    run("apply", "models/clusters.lowdim", table, "-o", "clusters.csv", "-q")
    assert_array_equal(read("clusters.csv")["cluster"], report().findings.clusters.labels)
    run("apply", "models/factors.lowdim", table, "-o", "codes.csv", "-q")
    codes = np.asarray(report().models["factors"].transform(table))
    own = [column for name, column in read("codes.csv").items() if name.endswith(tuple("0123"))]
    assert_allclose(np.column_stack(own), codes, rtol=1e-12, atol=1e-12)
    run("apply", "models/filling.lowdim", table, "--filled", "-o", "again.csv", "-q")
    assert (tmp_path / "again.csv").read_text() == (tmp_path / "first.csv").read_text()


def test_what_was_there_stays_in_a_filled_table(run, table):
    run("complete", table, "-o", "filled.parquet", "-q")
    before, after = (
        lowdim.tables.open_table(name, stream=False) for name in (table, "filled.parquet")
    )
    for name in before.names:
        first, second = (
            next(part.chunks([name])).column(name).to_pylist() for part in (before, after)
        )
        kept = [i for i, value in enumerate(first) if value is not None and value == value]
        kept = [i for i in kept if first[i] not in ("n/a", "?")]
        assert [first[i] for i in kept] == [second[i] for i in kept]
