import numpy as np

import lowdim
from lowdim.sparse.compression import plan as plans
from lowdim.sparse.compression.bands import cut_blocks
from lowdim.sparse.compression.learnt_blocks import with_components
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
