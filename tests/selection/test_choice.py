"""The rules that choose a size, by hand, and what a choice says of itself."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from lowdim.selection.choice import (
    Choice,
    elbow,
    excess_over,
    fewest_near_best,
    first_within_error,
    standard_error,
)

# ---- golden values -------------------------------------------------------------------------------


def test_the_standard_error_is_that_of_a_mean():
    losses = np.array([[1.0, 5.0], [2.0, 5.0], [3.0, 5.0], [6.0, 5.0]])  # variances 14/3 and 0
    assert_allclose(standard_error(losses), [np.sqrt(14 / 3 / 4), 0.0])


def test_overlapping_training_data_have_the_standard_error_of_nadeau_and_bengio():
    losses = np.array([1.0, 2.0, 3.0, 6.0])
    expected = np.sqrt((1 / 4 + 0.2 / 0.8) * 14 / 3)
    assert_allclose(standard_error(losses, overlap=0.2 / 0.8), expected)


def test_the_excess_is_paired():
    # hard splits are hard for both: their difference has no spread
    losses = np.array([[1.0, 1.5], [10.0, 10.5], [100.0, 100.5]])
    mean, error = excess_over(losses, 0)
    assert_allclose(mean, [0.0, 0.5])
    assert_allclose(error, 0.0, atol=1e-13)


def test_the_fewest_within_one_error_of_the_best_are_taken():
    best = np.array([1.0, 1.0, 1.0])
    first = best + np.array([0.1, 0.2, 0.3])  # 0.2, standard error 0.058
    second = best + np.array([-0.05, 0.05, 0.15])  # 0.05, standard error 0.058
    assert fewest_near_best(np.column_stack([first, second, best])) == 1
    assert fewest_near_best(np.column_stack([first, best, second])) == 1
    assert fewest_near_best(np.column_stack([best, second])) == 0


def test_the_elbow_is_farthest_below_the_line_between_the_ends():
    assert elbow(np.arange(1, 6), np.array([100.0, 20.0, 15.0, 12.0, 10.0])) == 1
    assert elbow(np.arange(1, 6), np.array([100.0, 70.0, 20.0, 15.0, 10.0])) == 2
    assert elbow(np.array([1, 2, 10]), np.array([10.0, 9.0, 0.0])) == 0  # none lies below
    assert elbow(np.arange(3), np.ones(3)) == 0


def test_the_gap_rule_takes_the_first_that_the_next_does_not_beat_by_an_error():
    errors = np.full(4, 0.1)
    assert first_within_error(np.array([0.0, 0.5, 0.55, 0.9]), errors) == 1
    assert first_within_error(np.array([0.0, 0.5, 0.75, 0.7]), errors) == 2
    assert first_within_error(np.array([0.0, 0.5, 1.0, 1.5]), errors) == 3


# ---- properties ----------------------------------------------------------------------------------


def test_the_rule_never_takes_more_than_the_best(rng):
    for _ in range(20):
        losses = rng.normal(size=(5, 8)) + np.linspace(1, 0, 8)
        assert fewest_near_best(losses) <= np.argmin(losses.mean(axis=0))
        shifted = losses + rng.normal(size=(5, 1))  # easy and hard splits change nothing
        assert fewest_near_best(shifted) == fewest_near_best(losses)


# ---- what a choice says --------------------------------------------------------------------------


class Apples(Choice):
    counts = "apple"
    labels = {"taste": "taste", "gap": "gap"}  # noqa: RUF012
    reasons = {"taste": "the sweetest", "gap": "the rounder"}  # noqa: RUF012


def apples(**changes):
    given = {"choice": 1, "sizes": np.arange(4), "curve": np.ones(4), "criterion": "taste"}
    return Apples(**(given | changes))


def test_a_choice_is_a_sentence():
    assert str(apples()) == "1 apple, of 0 to 3: the sweetest."
    assert apples(choice=2).sentence() == "2 apples, of 0 to 3: the sweetest."


def test_the_spread_is_that_of_the_repeats():
    assert apples().spread is None
    per_repeat = np.array([[1.0, 2.0], [3.0, 2.0]])
    assert_allclose(apples(per_repeat=per_repeat).spread, [np.sqrt(2), 0.0])


def test_a_plot_shows_curve_errors_and_choice():
    plt = pytest.importorskip("matplotlib.pyplot")
    ax = apples(errors=np.full(4, 0.1)).plot()
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts == ["± 1 SE", "best + 1 SE", "chosen: 1"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("apples", "taste")
    gap = apples(criterion="gap", errors=np.full(4, 0.1)).plot()
    assert [text.get_text() for text in gap.get_legend().get_texts()] == ["± 1 SE", "chosen: 1"]
    outside = apples(choice=0, sizes=np.arange(1, 5)).plot()  # none at all, of 1 to 4
    assert outside.get_legend() is None
    plt.close("all")
