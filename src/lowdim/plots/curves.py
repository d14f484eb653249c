"""Numbers that are compared: variances, a criterion by size, an objective by iteration, models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lowdim.plots.checks import check_vector
from lowdim.plots.style import (
    INK,
    MAIN,
    MARK,
    MUTED,
    NAME,
    PALE,
    PALETTE,
    counted,
    house_style,
    legend,
    open_axes,
    percent,
    whole_numbers,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@house_style()
def scree(
    variance_ratio: Any,
    chosen: int | None = None,
    errors: Any = None,
    parallel: Any = None,
    *,
    ax: Axes | None = None,
) -> Axes:
    """Share of the variance that each component explains.

    Parameters
    ----------
    variance_ratio : array-like of shape (k,)
        Explained shares, between 0 and 1.
    chosen : int or None, default=None
        Number of components kept: they are filled, and their share is shown.
    errors : array-like of shape (k,) or None, default=None
        Standard errors of the shares.
    parallel : array-like of shape (k,) or None, default=None
        Shares that data without structure would give (parallel analysis).
    ax : matplotlib Axes or None, default=None
        Where to draw; None opens a new figure.
    """
    ratio = check_vector("variance_ratio", variance_ratio)
    errors = check_vector("errors", errors, len(ratio))
    parallel = check_vector("parallel", parallel, len(ratio))
    if chosen is not None and not 0 <= chosen <= len(ratio):
        raise ValueError(f"chosen={chosen} is not between 0 and the {len(ratio)} components.")
    ax = open_axes(ax, (6.4, 3.8))
    number = np.arange(1, len(ratio) + 1)
    kept = len(ratio) if chosen is None else chosen
    size = np.clip(160 / len(ratio), 2.5, 7)

    ax.plot(number, 100 * ratio, color=PALE, zorder=2)
    if errors is not None:
        style: dict[str, Any] = {"fmt": "none", "color": MUTED, "capsize": 2.5, "lw": 1}
        ax.errorbar(number, 100 * ratio, yerr=100 * errors, zorder=2, **style)
    dots: dict[str, Any] = {"linestyle": "none", "marker": "o", "markersize": size, "zorder": 3}
    ax.plot(number[:kept], 100 * ratio[:kept], color=MAIN, **dots)
    ax.plot(number[kept:], 100 * ratio[kept:], color=PALE, markerfacecolor="white", **dots)
    if parallel is not None:
        ax.plot(number, 100 * parallel, "--", color=MARK, lw=1.3, label="parallel analysis")
        ax.legend(loc="upper right")
    if chosen is not None:
        ax.axvline(chosen + 0.5, color=MUTED, lw=0.9, linestyle=":")
        share = percent(ratio[:chosen].sum())
        verb = "explains" if chosen == 1 else "explain"
        ax.set_title(f"{counted(chosen, 'component')} {verb} {share}")
    ax.set(xlabel="component", ylabel="variance explained (%)", xlim=(0.4, len(ratio) + 0.6))
    ax.set_ylim(bottom=0)
    whole_numbers(ax)
    return ax


@house_style()
def curve_with_errors(
    sizes: Any,
    curve: Any,
    errors: Any = None,
    choice: int | None = None,
    *,
    reference: Any = None,
    one_error_line: bool = True,
    xlabel: str = "number of components",
    ylabel: str = "held-out error",
    ax: Axes | None = None,
) -> Axes:
    """A criterion against the size of the model, and the size that was chosen.

    With standard errors, a band shows them, and a line the one-standard-error rule: the smallest
    model below it is as good as the best.

    Parameters
    ----------
    sizes, curve : array-like of shape (m,)
        Sizes compared, and the criterion for each.
    errors : array-like of shape (m,) or None, default=None
        Standard errors of the curve.
    choice : int or None, default=None
        The chosen one of `sizes`.
    reference : array-like of shape (m,) or None, default=None
        A second curve to hold the first against.
    one_error_line : bool, default=True
        Whether the line of the one-standard-error rule is drawn, where there are errors; not where
        higher is better.
    xlabel, ylabel : str
    ax : matplotlib Axes or None, default=None
    """
    sizes = check_vector("sizes", sizes)
    curve = check_vector("curve", curve, len(sizes))
    errors = check_vector("errors", errors, len(sizes))
    reference = check_vector("reference", reference, len(sizes))
    if choice is not None and choice not in sizes:
        raise ValueError(f"choice={choice} is not one of the {len(sizes)} sizes.")
    ax = open_axes(ax, (6.4, 3.8))
    marker_size = float(np.clip(160 / len(sizes), 2.5, 5))

    if errors is not None:
        band = {"color": MAIN, "alpha": 0.16, "lw": 0, "label": "± 1 SE"}
        ax.fill_between(sizes, curve - errors, curve + errors, **band)
    if errors is not None and one_error_line:
        best = int(np.nanargmin(curve))
        line = {"color": MUTED, "lw": 1, "linestyle": "--", "label": "best + 1 SE"}
        ax.axhline(curve[best] + errors[best], **line)
    if reference is not None:
        ax.plot(sizes, reference, color=MUTED, lw=1.3, linestyle="--", label="reference")
    ax.plot(sizes, curve, color=MAIN, marker="o", markersize=marker_size, zorder=3)
    if choice is not None:
        at = int(np.flatnonzero(sizes == choice)[0])
        ax.axvline(choice, color=MARK, lw=1, alpha=0.5, zorder=1)
        chosen = {"label": f"chosen: {choice}", "color": MARK, "linestyle": "none", "zorder": 4}
        ax.plot([choice], [curve[at]], marker="o", markersize=9, **chosen)
    if ax.get_legend_handles_labels()[0]:
        ax.legend(loc="best")
    ax.set(xlabel=xlabel, ylabel=ylabel)
    ax.margins(x=0.03)
    whole_numbers(ax)
    return ax


@house_style()
def trace(history: Any, *, ylabel: str = "objective", ax: Axes | None = None) -> Axes:
    """The objective, iteration by iteration.

    Parameters
    ----------
    history : array-like of shape (n_iter,), or mapping of names to such
        `history_` of a fitted model; several, to compare them.
    ylabel : str, default='objective'
    ax : matplotlib Axes or None, default=None
    """
    runs: Mapping[str, Any] = history if isinstance(history, Mapping) else {"": history}
    if not runs:
        raise ValueError("history is empty; give at least one run.")
    curves = {name: check_vector("history", values) for name, values in runs.items()}
    ax = open_axes(ax, (6.4, 3.8))
    longest = max(map(len, curves.values()))
    lines = []
    for j, values in enumerate(curves.values()):
        color = PALETTE[j % len(PALETTE)]
        number = np.arange(1, len(values) + 1)
        (line,) = ax.plot(number, values, color=color, marker="o" if longest <= 30 else "", ms=3.5)
        ax.plot(number[-1:], values[-1:], color=color, marker="o", ms=6, linestyle="none")
        lines.append(line)
    if isinstance(history, Mapping):
        legend(ax, lines, list(curves))
    else:
        ax.set_title(f"{values[-1]:.6g} after {counted(len(values), 'iteration')}")
    if longest > 50:
        ax.set_xscale("log")  # the first steps do most of the work
        ax.xaxis.set_major_formatter("{x:g}")
    else:
        whole_numbers(ax)
    ax.set(xlabel="iteration", ylabel=ylabel)
    return ax


@house_style()
def loss(
    history: Any, validation: Any = None, *, ylabel: str = "loss", ax: Axes | None = None
) -> Axes:
    """The loss of a network after each pass over the rows, and of rows that were held out.

    Parameters
    ----------
    history : array-like of shape (passes,)
        `history_` of a network.
    validation : array-like of shape (passes,) or None, default=None
        `validation_history_`: its lowest point, where the weights were kept, is marked.
    ylabel : str, default='loss'
    ax : matplotlib Axes or None, default=None
    """
    history = check_vector("history", history)
    validation = None if validation is None else check_vector("validation", validation)
    ax = open_axes(ax, (6.4, 3.8))
    number = np.arange(1, len(history) + 1)
    ax.plot(number, history, color=MAIN, marker="o" if len(history) <= 30 else "", ms=3.5)
    keys, names = [ax.lines[-1]], ["rows learned from"]
    if validation is None:
        passes = "1 pass" if len(history) == 1 else f"{len(history)} passes"
        ax.set_title(f"{history[-1]:.6g} after {passes}")
    else:
        own = np.arange(1, len(validation) + 1)
        best = int(np.nanargmin(validation))
        ax.plot(own, validation, color=MARK)
        keys, names = [*keys, ax.lines[-1]], [*names, "rows held out"]
        ax.plot([best + 1], [validation[best]], color=MARK, marker="o", ms=7, ls="none", zorder=3)
        ax.set_title(f"lowest on held-out rows: {validation[best]:.6g}, in pass {best + 1}")
        legend(ax, keys, names)
    everything = history if validation is None else np.concatenate([history, validation])
    ax.set(xlabel="pass", ylabel=ylabel, ylim=_without_the_start(everything, history))
    whole_numbers(ax)
    return ax


@house_style()
def noise_levels(kept: Any, added: Any, *, ax: Axes | None = None) -> Axes:
    """What is left of rows after each step of a diffusion, and how much noise is in them.

    Parameters
    ----------
    kept, added : array-like of shape (n_steps,)
        `alpha_bar` and `beta_bar` of a `DiffusionSchedule`.
    ax : matplotlib Axes or None, default=None

    Examples
    --------
    >>> from lowdim import plots
    >>> ax = plots.noise_levels([0.8, 0.1], [0.6, 0.99])
    """
    kept = check_vector("kept", kept)
    added = check_vector("added", added, len(kept))
    ax = open_axes(ax, (6.4, 3.8))
    number = np.arange(len(kept) + 1)
    ax.plot(number, np.append(1.0, kept), color=MAIN)
    ax.plot(number, np.append(0.0, added), color=MARK)
    legend(ax, ax.lines, ["what is left of a row", "noise"])
    even = int(np.argmax(added >= kept)) + 1 if (added >= kept).any() else None
    title = (
        "more row than noise to the end" if even is None else f"as much noise as row: t = {even}"
    )
    ax.set(xlabel="step t", ylabel="factor", title=title, ylim=(-0.02, 1.05))
    whole_numbers(ax)
    return ax


def _without_the_start(values: np.ndarray, history: np.ndarray) -> tuple[float, float] | None:
    """Limits that leave a high first pass out, where it would flatten all others."""
    finite = values[np.isfinite(values)]
    if len(history) < 5 or not len(finite):
        return None
    low, high = finite.min(), finite.max()
    usual = max(history[1], np.quantile(finite, 0.9))
    if high - low <= 4 * (usual - low):
        return None
    return low - 0.05 * (usual - low), usual + 0.15 * (usual - low)


@house_style()
def comparison(
    names: Sequence[Any],
    losses: Any,
    errors: Any,
    good: Any,
    *,
    xlabel: str = "held-out error",
    baseline: float | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Losses with bars of two standard errors, one model a line, in the order given.

    Parameters
    ----------
    names : sequence of str
    losses, errors : array-like of shape (models,)
    good : array-like of bool, shape (models,)
        The best, and what cannot be distinguished from it: filled dots.
    xlabel : str, default='held-out error'
    baseline : float or None, default=None
        A line to compare with.
    ax : matplotlib Axes or None, default=None
    """
    losses = check_vector("losses", losses)
    errors = check_vector("errors", errors, len(losses))
    names = [str(name) for name in names]
    if len(names) != len(losses):
        raise ValueError(f"names has {len(names)} entries where {len(losses)} are needed.")
    good = np.asarray(good, dtype=bool)
    if good.shape != losses.shape:
        raise ValueError(f"good has shape {good.shape}; there are {len(losses)} losses.")
    ax = open_axes(ax, (6.4, 1.2 + 0.32 * len(names)))
    place = np.arange(len(names))
    ax.errorbar(losses, place, xerr=2 * errors, fmt="none", color=MUTED, capsize=2.5, lw=1)
    dots: dict[str, Any] = {"ls": "none", "marker": "o", "ms": 7, "zorder": 3}
    ax.plot(losses[~good], place[~good], mfc="white", mec=MAIN, label="worse", **dots)
    ax.plot(losses[good], place[good], color=MAIN, label="best, or tied with it", **dots)
    if baseline is not None:
        ax.axvline(baseline, color=MARK, lw=1.2, ls="--", zorder=1)
    for at in place:
        ax.annotate(
            f"{losses[at]:.3g}",
            (losses[at], at),
            (0, 6),
            textcoords="offset points",
            ha="center",
            color=INK,
            fontsize=8,
        )
    ax.set_yticks(place, names, **NAME)
    ax.set_ylim(len(names) - 0.5, -0.7)  # the best on top
    ax.set_xlabel(xlabel)
    ax.grid(False, axis="y")
    return ax
