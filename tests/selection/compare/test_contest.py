"""Comparison of models by what they have not seen."""

import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator
from sklearn.cluster import DBSCAN
from sklearn.cluster import KMeans as TheirKMeans
from sklearn.decomposition import NMF
from sklearn.decomposition import PCA as TheirPCA
from sklearn.impute import KNNImputer, SimpleImputer
from sklearn.mixture import GaussianMixture as TheirMixture
from sklearn.neighbors import KernelDensity
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import lowdim
from lowdim.core.loop import InterruptedFitWarning
from lowdim.selection.compare.judging import relative_error
from lowdim.selection.compare.models import nearest_in_observed
from lowdim.selection.compare.table import Comparison, Entrant, Protocol
from lowdim.selection.splits import Cells, Split, columns_of, draw_split, varies

ENTRIES, ROWS = "entries", "rows"


@pytest.fixture(autouse=True)
def nothing_stays():
    plt.switch_backend("Agg")
    yield
    plt.close("all")


class Spy(BaseEstimator):
    """Fills with zeros and keeps copies of all it is given, and of its seed, in a list."""

    def __init__(self, log=None, random_state=None):
        self.log = log
        self.random_state = random_state

    def __sklearn_clone__(self):
        return Spy(self.log, self.random_state)

    def fit(self, X, y=None):
        self.log.append(("fit", X.copy()))
        self.log.append(("seed", self.random_state))
        return self

    def impute(self, X):
        self.log.append(("impute", X.copy()))
        return np.where(np.isnan(X), 0.0, X)


class Memory(BaseEstimator):
    """Knows by heart what it was given, and nothing else."""

    def fit(self, X, y=None):
        self.X_ = X.copy()
        return self

    def impute(self, X):
        return np.where(np.isnan(self.X_), 0.0, self.X_)


class Broken(BaseEstimator):
    """Fails, or predicts nonsense."""

    def __init__(self, how="raise"):
        self.how = how

    def fit(self, X, y=None):
        if self.how == "raise":
            raise RuntimeError("no <b>luck</b>\ntoday")
        return self

    def impute(self, X):
        return X if self.how == "nan" else X[:, :1]


def low_rank(rng, n=120, d=8, k=2, noise=0.2):
    return rng.normal(size=(n, k)) @ rng.normal(size=(k, d)) + noise * rng.normal(size=(n, d))


