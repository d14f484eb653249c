"""One field for all repulsion: what the points of a map do to each place of it.

    phi(z) = sum_j c_j K(|z - y_j|)

Student's K gives t-SNE's repulsion, Gauss's that of SNE, and both follow from phi alone:

    Z = sum_i (phi(y_i) - K(0)),   sum_j w_ij^2 (y_i - y_j) = -1/2 grad phi(y_i),  w = 1 / (1 + d^2)

so one forward and one inverse transform on a mesh do for values and forces (`mesh.py`). Few points,
places off the mesh and maps of more than three axes have direct sums (`direct.py`).

Cost: O(n + nodes log nodes) for all points at once, with nodes about (2.5 extent)^axes.
Everything is in float32. Of 20,000 points on 120 x 120: Z to 1e-6, forces to 0.5% (root mean
square), in 1/25 of the time of direct sums; of points within 1 of each other, forces to 1e-5.
"""

from __future__ import annotations

import numpy as np

from lowdim.maps.axes import box_of
from lowdim.maps.field.direct import direct, is_compiled
from lowdim.maps.field.mesh import SPACING, Mesh, convolved, mesh_over, response
from lowdim.maps.field.radial import radial
from lowdim.maps.field.splines import read, spread

# measured time in ns: of a pair of direct sums; of a node of the transforms, and a point of a mesh
PAIR, OTHER_PAIR, NODE, POINT = 0.3, 5.0, 9.0, 100.0
MOST_AXES = 3  # of a mesh
LEAST = 6e5  # what a mesh takes at least


class Field:
    """The field of points, to be evaluated anywhere.

    Parameters
    ----------
    Y : array of shape (n, axes)
        The points.
    charges : array of shape (n,), default=None
        Of the points; None means 1 each.
    kernel : "student" or "gauss", default="student"
        K(d) = (1 + d^2 / dof)^(-(dof + 1) / 2), or exp(-d^2).
    dof : float, default=1.0
        Student's degrees of freedom.
    method : "auto", "mesh" or "direct", default="auto"
        "auto": direct sums where they are quicker than a mesh (of about a thousand points in the
        plane, more in space), and for more than three axes.
    spacing : float, default=0.4
        Of the mesh for Student's kernel of one degree of freedom or more; less is more exact and
        slower. Gauss and fewer degrees of freedom have finer ones.

    Attributes
    ----------
    own : float
        The value of a unit charge at its own place: 1 for direct sums, and on a mesh the mean of
        what the splines make of it.
    """

    def __init__(
        self,
        Y: np.ndarray,
        charges: np.ndarray | None = None,
        kernel: str = "student",
        dof: float = 1.0,
        *,
        method: str = "auto",
        spacing: float = SPACING,
    ):
        self.kernel = radial(kernel, dof)
        self._Y = np.ascontiguousarray(Y, Y.dtype if Y.dtype == np.float32 else np.float64)
        n, axes = Y.shape
        self._charges = np.ones(n, np.float32) if charges is None else np.array(charges, np.float32)
        self.own = 1.0
        self._nodes: np.ndarray | None = None
        if method != "direct" and axes <= MOST_AXES:
            self._mesh = mesh_over(*box_of(Y), n, self.kernel, spacing)
            if method == "mesh" or not self._direct_is_quicker():
                self._solve()

    def _direct_is_quicker(self) -> bool:
        n, pair = len(self._Y), PAIR if is_compiled(self.kernel) else OTHER_PAIR
        mesh = NODE * float(np.prod(self._mesh.padded)) + POINT * n
        return n * n * pair < max(LEAST, mesh)

    def _solve(self) -> None:
        charges = spread(self._Y, self._charges, self._mesh)
        self._nodes = convolved(charges, self._mesh, self.kernel)
        total = float(self._charges.sum(dtype=np.float64))
        unit = response(self.kernel, self._mesh.spacing, self._mesh.padded)
        self._base, self.own = np.float32(unit.base * total), unit.own

    def at(self, Z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Values (m,) and gradients (m, axes) of the field at the places Z.

        At a point of the field its own charge is in the value, `own` times: K(0) = 1 up to what
        the mesh makes of it, so that the sum over other points is the value less own times charge.
        """
        Z = np.ascontiguousarray(Z, self._Y.dtype)
        if self._nodes is None:
            return direct(Z, self._Y, self._charges, self.kernel)
        on_mesh = Z is self._Y or _within(Z, self._mesh)
        if np.all(on_mesh):
            values, gradients = read(Z, self._nodes, self._mesh)
            values += self._base
            return values, gradients
        values, gradients = np.empty(len(Z), np.float32), np.empty(Z.shape, np.float32)
        values[on_mesh], gradients[on_mesh] = self.at(Z[on_mesh])
        off = ~on_mesh
        values[off], gradients[off] = direct(Z[off], self._Y, self._charges, self.kernel)
        return values, gradients


def _within(Z: np.ndarray, mesh: Mesh) -> np.ndarray:
    """Whether all nodes that a place needs are on the mesh, by a rule that has a margin."""
    steps = (Z - mesh.origin) / mesh.spacing
    return np.all((steps >= 2.25) & (steps <= np.array(mesh.shape) - 3.25), axis=1)
