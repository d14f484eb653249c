import numpy as np

import lowdim
from lowdim.sparse.compression import plan as plans
from lowdim.sparse.compression.bands import cut_blocks
from lowdim.sparse.compression.learnt_blocks import first, with_components
from lowdim.sparse.compression.plan import Plan
from lowdim.sparse.pictures.signals import Signal
from tests.sparse.pictures.examples import picture


def test_atoms_are_the_principal_components_of_blocks(rng, monkeypatch):
    x = picture(rng, 64, 128).astype(float)
    pca = lowdim.PCA(n_components=5).fit(cut_blocks(x, 4))
    for tile in (1024, 64):
        monkeypatch.setattr(plans, "TILE", tile)
        (one,) = with_components(Plan(x.shape, "pca", None, 4, "ycc"), Signal(x)).learnt
        assert np.allclose(one.mean, pca.mean_, rtol=1e-6)
        cosines = np.abs(np.sum(one.atoms[:5] * pca.components_, axis=1))
        assert np.allclose(cosines, 1, atol=1e-5)


def test_rounded_atoms_are_orthonormal_and_span_nearly_the_same(rng):
    x = picture(rng, 64, 128).astype(float)
    plan = Plan(x.shape, "pca", None, 4, "ycc")
    (exact,) = with_components(plan, Signal(x)).learnt
    (one,) = with_components(plan, Signal(x), rounded=True).learnt
    assert np.allclose(one.atoms @ one.atoms.T, np.eye(16), atol=1e-12)
    P = cut_blocks(x, 4) - exact.mean
    for k in (1, 3, 8):
        kept = [np.sum((P @ a[:k].T) ** 2) for a in (exact.atoms, one.atoms)]
        assert kept[1] == np.clip(kept[1], 0.999 * kept[0], 1.0001 * kept[0])
        assert np.allclose(first(one, k, 4).atoms, one.atoms[:k], atol=1e-12)
    assert np.abs(one.mean - exact.mean).max() < 1.0
    assert min(one.rounded.bits) < max(one.rounded.bits)  # weak components take fewer


def test_a_flat_picture_has_components_too():
    x = np.full((16, 16), 7.0)
    (one,) = with_components(Plan(x.shape, "pca", None, 4, "ycc"), Signal(x), rounded=True).learnt
    assert np.allclose(one.atoms @ one.atoms.T, np.eye(16), atol=1e-12)
    assert np.array_equal(lowdim.compress(x.astype(np.uint8), "pca", psnr=40.0).reconstruct(), x)
