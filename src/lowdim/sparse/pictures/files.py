"""Pictures in files: JPEG, PNG, TIFF, WebP and others that Pillow reads, and .npy.

What a file holds stays: 16 bits, alpha, and the rotation that a camera wrote down. Sizes are read
before pixels are: a header that promises more than there is room for is refused.
"""

from __future__ import annotations

import os
import struct
import warnings
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from lowdim.core.atomic import replacing

MOST_PIXELS = 500_000_000
WRITTEN = {
    ".png": "PNG",
    ".jpg": "JPEG",
    ".jpeg": "JPEG",
    ".tif": "TIFF",
    ".tiff": "TIFF",
    ".webp": "WEBP",
}
AS_THEY_ARE = ("L", "LA", "RGB", "RGBA", "I;16", "I;16B", "I;16L", "F")
COLOR_TYPES = {1: 0, 2: 4, 3: 2, 4: 6}  # of PNG, by channels


def read_picture(path: str | os.PathLike[str]) -> np.ndarray:
    """(h, w) or (h, w, c), in the type that the file has."""
    name = os.fspath(path)
    if not Path(name).is_file():
        raise ValueError(f"{name} is no file; give a picture (JPEG, PNG, TIFF, WebP or .npy).")
    if name.lower().endswith(".npy"):
        return _read_array(name)
    try:
        with _any_size(), _pillow().open(name) as image:
            w, h = image.size
            if w * h > MOST_PIXELS:
                raise ValueError(
                    f"{name} says that it has {w} x {h} = {w * h:,} pixels; at most "
                    f"{MOST_PIXELS:,} are read. Cut it into parts."
                )
            return _pixels(image, name)
    except (OSError, SyntaxError, zlib.error, struct.error) as error:
        from PIL import UnidentifiedImageError

        if isinstance(error, UnidentifiedImageError):
            raise ValueError(
                f"{name} is no picture that Pillow knows; give JPEG, PNG, TIFF, WebP or .npy."
            ) from error
        raise ValueError(f"{name} cannot be read: it is cut off or damaged ({error}).") from error


def _read_array(name: str) -> np.ndarray:
    try:
        held = np.load(name, mmap_mode="r", allow_pickle=False)
    except (ValueError, EOFError, OSError) as error:
        raise ValueError(f"{name} is no .npy file of numbers, or is cut off ({error}).") from error
    if held.size > 4 * MOST_PIXELS:
        raise ValueError(f"{name} has {held.size:,} numbers; at most {4 * MOST_PIXELS:,} are read.")
    return np.array(held)


def _pixels(image: Any, name: str) -> np.ndarray:
    from PIL import ImageOps

    if _is_deep(image):
        array = _deep_pixels(image, name)
        turned = image.getexif().get(0x0112, 1)
        return _turned(array, turned)
    image = ImageOps.exif_transpose(image)
    if image.mode == "1":
        image = image.convert("L")
    elif image.mode in ("P", "PA"):
        clear = "transparency" in image.info or image.mode == "PA"
        image = image.convert("RGBA" if clear else "RGB")
    elif image.mode == "I":
        return _whole_numbers(np.array(image))
    elif image.mode not in AS_THEY_ARE:
        image = image.convert("RGB")
    array = np.array(image)
    return array.astype(array.dtype.newbyteorder("=")) if array.dtype.itemsize > 1 else array


def _whole_numbers(array: np.ndarray) -> np.ndarray:
    fits = array.min() >= 0 and array.max() <= 65535
    return array.astype(np.uint16) if fits else array


def _is_deep(image: Any) -> bool:
    """Whether its tiles hold colours of 16 bits, of which Pillow would give the upper 8."""
    return (
        bool(image.tile)
        and all(";16" in _mode(tile) for tile in image.tile)
        and (image.mode in ("RGB", "RGBA"))
    )


def _mode(tile: Any) -> str:
    args = tile.args if hasattr(tile, "args") else tile[3]
    return args if isinstance(args, str) else str(args[0]) if args else ""


def _deep_pixels(image: Any, name: str) -> np.ndarray:
    """16 bits: Pillow gives the upper bytes, and, told that bytes are swapped, the lower ones."""
    if _mode(image.tile[0]).startswith("LA"):
        raise ValueError(
            f"{name} is grey with alpha in 16 bits, which is not read; use 16 bit RGBA."
        )
    with _any_size(), _pillow().open(name) as other:
        other.tile = [tile._replace(args=_swapped(tile.args)) for tile in other.tile]
        low = np.array(other)
    return np.array(image).astype(np.uint16) * np.uint16(256) + low


