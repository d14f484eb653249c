"""Kinds of values that click does not know: what is taken, what it becomes, what is refused."""

import click
import pytest

from lowdim.cli.options import Names, Order, Rank, Separator, Sizes, debugging, split_names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a", ["a"]),
        ("a,b", ["a", "b"]),
        (" a , b ", ["a", "b"]),
        ('"last, first",age', ["last, first", "age"]),
        ("gene*", ["gene*"]),
    ],
)
def test_names_are_read_as_a_line_of_csv(text, names):
    assert split_names(text) == Names().convert(text, None, None) == names
    assert Names().convert(names, None, None) is names


def test_an_order_is_a_column_and_its_levels():
    assert Order().convert("size = small, medium,large", None, None) == (
        "size",
        ["small", "medium", "large"],
    )
    assert Order().convert("a=b=c,d", None, None) == ("a", ["b=c", "d"])


@pytest.mark.parametrize("text", ["size", "size=", "size=small", "size=small,small", "=,"])
def test_an_order_needs_two_different_levels(text):
    with pytest.raises(click.BadParameter, match="two or more levels from first to last"):
        Order().convert(text, None, None)


@pytest.mark.parametrize(
    ("text", "rank"), [("auto", "auto"), ("3", 3), ("3.0", 3), ("0.9", 0.9), ("1e2", 100), (4, 4)]
)
def test_a_rank_is_a_count_a_share_or_auto(text, rank):
    found = Rank().convert(text, None, None)
    assert found == rank and type(found) is type(rank)


def test_sizes_are_whole_numbers():
    assert Sizes().convert("64", None, None) == (64,)
    assert Sizes().convert("64, 32", None, None) == (64, 32)
    for text in ("", "64,", "0", "-3", "2.5", "a", "1e3"):
        with pytest.raises(click.BadParameter, match="is not a list of whole numbers"):
            Sizes().convert(text, None, None)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("two", "'two' is not a number of components, nor 'auto'"),
        ("0", "must be a whole number, at least 1; a share of variance between 0 and 1"),
        ("2.5", "whole number"),
        ("-0.5", "whole number"),
        ("nan", "whole number"),
        ("inf", "whole number"),
    ],
)
def test_other_ranks_are_refused(text, message):
    with pytest.raises(click.BadParameter, match=message):
        Rank().convert(text, None, None)


@pytest.mark.parametrize(("text", "separator"), [(";", ";"), ("\\t", "tab"), ("none", "none")])
def test_a_separator_is_one_character_or_its_name(text, separator):
    assert Separator().convert(text, None, None) == separator


@pytest.mark.parametrize("text", ["", "ab", "Tab"])
def test_other_separators_are_refused(text):
    with pytest.raises(click.BadParameter, match="must be one character, 'tab' or 'whitespace'"):
        Separator().convert(text, None, None)


@pytest.mark.parametrize("asked", [True, False])
def test_debug_is_remembered_by_the_context(asked):
    from lowdim.cli.options import debug_option

    @click.command()
    @debug_option
    @click.pass_context
    def verb(ctx):
        seen.append(debugging(ctx))

    seen = []
    verb(["--debug"] if asked else [], standalone_mode=False)
    assert seen == [asked]
