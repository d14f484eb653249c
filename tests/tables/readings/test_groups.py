"""Groups of cells add up, in any cut and order, and stay small."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from lowdim.tables.readings.groups import (
    MOST_TEXTS,
    MOST_VALUES,
    Group,
    added,
    gathered,
    most_common,
    total,
)

TEXTS = st.lists(st.text("abc", max_size=3), max_size=40)


def group(texts):
    """The group of these cells; a text's length is its detail."""
    counts = Counter(texts)
    details = Counter(("length", str(len(text))) for text in texts)
    return gathered(counts, details)


def test_a_group_keeps_its_first_texts_and_all_counts():
    found = group(["b", "a", "b"])
    assert found == Group(3, {"b": 2, "a": 1}, {("length", "1"): 3}) and found.complete
    many = group([f"{i:03}" for i in range(100)])
    assert sorted(many.texts) == [f"{i:03}" for i in range(MOST_TEXTS)]
    assert many.cells == 100 and not many.complete


@given(TEXTS, TEXTS, TEXTS)
def test_groups_add_up_in_any_order(a, b, c):
    whole = group(a + b + c)
    assert added(added(group(a), group(b)), group(c)) == whole
    assert added(group(c), added(group(b), group(a))) == whole
    assert total([group(a), group(b), group(c)]) == whole.cells == len(a + b + c)


def test_details_with_many_values_are_cut():
    details = {("unit", f"{i:03}"): 1 for i in range(500)} | {("sign", "-"): 2}
    kept = gathered({"x": 1}, details).details
    assert len(kept) == MOST_VALUES + 1 and kept["sign", "-"] == 2


def test_what_was_counted_0_times_is_not_lost():
    """Marks that the user names may not occur."""
    assert added(Group(0, {"x": 0}, {}), Group(1, {"y": 1}, {})).texts == {"x": 0, "y": 1}


def test_the_most_common_value_is_taken_of_equals_the_first():
    details = {("unit", "kg"): 2, ("unit", "g"): 2, ("unit", ""): 9, ("sign", "-"): 5}
    assert most_common(details, "unit") == "g"
    assert most_common(details, "prefix", default="none") == "none"
