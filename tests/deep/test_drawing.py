"""`plot` of networks that code rows."""

import numpy as np
import pytest
from matplotlib.figure import Figure

import lowdim
from tests.plots.reading import texts

pytest.importorskip("torch")


@pytest.fixture(scope="module")
def images():
    random = np.random.default_rng(0)
    return random.random((40, 2)) @ random.random((2, 16))


@pytest.fixture(scope="module")
def vae(images):
    return lowdim.VAE(2, hidden=(8,), max_iter=6, early_stopping=True, random_state=0).fit(images)


@pytest.fixture
def ax():
    return Figure().subplots()


def test_the_loss_of_both_kinds_of_rows_is_drawn(vae, images, ax):
    assert vae.plot(ax=ax) is ax
    both, best = ax.lines[:2], int(np.argmin(vae.validation_history_))
    np.testing.assert_array_equal(both[0].get_ydata(), vae.history_)
    np.testing.assert_array_equal(both[1].get_ydata(), vae.validation_history_)
    assert f"in pass {best + 1}" in ax.get_title(loc="left")
    alone = Figure().subplots()
    lowdim.Autoencoder(1, hidden=(4,), max_iter=2, random_state=0).fit(images).plot(ax=alone)
    assert len(alone.lines) == 1 and "after 2 passes" in alone.get_title(loc="left")


def test_reconstructions_are_those_of_the_model(vae, images, ax):
    vae.plot("reconstructions", images, n=5, ax=ax)
    X = images[:5]
    error = np.mean((X - vae.inverse_transform(vae.transform(X))) ** 2)
    assert ax.get_title(loc="left") == f"mean squared error {error:.3g}"
    assert np.asarray(ax.images[0].get_array()).shape[1] == 5 * 4 + 4  # 16 columns: 4 x 4


def test_the_plane_is_decoded_codes(vae, ax):
    vae.plot("plane", n=3, ax=ax)
    drawn = np.asarray(ax.images[0].get_array())[:, :, 0]
    assert drawn.shape == (12, 12)
    codes = [[a, b] for b in (2, 0, -2) for a in (-2, 0, 2)]  # from the top down
    rows = vae.inverse_transform(np.array(codes, dtype=float))
    scaled = (rows - rows.min()) / (rows.max() - rows.min())
    np.testing.assert_allclose(drawn[:4, 8:], scaled[2].reshape(4, 4), atol=1e-5)
    assert texts(ax)[:3] == ["2", "0", "-2"]


def test_planes_and_traversals_go_as_far_as_the_codes_of_x(vae, images, ax):
    Z = vae.transform(images)
    vae.plot("plane", images, n=2, ax=ax)
    low = np.quantile(Z[:, 0], 0.025)
    assert f"{low:.3g}" in texts(ax)
    other = Figure().subplots()
    vae.plot("traversals", images, n=3, ax=other)
    assert texts(other) == ["code 1", "code 2", "2.5", "50", "97.5"]
    assert "percentile" in other.get_title(loc="left")


def test_filled_rows_are_those_of_the_model(vae, images, ax):
    X = images[:4].copy()
    X[:, :8] = np.nan
    vae.plot("filled", X, truth=images, ax=ax)
    error = np.sqrt(np.mean((vae.impute(X) - images[:4])[:, :8] ** 2))
    assert f"50 % missing; filled to {error:.3g}" in ax.get_title(loc="left")


def test_rows_that_are_no_images_are_curves(ax):
    X = np.random.default_rng(0).normal(size=(30, 5))
    model = lowdim.Autoencoder(3, hidden=(4,), max_iter=2, random_state=0).fit(X)
    model.plot("traversals", X, n=4, ax=ax)
    assert not ax.images and texts(ax)[:3] == ["code 1", "code 2", "code 3"]
    with pytest.raises(ValueError, match="needs codes of two numbers, and these have 3"):
        model.plot("plane")


def test_what_does_not_fit_is_refused(vae, images):
    with pytest.raises(ValueError, match="kind='map'"):
        vae.plot("map")
    for kind in ("reconstructions", "filled"):
        with pytest.raises(ValueError, match=f"kind='{kind}' draws rows; give them as X"):
            vae.plot(kind)
    with pytest.raises(ValueError, match=r"shape=\(3, 5\) is not that of an image of 16 numbers"):
        vae.plot("reconstructions", images, image_shape=(3, 5))
    with pytest.raises(ValueError, match="not fitted"):
        lowdim.VAE(2).plot()


# ---- networks that draw rows ---------------------------------------------------------------------


@pytest.fixture(scope="module")
def flow():
    X = np.random.default_rng(0).normal(size=(30, 2))
    return lowdim.NormalizingFlow(2, hidden=(4,), max_iter=2, random_state=0).fit(X), X


def test_samples_of_two_columns_are_points_and_those_of_more_pictures(flow, images):
    model, X = flow
    loss, points, both = Figure().subplots(1, 3)
    assert model.plot(ax=loss) is loss
    assert np.array_equal(loss.lines[0].get_ydata(), model.history_)
    model.plot("samples", n=9, random_state=3, ax=points)
    offsets = points.collections[0].get_offsets()
    np.testing.assert_allclose(np.sort(offsets, axis=0), np.sort(model.sample(9, 3), axis=0))
    model.plot("samples", X, ax=both)
    assert [text.get_text() for text in both.get_legend().get_texts()] == ["X", "drawn"]
    assert sum(len(part.get_offsets()) for part in both.collections[:2]) == 60
    other = lowdim.NormalizingFlow(1, hidden=(4,), max_iter=1, random_state=0).fit(images)
    for shape in (None, (4, 4)):
        ax = other.plot("samples", n=4, image_shape=shape, ax=Figure().subplots())
        assert len(ax.images) + len(ax.lines) > 0


def test_other_pictures_of_samples_are_refused(flow):
    model, _ = flow
    with pytest.raises(ValueError, match="kind='plane'"):
        model.plot("plane")
    with pytest.raises(ValueError, match="n=0"):
        model.plot("samples", n=0)
