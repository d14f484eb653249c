"""What every network inherits: sizes, weights as arrays, modules made of them, passes counted."""

import pickle

import numpy as np
import pytest

import lowdim
from lowdim.deep.network import sizes_of

torch = pytest.importorskip("torch")


def test_sizes_are_a_number_or_a_sequence():
    assert sizes_of(5) == (5,) and sizes_of([3, np.int64(2)]) == (3, 2) and sizes_of(()) == ()
    with pytest.raises(ValueError, match=r"hidden=\(3, 0\) must be the numbers of units"):
        sizes_of((3, 0))


def test_passes_of_partial_fit_are_counted_after_those_of_fit(rng):
    X = rng.normal(size=(40, 3))
    model = lowdim.Autoencoder(1, max_iter=4, random_state=0).fit(X)
    first = model.history_
    model.partial_fit(X).partial_fit(X)
    assert model.n_iter_ == 6
    np.testing.assert_array_equal(model.history_[:4], first)


def test_the_module_is_made_of_the_weights_and_is_in_no_pickle(rng):
    X = rng.normal(size=(40, 3))
    model = lowdim.Autoencoder(1, max_iter=2, random_state=0).fit(X)
    state = {n: w.detach().numpy() for n, w in model.module_.named_parameters()}
    assert state.keys() == model.weights_.keys()
    for name, w in state.items():
        np.testing.assert_array_equal(w, model.weights_[name])
    back = pickle.loads(pickle.dumps(model))
    assert "_module" not in vars(back)
    np.testing.assert_array_equal(back.transform(X), model.transform(X))
