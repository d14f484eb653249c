"""The methods that are compared."""

import numpy as np
import pytest

import lowdim
from lowdim.report.explore import contest
from lowdim.report.explore.preparing import prepare
from lowdim.tables.opening import open_table


def test_each_method_of_the_comparison_runs(rng):
    X = rng.normal(size=(60, 2)) @ rng.normal(size=(2, 5)) + 0.3 * rng.normal(size=(60, 5))
    X -= X.min()
    chosen = contest.models(X.shape, 2, positive=True)
    models = {name: candidates[:1] for name, candidates in chosen.items()}
    found = lowdim.compare(X, models, repeats=2, random_state=0)
    assert found.failures == {}
    assert set(found.names) == {
        "column means",
        "probabilistic PCA",
        "factor analysis",
        "SoftImpute",
        "ALS",
        "NMF",
        "k-means",
        "Gaussian mixture",
        "mixture of factor analysers",
        *([contest.NETWORK] if contest.has_torch() else []),
    }


def test_each_method_of_the_comparison_has_sizes_to_choose_from():
    models = contest.models((500, 12), 3, positive=True)
    models.pop(contest.NETWORK, None)
    assert all(len(candidates) == 2 for candidates in models.values())


def test_the_network_has_one_size_and_comes_only_where_torch_is(monkeypatch):
    monkeypatch.setattr(contest, "has_torch", lambda: True)
    (network,) = contest.models((500, 12), 3)[contest.NETWORK]
    assert network.n_components == 5
    (network,) = contest.models((500, 3), 3)[contest.NETWORK]
    assert network.n_components == 2  # not more than the columns allow
    monkeypatch.setattr(contest, "has_torch", lambda: False)
    assert contest.NETWORK not in contest.models((500, 12), 3)


@pytest.mark.parametrize("n", [20, 27, 100, 344, 511, 1000])
def test_the_network_takes_as_many_steps_whatever_the_rows(n):
    model = contest.network(n, 2)
    steps = model.max_iter * -(-n // model.batch_size)
    assert contest.STEPS <= steps < contest.STEPS + -(-n // model.batch_size)
    assert 1 < model.batch_size <= n


def test_the_network_predicts_what_no_plane_does(rng):
    pytest.importorskip("torch")
    t = rng.uniform(-3, 3, size=(200, 1))
    X = np.hstack([np.cos(t), np.sin(t), t, np.cos(2 * t)]) + 0.1 * rng.normal(size=(200, 4))
    models = {"network": contest.network(200, 2), "plane": lowdim.ProbabilisticPCA(2)}
    found = lowdim.compare(X, models, repeats=2, random_state=0)
    assert found.winner == "network" and found.failures == {}
    assert found["parameters"][0] > 500  # all of its weights


def test_sums_of_parts_are_compared_where_no_column_is_negative(rng, monkeypatch):
    monkeypatch.setattr(contest, "compare", lambda table, models, **settings: models)

    def names(X):
        return contest.contest(prepare(open_table(X), lowdim.TableEncoder()), 2, 0)

    X = rng.random((60, 2)) @ rng.random((2, 5)) + 0.1 * rng.random((60, 5))
    assert "NMF" in names(X)
    assert "NMF" not in names(X - 1.0)
