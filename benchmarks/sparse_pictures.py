"""Pictures: noise, missing pixels and files, beside scikit-learn's recipe, scikit-image and Pillow.

Data are pictures side by side, what is given to the left and what is true to the right; the quality
is PSNR in dB, of files their bytes at the PSNR of Pillow's JPEG.
"""

from __future__ import annotations

import io
import os
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.harness import Case, Entry

LIBRARIES = ("lowdim", "numpy", "scikit-learn", "scikit-image", "pillow")
DATA = Path(os.environ.get("LOWDIM_DATA", Path(__file__).resolve().parent.parent / "data"))
SAME_DB, SAME_BYTES = 0.006, 0.05  # of the best: 0.2 of 33 dB, a twentieth of a file


def named(name: str, shrink: int) -> np.ndarray:
    """A picture of the data sets; where there are none, of scikit-learn."""
    file = DATA / "images.npz"
    if file.exists():
        x = np.load(file)[name]
    else:
        from sklearn.datasets import load_sample_image

        x = np.asarray(load_sample_image("china.jpg"))[:256, :256, 1]
    return x[: max(64, len(x) // shrink)].astype(np.float64)


def noisy(shrink: int, name: str, sigma: float) -> np.ndarray:
    x = named(name, shrink)
    return np.hstack([x + np.random.default_rng(0).normal(0, sigma, x.shape), x])


def with_holes(shrink: int, name: str, missing: float) -> np.ndarray:
    x = named(name, shrink)
    return np.hstack([np.where(np.random.default_rng(0).random(x.shape) < missing, np.nan, x), x])


def halves(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return X[:, : X.shape[1] // 2], X[:, X.shape[1] // 2 :]


def decibels(X: np.ndarray, image: np.ndarray) -> float:
    error = np.mean((np.clip(np.rint(image), 0, 255) - halves(X)[1]) ** 2)
    return float(10 * np.log10(255**2 / error))


def denoise_ours(X: np.ndarray, sigma: float, method: str) -> np.ndarray:
    import lowdim

    return lowdim.denoise(halves(X)[0], sigma=sigma, method=method, random_state=0).image


def denoise_recipe(X: np.ndarray) -> np.ndarray:
    """scikit-learn's example: a dictionary of patches, orthogonal matching pursuit, mean."""
    from sklearn.decomposition import MiniBatchDictionaryLearning
    from sklearn.feature_extraction.image import extract_patches_2d, reconstruct_from_patches_2d

    x = halves(X)[0] / 255.0
    patches = extract_patches_2d(x, (7, 7)).reshape(-1, 49)
    mean = patches.mean(axis=0)
    model = MiniBatchDictionaryLearning(
        n_components=50, batch_size=200, alpha=1.0, max_iter=10, random_state=0
    ).fit((patches - mean) / patches.std(axis=0))
    model.set_params(transform_algorithm="omp", transform_n_nonzero_coefs=2)
    own = patches - patches.mean(axis=1, keepdims=True)
    again = model.transform(own) @ model.components_ + patches.mean(axis=1, keepdims=True)
    return 255.0 * reconstruct_from_patches_2d(again.reshape(-1, 7, 7), x.shape)


def inpaint_ours(X: np.ndarray) -> np.ndarray:
    import lowdim

    return lowdim.inpaint(halves(X)[0], random_state=0)


def inpaint_biharmonic(X: np.ndarray) -> np.ndarray:
    from skimage.restoration import inpaint_biharmonic

    x = halves(X)[0]
    return 255.0 * inpaint_biharmonic(np.nan_to_num(x) / 255.0, np.isnan(x))


def jpeg(x: np.ndarray, quality: int) -> tuple[int, float]:
    """Bytes and PSNR of Pillow's JPEG."""
    from PIL import Image

    file = io.BytesIO()
    Image.fromarray(x.astype(np.uint8)).save(file, "JPEG", quality=quality, optimize=True)
    again = np.asarray(Image.open(io.BytesIO(file.getvalue())), float)
    return len(file.getvalue()), float(10 * np.log10(255**2 / np.mean((again - x) ** 2)))


def bytes_ours(X: np.ndarray, basis: str, quality: int) -> int:
    import lowdim

    x = halves(X)[1].astype(np.uint8)
    return lowdim.compress(x, basis, psnr=jpeg(x, quality)[1]).nbytes


def bytes_jpeg(X: np.ndarray, quality: int) -> int:
    return jpeg(halves(X)[1].astype(np.uint8), quality)[0]


def itself(X: np.ndarray, value: float) -> float:
    return float(value)


def _denoising(sigma: int) -> Case:
    return Case(
        f"denoise-house-{sigma}",
        f"house, 256 x 256, with noise of {sigma}; quality: PSNR.",
        partial(noisy, name="set12_house", sigma=sigma),
        Entry("lowdim ksvd", partial(denoise_ours, sigma=sigma, method="ksvd")),
        [Entry("scikit-learn's example", denoise_recipe)],
        decibels,
        tolerance=SAME_DB,
    )


def _inpainting(share: float) -> Case:
    return Case(
        f"inpaint-peppers-{share:.0%}",
        f"peppers, 256 x 256, {share:.0%} of its pixels missing; quality: PSNR.",
        partial(with_holes, name="set12_peppers", missing=share),
        Entry("lowdim", inpaint_ours),
        [Entry("scikit-image biharmonic", inpaint_biharmonic)],
        decibels,
        tolerance=SAME_DB,
    )


def _compressing(name: str, quality: int, basis: str) -> Case:
    return Case(
        f"{basis}-{name.split('_')[1]}-{quality}",
        f"{name.split('_')[1]} at the PSNR of JPEG, quality {quality}; quality: bytes.",
        partial(noisy, name=name, sigma=0.0),
        Entry(f"lowdim {basis}", partial(bytes_ours, basis=basis, quality=quality)),
        [Entry("Pillow JPEG", partial(bytes_jpeg, quality=quality))],
        itself,
        higher_is_better=False,
        tolerance=SAME_BYTES,
    )


CASES = (
    _denoising(20),
    _denoising(25),
    _inpainting(0.5),
    _inpainting(0.75),
    *(
        _compressing(name, quality, basis)
        for basis in ("bior4.4", "dct")
        for name in ("gray_camera", "set12_peppers")
        for quality in (30, 75)
    ),
)
