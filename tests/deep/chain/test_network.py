"""What models of this kind share, seen through one of them."""

import numpy as np
import pytest

pytest.importorskip("torch")

import lowdim
from tests.deep.chain.toy import all_rows


@pytest.fixture(scope="module")
def model():
    X = np.random.default_rng(0).integers(0, 3, size=(80, 5)).astype(float)
    small = {"channels": 4, "n_layers": 1, "kernel_size": 3, "max_iter": 2}
    return lowdim.PixelCNN(random_state=0, **small).fit(X)


def test_probabilities_of_all_rows_add_up_to_one(model):
    X = all_rows(5, 3)
    p = np.exp(model.score_samples(X))
    assert p.sum() == pytest.approx(1.0, abs=1e-9)
    assert model.score(X) == pytest.approx(np.log(p).mean(), rel=1e-9)
    assert model.bits_per_dim(X) == pytest.approx(-np.log2(p).mean() / 5, rel=1e-9)


def test_conditionals_of_what_comes_first_are_the_same_for_all_rows(model):
    P = model.conditionals(all_rows(5, 3))
    assert P.shape == (243, 5, 3)
    np.testing.assert_allclose(P.sum(axis=2), 1.0)
    assert np.ptp(P[:, 0], axis=0).max() < 1e-12 < np.ptp(P[:, 1], axis=0).max()


def test_what_is_missing_is_summed_over(model):
    X = all_rows(5, 3)
    p = np.exp(model.score_samples(X))
    part = np.array([[1.0, np.nan, 2.0, np.nan, 0.0]])
    fits = (X[:, [0, 2, 4]] == [1.0, 2.0, 0.0]).all(axis=1)
    assert model.score_samples(part)[0] == pytest.approx(np.log(p[fits].sum()), rel=1e-9)
    np.testing.assert_allclose(model.impute(part)[0], p[fits] @ X[fits] / p[fits].sum(), rtol=1e-9)


def test_samples_are_levels_and_follow_the_seed(model):
    drawn = model.sample(50, random_state=3)
    assert set(np.unique(drawn)) <= {0.0, 1.0, 2.0}
    np.testing.assert_array_equal(drawn, model.sample(50, random_state=3))
