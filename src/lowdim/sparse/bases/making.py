"""`basis`: dictionaries by name."""

from __future__ import annotations

from typing import Any

import numpy as np

from lowdim.core.threads import single_threaded_blas
from lowdim.core.validation import check_at_least
from lowdim.sparse.bases import axes
from lowdim.sparse.bases.atoms import Atoms, grassmannian_atoms
from lowdim.sparse.bases.gabor import Gabor
from lowdim.sparse.bases.lapped import lapped
from lowdim.sparse.bases.operator import Basis
from lowdim.sparse.bases.separable import Separable
from lowdim.sparse.bases.shapes import checked_shape
from lowdim.sparse.bases.tiles import Tiles
from lowdim.sparse.bases.wavelets import Wavelets, wavelet_names

BY_AXIS = {
    "identity": axes.identity,
    "dft": axes.fourier,
    "dct": axes.cosines,
    "hadamard": axes.hadamard,
}
OTHERS = ("dct-overcomplete", "gabor", "grassmannian", "lapped")
LAPPED_BLOCK = 16


@single_threaded_blas()
def basis(
    kind,
    shape,
    *,
    level=None,
    block=None,
    redundancy=2,
    sigma=2.0,
    frequencies=None,
    orientations=8,
    step=2,
):
    """A dictionary of atoms, as an operator: x = U z.

    Parameters
    ----------
    kind : str
        Bases: 'identity', 'dft' (real: constant, cosines and sines by frequency), 'dct',
        'hadamard', 'haar' and every other discrete wavelet of PyWavelets ('db4', 'sym8',
        'bior4.4'), 'lapped' (cosines in overlapping blocks). With more atoms than numbers:
        'dct-overcomplete', 'gabor' (waves under a bell), 'grassmannian' (as different as can be).
    shape : int or (int, int)
        The length of a signal, or the height and width of a picture.
    level : int, default=None
        Of wavelets, how often a signal is halved; None: as often as makes sense.
    block : int, default=None
        A basis in each block of so many numbers, of a picture of block x block; None: of the whole
        signal. Of 'lapped', the distance of blocks (None: 16, or the largest part of it that fits).
    redundancy : int, default=2
        Atoms for each number, along each axis ('dct-overcomplete'), or in all ('grassmannian').
    sigma : float, default=2.0
        Width of the bells of 'gabor'.
    frequencies : sequence of float, default=None
        Of 'gabor', in waves per number; None: 0, 1/8, 1/4, 3/8 and 1/2.
    orientations : int, default=8
        Directions of 'gabor' in pictures.
    step : int, default=2
        Numbers between the bells of 'gabor'.

    Returns
    -------
    Basis
        A `scipy.sparse.linalg.LinearOperator` of shape (D, L) with `analyze`, `synthesize` for rows
        of signals and codes, `matrix()` and `orthonormal`.

    Examples
    --------
    >>> from lowdim import sparse
    >>> haar = sparse.basis("haar", 8)
    >>> haar.analyze([4, 2, 5, 5, 1, 3, 0, 8]).round(5)
    array([ 9.89949,  1.41421, -2.     , -2.     ,  1.41421,  0.     ,
           -1.41421, -5.65685])
    >>> haar.orthonormal
    True
    """
    size = checked_shape(shape)
    if block is not None:
        check_at_least("block", block, 1)
    if kind == "lapped":
        blocks = [_lapped_block(s) if block is None else block for s in size]
        return Separable(kind, [lapped(s, b) for s, b in zip(size, blocks, strict=True)])
    settings = (level, redundancy, sigma, frequencies, orientations, step)
    if block is None:
        return _of_whole(kind, size, *settings)
    return Tiles(_of_whole(kind, (int(block),) * len(size), *settings), size)


def _of_whole(
    kind: Any,
    shape: tuple[int, ...],
    level: int | None,
    redundancy: Any,
    sigma: float,
    frequencies: Any,
    orientations: int,
    step: int,
) -> Basis:
    if kind in BY_AXIS:
        return Separable(kind, [BY_AXIS[kind](s) for s in shape])
    if kind == "dct-overcomplete":
        check_at_least("redundancy", redundancy, 1)
        return Separable(kind, [axes.many_cosines(s, int(redundancy)) for s in shape])
    if kind == "gabor":
        return Gabor(shape, sigma, frequencies, orientations, step)
    if kind == "grassmannian":
        check_at_least("redundancy", redundancy, 1)
        D = int(np.prod(shape))
        return Atoms(kind, grassmannian_atoms(D, int(redundancy) * D), shape)
    if isinstance(kind, str) and kind in wavelet_names():
        return Wavelets(kind, shape, level)
    raise ValueError(
        f"kind={kind!r} is not known; choose one of {', '.join([*BY_AXIS, *OTHERS])}, 'haar', or "
        "another discrete wavelet, such as 'db4', 'sym8' or 'bior4.4'."
    )


def _lapped_block(size: int) -> int:
    """The largest even number up to 16 that divides the size."""
    fits = [b for b in range(2, LAPPED_BLOCK + 1, 2) if size % b == 0]
    if not fits:
        raise ValueError(
            f"A lapped basis needs blocks of an even length; {size} numbers have none. Pad the "
            "signal by one number."
        )
    return max(fits)
