"""GAN: a ring of eight modes, known densities, what y says, and the door."""

import functools

import numpy as np
import pytest
from scipy.special import expit

import lowdim
from lowdim.deep.gan.estimator import centre_of

pytest.importorskip("torch")

SHORT = {"hidden": (16,), "max_iter": 3, "random_state": 0}


@functools.cache
def groups():
    """Two groups of rows, and a short fit that saw which is which."""
    random = np.random.default_rng(0)
    y = random.integers(0, 2, size=600)
    X = np.column_stack([4.0 * y - 2, -3.0 * y]) + 0.3 * random.normal(size=(600, 2))
    model = lowdim.GAN(
        conditional=True, hidden=(32,), max_iter=25, learning_rate=0.01, random_state=0
    )
    return X, y, model.fit(X, np.array(["a", "b"])[y])


def test_rows_are_drawn_given_y():
    X, y, model = groups()
    for number, name in enumerate("ab"):
        drawn = model.sample(400, random_state=1, y=name)
        np.testing.assert_allclose(drawn.mean(axis=0), X[y == number].mean(axis=0), atol=0.3)
        assert drawn.std(axis=0).max() < 0.8  # 2 for both groups together
    mixed = model.sample(4, random_state=1, y=["a", "b", "a", "b"])
    assert (mixed[:, 0] < 0).tolist() == [True, False, True, False]


@pytest.mark.parametrize("loss", ["relativistic", "nonsaturating"])
def test_probabilities_are_shares_where_the_generator_stays_as_it_was(loss):
    """Of rows that look real with probability p, a share of p is real."""
    random = np.random.default_rng(0)
    X = random.normal(size=(4000, 2)) * [1.0, 3.0] + [5.0, 0.0]
    settings = {"hidden": (32,), "max_iter": 25, "learning_rate": 0.01, "optimizer": "adam"}
    model = lowdim.GAN(loss=loss, n_critic=10**6, penalty=0.0, random_state=0, **settings)
    model.fit(X[:2000])
    drawn = model.sample(2000, random_state=1)
    found = model.discriminate(np.concatenate([X[2000:], drawn]))
    real = np.repeat([True, False], 2000)
    assert np.mean((found > 0.5) == real) > 0.9
    order = np.argsort(found)
    for part in np.array_split(order, 5):
        assert np.mean(real[part]) == pytest.approx(np.mean(found[part]), abs=0.09)


def test_where_rows_cannot_be_told_apart_the_loss_is_log_two():
    """And no probability is far from a half."""
    X, y, model = groups()
    assert model.history_[-1] == pytest.approx(np.log(2), abs=0.02)
    np.testing.assert_allclose(model.discriminate(X, y=np.array(["a", "b"])[y]), 0.5, atol=0.15)


def test_inverse_transform_is_what_sample_draws_from():
    _, _, model = groups()
    Z = np.random.default_rng(3).normal(size=(5, 2))
    np.testing.assert_array_equal(
        model.inverse_transform(Z, y="a"), model.sample(5, random_state=3, y="a")
    )
    assert model.inverse_transform(Z.astype(np.float32), y="a").dtype == np.float32


LOSSES = {
    "relativistic": {},
    "nonsaturating": {},
    "minimax": {},
    "wasserstein": {"n_critic": 5, "max_iter": 200, "learning_rate": 0.003, "optimizer": "adam"},
}


@pytest.mark.parametrize("loss", LOSSES)
def test_every_loss_finds_where_rows_are_and_how_far_they_spread(loss, rng):
    X = rng.normal(size=(512, 2)) * [1.0, 5.0] + [3.0, -2.0]
    usual = {"hidden": (32,), "max_iter": 40, "learning_rate": 0.01, "batch_size": 128}
    model = lowdim.GAN(loss=loss, **{**usual, **LOSSES[loss]}, random_state=0).fit(X)
    drawn = model.sample(2000, random_state=0)
    np.testing.assert_allclose((drawn.mean(axis=0) - X.mean(axis=0)) / X.std(axis=0), 0, atol=0.3)
    np.testing.assert_allclose(np.log(drawn.std(axis=0) / X.std(axis=0)), 0, atol=0.35)
    assert np.isfinite(model.history_).all()
    assert not hasattr(model, "score")


