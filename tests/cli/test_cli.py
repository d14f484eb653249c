"""The command as a whole: help, version, errors, warnings, exit codes."""

import subprocess
import sys
import warnings

import click
import pytest
from click.testing import CliRunner

import lowdim
from lowdim import cli
from lowdim.tables.errors import TableError, TableWarning

HEAVY = {"dask", "matplotlib", "narwhals", "numba", "numpy", "pandas", "pyarrow", "rich", "scipy"}


@pytest.fixture
def verb(monkeypatch):
    """Make `lowdim reduce` call a function of ours instead."""

    def replaced_by(function):
        command = click.Command("reduce", callback=function, params=[])
        cli.debug_option(command)
        monkeypatch.setattr("lowdim.cli.reduce.reduce", command)

    return replaced_by


def failing_with(error):
    def fail():
        raise error

    return fail


# Help and version


def test_lowdim_alone_explains_itself(run):
    text = run().stdout
    assert text == run("--help").stdout == run("-h").stdout
    assert all(verb in text for verb in ("reduce", "apply", "methods", "warmup"))


@pytest.mark.parametrize("verb", list(cli._HOME))
def test_every_verb_has_a_help_text_with_examples(run, verb):
    text = run(verb, "--help").stdout
    assert f"lowdim {verb}" in text.split("Examples:")[1]


def test_the_version_is_the_package_s(run):
    assert run("--version").stdout.split()[-1] == lowdim.__version__


@pytest.mark.parametrize(
    "arguments", [["--help"], ["--version"], *([v, "--help"] for v in cli._HOME)]
)
def test_help_imports_nothing_heavy(arguments):
    script = (
        "import sys\nfrom lowdim.cli import main\n"
        f"try:\n    main({arguments!r})\nexcept SystemExit:\n    pass\n"
        f"sys.exit(' '.join(set(sys.modules) & {HEAVY!r}))"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert run.stderr.strip() == ""


def test_python_m_lowdim_is_the_command():
    run = subprocess.run(
        [sys.executable, "-m", "lowdim", "--version"], capture_output=True, text=True
    )
    assert (run.returncode, run.stdout) == (0, f"lowdim {lowdim.__version__}\n")


# Errors


@pytest.mark.parametrize(
    "error",
    [
        ValueError("k=3 is wrong"),
        TypeError("k=3 is wrong"),
        ImportError("k=3 is wrong"),
        OSError("k=3 is wrong"),
        ValueError("k=3 is\n    wrong"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(refused, verb, error):
    verb(failing_with(error))
    assert refused("reduce") == "Error: k=3 is wrong"


def test_the_cure_of_a_table_error_names_options(refused, verb):
    verb(failing_with(TableError("t.csv has one column.", "Name what is between: {max_levels}.")))
    assert refused("reduce") == "Error: t.csv has one column. Name what is between: --max-levels."


def test_a_load_error_is_bad_input(refused, verb):
    verb(failing_with(lowdim.LoadError("cannot load it")))
    assert refused("reduce") == "Error: cannot load it"


def test_an_error_of_the_system_names_the_file(refused, verb):
    verb(failing_with(PermissionError(13, "Permission denied", "codes.csv")))
    assert refused("reduce") == "Error: codes.csv: Permission denied."


def test_too_little_memory_points_to_streaming(refused, verb):
    verb(failing_with(MemoryError("Unable to allocate 8 GiB")))
    assert "--stream" in refused("reduce")


@pytest.mark.parametrize("arguments", [["--debug", "reduce"], ["reduce", "--debug"]])
def test_debug_shows_the_traceback_and_keeps_the_line_and_the_exit_code(run, verb, arguments):
    verb(failing_with(ValueError("k=3 is wrong")))
    text = run(*arguments, code=2).stderr
    assert "Traceback" in text and "in fail" in text
    assert text.endswith("Error: k=3 is wrong\n")


def test_any_other_exception_is_a_bug_and_keeps_its_traceback(run, verb):
    verb(failing_with(ZeroDivisionError("a bug")))
    assert isinstance(run("reduce", code=1).exception, ZeroDivisionError)


def test_a_missing_part_of_lowdim_is_a_bug(run, verb):
    verb(failing_with(ImportError("cannot import name 'x'", name="lowdim.linear")))
    assert isinstance(run("reduce", code=1).exception, ImportError)


def test_an_interruption_ends_with_130(run, verb):
    verb(failing_with(KeyboardInterrupt()))
    assert run("reduce", code=130).stderr.strip() == "Interrupted."


def test_outside_of_the_command_line_exceptions_come_through():
    with pytest.raises(click.ClickException, match="No such command"):
        cli.main(["nonsense"], standalone_mode=False)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nonsense"], ["nonsense", "lowdim --help"]),
        (["reduce", "t.csv", "--nonsense"], ["--nonsense", "lowdim reduce --help"]),
        (["reduce"], ["TABLE", "lowdim reduce --help"]),
        (["reduce", "t.csv", "--method", "isomap"], ["isomap", "pca"]),
        (["reduce", "t.csv", "-k", "two"], ["'two'", "auto"]),
        (["reduce", "t.csv", "-k", "0"], ["at least 1"]),
        (["reduce", "t.csv", "-k", "-1"], ["at least 1"]),
        (["reduce", "t.csv", "-k", "2.5"], ["whole number"]),
        (["reduce", "t.csv", "-k", "nan"], ["whole number"]),
        (["reduce", "t.csv", "-k", "inf"], ["whole number"]),
        (["reduce", "t.csv", "--seed", "-1"], ["--seed"]),
        (["reduce", "t.csv", "--delimiter", "ab"], ["one character"]),
        (["apply", "m.lowdim"], ["TABLE"]),
    ],
)
def test_a_usage_error_is_one_line_that_says_where_to_look(refused, arguments, words):
    line = refused(*arguments)
    assert all(word in line for word in words)


# Warnings


def test_a_warning_is_one_line(run, verb):
    verb(lambda: warnings.warn("it did\n    not converge", UserWarning, stacklevel=1))
    assert run("reduce").stderr == "Warning: it did not converge\n"


def test_the_cure_of_a_table_warning_names_options(run, verb):
    verb(lambda: warnings.warn(TableWarning("It lacks 'a'.", "See {id}."), stacklevel=1))
    assert run("reduce").stderr == "Warning: It lacks 'a'. See --id.\n"


def test_warnings_are_what_they_were_after_the_command(run, verb):
    before = (warnings.showwarning, list(warnings.filters))
    verb(lambda: None)
    run("reduce")
    assert (warnings.showwarning, list(warnings.filters)) == before


def test_a_reader_that_goes_away_is_no_error(verb):
    verb(failing_with(BrokenPipeError(32, "Broken pipe")))
    result = CliRunner().invoke(cli.main, ["reduce"])
    assert result.exit_code == 1 and result.stderr == ""
