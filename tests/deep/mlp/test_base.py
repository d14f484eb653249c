"""What both networks share: engines, files, dropout, stopping, arguments at the door."""

import pickle
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp

import lowdim

pytest.importorskip("torch")
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def data(rng, n=120, d=5):
    X = rng.normal(size=(n, d))
    return X, X[:, 0] + 0.5 * X[:, 1] ** 2 + 0.1 * rng.normal(size=n)


def regressor(**arguments):
    return lowdim.MLPRegressor(
        **{"hidden_layer_sizes": (8,), "max_iter": 3, "random_state": 0} | arguments
    )


@pytest.mark.parametrize("solver", ["adam", "lbfgs"])
def test_stream_dask_and_sparse_rows_give_the_result_of_memory(rng, solver):
    da = pytest.importorskip("dask.array")
    X, y = data(rng)
    model = regressor(solver=solver, dropout=0.2 * (solver == "adam"), batch_size=50)
    whole = model.fit(X, y).predict(X)

    def blocks():
        yield from np.split(X, [7, 60, 61])

    for rows in (lowdim.stream(blocks), da.from_array(X, chunks=(50, 5)), sp.csr_array(X)):
        np.testing.assert_allclose(model.fit(rows, y).predict(X), whole, rtol=1e-9)


def test_dropout_of_inputs_is_ridge_regression_with_a_penalty_by_column(rng):
    n, p = 400, 0.3
    X = rng.normal(size=(n, 3)) * [1.0, 0.7, 1.4]
    y = X @ [1.0, -2.0, 0.5] + 0.1 * rng.normal(size=n)
    model = regressor(
        hidden_layer_sizes=(),
        input_dropout=p,
        alpha=0.0,
        solver="sgd",
        learning_rate="invscaling",
        learning_rate_init=0.5,
        momentum=0.0,
        batch_size=20,
        max_iter=150,
        tol=0.0,
        n_iter_no_change=np.inf,
    ).fit(X, y)
    A = np.column_stack([X, np.ones(n)])
    penalty = np.diag([*(p / (1 - p) * (X**2).sum(axis=0)), 0.0])
    expected = np.linalg.solve(A.T @ A + penalty, A.T @ y)[:3]
    np.testing.assert_allclose(model.coefs_[0][:, 0], expected, atol=0.08)
    plain = np.linalg.lstsq(A, y)[0][:3]
    assert np.abs(plain - expected).max() > 0.3  # it is another solution


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.uint8])
def test_weights_have_the_precision_of_the_rows(rng, dtype):
    X = (rng.random((40, 4)) * 200).astype(dtype)
    model = regressor().fit(X, rng.normal(size=40))
    expected = np.float64 if dtype == np.float64 else np.float32
    assert {w.dtype for w in model.coefs_ + model.intercepts_} == {np.dtype(expected)}
    assert model.predict(X).dtype == expected


def test_files_and_pickles_predict_the_same_and_learn_on(rng, tmp_path):
    X, y = data(rng)
    model = regressor().fit(X, y)
    model.save(tmp_path / "model")
    for back in (lowdim.load(tmp_path / "model"), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(back.predict(X), model.predict(X))
        assert np.isfinite(back.partial_fit(X, y).predict(X)).all()


def test_held_out_rows_stop_a_fit_and_the_best_weights_stay(rng):
    X, y = data(rng, n=300)
    shared = {"early_stopping": True, "learning_rate_init": 0.02, "batch_size": 30}
    model = regressor(max_iter=400, n_iter_no_change=5, tol=1e-3, **shared).fit(X, y)
    scores = model.validation_scores_
    assert model.n_iter_ < 400 and len(scores) == model.n_iter_ == len(model.loss_curve_)
    best = int(np.argmax(scores))
    assert model.best_validation_score_ == scores[best] > 0.5
    assert all(score < scores[best] + 1e-3 for score in scores[best:])
    early = regressor(max_iter=best + 1, n_iter_no_change=np.inf, **shared).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), early.predict(X))
    assert model.best_loss_ is None


def test_a_fit_goes_on_where_the_last_one_ended(rng):
    X, y = data(rng)
    model = regressor(warm_start=True, max_iter=20).fit(X, y)
    first = model.loss_curve_[-1]
    model.fit(X, y)
    assert model.n_iter_ == 20 and len(model.loss_curve_) == 40 and model.t_ == 40 * 120
    assert model.loss_curve_[20] < model.loss_curve_[0] and model.loss_curve_[-1] < first
    with pytest.raises(ValueError, match=r"goes on from layers of \[5, 8, 1\] units"):
        model.set_params(hidden_layer_sizes=(9,)).fit(X, y)


def test_activations_are_hidden_layers(rng):
    X, y = data(rng)
    model = regressor(hidden_layer_sizes=(7, 6), activation="tanh").fit(X, y)
    first = np.tanh(X @ model.coefs_[0] + model.intercepts_[0])
    np.testing.assert_allclose(model.activations(X, 0), first, rtol=1e-12)
    last = np.tanh(first @ model.coefs_[1] + model.intercepts_[1])
    for layer in (-1, 1):
        np.testing.assert_allclose(model.activations(X, layer), last, rtol=1e-12)
    with pytest.raises(ValueError, match="layer=2 is not one of the 2 hidden layers"):
        model.activations(X, 2)
    with pytest.raises(ValueError, match="no hidden layers"):
        regressor(hidden_layer_sizes=()).fit(X, y).activations(X)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"hidden_layer_sizes": (3, 0)}, r"hidden_layer_sizes=\(3, 0\)"),
        ({"dropout": 1.0}, "dropout"),
        ({"input_dropout": -0.1}, "input_dropout"),
        ({"solver": "newton"}, "solver"),
        ({"solver": "lbfgs", "dropout": 0.2}, "dropout=0.2 draws noise"),
        ({"early_stopping": True, "validation_fraction": 0.01}, "validation set is too small"),
    ],
)
def test_arguments_are_refused_at_the_door(rng, arguments, message):
    with pytest.raises(ValueError, match=message):
        regressor(**arguments).fit(*data(rng, n=20))


def test_partial_fit_is_not_there_for_lbfgs():
    assert not hasattr(regressor(solver="lbfgs"), "partial_fit")
    assert hasattr(regressor(), "partial_fit")


def test_passes_are_printed(rng, capsys):
    regressor(verbose=True, max_iter=2).fit(*data(rng))
    assert "Iteration 2, loss = " in capsys.readouterr().out


def test_torch_is_imported_when_a_network_learns_and_not_before():
    script = (
        "import sys, lowdim, sklearn.base\n"
        "sys.modules['torch'] = None\n"
        "model = sklearn.base.clone(lowdim.MLPClassifier()); repr(model); lowdim.methods()\n"
        "try:\n    model.fit([[0.0], [1.0]], [0, 1])\n"
        "except ImportError as error:\n    print(error)\n"
    )
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "MLPClassifier needs torch" in out.stdout and "lowdim[deep]" in out.stdout