def clusters(rng, n=150, d=6):
    """Three round groups whose means are the corners of a triangle: two dimensions of means."""
    centers = np.zeros((3, d))
    centers[0, : d // 2], centers[1, d // 2 :], centers[2] = 4.0, 4.0, -3.0
    return centers[np.arange(n) % 3] + 0.5 * rng.normal(size=(n, d))


def entrant(name, losses, failure=""):
    return Entrant(name, np.array(losses, dtype=float), 0.1, 3, "", failure, None)


def comparison(*entrants, share=0.1):
    repeats = len(entrants[0].losses)
    return Comparison(entrants, Protocol("error", ENTRIES, share, repeats, (10, 4), 10))


# Golden values


def test_error_is_relative_to_zero_the_mean_of_standardised_columns():
    assert relative_error(np.array([1.0, 1.0]), np.array([2.0, -1.0])) == (1 + 4) / (4 + 1)


def test_center_and_spread_are_those_of_observed_entries():
    X = np.array([[1.0, 5.0, 2.0], [3.0, 5.0, np.nan], [np.nan, 5.0, 6.0]])
    center, spread = columns_of(X)
    assert_allclose(center, [2.0, 5.0, 4.0])
    assert_allclose(spread, [1.0, 1.0, 2.0])
    assert_array_equal(varies(X), [True, False, True])


@pytest.mark.parametrize("scale", [1e150, 1e-150])
def test_spread_neither_overflows_nor_vanishes(scale):
    center, spread = columns_of(scale * np.array([[1.0], [3.0]]))
    assert_allclose([center[0], spread[0]], [2 * scale, scale])


def test_the_nearest_center_is_that_of_the_observed_columns():
    centers = np.array([[0.0, 100.0], [3.0, 0.0]])
    X = np.array([[1.0, np.nan], [2.0, np.nan], [2.0, 90.0]])
    assert_array_equal(nearest_in_observed(X, centers, np.array([1.0, 1.0])), [0, 1, 0])


def test_what_differs_surely_is_worse_and_what_does_not_ties():
    table = comparison(
        entrant("sure", [0.52, 0.62, 0.72]),  # 0.02 worse on every split
        entrant("best", [0.50, 0.60, 0.70]),
        entrant("unsure", [0.40, 0.70, 0.74]),  # 0.013 worse in the mean, now better, now worse
        entrant("slight", [0.5001, 0.6001, 0.7001]),  # surely worse, by less than a thousandth
        entrant("failed", [np.nan] * 3, "ValueError: no"),
    )
    assert table.names == ("best", "slight", "unsure", "sure", "failed")
    assert table.winner == "best"
    assert table.ties == ("slight", "unsure")
    assert list(table["verdict"]) == ["best", "tie", "tie", "worse", "failed"]
    assert_allclose(table["difference"][:4], [0, 1e-4, 0.04 / 3, 0.02], atol=1e-12)
    assert table.summary() == "Best: best; not to be told from it: slight, unsure."


def test_a_model_that_fails_on_one_split_is_no_tie_however_unsure():
    table = comparison(entrant("best", [0.5, 0.6, 0.7]), entrant("wild", [0.5, 0.6, 300.0]))
    assert list(table["verdict"]) == ["best", "worse"]


def test_two_equal_models_tie(rng):
    table = lowdim.compare(low_rank(rng), [lowdim.PCA(2), lowdim.PCA(2)], random_state=0)
    assert set(table.names[:2]) == {"PCA(n_components=2)", "PCA(n_components=2) #2"}
    assert table.ties == (table.names[1],)


# The protocol


@pytest.mark.parametrize("hold_out", [ENTRIES, ROWS])
def test_all_models_are_given_the_same(rng, hold_out):
    one, two = [], []
    X = low_rank(rng, 40, 5)
    lowdim.compare(X, [Spy(one), lowdim.PCA(1), Spy(two)], hold_out=hold_out, random_state=3)
    assert len(one) == len(two) == 3 * 5
    for (what, mine), (same, other) in zip(one, two, strict=True):
        assert what == same
        if what != "seed":
            assert_array_equal(mine, other)
    first, second = (X for what, X in one[:6] if what == "impute")
    assert not np.array_equal(np.isnan(first), np.isnan(second))


def test_the_held_out_share_is_missing_in_what_is_learned_from(rng):
    X = low_rank(rng, 200, 10)
    X[rng.random(X.shape) < 0.1] = np.nan
    seen = []
    lowdim.compare(X, [Spy(seen)], share=0.2, random_state=rng)
    for what, given in seen:
        if what == "fit":
            held = np.isnan(given) & ~np.isnan(X)
            # of 1800 entries each is held out with probability 0.2: 5 deviations are 0.05
            assert abs(held.sum() / (~np.isnan(X)).sum() - 0.2) < 0.05
            assert np.isnan(given[np.isnan(X)]).all()
            assert_allclose(np.nanmean(given, axis=0), 0.0, atol=1e-12)
            assert_allclose(np.nanstd(given, axis=0), 1.0)


@pytest.mark.parametrize("hold_out", [ENTRIES, ROWS])
def test_what_is_held_out_changes_nothing_that_a_model_learns_from(rng, hold_out):
    X = low_rank(rng, 30, 5)
    split = draw_split(X, hold_out, 0.1, np.random.default_rng(7))
    other = X.copy()
    other[split.held] = 1e6 * rng.normal(size=split.held.sum())
    again = draw_split(other, hold_out, 0.1, np.random.default_rng(7))
    assert_array_equal(split.held, again.held)
    assert_array_equal(split.training(X), again.training(other))
    assert_array_equal(split.question(X), again.question(other))
    assert np.isnan(split.question(X)[split.asked()]).all()


def test_a_model_sees_nothing_of_held_out_entries(rng):
    X = low_rank(rng, 40, 5)
    split = draw_split(X, ENTRIES, 0.1, np.random.default_rng(3))
    changed = np.where(split.held, 1e3 - X, X)
    logs = []
    for values in (X, changed):
        log = []
        # repeats=2: the first split is the one drawn above, from the same seed
        lowdim.compare(values, [Spy(log)], repeats=2, random_state=3)
        logs.append([given for what, given in log if what != "seed"][:2])
    assert_array_equal(np.isnan(logs[0][0]), split.held)
    assert_array_equal(logs[0], logs[1])


def test_held_out_rows_are_not_learned_from(rng):
    X = low_rank(rng, 50, 4)
    split = draw_split(X, ROWS, 0.2, rng)
    assert len(split.ask_rows) == 10
    assert sorted([*split.ask_rows, *split.fit_rows]) == list(range(50))
    assert_array_equal(split.training(X), X[split.fit_rows])
    assert not split.held[split.fit_rows].any()


def test_of_every_held_out_row_something_is_asked_and_something_known(rng):
    X = low_rank(rng, 60, 3)
    X[::2, 0] = np.nan
    X[:10, 1] = np.nan
    X[:, 2] = np.where(np.arange(60) < 50, X[:, 2], 1.0)
    for _ in range(20):
        split = draw_split(X, ROWS, 0.5, rng)
        observed, asked = ~np.isnan(X[split.ask_rows]), split.asked()
        several = observed.sum(axis=1) > 1
        assert asked[several].any(axis=1).all()
        assert (observed & ~asked).any(axis=1).all()


def test_memory_is_no_better_than_column_means(rng):
    table = lowdim.compare(low_rank(rng), [Memory()], random_state=rng)
    assert_allclose(table.losses, 1.0, rtol=1e-12)
    assert table.ties == (table.names[1],)


def test_rows_and_columns_keep_something_to_learn_from(rng):
    X = np.full((40, 4), np.nan)
    X[np.arange(40), rng.integers(0, 3, 40)] = 1.0  # one entry a row, and then a few more
    X[:6] = rng.normal(size=(6, 4))
    X[:, 3] = np.where(np.arange(40) == 0, 2.0, 1.0)
    for _ in range(20):
        split = draw_split(X, ENTRIES, 0.5, rng)
        kept = split.training(X)
        assert (~np.isnan(kept)).any(axis=1).all()
        assert varies(kept).all()


def test_candidates_are_chosen_without_what_is_held_out(rng):
    """Inner splits hold out more of what is left; the outer held-out entries are missing in all."""
    X, log = low_rank(rng, 40, 5), []
    lowdim.compare(X, {"spies": [Spy(log), Spy(log)]}, repeats=2, random_state=3)
    split = draw_split(X, ENTRIES, 0.1, np.random.default_rng(3))
    fits = [given for what, given in log if what == "fit"]
    assert len(fits) == 2 * (2 * 5 + 1)  # two candidates on five inner splits, then the chosen one
    for given in fits[:10]:
        assert np.isnan(given[split.held]).all()
        assert np.isnan(given).sum() > split.held.sum()
    assert_array_equal(np.isnan(fits[10]), split.held)


def test_models_without_a_seed_get_one(rng):
    log, own = [], []
    lowdim.compare(low_rank(rng, 30, 4), [Spy(log), Spy(own, 5)], random_state=0)
    seeds = [seed for what, seed in log if what == "seed"]
    assert all(isinstance(seed, int) for seed in seeds) and len(set(seeds)) == 5
    assert {seed for what, seed in own if what == "seed"} == {5}


def test_a_model_is_judged_the_same_in_any_company(rng):
    X = clusters(rng, 60)
    alone = lowdim.compare(X, {"k": lowdim.KMeans(3)}, random_state=9)
    many = {"PCA": [lowdim.PCA(1), lowdim.PCA(2)], "k": lowdim.KMeans(3), "FA": Broken()}
    among = lowdim.compare(X, many, random_state=9)
    assert_array_equal(
        alone.losses[:, alone.names.index("k")], among.losses[:, among.names.index("k")]
    )


def test_the_same_seed_gives_the_same_table(rng):
    X = clusters(rng, 60)
    models = [lowdim.KMeans(3), lowdim.GaussianMixture(2), [lowdim.PCA(1), lowdim.PCA(2)]]
    one, two = (lowdim.compare(X, models, random_state=9) for _ in range(2))
    assert one.names == two.names
    assert_array_equal(one.losses, two.losses)
    assert not np.array_equal(lowdim.compare(X, models, random_state=10).losses, one.losses)


@pytest.mark.parametrize("hold_out", [ENTRIES, ROWS])
def test_units_of_columns_do_not_matter(rng, hold_out):
    X = low_rank(rng, 60, 6)
    units = 10.0 ** rng.integers(-6, 7, size=6)
    rule = {"hold_out": hold_out, "random_state": 1}
    tables = [lowdim.compare(Y, [lowdim.PCA(2)], **rule) for Y in (X, X * units + 3 * units)]
    # means and deviations of X * units + 3 * units lose a digit or two
    assert_allclose(tables[0].losses, tables[1].losses, rtol=1e-6)


def test_likelihoods_do_not_depend_on_the_units_a_model_sees(rng):
    X = low_rank(rng, 80, 4) * [1.0, 10.0, 100.0, 0.1]
    rule = {"hold_out": ROWS, "criterion": "likelihood", "random_state": 1}
    one, two = (
        lowdim.compare(X, [lowdim.FactorAnalysis(1, tol=1e-8)], standardize=standardize, **rule)
        for standardize in (True, False)
    )
    assert_allclose(one.losses, two.losses, rtol=1e-4)  # a fit by EM ends a little earlier or later


def test_likelihood_of_a_normal_column_is_its_formula(rng):
    X = rng.normal(size=(60, 1))
    table = lowdim.compare(
        X, [lowdim.GaussianMixture(1)], hold_out=ROWS, criterion="likelihood", random_state=0
    )
    assert_allclose(table.losses[:, 0], table.losses[:, 1], atol=1e-4)  # reg_covar=1e-6
    assert table.ties == (table.names[1],)


# A planted truth


@pytest.mark.parametrize("hold_out", [ENTRIES, ROWS])
def test_two_factors_are_found_by_models_of_two_factors(rng, hold_out):
    X = low_rank(rng, 200, 10, 2, noise=0.3)
    X[rng.random(X.shape) < 0.1] = np.nan
    models = {
        "PCA": [lowdim.PCA(k) for k in (1, 2, 4)],
        "k-means": lowdim.KMeans(3),
        "imputer": KNNImputer(),
    }
    table = lowdim.compare(X, models, hold_out=hold_out, random_state=rng)
    assert table.winner == "PCA"
    assert table.estimators["PCA"].n_components in (2, 4)
    loss = dict(zip(table.names, table["error"], strict=True))
    assert loss["PCA"] < 0.5 < 1 - 1e-9 < loss["column means"] < 1 + 1e-9
    assert loss["k-means"] < 1


def test_groups_are_found_by_models_of_groups(rng):
    models = [lowdim.KMeans(3, n_init=4), lowdim.GaussianMixture(3, n_init=4), lowdim.PCA(1)]
    table = lowdim.compare(clusters(rng), models, random_state=rng)
    assert set(table.names[:2]) == {"KMeans", "GaussianMixture"}
    assert table["verdict"][2] == "worse"
    assert table["error"][1] < 0.2  # noise 0.5 against means that are 4 and more apart


def test_noise_cannot_be_predicted(rng):
    X = rng.normal(size=(300, 6))
    table = lowdim.compare(X, [lowdim.PCA(3), lowdim.KMeans(5)], random_state=rng)
    # of 900 guesses with variance v the error is 1 + v, give or take 2 sqrt(v / 900) < 0.04
    assert (table["error"] > 0.9).all()


# Every kind of model


MODELS = {
    "PCA": lowdim.PCA(2),
    "ProbabilisticPCA": lowdim.ProbabilisticPCA(2),
    "FactorAnalysis": lowdim.FactorAnalysis(2),
    "MixtureOfFactorAnalyzers": lowdim.MixtureOfFactorAnalyzers(2, 1),
    "FastICA": lowdim.FastICA(2),
    "LinearAutoencoder": lowdim.LinearAutoencoder(2),
    "GaussianMixture": lowdim.GaussianMixture(3),
    "KMeans": lowdim.KMeans(3),
    "ALS": lowdim.ALS(2),
    "SoftImpute": lowdim.SoftImpute(),
    "their PCA": TheirPCA(2),
    "their KMeans": TheirKMeans(3),
    "their mixture": TheirMixture(3),
    "KNNImputer": KNNImputer(),
    "SimpleImputer": SimpleImputer(),
    "NMF": NMF(2, max_iter=2000),
    "pipeline": make_pipeline(StandardScaler(), TheirPCA(2)),
    "our pipeline": make_pipeline(StandardScaler(), lowdim.PCA(2)),
    "search": lowdim.CompletionSearch(lowdim.SVP(), {"n_components": [1, 2]}, cv=2),
}


@pytest.mark.parametrize("hold_out", [ENTRIES, ROWS])
def test_every_kind_of_model_can_be_compared(rng, hold_out):
    X = np.abs(low_rank(rng, 90, 6)) + 0.1
    X[rng.random(X.shape) < 0.05] = np.nan
    table = lowdim.compare(X, MODELS, hold_out=hold_out, repeats=2, random_state=rng)
    assert table.failures == {}
    assert len(table) == len(MODELS) + 1
    loss = dict(zip(table.names, table["error"], strict=True))
    assert_allclose(loss["SimpleImputer"], 1.0)
    remark = dict(zip(table.names, table["remark"], strict=True))
    assert remark["their PCA"] == remark["their KMeans"] == "column means stand in holes"
    assert remark["NMF"].startswith("columns scaled, not centred; column means stand in holes")
    assert remark["KNNImputer"] == remark["SimpleImputer"] == ""
    size = dict(zip(table.names, table["parameters"], strict=True))
    assert size["column means"] == 6
    assert size["KMeans"] == size["their KMeans"] == 3 * 6
    assert size["PCA"] == size["their PCA"] == size["pipeline"] == 2 * 6 + 6 + 1
    assert size["GaussianMixture"] == size["their mixture"] == 3 * 6 + 3 * 21 + 2
    assert size["KNNImputer"] is None
    assert (table["seconds"] > 0).all()


def test_counts_are_compared_as_they_are(rng):
    X = rng.poisson([[1.0, 9.0, 2.0, 8.0], [9.0, 1.0, 8.0, 2.0]] * 40)
    table = lowdim.compare(
        X, [lowdim.MixtureModel("poisson", 2)], standardize=False, random_state=rng
    )
    assert table.winner == "MixtureModel"


def test_likelihood_compares_models_that_have_one(rng):
    X = low_rank(rng, 100, 5)
    models = [lowdim.PCA(2), TheirPCA(2), KernelDensity(), lowdim.KMeans(2)]
    rule = {"hold_out": ROWS, "criterion": "likelihood", "random_state": rng}
    table = lowdim.compare(X, models, **rule)
    assert set(table.names[:2]) == {"lowdim.PCA", "sklearn.PCA"}
    assert table.names[1] in table.ties
    assert "has no likelihood" in table.failures["KMeans"]
    X[0, 0] = np.nan
    X[1:, 1] = np.where(np.arange(99) % 2 == 0, np.nan, X[1:, 1])
    again = lowdim.compare(X, models, **rule)
    assert "lowdim.PCA" not in again.failures
    assert "cannot score rows with NaN" in again.failures["sklearn.PCA"]


def test_data_frames_are_compared_as_arrays_are(rng):
    X = low_rank(rng, 50, 4)
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame.loc[3, "b"] = None
    one = lowdim.compare(frame, [lowdim.PCA(1)], random_state=0)
    two = lowdim.compare(frame.to_numpy(), [lowdim.PCA(1)], random_state=0)
    assert_array_equal(one.losses, two.losses)


def test_a_sample_of_rows_is_compared_and_the_table_says_so(rng):
    X, log = low_rank(rng, 300, 4), []
    table = lowdim.compare(X, [Spy(log)], max_rows=50, random_state=rng)
    assert {given.shape for what, given in log if what == "fit"} == {(50, 4)}
    assert "of 50 x 4 (drawn from 300 rows) held out" in repr(table)
    assert "sample" not in repr(lowdim.compare(X, [Memory()], max_rows=300, random_state=rng))


# Tables


def storms(rng, n=240):
    """Status and pressure follow from the wind, the date and the ocean from nothing."""
    strength = rng.integers(0, 3, n)
    wind = 20.0 + 30.0 * strength + rng.normal(size=n)
    table = pd.DataFrame(
        {
            "wind": wind,
            "pressure": 1015.0 - wind / 2 + rng.normal(size=n),
            "status": np.array(["depression", "storm", "hurricane"])[strength],
            "seen": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n), "D"),
            "ocean": rng.choice(["Atlantic", "Pacific", "Indian"], n, p=[0.6, 0.3, 0.1]),
        }
    )
    for name in table:
        table.loc[rng.random(n) < 0.05, name] = None
    return table


