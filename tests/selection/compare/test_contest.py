"""Comparison of models by what they have not seen."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.cluster import KMeans as TheirKMeans
from sklearn.decomposition import NMF
from sklearn.decomposition import PCA as TheirPCA
from sklearn.impute import KNNImputer, SimpleImputer
from sklearn.mixture import GaussianMixture as TheirMixture
from sklearn.neighbors import KernelDensity
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import lowdim
from lowdim.selection.compare import contest
from lowdim.selection.splits import draw_split
from tests.selection.compare.shared import (
    ENTRIES,
    ROWS,
    Broken,
    Memory,
    Spy,
    clusters,
    encoded,
    low_rank,
    storms,
)

FAILS = None  # in place of a loss

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


def test_candidates_are_chosen_without_what_is_held_out(rng):
    """Inner splits hold out more of what is left; the outer held-out entries are missing in all."""
    X, log = low_rank(rng, 40, 5), []
    lowdim.compare(X, {"spies": [Spy(log), Spy(log)]}, repeats=2, random_state=3)
    split = draw_split(X, ENTRIES, 0.1, np.random.default_rng(3))
    fits = [given for what, given in log if what == "fit"]
    assert len(fits) == 2 * (2 * 2 + 1)  # two candidates on two inner splits, then the chosen one
    for given in fits[:4]:
        assert np.isnan(given[split.held]).all()
        assert np.isnan(given).sum() > split.held.sum()
    assert_array_equal(np.isnan(fits[4]), split.held)


@pytest.mark.parametrize(
    ("losses", "chosen", "judged"),
    [
        ([[1, 2, 9, 9, 9], [3, 4, 0, 0, 0]], 0, [2, 2]),  # behind in both: the others are not tried
        ([[1, 5, 1, 9, 9], [2, 4, 2, 3, 0]], 1, [5, 5]),  # no one is ahead in all
        ([[5, 5, 5, 5, 5], [1, 2, 1, 2, 2], [2, 1, 2, 1, 1]], 2, [2, 5, 5]),
        ([[1, FAILS, 1, 1, 1], [2, 2, 2, 2, 2]], 1, [2, 2]),
        ([[FAILS], [2]], 1, [1, 1]),
    ],
)
def test_candidates_race_until_one_is_ahead(monkeypatch, losses, chosen, judged):
    """Losses are those of each candidate, which is called by its number, on each inner split."""
    tried = [0] * len(losses)

    def judge(candidate, training, split, rules):
        tried[candidate] += 1
        if losses[candidate][split] is FAILS:
            raise ValueError("too large")
        return contest.Outcome(losses[candidate][split], 0.0, 1, 0, (), frozenset())

    monkeypatch.setattr(contest, "judge", judge)
    monkeypatch.setattr(contest, "seeded", lambda candidate, seed: candidate)
    outer = draw_split(np.eye(9), ENTRIES, 0.1, np.random.default_rng(0))
    trial = contest.SeededSplit(outer, 0, list(range(len(losses[0]))))
    numbers = list(range(len(losses)))
    assert contest._best_candidate(numbers, np.eye(9), trial, None) == chosen
    assert tried == judged


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
    assert remark["their PCA"] == remark["their KMeans"] == "column means stand for missing values"
    assert remark["NMF"].startswith(
        "columns scaled, not centred; column means stand for missing values"
    )
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


def test_networks_with_exact_or_bounded_likelihoods_take_part(rng):
    pytest.importorskip("torch")
    X = rng.normal(size=(60, 2)) @ rng.normal(size=(2, 4)) + 0.1 * rng.normal(size=(60, 4))
    few = {"max_iter": 2, "random_state": 0}
    models = {
        "pixels": lowdim.PixelCNN(channels=4, n_layers=1, kernel_size=3, levels=4, **few),
        "words": lowdim.CausalTransformer(n_layers=1, n_heads=1, width=8, levels=4, **few),
        "noise": lowdim.Diffusion(20, hidden=(8,), **few),
    }
    filled = lowdim.compare(X, models, repeats=2, random_state=0)
    likely = lowdim.compare(
        X, models, hold_out="rows", criterion="likelihood", repeats=2, random_state=0
    )
    for table in (filled, likely):
        assert set(models) <= set(table.names)
        assert not table.failures
        assert np.isfinite(table.losses).all()
