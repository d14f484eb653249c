"""A table of clusters for people: how many rows, what is high and low, a typical row."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lowdim.cluster.profiles import ClusterProfiles
from lowdim.core.result_table import text_table

LEAST_CONTRAST = 0.5  # standard deviations from which a column is worth a word
MOST_COLUMNS = 4  # named as high, and as many as low


def cluster_table(
    profiles: ClusterProfiles,
    names: Sequence[str],
    typical: Sequence[str] | None = None,
    *,
    least: float = LEAST_CONTRAST,
    most: int = MOST_COLUMNS,
) -> str:
    """Clusters as text, one after the other, the largest first.

    Parameters
    ----------
    profiles : ClusterProfiles
    names : sequence of str
        Names of the columns.
    typical : sequence of str or None, default=None
        A description of each cluster's typical row.
    least : float, default=0.5
        Columns whose mean differs from the whole by less than this many standard deviations are
        not named.
    most : int, default=4
        Columns named as high, and as low.

    Examples
    --------
    >>> import numpy as np
    >>> from lowdim.cluster.profiles import cluster_profiles
    >>> from lowdim.core.opening import as_blocks
    >>> from lowdim.report.cluster_table import cluster_table
    >>> X = np.array([[1.0, 5.0], [1.2, 5.2], [0.8, 5.1], [9.0, 4.9]])
    >>> profiles = cluster_profiles(as_blocks(X), np.array([0, 0, 0, 1]), 2)
    >>> print(cluster_table(profiles, ["mass", "length"]))
    cluster  rows    share
    0           3    75.0%  low      mass -0.58
    1           1    25.0%  high     mass +1.73
                            low      length -1.34
    """
    n = profiles.sizes.sum()
    lines = [["cluster", "rows", "  share"]]
    for j in np.argsort(-profiles.sizes, kind="stable"):
        about = {
            "high": _columns(profiles.contrasts[j], names, least, most),
            "low": _columns(-profiles.contrasts[j], names, least, most, sign=-1.0),
            "typical": typical[j] if typical is not None else "",
        }
        words = [[f"{what:<7}", said] for what, said in about.items() if said] or [[]]
        number = [str(j), f"{profiles.sizes[j]:.0f}", f"{profiles.sizes[j] / n:.1%}"]
        lines += [[*number, *words[0]], *(["", "", "", *more] for more in words[1:])]
    return text_table(lines, right={1, 2})


def _columns(
    contrast: np.ndarray, names: Sequence[str], least: float, most: int, sign: float = 1.0
) -> str:
    """The columns of largest contrast, largest first."""
    contrast = np.nan_to_num(contrast)
    largest = np.argsort(-contrast, kind="stable")[:most]
    return ", ".join(
        f"{names[f]} {sign * contrast[f]:+.2f}" for f in largest if contrast[f] >= least
    )
