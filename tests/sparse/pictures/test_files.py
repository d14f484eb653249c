import io
import struct
import zlib

import numpy as np
import pytest
from PIL import Image

from lowdim.sparse.pictures.files import check_writable, deep_png, read_picture, write_picture
from tests.sparse.pictures.examples import picture


@pytest.mark.parametrize("suffix", [".png", ".tif", ".webp", ".npy"])
@pytest.mark.parametrize("channels", [None, 3, 4])
def test_pictures_come_back(rng, tmp_path, suffix, channels):
    x = picture(rng, channels=channels)
    path = tmp_path / f"x{suffix}"
    write_picture(path, x)
    again = read_picture(path)
    if suffix == ".webp":  # lossy, and in colour
        again = again[..., 0] if channels is None else again
        assert np.abs(again - x.astype(float)).mean() < 6
    else:
        assert again.dtype == x.dtype and np.array_equal(again, x)


@pytest.mark.parametrize("channels", [1, 3, 4])
def test_sixteen_bits_survive(rng, tmp_path, channels):
    x = rng.integers(0, 65536, (9, 7, channels), dtype=np.uint16)
    write_picture(tmp_path / "x.png", x)
    again = read_picture(tmp_path / "x.png")
    assert again.dtype == np.uint16
    assert np.array_equal(again.reshape(x.shape), x)


def test_deep_tiffs(rng, tmp_path):
    tifffile = pytest.importorskip("tifffile")
    x = rng.integers(0, 65536, (9, 7, 3), dtype=np.uint16)
    for order in "<>":
        tifffile.imwrite(tmp_path / "x.tif", x, photometric="rgb", byteorder=order)
        assert np.array_equal(read_picture(tmp_path / "x.tif"), x)
    write_picture(tmp_path / "y.tif", x[..., 0])
    assert np.array_equal(read_picture(tmp_path / "y.tif"), x[..., 0])


@pytest.mark.parametrize("orientation", range(1, 9))
def test_rotations_of_cameras(rng, tmp_path, orientation):
    x = rng.integers(0, 256, (5, 8, 3), dtype=np.uint8)
    exif = Image.Exif()
    exif[0x0112] = orientation
    Image.fromarray(x).save(tmp_path / "x.png", exif=exif)
    found = read_picture(tmp_path / "x.png")
    from PIL import ImageOps

    expected = np.array(ImageOps.exif_transpose(Image.open(tmp_path / "x.png")))
    assert np.array_equal(found, expected)
    deep = Image.open(io.BytesIO(deep_png(x.astype(np.uint16) * 257)))
    deep_file = tmp_path / "deep.png"
    deep_file.write_bytes(_with_exif(deep_png(x.astype(np.uint16) * 257), exif))
    assert deep.mode == "RGB"
    assert np.array_equal(read_picture(deep_file), expected.astype(np.uint16) * 257)


def _with_exif(png, exif):
    content = exif.tobytes().removeprefix(b"Exif\0\0")
    chunk = struct.pack(">I", len(content)) + b"eXIf" + content
    chunk += struct.pack(">I", zlib.crc32(b"eXIf" + content))
    return png[:33] + chunk + png[33:]


@pytest.mark.parametrize("mode", ["1", "P", "CMYK", "LA", "I", "YCbCr"])
def test_other_kinds_of_pixels(rng, tmp_path, mode):
    image = Image.fromarray(picture(rng, channels=3)).convert("L" if mode in ("I",) else "RGB")
    image = image.convert("L").convert("I") if mode == "I" else image.convert(mode)
    path = tmp_path / ("x.tif" if mode in ("CMYK", "YCbCr", "I") else "x.png")
    image.save(path)
    x = read_picture(path)
    assert x.shape[:2] == (40, 56) and x.dtype.kind == "u"


def test_what_is_no_picture(tmp_path):
    path = tmp_path / "x.png"
    with pytest.raises(ValueError, match="is no file"):
        read_picture(path)
    path.write_text("hello")
    with pytest.raises(ValueError, match="is no picture"):
        read_picture(path)
    write_picture(path, np.random.default_rng(0).integers(0, 256, (50, 50), dtype=np.uint8))
    path.write_bytes(path.read_bytes()[:800])
    with pytest.raises(ValueError, match="cut off or damaged"):
        read_picture(path)
    (tmp_path / "x.npy").write_bytes(b"\x93NUMPY")
    with pytest.raises(ValueError, match=r"no .npy file"):
        read_picture(tmp_path / "x.npy")


def test_a_header_of_gigapixels(tmp_path):
    small = bytearray(deep_png(np.zeros((2, 2, 1), np.uint16)))
    small[16:24] = struct.pack(">II", 60000, 60000)
    small[29:33] = struct.pack(">I", zlib.crc32(small[12:29]))
    (tmp_path / "x.png").write_bytes(small)
    with pytest.raises(ValueError, match="60000 x 60000 = 3,600,000,000 pixels"):
        read_picture(tmp_path / "x.png")


def test_what_cannot_be_written(rng, tmp_path):
    cases = [
        ("x.gif", picture(rng), "ending '.gif'"),
        ("x.jpg", picture(rng, channels=4), "no alpha"),
        ("x.jpg", picture(rng, dtype=np.uint16), "or .png"),
        ("x.png", np.zeros((3, 3)), "write .npy"),
        ("x.png", np.zeros(3, np.uint8), "write .npy"),
    ]
    for name, values, message in cases:
        with pytest.raises(ValueError, match=message):
            check_writable(tmp_path / name, values)
        with pytest.raises(ValueError, match=message):
            write_picture(tmp_path / name, values)
        assert not (tmp_path / name).exists()
