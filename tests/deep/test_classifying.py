"""What networks of classes share: known classes, and what a failed call leaves behind."""

import numpy as np
import pytest

import lowdim

pytest.importorskip("torch")
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def test_classes_of_a_call_that_failed_are_forgotten_by_fit(rng):
    X = rng.normal(size=(20, 3))
    model = lowdim.MLPClassifier((3,), max_iter=2)
    with pytest.raises(ValueError, match="`y` has classes not in"):
        model.partial_fit(X, np.arange(20) % 3, classes=[0, 1])
    model.fit(X, np.array(["u", "v"])[np.arange(20) % 2])
    assert model.classes_.tolist() == ["u", "v"]


def test_outputs_that_hardly_differ_still_agree_with_probabilities(rng):
    X, y = rng.normal(size=(40, 3)), np.arange(40) % 4
    model = lowdim.MLPClassifier((3,), max_iter=1).fit(X, y)
    P = model.predict_proba(X)
    np.testing.assert_array_equal(model.predict(X), P.argmax(axis=1))
    assert (model.predict_log_proba(X) < 0).all() and model.score(X, y) == pytest.approx(
        np.mean(P.argmax(axis=1) == y)
    )


def test_other_classes_do_not_go_on_from_a_warm_start(rng):
    X, y = rng.normal(size=(20, 3)), np.arange(20) % 2
    model = lowdim.MLPClassifier((3,), max_iter=2, warm_start=True).fit(X, y)
    with pytest.raises(ValueError, match=r"Previously got \[0 1\], `y` has \[0 1 2\]"):
        model.fit(X, np.arange(20) % 3)
    assert model.predict(X).shape == (20,) and model.n_outputs_ == 1
