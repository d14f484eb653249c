"""`denoise`: a signal or picture without its noise."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lowdim.core.random import random_generator
from lowdim.core.threads import single_threaded_blas
from lowdim.core.validation import check_at_least, check_choice, check_number
from lowdim.sparse.bases.wavelets import wavelet_names
from lowdim.sparse.denoising import learnt
from lowdim.sparse.denoising.noise import estimate_sigma
from lowdim.sparse.denoising.shrinking import RULES, by_frequencies, by_wavelets
from lowdim.sparse.pictures.cosines import hard, wiener
from lowdim.sparse.pictures.patches import as_rows, patch_shape
from lowdim.sparse.pictures.signals import Signal, open_signal, peak_of
from lowdim.sparse.pictures.tilewise import by_tiles, some_patches

METHODS = ("auto", "ksvd", "dct", "wavelet", "dft")
LEARNT_PIXELS = 2**22  # 'auto' learns atoms for pictures up to this size
HARD = 2.7  # times sigma: a cosine of less is noise
OF_255 = 255.0
HALF = 0.5  # of a whole number
LARGEST = 1e150  # a unit whose square is a number
GRAIN = 1.5  # of 255: a photograph's own, which an estimate cannot tell from noise
LEARNT_NOISE = 5.0  # of 255: for less, cosines are as good, and much quicker
MARGIN = {1: 2**13, 2: 64}  # of pieces of signals and tiles, for wavelets and frequencies


class Denoised(NamedTuple):
    """A signal without noise.

    Attributes
    ----------
    image : ndarray
        In the shape and type of what was given.
    sigma : float
        Standard deviation of the noise, given or estimated.
    model : ndarray of shape (n_components, d) or None
        Atoms that were learnt ('ksvd'), patches as rows.
    method : str
    """

    image: np.ndarray
    sigma: float
    model: np.ndarray | None
    method: str

    def __repr__(self) -> str:
        shape = " x ".join(map(str, self.image.shape))
        return f"<Denoised {shape} by {self.method}, noise {self.sigma:.4g}>"


@single_threaded_blas()
def denoise(
    signal: Any,
    *,
    method: str = "auto",
    sigma: float | None = None,
    patch: int = 8,
    n_components: int = 256,
    wavelet: str = "sym8",
    threshold: str = "bayes",
    mode: str = "soft",
    random_state: Any = None,
) -> Denoised:
    """Take white noise out of a signal or picture.

    Minimises, with 'ksvd', the atoms that all patches need, each within its noise:
    sum_p |z_p|_0  with  |x_p - z_p D|^2 <= d (1.15 sigma)^2,  over codes z and atoms D.

    Cost: linear in the pixels; 'ksvd' takes a few times as long as the others, and learns from at
    most 40,000 patches. Memory: at most 400 MB beside signal and result, for the estimate of sigma;
    with a given sigma 120 to 180 MB on two threads, up to 300 MB on eight.

    Parameters
    ----------
    signal : array-like of shape (n,), (h, w) or (h, w, c)
        A signal, or a picture, grey or in colour; alpha stays. Colours are worked on in orthonormal
        axes: lightness and two differences.
    method : {'auto', 'ksvd', 'dct', 'wavelet', 'dft'}, default='auto'
        'ksvd': patches are sums of few atoms, learnt from the picture; 'dct': patches in cosines,
        small ones left out, then each shrunk by what is left; 'wavelet': wavelets shrunk, over all
        shifts; 'dft': frequencies shrunk. 'auto': 'ksvd' for pictures of up to 4 megapixels with
        noise of 5 of 255 or more, 'dct' for others, 'wavelet' for signals.
    sigma : float, default=None
        Standard deviation of the noise, in units of the signal; 0: nothing changes. None: from
        patches without texture. Photographs have grain of their own, which looks like noise; so
        1.5 of 255 (as variance) of the estimate is left in pictures, and in signals of whole
        numbers what is below one half. Give sigma to have all of it out.
    patch : int, default=8
        Side of patches; of signals, pieces are patch^2 long.
    n_components : int, default=256
        Atoms of 'ksvd'.
    wavelet : str, default='sym8'
        Of 'wavelet': a discrete wavelet of PyWavelets.
    threshold : {'bayes', 'universal', 'sure'}, default='bayes'
        Of 'wavelet' and 'dft': how much is noise. 'universal' takes most out.
    mode : {'soft', 'hard'}, default='soft'
        Whether what stays is shrunk, too.
    random_state : int, Generator, RandomState or None, default=None
        Which patches 'ksvd' learns from.

    Returns
    -------
    Denoised
        image, sigma, model.

    See Also
    --------
    inpaint : fills missing pixels.

    References
    ----------
    Elad and Aharon (2006), IEEE Transactions on Image Processing 15(12).

    Examples
    --------
    >>> import numpy as np, lowdim
    >>> rng = np.random.default_rng(0)
    >>> clean = np.repeat([0.0, 1.0, 0.3], 100)
    >>> noisy = clean + 0.1 * rng.normal(size=300)
    >>> result = lowdim.denoise(noisy)
    >>> bool(np.std(result.image - clean) < 0.5 * np.std(noisy - clean))
    True
    """
    given = open_signal("signal", signal, "denoise")
    check_choice("method", method, METHODS)
    check_choice("threshold", threshold, RULES)
    check_choice("mode", mode, ("soft", "hard"))
    if wavelet not in wavelet_names():
        raise ValueError(f"wavelet={wavelet!r} is not known; choose 'sym8', 'db4', 'haar', ...")
    check_at_least("n_components", n_components, 1)
    if sigma is not None:
        sigma = check_number("sigma", sigma, 0.0)
    if method in ("ksvd", "dct"):
        patch_shape(patch, given.size, "signal")
    random = random_generator(random_state)
    unit = peak_of(given.values) / OF_255
    if unit > LARGEST:
        raise ValueError(
            f"signal has values as large as {unit * OF_255:.0e}, whose squares are no numbers; "
            "divide it by its largest."
        )
    estimated = sigma is None
    sigma = estimate_sigma(given) if sigma is None else sigma
    if method == "auto":
        method = _auto(given, patch, sigma / unit)
    taken = _taken_out(given, sigma, unit) if estimated else sigma
    if taken == 0:
        return Denoised(np.array(given.values), sigma, None, method)
    image, atoms = _denoised(
        given, method, taken, (patch, n_components), (wavelet, threshold, mode), random
    )
    return Denoised(image, float(sigma), atoms, method)


def _auto(signal: Signal, patch: int, noise: float) -> str:
    if len(signal.size) == 1 or min(signal.size) < patch:
        return "wavelet"
    learnt_from = np.prod(signal.size) <= LEARNT_PIXELS and noise >= LEARNT_NOISE
    return "ksvd" if learnt_from else "dct"


def _taken_out(signal: Signal, sigma: float, unit: float) -> float:
    """The part of an estimate that is noise for sure: no rounding, no grain."""
    if len(signal.size) == 2:
        return float(np.sqrt(max(sigma**2 - (GRAIN * unit) ** 2, 0.0)))
    whole = signal.values.dtype.kind != "f"
    return 0.0 if whole and sigma < HALF else sigma


def _denoised(
    signal: Signal,
    method: str,
    sigma: float,
    patches: tuple[int, int],
    shrinking: tuple[str, str, str],
    random: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray | None]:
    """In units in which the peak is 255."""
    unit = peak_of(signal.values) / OF_255
    noise = sigma / unit
    atoms, margin = None, MARGIN[len(signal.size)]
    if method in ("ksvd", "dct"):
        shape = patch_shape(patches[0], signal.size, "signal")
        margin = 2 * max(shape)
        if method == "ksvd":
            some = some_patches(signal, unit, shape, learnt.TRAINED_ON, random)
            atoms = learnt.learn(some, shape, patches[1], noise, random)

    def one(plane: np.ndarray) -> np.ndarray:
        if method == "wavelet":
            return by_wavelets(plane, noise, *shrinking)
        if method == "dft":
            return by_frequencies(plane, noise, *shrinking[1:])
        x = as_rows(plane)
        if atoms is not None:
            return learnt.by_atoms(x, shape, atoms, noise).reshape(plane.shape)
        return wiener(x, hard(x, shape, HARD * noise), shape, noise).reshape(plane.shape)

    image = by_tiles(signal, unit, margin, lambda planes, _: np.stack([one(p) for p in planes]))
    return image, atoms
