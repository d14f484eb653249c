"""The loop: phases, when it ends, what verbose says."""

import numpy as np
import pytest

from lowdim import TSNE
from lowdim.maps.tsne.learning import CHUNK, schedule_of
from tests.maps.tsne.examples import clusters


def test_steps_are_n_over_exaggeration_in_each_phase():
    schedule = schedule_of(TSNE(exaggeration=2.0, early_compression=0.3), 12_000)
    assert schedule.at(0) == schedule.at(249) == (12.0, 250.0, 0.3)
    assert schedule.at(250) == (2.0, 1500.0, 0.0)
    assert schedule_of(TSNE(), 120).at(0).learning_rate == 2.5
    given = schedule_of(TSNE(learning_rate=123), 12_000)
    assert given.early.learning_rate == given.late.learning_rate == 123.0


def test_history_is_the_divergence_every_25_steps(rng):
    X, _ = clusters(rng, n=50)
    model = TSNE(perplexity=8, max_iter=90, early_exaggeration_iter=50, random_state=0).fit(X)
    assert len(model.history_) == -(-90 // CHUNK)
    assert model.n_iter_ == 89
    short = TSNE(perplexity=8, max_iter=75, early_exaggeration_iter=50, random_state=0).fit(X)
    assert model.history_[3] == pytest.approx(short.kl_divergence_, abs=1e-5)
    np.testing.assert_array_equal(model.history_[:3], short.history_)


def test_a_small_gradient_ends_it(rng):
    X, _ = clusters(rng, n=50)
    arguments = {"perplexity": 8, "early_exaggeration_iter": 50, "random_state": 0}
    model = TSNE(min_grad_norm=1e3, max_iter=500, **arguments).fit(X)
    assert model.n_iter_ == 99
    assert model.converged_


def test_a_small_gradient_ends_the_early_phase_too(rng):
    X, _ = clusters(rng, n=50)
    model = TSNE(perplexity=8, min_grad_norm=1e3, max_iter=500, random_state=0).fit(X)
    assert len(model.history_) == 3 + 3  # 50 steps of each, and the look at the map after them
    assert model.n_iter_ == 299


def test_no_progress_ends_it(rng):
    X, _ = clusters(rng, n=50)
    arguments = {"perplexity": 8, "early_exaggeration_iter": 50, "random_state": 0}
    model = TSNE(learning_rate=1e6, n_iter_without_progress=100, **arguments).fit(X)
    late = model.history_[2:]
    assert model.n_iter_ < 999
    assert len(late) - 1 - np.argmin(late) == 5
    assert model.history_[-1] == pytest.approx(model.kl_divergence_, abs=1e-4)


def test_verbose_says_what_is_done(rng, capsys):
    X, _ = clusters(rng, n=50)
    TSNE(perplexity=8, max_iter=300, verbose=2, random_state=0).fit(X)
    said = capsys.readouterr().out
    assert "[t-SNE] Iteration 50: error = " in said
    assert "KL divergence after 250 iterations with early exaggeration: " in said
    TSNE(perplexity=8, max_iter=50, random_state=0).fit(X)
    assert capsys.readouterr().out == ""
