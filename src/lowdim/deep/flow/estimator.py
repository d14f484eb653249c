"""Normalizing flow: rows become Gaussian noise by layers that can be undone.

    z = f(y),  y = (x - mean) / scale,  z ~ N(0, I)

    minimise over the layers' networks    J = -1/n sum_i [ log N(z_i; 0, I) + log |det dz_i/dy_i| ]

Each layer leaves some columns alone and shifts and stretches the others by networks of those, so
its inverse needs no solving and its Jacobian is triangular: the log-density is exact.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from lowdim.core.constraints import AT_LEAST_1, StrOptions
from lowdim.core.estimator import Transformer
from lowdim.core.loop import fitting
from lowdim.core.random import generator_of
from lowdim.core.validation import check_at_least
from lowdim.deep.coder import StandardizedNetwork, coded
from lowdim.deep.drawing import DrawnSamples
from lowdim.deep.learner import SHARD, Learner
from lowdim.deep.network import SHARED_ARGUMENTS, sizes_of

SHARD_WORK = 2**23  # rows of a shard times weights: below that, threads cost more than they give


class NormalizingFlow(DrawnSamples, Transformer, StandardizedNetwork):
    """Normalizing flow: an invertible network between rows and Gaussian noise, of exact density.

    Minimises  -1/n sum_i log p(x_i),   log p(x) = log N(z; 0, I) + log |det dz/dx|,  z = f(x),
    over affine coupling layers f, by stochastic gradient steps.

    Cost: O(n w) per pass, with w weights; memory O(w) and one window of rows for streams.
    Use it for densities of complete rows of numbers, to score and to draw; where values are
    missing, or codes should have fewer numbers than rows, VAE. Needs torch:
    ``pip install 'lowdim[deep]'``.

    Parameters
    ----------
    n_layers : int, default=8
        Coupling layers. More bend rows further; 2 log2(d) let every column depend on every other.
    hidden : sequence of int, default=(64,)
        Units of the hidden layers of each layer's network; () for none.
    activation : {"relu", "tanh", "logistic", "gelu", "silu", "identity"}, default="silu"
        Smooth ones give smooth densities.
    max_iter : int, default=50
        Passes over the rows, at the most.
    batch_size : int or "auto", default="auto"
        Rows of a step; "auto": an eighth of them, but 16 at least and 128 at the most.
    optimizer : {"sgd", "heavy_ball", "nesterov", "adagrad", "adam", "adamw"}, default="adam"
    learning_rate : float, default=3e-3
        At its largest.
    schedule : {"cosine", "constant", "invscaling"}, default="cosine"
        How the learning rate falls with the steps.
    weight_decay : float, default=0.0
        Shrinks weights towards 0.
    dropout : float, default=0.0
        Share of hidden units that are left out at random in each step.
    clip : float or None, default=10.0
        Gradients longer than this are shortened to it.
    early_stopping : bool, default=False
        Hold out rows, stop when their J has not fallen for some passes, and keep the best weights.
    validation_fraction : float, default=0.1
        Share of rows that are held out.
    n_iter_no_change : int, default=10
        Passes without improvement after which the fit stops.
    tol : float, default=0.0
        What counts as improvement. If more than 0, J of the passes themselves may stop the fit.
    average : float, default=0.0
        Decay of a moving average of the weights, which then replaces them; 0: none.
    precision : {"single", "double", "mixed"}, default="single"
        Of the numbers while it learns.
    random_state : int, Generator, RandomState or None, default=None

    Attributes
    ----------
    weights_ : dict of ndarray
        Weights by name: of each of `layers`, and `shift` and `log_size` after them.
    module_ : torch.nn.Module
        The flow, for rows (x - mean_) / scale_.
    mean_, scale_ : ndarray of shape (d,)
    history_ : ndarray of shape (n_iter_,)
        J of each pass, for columns in units of `scale_`.
    validation_history_ : ndarray or None
        J of held-out rows after each pass.
    n_iter_, converged_ : int, bool
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (d,), if X had names

    See Also
    --------
    VAE : codes of fewer numbers, missing values, a bound of the density.
    GaussianMixture : densities with few parameters.
    GAN : draws without a density.

    Notes
    -----
    A layer stretches by exp(s) with s = 3 tanh(. / 3), so its density is finite and positive
    everywhere. With one column there is nothing to couple, and the model is a Gaussian.

    References
    ----------
    Dinh, Sohl-Dickstein and Bengio (2017), Density estimation using Real NVP.

    Examples
    --------
    >>> import numpy as np, lowdim
    >>> random = np.random.default_rng(0)
    >>> a = random.normal(size=1000)
    >>> X = np.column_stack([a, a**2 + 0.3 * random.normal(size=1000)])
    >>> flow = lowdim.NormalizingFlow(4, max_iter=30, random_state=0).fit(X)
    >>> bool(flow.score(X) > lowdim.GaussianMixture(1).fit(X).score(X) + 0.7)
    True
    >>> bool(np.allclose(flow.inverse_transform(flow.transform(X)), X))
    True
    """

    filled_by: ClassVar[str] = "VAE"
    _parameter_constraints: ClassVar[dict] = {
        **SHARED_ARGUMENTS,
        "n_layers": [AT_LEAST_1],
        "batch_size": [AT_LEAST_1, StrOptions({"auto"})],
    }

    # fmt: off
    def __init__(
        self, n_layers=8, *, hidden=(64,), activation="silu", max_iter=50, batch_size="auto",
        optimizer="adam", learning_rate=3e-3, schedule="cosine", weight_decay=0.0, dropout=0.0,
        clip=10.0, early_stopping=False, validation_fraction=0.1, n_iter_no_change=10, tol=0.0,
        average=0.0, precision="single", random_state=None,
    ):
        self.n_layers, self.hidden, self.activation = n_layers, hidden, activation
        self.max_iter, self.batch_size = max_iter, batch_size
        self.optimizer, self.learning_rate = optimizer, learning_rate
        self.schedule, self.weight_decay = schedule, weight_decay
        self.dropout, self.clip = dropout, clip
        self.early_stopping, self.validation_fraction = early_stopping, validation_fraction
        self.n_iter_no_change, self.tol = n_iter_no_change, tol
        self.average, self.precision = average, precision
        self.random_state = random_state
    # fmt: on

    @fitting
    def fit(self, X, y=None):
        """Learn the flow from X.

        Parameters
        ----------
        X : array, data frame, Dask collection or stream of shape (n, d)
            Complete rows.
        y : ignored
        """
        return self._fit(X, more=False)

    @fitting
    def partial_fit(self, X, y=None):
        """One more pass, over these rows."""
        return self._fit(X, more=True)

    def transform(self, X):
        """z of rows, (n, d): rows of the model become independent standard normal numbers."""
        return self._code(self.open_rows(X, reset=False), "encode")

    def score_samples(self, X):
        """log p(x) of each row, exactly: log N(z; 0, I) + log |det dz/dx|.

        Parameters
        ----------
        X : array-like of shape (n, d)

        Returns
        -------
        ndarray of shape (n,)
        """
        rows = self.open_rows(X, reset=False)
        return rows.map(densities, self.module_, self.mean_, self.scale_)

    def score(self, X, y=None):
        """Mean of log p(x) over rows."""
        rows = self.open_rows(X, reset=False)
        total, count = rows.fold(sum_densities, self.module_, self.mean_, self.scale_)
        return float(total / count)

    def sample(self, n_samples=1, random_state=None):
        """New rows, from noise.

        Parameters
        ----------
        n_samples : int, default=1
        random_state : int, Generator, RandomState or None, default=None
            None: that of the constructor, as in scikit-learn.

        Returns
        -------
        ndarray of shape (n_samples, d)
        """
        check_is_fitted(self)
        n_samples = check_at_least("n_samples", n_samples, 1)
        Z = generator_of(self, random_state).normal(size=(n_samples, len(self.mean_)))
        return self.inverse_transform(Z)

    # ---- inside ----------------------------------------------------------------------------------

    def _fit(self, X: Any, more: bool) -> NormalizingFlow:
        rows, seed = self._open(X, more)
        from lowdim.deep.flow.module import minus_log_density

        self._learn(rows, (), minus_log_density, seed, more=more)
        assert self.module_  # made now: what only uses a model does not change it
        return self

    def _make(self) -> Any:
        from lowdim.deep.flow.module import Flow

        sizes = sizes_of(self.hidden)
        return Flow(len(self.mean_), self.n_layers, sizes, self.activation, float(self.dropout))

    def _new_learner(self, module: Any, loss: Any, settings: Any, **arguments: Any) -> Learner:
        n_weights = sum(w.numel() for w in module.parameters())
        arguments["shard"] = max(SHARD, SHARD_WORK // n_weights)
        return super()._new_learner(module, loss, settings, **arguments)

    def _buffers(self) -> dict[str, np.ndarray]:
        from lowdim.deep.flow.module import sides

        d = len(self.mean_)
        both = sides(d, self.n_layers) if d > 1 else []
        return {
            f"layers.{number}.{name}": columns
            for number, pair in enumerate(both)
            for name, columns in zip(("kept", "moved"), pair, strict=True)
        }

    @property
    def _n_features_out(self) -> int:
        if not hasattr(self, "weights_"):
            raise AttributeError("_n_features_out")  # not fitted yet
        return len(self.mean_)


def densities(X: np.ndarray, module: Any, mean: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """Log-densities of a block of rows, in units of X."""
    found = coded(X, module, "log_density", (), mean, scale).astype(np.float64)
    return (found - np.sum(np.log(scale))).astype(X.dtype)


def sum_densities(X: np.ndarray, *arguments: Any) -> tuple[float, int]:
    """Their sum, and the number of rows."""
    return float(np.sum(densities(X, *arguments), dtype=np.float64)), len(X)