def encoded(table, **arguments):
    return lowdim.TableEncoder(drop_level=True, **arguments).fit(table)


@pytest.mark.parametrize("hold_out", [ENTRIES, ROWS])
def test_columns_of_one_cell_are_hidden_together(rng, hold_out):
    table, log = storms(rng), []
    lowdim.compare(table, [Spy(log)], hold_out=hold_out, random_state=rng)
    encoder = encoded(table)
    spans = encoder.encoding_.spans
    assert [span.stop - span.start for span in spans] == [1, 1, 2, 3, 2]  # a date has a season
    for what, given in log:
        if what == "impute":
            missing = np.isnan(given)
            for span in spans:
                assert (missing[:, span].all(axis=1) == missing[:, span].any(axis=1)).all()
            assert missing.any(axis=0).all()


def test_the_share_is_that_of_cells(rng):
    table, log = storms(rng, 600), []
    lowdim.compare(table, [Spy(log)], share=0.2, random_state=rng)
    first = [span.start for span in encoded(table).encoding_.spans]
    known = table.notna().sum().to_numpy()
    for what, given in log:
        if what == "fit":
            held = known - (~np.isnan(given[:, first])).sum(axis=0)
            # of some 570 cells each is held out with probability 0.2: 5 deviations are 0.084
            assert (np.abs(held / known - 0.2) < 0.084).all()


