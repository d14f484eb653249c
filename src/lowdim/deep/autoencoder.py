"""Autoencoder: a network codes a row by a few numbers, another one decodes them.

    minimise over both networks     J = 1/n sum_i sum_f (y_if - decode(encode(y_i))_f)^2,
    y = (x - mean) / scale          or the cross-entropy of values from 0 to 1

by steps down the gradient on batches (`train.py`). What is missing counts in neither sum; the
encoder sees zeros there, and which values it does see. Without hidden layers this is PCA's problem,
and reaches its error; with them the codes lie on a curved surface.
"""

from __future__ import annotations

import functools
from typing import Any, ClassVar

import numpy as np

from lowdim.core.blocks import Blocks
from lowdim.core.constraints import Interval, Real, StrOptions
from lowdim.core.loop import fitting
from lowdim.deep.coder import (
    CODING_ARGUMENTS,
    CodingNetwork,
    coded,
    in_units,
    out_of_units,
)
from lowdim.deep.network import run, sizes_of
from lowdim.linalg.observed import column_sizes

HIDDEN_SHARE = 4  # one entry in so many is hidden to learn how far off filled entries are


class Autoencoder(CodingNetwork):
    """Autoencoder: two networks that code a row by k numbers, and decode them.

    Minimises  1/n sum_i sum_f (y_if - decode(encode(y_i))_f)^2  over the observed entries, with
    y = (x - mean) / scale, by stochastic gradient steps. NaN are accepted.

    Cost: O(n w) per pass, with w weights; memory O(w) and one window of rows for streams.
    Use it when PCA needs many axes for what lies on a curved surface of few dimensions. For a
    density, and honest uncertainty of filled values, use VAE. Needs torch:
    ``pip install 'lowdim[deep]'``.

    Parameters
    ----------
    n_components : int, default=2
        Numbers of a code, k.
    loss : {"squared", "bernoulli"}, default="squared"
        "bernoulli": values from 0 to 1, such as pixels; J is their cross-entropy.
    corruption : float, default=0.0
        In each step so large a share of the entries is hidden from the encoder, at random; J still
        counts them. Larger: codes that do not rest on single entries (Vincent et al., 2008).
    network : {"mlp", "conv"}, default="mlp"
        "conv": rows are images; two convolutions stand before the hidden layers.
    image_shape : (height, width) or (height, width, channels) or None, default=None
        Of rows that are images; None: a square, or else a signal.
    standardize : bool, default=True
        Divide each column by its standard deviation; False: all by a common one.
    hidden : sequence of int, default=(256,)
        Units of the encoder's hidden layers; the decoder has them in the other order. () for none.
    activation : {"relu", "tanh", "logistic", "gelu", "silu", "identity"}, default="relu"
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
    clip : float or None, default=None
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
        Weights of both networks by name.
    module_ : torch.nn.Module
        Both networks, for rows (x - mean_) / scale_.
    mean_, scale_ : ndarray of shape (d,)
    sees_missing_ : bool
        Whether rows with NaN were learned from: then the encoder also sees which values are there.
    residual_ : ndarray of shape (d,)
        Root mean square error, by column, of entries that are hidden from the encoder.
    history_ : ndarray of shape (n_iter_,)
        J of each pass.
    validation_history_ : ndarray or None
        J of held-out rows after each pass.
    n_iter_, converged_ : int, bool
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (d,), if X had names

    See Also
    --------
    PCA : its best linear form, in closed form.
    LinearAutoencoder : without hidden layers, solved exactly or by plain gradient descent.
    VAE : codes with a distribution, new rows, and uncertainty.

    References
    ----------
    Hinton and Salakhutdinov (2006), Reducing the dimensionality of data with neural networks.

    Examples
    --------
    A curve in three dimensions has one number for each point:

    >>> import numpy as np, lowdim
    >>> t = np.linspace(-1, 1, 300)[:, None]
    >>> X = np.hstack([np.cos(3 * t), np.sin(3 * t), t])
    >>> model = lowdim.Autoencoder(1, hidden=(64,), random_state=0).fit(X)
    >>> pca = lowdim.PCA(1).fit(X)
    >>> error = np.mean((X - model.inverse_transform(model.transform(X))) ** 2)
    >>> bool(error < 0.2 * np.mean((X - pca.inverse_transform(pca.transform(X))) ** 2))
    True
    """

    shapes: ClassVar[dict] = {**CodingNetwork.shapes, "residual_": ("d",)}

    _parameter_constraints: ClassVar[dict] = {
        **CODING_ARGUMENTS,
        "loss": [StrOptions({"squared", "bernoulli"})],
        "corruption": [Interval(Real, 0, 1, closed="left")],
        "standardize": ["boolean"],
    }

    def __init__(
        self,
        n_components=2,
        *,
        loss="squared",
        corruption=0.0,
        network="mlp",
        image_shape=None,
        standardize=True,
        hidden=(256,),
        activation="relu",
        max_iter=50,
        batch_size="auto",
        optimizer="adam",
        learning_rate=3e-3,
        schedule="cosine",
        weight_decay=0.0,
        dropout=0.0,
        clip=None,
        early_stopping=False,
        validation_fraction=0.1,
        n_iter_no_change=10,
        tol=0.0,
        average=0.0,
        precision="single",
        random_state=None,
    ):
        self.n_components = n_components
        self.loss = loss
        self.corruption = corruption
        self.network = network
        self.image_shape = image_shape
        self.standardize = standardize
        self.hidden = hidden
        self.activation = activation
        self.max_iter = max_iter
        self.batch_size = batch_size
        self.optimizer = optimizer
        self.learning_rate = learning_rate
        self.schedule = schedule
        self.weight_decay = weight_decay
        self.dropout = dropout
        self.clip = clip
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.average = average
        self.precision = precision
        self.random_state = random_state

    @fitting
    def fit(self, X, y=None):
        """Learn both networks from X.

        Parameters
        ----------
        X : array, data frame, Dask collection or stream of shape (n, d)
            NaN marks missing values.
        y : ignored
        """
        return self._fit(X, more=False)

    @fitting
    def partial_fit(self, X, y=None):
        """One more pass, over these rows."""
        return self._fit(X, more=True)

    def transform(self, X):
        """Codes of rows, (n, k)."""
        rows = self._checked(self.open_rows(X, reset=False))
        return self._code(rows, "encode")

    def score(self, X, y=None):
        """Minus the mean of ((x - x_hat) / scale_)^2 over the observed entries."""
        rows = self._checked(self.open_rows(X, reset=False, only_observed=True))
        squares, count = rows.fold(sum_squares, self.module_, self.mean_, self.scale_)
        return -float(squares / max(count, 1))

    # ---- inside ----------------------------------------------------------------------------------

    def _fit(self, X: Any, more: bool) -> Autoencoder:
        rows, seed = self._open(X, more)
        rows = self._checked(rows)
        from lowdim.deep import autoencoding

        squared = self.loss == "squared"
        loss = autoencoding.squared_loss if squared else autoencoding.bernoulli_loss
        self._learn(rows, (), functools.partial(loss, float(self.corruption)), seed, more=more)
        self.residual_ = self._residual(rows)
        return self

    def _checked(self, rows: Blocks) -> Blocks:
        return rows if self.loss == "squared" else rows.checked(check_shares, "loss")

    def _measures(self, mean: np.ndarray, std: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if self.loss == "bernoulli":
            return np.zeros_like(mean), np.ones_like(std)
        return mean, column_sizes(std, together=not self.standardize)

    def _make(self) -> Any:
        from lowdim.deep.autoencoding import BernoulliCoder, Coder

        return (Coder if self.loss == "squared" else BernoulliCoder)(
            self.network,
            self._shape,
            self.n_components,
            sizes_of(self.hidden),
            self.activation,
            float(self.dropout),
            self.sees_missing_,
        )

    def _residual(self, rows: Blocks) -> np.ndarray:
        """Root mean square error of entries hidden in turn; that of the mean where none was."""
        numbers = np.arange(rows.shape[0])
        units = (self.module_, self.mean_, self.scale_)
        squares, count = rows.fold(hidden_squares, *units, along=(numbers,))
        share = np.where(count > 0, squares / np.maximum(count, 1), 1.0)
        return np.sqrt(np.maximum(share, 1e-24)) * self.scale_

    def _filling(self, return_std: bool) -> tuple:
        residual = self.residual_ if return_std else None
        return filled, self.module_, self.mean_, self.scale_, residual


def check_shares(X: np.ndarray, argument: str) -> None:
    """Raise if an observed value is not between 0 and 1."""
    low, high = np.nanmin(X, initial=0.0), np.nanmax(X, initial=1.0)
    if low < 0.0 or high > 1.0:
        raise ValueError(
            f"{argument}='bernoulli' is for values from 0 to 1; X has {low if low < 0 else high:g}."
            " Divide X by its largest value, or choose another one."
        )


def sum_squares(X: np.ndarray, module: Any, mean: np.ndarray, scale: np.ndarray) -> tuple:
    """Sum of squared errors over the observed entries of a block, and their number."""
    Y = in_units(X, mean, scale)
    errors = Y - run(Y, module, "reconstruct", ())
    observed = ~np.isnan(Y)
    return float(np.sum(errors[observed].astype(np.float64) ** 2)), int(observed.sum())


def hidden_squares(
    X: np.ndarray, module: Any, mean: np.ndarray, scale: np.ndarray, number: np.ndarray
) -> tuple:
    """By column: squared errors of entries that were hidden from the encoder, and their number."""
    Y = in_units(X, mean, scale)
    turn = (number[:, None] + np.arange(X.shape[1])) % HIDDEN_SHARE == 0
    errors = Y - run(np.where(turn, np.nan, Y), module, "reconstruct", ())
    counted = turn & ~np.isnan(Y)
    squares = np.where(counted, errors, 0.0).astype(np.float64) ** 2
    return squares.sum(axis=0), counted.sum(axis=0)


def filled(
    X: np.ndarray, module: Any, mean: np.ndarray, scale: np.ndarray, residual: np.ndarray | None
) -> Any:
    """A block with what is decoded in place of NaN, and how far off that may be."""
    missing = np.isnan(X)
    X_hat = out_of_units(coded(X, module, "reconstruct", (), mean, scale), mean, scale)
    full = np.where(missing, X_hat, X)
    if residual is None:
        return full
    return full, np.where(missing, residual, 0.0).astype(full.dtype)
