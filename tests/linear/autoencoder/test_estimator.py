"""The linear autoencoder: whatever the solver, it learns the plane of PCA."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.utils.estimator_checks import check_estimator

import lowdim
from lowdim import LinearAutoencoder
from tests.linear.autoencoder.tables import SOLVERS, TIED, fitted, pca_projector, table

# what is left of the error, relative, and of the projector: gd is exact to rounding in J, whose
# minimum is flat; sgd ends where its last steps are still noisy
PRECISION = {"exact": (1e-12, 1e-10), "gd": (1e-10, 1e-4), "sgd": (2e-2, 5e-2)}


# ---- golden values -------------------------------------------------------------------------------


def test_rows_on_a_line_are_coded_without_loss():
    X = np.array([[0.0, 0.0], [3.0, 4.0], [6.0, 8.0]])
    model = LinearAutoencoder(1).fit(X)
    np.testing.assert_allclose(model.mean_, [3.0, 4.0])
    np.testing.assert_allclose(model.encoder_, [[0.6, 0.8]])
    np.testing.assert_allclose(model.transform(X), [[-5.0], [0.0], [5.0]], atol=1e-12)
    np.testing.assert_allclose(model.inverse_transform([[10.0]]), [[9.0, 12.0]])
    assert model.score(X) == pytest.approx(0.0, abs=1e-14)
    away = np.add(X, [4.0, -3.0])  # by 5 from the line: 25 / 2 by entry
    assert model.score(away) == pytest.approx(-np.sqrt(12.5))


# ---- the theory ----------------------------------------------------------------------------------


@TIED
@SOLVERS
def test_every_solver_reaches_the_error_of_pca(solver, tied, rng):
    X = table(rng)
    left_out = np.linalg.svd(X - X.mean(axis=0), compute_uv=False)[2:]
    best = np.sum(left_out**2) / len(X)
    error = X.shape[1] * fitted(X, solver, tied).score(X) ** 2
    assert best * (1 - 1e-10) <= error <= best * (1 + PRECISION[solver][0])


@TIED
@SOLVERS
def test_decoder_after_encoder_is_the_projector_of_pca(solver, tied, rng):
    X = table(rng)
    model = fitted(X, solver, tied)
    P = model.decoder_ @ model.encoder_
    np.testing.assert_allclose(P, pca_projector(X), atol=PRECISION[solver][1])


@TIED
def test_exact_weights_are_the_principal_axes(tied, rng):
    X = table(rng)
    model = LinearAutoencoder(2, tied=tied).fit(X)
    np.testing.assert_allclose(model.encoder_, lowdim.PCA(2).fit(X).components_, atol=1e-10)
    np.testing.assert_array_equal(model.decoder_, model.encoder_.T)


@pytest.mark.parametrize("solver", ["gd", "sgd"])
def test_weights_of_two_starts_differ_by_an_invertible_matrix(solver, rng):
    X = table(rng)
    one, other = (fitted(X, solver, False, random_state=seed) for seed in (0, 1))
    A = other.encoder_ @ one.decoder_
    slack = PRECISION[solver][1]
    assert np.abs(other.encoder_ - one.encoder_).max() > 0.01  # they are not the same
    np.testing.assert_allclose(A @ one.encoder_, other.encoder_, atol=slack)
    np.testing.assert_allclose(one.decoder_ @ np.linalg.inv(A), other.decoder_, atol=slack)


@pytest.mark.parametrize("solver", ["gd", "sgd"])
def test_tied_weights_are_the_principal_axes_up_to_a_rotation(solver, rng):
    X = table(rng)
    model = fitted(X, solver, True)
    np.testing.assert_array_equal(model.decoder_, model.encoder_.T)
    rotation = model.encoder_ @ lowdim.PCA(2).fit(X).components_.T
    np.testing.assert_allclose(rotation @ rotation.T, np.eye(2), atol=PRECISION[solver][1])
    assert np.abs(np.abs(rotation) - np.eye(2)).max() > 1e-3  # and not the axes themselves


# ---- properties ----------------------------------------------------------------------------------


@SOLVERS
def test_a_row_of_weight_two_is_a_row_twice(solver, rng):
    X = table(rng, n=40)
    weight = rng.integers(0, 3, size=40)
    weight[:10] = 1
    weighted = LinearAutoencoder(2, solver=solver, random_state=0, tol=0, max_iter=20)
    repeated = LinearAutoencoder(2, solver=solver, random_state=0, tol=0, max_iter=20)
    weighted.fit(X, sample_weight=weight)
    repeated.fit(np.repeat(X, weight, axis=0))
    np.testing.assert_allclose(weighted.encoder_, repeated.encoder_, atol=1e-8)
    np.testing.assert_allclose(weighted.decoder_, repeated.decoder_, atol=1e-8)
    assert weighted.score(X, sample_weight=weight) == pytest.approx(
        repeated.score(np.repeat(X, weight, axis=0))
    )


@SOLVERS
def test_memory_stream_dask_and_sparse_agree(solver, rng):
    da = pytest.importorskip("dask.array")
    X = table(rng, n=100)
    X[rng.random(X.shape) < 0.3] = 0.0
    settings = {"solver": solver, "random_state": 0, "tol": 0, "max_iter": 20, "batch_size": 32}
    reference = LinearAutoencoder(2, **settings).fit(X)
    for other in (
        lowdim.stream(lambda: iter(np.split(X, [7, 50, 51]))),
        da.from_array(X, chunks=(33, 6)),
        sp.csr_array(X),
    ):
        model = LinearAutoencoder(2, **settings).fit(other)
        np.testing.assert_allclose(model.encoder_, reference.encoder_, atol=1e-8)
        np.testing.assert_allclose(
            np.asarray(model.transform(other)), reference.transform(X), atol=1e-7
        )
        assert model.score(other) == pytest.approx(reference.score(X))


@SOLVERS
def test_scale_does_not_matter(solver, rng):
    X = table(rng, n=60)
    for factor in (1e150, 1e-150):
        plain, scaled = (
            LinearAutoencoder(2, solver=solver, random_state=0, tol=0, max_iter=10).fit(Y)
            for Y in (X, X * factor)
        )
        np.testing.assert_allclose(scaled.encoder_, plain.encoder_, atol=1e-8)


@SOLVERS
def test_float32_stays_float32(solver, rng):
    X = table(rng).astype(np.float32)
    model = fitted(X, solver, False)
    assert model.encoder_.dtype == model.decoder_.dtype == model.mean_.dtype == np.float32
    Z = model.transform(X)
    assert Z.dtype == model.inverse_transform(Z).dtype == np.float32


# ---- the door ------------------------------------------------------------------------------------


@SOLVERS
def test_a_constant_table_has_no_error(solver):
    X = np.ones((10, 3))
    model = LinearAutoencoder(1, solver=solver, random_state=0).fit(X)
    assert np.isfinite(model.encoder_).all()
    np.testing.assert_allclose(model.inverse_transform(model.transform(X)), X)


def test_bad_input_is_refused_with_a_reason(rng):
    X = table(rng, n=20)
    with pytest.raises(ValueError, match="n_components=7 is more than the 6 columns of X"):
        LinearAutoencoder(7).fit(X)
    with pytest.raises(ValueError, match=r"'learning_rate' parameter .* must be a float"):
        LinearAutoencoder(2, learning_rate=1.5).fit(X)
    with pytest.raises(ValueError, match=r"'solver' parameter .* must be a str"):
        LinearAutoencoder(2, solver="adam").fit(X)
    incomplete = X.copy()
    incomplete[3, 1] = np.nan
    for learn in (LinearAutoencoder(2).fit, LinearAutoencoder(2).partial_fit):
        with pytest.raises(ValueError, match=r"needs complete rows\. Fill them .*lowdim\.PCA"):
            learn(incomplete)
    with pytest.raises(ValueError, match="Z has 3 columns"):
        LinearAutoencoder(2).fit(X).inverse_transform(np.ones((4, 3)))


@TIED
@SOLVERS
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_scikit_learn_checks_pass(solver, tied):
    check_estimator(LinearAutoencoder(1, solver=solver, tied=tied, max_iter=50))
