"""A signal as a sum of parts, each sparse in a basis of its own.

    min over z_1, z_2, ...   sum_i |z_i|_1     with  |x - U_1 z_1 - U_2 z_2 - ...| <= noise

Basis pursuit in all bases side by side: what is smooth with edges is sparse in wavelets (the
cartoon), what repeats is sparse in cosines (the texture). The constant is an atom of many bases; it
costs twice as much in all but the first that has it, so that it goes there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lowdim.core.numeric import numeric_array
from lowdim.core.threads import single_threaded_blas
from lowdim.core.validation import check_number
from lowdim.sparse.bases.making import basis
from lowdim.sparse.bases.operator import Basis
from lowdim.sparse.bases.union import union
from lowdim.sparse.min_l1.problem import Problem
from lowdim.sparse.min_l1.solve import pursue

EXACT = 1e-8  # gap, relative to the cost: of signals that can be written down
NEAR = 1e-3  # of pictures: parts no longer change to the eye
SAME = 1e-9  # products with the constant: an atom that is it
SMALL = 2**20  # numbers of a dictionary that is taken exactly


@single_threaded_blas()
def separate(signal, bases, *, noise=0.0):
    """One part of a signal or picture for each basis: cartoon and texture, spikes and waves.

    Parameters
    ----------
    signal : array of shape (D,) or (h, w)
    bases : list of str or Basis
        In which the parts are sparse; names are as in `sparse.basis`.
    noise : float, default=0.0
        |signal - sum of parts| at the most; 0: the parts make the signal.

    Returns
    -------
    ndarray of shape (n_bases, D) or (n_bases, h, w)
        The parts. A constant that several bases have goes to the first of them.

    See Also
    --------
    basis_pursuit : the code in all bases.

    Notes
    -----
    Small signals are separated exactly, pictures up to a gap of 0.001 of the cost.

    Examples
    --------
    >>> import numpy as np
    >>> from lowdim import sparse
    >>> wave = np.cos(np.pi * (np.arange(64) + 0.5) * 5 / 64)
    >>> spikes = np.eye(64)[20] - np.eye(64)[50]
    >>> parts = sparse.separate(wave + spikes, ["identity", "dct"])
    >>> np.allclose(parts, [spikes, wave])
    True
    """
    x = np.asarray(numeric_array(signal, "signal", "separate"), np.float64)
    if x.ndim not in (1, 2) or x.size == 0:
        raise ValueError(
            f"signal has the shape {x.shape}; a signal (D,) or a grey picture (h, w) is needed. "
            "Separate the channels of a colour picture one by one."
        )
    if not np.isfinite(x).all():
        raise ValueError(
            "signal has NaN or infinity; fill missing numbers first, for instance with "
            "lowdim.inpaint."
        )
    noise = check_number("noise", noise, 0.0)
    several = _checked_bases(bases, x.shape)
    U = union(*several)
    small = U.shape[0] * U.shape[1] <= SMALL
    problem = Problem(U, _weights(several))
    found = pursue(problem, x.ravel(), noise, "auto", EXACT if small else NEAR)
    parts = [one.synthesize(z) for one, z in zip(several, U.parts(found.coef), strict=True)]
    return np.array(parts).reshape(len(several), *x.shape)


def _weights(bases: list[Basis]) -> np.ndarray:
    """1 for each atom; 2 for the constant, where an earlier basis has it."""
    weights, known = [], False
    for one in bases:
        w = np.ones(one.shape[1])
        products = np.abs(one.products(np.full(one.shape[0], one.shape[0] ** -0.5)))
        constant = int(np.argmax(products))
        others = np.delete(products, constant)
        if products[constant] > 1.0 - SAME and others.max(initial=0.0) < SAME:
            w[constant] = 2.0 if known else 1.0
            known = True
        weights.append(w)
    return np.concatenate(weights)


def _checked_bases(bases: Any, shape: tuple[int, ...]) -> list[Basis]:
    if isinstance(bases, str | Basis) or not hasattr(bases, "__len__") or len(bases) == 0:
        raise ValueError(
            f"bases={bases!r} must be a list of bases or of their names, such as ['haar', 'dct']."
        )
    several = [one if isinstance(one, Basis) else basis(one, shape) for one in bases]
    D = int(np.prod(shape))
    for one in several:
        if one.shape[0] != D:
            raise ValueError(
                f"{one!r} is for signals of shape {one.signal_shape}; signal has the shape {shape}."
            )
    return several
