"""Every measure has a sentence."""

import numpy as np

import lowdim
from lowdim.report.generate.measures import OF_COLUMNS, SENTENCES, lines_of
from lowdim.selection.samples.judging import SAYS


def test_all_measures_are_said(rng):
    assert set(SENTENCES) == set(SAYS)
    X = np.column_stack([rng.normal(size=60), rng.integers(3, size=60)])
    quality = lowdim.sample_quality(X, X[::-1], held_out=X, random_state=0)
    assert [line[0] for line in lines_of(quality)] == list(SAYS)
    of_pictures = lines_of(quality, "picture")
    assert not {line[0] for line in of_pictures} & set(OF_COLUMNS)
    assert not any("row" in line[3] for line in of_pictures)


def test_chance_and_difference_are_told_apart():
    assert "hardly more than by chance" in SENTENCES["c2st"](0.51)
    assert "most of them" in SENTENCES["c2st"](0.9)
    assert "no accident" in SENTENCES["energy_p"](0.01)
