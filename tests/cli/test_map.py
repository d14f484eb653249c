"""`lowdim map` hands on the table and what the user says of it, and writes what is asked."""

from types import SimpleNamespace

import numpy as np
import pytest

import lowdim
from lowdim.cli.map import USUAL
from lowdim.report.maps import kinds


@pytest.fixture
def asked(monkeypatch):
    """What `lowdim.map_table` is called with, and what is saved; nothing is computed."""
    calls = {}

    def map_table(table, target=None, **settings):
        encoder = settings["encoder"].fit(table)
        calls.update(table=table, target=target, **settings)
        saved = {name: lambda path, name=name: calls.update({name: path})
                 for name in ("save", "save_coordinates", "save_models")}  # fmt: skip
        findings = SimpleNamespace(encoded=SimpleNamespace(encoder=encoder))
        return SimpleNamespace(findings=findings, **saved)

    monkeypatch.setattr(lowdim, "map_table", map_table)
    return calls


def test_options_reach_the_function(run, mixed, asked):
    run("map", mixed, "--target", "sex", "--id", "name", "--maps", "pca,tsne", "--perplexity", 3,
        "--neighbors", 4, "--sample", 7, "--seed", 3)  # fmt: skip
    assert (asked["table"].where, asked["target"]) == ("mixed.csv", "sex")
    assert asked["maps"] == ["pca", "tsne"] and asked["perplexity"] == 3.0
    assert (asked["n_neighbors"], asked["sample"], asked["random_state"]) == (4, 7, 3)
    assert asked["encoder"].get_params()["id"] == "name"


def test_without_options_it_does_what_the_function_does(run, mixed, asked):
    run("map", mixed)
    assert tuple(asked["maps"]) == kinds.USUAL == tuple(USUAL.split(","))
    assert asked["perplexity"] is None and asked["n_neighbors"] is None
    assert asked["save"] == "map.html"


def test_files_are_written_where_asked(run, mixed, asked):
    result = run("map", mixed, "-o", "p.html", "--coordinates", "c.csv", "--models", "m")
    saved = (asked["save"], asked["save_coordinates"], asked["save_models"])
    assert saved == ("p.html", "c.csv", "m")
    assert result.stdout.splitlines()[1:] == ["page     p.html", "places   c.csv", "models   m"]
    assert run("map", mixed, "-q").output == ""


def test_coordinates_and_applied_models_are_those_of_the_page(run, read, numbers):
    run("map", "numbers.csv", "--maps", "pca,tsne", "--coordinates", "c.csv", "--models", "m")
    run("apply", "m/tsne.lowdim", "numbers.csv", "-o", "again.npy")
    places = read("c.csv")
    assert list(places) == ["pca1", "pca2", "tsne1", "tsne2"]
    np.testing.assert_allclose(
        np.load("again.npy"), np.column_stack([places["tsne1"], places["tsne2"]]), rtol=1e-5
    )


def test_apply_calls_places_as_the_verb_that_made_the_map_did(run, read, numbers):
    """So that a file of further rows goes below that of the first ones."""
    run("map", "numbers.csv", "--maps", "sammon", "--coordinates", "c.csv", "--models", "m")
    run("apply", "m/sammon.lowdim", "numbers.csv", "-o", "again.csv")
    assert list(read("again.csv")) == list(read("c.csv")) == ["sammon1", "sammon2"]
    model = lowdim.load("m/sammon.lowdim")
    assert list(model.transform("numbers.csv")) == ["sammon1", "sammon2"]
    arguments = (
        "reduce",
        "numbers.csv",
        "--method",
        "sammon",
        "-o",
        "c0.csv",
        "--model",
        "s.lowdim",
    )
    run(*arguments)
    run("apply", "s.lowdim", "numbers.csv", "-o", "again0.csv")
    assert list(read("again0.csv")) == list(read("c0.csv")) == ["sammon0", "sammon1"]
    assert "code_names_" not in vars(model.fit("numbers.csv"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-o", "p.txt"], "End --output in .html, .htm"),
        (["--coordinates", "p.doc"], "End --coordinates in .csv"),
        (["--coordinates", "mixed.csv"], "mixed.csv is read"),
        (["--models", "mixed.csv"], "mixed.csv is a file. Name a folder for --models"),
        (["--sample", "3"], "--sample"),
        (["--perplexity", "0"], "--perplexity"),
        (["--neighbors", "1"], "--neighbors"),
    ],
    ids=lambda value: None,
)
def test_bad_input_is_one_line_before_any_work(refused, mixed, asked, options, message):
    assert message in refused("map", mixed, *options)
    assert asked == {}


def test_an_unknown_map_is_refused(refused, mixed):
    assert "maps='isomap' is not known; choose one of 'pca'" in refused(
        "map", mixed, "--maps", "isomap"
    )