def test_a_cell_of_several_columns_counts_as_one():
    """Of a held-out category with three columns and a number, both count the same."""
    guess, truth = np.array([0.0, 1.0, 1.0, 1.0]), np.array([2.0, 0.0, 3.0, 0.0])
    weight = np.array([1.0, 1 / 3, 1 / 3, 1 / 3])
    assert relative_error(guess, truth, weight) == pytest.approx((4 + 6 / 3) / (4 + 9 / 3))


def test_a_level_that_is_left_nowhere_is_not_held_out(rng):
    cells = Cells(np.array([0, 0, 0, 1]))
    X = np.zeros((40, 4))
    X[np.arange(40), np.where(np.arange(40) < 38, np.arange(40) % 2, 2)] = (
        1.0  # 2 rows have level 2
    )
    X[:, 3] = rng.normal(size=40)
    asked = np.zeros(40, dtype=bool)
    for _ in range(50):
        split = draw_split(X, ENTRIES, 0.5, rng, cells)
        kept = split.training(X)
        assert varies(kept).all()
        assert_array_equal(split.held[:, 0], split.held[:, 2])
        asked |= split.held[:, 0]
        rows = draw_split(X, ROWS, 0.5, rng, cells)
        alone = ~np.isin(2, np.argmax(X[rows.fit_rows, :3], axis=1))
        assert not (alone and rows.held[38:, 0].any())
    assert asked.all()  # the two rows of level 2 in turn


