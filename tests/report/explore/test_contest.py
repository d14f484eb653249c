"""The methods that are compared."""

import lowdim
from lowdim.report.explore import contest


def test_each_method_of_the_comparison_runs(rng):
    X = rng.normal(size=(60, 2)) @ rng.normal(size=(2, 5)) + 0.3 * rng.normal(size=(60, 5))
    models = {name: candidates[:1] for name, candidates in contest.models(X.shape, 2).items()}
    found = lowdim.compare(X, models, repeats=2, random_state=0)
    assert found.failures == {}
    assert set(found.names) == {
        "column means",
        "probabilistic PCA",
        "factor analysis",
        "SoftImpute",
        "ALS",
        "k-means",
        "Gaussian mixture",
        "mixture of factor analysers",
    }


def test_each_method_of_the_comparison_has_sizes_to_choose_from():
    assert all(len(candidates) == 2 for candidates in contest.models((500, 12), 3).values())
