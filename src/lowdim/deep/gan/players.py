"""Two networks that learn from each other: steps of both, with the same bits on any threads.

    adam          w := w - eta a(F(w))                    a: Adam's direction, F: both gradients
    extra_adam    v = w - eta a(F(w)),  w := w - eta a(F(v))       look ahead, step from the start
    optimistic    w := w - 2 eta a(F(w)) + eta a(F(w before))      the same, guessed from the last

'simultaneous': both players see each other as they were; 'alternating': the discriminator moves
first, and the generator sees it moved, in the look ahead as in the step. On a bilinear game plain
steps circle or leave, the other two come in (`lowdim.deep.play`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lowdim.deep.learner import Learner, Settings, Stepped

OPTIMIZERS = ("extra_adam", "adam", "optimistic_adam", "sgd")
PLAYERS = ("discriminator", "generator")


class Players(Learner):
    """Takes steps of a discriminator and a generator.

    Parameters
    ----------
    module : torch.nn.Module
        Its parts `discriminator` and `generator` have the weights.
    game : Game
        Its methods of these names are their losses, summed over the rows of a batch.
    settings : Settings
        With an optimizer of OPTIMIZERS. The average is that of the generator alone.
    update : {'alternating', 'simultaneous'}
    n_critic : int
        Steps of the discriminator for each of the generator.
    **arguments
        Of `Learner`.
    """

    def __init__(
        self,
        module: Any,
        game: Any,
        settings: Settings,
        *,
        update: str,
        n_critic: int,
        **arguments: Any,
    ):
        self.rule = settings.optimizer
        plain = settings._replace(optimizer="sgd" if self.rule == "sgd" else "adam")
        super().__init__(module, game.discriminator, plain, **arguments)
        self._losses = {name: getattr(game, name) for name in PLAYERS}
        self._of = {name: list(getattr(module, name).parameters()) for name in PLAYERS}
        self._update, self._n_critic = update, n_critic
        self._moved: dict[int, Any] = {}  # by place of a weight: how Adam last moved it

    def step(self, batch: tuple) -> Stepped:
        """Both players learn from one batch; the discriminator's loss, before they moved."""
        weight = self.weight_of(batch)
        for group in self._optimizer.param_groups:
            group["lr"] = self.rate()
        last = (self.n_done + 1) % self._n_critic == 0  # the generator moves, too
        players = PLAYERS if last else PLAYERS[:1]
        start = {id(w): w.detach().clone() for name in players for w in self._of[name]}
        loss = self._play(batch, players, 0, start)
        if self.rule == "extra_adam":
            self._play(batch, players, len(PLAYERS), start)
        self.n_done += 1
        if last:
            self._follow()
        return Stepped(loss, weight)

    def _play(self, batch: tuple, players: tuple, draw: int, start: dict) -> float:
        """Move players from `start`, by gradients where they are; the discriminator's loss."""
        seen = []
        for place, name in enumerate(players):
            alternates = self._update == "alternating"
            draws = draw + (place if alternates else 0)  # else both see the same rows drawn
            loss, gradients = self.summed(batch, self._losses[name], self._of[name], draws)
            seen.append((name, loss, gradients))
            if alternates:
                self._descend(name, gradients, self.weight_of(batch), start)
        if self._update == "simultaneous":
            for name, _, gradients in seen:
                self._descend(name, gradients, self.weight_of(batch), start)
        return seen[0][1]

    def _descend(self, name: str, gradients: list, weight: float, start: dict) -> None:
        """Move a player from `start` down these gradients."""
        import torch

        weights = self._of[name]
        with torch.no_grad():
            for w, g in zip(weights, gradients, strict=True):
                w.grad = g.div_(weight)
                w.copy_(start[id(w)])
        if self.settings.clip is not None:
            torch.nn.utils.clip_grad_norm_(weights, self.settings.clip)
        self._optimizer.step()  # of those that have a gradient
        self._optimizer.zero_grad(set_to_none=True)
        if self.rule == "optimistic_adam":
            self._look_back(weights, start)

    def _look_back(self, weights: list, start: dict) -> None:
        """Twice the step that was taken, less the one before it."""
        import torch

        with torch.no_grad():
            for w in weights:
                moved = w - start[id(w)]
                w += moved - self._moved.get(id(w), moved)
                self._moved[id(w)] = moved

    # ---- as arrays -------------------------------------------------------------------------------

    def weights(self) -> dict[str, np.ndarray]:
        """By name: the generator's average, where there is one, and the discriminator's weights."""
        found = super().weights()
        now = {n: w for n, w in self.module.named_parameters() if n.startswith("discriminator.")}
        return found | {n: w.detach().cpu().numpy().copy() for n, w in now.items()}

    def state(self) -> dict[str, Any]:
        moved = [self._moved.get(id(w)) for w in self._weights]
        none = np.empty(0)
        kept = [none if part is None else part.cpu().numpy().copy() for part in moved]
        return {**super().state(), "moved": kept}

    def restore(self, state: dict[str, Any]) -> None:
        import torch

        super().restore(state)
        pairs = zip(self._weights, state["moved"], strict=True)
        self._moved = {
            id(w): torch.from_numpy(part).to(w.device).clone() for w, part in pairs if part.size
        }
