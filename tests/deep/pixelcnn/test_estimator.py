"""PixelCNN on images whose probabilities are known, and its door."""

import numpy as np
import pytest

pytest.importorskip("torch")

import lowdim
from tests.deep.examples import parts_of_batches

SMALL = {"channels": 8, "n_layers": 2, "kernel_size": 3, "max_iter": 25, "random_state": 0}


def stripes(rng, n=240, width=4):
    """Each image is one line of random pixels, four times: width bits of information."""
    return np.tile(rng.integers(0, 2, size=(n, width)), 4).astype(float)


@pytest.mark.parametrize(
    ("side", "batch", "parts"), [(28, 16, 2), (28, 32, 2), (28, 64, 4), (14, 32, 2), (4, 32, 1)]
)
def test_batches_are_cut_where_halves_are_worth_a_thread(side, batch, parts, monkeypatch, rng):
    X = rng.integers(0, 2, size=(batch, side * side)).astype(float)
    given = SMALL | {"channels": 2, "batch_size": batch, "max_iter": 1}
    assert parts_of_batches(lowdim.PixelCNN(**given), X, monkeypatch) == [parts]


@pytest.mark.parametrize("gated", [True, False])
def test_stripes_take_as_many_bits_as_their_first_line(gated, rng):
    """4 bits in 16 pixels: 0.25 by pixel is the least."""
    X = stripes(rng)
    model = lowdim.PixelCNN((4, 4), gated=gated, **SMALL).fit(X)
    assert 0.24 < model.bits_per_dim(stripes(rng)) < 0.33
    drawn = model.sample(60, random_state=1)
    assert (drawn[:, :4] == drawn[:, 12:]).mean() > 0.9


def test_later_pixels_are_heard(rng):
    """The first line is known from the last: only a filling that later pixels confirm survives."""
    model = lowdim.PixelCNN((4, 4), **SMALL).fit(stripes(rng))
    X = stripes(rng, 20)
    holes = X.copy()
    holes[:, :8] = np.nan
    filled, std = model.impute(holes, return_std=True, n_samples=256)
    assert np.abs(filled - X).mean() < 0.06
    assert std[:, :8].mean() < 0.25 and (std[:, 8:] == 0).all()
    copies = model.draw_imputations(holes, 3, random_state=0)
    assert copies.shape == (3, 20, 16)
    assert (copies[:, :, :8] == X[:, :8]).mean() > 0.9


def test_rows_with_holes_teach_too(rng):
    X = stripes(rng)
    X[rng.random(X.shape) < 0.2] = np.nan
    model = lowdim.PixelCNN((4, 4), **{**SMALL, "max_iter": 40}).fit(X)
    assert model.bits_per_dim(stripes(rng)) < 0.6  # 1 without what was learned


def test_images_of_a_class(rng):
    """Class 1 is dark where class 0 is light."""
    y = rng.integers(0, 2, size=200)
    X = (rng.random((200, 9)) < np.where(y == 1, 0.1, 0.9)[:, None]).astype(np.uint8)
    model = lowdim.PixelCNN(conditional=True, **SMALL).fit(X, y)
    drawn = model.sample(200, y=np.repeat([0, 1], 100), random_state=0)
    assert drawn[:100].mean() > 0.8 > 0.2 > drawn[100:].mean()
    own, other = (model.score_samples(X, y=label).mean() for label in (y, 1 - y))
    assert own > other + 5
    assert model.score(X, y) == pytest.approx(own, rel=1e-4)


def test_numbers_have_a_density(rng):
    """Columns of different units, a signal of 3: near the Gaussian's own log-density."""
    unit = np.array([1.0, 100.0, 0.01])
    X = rng.normal(size=(600, 3)) @ np.array([[1, 0.8, 0], [0, 0.6, 0], [0, 0, 1]]) * unit
    model = lowdim.PixelCNN(levels=12, random_state=0, channels=16, n_layers=2).fit(X)
    exact = -1.5 * (1 + np.log(2 * np.pi)) - np.log(0.6) - np.log(unit).sum()
    assert exact - 0.6 < model.score(X) < exact + 0.1
    assert not model.whole_.any() and model.image_shape_ == (1, 3, 1)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"image_shape": (3, 3)}, r"image_shape=\(3, 3\)"),
        ({"kernel_size": 4}, "kernel_size=4 must be odd"),
        ({"kernel_size": 1}, "kernel_size=1 must be odd"),
        ({"levels": 1}, "levels"),
        ({"conditional": True}, "requires y"),
        ({"dropout": 1.0}, "dropout"),
    ],
)
def test_bad_arguments(given, says, rng):
    with pytest.raises(ValueError, match=says):
        lowdim.PixelCNN(**{**SMALL, **given}).fit(rng.integers(0, 2, size=(20, 16)).astype(float))


def test_bad_rows(rng):
    model = lowdim.PixelCNN((4, 4), **{**SMALL, "max_iter": 1}).fit(stripes(rng))
    with pytest.raises(ValueError, match=r"Column 0 holds 2, which is none of the 2 values"):
        model.score(np.full((2, 16), 2.0))
    with pytest.raises(ValueError, match=r"y=3 was given"):
        model.sample(2, y=3)
    with pytest.raises(ValueError, match=r"n_samples=0"):
        model.impute(stripes(rng), n_samples=0)