def test_cells_of_one_column_each_are_entries_of_a_matrix(rng):
    X = low_rank(rng, 30, 4)
    X[3, 1] = np.nan
    for hold_out in (ENTRIES, ROWS):
        one = draw_split(X, hold_out, 0.2, np.random.default_rng(1))
        two = draw_split(X, hold_out, 0.2, np.random.default_rng(1), Cells(np.arange(4)))
        assert_array_equal(one.held, two.held)


@pytest.mark.parametrize("hold_out", [ENTRIES, ROWS])
def test_a_category_that_follows_from_numbers_is_predicted(rng, hold_out):
    table = storms(rng)[["wind", "pressure", "status"]]
    models = {"groups": lowdim.GaussianMixture(3, n_init=4, reg_covar=1e-3), "PCA": lowdim.PCA(1)}
    result = lowdim.compare(table, models, hold_out=hold_out, random_state=rng)
    assert result.winner == "groups"
    assert result["error"][0] < 0.15  # groups are 30 apart, measured to 1
    # words in another order than that of the wind: what the wind says of them is gone
    shuffled = table.assign(status=rng.permutation(table["status"].to_numpy()))
    noise = lowdim.compare(shuffled, models, hold_out=hold_out, random_state=rng)
    loss = dict(zip(noise.names, noise["error"], strict=True))
    assert loss["groups"] > 0.25  # of three columns one is not to be predicted


