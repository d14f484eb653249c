import numpy as np
import pytest
import sklearn.decomposition

import lowdim
from lowdim import DictionaryLearning
from lowdim.sparse.dictionary.estimator import first_state
from tests.sparse.dictionary.examples import planted, share_found

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def test_from_the_same_start_it_goes_the_way_of_scikit_learn(rng):
    X = rng.normal(size=(100, 8))
    start = np.linalg.qr(rng.normal(size=(8, 8)))[0][:6]
    arguments = dict(n_components=6, alpha=0.5, dict_init=start, max_iter=15, tol=0.0)
    ours = DictionaryLearning(**arguments).fit(X)
    codes = np.zeros((100, 6))
    peer = sklearn.decomposition.DictionaryLearning(
        code_init=codes, fit_algorithm="cd", **arguments
    ).fit(X)
    np.testing.assert_allclose(ours.error_, peer.error_, rtol=1e-6)
    np.testing.assert_allclose(ours.components_, peer.components_, atol=1e-5)


@pytest.mark.parametrize("positive", [False, True])
def test_the_objective_never_rises(rng, positive):
    X, _ = planted(rng, n=200, d=8, k=12, s=2)
    model = DictionaryLearning(
        12, alpha=0.2, fit_algorithm="cd", positive_code=positive, positive_dict=positive
    )
    history = model.set_params(max_iter=40, tol=0.0, random_state=0).fit(X).history_
    assert np.all(np.diff(history) <= 1e-12)
    assert history[-1] < history[0]
    assert not positive or model.components_.min() >= 0


def test_error_is_the_objective_of_the_last_codes(rng):
    X = rng.normal(size=(50, 6))
    codes, atoms, errors = lowdim.dict_learning(X, 4, alpha=0.3, max_iter=200, random_state=0)
    J = 0.5 * np.sum((X - codes @ atoms) ** 2) + 0.3 * np.abs(codes).sum()
    assert J <= errors[-1] * (1 + 1e-9)
    assert J == pytest.approx(errors[-1], rel=1e-3)


def test_matching_pursuit_finds_planted_atoms(rng):
    X, atoms = planted(rng)
    start = lowdim.MiniBatchDictionaryLearning(48, alpha=0.2, random_state=0, max_iter=10).fit(X)
    model = DictionaryLearning(
        48,
        fit_algorithm="omp",
        transform_n_nonzero_coefs=4,
        dict_init=start.components_,
        max_iter=30,
    ).fit(X)
    assert share_found(model.components_, atoms) >= 0.85


@pytest.mark.parametrize("fit_algorithm", ["lars", "omp"])
def test_memory_stream_and_dask_learn_the_same(rng, fit_algorithm):
    da = pytest.importorskip("dask.array")
    X, _ = planted(rng, n=200, d=8, k=12, s=2)
    arguments = dict(alpha=0.2, fit_algorithm=fit_algorithm, max_iter=10, random_state=0)
    models = [
        DictionaryLearning(12, **arguments).fit(rows)
        for rows in (
            X,
            lowdim.stream(lambda: iter(np.split(X, [50, 51, 120]))),
            da.from_array(X, chunks=((70, 130), 8)),
        )
    ]
    for model in models[1:]:
        np.testing.assert_allclose(model.components_, models[0].components_, atol=1e-7)


def test_a_row_of_weight_two_is_a_row_twice(rng):
    X = rng.normal(size=(40, 6))
    weight = rng.integers(0, 3, size=40)
    arguments = dict(alpha=0.3, max_iter=10, random_state=0)
    first = DictionaryLearning(9, **arguments).fit(X, sample_weight=weight)
    second = DictionaryLearning(9, **arguments).fit(np.repeat(X, weight, axis=0))
    np.testing.assert_allclose(first.components_, second.components_, atol=1e-7)


def test_an_atom_that_no_row_uses_becomes_the_worst_row(rng):
    X = rng.normal(size=(60, 5))
    start = np.eye(5)[:3]
    start[2] = 0.0
    model = DictionaryLearning(3, alpha=0.5, dict_init=start, max_iter=5, tol=0.0).fit(X)
    assert np.linalg.norm(model.components_[2]) > 0.5


def test_before_the_first_iteration_nothing_is_known(rng):
    state = first_state(np.eye(2))
    assert state.best == np.inf and state.waiting == 0
    V = rng.normal(size=(3, 4))
    model = DictionaryLearning(3, dict_init=V, max_iter=0).fit(rng.normal(size=(9, 4)))
    np.testing.assert_array_equal(model.components_, V)


def test_the_callback_sees_every_fifth_iteration(rng):
    seen = []
    DictionaryLearning(
        3, callback=lambda state: seen.append(state["ii"]), max_iter=11, tol=0.0
    ).fit(rng.normal(size=(20, 4)))
    assert seen == [0, 5, 10]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"positive_code": True}, "Positive constraint not supported for 'lars' coding method"),
        (
            {"fit_algorithm": "omp", "n_components": 3, "transform_n_nonzero_coefs": 4},
            "transform_n_nonzero_coefs=4 is more than the 3 atoms",
        ),
        ({"dict_init": np.ones((2, 2))}, r"dict_init has shape \(2, 2\)"),
        ({"n_components": 1, "dict_init": [[np.nan] * 4]}, "dict_init has NaN"),
    ],
)
def test_bad_arguments_are_refused(rng, arguments, message):
    with pytest.raises(ValueError, match=message):
        DictionaryLearning(**arguments).fit(rng.normal(size=(20, 4)))
