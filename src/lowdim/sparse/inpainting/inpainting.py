"""`inpaint`: missing pixels from those around them."""

from __future__ import annotations

from typing import Any

import numpy as np

from lowdim.core.random import random_generator
from lowdim.core.threads import single_threaded_blas
from lowdim.core.validation import check_at_least, check_choice
from lowdim.sparse.denoising.learnt import first_atoms
from lowdim.sparse.inpainting.coded import by_codes
from lowdim.sparse.inpainting.iterated import by_thresholds
from lowdim.sparse.inpainting.known import Known, open_known
from lowdim.sparse.inpainting.learnt import by_stages, stages
from lowdim.sparse.inpainting.pyramid import filled
from lowdim.sparse.pictures.patches import Shape, as_rows, patch_shape
from lowdim.sparse.pictures.signals import Signal, open_signal, peak_of
from lowdim.sparse.pictures.strips import strips, tiles
from lowdim.sparse.pictures.tilewise import Tile, by_tiles, working_planes

METHODS = ("auto", "iterated", "dct", "ksvd")
# of pieces of signals and tiles of pictures: what is farther has no say, but for large holes
MARGIN = {1: 2**13, 2: 128}
COARSE = 64  # pixels of a side that become one, for holes that are larger than a tile
OF_255 = 255.0
WINDOW, MOST_WINDOWS = 256, 6  # from which atoms are learnt


@single_threaded_blas()
def inpaint(
    image: Any,
    observed: Any = None,
    *,
    method: str = "auto",
    patch: int = 8,
    n_components: int = 256,
    random_state: Any = None,
) -> np.ndarray:
    """Fill the missing pixels of a picture, or numbers of a signal.

    Cost: linear in the pixels (tiles without a missing one cost nothing), fifty rounds over patches
    for 'iterated'. Memory: some 100 MB, and 25 MB for each thread, beside picture and result.

    Parameters
    ----------
    image : array-like of shape (n,), (h, w) or (h, w, c)
        NaN marks missing values. Alpha stays.
    observed : bool array-like of shape (h, w) or that of image, default=None
        False where a pixel is missing, beside NaN.
    method : {'auto', 'iterated', 'dct', 'ksvd'}, default='auto'
        'iterated' ('auto'): patches in cosines, small ones left out again and again, with a falling
        threshold. 'dct': the known pixels of a patch choose few cosines, which say what the others
        are. 'ksvd': so it begins; then atoms are learnt from the picture while it is filled.
    patch : int, default=8
        Side of patches; of signals, pieces are patch^2 long.
    n_components : int, default=256
        Atoms of 'dct' and 'ksvd'.
    random_state : int, Generator, RandomState or None, default=None
        Which patches 'ksvd' learns from.

    Returns
    -------
    ndarray
        In the shape and type of the image; what was observed is as it was.

    See Also
    --------
    denoise : takes out noise.
    SoftImpute, ALS : fill tables, whose rows have no order.

    Examples
    --------
    >>> import numpy as np, lowdim
    >>> image = np.add.outer(np.arange(32.0), np.arange(32.0)) / 62
    >>> holes = image.copy()
    >>> holes[10:14, 8:20] = np.nan
    >>> bool(np.abs(lowdim.inpaint(holes) - image).max() < 0.05)
    True
    """
    given = open_signal("image", image, "inpaint", nan=True)
    check_choice("method", method, METHODS)
    known = open_known(given, observed)
    k = check_at_least("n_components", n_components, 1)
    shape = patch_shape(patch, given.size, "image")
    random = random_generator(random_state)
    if all(known.of(part).all() for part in strips(given.size)):
        return np.array(given.values)
    peak = peak_of(known.values, where=known.of)
    return _filled(given, known, "iterated" if method == "auto" else method, shape, k, peak, random)


