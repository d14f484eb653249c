"""`lowdim explore` hands on the table and what the user says of it, and writes what is asked."""

from types import SimpleNamespace

import pytest

import lowdim


@pytest.fixture
def asked(monkeypatch):
    """What `lowdim.explore` is called with, and what is saved; nothing is computed."""
    calls = {}

    def explore(table, target=None, **settings):
        encoder = settings["encoder"].fit(table)
        calls.update(table=table, target=target, **settings)
        calls["encoder"] = settings["encoder"]
        saved = {name: lambda path, name=name: calls.update({name: path})
                 for name in ("save", "save_filled", "save_models")}  # fmt: skip
        findings = SimpleNamespace(encoded=SimpleNamespace(encoder=encoder))
        return SimpleNamespace(findings=findings, **saved)

    monkeypatch.setattr(lowdim, "explore", explore)
    return calls


def test_options_reach_the_function(run, mixed, asked):
    run("explore", mixed, "--target", "sex", "--id", "name", "--ignore", "born", "--log", "none",
        "--categorical", "adult", "--sample", 6, "--seed", 3, "--fill-all")  # fmt: skip
    wishes = asked["encoder"].get_params()
    assert (asked["table"].where, asked["target"]) == ("mixed.csv", "sex")
    assert (asked["sample"], asked["random_state"]) == (6, 3)
    assert wishes["id"] == "name" and wishes["ignore"] == ["born"] and wishes["log"] is False
    assert wishes["categorical"] == ["adult"] and wishes["fill_not_applicable"] is True


def test_files_are_written_where_asked(run, mixed, asked):
    result = run("explore", mixed, "-o", "p.html", "--filled", "f.xlsx", "--models", "m")
    assert (asked["save"], asked["save_filled"], asked["save_models"]) == ("p.html", "f.xlsx", "m")
    assert result.stdout.splitlines()[1:] == ["page     p.html", "filled   f.xlsx", "models   m"]
    assert "one-hot: sex (f, m)\n" in result.stderr
    assert run("explore", mixed, "-q").output == ""


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-o", "p.txt"], "End --output in .html, .htm"),
        (["--filled", "p.doc"], "End --filled in .csv"),
        (["--filled", "mixed.csv"], "mixed.csv is read"),
        (["-o", "no/p.html"], "no folder"),
        (["--models", "mixed.csv"], "mixed.csv is a file. Name a folder for --models"),
        (["--sample", "3"], "--sample"),
    ],
)
def test_bad_input_is_one_line_before_any_work(refused, mixed, asked, options, message):
    assert message in refused("explore", mixed, *options)
    assert asked == {}
