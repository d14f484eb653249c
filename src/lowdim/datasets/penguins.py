"""The Palmer penguins: a small table in which some values are missing."""

from __future__ import annotations

import csv
from importlib.resources import files
from typing import NamedTuple

import numpy as np

MEASUREMENTS = ["bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g"]
MALE = {"male": 1.0, "female": 0.0, "": np.nan}


class Table(NamedTuple):
    """A table of numbers, the names of its columns, and the class of each row.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
        The numbers; NaN where a value is missing.
    feature_names : list of str
        The names of the columns of X.
    target : ndarray of shape (n_samples,)
        The class of each row, as an index into `target_names`.
    target_names : list of str
        The names of the classes.
    """

    X: np.ndarray
    feature_names: list[str]
    target: np.ndarray
    target_names: list[str]


def load_penguins() -> Table:
    """Measurements of 344 penguins of three species, with 19 values missing.

    The columns are the length and depth of the bill and the length of the flipper in millimetres,
    the body mass in grams, and `male` (1 or 0). Two penguins were never measured, and the sex of
    nine others is not known. The class of a row is the species.

    Returns
    -------
    Table
        `X` of shape (344, 5), float64 with NaN, `feature_names`, `target`, `target_names`.

    Notes
    -----
    The data were collected at Palmer Station, Antarctica, in 2007-2009 by Dr. Kristen Gorman with
    the Palmer Station Long Term Ecological Research Program, and released under CC0 in the R
    package palmerpenguins.

    References
    ----------
    .. [1] K. B. Gorman, T. D. Williams, W. R. Fraser (2014). Ecological sexual dimorphism and
       environmental variability within a community of Antarctic penguins (genus Pygoscelis).
       PLoS ONE 9(3): e90081.
    .. [2] A. M. Horst, A. P. Hill, K. B. Gorman (2020). palmerpenguins: Palmer Archipelago
       (Antarctica) penguin data. R package version 0.1.0.

    Examples
    --------
    >>> import numpy as np
    >>> from lowdim.datasets import load_penguins
    >>> penguins = load_penguins()
    >>> penguins.X.shape, int(np.isnan(penguins.X).sum())
    ((344, 5), 19)
    >>> penguins.feature_names[-1], penguins.X[:5, -1]
    ('male', array([ 1.,  0.,  0., nan,  0.]))
    >>> penguins.target_names
    ['Adelie', 'Chinstrap', 'Gentoo']
    """
    text = (files("lowdim.datasets") / "data" / "penguins.csv").read_text(encoding="utf-8")
    rows = list(csv.DictReader(text.splitlines()))
    X = [[float(row[name] or "nan") for name in MEASUREMENTS] + [MALE[row["sex"]]] for row in rows]
    species, target = np.unique([row["species"] for row in rows], return_inverse=True)
    return Table(np.array(X), [*MEASUREMENTS, "male"], target, species.tolist())
