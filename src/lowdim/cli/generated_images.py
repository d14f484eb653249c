"""`lowdim generate` of images: a network learns what they look like, and draws more of them.

auto: of small images with few levels PixelCNN, of others Diffusion. One run each on 1797 digits of
8 x 8 pixels with 17 levels: a discriminator told 0.54 of PixelCNN's images right (600 steps), 0.71
of Diffusion's (dense layers, 1500 steps of 128) and 0.80 of VAE's, after 29, 19 and 5 s of
processor time. On 4000 digits of 28 x 28 pixels Diffusion of dense layers covers 0.70 of the real
images, VAE 0.43; all of them are told from real ones nearly always. A U-Net was not done after ten
minutes; PixelCNN was not tried there.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

import click

if TYPE_CHECKING:
    import numpy as np

    from lowdim.cli.table_verb import TableRequest

ARRAYS, PICTURES = (".npz", ".npy"), (".png", ".jpg", ".jpeg", ".webp", ".tif", ".tiff", ".bmp")
COUNT = 64  # images that are drawn
MOST_ROWS = 20_000  # images that are learned from: more do not change what so many steps learn
STEPS = {"diffusion": 1500, "vae": 1500, "gan": 1500, "pixelcnn": 800}
BATCH = {"diffusion": 64, "vae": 64, "gan": 64, "pixelcnn": 32}
METHODS = tuple(STEPS)
FEW_PIXELS, FEW_LEVELS = 400, 32  # of images that auto draws pixel by pixel
LEVEL_ROWS = 1000  # in which levels are counted
LEAST = 10


class Shape(click.ParamType):
    """The shape of an image: 28x28, or 32x32x3."""

    name = "shape"

    def convert(self, value: Any, param: Any, ctx: Any) -> tuple[int, ...]:
        if isinstance(value, tuple):
            return value
        parts = value.lower().replace(",", "x").split("x")
        if len(parts) not in (2, 3) or not all(p.strip().isdigit() and int(p) for p in parts):
            self.fail(
                f"{value!r} is not the shape of an image: height x width, such as 28x28, or height "
                "x width x colours, such as 32x32x3.",
                param,
                ctx,
            )
        return tuple(int(part) for part in parts)


class Images(NamedTuple):
    """Images of one shape."""

    X: np.ndarray  # (n, d)  as they are in the file
    shape: tuple[int, ...]  # (h, w) or (h, w, c)


def holds_images(path: str, shape: tuple[int, ...] | None) -> bool:
    """Whether a file of arrays has one of three or four dimensions."""
    from lowdim.tables.errors import plain
    from lowdim.tables.formats.npy import numpy_errors

    if not path.lower().endswith(ARRAYS) or not os.path.isfile(path):
        return False
    with numpy_errors(plain(path, 200)):
        return shape is not None or _name_of_images(path) is not None


def read_images(path: str, shape: tuple[int, ...] | None) -> Images:
    """The images in a file; of several arrays the largest."""
    import numpy as np

    from lowdim.tables.errors import TableError, plain
    from lowdim.tables.formats.npy import check_unpacked_size, numpy_errors

    where = plain(path, 200)
    with numpy_errors(where):
        if path.lower().endswith(".npz"):
            check_unpacked_size(where, path)
            with np.load(path) as found:
                X = found[_name_of_images(path) or _largest(path)]
        else:
            X = np.load(path)
    if X.dtype.kind not in "buif" or X.ndim < 2:
        raise TableError(f"{where} holds no images, but {X.dtype} of shape {X.shape}.")
    if shape is None:
        shape = X.shape[1:]
    d = int(np.prod(X.shape[1:]))
    if int(np.prod(shape)) != d or len(shape) > 3 or shape[2:] not in ((), (1,), (3,)):
        said = "x".join(map(str, shape))
        raise TableError(
            f"{where}: images of {d} numbers are not {said}.",
            "Give height x width, or height x width x 3 for colours: --image-shape 28x28.",
        )
    X = X.reshape(len(X), d)
    if len(X) < LEAST:
        raise TableError(f"{where} has {len(X)} images; a network needs at least {LEAST}.")
    if X.dtype.kind == "f" and not np.isfinite(X).all():
        raise TableError(f"{where} has pixels that are missing or infinite.", "Fill them first.")
    return Images(X, tuple(shape[:2]) if shape[2:] == (1,) else tuple(shape))


def generate_images(
    request: TableRequest,
    model: Any,
    method: str,
    shape: tuple[int, ...] | None,
    n: int | None,
    seed: int,
    files: dict[str, str | None],
) -> None:
    """Learn from the images unless there is a model already, draw n, and say what was done."""
    import numpy as np

    import lowdim
    from lowdim.cli.summary import line, written_lines

    real = None
    if model is None:
        real = read_images(request.path, shape)
        model = _fitted(real, method, seed)
        size = "x".join(map(str, real.shape))
        lines = [line("images", f"{request.path}: {len(real.X):,} of {size} pixels")]
        shape = real.shape
    else:
        shape, lines = tuple(model.image_shape), [line("from", request.path)]
    if files["model"] is not None:
        model.save(files["model"])
    drawn = model.sample(n or COUNT, random_state=np.random.default_rng(seed))
    drawn = _as_in(real, drawn).reshape(-1, *shape)
    images = None if real is None else real.X.reshape(-1, *shape)
    if files["images"] is not None:
        _write(files["images"], drawn, images, seed)
    if files["page"] is not None:
        lowdim.sample_page(images, drawn, name=request.path, model=model, random_state=seed).save(
            files["page"]
        )
    lines += [line("method", type(model).__name__), line("drawn", f"{len(drawn)} images")]
    request.show([*lines, *written_lines(files)])


def _fitted(images: Images, method: str, seed: int) -> Any:
    """A network that has learned from the images."""
    import numpy as np

    n, d = images.X.shape
    if n > MOST_ROWS:
        chosen = np.random.default_rng(seed).permutation(n)[:MOST_ROWS]
        X = images.X[np.sort(chosen)]
    else:
        X = images.X
    name = _best(X) if method == "auto" else method
    return _unfitted(name, images.shape, len(X), d, seed).fit(X.astype(np.float32))


def _unfitted(name: str, shape: tuple[int, ...], n: int, d: int, seed: int) -> Any:
    import lowdim

    batch = BATCH[name]
    settings: dict[str, Any] = {
        "image_shape": shape,
        "batch_size": batch,
        "max_iter": max(1, -(-STEPS[name] * batch // n)),
        "random_state": seed,
    }
    if name == "pixelcnn":
        return lowdim.PixelCNN(channels=24, n_layers=5, **settings)
    if name == "vae":
        return lowdim.VAE(min(32, max(d // 4, 1)), hidden=(256,), **settings)
    if name == "gan":
        return lowdim.GAN(**settings)
    return lowdim.Diffusion(hidden=(256, 256, 256), **settings)


def _best(X: np.ndarray) -> str:
    """The method that suits images, by their size and levels."""
    import numpy as np

    few = X.shape[1] <= FEW_PIXELS and len(np.unique(X[:LEVEL_ROWS])) <= FEW_LEVELS
    return "pixelcnn" if few and (np.rint(X[:LEVEL_ROWS]) == X[:LEVEL_ROWS]).all() else "diffusion"


def _as_in(real: Images | None, drawn: np.ndarray) -> np.ndarray:
    """Drawn pixels within those of real images, and of their type."""
    import numpy as np

    if real is None:
        return np.maximum(drawn, 0.0) if drawn.min() > -1.0 else drawn
    low, high = real.X.min(), real.X.max()
    inside = np.clip(drawn, low, high)
    return (np.rint(inside) if real.X.dtype.kind in "bui" else inside).astype(real.X.dtype)


def _write(path: str, drawn: np.ndarray, real: np.ndarray | None, seed: int) -> None:
    """Arrays, or a picture of a wall: drawn images, and real ones to their right."""
    import numpy as np

    from lowdim.core.atomic import replacing
    from lowdim.report.generate.walls import walls
    from lowdim.sparse.pictures.files import write_picture

    ending = os.path.splitext(path)[1].lower()
    if ending not in ARRAYS:
        write_picture(path, walls(drawn, real, seed))
        return
    with replacing(path) as file:
        if ending == ".npz":
            np.savez_compressed(file, images=drawn)
        else:
            np.save(file, drawn)


def _name_of_images(path: str) -> str | None:
    """Of the arrays in a file with as many dimensions as images have, the largest; '' in .npy."""
    found = {name: size for name, (shape, size) in _shapes(path).items() if len(shape) in (3, 4)}
    return max(found, key=lambda name: found[name]) if found else None


def _largest(path: str) -> str:
    found = _shapes(path)
    return max(found, key=lambda name: found[name][1])


def _shapes(path: str) -> dict[str, tuple[tuple[int, ...], int]]:
    """Shape and size of each array; nothing else is read of them."""
    import math
    import zipfile

    from numpy.lib import format as npy

    def of(file: Any) -> tuple[tuple[int, ...], int]:
        version = npy.read_magic(file)
        read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        shape, _, dtype = read(file)
        return shape, math.prod(shape) * (dtype.kind in "buif")

    if path.lower().endswith(".npy"):
        with open(path, "rb") as file:
            return {"": of(file)}
    with zipfile.ZipFile(path) as archive:
        found = {}
        for name in archive.namelist():
            if name.endswith(".npy"):
                with archive.open(name) as part:
                    found[name.removesuffix(".npy")] = of(part)
        return found
