"""The list of methods that draw rows, and the choice among them."""

import numpy as np
import pytest

from lowdim.cli import generators
from lowdim.cli.generators import METHODS, NAMES, Material, best_method, named
from lowdim.cli.table_verb import TableRequest


@pytest.fixture
def material(tmp_path, rng):
    def of(X):
        np.save(tmp_path / "X.npy", X)
        request = TableRequest(str(tmp_path / "X.npy"), quiet=True)
        table = request.open()
        return Material(request, table, request.fit(table), 0)

    return of


def without(monkeypatch, *names):
    kept = tuple(method for method in METHODS if method.name not in names)
    monkeypatch.setattr(generators, "METHODS", kept)


def test_two_far_groups_are_a_mixture(material, rng, monkeypatch):
    without(monkeypatch, "vae")
    X = rng.normal(size=(400, 2)) + 12 * rng.integers(2, size=(400, 1))
    found = material(X)
    assert best_method(found).name == "mixture"
    assert found.clusters == 2


def test_a_network_is_left_out_where_torch_is_absent(material, rng, monkeypatch):
    monkeypatch.setattr(generators, "_has_torch", lambda: False)
    assert best_method(material(rng.normal(size=(100, 2)))).name in ("ppca", "mixture")


def test_few_rows_take_the_first(material, rng):
    assert best_method(material(rng.normal(size=(30, 2)))).name == NAMES[0]


def test_methods_are_found_by_name():
    assert named("mixture").drop_level
    assert [method.name for method in METHODS] == list(NAMES)
    with pytest.raises(ValueError):
        named("nothing")


def test_some_rows_or_all_are_learned_from(material, rng):
    found = material(rng.normal(size=(100, 3)))
    few = np.arange(50)
    mean = found.fit(named("ppca"), few).estimator_.mean_
    assert mean == pytest.approx(np.asarray(found.rows.take(few)).mean(axis=0), abs=1e-6)
    assert found.fit(named("ppca")).estimator_.mean_ == pytest.approx(np.zeros(3), abs=1e-6)
