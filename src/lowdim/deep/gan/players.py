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

from lowdim.core.threads import shared_map
from lowdim.deep.engine import on_one_thread, torch_generator
from lowdim.deep.learner import Learner, Settings, Stepped
from lowdim.deep.optimizers import move
from lowdim.deep.processes import own_part, reduced
from lowdim.deep.vector import array_of

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
        import torch

        self.rule = settings.optimizer
        plain = settings._replace(optimizer="sgd" if self.rule == "sgd" else "adam")
        super().__init__(module, game.discriminator, plain, **arguments)
        self._game = {name: getattr(game, name) for name in PLAYERS}
        self._update, self._n_critic = update, n_critic
        self._of = {name: _Part(module, name) for name in PLAYERS}
        self._n_moves = dict.fromkeys(PLAYERS, 0)
        self._moved = torch.zeros_like(self.vector.all)  # how Adam last moved each weight

    def step(self, batch: tuple) -> Stepped:
        """Both players learn from one batch; the discriminator's loss, before they moved."""
        weight = self.weight_of(batch)
        last = (self.n_done + 1) % self._n_critic == 0  # the generator moves, too
        players = PLAYERS if last else PLAYERS[:1]
        start = self.vector.all.clone()
        loss = self._play(batch, players, 0, start)
        if self.rule == "extra_adam":
            self._play(batch, players, len(PLAYERS), start)
        if last and self.vector.average is not None:
            own = self._of["generator"].place
            self.vector.average[own].lerp_(self.vector.all[own], 1.0 - self._decay())
        self.n_done += 1
        return Stepped(loss, weight)

    def _play(self, batch: tuple, players: tuple, draw: int, start: Any) -> float:
        """Move players from `start`, by gradients where they are; the discriminator's loss."""
        losses, alternates = [], self._update == "alternating"
        for place, name in enumerate(players):
            draws = draw + (place if alternates else 0)  # else both see the same rows drawn
            losses.append(self._look(batch, name, draws))
            if alternates:
                self._descend(name, start)
        for name in () if alternates else players:
            self._descend(name, start)
        return losses[0]

    def _look(self, batch: tuple, name: str, draw: int) -> float:
        """The loss of a player; its gradient by row is left with shard 0.

        Where a step needs several looks, `draw` numbers those whose random numbers differ. Slopes
        of slopes are asked for: dense layers leave their gradients to autograd.
        """
        import torch

        from lowdim.deep.layers import with_noise

        own, of, weight = self._of[name], self._game[name], self.weight_of(batch)
        shards = own_part(list(enumerate(self._shards(batch))))
        gradients = self.vector.gradients(max(1, len(shards)))
        if not shards:  # under torchrun, others have them all
            gradients[0][0].zero_()

        def work(item: tuple) -> float:
            (number, rows), (_, parts) = item
            on_one_thread()
            noise = torch_generator(self.seed, self.n_done, number, draw)
            with self._precision(), with_noise(noise):
                loss = of(self.module, self.tensors(rows), noise)
            found = torch.autograd.grad(loss / weight, own.weights, allow_unused=True)
            for into, gradient in zip(parts[own.numbers], found, strict=True):
                into.zero_() if gradient is None else into.copy_(gradient)
            return loss.item()

        total = sum(shared_map(work, list(zip(shards, gradients, strict=False))), 0.0)
        gradient = gradients[0][0][own.place]
        for vector, _ in gradients[1:]:
            gradient += vector[own.place]
        return reduced(total, gradient)

    def _descend(self, name: str, start: Any) -> None:
        """Move a player from `start` down the gradient that is left with shard 0."""
        own, vector = self._of[name].place, self.vector
        gradient = vector.gradients(1)[0][0][own]
        self._clip(gradient)
        w = vector.all[own]
        w.copy_(start[own])
        memory = {key: part[own] for key, part in vector.memory.items()}
        self._n_moves[name] += 1
        move(self.settings, self.rate(), self._n_moves[name], w, gradient, memory)
        if self.rule == "optimistic_adam":  # twice this step, less the one before it
            moved = w - start[own]
            if self._n_moves[name] > 1:
                w += moved - self._moved[own]
            self._moved[own] = moved

    # ---- as arrays -------------------------------------------------------------------------------

    def weights(self) -> dict[str, np.ndarray]:
        """By name: the generator's average, where there is one, and the discriminator's weights."""
        found = super().weights()
        now = {n: w for n, w in self.module.named_parameters() if n.startswith("discriminator.")}
        return found | {n: array_of(w) for n, w in now.items()}

    def state(self) -> dict[str, Any]:
        """As of every learner, and how each player last moved, and how often."""
        moves = np.array([self._n_moves[name] for name in PLAYERS])
        return {**super().state(), "moved": array_of(self._moved), "n_moves": moves}

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from what `state` gave."""
        import torch

        super().restore(state)
        self._moved.copy_(torch.from_numpy(state["moved"]))
        self._n_moves = dict(zip(PLAYERS, map(int, state["n_moves"]), strict=True))


class _Part:
    """The weights of one player: tensors, their numbers among all, their place in the vector."""

    def __init__(self, module: Any, name: str):
        named = list(module.named_parameters())
        numbers = [i for i, (n, _) in enumerate(named) if n.startswith(f"{name}.")]
        self.numbers = slice(numbers[0], numbers[-1] + 1)
        self.weights = [w for _, w in named[self.numbers]]
        before = sum(w.numel() for _, w in named[: numbers[0]])
        self.place = slice(before, before + sum(w.numel() for w in self.weights))
