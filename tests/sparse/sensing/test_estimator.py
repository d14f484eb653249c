import numpy as np
import pytest

import lowdim
from lowdim import sparse
from lowdim.sparse.sensing.estimator import enough, non_zeros, statistics
from lowdim.sparse.sensing.measuring import KINDS


def signals(rng, n=6, D=64, K=3, kind="dct", shape=None):
    """Rows of K non-zeros each in a basis."""
    U = sparse.basis(kind, shape or D)
    Z = np.zeros((n, D))
    for row in Z:
        row[rng.choice(D, K, replace=False)] = rng.choice([-1, 1], K) * rng.uniform(0.5, 2, K)
    return U.synthesize(Z)


@pytest.mark.parametrize(
    ("kind", "basis"),
    [("gaussian", "dct"), ("bernoulli", "haar"), ("dct", "identity"), ("dft", "identity"),
     ("pixels", "dct")],
)  # fmt: skip
def test_sparse_rows_are_made_again(rng, kind, basis):
    X = signals(rng, kind=basis)
    model = lowdim.CompressiveSensing(40, measurement=kind, basis=basis, random_state=0).fit(X)
    Y = model.transform(X)
    assert Y.shape == (6, 40)
    assert np.allclose(model.inverse_transform(Y), X, atol=1e-8)


@pytest.mark.parametrize("solver", ["omp", "ols", "cosamp", "iht"])
@pytest.mark.parametrize(("kind", "basis"), [("gaussian", "dct"), ("pixels", "dct")])
def test_greedy_solvers_find_the_same(rng, solver, kind, basis):
    X = signals(rng, kind=basis)
    model = lowdim.CompressiveSensing(
        44, measurement=kind, basis=basis, solver=solver, random_state=0
    ).fit(X)
    assert model.n_nonzero_coefs_ == (3 if solver in ("cosamp", "iht") else 0)
    assert np.allclose(model.inverse_transform(model.transform(X)), X, atol=1e-5)


def test_omp_stops_at_the_noise_or_the_number(rng):
    X = signals(rng, n=3)
    model = lowdim.CompressiveSensing(40, solver="omp", random_state=0).fit(X)
    Y = model.transform(X)
    Y += rng.normal(0, 0.01, Y.shape)
    model.set_params(noise=0.01 * np.sqrt(40) * 1.3)
    Z = sparse.basis("dct", 64).analyze(model.inverse_transform(Y))
    assert ((np.abs(Z) > 1e-12).sum(axis=1) <= 4).all()
    assert np.allclose(model.inverse_transform(Y), X, atol=0.1)
    model.set_params(n_nonzero_coefs=1, noise=0.0)
    Z = sparse.basis("dct", 64).analyze(model.inverse_transform(Y))
    assert ((np.abs(Z) > 1e-12).sum(axis=1) == 1).all()


def test_pictures_are_made_again(rng):
    X = signals(rng, D=80, shape=(8, 10), n=3)
    model = lowdim.CompressiveSensing(signal_shape=(8, 10), random_state=0).fit(X)
    assert model.n_components_ < 80
    assert np.allclose(model.inverse_transform(model.transform(X)), X, atol=1e-8)


def test_measurements_are_products_with_components(rng):
    X = signals(rng)
    model = lowdim.CompressiveSensing(10, random_state=0).fit(X)
    assert np.allclose(model.transform(X), X @ model.components_.T)
    assert model.measured_ is None
    pixels = lowdim.CompressiveSensing(10, measurement="pixels", random_state=0).fit(X)
    assert np.allclose(pixels.transform(X), X[:, pixels.measured_] * np.sqrt(64 / 10))
    assert pixels.components_ is None


def test_non_zeros_are_counted(rng):
    X = signals(rng, K=4)
    model = lowdim.CompressiveSensing(random_state=0).fit(X)
    assert model.n_nonzero_coefs_ == 4
    needed = sparse.measurements_needed(4, 64) + 2 * np.sqrt(64)
    assert model.n_components_ == int(np.ceil(needed)) == enough(4, 64, 64)


def test_given_non_zeros_are_counted_on(rng):
    model = lowdim.CompressiveSensing(n_nonzero_coefs=2, random_state=0).fit(signals(rng, K=5))
    assert model.n_nonzero_coefs_ == 2 and model.n_components_ == enough(2, 64, 64)


