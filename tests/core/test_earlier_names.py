"""Every earlier name leads to a named tuple of today, in one step."""

from importlib import import_module

import pytest

from lowdim.core.earlier_names import EARLIER_NAMES


def test_names_are_sorted_and_none_leads_to_another_earlier_one():
    assert list(EARLIER_NAMES) == sorted(EARLIER_NAMES)
    assert not set(EARLIER_NAMES) & set(EARLIER_NAMES.values())


@pytest.mark.parametrize("earlier", EARLIER_NAMES)
def test_a_named_tuple_is_where_the_table_says(earlier):
    module, _, name = EARLIER_NAMES[earlier].rpartition(".")
    found = getattr(import_module(module), name)
    assert issubclass(found, tuple) and found._fields
    assert found.__module__ == module  # not one that the module only imports


@pytest.mark.parametrize("earlier", EARLIER_NAMES)
def test_nothing_of_today_has_an_earlier_name(earlier):
    """A name that means two things would load the wrong tuple from a new file."""
    module, _, name = earlier.rpartition(".")
    try:
        found = vars(import_module(module)).get(name)
    except ImportError:
        return
    assert getattr(found, "__module__", None) != module
