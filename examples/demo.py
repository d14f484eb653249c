"""A table with holes, from the first look to filled values. `make demo` runs it.

python examples/demo.py [picture.png]
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import matplotlib as mpl
import numpy as np
from rich.console import Console
from rich.table import Table
from sklearn.preprocessing import StandardScaler

import lowdim
from lowdim.datasets import load_penguins
from lowdim.report.plots import INK, MUTED, PALETTE, house_style

mpl.use("Agg")
import matplotlib.pyplot as plt

FLIPPER = 2
HIDDEN_SHARE = 0.2


def main(picture: Path) -> None:
    console = Console(highlight=False)
    penguins = load_penguins()
    missing = np.isnan(penguins.X)
    console.rule("[bold]lowdim[/bold]: a table with holes")
    console.print(
        f"[bold]{len(missing)} penguins[/bold], {missing.shape[1]} columns: "
        f"{', '.join(penguins.feature_names)}.\n{missing.sum()} values were never written down; "
        f"{missing.all(axis=1).sum()} penguins have no values at all."
    )

    scaler = StandardScaler().fit(penguins.X)  # ignores NaN
    known = scaler.transform(penguins.X)
    hidden = ~missing & (np.random.default_rng(0).random(known.shape) < HIDDEN_SHARE)
    X = np.where(hidden, np.nan, known)
    console.print(
        f"To have something to compare with, we hide {hidden.sum()} known values as well: "
        f"[bold]{np.isnan(X).mean():.0%} of the table is now missing[/bold]."
    )

    with console.status("Choosing the number of components ..."):
        rank = lowdim.choose_rank(X, random_state=0)
    console.print(f"\n[bold]How many components?[/bold] choose_rank says {rank.choice}.")

    start = perf_counter()
    pca = lowdim.PCA(rank.choice, random_state=0).fit(X)
    console.print(
        f"[bold]PCA[/bold] learned from the {np.isfinite(X).sum()} values that are there in "
        f"{perf_counter() - start:.2f} s: {pca.n_components_} components keep "
        f"{pca.explained_variance_ratio_.sum():.0%} of the variance."
    )

    filled, std = pca.impute(X, return_std=True)
    error = np.sqrt(np.mean((filled - known)[hidden] ** 2))
    guess = np.sqrt(np.mean((np.nanmean(X, axis=0) - known)[hidden] ** 2))
    sure = np.mean(np.abs(filled - known)[hidden] <= 2 * std[hidden])
    console.print(
        f"[bold]The hidden values[/bold], filled: wrong by {error:.2f} standard deviations "
        f"(the column's mean: {guess:.2f}).\nThe model says how sure it is: {sure:.0%} of the "
        "truths lie within two of its standard deviations.\n"
    )

    final = lowdim.PCA(rank.choice, random_state=0).fit(known)
    console.print(unknown_sex(penguins, scaler, *final.impute(known, return_std=True)))

    with TemporaryDirectory() as folder:
        path = Path(folder) / "penguins.lowdim"
        final.save(path)
        same = np.array_equal(lowdim.load(path).transform(known), final.transform(known))
        console.print(
            f"[bold]Saved[/bold] as {path.stat().st_size} bytes of arrays and JSON, loaded again: "
            f"the codes are {'the same' if same else 'NOT the same'}."
        )

    picture.parent.mkdir(parents=True, exist_ok=True)
    draw(penguins, rank, pca.transform(X), scaler, X, filled, std, hidden).savefig(picture, dpi=110)
    console.print(f"\n[bold]The picture:[/bold] {picture}")


def unknown_sex(penguins, scaler, filled, std) -> Table:
    """Penguins that were measured but whose sex nobody wrote down, and what the model thinks."""
    table = Table(title="Whose sex nobody wrote down", title_justify="left")
    for heading in ("species", "bill (mm)", "body mass (g)", "male (1) or female (0)?"):
        table.add_column(heading, justify="left" if heading == "species" else "right")
    guess, unsure = scaler.inverse_transform(filled)[:, -1], std[:, -1] * scaler.scale_[-1]
    missing = np.isnan(penguins.X)
    for i in np.flatnonzero(missing[:, -1] & ~missing[:, :-1].any(axis=1)):
        species = penguins.target_names[penguins.target[i]]
        bill, _, _, mass, _ = penguins.X[i]
        table.add_row(species, f"{bill:.1f}", f"{mass:.0f}", f"{guess[i]:.2f} ± {unsure[i]:.2f}")
    return table


@house_style()
def draw(penguins, rank, codes, scaler, X, filled, std, hidden) -> plt.Figure:
    """Three panels: how many components, the map of the rows, the filled values."""
    figure, (left, middle, right) = plt.subplots(
        1, 3, figsize=(13, 4.2), width_ratios=[1, 1.25, 1.1], layout="constrained"
    )
    rank.plot(ax=left)
    left.set_title("How many components?", weight="bold")

    holes = np.isnan(X).any(axis=1)
    for j, name in enumerate(penguins.target_names):
        here, color = penguins.target == j, PALETTE[j]
        middle.scatter(*codes[here & ~holes, :2].T, s=24, color=color, lw=0, label=name)
        middle.scatter(*codes[here & holes, :2].T, s=20, facecolor="none", edgecolor=color)
    middle.scatter([], [], s=20, facecolor="none", edgecolor=INK, label="with holes")
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
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "demo/penguins.png"))
