"""Fields as sums over all pairs: for few points, for places off a mesh, and for any number of axes.

    phi(z) = sum_j c_j K(|z - y_j|),    grad phi(z) = 2 sum_j c_j K'(|z - y_j|^2) (z - y_j)

Cost: O(m n) time, one block of pairs of memory. Student's kernel with one or two degrees of
freedom, on up to three axes, is compiled (0.4 ns for a pair; others 5 ns).
"""

from __future__ import annotations

import numpy as np

from lowdim.core.kernel import kernel as compiled
from lowdim.core.threads import shared_map
from lowdim.maps.axes import middle_of
from lowdim.maps.field.radial import Radial

PAIRS = 2**18  # of a block
FEW_PAIRS = 2**20  # are summed on the thread that asks


def direct(
    Z: np.ndarray, Y: np.ndarray, charges: np.ndarray, kernel: Radial
) -> tuple[np.ndarray, np.ndarray]:
    """Values (m,) and gradients (m, axes) at the places Z, in float32."""
    m, axes = Z.shape
    middle = middle_of(Y)
    Z, Y = ((A - middle).astype(np.float32) for A in (Z, Y))
    values, gradients = np.empty(m, np.float32), np.empty((m, axes), np.float32)
    fast = is_compiled(kernel) and axes <= 3
    size = max(1, PAIRS // max(len(Y), 1))
    deep = by_axis(Y) if fast else Y

    def block(start: int) -> None:
        rows = slice(start, min(m, start + size))
        if fast:
            here = values[rows], gradients[rows]
            _student(by_axis(Z[rows]), deep, charges, np.float32(kernel.dof), *here)
        else:
            values[rows], gradients[rows] = _block(Z[rows], Y, charges, kernel)

    starts = range(0, m, size)
    if m * len(Y) <= FEW_PAIRS:
        starts = range(m > 0)
        size = m
    shared_map(block, starts)
    return values, gradients


def is_compiled(kernel: Radial) -> bool:
    """Whether sums of a kernel are quick."""
    return kernel.name == "student" and kernel.dof in (1.0, 2.0)


def _block(
    Z: np.ndarray, Y: np.ndarray, charges: np.ndarray, kernel: Radial
) -> tuple[np.ndarray, np.ndarray]:
    square = np.zeros((len(Z), len(Y)), np.float32)
    for axis in range(Z.shape[1]):
        square += np.subtract.outer(Z[:, axis], Y[:, axis]) ** 2
    value, slope = kernel.value_and_slope(square)
    slope *= 2 * charges
    gradients = np.empty(Z.shape, np.float32)
    for axis in range(Z.shape[1]):
        difference = np.subtract.outer(Z[:, axis], Y[:, axis])
        gradients[:, axis] = np.einsum("ij,ij->i", slope, difference)
    return np.einsum("ij,j->i", value, charges), gradients


def by_axis(Y: np.ndarray) -> np.ndarray:
    """(3, n): axes that are not there are zeros."""
    deep = np.zeros((3, len(Y)), np.float32)
    deep[: Y.shape[1]] = Y.T
    return deep


@compiled(any_order=True)
def _student(Z, Y, charges, dof, values, gradients):
    """With one degree of freedom w = near, with two near^(3/2)."""
    one, root = np.float32(1), dof == np.float32(2)
    rate, factor = one / dof, -(dof + one) / dof
    axes = gradients.shape[1]
    for i in range(Z.shape[1]):
        x, y, z = Z[0, i], Z[1, i], Z[2, i]
        value = along_x = along_y = along_z = np.float32(0)
        for j in range(Y.shape[1]):
            dx, dy, dz = x - Y[0, j], y - Y[1, j], z - Y[2, j]
            near = one / (one + rate * (dx * dx + dy * dy + dz * dz))
            part = charges[j] * near
            part = part * np.sqrt(near) if root else part
            value += part
            part *= near
            along_x += part * dx
            along_y += part * dy
            along_z += part * dz
        values[i] = value
        gradients[i, 0] = factor * along_x
        if axes > 1:
            gradients[i, 1] = factor * along_y
        if axes > 2:
            gradients[i, 2] = factor * along_z
