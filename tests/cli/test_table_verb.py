"""The shared options of a verb become one request: a table, its form, what its columns are."""

import click
import pytest
from click.testing import CliRunner

import lowdim
from lowdim.cli.table_verb import TableRequest, table_verb


def asked(*arguments, **settings):
    """The request that a verb gets, and its own options."""
    found = []

    @click.command()
    @click.option("--own", default=1)
    @table_verb(**settings)
    def verb(request, **own):
        found.append((request, own, lowdim.get_config().progress))

    result = CliRunner().invoke(verb, list(arguments))
    assert result.exit_code == 0, result.output
    return found[0]


def test_nothing_said_is_nothing_asked_for():
    request, own, progress = asked("t.csv")
    assert (request.path, request.stream, request.quiet) == ("t.csv", None, False)
    assert request.form == {"missing": ()}
    assert request.encoder().get_params() == {
        **lowdim.TableEncoder().get_params(),
        **{"categorical": [], "numeric": [], "ignore": [], "missing_marks": []},
    }
    assert own == {"own": 1} and progress is None


def test_columns_that_must_stay_positive_are_not_centred():
    plain = asked("t.csv")[0].uncentred().encoder()
    assert (plain.center, plain.log, plain.dates, plain.scale) == (False, False, "days", True)
    wanted = asked("t.csv", "--log", "a", "--dates", "none")[0].uncentred().encoder()
    assert (wanted.log, wanted.dates) == (["a"], False)


@pytest.mark.parametrize(
    ("options", "wishes"),
    [
        (["--categorical", "a,b", "--categorical", "c"], {"categorical": ["a", "b", "c"]}),
        (["--numeric", 'zip,"a, b"'], {"numeric": ["zip", "a, b"]}),
        (["--drop", "x*", "--ignore", "y"], {"ignore": ["x*", "y"]}),
        (["--columns", "gene*"], {"columns": ["gene*"]}),
        (["--ordered", "size=s, m,l", "--ordered", "n=1,2"],
         {"ordered": {"size": ["s", "m", "l"], "n": ["1", "2"]}}),
        (["--id", "key"], {"id": "key"}),
        (["--log", "none"], {"log": False}),
        (["--log", "a,b"], {"log": ["a", "b"]}),
        (["--dates", "none"], {"dates": False}),
        (["--dates", "days"], {"dates": "days"}),
        (["--max-categories", "7"], {"max_levels": 7}),
        (["--scale", "none"], {"scale": False}),
        (["--missing", "x", "--missing", "y"], {"missing_marks": ["x", "y"]}),
        (["--fill-all"], {"fill_not_applicable": True}),
    ],
)  # fmt: skip
def test_options_are_arguments_of_the_encoder(options, wishes):
    request, _, _ = asked("t.csv", *options, fill_all=True)
    assert {name: request.wishes[name] for name in wishes} == wishes
    found = request.encoder().get_params()
    assert {name: found[name] for name in wishes} == wishes


@pytest.mark.parametrize(
    ("options", "form"),
    [
        (["--delimiter", ";", "--decimal", ","], {"separator": ";", "decimal": ","}),
        (["--separator", "\\t"], {"separator": "tab"}),
        (["--separator", "whitespace"], {"separator": "whitespace"}),
        (["--no-header", "--comment", "#"], {"header": False, "comment": "#"}),
        (["--thousands", "'", "--quote", "none"], {"thousands": "'", "quote": "none"}),
        (["--encoding", "cp1252", "--sheet", "2024"], {"encoding": "cp1252", "sheet": "2024"}),
        (["--missing", "?"], {"missing": ("?",)}),
    ],
)
def test_options_are_the_form_of_text(options, form):
    request, _, _ = asked("t.csv", *options, kinds=False)
    assert request.form == {"missing": ()} | form
    assert request.wishes == {}


def test_quiet_means_no_progress_bars():
    request, _, progress = asked("t.csv", "-q", "--stream")
    assert request.quiet and request.stream and progress is False


def test_a_verb_has_the_options_that_suit_it():
    assert "fill_not_applicable" not in asked("t.csv")[0].wishes
    with pytest.raises(AssertionError, match=r"No such option '?--stream"):
        asked("t.csv", "--stream", stream=False)
    with pytest.raises(AssertionError, match=r"No such option '?--numeric"):
        asked("t.csv", "--numeric", "x", kinds=False)


def test_ids_stay_as_they_are_written(tmp_path, write):
    write("t.csv", "key,x\n7,1\n8,2\n")
    table = TableRequest(str(tmp_path / "t.csv"), wishes={"id": "key"}).open()
    (chunk,) = table.chunks(["key"])
    assert chunk["key"].to_pylist() == ["7", "8"]


def test_what_was_found_is_said_in_options_and_without_control_characters(tmp_path, write, capsys):
    rows = "".join(f"{i % 3},{i * i % 11}\n" for i in range(30))
    write("t.csv", f"a\x1bb,x\n{rows}")
    request = TableRequest(str(tmp_path / "t.csv"))
    request.fit(request.open())
    said = capsys.readouterr().err
    assert said.startswith("hint: a\N{REPLACEMENT CHARACTER}b: 3 different whole numbers; if they")
    assert said.endswith("stand for categories: --categorical\n")
    TableRequest(str(tmp_path / "t.csv"), quiet=True).fit(request.open())
    assert capsys.readouterr().err == ""
