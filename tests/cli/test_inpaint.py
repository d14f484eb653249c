import numpy as np
import pytest
from PIL import Image

from lowdim.cli.inpaint import color_of, known_pixels, without
from tests.cli.pictures import saved


def test_added_holes_are_filled(run, tmp_path):
    x = saved(tmp_path)
    said = run("inpaint", "x.png", "-o", "y.png", "--add-holes", ".5", "--page", "p.html").output
    assert "PSNR" in said and "pixels (" in said
    assert np.array(Image.open(tmp_path / "y.png")).shape == x.shape
    assert "pixels filled" in (tmp_path / "p.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("how", ["mask", "color", "alpha"])
def test_holes_are_found(run, tmp_path, how):
    x = saved(tmp_path, channels=4 if how == "alpha" else 3)
    hole = np.zeros(x.shape[:2], bool)
    hole[10:14, 10:30] = True
    x[hole] = [255, 0, 255, 0][: x.shape[2]]
    if how == "alpha":
        x[~hole, 3] = 255
    Image.fromarray(x).save(tmp_path / "x.png")
    Image.fromarray((255 * hole).astype(np.uint8)).save(tmp_path / "m.png")
    option = {"mask": ["--holes", "m.png"], "color": ["--color", "#f0f"], "alpha": []}[how]
    run("inpaint", "x.png", "-o", "y.png", *option)
    y = np.array(Image.open(tmp_path / "y.png"))
    assert np.array_equal(y[~hole], x[~hole])
    assert (y[hole][:, 1] > 50).all()
    if how == "alpha":
        assert (y[..., 3] == 255).all()


def test_which_pixels_are_known():
    x = np.zeros((2, 3), np.uint8)
    mask = np.array([[0, 255, 0], [0, 0, 1]], np.uint8)
    assert known_pixels(x, mask, None).tolist() == [[True, False, True], [True, True, False]]
    assert not known_pixels(x, None, "#000").any()
    assert color_of("#0102ff", np.zeros((1, 1, 3), np.uint16)).tolist() == [257, 514, 65535]
    assert without(x, mask == 0).tolist() == [[0, 255, 0], [0, 0, 255]]


def test_bad_input(refused, tmp_path):
    saved(tmp_path)
    saved(tmp_path, "grey.png", channels=1)
    Image.fromarray(np.zeros((3, 3), np.uint8)).save(tmp_path / "m.png")
    assert "no missing pixels" in refused("inpaint", "x.png", "-o", "y.png")
    assert "no colour" in refused("inpaint", "x.png", "-o", "y.png", "--color", "red")
    assert "is no grey" in refused("inpaint", "grey.png", "-o", "y.png", "--color", "#f00")
    x = np.full((40, 48, 3), 9, np.uint8)
    x[3, 4:6] = [250, 3, 255]
    Image.fromarray(x).save(tmp_path / "near.png")
    said = refused("inpaint", "near.png", "-o", "y.png", "--color", "#ff00ff")
    assert "no pixel has this colour. The nearest is #fa03ff (2 pixels); give that one" in said
    Image.fromarray(x[..., 0]).save(tmp_path / "near.png")
    said = refused("inpaint", "near.png", "-o", "y.png", "--color", "#fff")
    assert "The nearest is #fafafa (2 pixels)" in said
    assert "--holes has" in refused("inpaint", "x.png", "-o", "y.png", "--holes", "m.png")
    Image.fromarray(np.full((40, 48), 255, np.uint8)).save(tmp_path / "all.png")
    assert "no observed pixel" in refused("inpaint", "x.png", "-o", "y.png", "--holes", "all.png")
