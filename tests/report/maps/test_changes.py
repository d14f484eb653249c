"""Maps made again: what can be changed, and how much of the first map stays."""

import numpy as np
import pytest

from lowdim.report.maps.changes import changes_of, laid_on, variants
from lowdim.report.maps.kinds import KINDS, settings_of


@pytest.fixture
def X(rng):
    return rng.normal(size=(60, 4)) + 6.0 * np.eye(2, 4)[np.arange(60) % 2]


def asked(**settings):
    return settings_of(("tsne",), settings.get("perplexity"), settings.get("n_neighbors"), 100, 0)


def test_one_thing_is_changed_at_a_time():
    found = variants({"init": "pca", "perplexity": 30.0, "random_state": 4}, 1000)
    assert [what for what, _ in found] == [
        "a random start",
        "perplexity 10",
        "perplexity 90",
    ]
    assert found[0][1] == {"random_state": 5, "init": "random"}
    assert found[2][1] == {"perplexity": 90.0}
    assert variants({"n_neighbors": 15}, 20)[1] == ("19 neighbours", {"n_neighbors": 19})
    assert variants({"n_neighbors": 2}, 3) == [] and variants({}, 100) == []


def test_the_axes_of_components_do_not_depend_on_chance(X):
    assert changes_of(KINDS["pca"], asked(), X) is None
    assert changes_of(KINDS["classical-mds"], asked(), X) is None


@pytest.mark.parametrize(("name", "n_changes"), [("mds", 1), ("tsne", 3), ("umap", 3)])
def test_maps_are_made_again(X, name, n_changes):
    found = changes_of(KINDS[name], asked(perplexity=10.0), X)
    assert found.first.shape == (60, 2) and len(found.again) == n_changes
    assert all(0 < one.agreement <= 1 for one in found.again)
    assert found.agreement == min(one.agreement for one in found.again)
    groups = np.arange(60) % 2  # far apart in the data, so also in every map
    for one in found.again:
        middles = [one.Y[groups == g].mean(axis=0) for g in (0, 1)]
        apart = np.linalg.norm(middles[0] - middles[1])
        assert apart > 0.5 * np.linalg.norm(one.Y - one.Y.mean(axis=0), axis=1).mean()


def test_what_was_asked_for_is_brought_down_to_the_rows_that_are_used(X):
    found = changes_of(KINDS["tsne"], asked(perplexity=500.0), X)
    assert found is not None and all(one.Y.shape == (60, 2) for one in found.again)


def test_a_map_is_laid_on_itself_however_it_is_turned(rng):
    Y = rng.normal(size=(30, 2))
    turned = 3.0 * Y @ np.array([[0.6, 0.8], [0.8, -0.6]]) + 5.0  # mirrored, too
    np.testing.assert_allclose(laid_on(turned, Y), Y, atol=1e-12)
    assert np.isfinite(laid_on(np.zeros((30, 2)), Y)).all()


def test_very_few_rows_are_not_mapped_again(X):
    assert changes_of(KINDS["tsne"], asked(), X[:7]) is None
