"""`lowdim generate` of images: a wall, arrays, a page, a model to draw more from."""

import numpy as np
import pytest
from PIL import Image

from lowdim.cli import generated_images
from lowdim.cli.generated_images import _best, holds_images, read_images


@pytest.fixture
def images(tmp_path, rng, monkeypatch):
    pytest.importorskip("torch")
    monkeypatch.setattr(generated_images, "STEPS", dict.fromkeys(generated_images.STEPS, 10))
    X = np.zeros((40, 6, 5), dtype=np.uint8)
    X[np.arange(40), rng.integers(6, size=40)] = 9  # a bright line
    np.savez(tmp_path / "i.npz", labels=np.arange(40), pictures=X)
    np.save(tmp_path / "rows.npy", X.reshape(40, 30).astype(np.float32) / 9)
    return X


@pytest.mark.parametrize("method", generated_images.METHODS)
def test_arrays_have_the_shape_type_and_range_of_the_images(run, images, method, tmp_path):
    run("generate", "i.npz", "--method", method, "-n", 12, "-o", "s.npz", "-q")
    drawn = np.load(tmp_path / "s.npz")["images"]
    assert drawn.shape == (12, 6, 5) and drawn.dtype == np.uint8 and drawn.max() <= 9


def test_a_wall_a_page_and_a_model(run, images, tmp_path):
    files = ("-o", "w.png", "--page", "p.html", "--model", "m.lowdim")
    said = run("generate", "i.npz", "-n", 16, *files).stdout
    assert "images   i.npz: 40 of 6x5 pixels" in said and "method   PixelCNN" in said
    with Image.open(tmp_path / "w.png") as wall:
        assert wall.width > 1.6 * wall.height  # drawn and real ones beside each other
    assert '<section id="walls"' in (tmp_path / "p.html").read_text()
    run("generate", "m.lowdim", "-n", 4, "-o", "more.npy", "-q")
    assert np.load(tmp_path / "more.npy").shape == (4, 6, 5)


def test_rows_are_images_if_a_shape_is_given(run, images, tmp_path):
    run("generate", "rows.npy", "--image-shape", "6x5", "-n", 3, "-o", "s.npy", "-q")
    drawn = np.load(tmp_path / "s.npy")
    assert drawn.shape == (3, 6, 5) and drawn.dtype == np.float32 and 0 <= drawn.min()
    assert not holds_images("rows.npy", None) and holds_images("i.npz", None)


def test_the_largest_array_is_read(images, tmp_path):
    found = read_images(str(tmp_path / "i.npz"), None)
    assert found.shape == (6, 5)
    np.testing.assert_array_equal(found.X, images.reshape(40, 30))


def test_few_levels_are_drawn_pixel_by_pixel(images, rng):
    assert _best(images.reshape(40, 30)) == "pixelcnn"
    assert _best(rng.normal(size=(40, 30))) == "diffusion"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["rows.npy", "--image-shape", "6x6"], "images of 30 numbers are not 6x6"),
        (["rows.npy", "--image-shape", "six"], "'six' is not the shape of an image"),
        (["i.npz", "--method", "ppca"], "--method ppca goes with a table; for images:"),
        (["i.npz", "--prompt", "a"], "go with a text"),
        (["i.npz", "-o", "s.csv"], "s.csv"),
        (["i.npz", "-o", "i.npz"], "i.npz"),
        (["i.npz", "--holes"], "--holes goes with a table, not with images"),
        (["rows.npy", "--method", "pixelcnn"], "--method pixelcnn goes with images"),
    ],
)
def test_bad_options_are_named(refused, images, options, words):
    assert words in refused("generate", *options)


@pytest.mark.parametrize("name", ["damaged.npz", "damaged.npy"])
@pytest.mark.parametrize("options", [[], ["--image-shape", "6x5"]])
def test_damaged_files_are_named(refused, tmp_path, name, options):
    (tmp_path / name).write_bytes(b"not an array, and long enough to be taken for one" * 9)
    said = refused("generate", name, "-o", "w.png", *options)
    assert name in said and "allow_pickle" not in said
