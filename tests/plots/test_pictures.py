"""Components as pictures."""

import numpy as np
import pytest

from lowdim import plots
from tests.plots.reading import texts


def canvas(ax):
    return np.asarray(ax.images[0].get_array())


def test_each_component_is_a_picture_of_its_own_scale(rng):
    C = rng.random((6, 12)) + 0.5
    C[2] *= 100.0
    ax = plots.parts(C, (3, 4))
    image = canvas(ax)
    greys = [((c / c.max()) * 255).astype(int).max() for c in C]
    assert greys == [255] * 6
    # all pixels of the third are as bright as if it were not a hundred times as large
    C[2] /= 100.0
    np.testing.assert_array_equal(canvas(plots.parts(C, (3, 4))), image)


def test_zero_is_black_where_nothing_is_negative_and_white_where_something_is():
    image = canvas(plots.parts([[0.0, 1.0, 0.0, 0.0]], (2, 2)))
    assert (image.sum(axis=2) == 0).sum() == 3
    image = canvas(plots.parts([[0.0, 1.0, -1.0, 0.0]], (2, 2)))
    assert (image.sum(axis=2) == 0).sum() == 0
    reds, blues = image[..., 0] - image[..., 2] > 0.2, image[..., 2] - image[..., 0] > 0.2
    assert reds.sum() == blues.sum() == 1


def test_the_mean_comes_first_and_values_stand_above(rng):
    ax = plots.parts(rng.normal(size=(3, 4)), (2, 2), mean=np.arange(4.0), values=[0.5, 0.25, 0.1])
    assert texts(ax) == ["mean", "0.5", "0.25", "0.1"]


def test_colours_are_shown_as_they_are(rng):
    C = rng.random((2, 12))
    image = canvas(plots.parts(C, (2, 2, 3)))
    tile = (C[0] / C[0].max()).reshape(2, 2, 3)
    places = np.argwhere((image < 1).any(axis=2))
    top, left = places.min(axis=0)
    np.testing.assert_allclose(image[top : top + 2, left : left + 2], tile)


def test_of_many_components_the_first_hundred_are_drawn(rng):
    assert plots.parts(rng.random((120, 4)), (2, 2)).get_title(loc="left") == "100 of 120"


def test_a_shape_that_does_not_fit_is_refused():
    with pytest.raises(ValueError, match=r"has 2 x 3 = 6 pixels, and components has 4 columns"):
        plots.parts(np.ones((2, 4)), (2, 3))
    for shape in (4, (2, 2, 4), (0, 4), (2, 2, 1, 1)):
        with pytest.raises(ValueError, match="is not that of an image"):
            plots.parts(np.ones((2, 4)), shape)
    with pytest.raises(ValueError, match="mean has 3 entries where 4 are needed"):
        plots.parts(np.ones((2, 4)), (2, 2), mean=np.ones(3))