def modes_found(model, centers, sd, n=4000):
    """How many samples of each mode there are within 4 sd, and their share."""
    drawn = model.sample(n, random_state=1)
    distance = np.linalg.norm(drawn[:, None] - centers, axis=2)
    near = distance.min(axis=1) < 4 * sd
    return np.bincount(distance.argmin(axis=1)[near], minlength=len(centers)), near.mean()


def test_every_mode_of_a_ring_is_found():
    angle = np.arange(8) * np.pi / 4
    centers = np.column_stack([np.cos(angle), np.sin(angle)])
    sd = 0.05 * 2 * np.sin(np.pi / 8)
    random = np.random.default_rng(0)
    X = centers[random.integers(8, size=2048)] + sd * random.normal(size=(2048, 2))
    settings = {"hidden": (64, 64), "batch_size": 128, "learning_rate": 0.01, "max_iter": 64}
    model = lowdim.GAN(random_state=0, **settings)
    count, share = modes_found(model.fit(X), centers, sd)
    assert share > 0.9
    assert count.min() > 4000 / 8 / 2


def test_scores_become_probabilities_by_their_middle(rng):
    real, drawn = rng.normal(1.5, 1, size=4000) * 1.5, rng.normal(0, 1, size=4000) * 1.5
    log_odds = 1.0 * np.concatenate([real, drawn])  # N(1.5, 1) against N(0, 1), scaled
    shifted = centre_of(log_odds + 7.0)
    assert shifted == pytest.approx(centre_of(log_odds) + 7.0, abs=1e-9)
    assert np.mean(expit(log_odds - centre_of(log_odds))) == pytest.approx(0.5, abs=1e-9)
    assert centre_of(log_odds) == pytest.approx(1.5**2 / 2, abs=0.15)  # log p/q = 1.5 x - 1.125
    assert centre_of(np.full(3, 2.0)) == 2.0


def test_other_optimizers_and_updates_give_other_fits(rng):
    X = rng.normal(size=(60, 3))
    found = {
        (optimizer, update): lowdim.GAN(optimizer=optimizer, update=update, **SHORT)
        .fit(X)
        .sample(1, random_state=0)
        .tobytes()
        for optimizer in ("extra_adam", "adam", "optimistic_adam", "sgd")
        for update in ("alternating", "simultaneous")
    }
    assert len(set(found.values())) == 8


def test_noise_has_as_many_numbers_as_columns_if_nothing_is_said(rng):
    for d, expected in ((1, 2), (5, 5), (80, 64)):
        model = lowdim.GAN(**{**SHORT, "max_iter": 1}).fit(rng.normal(size=(20, d)))
        assert model.n_components_ == expected
        assert model.sample(3).shape == (3, d)


def test_pictures_are_drawn_by_convolutions(rng):
    X = rng.random((40, 30))
    model = lowdim.GAN(network="conv", image_shape=(5, 6), **SHORT).fit(X)
    assert model.sample(2, random_state=0).shape == (2, 30)
    assert model.discriminate(X.astype(np.float32)).dtype == np.float32


def test_bad_input_is_refused(rng):
    X = rng.normal(size=(30, 4))
    holes = X.copy()
    holes[2, 1] = np.nan
    with pytest.raises(ValueError, match=r"NaN in 1 of 4 columns .*GAN needs .*lowdim\.VAE"):
        lowdim.GAN(**SHORT).fit(holes)
    for bad in ({"loss": "hinge"}, {"optimizer": "lion"}, {"update": "both"}, {"n_critic": 0}):
        with pytest.raises(ValueError, match=next(iter(bad))):
            lowdim.GAN(**bad).fit(X)
    with pytest.raises(ValueError, match=r"image_shape=\(3, 3\) .* the 4 columns of X"):
        lowdim.GAN(image_shape=(3, 3)).fit(X)
    with pytest.raises(ValueError, match=r"reshape\(len\(X\), -1\), and image_shape=\(2, 2\)"):
        lowdim.GAN(**SHORT).fit(X.reshape(-1, 2, 2))
    with pytest.raises(ValueError, match="requires y to be passed"):
        lowdim.GAN(conditional=True).fit(X)
    model = lowdim.GAN(**SHORT).fit(X)
    with pytest.raises(ValueError, match="n_samples=0"):
        model.sample(0)
    with pytest.raises(ValueError, match="y=1 was given"):
        model.sample(2, y=1)
    with pytest.raises(ValueError, match="Z has 3 columns; GAN has 4"):
        model.inverse_transform(np.ones((2, 3)))
