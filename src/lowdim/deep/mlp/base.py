"""What the classifier and the regressor share: arguments, learning, layers.

    minimise over W, b    (sum_i w_i loss(f(x_i), y_i) + alpha / 2 sum_l |W_l|^2) / sum_i w_i

by steps on batches (steps.py, on the trainer of all networks) or by L-BFGS (search.py). What the
network predicts is computed in NumPy (forward.py).
"""

from __future__ import annotations

import math
import warnings
from abc import abstractmethod
from collections.abc import Callable
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split
from sklearn.utils.validation import check_is_fitted

from lowdim.core.blocks import Blocks
from lowdim.core.calling import level_of_caller
from lowdim.core.constraints import (
    AT_LEAST_1,
    NOT_NEGATIVE,
    POSITIVE,
    RANDOM_STATE,
    Interval,
    Options,
    Real,
    StrOptions,
)
from lowdim.core.random import random_generator
from lowdim.core.shapes import Anything, Maybe
from lowdim.core.validation import check_weights
from lowdim.deep.batches import plan_of
from lowdim.deep.engine import configured_device, torch_for
from lowdim.deep.learner import SHARD, Settings
from lowdim.deep.mlp.forward import layer
from lowdim.deep.mlp.search import minimised
from lowdim.deep.mlp.steps import DenseSteps
from lowdim.deep.network import Network, sizes_of
from lowdim.deep.starting import module_with
from lowdim.deep.train import Stopping, Trained, train

SHARE = Interval(Real, 0, 1, closed="left")
ARGUMENTS: dict[str, list] = {
    "hidden_layer_sizes": ["array-like", AT_LEAST_1],
    "activation": [StrOptions({"identity", "logistic", "tanh", "relu"})],
    "solver": [StrOptions({"lbfgs", "sgd", "adam", "adamw", "adagrad"})],
    "alpha": [NOT_NEGATIVE],
    "batch_size": [StrOptions({"auto"}), AT_LEAST_1],
    "learning_rate": [StrOptions({"constant", "invscaling", "adaptive"})],
    "learning_rate_init": [POSITIVE],
    "power_t": [NOT_NEGATIVE],
    "max_iter": [AT_LEAST_1],
    "shuffle": ["boolean"],
    "random_state": RANDOM_STATE,
    "tol": [NOT_NEGATIVE],
    "verbose": ["verbose"],
    "warm_start": ["boolean"],
    "momentum": [Interval(Real, 0, 1, closed="both")],
    "nesterovs_momentum": ["boolean"],
    "early_stopping": ["boolean"],
    "validation_fraction": [SHARE],
    "beta_1": [SHARE],
    "beta_2": [SHARE],
    "epsilon": [POSITIVE],
    "n_iter_no_change": [AT_LEAST_1, Options(Real, {np.inf})],
    "max_fun": [AT_LEAST_1],
    "dropout": [SHARE],
    "input_dropout": [SHARE],
}
WORK_OF_A_SHARD = 1.2e8  # operations: less is done sooner by one thread


def is_stochastic(estimator: Any) -> bool:
    """Whether `partial_fit` is there: it takes steps on batches."""
    if estimator.solver == "lbfgs":
        raise AttributeError(
            "partial_fit is only available for stochastic optimizers; solver='lbfgs' is not "
            "stochastic. Choose 'adam', 'adamw', 'adagrad' or 'sgd'."
        )
    return True