def _filled(
    signal: Signal,
    known: Known,
    method: str,
    shape: Shape,
    k: int,
    peak: float,
    random: np.random.Generator,
) -> np.ndarray:
    unit = peak / OF_255
    start = _first_guess(signal, known, unit)
    atoms, cosines = [], first_atoms(shape, k)
    if method == "ksvd":
        atoms = stages(_windows(signal, known, start, unit, shape), shape, k, random)

    def work(planes: np.ndarray, wide: Tile) -> np.ndarray:
        m = as_rows(known.complete(wide))
        done = []
        for plane, guess in zip(planes, start(planes, wide), strict=True):
            x, first = as_rows(plane), as_rows(guess)
            if method == "ksvd":
                found = by_stages(x, m, shape, first, atoms)
            elif method == "dct":
                found = by_codes(first, x, m, shape, cosines)
            else:
                found = by_thresholds(x, m, shape, first)
            done.append(found.reshape(plane.shape))
        return np.stack(done)

    out = by_tiles(
        signal,
        unit,
        MARGIN[len(signal.size)],
        work,
        needed=lambda tile: not known.complete(tile).all(),
    )
    visible = out[..., : signal.visible] if out.ndim == 3 else out
    for part in strips(signal.size):
        np.copyto(visible[part], known.values[part], where=known.of(part))
    if signal.has_alpha and out.dtype.kind == "f":
        np.nan_to_num(out[..., -1], copy=False, nan=peak)  # no hole is transparent
    return out


def _first_guess(signal: Signal, known: Known, unit: float) -> Any:
    """Of the planes of a tile: smaller copies of it, or, where it knows nothing, of the picture."""
    far = _far_guess(signal, known, unit)

    def guess(planes: np.ndarray, wide: Tile) -> np.ndarray:
        m = known.complete(wide)
        if m.any():
            return np.stack([filled(as_rows(p), as_rows(m)).reshape(p.shape) for p in planes])
        places = (np.arange(part.start, part.stop) // COARSE for part in wide)
        return far()[(slice(None), *np.ix_(*places))]

    return guess


def _far_guess(signal: Signal, known: Known, unit: float) -> Any:
    """The working planes at 1/64 of their size, filled; made when it is first needed."""
    held: list[np.ndarray] = []

    def made() -> np.ndarray:
        if not held:
            means, there = [], []
            for part in strips((-(-signal.size[0] // COARSE), *signal.size[1:]), pixels=COARSE**2):
                rows = (slice(part.start * COARSE, part.stop * COARSE),)
                planes, m = working_planes(signal, unit, rows), known.complete(rows)
                counts = _block_sums(m[None].astype(np.float64))
                means.append(_block_sums(planes * m) / np.maximum(counts, 1.0))
                there.append(counts[0] > 0)
            small, m = np.concatenate(means, axis=1), as_rows(np.concatenate(there))
            held.append(
                np.stack([filled(as_rows(plane), m).reshape(plane.shape) for plane in small])
            )
        return held[0]

    return made


def _block_sums(A: np.ndarray) -> np.ndarray:
    """Sums over 64 in a row along each axis but the first."""
    for axis in range(1, A.ndim):
        A = np.add.reduceat(A, np.arange(0, A.shape[axis], COARSE), axis=axis)
    return A


def _windows(
    signal: Signal, known: Known, start: Any, unit: float, shape: Shape
) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Planes, what is known of them, and first guesses, in some windows of the picture."""
    cut = tiles(signal.size, WINDOW)
    if len(signal.size) == 1:
        cut = [(part,) for part in strips(signal.size, at_least=4 * shape.w, pixels=WINDOW**2)]
    sides = shape[-len(signal.size) :]
    cut = [
        one
        for one in cut
        if all(p.stop - p.start >= s for p, s in zip(one, sides, strict=True))
        and known.complete(one).any()
    ]
    some = cut[:: -(-len(cut) // MOST_WINDOWS)] or [tuple(slice(0, s) for s in signal.size)]
    found = []
    for where in some:
        planes, m = working_planes(signal, unit, where), as_rows(known.complete(where))
        found += [
            (as_rows(x), m, as_rows(first))
            for x, first in zip(planes, start(planes, where), strict=True)
        ]
    return found
