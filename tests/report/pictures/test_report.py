import numpy as np
import pytest

import lowdim


def test_facts_of_each_kind(rng, tmp_path):
    x = rng.integers(0, 256, (24, 24, 3), dtype=np.uint8)
    c = lowdim.compress(x, psnr=30.0)
    made = lowdim.picture_page(x, c.reconstruct(), name="in/x.png", compressed=c)
    assert made.facts["bytes"] == f"{c.nbytes:,}" and made.name == "x.png"
    assert "lowdim.compress(x, 'bior4.4', psnr=" in made.script
    d = lowdim.denoise(x, method="ksvd", n_components=16, random_state=0)
    made = lowdim.picture_page(x, d.image, denoised=d, clean=x)
    assert made.atoms.shape == (16, 8, 8) and made.facts["PSNR before"] == "inf dB"
    known = np.ones((24, 24), bool)
    known[0, 0] = False
    made = lowdim.picture_page(x, x, observed=known)
    assert made.facts["pixels filled"] == "1" and "filled" in repr(made)
    made.save(tmp_path / "p.html")
    assert (tmp_path / "p.html").read_text(encoding="utf-8") == made.html


def test_pictures_of_two_shapes():
    with pytest.raises(ValueError, match="of one shape"):
        lowdim.picture_page(np.zeros((3, 3)), np.zeros((3, 4)))
