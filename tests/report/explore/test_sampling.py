"""Which steps looked at a sample is said, and only then."""

from lowdim.report.explore.sampling import (
    FILL_ROWS,
    FIT_ROWS,
    MAP_FIT_ROWS,
    STABILITY_ROWS,
    said_of_samples,
)

ALL = {"incomplete": True, "filled": True, "stable": True}
NONE = {"incomplete": False, "filled": False, "stable": False}


def test_nothing_is_said_of_a_small_table():
    assert said_of_samples(300, 20, **ALL) == []


def test_each_step_is_named_with_its_rows_beyond_them():
    said = said_of_samples(FIT_ROWS + 1, 20, **ALL)
    assert len(said) == 6
    steps = [FIT_ROWS, FILL_ROWS, FIT_ROWS, MAP_FIT_ROWS, STABILITY_ROWS]
    for sentence, rows in zip(said[1:], steps, strict=True):
        assert f"{rows:,} rows drawn at random" in sentence
    assert len(said_of_samples(FIT_ROWS, 20, **ALL)) == 4  # rank, filling, maps, stability


def test_steps_that_were_not_taken_are_not_named():
    said = said_of_samples(10**6, 20, **NONE)
    assert [sentence.split(" was")[0].split(" were")[0] for sentence in said] == [
        "The rank",
        "The clusters",
        "t-SNE and UMAP",
    ]
