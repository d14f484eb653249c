"""The rows in the planes of t-SNE and UMAP."""

import numpy as np

from lowdim.report.explore import planes
from lowdim.report.explore.preparing import prepare
from lowdim.tables.encoder import TableEncoder
from lowdim.tables.opening import open_table


def encoded_of(X):
    return prepare(open_table(X), TableEncoder())


def test_all_rows_are_placed_whatever_the_sample(rng, monkeypatch):
    monkeypatch.setattr(planes, "MAP_FIT_ROWS", 50)
    group = np.arange(80) % 2
    X = rng.normal(size=(80, 4)) + 8.0 * group[:, None]
    found = planes.find_planes(encoded_of(X), 0)
    assert list(found) == ["t-SNE", "UMAP"]
    for Y in found.values():
        middle = [Y[group == g].mean(axis=0) for g in (0, 1)]
        nearer = np.argmin([np.linalg.norm(Y - m, axis=1) for m in middle], axis=0)
        assert np.isfinite(Y).all() and (nearer == group).mean() > 0.95


def test_very_few_rows_have_no_such_planes(rng):
    assert planes.find_planes(encoded_of(rng.normal(size=(8, 3))), 0) == {}


def test_with_few_rows_a_row_looks_at_fewer_others():
    assert planes.plane_model("t-SNE", 31, 0).perplexity == 10
    assert planes.plane_model("t-SNE", 500, 4).get_params()["random_state"] == 4
    assert planes.plane_model("UMAP", 9, 0).n_neighbors == 8