def test_a_hidden_category_is_not_told_by_its_own_columns(rng):
    table = pd.DataFrame({"word": rng.choice(list("abcd"), 300), "x": rng.normal(size=300)})
    result = lowdim.compare(table, [lowdim.PCA(3), lowdim.GaussianMixture(4)], random_state=rng)
    # with one of three columns hidden at a time, PCA(3) would predict it to the last digit
    assert (result["error"] > 0.9).all()


def test_the_result_says_what_became_of_the_table(rng):
    table = storms(rng).assign(always=1.0)
    result = lowdim.compare(table, [lowdim.PCA(1)], max_rows=100, repeats=2, random_state=0)
    assert str(result.protocol) == (
        "10% of the entries of 100 x 5 (drawn from 240 rows) held out, 2 times; error relative to "
        "column means; 5 of 6 columns of the table became 9 columns of numbers"
    )
    assert result.encoder.columns_["always"].kind == "constant"
    assert "became 9 columns of numbers" in result._repr_html_()
    plain = lowdim.compare(low_rank(rng), [lowdim.PCA(1)], repeats=2)
    assert plain.encoder is None and "became" not in repr(plain)


def test_every_kind_of_table_is_compared_alike(rng, tmp_path):
    table = storms(rng, 120)
    table.to_parquet(tmp_path / "storms.parquet")
    sources = [
        table,
        pl.from_pandas(table),
        pa.Table.from_pandas(table, preserve_index=False),
        tmp_path / "storms.parquet",
        {name: table[name].to_numpy() for name in table},
    ]
    models = {"PCA": [lowdim.PCA(1), lowdim.PCA(2)], "means": SimpleImputer()}
    first, *others = (lowdim.compare(X, models, repeats=2, random_state=0) for X in sources)
    for other in others:
        assert_allclose(other.losses, first.losses, rtol=1e-9)
        assert other.protocol == first.protocol


def test_files_and_dicts_of_numbers_are_taken_as_they_are(rng, tmp_path):
    X = np.exp(2 * low_rank(rng, 60, 4))  # of which an encoder would take logarithms
    np.save(tmp_path / "x.npy", X)
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame.to_parquet(tmp_path / "x.parquet")
    sources = [tmp_path / "x.npy", str(tmp_path / "x.parquet"), dict(frame), frame]
    plain = lowdim.compare(X, [lowdim.PCA(1)], repeats=2, random_state=0)
    for source in sources:
        result = lowdim.compare(source, [lowdim.PCA(1)], repeats=2, random_state=0)
        assert_allclose(result.losses, plain.losses, rtol=1e-9)
        assert result.encoder is None
    logs = lowdim.TableEncoder()
    result = lowdim.compare(frame, [lowdim.PCA(1)], encoder=logs, repeats=2, random_state=0)
    assert "logarithm" in result.encoder.columns_["a"].done
    assert result["error"][0] < plain["error"][0]
    assert not hasattr(logs, "columns_")  # the user's own stays as it is


def test_an_encoder_says_what_the_columns_of_a_matrix_are(rng):
    X = np.column_stack([rng.integers(0, 4, 100), rng.normal(size=(100, 2))])
    encoder = lowdim.TableEncoder(categorical=["0"], drop_level=True)
    result = lowdim.compare(X, [lowdim.PCA(1)], encoder=encoder, repeats=2, random_state=0)
    assert result.protocol.shape == (100, 5) and result.protocol.used == (3, 3)
    assert "; 3 columns of the table became 5 columns of numbers" in repr(result)


# What goes wrong is said


def test_a_model_that_fails_is_reported_and_the_others_go_on(rng):
    models = {
        "broken": Broken(),
        "unknown": Broken("nan"),
        "too few": Broken("shape"),
        "no way": DBSCAN(),
        "too large": lowdim.PCA(50),
        "PCA": [lowdim.PCA(50), lowdim.PCA(2)],
        "no PCA": [lowdim.PCA(50), lowdim.PCA(60)],
    }
    table = lowdim.compare(low_rank(rng, 60, 5), models, random_state=rng)
    assert set(table.failures) == set(models) - {"PCA"}
    assert table.winner == "PCA" and table.names[1] == "column means"
    assert table.failures["broken"] == "RuntimeError: no <b>luck</b> today"
    assert "held-out entries unknown" in table.failures["unknown"]
    assert "values where (60, 5) are needed" in table.failures["too few"]
    assert "DBSCAN has no way to tell entries" in table.failures["no way"]
    assert "n_components=50" in table.failures["too large"]
    assert "n_components=50" in table.failures["no PCA"]
    assert np.isnan(table.losses[:, 2:]).all()
    assert list(table["verdict"][2:]) == ["failed"] * 6


