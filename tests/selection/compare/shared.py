"""Models that watch, and data with a truth, for the tests of comparisons."""

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator

import lowdim
from lowdim.selection.compare.table import Comparison, Entrant, Protocol

ENTRIES, ROWS = "entries", "rows"


class Spy(BaseEstimator):
    """Fills with zeros and keeps copies of all it is given, and of its seed, in a list."""

    def __init__(self, log=None, random_state=None):
        self.log = log
        self.random_state = random_state

    def __sklearn_clone__(self):
        return Spy(self.log, self.random_state)

    def fit(self, X, y=None):
        self.log.append(("fit", X.copy()))
        self.log.append(("seed", self.random_state))
        return self

    def impute(self, X):
        self.log.append(("impute", X.copy()))
        return np.where(np.isnan(X), 0.0, X)


class Memory(BaseEstimator):
    """Knows by heart what it was given, and nothing else."""

    def fit(self, X, y=None):
        self.X_ = X.copy()
        return self

    def impute(self, X):
        return np.where(np.isnan(self.X_), 0.0, self.X_)


class Broken(BaseEstimator):
    """Fails, or predicts nonsense."""

    def __init__(self, how="raise"):
        self.how = how

    def fit(self, X, y=None):
        if self.how == "raise":
            raise RuntimeError("no <b>luck</b>\ntoday")
        return self

    def impute(self, X):
        return X if self.how == "nan" else X[:, :1]


def low_rank(rng, n=120, d=8, k=2, noise=0.2):
    return rng.normal(size=(n, k)) @ rng.normal(size=(k, d)) + noise * rng.normal(size=(n, d))


def clusters(rng, n=150, d=6):
    """Three round groups whose means are the corners of a triangle: two dimensions of means."""
    centers = np.zeros((3, d))
    centers[0, : d // 2], centers[1, d // 2 :], centers[2] = 4.0, 4.0, -3.0
    return centers[np.arange(n) % 3] + 0.5 * rng.normal(size=(n, d))


def entrant(name, losses, failure=""):
    return Entrant(name, np.array(losses, dtype=float), 0.1, 3, "", failure, None)


def comparison(*entrants, share=0.1):
    repeats = len(entrants[0].losses)
    return Comparison(entrants, Protocol("error", ENTRIES, share, repeats, (10, 4), 10))


def storms(rng, n=240):
    """Status and pressure follow from the wind, the date and the ocean from nothing."""
    strength = rng.integers(0, 3, n)
    wind = 20.0 + 30.0 * strength + rng.normal(size=n)
    table = pd.DataFrame(
        {
            "wind": wind,
            "pressure": 1015.0 - wind / 2 + rng.normal(size=n),
            "status": np.array(["depression", "storm", "hurricane"])[strength],
            "seen": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n), "D"),
            "ocean": rng.choice(["Atlantic", "Pacific", "Indian"], n, p=[0.6, 0.3, 0.1]),
        }
    )
    for name in table:
        table.loc[rng.random(n) < 0.05, name] = None
    return table


def encoded(table, **arguments):
    return lowdim.TableEncoder(drop_level=True, **arguments).fit(table)
