import numpy as np
import pytest
from PIL import Image

import lowdim
from lowdim.cli.compress import compressed_lines
from tests.cli.pictures import saved


def test_a_file_that_can_be_loaded(run, tmp_path):
    x = saved(tmp_path)
    said = run("compress", "x.png", "-o", "x.lowdim", "--psnr", "36").output
    c = lowdim.load(tmp_path / "x.lowdim")
    assert c.psnr >= 36 and c.reconstruct().shape == x.shape
    assert f"PSNR {c.psnr:.2f} dB" in said and f"{c.nbytes:,}" in said and "written" in said
    assert (tmp_path / "x.lowdim").stat().st_size == c.nbytes
    assert dict(compressed_lines(c))["kept"].endswith("numbers in bior4.4")


@pytest.mark.parametrize(
    "target",
    [
        ["--keep", "5%"],
        ["--size", "2k"],
        ["--epsilon", "30"],
        ["--basis", "svd", "--rank", "3"],
        [],
    ],
)
def test_targets_and_pictures_of_what_is_kept(run, tmp_path, target):
    saved(tmp_path)
    run("compress", "x.png", "-o", "y.png", "--quiet", *target)
    assert np.array(Image.open(tmp_path / "y.png")).shape == (40, 48, 3)


def test_plot_and_page(run, tmp_path):
    saved(tmp_path)
    arguments = ["--reference", "x.png", "--plot", "p.png", "--page", "p.html"]
    assert "reference" in run("compress", "x.png", "-o", "x.lowdim", *arguments).output
    assert (tmp_path / "p.png").stat().st_size > 5000
    assert "slider" in (tmp_path / "p.html").read_text(encoding="utf-8")


def test_bad_input(refused, tmp_path):
    saved(tmp_path)
    (tmp_path / "text.png").write_text("hello")
    (tmp_path / "cut.png").write_bytes((tmp_path / "x.png").read_bytes()[:200])
    assert "is no file" in refused("compress", "none.png", "-o", "y.lowdim")
    assert "is no picture" in refused("compress", "text.png", "-o", "y.lowdim")
    assert "cut off or damaged" in refused("compress", "cut.png", "-o", "y.lowdim")
    assert "same file as PICTURE" in refused("compress", "x.png", "-o", "x.png")
    assert "two targets" in refused("compress", "x.png", "-o", "y.lowdim", "--psnr", 3, "--keep", 9)
    assert "is not known" in refused("compress", "x.png", "-o", "y.lowdim", "--basis", "w")
    assert "ending '.gif'" in refused("compress", "x.png", "-o", "y.gif")
    assert not (tmp_path / "y.lowdim").exists()
