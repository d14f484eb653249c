import numpy as np
import pytest

import lowdim
from lowdim import DictionaryLearning, MiniBatchDictionaryLearning
from lowdim.sparse.dictionary import minibatch  # noqa: F401  the module under test
from lowdim.sparse.dictionary.start import random_atoms
from tests.sparse.dictionary.examples import planted, share_found

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def test_planted_atoms_are_found(rng):
    X, atoms = planted(rng)
    model = MiniBatchDictionaryLearning(48, alpha=0.2, max_iter=10, tol=0.0, random_state=0)
    assert share_found(model.fit(X).components_, atoms) >= 0.85


def test_it_comes_near_to_the_fit_of_all_rows(rng):
    X, _ = planted(rng, n=1000, d=10, k=15, s=2)
    costs = []
    for model in (DictionaryLearning(12, alpha=0.2), MiniBatchDictionaryLearning(12, alpha=0.2)):
        D = model.set_params(max_iter=30, tol=0.0, random_state=0).fit(X).components_
        Z = lowdim.sparse_encode(X, D, alpha=0.2)
        costs.append(0.5 * np.sum((X - Z @ D) ** 2) + 0.2 * np.abs(Z).sum())
    assert costs[1] < 1.1 * costs[0]


def test_batches_one_by_one_are_the_fit(rng):
    X = rng.normal(size=(40, 6))
    start = np.linalg.qr(rng.normal(size=(6, 6)))[0][:5]
    whole = MiniBatchDictionaryLearning(
        5, alpha=0.3, batch_size=10, shuffle=False, dict_init=start, max_iter=3, tol=0.0
    )
    whole.set_params(max_no_improvement=None).fit(X)
    parts = MiniBatchDictionaryLearning(5, alpha=0.3, dict_init=start)
    for _ in range(3):
        for batch in np.split(X, 4):
            parts.partial_fit(batch)
    np.testing.assert_allclose(parts.components_, whole.components_, atol=1e-12)
    assert parts.n_steps_ == whole.n_steps_ == 12


def test_learning_goes_on_after_saving(rng, tmp_path):
    X = rng.normal(size=(60, 6))
    model = MiniBatchDictionaryLearning(5, alpha=0.3, random_state=0).partial_fit(X[:30])
    model.save(tmp_path / "model.lowdim")
    back = lowdim.load(tmp_path / "model.lowdim").partial_fit(X[30:])
    np.testing.assert_array_equal(back.components_, model.partial_fit(X[30:]).components_)


def test_memory_stream_and_dask_learn_the_same_in_order(rng):
    da = pytest.importorskip("dask.array")
    X, _ = planted(rng, n=300, d=8, k=12, s=2)
    arguments = dict(alpha=0.2, batch_size=64, shuffle=False, max_iter=4, random_state=0)
    models = [
        MiniBatchDictionaryLearning(12, **arguments).fit(rows)
        for rows in (
            X,
            lowdim.stream(lambda: iter(np.split(X, [50, 51, 120]))),
            da.from_array(X, chunks=((70, 230), 8)),
        )
    ]
    for model in models[1:]:
        np.testing.assert_allclose(model.components_, models[0].components_, atol=1e-9)


def test_it_stops_when_the_atoms_rest_or_the_cost_does(rng):
    X = rng.normal(size=(100, 6))
    model = MiniBatchDictionaryLearning(4, alpha=0.5, batch_size=20, random_state=0)
    loose = model.set_params(tol=10.0).fit(X)
    assert loose.n_steps_ == 6 and loose.converged_  # the first five are not looked at
    patient = model.set_params(tol=0.0, max_no_improvement=3, max_iter=100).fit(X)
    assert patient.n_iter_ < 100


def test_the_callback_sees_every_batch(rng):
    seen = []
    MiniBatchDictionaryLearning(
        3, batch_size=5, max_iter=2, tol=0.0, callback=lambda state: seen.append(state["i"])
    ).fit(rng.normal(size=(20, 4)))
    assert seen == list(range(8))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sums_have_the_names_of_scikit_learn_and_the_dtype_of_the_rows(rng, dtype):
    X = rng.normal(size=(60, 5)).astype(dtype)
    start = random_atoms(4, 5, rng).astype(dtype)
    model = MiniBatchDictionaryLearning(4, alpha=0.2, dict_init=start).partial_fit(X)
    Z = lowdim.sparse_encode(X, start, alpha=0.2)
    assert model._A.dtype == model._B.dtype == dtype
    np.testing.assert_allclose(model._A, Z.T @ Z, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(model._B, X.T @ Z, rtol=1e-4, atol=1e-4)
