import numpy as np
import pytest
from PIL import Image

from tests.cli.pictures import saved


@pytest.mark.parametrize("channels", [1, 3, 4])
def test_added_noise_is_taken_out(run, tmp_path, channels):
    x = saved(tmp_path, channels=channels)
    said = run("denoise", "x.png", "-o", "y.png", "--add-noise", "20", "--sigma", "20").output
    values = [
        float(line.split("PSNR ")[1].split()[0]) for line in said.splitlines() if "PSNR" in line
    ]
    assert values[1] > values[0] + 2
    y = np.array(Image.open(tmp_path / "y.png"))
    assert y.shape == x.shape
    if channels == 4:
        assert np.array_equal(y[..., 3], x[..., 3])


def test_plot_and_page_with_atoms(run, tmp_path):
    saved(tmp_path)
    run("denoise", "x.png", "-o", "y.png", "--plot", "p.png", "--page", "p.html", "--add-noise", 9)
    assert "The atoms" in (tmp_path / "p.html").read_text(encoding="utf-8")
    assert (tmp_path / "p.png").exists()


def test_bad_input(refused, tmp_path):
    saved(tmp_path)
    assert "sigma=-1" in refused("denoise", "x.png", "-o", "y.png", "--sigma", "-1")
    assert "same file" in refused("denoise", "x.png", "-o", "x.png")
    np.save(tmp_path / "nan.npy", np.full((20, 20), np.nan))
    assert "lowdim.inpaint" in refused("denoise", "nan.npy", "-o", "y.npy")
    saved(tmp_path, "a.png", channels=4)
    assert "no alpha" in refused("denoise", "a.png", "-o", "y.jpg")
