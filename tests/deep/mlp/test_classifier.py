"""MLPClassifier: classes, labels, shares; classes known in advance."""

import numpy as np
import pytest
from scipy.special import xlogy

import lowdim

pytest.importorskip("torch")
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def groups(rng, n=150, k=3):
    y = rng.integers(0, k, n)
    return rng.normal(size=(n, 4)) + 4.0 * np.eye(k, 4)[y], y


def test_groups_are_told_apart_whatever_they_are_called(rng):
    X, y = groups(rng)
    for names in (np.array(["c", "a", "b"]), np.array([5, 1, 3]), np.array(["x", "y"])[[0, 1, 0]]):
        model = lowdim.MLPClassifier((10,), learning_rate_init=0.01, random_state=0)
        model.fit(X, names[y])
        assert model.score(X, names[y]) > 0.9
        P = model.predict_proba(X)
        assert P.shape == (150, len(np.unique(names))) and model.classes_.tolist() == sorted(
            set(names.tolist())
        )
        np.testing.assert_allclose(P.sum(axis=1), 1.0)
        np.testing.assert_array_equal(model.classes_[P.argmax(axis=1)], model.predict(X))
        np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), P)


def test_labels_are_learned_side_by_side(rng):
    X = rng.normal(size=(200, 3))
    Y = (X > 0).astype(int)
    model = lowdim.MLPClassifier((10,), solver="lbfgs", random_state=0).fit(X, Y)
    assert model.out_activation_ == "logistic" and model.n_outputs_ == 3
    assert model.predict(X).shape == Y.shape and model.score(X, Y) > 0.95


def test_rows_of_probabilities_are_learned(rng):
    X = np.repeat(np.eye(3), 10, axis=0)
    shares = np.repeat(rng.dirichlet(np.ones(4), 3), 10, axis=0)
    model = lowdim.MLPClassifier((8,), solver="lbfgs", alpha=0.0, tol=1e-8, max_iter=500)
    model.fit(X, shares)
    np.testing.assert_allclose(model.predict_proba(X), shares, atol=1e-3)
    assert model.loss_ == pytest.approx(-xlogy(shares, shares).sum(axis=1).mean(), abs=1e-4)
    assert model.predict(X).tolist() == shares.argmax(axis=1).tolist()
    model.set_params(solver="adam").partial_fit(X, shares)


def test_shares_of_two_classes_are_the_loss_of_weighted_rows(rng):
    X, p = rng.normal(size=(40, 2)), rng.random(40)
    soft = lowdim.MLPClassifier((), solver="lbfgs", alpha=1e-3, tol=1e-9, max_iter=1000)
    soft.fit(X, np.column_stack([1 - p, p]))
    hard = lowdim.MLPClassifier((), solver="lbfgs", alpha=1e-3 / 2, tol=1e-9, max_iter=1000)
    hard.fit(np.vstack([X, X]), np.repeat([0, 1], 40), np.concatenate([1 - p, p]))
    # one output has the difference of two: half the penalty for the same difference
    np.testing.assert_allclose(soft.predict_proba(X), hard.predict_proba(X), atol=1e-3)


def test_classes_of_all_calls_are_those_of_the_first(rng):
    X, y = groups(rng)
    model = lowdim.MLPClassifier((10,), learning_rate_init=0.01, random_state=0)
    with pytest.raises(ValueError, match="classes must be passed on the first call"):
        model.partial_fit(X, y)
    model.partial_fit(X[y < 2], y[y < 2], classes=[0, 1, 2])
    assert model.out_activation_ == "softmax" and model.predict_proba(X).shape == (150, 3)
    for _ in range(150):
        model.partial_fit(X, y)
    assert model.score(X, y) > 0.9 and model.n_iter_ == 1 and len(model.loss_curve_) == 151
    with pytest.raises(ValueError, match="not the same as on last call"):
        model.partial_fit(X, y, classes=[0, 1])
    with pytest.raises(ValueError, match=r"not in `self.classes_`"):
        model.partial_fit(X[:1], [7])


def test_rows_of_weight_0_are_not_learned_from(rng):
    X, y = groups(rng)
    wrong = np.vstack([X, X]), np.concatenate([y, (y + 1) % 3]), np.repeat([1.0, 0.0], 150)
    model = lowdim.MLPClassifier((10,), solver="lbfgs", random_state=0).fit(*wrong)
    assert model.score(X, y) > 0.9


def test_two_classes_are_held_out_in_their_shares(rng):
    X, y = rng.normal(size=(100, 3)), (np.arange(100) < 10).astype(int)
    model = lowdim.MLPClassifier(early_stopping=True, max_iter=3, validation_fraction=0.2)
    model.fit(X, y)
    assert len(model.validation_scores_) == 3
    with pytest.raises(ValueError, match="least populated"):
        model.fit(X[9:], y[9:])
