"""What networks with a bound of log p(x) share: arguments, learning, kinds of columns, noise.

    maximise over all weights    1/n sum_i [ E_q log p(x_i | z) - beta KL(q(z | x_i) | p(z)) ]

A class says of how many layers a code is (`_layers`), and what its module is (`_module_of`).
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np

from lowdim.core.blocks import Blocks
from lowdim.core.constraints import AT_LEAST_1, NOT_NEGATIVE, POSITIVE, StrOptions
from lowdim.core.loop import fitting
from lowdim.core.shapes import Anything, Maybe
from lowdim.deep.coder import CODING_ARGUMENTS
from lowdim.deep.network import sizes_of
from lowdim.deep.vae.generative import GenerativeNetwork
from lowdim.deep.vae.likelihoods import Layout, check_values, kinds_of, levels_of
from lowdim.linalg.observed import column_sizes

ARGUMENTS: dict[str, list] = {
    **CODING_ARGUMENTS,
    "likelihood": [str, "array-like", dict],
    "noise": [StrOptions({"column", "shared", "row"}), POSITIVE],
    "posterior": [StrOptions({"diagonal", "rank1", "full"})],
    "gradient": [StrOptions({"reparam", "reinforce"})],
    "n_samples": [AT_LEAST_1],
    "n_importance": [AT_LEAST_1],
    "beta": [NOT_NEGATIVE],
    "kl": [StrOptions({"closed", "sampled"})],
    "prior": [StrOptions({"normal", "mixture"})],
    "n_clusters": [AT_LEAST_1],
    "binarize": ["boolean"],
    "conditional": ["boolean"],
}


class VariationalNetwork(GenerativeNetwork):
    """A network that learns by a bound of log p(x); it has ARGUMENTS as attributes."""

    shapes: ClassVar[dict] = {
        **GenerativeNetwork.shapes,
        "n_levels_": ("d",),
        "offset_": ("d",),
        "_kinds": Maybe(Anything()),
        "_center": Maybe(("d",)),  # models in older files have none: they learned without
    }

    @property
    @abstractmethod
    def _layers(self) -> tuple[int, ...]:
        """Numbers of a code in each layer, the bottom one first."""

    @abstractmethod
    def _module_of(self, shape: Any) -> Any:
        """The class of the module, of a `module.Shape`."""

    @fitting
    def fit(self, X, y=None):
        """Learn both networks from X.

        Parameters
        ----------
        X : array, data frame, Dask collection or stream of shape (n, d)
            NaN marks missing values.
        y : array-like of shape (n,) or (n, q), or None
            With conditional=True; else it is not looked at.
        """
        return self._fit(X, y, more=False)

    @fitting
    def partial_fit(self, X, y=None):
        """One more pass, over these rows."""
        return self._fit(X, y, more=True)

    # ---- inside ----------------------------------------------------------------------------------

    def _fit(self, X: Any, y: Any, more: bool) -> VariationalNetwork:
        self._check_choices()
        self._check_y_is_there(y)
        rows, seed = self._open(X, more)
        goes_on = more and hasattr(self, "weights_")
        along = self._learn_conditions(y, rows, goes_on)
        bound, rows = self._bound(), self._checked(rows)
        self._learn(rows, along, bound.loss, seed, more=more, straight=bound.straight)
        assert self.module_  # made now: what only uses a model does not change it
        return self

    def _check_choices(self) -> None:
        assert self._layers  # sizes that are none are refused
        if self.gradient == "reinforce" and (self.n_samples < 2 or self.n_importance > 1):
            raise ValueError(
                f"gradient='reinforce' with n_samples={self.n_samples} and n_importance="
                f"{self.n_importance}: its baseline is the mean of a row's other draws. Choose "
                "n_samples of at least 2 and n_importance=1."
            )

    def _learn_columns(self, rows: Blocks) -> None:
        names = getattr(self, "feature_names_in_", None)
        self._kinds = list(kinds_of(self.likelihood, rows.n_columns, names))
        self._check_kinds()
        rows = rows.checked(check_values, tuple(self._kinds), None)
        super()._learn_columns(rows)
        self.n_levels_ = np.array(levels_of(rows, tuple(self._kinds)))

    def _check_kinds(self) -> None:
        kinds = set(self._kinds)
        if self.network == "conv" and len(kinds) > 1:
            raise ValueError(
                f"likelihood has the kinds {', '.join(sorted(kinds))}; network='conv' is for "
                "images, whose columns are all of one kind. Choose network='mlp'."
            )
        if self.binarize and "bernoulli" not in kinds:
            raise ValueError(
                f"binarize=True draws values of 'bernoulli' columns, and likelihood="
                f"{self.likelihood!r} has none."
            )

    def _measures(self, mean: np.ndarray, std: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        kinds = np.array(self._kinds)
        gaussian = kinds == "gaussian"
        scale = np.ones(len(mean))
        if gaussian.any():
            scale[gaussian] = column_sizes(std[gaussian], together=self.noise == "shared")
        p = np.clip(mean, 1e-3, 1 - 1e-3)
        log_odds, log_rate = np.log(p) - np.log1p(-p), np.log(np.maximum(mean, 1e-3))
        start = np.select([kinds == "bernoulli", kinds == "poisson"], [log_odds, log_rate], 0.0)
        self.offset_ = start
        self._center = np.where(kinds == "bernoulli", p, 0.0)
        return np.where(gaussian, mean, 0.0), scale

    @property
    def _layout(self) -> Layout:
        return Layout(tuple(self._kinds), tuple(int(n) for n in self.n_levels_))

    def _checked(self, rows: Blocks) -> Blocks:
        layout = self._layout
        if set(layout.kinds) == {"gaussian"}:
            return rows
        return rows.checked(check_values, layout.kinds, layout.levels)

    def _buffers(self) -> dict[str, np.ndarray]:
        layout = self._layout
        buffers = {"likelihood.offset": self.offset_[layout.plain]}
        if "bernoulli" in layout.kinds:
            center = getattr(self, "_center", np.zeros(len(self.offset_)))
            buffers["likelihood.center"] = center[layout.plain]
        if layout.n_levels:
            levels = np.array(layout.levels)[layout.of("categorical")]
            beyond = np.arange(layout.n_levels)[:, None] >= levels
            buffers["likelihood.forbidden"] = np.where(beyond, -1e9, 0.0)
        return buffers

    def _noise(self) -> Any:
        """What the module knows of the noise: its kind, or fixed logarithms of variances."""
        if isinstance(self.noise, str):
            return self.noise
        scale = self.scale_[self._layout.of("gaussian")]
        return tuple((np.log(float(self.noise)) - 2.0 * np.log(scale)).tolist())

    def _make(self) -> Any:
        from lowdim.deep.vae.module import Shape

        shape = Shape(
            self.network,
            self._shape,
            self._layers,
            sizes_of(self.hidden),
            self.activation,
            float(self.dropout),
            self.posterior,
            self.n_clusters if self.prior == "mixture" else 0,
            self.sees_missing_,
            self._n_conditions,
        )
        return self._module_of(shape)

    def _bound(self) -> Any:
        from lowdim.deep.vae.module import Bound

        closed = self.kl == "closed" and self.prior == "normal" and self.n_importance == 1
        return Bound(
            self.gradient,
            self.n_samples,
            self.n_importance,
            float(self.beta),
            closed,
            self.binarize,
        )

    @property
    def noise_variance_(self):
        """Learned variance of the Gaussian columns, in squared units of X."""
        columns = self._layout.of("gaussian")
        found = np.full(len(self.mean_), np.nan)
        if self.noise == "row":
            return found
        if isinstance(self.noise, str) and len(columns):
            log_noise = self.module_.likelihood.log_variances().detach().cpu().double().numpy()
            found[columns] = np.square(np.exp(0.5 * log_noise) * self.scale_[columns])
        else:
            found[columns] = float(self.noise)
        return float(found[columns[0]]) if self.noise == "shared" and len(columns) else found

    @property
    def _n_features_out(self) -> int:
        if not hasattr(self, "weights_"):
            raise AttributeError("_n_features_out")  # not fitted yet
        return sum(self._layers)