def test_no_more_than_all_numbers_are_measured(rng):
    assert (
        lowdim.CompressiveSensing(random_state=0).fit(rng.normal(size=(5, 20))).n_components_ == 20
    )
    assert lowdim.CompressiveSensing(random_state=0).fit(np.zeros((3, 4))).n_nonzero_coefs_ == 1


def test_rows_count_alike_whatever_their_length():
    U = sparse.basis("identity", 4)
    sums = statistics(np.array([[3.0, 0, 0, 4.0], [1e150, 0, 0, 0], [0, 0, 0, 0]]), U)
    assert sums.n_rows == 2
    assert np.allclose(sums.share, [0.64 + 1, 2, 2, 2])
    assert non_zeros(sums) == 2


def test_noise_is_allowed_for(rng):
    X = signals(rng, n=3)
    model = lowdim.CompressiveSensing(40, noise=0.05, random_state=0).fit(X)
    Y = model.transform(X)
    noise = rng.normal(size=Y.shape)
    Y += 0.05 * noise / np.linalg.norm(noise, axis=1, keepdims=True)
    X_hat = model.inverse_transform(Y)
    assert np.allclose(np.linalg.norm(Y - model.transform(X_hat), axis=1), 0.05, rtol=1e-6)
    assert np.linalg.norm(X_hat - X) < 0.5


def test_a_dictionary_with_more_atoms_than_numbers(rng):
    U = sparse.union(sparse.basis("identity", 64), sparse.basis("dct", 64))
    Z = np.zeros((2, 128))
    Z[0, [5, 100]], Z[1, [64, 20]] = [1.0, -2.0], [2.0, 1.0]
    X = U.synthesize(Z)
    model = lowdim.CompressiveSensing(40, basis=U, random_state=0).fit(X)
    assert np.allclose(model.inverse_transform(model.transform(X)), X, atol=1e-7)


@pytest.mark.parametrize("solver", ["lp", "homotopy", "admm"])
def test_solvers_agree(rng, solver):
    X = signals(rng, n=2)
    model = lowdim.CompressiveSensing(32, solver=solver, random_state=0).fit(X)
    assert np.allclose(model.inverse_transform(model.transform(X)), X, atol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_saved_and_loaded_it_measures_the_same(rng, tmp_path, kind):
    X = signals(rng, n=2)
    basis = "identity" if kind in ("dct", "dft") else "dct"
    model = lowdim.CompressiveSensing(20, measurement=kind, basis=basis, random_state=0).fit(X)
    model.save(tmp_path / "model.lowdim")
    other = lowdim.load(tmp_path / "model.lowdim")
    assert np.array_equal(other.transform(X), model.transform(X))


def test_dask_and_streams_are_measured(rng):
    da = pytest.importorskip("dask.array")
    X = signals(rng, n=7)
    model = lowdim.CompressiveSensing(40, random_state=0).fit(X)
    Y = model.transform(da.from_array(X, chunks=(3, 64)))
    assert np.allclose(Y.compute(), model.transform(X))
    assert np.allclose(model.inverse_transform(Y).compute(), X, atol=1e-7)
    streamed = model.transform(lowdim.stream(lambda: iter([X[:3], X[3:]])))
    assert np.allclose(streamed, model.transform(X))


def test_float32_rows_come_back_as_float32(rng):
    X = signals(rng, n=2).astype(np.float32)
    model = lowdim.CompressiveSensing(40, random_state=0).fit(X)
    X_hat = model.inverse_transform(model.transform(X))
    assert X_hat.dtype == np.float32 and np.allclose(X_hat, X, atol=1e-4)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_components": 65}, "n_components=65 is more than the 64 columns of X"),
        ({"n_nonzero_coefs": 65}, "n_nonzero_coefs=65 is more than the 64 atoms"),
        ({"signal_shape": (8, 9)}, r"X has 64 columns; signal_shape=\(8, 9\) .* are for 8 x 9"),
        ({"basis": sparse.basis("dct", 32)}, "X has 64 columns; .* are for 32"),
        ({"basis": "nothing"}, "kind='nothing' is not known"),
        ({"measurement": "nothing"}, "'measurement' parameter"),
        ({"noise": -1.0}, "'noise' parameter"),
    ],
)
def test_bad_settings(rng, settings, message):
    with pytest.raises(ValueError, match=message):
        lowdim.CompressiveSensing(**settings).fit(signals(rng))
