"""A mesh over a map, and the sum of kernels on its nodes by FFT.

    u = k * m          m: charges of the nodes, k: the kernel, both of the mesh's spacing h

Charges are spread to nodes, and values read from them, by B-splines of degree 5. Nodes whose
splines add up to K at the nodes have the transform of K divided by the splines' symbol, once for
the spreading and once for the reading:

    K_hat(omega) / prod_axes ((66 + 52 cos omega + 2 cos 2 omega) / 120)^2

Degree 5 and a spacing of 0.4, not 3 and 0.5: near its end a map moves by small differences of
large forces, and what a mesh makes of forces between its nodes keeps it from getting there. 20,000
rows of MNIST end at a divergence of 2.061 with 3 and 0.5, at 2.019 with 3 and 0.35, at 2.005 with 5
and 0.4 (13, 16 and 16 s of processor time); FIt-SNE's at 2.019 (107 s).

K goes in less its value across the mesh, K(d) - K(R): the splines add up to 1, so a constant of K
is known without a mesh, and the rest keeps its digits in float32 however small the map is.

How fine a mesh is follows from the extent of the points alone: spacing 0.4 (K changes over
distances of 1), less for a small map so that it has CELLS cells along its longest side, more for a
large one, so that there are at most 64 nodes for each point and 2^20 in all (in the plane 400 x 400
units of the map), or as many as points if these are more.
Spacings are powers 2^(i/4) times 0.4, and sides lengths that FFTs like: meshes are few, and the
transform of K for the last ones is kept.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np
from scipy import fft

from lowdim.core.config import get_config
from lowdim.maps.field.radial import Radial

SPACING = 0.4
CELLS = (0, 64, 32, 20)  # at least so many along the longest side, by the number of axes
NODES_BY_POINT = 64
MOST_NODES = (2**16, 2**20)  # so many are always allowed; more than that never, unless points are
MARGIN = 16  # nodes after which a kink of K has no effect: the splines' inverse falls as 0.43^i
WORTH_THREADS = 2**17  # nodes with padding


class Mesh(NamedTuple):
    """Nodes at origin + h (i, j, ...)."""

    origin: np.ndarray  # (axes,) float64
    spacing: float
    shape: tuple[int, ...]  # nodes along each axis
    padded: tuple[int, ...]  # length of the transforms


def mesh_over(
    low: np.ndarray,
    high: np.ndarray,
    n: int,
    kernel: Radial,
    spacing: float = SPACING,
) -> Mesh:
    """The mesh over the box from `low` to `high`, of n points."""
    extent = np.maximum(high - low, 0.0).astype(np.float64)
    if not np.isfinite(extent).all():
        raise FloatingPointError(
            "Places in the map have grown beyond all numbers. Give an init with places nearer to "
            "0 (their spread should be far below 1), or lower learning_rate."
        )
    h = _spacing(extent, n, spacing * kernel.width)
    shapes = [_side(length / h, kernel.reach / h) for length in extent]
    shape = tuple(nodes for nodes, _ in shapes)
    middle = (low.astype(np.float64) + high) / 2
    origin = middle - h * (np.array(shape) - 1) / 2
    return Mesh(origin, h, shape, tuple(length for _, length in shapes))


def _spacing(extent: np.ndarray, n: int, spacing: float) -> float:
    longest, axes = extent.max(), len(extent)
    if longest == 0:
        return spacing
    fine = np.floor(4 * np.log2(min(1.0, longest / CELLS[axes] / spacing)))
    h = spacing * 2.0 ** (fine / 4)
    most = max(n, np.clip(NODES_BY_POINT * n, *MOST_NODES))
    while np.prod(extent / h + 6) > most:
        h *= 2**0.25
    return float(h)


def _side(cells: float, reach: float) -> tuple[int, int]:
    """Nodes along an axis of so many cells, and the length of its transform."""
    nodes = int(np.ceil(cells)) + 6
    tail = int(min(nodes, np.ceil(reach) if np.isfinite(reach) else nodes)) + MARGIN
    length = fft.next_fast_len(16 * -(-(nodes + tail) // 16), real=True)
    return nodes, length


class Response(NamedTuple):
    """What a unit charge does on a mesh."""

    transform: np.ndarray  # float32: of the nodes' charges to the splines' coefficients
    base: float  # what was taken from K: its value across the mesh
    own: float  # the value at a point's own place: K(0) = 1 as the mesh has it, by the mean


def convolved(charges: np.ndarray, mesh: Mesh, kernel: Radial) -> np.ndarray:
    """The field's spline coefficients from charges on the nodes, less `base` times all charge.

    Axes are transformed one by one, so that lines of zeros are not.
    """
    transform = response(kernel, mesh.spacing, mesh.padded).transform
    workers = get_config().n_threads if transform.size > WORTH_THREADS else 1
    u = fft.rfft(charges, mesh.padded[-1], axis=-1, workers=workers)
    for axis in reversed(range(charges.ndim - 1)):
        u = fft.fft(u, mesh.padded[axis], axis=axis, overwrite_x=True, workers=workers)
    u *= transform
    for axis in range(charges.ndim - 1):
        u = fft.ifft(u, axis=axis, overwrite_x=True, workers=workers)
        u = u[(slice(None),) * axis + (slice(mesh.shape[axis]),)]
    u = fft.irfft(u, mesh.padded[-1], axis=-1, overwrite_x=True, workers=workers)
    return np.ascontiguousarray(u[..., : mesh.shape[-1]])


@functools.lru_cache(maxsize=4)
def response(kernel: Radial, spacing: float, padded: tuple[int, ...]) -> Response:
    """What charges on nodes are convolved with."""
    square = np.zeros(())
    for length in padded:
        steps = np.minimum(np.arange(length), length - np.arange(length)) * spacing
        square = square[..., None] + steps**2
    far = spacing**2 * sum((length / 2) ** 2 for length in padded)
    base = kernel.value(far)
    transform = fft.rfftn(kernel.above(square, far)).real  # K is even
    own = np.full_like(transform, 2 / square.size)  # half of the frequencies stand for two
    own[..., 0] /= 2
    if padded[-1] % 2 == 0:
        own[..., -1] /= 2
    for axis, length in enumerate(padded):
        along = [-1 if other == axis else 1 for other in range(len(padded))]
        cosine = np.cos(2 * np.pi * np.arange(transform.shape[axis]) / length)
        transform /= (_cosines((66, 26, 1), cosine) ** 2).reshape(along)
        # a spline times itself, over all places in a cell: the samples of that of degree 11
        own *= _cosines((15724248, 9738114, 2203488, 152637, 2036, 1), cosine).reshape(along)
    own_value = base + float(np.vdot(own, transform))
    transform = transform.astype(np.float32)
    transform.flags.writeable = False
    return Response(transform, base, own_value)


def _cosines(samples: tuple[int, ...], cosine: np.ndarray) -> np.ndarray:
    """The transform of an even sequence that is divided by its sum, at angles of these cosines."""
    middle, *others = samples
    found = np.full_like(cosine, middle)
    for i, sample in enumerate(others, start=1):
        found += 2 * sample * np.cos(i * np.arccos(cosine))
    return found / (middle + 2 * sum(others))
