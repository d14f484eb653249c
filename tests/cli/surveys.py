"""A table with every kind of column whose rows are of three groups, for verbs that draw rows."""

import numpy as np

NAMES = ["person", "age", "height", "group", "member", "day", "remark"]
GROUPS = ["north", "south", "east"]


def survey(rng, n=120, holes=0.1):
    """The text of a csv file; `holes` is the share of empty cells of height and group."""
    g = rng.integers(3, size=n)
    lines = [",".join(NAMES)]
    for i in range(n):
        height = f"{150 + 10 * g[i] + 3 * rng.normal():.1f}"
        day = np.datetime64("2020-01-01") + int(rng.integers(700))
        cells = [
            f"p{i:04d}",
            str(20 + 10 * g[i] + rng.integers(9)),
            "" if rng.random() < holes else height,
            "" if rng.random() < holes else GROUPS[g[i]],
            ["yes", "no"][int(rng.random() < 0.2 + 0.3 * g[i])],
            str(day),
            f"words {i} and {i * 7} more of them",
        ]
        lines.append(",".join(cells))
    return "\n".join(lines) + "\n"
