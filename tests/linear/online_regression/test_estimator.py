"""Regression row by row: equal to least squares where it must be, near it where it can be."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, Ridge

import lowdim
from lowdim import OnlineRegression
from lowdim.linear.online_regression import steps
from tests.linear.online_regression.examples import STEPS, rows


def assert_least_squares(model, X, y, weight=None, rtol=1e-9, **arguments):
    peer = LinearRegression(**arguments).fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(model.coef_, peer.coef_, rtol=0, atol=rtol * abs(peer.coef_).max())
    np.testing.assert_allclose(model.predict(X), peer.predict(X), rtol=0, atol=rtol * np.ptp(y))


# ---- golden values -------------------------------------------------------------------------------


def test_a_line_through_two_points():
    model = OnlineRegression().fit([[0.0], [2.0]], [1.0, 5.0])
    np.testing.assert_allclose([*model.coef_, model.intercept_], [2.0, 1.0], atol=1e-12)
    assert model.t_ == 2


def regression_online(X, y, steps):
    """The online regression of the lecture notes: W + (1 / i) x (y - W'x), x with a 1 in front."""
    X = np.column_stack([np.ones(len(X)), X])
    W, Q = np.zeros(X.shape[1]), []
    for i in range(1, steps + 1):
        x, target = X[(i - 1) % len(X)], y[(i - 1) % len(X)]
        W = W + 1 / i * x * (target - W @ x)
        Q.append(np.mean((y - X @ W) ** 2))
    return W, np.array(Q)


def test_harmonic_gains_from_1_are_the_recursion_of_the_notes_step_by_step(rng):
    X = rng.normal(scale=2.0, size=(200, 1))
    y = 1 + 3 * X[:, 0] + rng.normal(size=200)
    W, Q = regression_online(X, y, 300)
    model = OnlineRegression(
        "sgd", gain="harmonic", eta0=1, shuffle=False, max_iter=2, max_steps=300, history_every=1
    ).fit(X, y)
    np.testing.assert_allclose([model.intercept_, *model.coef_], W, rtol=1e-10)
    np.testing.assert_allclose(model.history_, Q, rtol=1e-8)
    assert model.t_ == 300 and model.n_iter_ == 2


# ---- properties ----------------------------------------------------------------------------------


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_sums_are_least_squares_after_any_cut(rng, fit_intercept, offset):
    X, Y, _ = rows(rng, q=2)
    X, weight = X + offset * fit_intercept, rng.integers(0, 4, size=200).astype(float)
    model = OnlineRegression(fit_intercept=fit_intercept)
    for cut in np.split(np.arange(200), [1, 2, 7, 50, 51, 130]):
        if weight[cut].any():
            model.partial_fit(X[cut], Y[cut], weight[cut])
    rtol = 1e-7 if offset else 1e-9
    assert_least_squares(model, X, Y, weight, rtol=rtol, fit_intercept=fit_intercept)
    assert model.t_ == np.count_nonzero(weight)


def test_too_few_rows_give_the_shortest_solution_at_every_step(rng):
    X, y, _ = rows(rng, n=12, d=8)
    model = OnlineRegression()
    for i in range(12):
        model.partial_fit(X[i : i + 1], y[i : i + 1])
        assert_least_squares(model, X[: i + 1], y[: i + 1], rtol=1e-6)


def test_columns_of_other_units_and_equal_columns_are_no_trouble(rng):
    X, y, _ = rows(rng, d=3)
    X = np.column_stack([X * [1.0, 1e-9, 1e9], X[:, 0], np.ones(200)])
    model = OnlineRegression().fit(X, y)
    peer = LinearRegression().fit(X[:, :3] * [1.0, 1e9, 1e-9], y)
    np.testing.assert_allclose(model.predict(X), peer.predict(X[:, :3] * [1.0, 1e9, 1e-9]))
    assert model.coef_[0] == pytest.approx(model.coef_[3], rel=1e-6)  # the shortest: half each
    assert abs(model.coef_[4]) < 1e-9


@pytest.mark.parametrize("cut", [[], [1], [13, 14, 100], list(range(1, 200))], ids=len)
def test_forgetting_is_exponentially_weighted_least_squares_after_any_cut(rng, cut):
    X, y, _ = rows(rng)
    model = OnlineRegression(forgetting=0.97)
    for part in np.split(np.arange(200), cut):
        model.partial_fit(X[part], y[part])
    assert_least_squares(model, X, y, 0.97 ** np.arange(199, -1, -1.0))
    whole = OnlineRegression(forgetting=0.97).fit(X, y)
    np.testing.assert_allclose(model.coef_, whole.coef_, rtol=1e-9)


def test_a_row_of_weight_2_is_a_row_twice_when_rows_are_forgotten(rng):
    X, y, _ = rows(rng, n=30)
    weight = rng.integers(0, 4, size=30)
    weighted = OnlineRegression(forgetting=0.9).fit(X, y, weight)
    twice = OnlineRegression(forgetting=0.9).fit(np.repeat(X, weight, 0), np.repeat(y, weight))
    np.testing.assert_allclose(weighted.coef_, twice.coef_, rtol=1e-8)


@pytest.mark.parametrize("solver", STEPS)
def test_cuts_do_not_change_steps(rng, solver):
    X, y, _ = rows(rng)
    one = OnlineRegression(solver, eta0=0.01).partial_fit(X, y)
    cut = OnlineRegression(solver, eta0=0.01)
    for part in np.split(np.arange(200), [1, 60, 61]):
        cut.partial_fit(X[part], y[part])
    np.testing.assert_array_equal(cut.coef_, one.coef_)
    assert cut.t_ == one.t_ == 200


@pytest.mark.parametrize("solver", STEPS)
def test_steps_do_not_depend_on_where_rows_lie(rng, solver):
    """Rows beside what the steps work in, as they may lie in memory by chance."""
    X, y, _ = rows(rng, n=20, d=8)
    found = set()
    for between in (0, 1, 2, 7, 24, 100):
        memory = np.empty(16 + between)
        x, z = memory[:8].reshape(1, 8), memory[8 + between :]
        learned = [np.zeros((1, 8)) for _ in range(3)] + [np.zeros(1) for _ in range(3)]
        rule = (steps.RULES[solver], 1.0, 0.6, 0.0, True, False, False)
        scales = (np.zeros(8), 1.0, np.zeros(1), 1.0)
        for i in range(20):
            x[:] = X[i]
            given = (x, y[i].reshape(1, 1), np.ones(1), np.arange(1))
            steps.step_by_row(*given, *scales, *rule, i, z, *learned)
        found.add(learned[0].tobytes())
    assert len(found) == 1


@pytest.mark.parametrize("solver", ["rls", *STEPS])
def test_arrays_streams_and_dask_agree(rng, solver, monkeypatch):
    da = pytest.importorskip("dask.array")
    monkeypatch.setattr(steps, "WINDOW", 64)  # several windows
    X, Y, _ = rows(rng, q=2)
    model = OnlineRegression(solver, random_state=0, max_iter=3, history_every=50)
    reference = model.fit(X, Y)
    streamed = lowdim.stream(lambda: iter(np.split(X, [3, 70, 71])))
    chunked = da.from_array(X, chunks=(33, 4))
    for given, y in ((streamed, Y), (chunked, da.from_array(Y, chunks=(33, 2)))):
        other = OnlineRegression(**model.get_params()).fit(given, y)
        np.testing.assert_allclose(other.coef_, reference.coef_, rtol=1e-9)
        np.testing.assert_allclose(other.history_, reference.history_, rtol=1e-9)
        np.testing.assert_allclose(np.asarray(other.predict(given)), reference.predict(X))
        assert other.score(given, y) == pytest.approx(reference.score(X, Y))


@pytest.mark.parametrize("solver", ["rls", *STEPS])
def test_units_and_places_of_x_and_y_do_not_matter(rng, solver):
    X, y, _ = rows(rng)
    plain = OnlineRegression(solver, random_state=0).fit(X, y).predict(X)
    for unit, y_unit, at in ((1e-150, 1e100, 0.0), (1e200, 1e-100, 0.0), (1.0, 1.0, 1e5)):
        model = OnlineRegression(solver, random_state=0).fit(unit * X + at, y_unit * (y + at))
        found = model.predict(unit * X + at) / y_unit - at
        np.testing.assert_allclose(found, plain, rtol=0, atol=1e-6 * np.ptp(y))
        assert model.score(unit * X + at, y_unit * (y + at)) == pytest.approx(
            OnlineRegression(solver, random_state=0).fit(X, y).score(X, y), abs=1e-6
        )


def test_float32_rows_are_summed_in_float64(rng):
    X, y, _ = rows(rng)
    X = (X + 1000).astype(np.float32)
    assert_least_squares(OnlineRegression().fit(X, y), X.astype(float), y, rtol=1e-7)


# ---- two roads -----------------------------------------------------------------------------------


def test_alpha_is_ridge_with_n_alpha(rng):
    X, y, _ = rows(rng)
    model, peer = OnlineRegression(alpha=0.2).fit(X, y), Ridge(0.2 * 200).fit(X, y)
    np.testing.assert_allclose(model.coef_, peer.coef_, rtol=1e-9)
    assert model.intercept_ == pytest.approx(peer.intercept_)


def test_steps_with_alpha_settle_at_ridge(rng):
    X, y, _ = rows(rng, n=400)
    ridge = OnlineRegression(alpha=0.5).fit(X, y)
    model = OnlineRegression("sgd", alpha=0.5, max_iter=300, random_state=0, average=True)
    np.testing.assert_allclose(model.fit(X, y).coef_, ridge.coef_, atol=0.02)


def test_history_of_sums_ends_at_the_batch_error(rng):
    X, y, _ = rows(rng)
    model = OnlineRegression(history_every=30).fit(X, y)
    batch = LinearRegression().fit(X, y)
    assert len(model.history_) == 7
    assert model.history_[-1] == pytest.approx(np.mean((y - batch.predict(X)) ** 2))
    assert (model.history_ >= model.history_[-1] - 1e-12).all()
    first = OnlineRegression(max_steps=30).fit(X, y)
    assert_least_squares(first, X[:30], y[:30])
    assert first.history_[0] == pytest.approx(model.history_[0])


@pytest.mark.parametrize("solver", STEPS)
def test_a_fit_and_further_rows_go_on_where_it_was(rng, solver, tmp_path):
    X, y, _ = rows(rng)
    model = OnlineRegression(solver, random_state=0).fit(X[:100], y[:100])
    model.save(tmp_path / "model")
    back = lowdim.load(tmp_path / "model")
    for each in (model, back):
        each.partial_fit(X[100:], y[100:])
    np.testing.assert_array_equal(model.coef_, back.coef_)
    assert back.t_ == 200


# ---- planted truths ------------------------------------------------------------------------------


def test_a_constant_gain_averaged_comes_within_2_d_noise_over_n_in_one_pass(rng):
    n, d, noise = 20000, 60, 0.7
    X = rng.normal(size=(n, d))
    w = rng.normal(size=d) / np.sqrt(d)
    y = X @ w + noise * rng.normal(size=n)
    model = OnlineRegression("sgd", gain="constant", average=True, random_state=0).fit(X, y)
    excess = np.sum((model.coef_ - w) ** 2) + model.intercept_**2  # E (w'x - y)^2, x ~ N(0, I)
    assert excess <= 2 * d * noise**2 / n


@pytest.mark.parametrize("solver", ["rls", *STEPS])
def test_defaults_find_the_planted_coefficients(rng, solver):
    X, y, w = rows(rng, n=3000, d=10, noise=0.3)
    model = OnlineRegression(solver, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.98 * OnlineRegression().fit(X, y).score(X, y)
    model.set_params(max_iter=5, average=True).fit(X, y)
    np.testing.assert_allclose(model.coef_, w, atol=0.1)


def test_a_constant_gain_and_forgetting_follow_a_drift(rng):
    X = rng.normal(size=(4000, 3))
    turned = np.where(np.arange(4000)[:, None] < 2000, [1.0, -2.0, 0.5], [-1.0, 1.0, 2.0])
    y = np.sum(X * turned, axis=1) + 0.1 * rng.normal(size=4000)
    following = [
        OnlineRegression("sgd", gain="constant", shuffle=False),
        OnlineRegression("nlms", gain="constant", eta0=0.1, shuffle=False),
        OnlineRegression(forgetting=0.99),
    ]
    for model in following:
        np.testing.assert_allclose(model.fit(X, y).coef_, [-1.0, 1.0, 2.0], atol=0.15)
    assert np.abs(OnlineRegression().fit(X, y).coef_ - turned[-1]).max() > 0.5


def test_passes_end_when_the_error_settles(rng):
    X, y, _ = rows(rng)
    model = OnlineRegression("sgd", max_iter=500, tol=1e-3, random_state=0).fit(X, y)
    assert model.converged_ and 1 < model.n_iter_ < 500
    assert len(model.history_) == model.n_iter_ and model.t_ == 200 * model.n_iter_


def test_the_error_of_a_pass_is_that_of_the_rows_it_looked_at(rng):
    X, y, _ = rows(rng)
    arguments = {"solver": "sgd", "eta0": 0.01, "shuffle": False}
    some = OnlineRegression(**arguments, max_steps=50).fit(X, y, np.full(200, 2.0))
    alone = OnlineRegression(**arguments).fit(X[:50], y[:50], np.full(50, 2.0))
    np.testing.assert_allclose(some.history_, alone.history_)


def test_a_pass_is_shuffled_anew_and_follows_from_the_seed(rng):
    X, y, _ = rows(rng)
    fits = [OnlineRegression("sgd", random_state=seed).fit(X, y).coef_ for seed in (0, 0, 1)]
    np.testing.assert_array_equal(fits[0], fits[1])
    assert not np.array_equal(fits[0], fits[2])


# ---- the door ------------------------------------------------------------------------------------


def test_what_cannot_go_on_is_refused(rng):
    X, y, _ = rows(rng)
    model = OnlineRegression().fit(X, y)
    with pytest.raises(ValueError, match=r"y has shape \(200, 2\), but the rows before had \('n',"):
        model.partial_fit(X, np.column_stack([y, y]))
    with pytest.raises(ValueError, match="solver='sgd' cannot go on from what another solver"):
        model.set_params(solver="sgd").partial_fit(X, y)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"solver": "sgd", "forgetting": 0.9}, "forgetting=0.9 is for solver='rls', not 'sgd'"),
        ({"forgetting": 0.0}, "The 'forgetting' parameter of OnlineRegression must be"),
        ({"eta0": 0.0}, "The 'eta0' parameter"),
        ({"gain": "mean"}, "The 'gain' parameter"),
        ({"solver": "sgd", "gain": "constant", "eta0": 1e3}, "eta0=1000.0 is too large"),
    ],
)
def test_arguments_are_looked_at(rng, arguments, message):
    X, y, _ = rows(rng)
    with pytest.raises(ValueError, match=message):
        OnlineRegression(**arguments).fit(X, y)


@pytest.mark.parametrize("solver", ["rls", *STEPS])
def test_nan_is_refused_with_the_way_out(rng, solver):
    X, y, _ = rows(rng)
    y[[3, 5]] = np.nan
    with pytest.raises(ValueError, match=r"y contains NaN in 2 of 200 rows \(first: row 3\)"):
        OnlineRegression(solver).fit(X, y)
    X[0, 1] = np.nan
    with pytest.raises(ValueError, match=r"X has NaN in 1 of 4 columns.*impute\(X\)"):
        OnlineRegression(solver).fit(X, np.zeros(200))
