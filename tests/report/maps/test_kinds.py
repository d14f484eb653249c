"""What can be asked of maps, and what becomes of it."""

import pytest

from lowdim.report.maps.kinds import (
    KINDS,
    USUAL,
    coordinate_names,
    estimator_of,
    settings_of,
)


def asked(maps=USUAL, perplexity=None, n_neighbors=None, sample=100, seed=3):
    return settings_of(maps, perplexity, n_neighbors, sample, seed)


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_has_a_class_that_is_told_the_seed(name):
    model = estimator_of(KINDS[name], asked(), 200)
    assert type(model).__name__ == KINDS[name].estimator
    arguments = model.get_params()
    assert arguments["n_components"] == 2 and arguments.get("random_state", 3) == 3


def test_with_few_rows_a_row_looks_at_fewer_others():
    assert estimator_of(KINDS["tsne"], asked(), 200).perplexity == 30
    assert estimator_of(KINDS["tsne"], asked(), 31).perplexity == 10
    assert estimator_of(KINDS["umap"], asked(), 200).n_neighbors == 15
    assert estimator_of(KINDS["umap"], asked(), 9).n_neighbors == 8


def test_what_is_asked_for_is_taken_as_it_is():
    settings = asked(perplexity=77.0, n_neighbors=50)
    assert estimator_of(KINDS["tsne"], settings, 10).perplexity == 77.0
    assert estimator_of(KINDS["umap"], settings, 10).n_neighbors == 50


def test_costly_maps_are_fitted_to_fewer_rows():
    settings = asked(sample=50_000)
    most = {name: settings.most_rows(kind) for name, kind in KINDS.items()}
    assert most["pca"] is None and most["tsne"] == most["umap"] == 50_000
    assert most["sammon"] < most["mds"] < 50_000
    assert asked(sample=100).most_rows(KINDS["sammon"]) == 100


def test_names_of_maps_may_stand_between_commas_and_count_once():
    assert asked("pca, tsne,pca").maps == ("pca", "tsne")
    assert asked("umap").maps == ("umap",)


def test_coordinates_are_numbered_from_one():
    assert coordinate_names(["pca", "tsne"]) == ["pca1", "pca2", "tsne1", "tsne2"]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"maps": []}, "names no map; choose among pca, classical-mds"),
        ({"maps": ["pca", "isomap"]}, "maps='isomap' is not known; choose one of 'pca'"),
        ({"maps": [3]}, "maps=3 is not known"),
        ({"perplexity": 0}, "perplexity=0 must be more than 0"),
        ({"perplexity": "many"}, "perplexity='many' must be a number"),
        ({"n_neighbors": 1}, "n_neighbors=1 is too small; choose at least 2"),
        ({"sample": 4}, "sample=4 is too small; choose at least 5"),
    ],
    ids=lambda value: None,
)
def test_bad_wishes_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        asked(**settings)
