"""`rate_distortion`: how much is kept, by how many bytes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lowdim.core.result_table import ResultTable
from lowdim.core.threads import single_threaded_blas
from lowdim.core.validation import check_at_least, check_choice
from lowdim.sparse.compression.compressed import Compressed
from lowdim.sparse.compression.compressing import open_plan
from lowdim.sparse.compression.learnt_blocks import with_components
from lowdim.sparse.compression.low_rank import Decomposed, break_even
from lowdim.sparse.compression.storing import Coefficient, by_step
from lowdim.sparse.pictures.colors import AXES
from lowdim.sparse.pictures.signals import Signal, open_signal, peak_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FINE, COARSE = 1 / 128, 1 / 4  # steps, of the peak


class RateDistortion(ResultTable):
    """basis, nbytes, bits (per number of the signal), psnr and ssim; prints itself."""

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """PSNR over bytes, a curve for each basis."""
        from lowdim.plots.signals import rate_distortion as drawn

        names = list(dict.fromkeys(self["basis"].tolist()))
        curves = {
            name: (self["nbytes"][self["basis"] == name], self["psnr"][self["basis"] == name])
            for name in names
        }
        return drawn(curves, ax=ax)


@single_threaded_blas()
def rate_distortion(
    signal: Any,
    bases: Sequence[str] = ("bior4.4", "dct"),
    *,
    n_points: int = 6,
    level: int | None = None,
    block: int | None = 8,
    color: str = "ycc",
) -> RateDistortion:
    """How well a signal or picture is kept, by the bytes that are spent on it.

    Parameters
    ----------
    signal : array-like of shape (n,), (h, w) or (h, w, c)
    bases : sequence of str, default=('bior4.4', 'dct')
        As of `compress`.
    n_points : int, default=6
        For each basis: steps from 1/4 to 1/128 of the peak; of 'svd', ranks up to where they cost
        more than the picture.
    level, block, color
        As of `compress`.

    Returns
    -------
    RateDistortion
        A table with basis, nbytes, bits, psnr and ssim; `plot()` draws the curves.

    Examples
    --------
    >>> import numpy as np
    >>> from lowdim import sparse
    >>> x = np.add.outer(np.arange(32.0), np.arange(32.0)) / 62
    >>> curve = sparse.rate_distortion(x, ["haar"], n_points=3)
    >>> bool(np.all(np.diff(curve["psnr"]) > 0))
    True
    """
    given = open_signal("signal", signal, "rate_distortion")
    n_points = check_at_least("n_points", n_points, 1)
    check_choice("color", color, AXES)
    names = [bases] if isinstance(bases, str) else list(bases)
    plans = [open_plan(given, name, level, block, color) for name in names]
    found = [
        (name, one)
        for name, plan in zip(names, plans, strict=True)
        for one in _points(given, plan, n_points)
    ]
    nbytes = np.array([one.nbytes for _, one in found])
    return RateDistortion(
        {
            "basis": [name for name, _ in found],
            "nbytes": nbytes,
            "bits": 8.0 * nbytes / given.values.size,
            "psnr": [one.psnr for _, one in found],
            "ssim": [one.ssim for _, one in found],
        }
    )


def _points(signal: Signal, plan: Any, n: int) -> list[Compressed]:
    if plan.basis == "svd":
        whole = Decomposed(signal, plan)
        last = max(1, min(break_even(*plan.size), whole.most))
        ranks = np.unique(np.geomspace(1, last, n).astype(int))
        return [whole.of_rank(int(k)) for k in ranks]
    if plan.basis == "pca":
        plan = with_components(plan, signal, rounded=True)
    source = Coefficient(plan, signal, {})
    peak = peak_of(signal.values)
    steps = peak * np.geomspace(COARSE, FINE, n)
    return [by_step(signal, plan, float(step), source) for step in steps]
