import numpy as np
from PIL import Image

import lowdim
from tests.cli.pictures import saved


def test_the_picture_again(run, tmp_path):
    x = saved(tmp_path)
    c = lowdim.compress(x, psnr=40.0)
    c.save(tmp_path / "x.lowdim")
    said = run("decompress", "x.lowdim", "-o", "y.png", "--reference", "x.png").output
    assert np.array_equal(np.array(Image.open(tmp_path / "y.png")), c.reconstruct())
    assert f"PSNR {c.psnr:.2f} dB" in said


def test_bad_input(refused, tmp_path):
    (tmp_path / "x.lowdim").write_bytes(b"PK")
    assert "cannot load" in refused("decompress", "x.lowdim", "-o", "y.png")
    lowdim.PCA().fit(np.eye(3)).save(tmp_path / "pca.lowdim")
    assert "holds a PCA" in refused("decompress", "pca.lowdim", "-o", "y.png")
    assert "No such file" in refused("decompress", "no.lowdim", "-o", "y.png")
