"""The model that fills missing values, and what it fills in."""

import numpy as np
import pandas as pd
import pytest

import lowdim
from lowdim.report.explore.filling import choose_filler, fill
from lowdim.selection.compare.models import ColumnMeans
from lowdim.selection.compare.table import Comparison, Entrant, Protocol
from tests.report.explore.tables import (
    encoded_of,
)

pytestmark = pytest.mark.usefixtures("few_models")


def judged(**errors):
    """A comparison in which these models have these errors."""
    kinds = {
        "ALS": lowdim.ALS,
        "PPCA": lowdim.ProbabilisticPCA,
        "FA": lowdim.FactorAnalysis,
        "Silent": lowdim.KMeans,  # which fills nothing
    }
    entrants = [
        Entrant(name, np.full(2, error), 0.1, 1, "", "", kinds[name](2))
        for name, error in errors.items()
    ]
    means = Entrant("column means", np.ones(2), 0.1, 1, "", "", ColumnMeans())
    return Comparison([*entrants, means], Protocol("error", "entries", 0.1, 2, (9, 4), 9))


def filled_by_means(encoded):
    """The missing values at the means of their columns, as `choose_filler` would do it."""
    model = lowdim.TableModel(choose_filler(judged(PPCA=2.0), 1, seed=0).model)
    return fill(encoded, model.fit_encoded(encoded.table, encoded.unit_encoder))


def test_filled_values_are_near_the_truth_and_ranges_cover_it(planted):
    table, truth = planted(), planted(missing=0.0)
    found = lowdim.explore(table, target="word", id="name").findings
    inside = []
    for part in found.filled:
        for row, value, low, high in zip(part.rows, part.value, part.low, part.high, strict=True):
            assert low <= value <= high
            inside.append(low <= truth.loc[row, part.column.name] <= high)
    assert np.mean(inside) > 0.75  # of 95%, with a rank that was chosen


def test_ranges_of_what_is_never_negative_do_not_go_below_zero():
    random = np.random.default_rng(0)
    X = np.abs(random.normal(size=(80, 3)))
    X[random.random(X.shape) < 0.2] = np.nan
    parts = filled_by_means(encoded_of(X, log=False))
    assert len(parts) == 3
    assert all((part.low >= 0).all() and (part.high > part.value).all() for part in parts)


def test_column_means_fill_a_category_with_the_commonest_and_its_share():
    table = pd.DataFrame({"x": np.arange(10.0) ** 2, "word": [*"aaaabbbcc", None]})
    (part,) = filled_by_means(encoded_of(table))
    assert part.rows.tolist() == [9] and part.column.words[part.value[0]] == "a"
    assert part.low[0] == pytest.approx(4 / 9)
    assert part.known == pytest.approx(0, abs=1e-6)


def test_column_means_are_a_model_that_can_be_saved_and_says_the_same():
    X = np.random.default_rng(0).normal(3, 2, size=(50, 4))
    X[::7, 1] = np.nan
    filler = choose_filler(judged(PPCA=2.0), 1, seed=0)
    expected, spread = ColumnMeans().fit(X).impute(X, return_std=True)
    found, std = filler.model.fit(X).impute(X, return_std=True)
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    np.testing.assert_allclose(std, spread, rtol=1e-4)
    assert filler.name == "column means" and hasattr(filler.model, "save")


def test_the_winner_fills_if_it_can_say_how_sure_it_is():
    filler = choose_filler(judged(ALS=0.5, FA=0.4, PPCA=0.6), 2, seed=3)
    assert filler.name == "FA" and filler.model.get_params()["random_state"] == 3
    assert "best (error 0.40" in filler.why
    filler = choose_filler(judged(ALS=0.3, FA=0.4, PPCA=0.35), 2, seed=3)
    assert filler.name == "ALS"
    filler = choose_filler(judged(Silent=0.3, FA=0.4, PPCA=0.35), 2, seed=3)
    assert filler.name == "PPCA" and "Silent has 0.30, but gives no range" in filler.why
    filler = choose_filler(judged(ALS=1.3, FA=1.4), 2, seed=3)
    assert filler.name == "column means" and "No method" in filler.why
    assert choose_filler(None, 2, seed=3).name == "probabilistic PCA"
