"""All measures of a sample at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from lowdim.core.random import random_generator
from lowdim.core.result_table import PrintedTable, ResultTable, cell_text
from lowdim.core.threads import single_threaded_blas
from lowdim.core.validation import check_at_least, check_choice, check_number
from lowdim.selection.samples.balls import overlap
from lowdim.selection.samples.columns import column_table
from lowdim.selection.samples.discriminator import tell_apart
from lowdim.selection.samples.energy import energy
from lowdim.selection.samples.frechet import frechet
from lowdim.selection.samples.input import LEAST_ROWS, Sides, open_sides
from lowdim.selection.samples.memorised import memorised
from lowdim.selection.samples.mmd import median_distance, mmd

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SAYS = {  # measure -> what honest draws have, and what it says
    "c2st": ("0.5", "share of rows that a discriminator tells right"),
    "js": ("0", "how far apart at least, in nats; 0.693 at most"),
    "energy": ("0", "energy distance"),
    "energy_p": ("any", "share of random deals with a distance as large"),
    "mmd": ("0", "squared maximum mean discrepancy, Gaussian kernel"),
    "frechet": ("0", "squared distance of means and covariances"),
    "precision": ("near 1", "share of fakes where real rows are"),
    "recall": ("near 1", "share of real rows where fakes are"),
    "density": ("1", "real neighbourhoods that a fake is in, of those expected"),
    "coverage": ("near 1", "share of real neighbourhoods with a fake in them"),
    "memorised": ("0.5", "share of fakes nearer to training rows than to held-out ones"),
    "wasserstein": ("0", "how far values of a column must be moved, on average"),
    "new_levels": ("0", "share of values that no real row has, in the worst column"),
    "correlation": ("0", "largest change of a correlation"),
}
SHARES = ("precision", "recall", "density", "coverage", "c2st", "memorised")


class SampleQuality(PrintedTable):
    """How good a sample is; prints itself as a table.

    Attributes
    ----------
    c2st : float
        The share of rows, real and fake, that a discriminator tells right: 0.5 is as good as can
        be, 1 as bad.
    js : float
        Jensen and Shannon's divergence in nats is at least this, up to chance; from 0 to log 2.
    energy, energy_p : float
        Energy distance, and the share of random deals of all rows to two sides with as large a
        one: uniform between 0 and 1 if both have the same distribution, small if they differ.
    mmd : float
        Squared maximum mean discrepancy, unbiased.
    frechet : float
        Squared Frechet distance of the Gaussians with the same means and covariances.
    precision, recall, density, coverage : float
        Where fakes are beside real rows, by the neighbourhoods of the 5 nearest rows.
    memorised : float
        The share of fakes nearer to training rows than to held-out ones; NaN without held-out ones.
    wasserstein, new_levels, correlation : float
        The mean of the first and the largest of the others over `columns`.
    columns : ResultTable
        For each column Wasserstein's distance, the share of new levels (NaN where values are
        many), the largest change of a correlation and with which column.
    n_real, n_fake : int
        Rows that were looked at.
    bandwidth : float
        Of the kernel of `mmd`.
    """

    most_lines: ClassVar[int] = 100
    c2st: float
    js: float
    energy: float
    energy_p: float
    mmd: float
    frechet: float
    precision: float
    recall: float
    density: float
    coverage: float
    memorised: float
    wasserstein: float
    new_levels: float
    correlation: float

    def __init__(
        self,
        measures: dict[str, float],
        columns: ResultTable,
        n_real: int,
        n_fake: int,
        bandwidth: float,
    ):
        for name in SAYS:
            setattr(self, name, measures[name])
        self.columns, self.bandwidth = columns, bandwidth
        self.n_real, self.n_fake = n_real, n_fake

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """The measures that are shares, beside those of honest draws."""
        from lowdim.plots import sample_shares

        shown = {name: getattr(self, name) for name in SHARES}
        known = {name: value for name, value in shown.items() if np.isfinite(value)}
        return sample_shares(known, {name: _honest(name) for name in known}, ax=ax)

    def _values(self) -> dict[str, list[Any]]:
        known = [name for name in SAYS if not np.isnan(getattr(self, name))]
        return {
            "measure": known,
            "value": [getattr(self, name) for name in known],
            "honest": [SAYS[name][0] for name in known],
            "says": [SAYS[name][1] for name in known],
        }

    def _cells(self, most: int) -> list[list[str]]:
        lines = list(zip(*self._values().values(), strict=True))[:most]
        return [[name, _number(value), *rest] for name, value, *rest in lines]

    def _rest(self) -> list[str]:
        worst = int(np.argmax(self.columns["wasserstein"]))
        name = cell_text(self.columns["column"][worst])
        return [
            f"{self.n_real:,} real rows and {self.n_fake:,} fake ones; the column that is farthest "
            f"off is {name}"
        ]


@single_threaded_blas()
def sample_quality(
    real: Any,
    fake: Any,
    *,
    held_out: Any = None,
    bandwidth: float | None = None,
    standardize: bool = True,
    max_rows: int = 5000,
    random_state: Any = None,
) -> SampleQuality:
    """How good drawn rows are, beside real ones.

    Cost: O(max_rows^2 (d + 200)) time, memory of a block of distances for each thread.

    Parameters
    ----------
    real : array, data frame, dict, path, sparse matrix, Dask collection or stream
        Real rows (n, d): those that the model learned from, if `held_out` is given. A table with
        text or dates becomes numbers by a `TableEncoder`, which leaves names of rows, remarks and
        constants out. Missing values are refused: fill both sides by one model's `impute` first.
    fake : the same, or a fitted model with `sample`
        Drawn rows, with the same columns. From a model as many rows as `real` has are drawn.
    held_out : the same, default=None
        Real rows that the model did not learn from, for `memorised`; best as many as it learned
        from.
    bandwidth : float or None, default=None
        Standard deviation of the kernel of `mmd`; None means the median distance of rows.
    standardize : bool, default=True
        Compare columns in units of their standard deviation among real rows; False keeps their
        units, for columns that have one in common.
    max_rows : int, default=5000
        So many rows of each side are looked at, drawn at random; 10 or more. Of `held_out` all are,
        and as many real ones.
    random_state : int, Generator, RandomState or None, default=None
        For the rows that are drawn, the deals of `energy_p` and the folds of `c2st`.

    Returns
    -------
    SampleQuality
        Prints as a table; `to_frame` gives it as a data frame, `columns` the columns one by one,
        `plot` draws the shares.

    Notes
    -----
    Precision, recall, density, coverage and c2st take as many rows of both sides. `precision` and
    `recall` of honest draws are below 1, the more the fewer rows: compare models with each other,
    or with `sample_quality(real, held_out)`. A fake that is the copy of a real row is a good one to
    all measures but `memorised`.

    References
    ----------
    Szekely and Rizzo (2013), Energy statistics. Gretton et al. (2012), A kernel two-sample test.
    Kynkaanniemi et al. (2019), Improved precision and recall metric. Naeem et al. (2020), Reliable
    fidelity and diversity metrics. Lopez-Paz and Oquab (2017), Revisiting classifier two-sample
    tests.

    Examples
    --------
    >>> import numpy as np, lowdim
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 2)) + 6 * rng.integers(2, size=(300, 1))
    >>> one_mode = X[X[:, 0] < 3]
    >>> quality = lowdim.sample_quality(X, one_mode, random_state=0)
    >>> bool(quality.precision > 0.9), bool(quality.recall < 0.7)
    (True, True)
    """
    max_rows = check_at_least("max_rows", max_rows, LEAST_ROWS)
    standardize = check_choice("standardize", standardize, (True, False))
    if bandwidth is not None:
        bandwidth = check_number("bandwidth", bandwidth, 0.0, open_low=True)
    random = random_generator(random_state)
    sides = open_sides(real, fake, held_out, standardize, max_rows, random)
    width = median_distance(sides.real, sides.fake) if bandwidth is None else bandwidth
    columns = column_table(sides)
    measures = {**_measures(sides, width, random), **_overall(columns)}
    return SampleQuality(measures, columns, len(sides.real), len(sides.fake), width)


def _measures(sides: Sides, bandwidth: float, random: np.random.Generator) -> dict[str, float]:
    """Of whole rows."""
    real, fake, held_out = sides.real, sides.fake, sides.held_out
    count = min(len(real), len(fake))
    told, distance = tell_apart(real, fake, random), energy(real, fake, random)
    unknown = float("nan")
    return {
        "c2st": told.accuracy,
        "js": told.js,
        "energy": distance.distance,
        "energy_p": distance.p,
        "mmd": mmd(real, fake, bandwidth),
        "frechet": frechet(real, fake),
        **overlap(real[:count], fake[:count])._asdict(),
        "memorised": unknown if held_out is None else memorised(sides.training, held_out, fake),
    }


def _overall(columns: ResultTable) -> dict[str, float]:
    """Of all columns together."""
    new = columns["new_levels"]
    return {
        "wasserstein": float(columns["wasserstein"].mean()),
        "new_levels": float(np.nanmax(new)) if np.isfinite(new).any() else float("nan"),
        "correlation": float(columns["correlation"].max()),
    }


def _honest(name: str) -> float:
    return float(SAYS[name][0].removeprefix("near "))


def _number(value: float) -> str:
    return f"{value:.3f}" if abs(value) < 1000 else f"{value:.4g}"