class Perceptrons(Network):
    """A network of dense layers; its classes say what y is (`_targets`, `_agreement`)."""

    accepts_sparse: ClassVar[bool] = True
    _parameter_constraints: ClassVar[dict] = ARGUMENTS

    coefs_: list[np.ndarray]
    intercepts_: list[np.ndarray]
    loss_curve_: list[float] | None
    validation_scores_: list[float] | None

    @abstractmethod
    def _targets(self, y: Any, n: int, keep: bool, more: bool = False) -> np.ndarray:
        """y as the loss takes it; sets `n_outputs_` and `out_activation_`."""

    @abstractmethod
    def _agreement(self, output: np.ndarray, y: np.ndarray, weight: np.ndarray | None) -> float:
        """The score by which a fit is stopped early."""

    def _shapes(self) -> dict[str, Any]:
        hidden = [f"h{i}" for i in range(len(sizes_of(self.hidden_layer_sizes)))]
        sizes = ["d", *hidden, "outputs"]
        found = {
            **super()._shapes(),
            "n_outputs_": "outputs",
            "coefs_": list(pairwise(sizes)),
            "intercepts_": [(size,) for size in sizes[1:]],
            "out_activation_": Anything(),
            "n_layers_": (),
            "t_": (),
            "loss_": (),
            **{name: Maybe(Anything()) for name in ("loss_curve_", "validation_scores_")},
            **{name: Maybe(()) for name in ("best_loss_", "best_validation_score_")},
        }
        del found["weights_"], found["validation_history_"]
        return found

    # ---- as a torch module -----------------------------------------------------------------------

    @property
    def weights_(self) -> dict[str, np.ndarray]:  # type: ignore[override]
        """Weights by their names in the torch module."""
        weights = {f"linear.{i}.weight": W.T for i, W in enumerate(self.coefs_)}
        return weights | {f"linear.{i}.bias": b for i, b in enumerate(self.intercepts_)}

    @property
    def module_(self) -> Any:
        """The torch module with the learned weights; it gives scores, before the output's own
        activation.
        """
        check_is_fitted(self, "coefs_")
        torch = torch_for(type(self).__name__)
        module = self._module_of(self.weights_)
        return module.to(configured_device(), torch.from_numpy(self.coefs_[0]).dtype).eval()

    def _module_of(self, weights: dict[str, np.ndarray]) -> Any:
        import torch

        dtype = torch.from_numpy(self.coefs_[0]).dtype
        return module_with(weights, self._make, dtype=dtype)

    def _make(self) -> Any:
        from lowdim.deep.mlp.module import Perceptron

        sizes = [len(self.coefs_[0]), *(len(b) for b in self.intercepts_)]
        return Perceptron(sizes, self.activation, self.dropout, self.input_dropout)

    def _set(self, weights: dict[str, np.ndarray], dtype: Any) -> None:
        n_layers = len(weights) // 2
        weights = {name: w.astype(dtype, copy=False) for name, w in weights.items()}
        if not all(np.isfinite(w).all() for w in weights.values()):
            raise ValueError(
                "Solver produced non-finite parameter weights. The input data may contain large "
                "values and need to be preprocessed."
            )
        self.coefs_ = [
            np.ascontiguousarray(weights[f"linear.{i}.weight"].T) for i in range(n_layers)
        ]
        self.intercepts_ = [weights[f"linear.{i}.bias"] for i in range(n_layers)]

    # ---- learn -----------------------------------------------------------------------------------

    def _fit(self, X: Any, y: Any, sample_weight: Any, *, more: bool) -> Any:
        torch_for(type(self).__name__)
        self._check_noise()
        if self.early_stopping and more:
            raise ValueError("partial_fit does not support early_stopping=True")
        keep = hasattr(self, "coefs_") and (more or self.warm_start)
        rows = self.open_rows(X, reset=not keep)
        n, d = rows.shape
        targets = self._targets(y, n, keep, more)
        weight = check_weights(sample_weight, rows)
        seed = int(random_generator(self.random_state).integers(2**32))
        sizes = [d, *sizes_of(self.hidden_layer_sizes, "hidden_layer_sizes"), self.n_outputs_]
        if keep:
            self._check_sizes(sizes)
        else:
            self._start(sizes, rows.dtype, seed)
        if self.solver == "lbfgs":
            self._search(rows, targets, weight)
        else:
            self._descend(rows, targets, weight, seed, more)
        return self

    def _check_noise(self) -> None:
        for name in ("dropout", "input_dropout"):
            if self.solver == "lbfgs" and getattr(self, name) > 0:
                raise ValueError(
                    f"{name}={getattr(self, name)} draws noise for each step, and solver='lbfgs' "
                    "needs a loss that does not change; choose solver='adam', or 0."
                )

    def _check_sizes(self, sizes: list[int]) -> None:
        found = [len(self.coefs_[0]), *(len(b) for b in self.intercepts_)]
        if found != sizes:
            self.n_outputs_ = found[-1]
            raise ValueError(
                f"The fit goes on from layers of {found} units, and {sizes} are asked for; set "
                "warm_start=False to begin anew."
            )

    def _start(self, sizes: list[int], dtype: Any, seed: int) -> None:
        """Weights uniform within sqrt(6 / (in + out)), with 2 for 6 if units are logistic."""
        random = np.random.default_rng([seed, 0])
        factor = 2.0 if self.activation == "logistic" else 6.0
        self.coefs_, self.intercepts_ = [], []
        for a, b in pairwise(sizes):
            limit = math.sqrt(factor / (a + b))
            self.coefs_.append(random.uniform(-limit, limit, (a, b)).astype(dtype))
            self.intercepts_.append(random.uniform(-limit, limit, b).astype(dtype))
        self.n_layers_, self.t_ = len(sizes), 0
        for name in ("_memory", "loss_curve_", "validation_scores_"):
            self.__dict__.pop(name, None)

    def _search(self, rows: Blocks, targets: np.ndarray, weight: np.ndarray | None) -> None:
        found = minimised(self, rows, targets, weight, self._module_of(self.weights_))
        self._set(found.weights, rows.dtype)
        self.loss_, self.n_iter_ = found.loss, found.n_iter
        self.history_, self.converged_ = found.history, found.converged
        self.loss_curve_ = self.best_loss_ = None
        self.validation_scores_ = self.best_validation_score_ = None

    def _descend(
        self,
        rows: Blocks,
        targets: np.ndarray,
        weight: np.ndarray | None,
        seed: int,
        more: bool,
    ) -> None:
        order = int(np.random.SeedSequence([seed, self.t_]).generate_state(1)[0])
        plan = plan_of(rows, self._batch_rows(rows.shape[0]), order, bool(self.shuffle))
        passes = 1 if more else self.max_iter
        n_batches = sum(cut.last - cut.first for cut in plan.slices)
        learner = self._learner(rows.dtype, weight is not None, seed, passes * n_batches)
        if more and self.__dict__.get("_memory", {}).get("solver") == self.solver:
            learner.restore(self._memory)
            learner.put(self.weights_)
        along = (targets,) if weight is None else (targets, weight)
        held_out, left_out = None, None
        if self.early_stopping:
            left_out = self._held_out_rows(targets, seed)
            held_out = self._held_out(learner, rows, along, left_out)
        n = rows.shape[0] - (0 if left_out is None else len(left_out))
        patience = 0 if math.isinf(self.n_iter_no_change) else int(self.n_iter_no_change) + 1
        trained = train(
            self,
            learner,
            rows,
            along,
            plan,
            max_iter=passes,
            stopping=Stopping(float(self.tol), patience),
            held_out=held_out,
            left_out=left_out,
            pass_ends=self._pass_ends(learner, n),
        )
        self._publish_descent(learner, trained, rows.dtype, n, more)

    def _batch_rows(self, n: int) -> int:
        if self.batch_size == "auto":
            return min(200, n)
        if self.batch_size > n:
            warnings.warn(
                f"Got `batch_size` less than 1 or larger than sample size: {self.batch_size} for "
                f"{n} rows. It is going to be clipped.",
                UserWarning,
                stacklevel=level_of_caller(),
            )
        return int(min(self.batch_size, n))

    def _learner(self, dtype: Any, weighted: bool, seed: int, n_steps: int) -> DenseSteps:
        from lowdim.deep.losses import SumOfLosses

        optimizer = self.solver
        if optimizer == "sgd" and self.momentum > 0:
            optimizer = "nesterov" if self.nesterovs_momentum else "heavy_ball"
        device = configured_device()
        double = dtype == np.float64 and device.type != "mps"
        settings = Settings(
            optimizer=optimizer,
            learning_rate=float(self.learning_rate_init),
            momentum=float(self.momentum),
            betas=(float(self.beta_1), float(self.beta_2)),
            eps=float(self.epsilon),
            precision="double" if double else "single",
        )
        work = 6.0 * sum(W.size for W in self.coefs_)
        return DenseSteps(
            self._module_of(self.weights_),
            SumOfLosses(self.out_activation_),
            settings,
            n_steps=n_steps,
            seed=seed,
            device=device,
            weighted=weighted,
            shard=max(SHARD, math.ceil(WORK_OF_A_SHARD / work)),
            noisy=self.dropout > 0 or self.input_dropout > 0,
            alpha=float(self.alpha),
            out=self.out_activation_,
        )

    def _pass_ends(self, learner: DenseSteps, n: int) -> Callable[[int, float, bool], bool]:
        """What happens between passes: words, and another learning rate."""
        rows_before = self.t_
        changes = self.solver == "sgd"  # the others have rates of their own

        def ends(number: int, loss: float, stop: bool) -> bool:
            if self.verbose:
                print(f"Iteration {number + 1}, loss = {loss:.8f}")
            if changes and self.learning_rate == "invscaling":
                seen = rows_before + (number + 1) * n
                learner.rate_now = self.learning_rate_init / (seen + 1) ** self.power_t
            if stop and changes and self.learning_rate == "adaptive":
                return not learner.slower()
            return stop

        return ends

    def _held_out_rows(self, targets: np.ndarray, seed: int) -> np.ndarray:
        one_of_two = self.out_activation_ == "logistic" and self.n_outputs_ == 1
        _, held = train_test_split(
            np.arange(len(targets)),
            random_state=seed,
            test_size=self.validation_fraction,
            stratify=targets == 1 if one_of_two else None,
        )
        if len(held) < 2:
            raise ValueError(
                f"The validation set is too small ({len(held)} rows). Increase "
                "'validation_fraction' or the size of your dataset."
            )
        return np.sort(held)

    def _held_out(
        self, learner: DenseSteps, rows: Blocks, along: tuple, left_out: np.ndarray
    ) -> Callable[[], float]:
        X = rows.take(left_out)
        y, *weight = (part[left_out] for part in along)

        def loss() -> float:
            weights = learner.weights()
            coefs = [w.T for name, w in weights.items() if name.endswith("weight")]
            intercepts = [w for name, w in weights.items() if name.endswith("bias")]
            output = layer(X, coefs, intercepts, self.activation, self.out_activation_)
            if not np.isfinite(output).all():
                return math.nan
            return -self._agreement(output, y, weight[0] if weight else None)

        return loss

    def _publish_descent(
        self, learner: DenseSteps, trained: Trained, dtype: Any, n: int, more: bool
    ) -> None:
        self._set(trained.weights, dtype)
        self._memory = {**learner.state(), "solver": self.solver}
        curve = [*(self.__dict__.get("loss_curve_") or []), *trained.history.tolist()]
        self.loss_curve_, self.loss_ = curve, curve[-1]
        self.t_ += n * self.n_iter_
        if trained.validation_history is None:
            self.validation_scores_ = self.best_validation_score_ = None
            self.best_loss_ = min(curve)
        else:
            before = self.__dict__.get("validation_scores_") or []
            scores = [*before, *(-trained.validation_history).tolist()]
            self.validation_scores_, self.best_validation_score_ = scores, max(scores)
            self.best_loss_ = None
        if not more and not self.converged_ and self.n_iter_ == self.max_iter:
            warnings.warn(
                f"Stochastic Optimizer: Maximum iterations ({self.max_iter}) reached and the "
                "optimization hasn't converged yet. Raise max_iter or tol.",
                ConvergenceWarning,
                stacklevel=level_of_caller(),
            )

    # ---- use -------------------------------------------------------------------------------------

    def _output(self, X: Any, stop: int | None = None) -> Any:
        rows = self.open_rows(X, reset=False)
        weights = (self.coefs_, self.intercepts_)
        return rows.map(layer, *weights, self.activation, self.out_activation_, stop)

    def activations(self, X, layer=-1):
        """The values of a hidden layer for each row: a representation that was learned with y.

        Parameters
        ----------
        X : matrix, data frame, stream or Dask array of shape (n_samples, n_features)
        layer : int, default=-1
            Which hidden layer, from 0; the last one is -1.

        Returns
        -------
        ndarray of shape (n_samples, units of the layer)
        """
        check_is_fitted(self, "coefs_")
        hidden = len(self.coefs_) - 1
        if hidden == 0:
            raise ValueError("The network has no hidden layers; give it some: (100,), say.")
        if not -hidden <= layer < hidden:
            raise ValueError(
                f"layer={layer} is not one of the {hidden} hidden layers; choose an int from "
                f"{-hidden} to {hidden - 1}."
            )
        return self._output(X, layer % hidden + 1)
