"""PLSA by coordinates: J is that of its definition, falls, and ends below that of EM."""

import numpy as np
import pytest
import scipy.sparse as sp

import lowdim
from lowdim.core.blocks import ArrayBlocks
from lowdim.core.opening import as_blocks
from lowdim.text.topics import plsa
from lowdim.text.topics.coordinates import PLSAParams, coordinate_step, counted


def documents(rng, n=60, v=30, k=4):
    theta, phi = rng.dirichlet(np.full(k, 0.2), n), rng.dirichlet(np.full(v, 0.1), k)
    X = np.stack([rng.multinomial(80, p) for p in theta @ phi]).astype(float)
    X[3] = 0
    start = rng.dirichlet(np.ones(k), n), np.ascontiguousarray(rng.dirichlet(np.ones(v), k).T)
    return X, PLSAParams(*start)


@pytest.mark.parametrize("scale", [1.0, 1e-40, 1e60])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_objective_is_what_the_definition_says(rng, scale, weighted):
    X, params = documents(rng)
    weight = rng.integers(0, 3, size=60).astype(float) if weighted else None
    w = np.ones(60) if weight is None else weight
    rows = ArrayBlocks(sp.csr_array(scale * X))
    data = counted(rows, weight, float(w @ rows.in_memory.sum(axis=1) / w.sum()))
    history = []
    for _ in range(20):
        params, objective = coordinate_step(data, params)
        p = params.theta @ params.phi.T
        expected = -(w @ (X * np.log(np.where(X > 0, p, 1.0))).sum(axis=1)) / (w @ X.sum(axis=1))
        assert objective == pytest.approx(expected, rel=1e-9)
        np.testing.assert_allclose(params.theta.sum(axis=1), 1.0)
        np.testing.assert_allclose(params.phi.sum(axis=0), 1.0)
        history.append(objective)
    assert np.all(np.diff(history) <= 1e-12)


def test_it_ends_below_em_with_fewer_passes(rng):
    X, start = documents(rng)
    rows = ArrayBlocks(sp.csr_array(X))
    data, by_em = counted(rows, None, 80.0), start
    for _ in range(60):
        start, objective = coordinate_step(data, start)
        for _ in range(3):
            by_em, of_em = plsa.em_step(rows, by_em, 1.0, None)
    assert objective < of_em + 1e-3


def test_a_topic_without_words_stays_as_it_is(rng):
    X, start = documents(rng)
    theta = start.theta.copy()
    theta[:, 0] = 0.0
    theta /= theta.sum(axis=1, keepdims=True)
    data = counted(ArrayBlocks(X), None, 80.0)
    moved, _ = coordinate_step(data, PLSAParams(theta, start.phi))
    np.testing.assert_allclose(moved.phi.sum(axis=0), 1.0)
    assert np.isfinite(moved.theta).all()


def test_defaults_suffice(rng):
    X, _ = documents(rng, n=300, v=200, k=10)
    model = lowdim.PLSA(10, random_state=0).fit(X)  # a warning is an error
    assert model.converged_ and model.n_iter_ < 500


def test_topics_of_a_stream_in_single_precision_stay_double(rng):
    X, start = documents(rng)
    rows = as_blocks(lowdim.stream(lambda: iter(np.split(X.astype(np.float32), [20]))))
    found, _ = coordinate_step(counted(rows, None, float(X.sum(axis=1).mean())), start)
    assert found.theta.dtype == found.phi.dtype == np.float64
