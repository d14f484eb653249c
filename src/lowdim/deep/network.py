"""`Network`: what every network inherits. Shared arguments, learning, and weights as plain arrays.

    fit    open the rows, check;  learn the sizes;  `_learn` (train.py);  publish `weights_`
    use    `_run`: blocks of rows through a method of the module, with our threads

A model is its weights: `weights_`, arrays by name, which files hold. The torch module is made of
them when it is first asked for (`module_`), so a model that was loaded or unpickled needs torch
only when it is used.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from lowdim.core.blocks import Blocks
from lowdim.core.constraints import (
    AT_LEAST_1,
    NOT_NEGATIVE,
    POSITIVE,
    RANDOM_STATE,
    Integral,
    Interval,
    Real,
    StrOptions,
)
from lowdim.core.estimator import Estimator
from lowdim.core.persistence import Tensors
from lowdim.core.shapes import Anything, Maybe
from lowdim.deep.batches import Plan, plan_of
from lowdim.deep.engine import configured_device, one_torch_thread, torch_for, torch_generator
from lowdim.deep.learner import SHARD, Learner, Loss, Settings
from lowdim.deep.optimizers import OPTIMIZERS, SCHEDULES
from lowdim.deep.starting import module_of, module_with
from lowdim.deep.train import Stopping, Trained, train

SHARED_ARGUMENTS: dict[str, list] = {
    "hidden": ["array-like", AT_LEAST_1],
    "activation": [StrOptions({"relu", "tanh", "logistic", "gelu", "silu", "identity"})],
    "max_iter": [AT_LEAST_1],
    "batch_size": [AT_LEAST_1],
    "optimizer": [StrOptions(set(OPTIMIZERS))],
    "learning_rate": [POSITIVE],
    "schedule": [StrOptions(set(SCHEDULES))],
    "weight_decay": [NOT_NEGATIVE],
    "dropout": [Interval(Real, 0, 1, closed="left")],
    "clip": [POSITIVE, None],
    "early_stopping": ["boolean"],
    "validation_fraction": [Interval(Real, 0, 1, closed="neither")],
    "n_iter_no_change": [AT_LEAST_1],
    "tol": [NOT_NEGATIVE],
    "average": [Interval(Real, 0, 1, closed="left")],
    "precision": [StrOptions({"single", "double", "mixed"})],
    "random_state": RANDOM_STATE,
}
MOST_HELD_OUT = 10_000  # rows by which a fit is stopped early
WARM_UP = 0.02  # of all steps


class Network(Estimator):
    """A model that is a torch module with learned weights.

    A class says how its module is made of what `fit` has learned (`_make`), and what the loss of a
    batch is; it has the shared arguments, listed in SHARED_ARGUMENTS, as attributes.
    """

    keeps_bytes: ClassVar[bool] = True
    not_saved: ClassVar[frozenset[str]] = frozenset({"_module", "_memory"})
    shapes: ClassVar[dict] = {
        "weights_": Anything(),
        "validation_history_": Maybe(("iterations",)),
        **{name: Maybe(Anything()) for name in ("_memory", "_module")},  # in no file
    }

    weights_: dict[str, np.ndarray]
    history_: np.ndarray

    @abstractmethod
    def _make(self) -> Any:
        """The module, from the constructor's arguments and sizes that `fit` has set."""

    def _buffers(self) -> dict[str, np.ndarray]:
        """What the module has beside weights, by name: means and scales of columns, say."""
        return {}

    def _batch_size(self, n: int) -> int:
        """Rows of a batch, of n rows in all."""
        return self.batch_size

    def _shard_size(self) -> int:
        """Rows of a part of a batch, at least, on which a thread works."""
        return SHARD

    def _step_limit(self) -> int | None:
        """Steps of a fit at the most; None: as many as its passes have."""
        return None

    def _prepare(self) -> Callable[[np.ndarray], np.ndarray] | None:
        """What the network sees of an array of rows; None: the rows themselves."""
        return None

    @property
    def module_(self) -> Any:
        """The torch module with the learned weights."""
        check_is_fitted(self, "weights_")
        if "_module" not in self.__dict__:
            torch_for(type(self).__name__)
            module = module_with(self.weights_, self._make, self._buffers())
            self._module = module.to(configured_device()).eval()
        return self._module

    def __getstate__(self) -> dict:
        return {k: v for k, v in super().__getstate__().items() if k != "_module"}

    # ---- learn -----------------------------------------------------------------------------------

    def _learn(
        self,
        rows: Blocks,
        along: Sequence,
        loss: Loss,
        seed: int,
        *,
        penalty: Callable[[Any], Any] | None = None,
        weighted: bool = False,
        more: bool = False,
        straight: Callable[..., float | None] | None = None,
        draw: Callable[..., tuple] | None = None,
    ) -> None:
        """Learn the weights by `max_iter` passes over the rows, or by one more.

        `along` are companions of the rows, the last one their weights if `weighted`; `straight` and
        `draw` are the learner's.
        """
        torch_for(type(self).__name__)
        before = self.history_ if more and hasattr(self, "weights_") else np.empty(0)
        batch_size = self._batch_size(rows.shape[0])
        plan = plan_of(rows, batch_size, seed + len(before))  # another order in each call
        passes = 1 if more else self.max_iter
        n_batches = sum(cut.last - cut.first for cut in plan.slices)
        limit = None if more else self._step_limit()
        n_steps = passes * n_batches if limit is None else min(passes * n_batches, limit)
        with one_torch_thread():
            module = module_of(self._make, torch_generator(seed), self._buffers())
            if hasattr(module, "start"):
                module.start()  # where it does not start at random
            learner = self._new_learner(
                module,
                loss,
                self._settings(n_steps, more),
                n_steps=n_steps,
                seed=seed,
                device=configured_device(),
                penalty=penalty,
                weighted=weighted,
                prepare=self._prepare(),
                shard=self._shard_size(),
                straight=straight,
                draw=draw,
            )
        if more and hasattr(self, "weights_"):
            learner.put(self.weights_)
            if "_memory" in self.__dict__:
                learner.restore(self._memory)
        trained = self._trained(learner, rows, along, plan, passes, loss, seed, limit)
        self._publish(learner, trained, before)

    @property
    def _rate_schedule(self) -> str:
        """How the learning rate falls with the steps."""
        return self.schedule

    def _new_learner(self, module: Any, loss: Any, settings: Settings, **arguments: Any) -> Learner:
        """What takes the steps; `loss` is what the class gave to `_learn`."""
        return Learner(module, loss, settings, **arguments)

    def _settings(self, n_steps: int, more: bool) -> Settings:
        falls = self._rate_schedule
        return Settings(
            optimizer=self.optimizer,
            learning_rate=float(self.learning_rate),
            schedule="constant" if more else falls,
            warm_up=0 if more or falls != "cosine" else int(WARM_UP * n_steps),
            weight_decay=float(self.weight_decay),
            clip=self.clip,
            average=float(self.average),
            precision=self.precision,
        )

    def _trained(
        self,
        learner: Learner,
        rows: Blocks,
        along: Sequence,
        plan: Plan,
        passes: int,
        loss: Loss,
        seed: int,
        max_steps: int | None = None,
    ) -> Trained:
        held_out, left_out = None, None
        if self.early_stopping:
            left_out = _held_out_rows(rows.shape[0], self.validation_fraction, seed)
            part = (rows.take(left_out), *(None if c is None else c[left_out] for c in along))
            held_out = _HeldOut(learner, loss, part, seed)
        patience = self.n_iter_no_change if self.early_stopping or self.tol > 0 else 0
        return train(
            self,
            learner,
            rows,
            along,
            plan,
            max_iter=passes,
            max_steps=max_steps,
            stopping=Stopping(float(self.tol), patience),
            held_out=held_out,
            left_out=left_out,
        )

    def _publish(self, learner: Learner, trained: Trained, before: np.ndarray) -> None:
        self.weights_ = Tensors(trained.weights)  # in files they are one entry
        self._memory = learner.state()
        self.__dict__.pop("_module", None)
        self.history_ = np.concatenate([before, trained.history])
        self.n_iter_ = len(self.history_)
        self.validation_history_ = trained.validation_history

    # ---- use -------------------------------------------------------------------------------------

    def _run(self, rows: Blocks, method: str, *arguments: Any) -> Any:
        """What a method of the module gives for each row, computed in the precision of the rows."""
        return rows.map(run, self.module_, method, arguments)


