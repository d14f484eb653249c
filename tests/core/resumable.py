"""A fit with every difficulty of resuming, for test_session.py; as a script it can be killed.

    python resumable.py FOLDER RESULT.npz NUMBER    is killed in iteration NUMBER, if it is not 0

Several loops in one fit, random numbers that one loop takes from the generator of another, children
of that generator, and a fit within the fit.
"""

import os
import signal
import sys
from typing import ClassVar, NamedTuple

import numpy as np

from lowdim.core.config import config_context
from lowdim.core.estimator import Estimator
from lowdim.core.loop import fitting, iterate
from lowdim.core.random import random_generator
from lowdim.core.validation import check_weights

each_iteration = []  # functions that a test wants called with the number of iterations so far
_count = 0


class Sums(NamedTuple):
    weight: float
    sum_x: np.ndarray
    objective: float


def statistics(X, center, weight):
    w = np.ones(len(X)) if weight is None else weight
    return Sums(w.sum(), w @ X, w @ ((X - center) ** 2).sum(axis=1))


def tick():
    global _count
    _count += 1
    for function in each_iteration:
        function(_count)


class Coarse(Estimator):
    """The fit within the fit: walks to the mean from a random row in a few halving steps."""

    _parameter_constraints: ClassVar[dict] = {}

    def __init__(self, random_state=None):
        self.random_state = random_state

    @fitting
    def fit(self, X, y=None):
        rows = self.open_rows(X)
        random = random_generator(self.random_state)
        loop = iterate(self, rows.sample(1, random)[0], max_iter=3, tol=0)
        for center in loop:
            sums = rows.fold(statistics, center, along=(None,))
            tick()
            loop.record(sums.objective)
            loop.params = (center + sums.sum_x / sums.weight) / 2
        self.center_ = loop.params
        return self


class Wanderer(Estimator):
    """Wanders to the mean of the rows by halving steps with noise, from several starts."""

    _parameter_constraints: ClassVar[dict] = {}

    def __init__(self, n_starts=3, max_iter=5, tol=0.0, random_state=0):
        self.n_starts = n_starts
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    @fitting
    def fit(self, X, y=None, sample_weight=None):
        rows = self.open_rows(X)
        weight = check_weights(sample_weight, rows)
        random = random_generator(self.random_state)
        ends = []
        for _ in range(self.n_starts):
            start = Coarse(random_state=random).fit(X).center_
            loop = iterate(
                self,
                {"center": start, "random": random, "steps": [0]},
                max_iter=self.max_iter,
                tol=self.tol,
            )
            for params in loop:
                center, moving = params["center"], params["random"]
                sums = rows.fold(statistics, center, along=(weight,))
                tick()
                loop.record(sums.objective)
                noise = moving.normal() + moving.spawn(1)[0].normal(size=center.shape)
                loop.params = {
                    "center": (center + sums.sum_x / sums.weight) / 2 + noise / 100,
                    "random": moving,
                    "steps": [*params["steps"], len(params["steps"])],
                }
            ends.append((loop.history, loop.params["center"], loop.params["steps"]))
        self.histories_ = np.concatenate([history for history, _, _ in ends])
        self.centers_ = np.array([center for _, center, _ in ends])
        self.steps_ = np.concatenate([steps for _, _, steps in ends])
        self.last_draw_ = random.normal()  # where the shared generator has got to
        return self


class Scripted(Estimator):
    """Records the objectives it is given; its parameter is the number of the iteration."""

    _parameter_constraints: ClassVar[dict] = {}

    def __init__(self, objectives=(), tol=0.0, max_iter=None, changes=None, at=None):
        self.objectives = objectives
        self.tol = tol
        self.max_iter = max_iter
        self.changes = changes
        self.at = at

    @fitting
    def fit(self, X=None, y=None):
        max_iter = len(self.objectives) if self.max_iter is None else self.max_iter
        loop = iterate(self, 0, max_iter=max_iter, tol=self.tol)
        for i in loop:
            if self.at is not None:
                self.at(i)
            change = None if self.changes is None else self.changes[i]
            loop.record(self.objectives[i], change=change)
            loop.params = i + 1
        self.params_ = loop.params
        self.loop_ = loop
        return self


def data():
    return np.random.default_rng(7).normal(size=(60, 3))


def main(folder, result, number):
    if number:
        each_iteration.append(
            lambda count: os.kill(os.getpid(), signal.SIGKILL) if count == number else None
        )
    with config_context(checkpoint=folder, checkpoint_seconds=0):
        model = Wanderer().fit(data())
    np.savez(
        result, model.histories_, model.centers_, model.history_, model.last_draw_, model.steps_
    )


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
