"""The arguments of UMAP."""

import inspect

import numpy as np
import pytest

from lowdim import UMAP
from lowdim.maps.umap.arguments import CONSTRAINTS, check_together, epochs_of, farthest

# umap-learn 0.5.12: inspect.signature(umap.UMAP)
OF_UMAP_LEARN = {
    "n_neighbors": 15,
    "n_components": 2,
    "metric": "euclidean",
    "metric_kwds": None,
    "output_metric": "euclidean",
    "output_metric_kwds": None,
    "n_epochs": None,
    "learning_rate": 1.0,
    "init": "spectral",
    "min_dist": 0.1,
    "spread": 1.0,
    "low_memory": True,
    "n_jobs": -1,
    "set_op_mix_ratio": 1.0,
    "local_connectivity": 1.0,
    "repulsion_strength": 1.0,
    "negative_sample_rate": 5,
    "transform_queue_size": 4.0,
    "a": None,
    "b": None,
    "random_state": None,
    "angular_rp_forest": False,
    "target_n_neighbors": -1,
    "target_metric": "categorical",
    "target_metric_kwds": None,
    "target_weight": 0.5,
    "transform_seed": 42,
    "transform_mode": "embedding",
    "force_approximation_algorithm": False,
    "verbose": False,
    "tqdm_kwds": None,
    "unique": False,
    "densmap": False,
    "dens_lambda": 2.0,
    "dens_frac": 0.3,
    "dens_var_shift": 0.1,
    "output_dens": False,
    "disconnection_distance": None,
    "precomputed_knn": (None, None, None),
}


def test_arguments_are_those_of_umap_learn_and_three_by_name_only():
    parameters = inspect.signature(UMAP).parameters
    positional = {
        name: parameter.default
        for name, parameter in parameters.items()
        if parameter.kind is parameter.POSITIONAL_OR_KEYWORD
    }
    assert list(positional.items()) == list(OF_UMAP_LEARN.items())
    assert list(parameters)[len(positional) :] == ["neighbors", "missing", "pca_components"]
    assert CONSTRAINTS.keys() == parameters.keys()


def test_epochs_follow_from_the_number_of_rows():
    assert [epochs_of(None, n) for n in (10, 10_000, 10_001)] == [500, 500, 200]
    assert epochs_of(7, 10**6) == 7 and epochs_of([3, 9, 5], 10) == 9 and epochs_of(0, 10) == 0


def test_rows_with_nothing_in_common_are_not_joined():
    assert farthest(None, "euclidean") == np.inf
    assert farthest(None, "cosine") == 2.0 and farthest(None, "jaccard") == 1.0
    assert farthest(0.5, "cosine") == 0.5 and farthest(None, max) == np.inf


CONTRADICTIONS = {
    "min_dist": ({"min_dist": 1.1}, r"min_dist=1.1 must be at most spread=1.0"),
    "a alone": ({"a": 1.0}, "a=1.0 and b=None go together"),
    "no epochs": ({"n_epochs": []}, "must be whole numbers"),
    "negative epochs": ({"n_epochs": [5, -1]}, "must be whole numbers"),
    "half a knn": ({"precomputed_knn": (np.zeros((3, 2)), None)}, "precomputed_knn must be"),
    "two kinds": (
        {"precomputed_knn": (np.zeros((3, 2)), np.zeros((3, 2))), "neighbors": "exact"},
        "both given",
    ),
    "unique": ({"unique": True, "metric": "precomputed"}, "unique=True"),
}


@pytest.mark.parametrize("kind", CONTRADICTIONS)
def test_contradictions_are_refused(kind):
    arguments, message = CONTRADICTIONS[kind]
    with pytest.raises(ValueError, match=message):
        check_together(UMAP(**arguments))
    with pytest.raises(ValueError, match=message):
        UMAP(**arguments).fit(np.eye(5))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("n_neighbors", 1),
        ("min_dist", -0.1),
        ("output_metric", "hyperboloid"),
        ("spread", 0.0),
        ("set_op_mix_ratio", 1.5),
        ("negative_sample_rate", -1),
        ("target_n_neighbors", 1),
        ("init", "nowhere"),
        ("metric", "no metric"),
        ("learning_rate", 0.0),
        ("n_components", 0),
        ("disconnection_distance", -1.0),
    ],
)
def test_values_out_of_range_are_refused_by_name(name, value):
    with pytest.raises(ValueError, match=f"The '{name}' parameter of UMAP must be"):
        UMAP(**{name: value}).fit(np.eye(5))
