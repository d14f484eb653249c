"""Who takes part in a comparison: names, candidates, remarks and failures."""

import numpy as np
import pytest
from sklearn.cluster import DBSCAN
from sklearn.cluster import KMeans as TheirKMeans

import lowdim
from tests.selection.compare.shared import Broken, low_rank


def test_two_equal_models_tie(rng):
    table = lowdim.compare(low_rank(rng), [lowdim.PCA(2), lowdim.PCA(2)], random_state=0)
    assert set(table.names[:2]) == {"PCA(n_components=2)", "PCA(n_components=2) #2"}
    assert table.ties == (table.names[1],)


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
    assert "DBSCAN has no way to predict entries" in table.failures["no way"]
    assert "n_components=50" in table.failures["too large"]
    assert "n_components=50" in table.failures["no PCA"]
    assert np.isnan(table.losses[:, 2:]).all()
    assert list(table["verdict"][2:]) == ["failed"] * 6


def test_warnings_are_counted_in_the_remark(rng):
    model = lowdim.GaussianMixture(3, max_iter=1, tol=1e-12)
    table = lowdim.compare(low_rank(rng, 60, 5), {"mixture": model}, random_state=rng)
    at = table.names.index("mixture")
    assert table["remark"][at] == "ConvergenceWarning 5 of 5"


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


@pytest.mark.parametrize("models", [[lowdim.PCA], "PCA", [3], 7])
def test_models_are_estimators(models):
    with pytest.raises(TypeError, match="give"):
        lowdim.compare(np.arange(40.0).reshape(10, 4), models)