def test_warnings_are_counted_in_the_remark(rng):
    model = lowdim.GaussianMixture(3, max_iter=1, tol=1e-12)
    table = lowdim.compare(low_rank(rng, 60, 5), {"mixture": model}, random_state=rng)
    at = table.names.index("mixture")
    assert table["remark"][at] == "ConvergenceWarning 5 of 5"


class Interrupted(BaseEstimator):
    """Ctrl-C is pressed while it is fitted: another's model stops, ours ends early and warns."""

    def __init__(self, ours=False):
        self.ours = ours

    def fit(self, X, y=None):
        if not self.ours:
            raise KeyboardInterrupt
        warnings.warn("interrupted", InterruptedFitWarning, stacklevel=2)
        return self

    def impute(self, X):
        return np.zeros(X.shape)


@pytest.mark.parametrize("ours", [True, False])
def test_ctrl_c_ends_the_comparison(rng, ours):
    with pytest.raises(KeyboardInterrupt):
        lowdim.compare(low_rank(rng, 20, 4), [Interrupted(ours)])


def test_means_stand_in_holes_only_where_there_are_holes(rng):
    X = low_rank(rng, 60, 4)
    table = lowdim.compare(X, [TheirKMeans(2), TheirPCA(1)], hold_out=ROWS, random_state=rng)
    remark = dict(zip(table.names, table["remark"], strict=True))
    assert remark["KMeans"] == ""
    assert remark["PCA"] == "column means stand in holes"


# The table


def test_the_table_can_be_read(rng):
    table = comparison(
        entrant("PCA", [0.5, 0.6]),
        entrant("a <b>", [0.9, 0.8]),
        entrant("DBSCAN", [np.nan, np.nan], "ValueError: <i>no</i>"),
    )
    text = repr(table)
    assert text.splitlines()[0] == (
        "10% of the entries of 10 x 4 held out, 2 times; error relative to column means"
    )
    assert text.splitlines()[2].split()[:2] == ["PCA", "0.5500"]
    assert text.splitlines()[-1].startswith("Best: PCA")
    html = table._repr_html_()
    assert "a &lt;b&gt;" in html and "<b>" not in html and "<i>" not in html
    assert html.count("<tr>") == 4


@pytest.mark.parametrize("backend", ["pandas", "polars"])
def test_the_table_becomes_a_data_frame(rng, backend):
    table = lowdim.compare(low_rank(rng, 40, 4), [lowdim.PCA(1), KNNImputer()], random_state=0)
    frame = table.to_frame(backend)
    assert list(frame.columns) == [
        *("model", "error", "std_error", "difference", "difference_std_error"),
        *("verdict", "seconds", "parameters", "remark"),
    ]
    assert tuple(frame["model"]) == table.names
    assert_allclose(frame["error"].to_numpy(), table.losses.mean(axis=0))


def test_the_plot_shows_what_ran_and_the_baseline(rng):
    table = comparison(
        entrant("$PCA_", [0.5, 0.6, 0.5]),
        entrant("column means", [1.0, 1.0, 1.0]),
        entrant("DBSCAN", [np.nan] * 3, "ValueError: no"),
    )
    ax = table.plot()
    assert [label.get_text() for label in ax.get_yticklabels()] == ["$PCA_", "column means"]
    worse, good, baseline = ax.lines[-3:]
    assert_allclose(good.get_xdata(), [1.6 / 3])
    assert_allclose(worse.get_xdata(), [1.0])
    assert_allclose(baseline.get_xdata(), [1.0, 1.0])
    assert "column means = 1" in ax.get_xlabel()
    ax.figure.canvas.draw()
    mine = plt.subplots()[1]
    assert table.plot(ax=mine) is mine


def test_names_say_what_differs(rng):
    models = [lowdim.PCA(1), lowdim.PCA(2), TheirKMeans(2), lowdim.KMeans(2), lowdim.ALS(1)]
    names = lowdim.compare(low_rank(rng, 30, 4), models, repeats=2, random_state=0).names
    assert set(names) == {
        *("PCA(n_components=1)", "PCA(n_components=2)", "sklearn.KMeans", "lowdim.KMeans"),
        *("ALS", "column means"),
    }


def test_the_remark_says_which_candidates_were_chosen(rng):
    X = low_rank(rng, 150, 8, 2, noise=0.05)
    table = lowdim.compare(X, {"PCA": [lowdim.PCA(1), lowdim.PCA(2)]}, random_state=rng)
    assert table["remark"][0] == "n_components=2"
    assert table.estimators["PCA"].n_components == 2
    assert not hasattr(table.estimators["PCA"], "components_")
    assert table["parameters"][0] == 2 * 8 + 8 + 1


