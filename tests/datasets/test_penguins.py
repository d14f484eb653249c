"""The bundled data sets: facts about them that their publishers state."""

import numpy as np
import pytest

from lowdim.datasets import load_penguins


def test_penguins_have_the_published_counts_of_species():
    table = load_penguins()
    counts = dict(zip(table.target_names, np.bincount(table.target).tolist(), strict=True))
    # palmerpenguins, README: 344 penguins, 3 species
    assert counts == {"Adelie": 152, "Chinstrap": 68, "Gentoo": 124}


def test_penguins_have_the_published_means_of_what_was_observed():
    table = load_penguins()
    means = dict(zip(table.feature_names, np.nanmean(table.X, axis=0), strict=True))
    # palmerpenguins, README, summary(penguins): rounded there as here
    assert round(means["bill_length_mm"], 2) == 43.92
    assert round(means["bill_depth_mm"], 2) == 17.15
    assert round(means["flipper_length_mm"], 1) == 200.9
    assert round(means["body_mass_g"]) == 4202
    # 168 males and 165 females
    assert means["male"] == pytest.approx(168 / 333, rel=1e-15)


def test_penguins_miss_what_was_never_measured():
    X = load_penguins().X
    assert np.isnan(X).sum(axis=0).tolist() == [2, 2, 2, 2, 11]
    assert np.isnan(X).all(axis=1).sum() == 2


def test_penguins_come_fresh_with_every_call():
    first = load_penguins()
    first.X[:] = 0
    assert np.nanmax(load_penguins().X) == 6300


def test_penguins_are_plain_arrays_and_lists():
    table = load_penguins()
    assert table.X.dtype == np.float64
    assert table.X.shape == (344, len(table.feature_names)) == (344, 5)
    assert table.target.shape == (344,)
    assert isinstance(table.target_names[0], str)
