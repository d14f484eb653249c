"""Rows drawn from models of numbers have levels with the model's own probabilities."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import kstest

import lowdim
from lowdim.tables.drawing import (
    drawn_given,
    drawn_matrix,
    level_prices,
    level_probabilities,
    with_known_places,
    with_levels,
)


@pytest.fixture
def table(rng):
    """Levels from frequent to rare, of which the numbers depend, and a flag that goes with them."""
    level = rng.choice(4, size=1500, p=[0.7, 0.2, 0.07, 0.03])
    return pd.DataFrame(
        {
            "x": rng.normal(size=1500) + level,
            "kind": np.array(["a", "b", "c", "d"])[level],
            "flag": rng.random(1500) < np.array([0.02, 0.3, 0.6, 0.9])[level],
        }
    )


def test_probabilities_are_those_expected_where_these_are_possible():
    expected = np.array([[0.2, 0.8], [1.0, 0.0], [0.5, 0.5]])
    assert_allclose(level_probabilities(expected, expected.mean(axis=0)), expected, atol=1e-6)


def test_clipping_does_not_move_the_mean(rng):
    expected = rng.normal(size=(4000, 3)) * 0.1 + [0.01, 0.09, 0.9]
    mean = [0.01, 0.09, 0.9]
    found = level_probabilities(expected, np.array(mean))
    assert found.min() >= 0
    assert_allclose(found.sum(axis=1), 1.0)
    assert_allclose(found.mean(axis=0), mean, atol=2e-4)
    clipped = np.clip(expected, 0, None)
    clipped /= clipped.sum(axis=1, keepdims=True)
    assert clipped[:, 0].mean() > 3 * found[:, 0].mean()  # what the factors mend


@pytest.mark.parametrize(
    "model",
    [
        lowdim.ProbabilisticPCA(2, random_state=0),
        lowdim.GaussianMixture(3, reg_covar=1e-3, random_state=0),
    ],
)
def test_levels_have_their_shares_and_go_with_the_numbers(table, model):
    encoder = lowdim.TableEncoder(drop_level=True)
    drawn = lowdim.TableModel(model, encoder=encoder).fit(table).sample(4000, random_state=0)
    real, fake = (t["kind"].value_counts(normalize=True).sort_index() for t in (table, drawn))
    error = 4 * np.sqrt(real * (1 - real) * (1 / 4000 + 1 / 1500))
    assert (np.abs(fake.to_numpy() - real.to_numpy()) < np.maximum(error, 0.01)).all()
    assert abs(drawn["flag"].mean() - table["flag"].mean()) < 0.03
    means = [t.groupby("kind", observed=True)["x"].mean() for t in (table, drawn)]
    assert means[1]["b"] - means[1]["a"] > 0.5 * (means[0]["b"] - means[0]["a"])


def test_a_table_of_levels_alone_is_drawn_by_the_chain_rule(rng):
    a = rng.random(2000) < 0.3
    table = pd.DataFrame({"a": a, "b": np.where(rng.random(2000) < 0.9, a, ~a)})
    drawn = lowdim.TableModel(lowdim.ProbabilisticPCA(1, random_state=0)).fit(table).sample(
        4000, random_state=1
    )  # fmt: skip
    assert abs(drawn["a"].mean() - a.mean()) < 0.04
    same = [(t["a"] == t["b"]).mean() for t in (table, drawn)]
    assert abs(same[0] - same[1]) < 0.04


class Near(lowdim.ProbabilisticPCA):
    draws_levels = True


def test_draws_that_are_levels_stay(table, rng):
    for estimator in (Near(2, random_state=0), lowdim.ProbabilisticPCA(2, random_state=0)):
        model = lowdim.TableModel(estimator).fit(table)
        Z = np.asarray(model.encoder_.transform(table))[:7]
        assert_array_equal(with_levels(model.estimator_, model.encoder_.encoding_, Z, rng), Z)


@pytest.mark.parametrize("levels", [2, 3, 6])
def test_prices_give_levels_their_shares(levels, rng):
    share = 0.1 * rng.normal(size=(2000, levels))
    share[np.arange(2000), rng.integers(levels, size=2000)] += 1.0
    target = rng.dirichlet(np.full(levels, 2.0))
    best = np.argmax(share + level_prices(share, target), axis=1)
    found = np.bincount(best, minlength=levels) / 2000
    assert_allclose(found, target, atol=1.5 / 2000)  # to one row, beside the rounding of 2000 t


def test_prices_are_nothing_where_shares_are_right_and_where_no_row_differs():
    right = np.eye(2)[[0, 0, 0, 1]]
    assert_array_equal(level_prices(right, np.array([0.75, 0.25])), [0.0, 0.0])
    equal = np.tile([0.0, 1.0], (100, 1))
    assert_array_equal(level_prices(equal, np.array([0.02, 0.98])), [0.0, 0.0])


@pytest.mark.parametrize("n", [20, 2000])
def test_draws_near_levels_have_the_shares_of_columns_without_missing_values(table, n, rng):
    model = lowdim.TableModel(Near(2, random_state=0)).fit(table)
    drawn = pd.concat([model.sample(n, random_state=seed) for seed in range(2000 // n)])
    real = table["kind"].value_counts(normalize=True).sort_index()
    found = drawn["kind"].value_counts(normalize=True).reindex(real.index, fill_value=0.0)
    assert_allclose(found, real, atol=0.03)  # 3 standard errors of a share of a half


def test_shares_of_columns_with_missing_values_are_the_models(table, rng):
    table.loc[:200, "kind"] = None
    model = lowdim.TableModel(Near(2, random_state=0)).fit(table)
    encoding = model.encoder_.encoding_
    (span,) = [s for c, s in zip(encoding.used, encoding.spans, strict=True) if c.name == "kind"]
    Z = rng.normal(size=(2000, encoding.width))
    assert_array_equal(with_levels(model.estimator_, encoding, Z, rng)[:, span], Z[:, span])


def test_seeds_give_the_same_rows(table):
    model = lowdim.TableModel(lowdim.ProbabilisticPCA(2, random_state=0)).fit(table)
    first, second, other = (model.sample(50, random_state=seed) for seed in (1, 1, 2))
    pd.testing.assert_frame_equal(first, second)
    assert not first.equals(other)


def test_given_columns_stay_and_the_others_follow(rng):
    pytest.importorskip("torch")
    group = rng.integers(2, size=400)
    table = pd.DataFrame({"x": 5 * group + rng.normal(size=400), "kind": np.where(group, "u", "v")})
    network = lowdim.VAE(1, hidden=(16,), max_iter=60, learning_rate=0.01, random_state=0)
    model = lowdim.TableModel(network).fit(table)
    encoding = model.encoder_.encoding_
    place = encoding.codecs[1].levels.index("u")
    known = {"kind": encoding.codecs[1].at_places(np.array([place]))[0]}
    Z = drawn_given(model.estimator_, encoding, 200, rng, known)
    assert_array_equal(Z[:, encoding.spans[1]], np.tile(known["kind"], (200, 1)))
    free = drawn_matrix(model.estimator_, encoding, 200, rng)
    assert Z[:, 0].mean() > 0.6 > 0.4 > free[:, 0].mean()  # in standard deviations of x


class Narrow(lowdim.ProbabilisticPCA):
    """Draws that are too narrow, and off the middle."""

    def sample(self, n_samples=1, random_state=None):
        return 0.6 * super().sample(n_samples, random_state=random_state) + 0.4


def numbers(rng, n=3000):
    z = rng.normal(size=n)
    visits = rng.poisson(np.exp(0.5 + 0.5 * z))
    return pd.DataFrame({"visits": visits, "income": np.exp(2 * z + rng.normal(size=n))})


@pytest.mark.parametrize("n", [20, 4000])
def test_drawn_numbers_have_the_distribution_of_columns_without_missing_values(n, rng):
    table = numbers(rng)
    encoder = lowdim.TableEncoder(scores="normal")
    model = lowdim.TableModel(Narrow(1, random_state=0), encoder=encoder).fit(table)
    drawn = pd.concat([model.sample(n, random_state=seed) for seed in range(4000 // n)])
    assert kstest(drawn["income"], table["income"]).statistic < 0.05  # 1.36 / sqrt(1700) is 5 %
    for count in range(4):
        share, real = (drawn["visits"] == count).mean(), (table["visits"] == count).mean()
        assert abs(share - real) < 0.03  # 3 standard errors
    plain = lowdim.TableModel(Narrow(1, random_state=0)).fit(table).sample(4000, random_state=0)
    assert kstest(plain["income"], table["income"]).statistic > 0.1  # what is mended


def test_numbers_keep_their_order_and_what_is_given_or_has_missing_values_stays(rng):
    table = numbers(rng)
    table.loc[:50, "visits"] = np.nan
    encoder = lowdim.TableEncoder(scores="normal")
    model = lowdim.TableModel(Narrow(1, random_state=0), encoder=encoder).fit(table)
    encoding, estimator = model.encoder_.encoding_, model.estimator_
    Z = estimator.sample(2000, random_state=0)
    found = with_known_places(estimator, encoding, Z, rng)
    assert_array_equal(found[:, 0], Z[:, 0])
    assert np.all(np.diff(found[np.argsort(Z[:, 1]), 1]) >= 0)
    assert abs(found[:, 1].std() - 1) < 0.02 and abs(found[:, 1].mean()) < 0.02
    assert_array_equal(with_known_places(estimator, encoding, Z, rng, ["income"]), Z)


def test_columns_without_scores_stay_as_they_are_drawn(table, rng):
    model = lowdim.TableModel(Near(2, random_state=0)).fit(table)
    Z = rng.normal(size=(50, model.encoder_.encoding_.width))
    assert with_known_places(model.estimator_, model.encoder_.encoding_, Z, rng) is Z