@one_torch_thread()
def run(X: np.ndarray, module: Any, method: str, arguments: tuple) -> Any:
    """What a method of a module gives for a block of rows: an array, or a tuple of them."""
    import torch

    device = next(module.parameters()).device
    double = X.dtype == np.float64 and device.type == "cpu"  # rows agree to its last digits
    module = in_double(module) if double else module
    with torch.no_grad():
        tensor = torch.from_numpy(np.ascontiguousarray(X)).to(device)
        found = getattr(module, method)(tensor, *arguments)
    if isinstance(found, tuple):
        return tuple(_as_array(part, X.dtype) for part in found)
    return _as_array(found, X.dtype)


def _as_array(tensor: Any, dtype: np.dtype) -> np.ndarray:
    return tensor.cpu().numpy().astype(dtype, copy=False)


def in_double(module: Any) -> Any:
    """A copy of the module in float64, made once."""
    import copy

    double = getattr(module, "in_double", None)
    if double is None:
        double = copy.deepcopy(module).double()
        object.__setattr__(module, "in_double", double)  # not as one of its parts
    return double


def _held_out_rows(n: int, fraction: float, seed: int) -> np.ndarray:
    """Numbers of the rows that are left out of learning, rising: at least one, and not all."""
    count = min(max(1, round(fraction * n)), MOST_HELD_OUT)
    if count >= n:
        raise ValueError(
            f"early_stopping=True holds {count} of {n} rows out; none is left to learn from. Give "
            "more rows, or early_stopping=False."
        )
    return np.sort(np.random.default_rng([seed, n]).choice(n, count, replace=False))


def sizes_of(hidden: Any, name: str = "hidden") -> tuple[int, ...]:
    """Sizes of hidden layers, as given: a number for one layer, or a sequence; () for none."""
    sizes = (hidden,) if isinstance(hidden, Integral) else tuple(hidden)
    if not all(isinstance(size, Integral) and int(size) > 0 for size in sizes):
        raise ValueError(
            f"{name}={hidden!r} must be the numbers of units of the hidden layers, each at least "
            "1, such as (256, 64); () for none."
        )
    return tuple(int(size) for size in sizes)


class _HeldOut:
    """The mean loss on held-out rows, with the weights that the learner would publish."""

    def __init__(self, learner: Learner, loss: Loss, part: tuple, seed: int):
        self._learner, self._loss, self._part, self._seed = learner, loss, part, seed

    def __call__(self) -> float:
        import torch

        learner = self._learner
        kept = learner.state()
        learner.put(learner.weights())  # the average, if there is one
        learner.module.eval()
        try:
            with torch.no_grad():
                noise = torch_generator(self._seed)
                tensors = learner.drawn(learner.tensors(self._part), noise)
                loss = self._loss(learner.module, tensors, noise).item()
        finally:
            learner.module.train()
            learner.restore(kept)
        return loss / learner.weight_of(self._part)
