"""A table with missing values, from the first look to filled values. `make demo` runs it.

python examples/demo.py [folder]
"""

from __future__ import annotations

import sys
from importlib.resources import as_file, files
from pathlib import Path
from time import perf_counter

import matplotlib as mpl
import numpy as np
from rich.console import Console
from sklearn.preprocessing import StandardScaler

import lowdim
from lowdim.datasets import load_penguins
from lowdim.plots.style import INK, MUTED, PALETTE, house_style

mpl.use("Agg")
import matplotlib.pyplot as plt

FLIPPER = 2
HIDDEN_SHARE = 0.2


def main(folder: Path) -> None:
    console = Console(highlight=False)
    folder.mkdir(parents=True, exist_ok=True)
    console.rule("[bold]lowdim[/bold]: from a table with missing values to its structure")
    page = explore_penguins(console, folder / "penguins.html")
    picture = hide_and_fill(console, folder / "penguins.png")
    console.rule()
    console.print(f"Open [bold]{page}[/bold] in a browser, and look at:")
    console.print("  - the numbers at the top: dimensions, best method, clusters, odd rows")
    console.print("  - [bold]Map[/bold]: colour it by island or sex; select points with the lasso")
    console.print("  - [bold]Filled values[/bold]: whose sex nobody wrote down, and how sure it is")
    console.print("  - [bold]Python[/bold]: the script that gives the same models again")
    console.print(f"The picture of the second part: [bold]{picture}[/bold]")


def explore_penguins(console: Console, page: Path) -> Path:
    """One call: the page about 344 penguins. The species is kept from the models."""
    start = perf_counter()
    with as_file(files("lowdim.datasets") / "data" / "penguins.csv") as table:
        report = lowdim.explore(table, target="species")
    report.save(page)
    found = report.findings
    console.print(f'[bold]lowdim.explore("penguins.csv", target="species")[/bold]: {report}')
    console.print(str(found.comparison), soft_wrap=True)
    console.print(
        f"{found.missing.n_missing} missing values were filled by {found.filler.name}; "
        f"odd rows: {found.odd.n_odd}. The page took {perf_counter() - start:.0f} s.\n"
    )
    return page


def hide_and_fill(console: Console, picture: Path) -> Path:
    """The same by hand: hide values that are known, fill them, and compare with the truth."""
    penguins = load_penguins()
    scaler = StandardScaler().fit(penguins.X)  # ignores NaN
    known = scaler.transform(penguins.X)
    hidden = ~np.isnan(known) & (np.random.default_rng(0).random(known.shape) < HIDDEN_SHARE)
    X = np.where(hidden, np.nan, known)
    rank = lowdim.choose_rank(X, random_state=0)
    pca = lowdim.PCA(rank.choice, random_state=0).fit(X)
    filled, std = pca.impute(X, return_std=True)
    error = np.sqrt(np.mean((filled - known)[hidden] ** 2))
    guess = np.sqrt(np.mean((np.nanmean(X, axis=0) - known)[hidden] ** 2))
    sure = np.mean(np.abs(filled - known)[hidden] <= 2 * std[hidden])
    console.print(
        f"[bold]By hand[/bold]: {hidden.sum()} known values hidden, filled again by PCA with "
        f"{rank.choice} components: wrong by {error:.2f} standard deviations (the column's mean: "
        f"{guess:.2f}); {sure:.0%} of the truths lie within two of its standard deviations."
    )
    draw(penguins, rank, pca.transform(X), scaler, X, filled, std, hidden).savefig(picture, dpi=110)
    return picture


@house_style()
def draw(penguins, rank, codes, scaler, X, filled, std, hidden) -> plt.Figure:
    """Three panels: how many components, the map of the rows, the filled values."""
    figure, (left, middle, right) = plt.subplots(
        1, 3, figsize=(13, 4.2), width_ratios=[1, 1.25, 1.1], layout="constrained"
    )
    rank.plot(ax=left)
    left.set_title("How many components?", weight="bold")

    incomplete = np.isnan(X).any(axis=1)
    for j, name in enumerate(penguins.target_names):
        here, color = penguins.target == j, PALETTE[j]
        middle.scatter(*codes[here & ~incomplete, :2].T, s=24, color=color, lw=0, label=name)
        middle.scatter(*codes[here & incomplete, :2].T, s=20, facecolor="none", edgecolor=color)
    middle.scatter([], [], s=20, facecolor="none", edgecolor=INK, label="incomplete")
    middle.set_title("Every row has a place", weight="bold")
    middle.set(xlabel="component 1", ylabel="component 2")
    middle.legend(handletextpad=0.1)

    def millimetres(values):
        return values[:, FLIPPER] * scaler.scale_[FLIPPER]

    for j, color in enumerate(PALETTE[: len(penguins.target_names)]):
        here = (penguins.target == j) & hidden[:, FLIPPER]
        right.errorbar(
            penguins.X[here, FLIPPER],
            scaler.mean_[FLIPPER] + millimetres(filled[here]),
            yerr=2 * millimetres(std[here]),
            fmt="o",
            ms=4.5,
            color=color,
            ecolor=color + "55",
            elinewidth=2,
        )
    right.axline((200, 200), slope=1, color=MUTED, lw=1, zorder=0)
    right.set_title("Hidden values, filled", weight="bold")
    right.set(xlabel="true flipper length (mm)", ylabel="filled, ± 2 standard deviations")
    return figure


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "demo"))