# The door


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"hold_out": "columns"}, "hold_out='columns' is not known"),
        ({"criterion": "bic"}, "criterion='bic' is not known"),
        ({"criterion": "likelihood"}, "choose hold_out='rows'"),
        ({"share": 0.0}, "share=0.0 must be more than 0"),
        ({"share": 1.0}, "share=1.0 must be"),
        ({"repeats": 1}, "repeats=1 is too small"),
        ({"standardize": "no"}, "standardize='no' is not known"),
        ({"random_state": "x"}, "random_state='x'"),
        ({"max_rows": 1}, "max_rows=1 is too small"),
        ({"models": []}, "models is empty"),
        ({"models": [[]]}, "empty list of candidates"),
        ({"models": {"column means": lowdim.PCA(1)}}, "is the name of the baseline"),
        ({"X": np.ones((5, 1))}, "X has 1 column"),
        ({"X": np.ones((5, 3))}, "only constant columns"),
        ({"X": np.array([[1.0, np.nan], [2.0, np.nan]])}, "no observed value in 1 of 2 columns"),
        ({"X": np.array([[1.0, np.inf], [2.0, 1.0]])}, "X has infinity"),
        ({"X": np.ones((1, 3))}, "needs at least 2 rows"),
        ({"X": np.array([[1.0, 2.0], [2.0, 1.0]])}, "no entry of X .2 x 2. can be held out"),
        ({"X": np.array([["a", "b"], ["c", "d"]])}, "not numbers"),
    ],
)
def test_bad_arguments_are_told(change, message):
    X = np.arange(40.0).reshape(10, 4)
    arguments = {"X": X, "models": [lowdim.PCA(1)], "random_state": 0} | change
    with pytest.raises(ValueError, match=message):
        lowdim.compare(arguments.pop("X"), arguments.pop("models"), **arguments)


@pytest.mark.parametrize("models", [[lowdim.PCA], "PCA", [3], 7])
def test_models_are_estimators(models):
    with pytest.raises(TypeError, match="give"):
        lowdim.compare(np.arange(40.0).reshape(10, 4), models)


def test_an_encoder_is_a_table_encoder_that_leaves_missing_values():
    X = np.arange(40.0).reshape(10, 4)
    with pytest.raises(TypeError, match="is no TableEncoder"):
        lowdim.compare(X, [lowdim.PCA(1)], encoder=StandardScaler())
    with pytest.raises(ValueError, match="look known; choose missing='nan'"):
        lowdim.compare(X, [lowdim.PCA(1)], encoder=lowdim.TableEncoder(missing="mean"))


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"word": np.array(["a", "b", "c", "a"] * 5)}, "X has 1 column"),
        ({"word": np.array(["a"]), "x": np.ones(1)}, "no column to work on"),
        ({"word": np.array(["a", "a"]), "x": np.ones(2)}, "no column to work on"),
    ],
)
def test_tables_with_nothing_to_predict_are_refused(table, message):
    with pytest.raises(ValueError, match=message):
        lowdim.compare(table, [lowdim.PCA(1)])


def test_a_column_that_a_sample_leaves_empty_is_named(rng):
    table = storms(rng).assign(rare=np.where(np.arange(240) < 2, 1.0 + np.arange(240), np.nan))
    with pytest.raises(ValueError, match="no observed entry in column 'rare' of X"):
        lowdim.compare(table, [lowdim.PCA(1)], max_rows=3, random_state=0)
    with pytest.raises(ValueError, match="Column 'rare' of X has too few"):
        for seed in range(60):
            lowdim.compare(table, [Spy([])], hold_out=ROWS, random_state=seed)


def test_streams_do_not_fit_in_memory(tmp_path):
    np.save(tmp_path / "part.npy", np.ones((5, 3)))
    with pytest.raises(TypeError, match="needs all rows in memory"):
        lowdim.compare(lowdim.stream(str(tmp_path / "*.npy")), [lowdim.PCA(1)])


def test_sparse_matrices_are_not_taken():
    with pytest.raises(TypeError, match="dense"):
        lowdim.compare(sp.eye_array(5, format="csr"), [lowdim.PCA(1)])


def test_a_column_with_one_entry_does_not_go_with_held_out_rows():
    X = np.arange(40.0).reshape(10, 4)
    X[1:, 2] = np.nan
    with pytest.raises(ValueError, match="Column 2 of X has too few observed entries"):
        for seed in range(60):  # row 0 is held out in one split of ten
            draw_split(X, ROWS, 0.1, np.random.default_rng(seed))


def test_a_split_is_what_it_says():
    held = np.array([[True, False], [False, False]])
    split = Split(slice(None), slice(None), held)
    assert_array_equal(split.training(np.ones((2, 2))), [[np.nan, 1.0], [1.0, 1.0]])
