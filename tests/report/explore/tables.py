"""Tables for the tests of `explore`, and what several of them check."""

import numpy as np
import pandas as pd

import lowdim
from lowdim.report.explore.preparing import in_memory, prepare
from lowdim.tables import open_table
from lowdim.tables.frames.series import values_of


def encoded_of(table, target=None, numbers=None, **wishes):
    """A table as the models of the page see it."""
    return prepare(in_memory(open_table(table)), lowdim.TableEncoder(**wishes), target, numbers)


def frame(n=40):
    random = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "id": np.arange(1, n + 1),
            "mass": random.normal(50, 5, n),
            "income": random.permutation(np.exp(np.linspace(2, 10, n))),
            "size": np.array(["small", "large", "medium", "large"])[np.arange(n) % 4],
            "price": [f"${1000 + 10 * i:,}" for i in random.permutation(n)],
            "when": pd.date_range("2024-01-01", periods=n),
            "count": random.integers(0, 30, n),
            "done": np.arange(n) % 3 == 0,
            "remark": [f"a long remark number {i} " * 4 for i in range(n)],
            "one": 1.0,
        }
    )


def storms(n=200):
    """The category applies to hurricanes only; some pressures are missing."""
    random = np.random.default_rng(0)
    strong = np.arange(n) % 3 == 0
    pressure = random.normal(1000, 10, n) - 40 * strong
    pressure[::11] = np.nan
    category = np.where(strong, 1.0 + (np.arange(n) % 5), np.nan)
    category[6] = np.nan  # a hurricane whose category nobody wrote down
    return pd.DataFrame(
        {
            "status": np.where(strong, "hurricane", "depression"),
            "wind": random.normal(40, 5, n) + 50 * strong,
            "pressure": pressure,
            "category": category,
        }
    )


def numbers(n=90):
    random = np.random.default_rng(1)
    X = random.normal(size=(n, 2)) @ random.normal(size=(2, 5)) + 0.3 * random.normal(size=(n, 5))
    X[:, 4] = np.exp(2 * X[:, 4])  # a heavy tail
    X[random.random(X.shape) < 0.1] = np.nan
    return X


def words(n=90):
    """Words, dates, flags, text of numbers, whole numbers; missing values in all of them."""
    random = np.random.default_rng(2)
    group = np.arange(n) % 3
    table = pd.DataFrame(
        {
            "name": [f"r{i}" for i in range(n)],
            "size": np.array(["small", "middle", "large"])[group],
            "price": [f"${1000 * (g + 1) + i:,}" for i, g in enumerate(group)],
            "seen": pd.to_datetime("2020-01-01") + pd.to_timedelta(40 * group + np.arange(n), "D"),
            "on sale": random.random(n) < 0.2 + 0.3 * group,
            "count": 10 * group + random.integers(0, 9, n),
            "weight": (5 * group + random.normal(size=n)).round(2),
            "remark": [f"nothing much to say about number {i}, but this much" for i in range(n)],
        }
    ).astype({"on sale": object, "price": object, "size": object})
    for column in table.columns[1:7]:
        table.loc[random.choice(n, 7, replace=False), column] = None
    return table


def matrix(frame):
    return np.asarray(frame if isinstance(frame, np.ndarray) else frame.to_numpy())


def cells(frame, name):
    """A column of a table, whatever holds it."""
    return frame[:, int(name)] if isinstance(frame, np.ndarray) else frame[name]


def assert_filled_as_on_the_page(found, filled):
    for part in found.filled:
        column, info = cells(filled, part.column.name), part.column.info
        values = np.asarray(part.column.read(values_of(column)), dtype=float)
        np.testing.assert_array_equal(values[part.rows], part.value, err_msg=info.name)
