"""The fit of t-SNE: phases, the loop over steps, and when it ends.

    early     P times early_exaggeration, steps of n / early_exaggeration: clusters form
    then      P times exaggeration (1), steps of n / exaggeration

An iteration of the loop is CHUNK steps. It records KL(P || Q) of the map that it starts from, for P
as it is, not exaggerated.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lowdim.core.loop import iterate
from lowdim.maps.tsne.attraction import Pairs, divergence
from lowdim.maps.tsne.descent import Forces, Layout, Phase, start_layout, stepped
from lowdim.maps.tsne.repulsion import Push, repulsion

CHUNK = 25
FIRST_LOOK = 50  # steps of a phase before it may end: a small map has small gradients


class Schedule(NamedTuple):
    """What holds when."""

    early: Phase
    late: Phase
    switch: int  # steps of the early phase
    steps: int  # at the most

    def at(self, step: int) -> Phase:
        return self.early if step < self.switch else self.late


def schedule_of(model: Any, n: int) -> Schedule:
    """The phases of a fit to n rows."""
    late = model.exaggeration or 1.0
    phases = (
        Phase(model.early_exaggeration, step_length(model, n, model.early_exaggeration), 0.0),
        Phase(late, step_length(model, n, late), 0.0),
    )
    early = phases[0]._replace(compression=model.early_compression)
    return Schedule(early, phases[1], model.early_exaggeration_iter, model.max_iter)


def step_length(model: Any, n: int, exaggeration: float) -> float:
    """The learning rate of a phase.

    Springs p_ij of the exaggerated P are stiff by up to 8 exaggeration / n, so that steps of this
    length are stable for any n. (scikit-learn takes at least 50, which relies on gains to shrink.)
    """
    if model.learning_rate != "auto":
        return float(model.learning_rate)
    return n / exaggeration / 4


def descend(
    model: Any, Y: np.ndarray, pairs: tuple[Pairs, Pairs], forces: Forces, schedule: Schedule
) -> Layout:
    """The map that the steps lead to.

    pairs are those of the early phase and those after it; `history_` is of the second.
    """
    chunks = -(-schedule.steps // CHUNK)
    final = pairs[1]
    loop = iterate(model, start_layout(Y), max_iter=chunks, tol=0, attributes=_attributes)
    for layout in loop:
        push = repulsion(layout.Y, *forces)
        kl = divergence(final, layout.Y, forces.dof, push.Z)
        moved, norm = _round(layout, pairs, forces, schedule, push)
        reason = _reason_to_stop(model, [*loop.history, kl], norm, layout, schedule)
        _tell_progress(model, layout.step, kl, norm, schedule, reason)
        is_early = layout.step < schedule.switch
        loop.record(kl, change=0.0 if reason and not is_early else np.inf)
        if reason:  # this map is the last one, of the early phase or of all
            moved = layout._replace(step=schedule.switch) if is_early else layout
        loop.params = moved._replace(early_rounds=layout.early_rounds + is_early)
    return loop.params


def _round(
    layout: Layout, pairs: tuple[Pairs, Pairs], forces: Forces, schedule: Schedule, push: Push
) -> tuple[Layout, float]:
    """The map after CHUNK steps, and the norm of the gradient at the first of them."""
    first, norm = layout.step, 0.0
    for step in range(first, min(first + CHUNK, schedule.steps)):
        here = pairs[step >= schedule.switch]
        known = push if step == first else None
        layout, size = stepped(layout, here, forces, schedule.at(step), known)
        norm = size if step == first else norm
    return layout, norm


def _attributes(layout: Layout) -> dict:
    return {"embedding_": layout.Y, "n_iter_": max(layout.step - 1, 0)}


def _reason_to_stop(
    model: Any, history: list[float], norm: float, layout: Layout, schedule: Schedule
) -> str:
    """Why the map of a round is the last one of its phase; "" if it is not."""
    is_early = layout.step < schedule.switch
    begun = layout.step - (0 if is_early else schedule.switch)
    if begun < FIRST_LOOK:
        return ""
    if norm <= model.min_grad_norm:
        return f"gradient norm {norm:f}"
    if is_early:
        return ""
    late = np.array(history[layout.early_rounds :])
    since = CHUNK * (len(late) - 1 - int(np.argmin(late)))
    most = model.n_iter_without_progress
    if since > most and since > 0:
        return f"did not make any progress during the last {most} episodes"
    return ""


# ---- what verbose asks for, in scikit-learn's words ----------------------------------------------


def tell(model: Any, text: str, level: int = 1) -> None:
    """A line for those who asked for it."""
    if model.verbose >= level:
        print(f"[t-SNE] {text}")


def _tell_progress(
    model: Any, step: int, kl: float, norm: float, schedule: Schedule, reason: str
) -> None:
    if step > 0 and step % FIRST_LOOK == 0:
        tell(model, f"Iteration {step}: error = {kl:.7f}, gradient norm = {norm:.7f}", level=2)
    if step == schedule.switch:
        tell(model, f"KL divergence after {step} iterations with early exaggeration: {kl:f}")
    if reason:
        tell(model, f"Iteration {step}: {reason}. Finished.", level=2)
