import numpy as np
import pytest

from lowdim import sparse
from lowdim.sparse.compression import choosing
from lowdim.sparse.compression.choosing import best_for, plan_for
from lowdim.sparse.pictures.signals import Signal
from tests.sparse.pictures.examples import picture


def test_waves_are_sparse_in_cosines_and_steps_in_haar():
    wave = np.cos(np.pi * (np.arange(64) + 0.5) * 5 / 64)
    steps = np.repeat([3.0, 1.0, 4.0, 1.0], 16)
    assert sparse.choose_basis(wave, keep=1)["basis"][0] == "dct"
    table = sparse.choose_basis(steps, epsilon=1e-6)
    assert (table["basis"][0], table["n_kept"][0]) == ("haar", 4)
    assert sparse.choose_basis(np.eye(16), keep=1)["basis"][0] == "identity"


def test_energies_are_those_of_the_coefficients(rng):
    X = rng.normal(size=(5, 32))
    Z = np.sort(sparse.basis("dct", 32).analyze(X) ** 2, axis=1)
    table = sparse.choose_basis(X, "dct", keep=0.25)
    assert table["energy_kept"][0] == pytest.approx(Z[:, -8:].sum() / Z.sum())
    assert table["n_kept"][0] == 40 and table["share"][0] == 0.25


def test_best_first(rng):
    table = sparse.choose_basis([picture(rng), picture(rng, channels=3)], keep=0.05)
    assert len(table) == len(choosing.USUAL)
    assert np.all(np.diff(table["energy_kept"]) <= 1e-12)
    counts = sparse.choose_basis([picture(rng)], epsilon=10.0)["n_kept"]
    assert np.all(np.diff(counts) >= 0)


def test_a_large_picture_is_judged_by_its_middle(rng, monkeypatch):
    monkeypatch.setattr(choosing, "LOOK", 32)
    x = rng.normal(size=(100, 96))
    x[34:66, 32:64] = 0.0
    x[40, [33, 44, 61]] = 9.0
    for target, value in (("keep", 150), ("psnr", 40.0), ("epsilon", 0.01), ("nbytes", 20)):
        assert best_for(Signal(x), target, value, 8) == "identity"


def test_pictures_are_cut_as_compress_does(rng):
    assert plan_for(Signal(np.zeros((50, 50))), "dct").block == 8
    assert plan_for(Signal(np.zeros(50)), "dct").block is None


def test_bad_arguments():
    with pytest.raises(ValueError, match="keep=None and epsilon=None"):
        sparse.choose_basis(np.ones(8))
    with pytest.raises(ValueError, match="keep=2 and epsilon=1"):
        sparse.choose_basis(np.ones(8), keep=2, epsilon=1)
    with pytest.raises(ValueError, match="'svd', which is not known"):
        sparse.choose_basis(np.ones(8), ["svd"], keep=2)
    with pytest.raises(ValueError, match="keep=9 is more than the 8"):
        sparse.choose_basis(np.ones(8), keep=9)