def _swapped(args: Any) -> Any:
    if not isinstance(args, str):
        return (_swapped(args[0]), *args[1:])
    return args[:-1] + {"B": "L", "L": "B"}[args[-1]]


def _turned(array: np.ndarray, orientation: int) -> np.ndarray:
    """As EXIF says: 2 mirrored, 3 upside down, 6 and 8 on its side, and mixtures."""
    if orientation in (5, 6, 7, 8):
        array = array.swapaxes(0, 1)
    if orientation in (2, 3, 6, 7):
        array = array[:, ::-1]
    if orientation in (3, 4, 7, 8):
        array = array[::-1]
    return np.ascontiguousarray(array)


@contextmanager
def _any_size() -> Iterator[None]:
    """Pillow's own limit is less than a large photograph."""
    image = _pillow()
    before, image.MAX_IMAGE_PIXELS = image.MAX_IMAGE_PIXELS, None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        image.MAX_IMAGE_PIXELS = before


# ---- writing -------------------------------------------------------------------------------------


def check_writable(path: str | os.PathLike[str], values: np.ndarray | None = None) -> None:
    """The kind of file is known, and can hold a picture of this type."""
    name = os.fspath(path)
    suffix = Path(name).suffix.lower()
    if suffix == ".npy":
        return
    if suffix not in WRITTEN:
        raise ValueError(
            f"{name} has the ending {suffix!r}; a picture can be written to "
            f"{', '.join([*WRITTEN, '.npy'])}."
        )
    if values is None:
        return
    channels = values.shape[2] if values.ndim == 3 else 1
    if suffix in (".jpg", ".jpeg") and channels in (2, 4):
        raise ValueError(f"{name}: JPEG has no alpha, which the picture has; write .png.")
    plain = values.dtype == np.uint8 and values.ndim > 1
    deep = values.dtype == np.uint16 and (
        suffix == ".png" or (channels == 1 and suffix in (".tif", ".tiff"))
    )
    real = values.dtype == np.float32 and channels == 1 and suffix in (".tif", ".tiff")
    if not (plain or (deep and values.ndim > 1) or real):
        raise ValueError(
            f"{name} cannot hold numbers of type {values.dtype} in the shape {values.shape}; write "
            ".npy" + (", or .png." if values.dtype == np.uint16 and values.ndim > 1 else ".")
        )


def write_picture(path: str | os.PathLike[str], values: np.ndarray) -> None:
    """Write a picture; the file appears complete or not at all."""
    check_writable(path, values)
    suffix = Path(path).suffix.lower()
    with replacing(path) as file:
        if suffix == ".npy":
            np.lib.format.write_array(file, values, allow_pickle=False)
            return
        flat = values[:, :, 0] if values.ndim == 3 and values.shape[2] == 1 else values
        if flat.dtype == np.uint16 and suffix == ".png":
            file.write(deep_png(values if values.ndim == 3 else values[:, :, None]))
            return
        settings = {"quality": 95} if suffix in (".jpg", ".jpeg", ".webp") else {}
        _pillow().fromarray(flat).save(file, WRITTEN[suffix], **settings)


def deep_png(values: np.ndarray) -> bytes:
    """A PNG with 16 bits for each of 1 to 4 channels, which Pillow cannot write in colour."""
    h, w, c = values.shape
    lines = np.zeros((h, 1 + 2 * w * c), np.uint8)
    rows = values.astype(">u2").view(np.uint8).reshape(h, -1)
    lines[:, 1:] = rows
    lines[1:, 0] = 2  # a line minus the one above
    lines[1:, 1:] -= rows[:-1]

    def chunk(kind: bytes, content: bytes) -> bytes:
        check = zlib.crc32(kind + content)
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", check)

    head = struct.pack(">IIBBBBB", w, h, 16, COLOR_TYPES[c], 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(lines.tobytes(), 6))
        + chunk(b"IEND", b"")
    )


def _pillow() -> Any:
    try:
        from PIL import Image
    except ImportError as error:
        raise ImportError("Pictures need Pillow: pip install 'lowdim[sparse]'.") from error
    return Image
