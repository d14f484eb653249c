"""The loops in which LDA learns."""

from __future__ import annotations

import numpy as np
import pytest

import lowdim
from lowdim.core.blocks import ArrayBlocks
from lowdim.text.topics.lda import learning
from lowdim.text.topics.lda.variational import Inner
from tests.text.topics.examples import planted

METHODS = ("batch", "online", "map")


def lda(**arguments):
    return lowdim.LatentDirichletAllocation(3, random_state=0, **arguments)


def test_perplexity_of_nothing_is_one():
    assert learning.perplexity_of(-3.0, 0.0) == 1.0
    assert learning.perplexity_of(-3.0, 3.0) == pytest.approx(np.e)


def test_the_bound_of_documents_is_weighted(rng):
    X, _, _ = planted(rng, n=20)
    model = lda().fit(X)
    weight = rng.integers(1, 4, size=20)
    often = ArrayBlocks(X.toarray().repeat(weight, axis=0))
    arguments = (model._topics(), model._priors(), Inner(100, 1e-3))
    left = learning.bound_of(ArrayBlocks(X), weight.astype(float), *arguments)
    np.testing.assert_allclose(left, learning.bound_of(often, None, *arguments))


def test_evaluation_ends_the_loop_when_the_perplexity_rests(rng):
    X, _, _ = planted(rng)
    model = lda(max_iter=200, evaluate_every=2, perp_tol=0.05).fit(X)
    assert model.converged_ and model.n_iter_ < 200 and model.n_iter_ % 2 == 0


@pytest.mark.parametrize("method", ["batch", "online"])
def test_verbose_prints_a_line_for_each_pass(rng, method, capsys):
    X, _, _ = planted(rng)
    lda(max_iter=3, verbose=1, learning_method=method).fit(X)
    lines = capsys.readouterr().out.splitlines()
    assert lines == [f"iteration: {i} of max_iter: 3" for i in (1, 2, 3)]
    lda(max_iter=2, verbose=1, evaluate_every=2, perp_tol=0, learning_method=method).fit(X)
    assert "perplexity: " in capsys.readouterr().out.splitlines()[1]


@pytest.mark.parametrize("method", METHODS)
def test_callbacks_see_a_fitted_model(rng, method):
    X, _, _ = planted(rng)
    model = lda(max_iter=2, learning_method=method).fit(X)
    attributes = model._attributes(model._state(), np.dtype(float))
    np.testing.assert_allclose(attributes["components_"], model.components_)
