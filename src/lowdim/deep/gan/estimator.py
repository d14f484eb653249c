"""Generative adversarial network: rows from noise, by a game against what tells them from X.

    g = G(z),  z ~ N(0, I)        a generator;        s(x)        a discriminator's score

    minimise over s     1/n sum_i softplus(s(g_i) - s(x_i)) + penalty/2 (|ds/dx|^2 + |ds/dg|^2)_i
    minimise over G     1/n sum_i softplus(s(x_i) - s(g_i))

by steps of both on batches (`players.py`). There is no likelihood. With the pairs of real and drawn
rows a generator that leaves out modes pays for them, and the penalties make the steps come to rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit
from sklearn.utils.validation import check_is_fitted

from lowdim.core.blocks import Blocks
from lowdim.core.constraints import AT_LEAST_1, NOT_NEGATIVE, StrOptions
from lowdim.core.loop import fitting
from lowdim.core.opening import as_blocks
from lowdim.core.random import generator_of
from lowdim.core.validation import check_at_least, check_codes
from lowdim.deep.batches import Plan
from lowdim.deep.coder import CODING_ARGUMENTS, StandardizedNetwork, coded, out_of_units
from lowdim.deep.conditions import Conditional, with_conditions
from lowdim.deep.drawing import DrawnSamples
from lowdim.deep.gan.players import OPTIMIZERS, Players
from lowdim.deep.learner import SHARD, Learner, Settings
from lowdim.deep.network import run, sizes_of
from lowdim.deep.train import Trained, train

LEFT_OUT = ("early_stopping", "validation_fraction", "n_iter_no_change", "tol")
BETAS = (0.5, 0.99)  # of Adam: a long memory of gradients makes players overshoot each other
SHARD_WORK = 2**23  # rows of a shard times weights: below that, threads cost more than they give
MOST_NOISE = 64  # numbers of n_components=None
MOST_COMPARED = 2000  # rows of each kind by which scores become probabilities


class GAN(DrawnSamples, Conditional, StandardizedNetwork):
    """Generative adversarial network: a generator draws rows, a discriminator tells them from X.

    The discriminator minimises  1/n sum_i [ softplus(s(g_i) - s(x_i)) + penalty ], the generator
    1/n sum_i softplus(s(x_i) - s(g_i)),  with rows g = G(z) from noise z and scores s; other games
    by `loss`. Both by stochastic gradient steps that look ahead.

    Cost: O(n w) per pass, with w weights, about six times an autoencoder's; memory O(w) and one
    window of rows for streams. Use it to draw rows that look real where their density does not
    matter; VAE and NormalizingFlow have densities, VAE takes missing values. Needs torch:
    ``pip install 'lowdim[deep]'``.

    Parameters
    ----------
    n_components : int or None, default=None
        Numbers of the noise z; None: as many as columns, but 2 at least and 64 at the most.
    loss : {"relativistic", "nonsaturating", "minimax", "wasserstein"}, default="relativistic"
        "relativistic": pairs of a real and a drawn row, by which no mode of X is forgotten (R3GAN).
        "nonsaturating", "minimax": those of Goodfellow et al. "wasserstein": scores with slopes
        near 1, whose difference is a distance.
    penalty : float, default=1.0
        Weight of the discriminator's squared slopes at real and at drawn rows, half of it for each;
        with "wasserstein" of (slope - 1)^2 between the two. More: smoother and slower; 0: none.
    optimizer : {"extra_adam", "adam", "optimistic_adam", "sgd"}, default="extra_adam"
        "extra_adam": a step ahead, and with the gradients found there a step from the start (Gidel
        et al.); "optimistic_adam": twice a step less the last one (Daskalakis et al.), at half the
        cost. "adam" and "sgd" may circle.
    update : {"alternating", "simultaneous"}, default="alternating"
        "alternating": the discriminator steps first, and the generator sees it after that;
        "simultaneous": both see each other as they were.
    n_critic : int, default=1
        Steps of the discriminator for each of the generator.
    network : {"mlp", "conv"}, default="mlp"
        "conv": rows are images.
    image_shape : (height, width) or (height, width, channels) or None, default=None
        Of rows that are images; None: a square, or else a signal.
    conditional : bool, default=False
        Learn rows given the y of `fit`: both networks see it. Text, flags and whole numbers are
        classes, floats (one or several for each row) are numbers. All other methods need `y` then,
        by name.
    hidden : sequence of int, default=(128, 128)
        Units of the discriminator's hidden layers; the generator has them in the other order.
    activation : {"relu", "tanh", "logistic", "gelu", "silu", "identity"}, default="relu"
    max_iter : int, default=50
        Passes over the rows. Thousands of steps are usual: raise it where rows are few.
    batch_size : int or "auto", default="auto"
        Rows of a step; "auto": an eighth of them, but 16 at least and 128 at the most.
    learning_rate : float, default=5e-3
        At its largest.
    schedule : {"cosine", "constant", "invscaling"}, default="cosine"
        How the learning rate falls with the steps.
    weight_decay : float, default=0.0
        Shrinks weights towards 0.
    dropout : float, default=0.0
        Share of hidden units that are left out at random in each step.
    clip : float or None, default=None
        Gradients of a player longer than this are shortened to it.
    average : float, default=0.999
        Decay of the moving average of the generator's weights, from which rows are drawn; 0: none.
    precision : {"single", "double"}, default="single"
        Of the numbers while it learns.
    random_state : int, Generator, RandomState or None, default=None

    Attributes
    ----------
    weights_ : dict of ndarray
        Weights by name, of `generator` (its average) and `discriminator`.
    module_ : torch.nn.Module
        Both networks, for rows (x - mean_) / scale_.
    n_components_ : int
        Numbers of the noise.
    offset_ : float
        What is taken from scores before they are log-odds of being real.
    mean_, scale_ : ndarray of shape (d,)
    classes_ : ndarray or None
        Classes of y, with conditional=True.
    y_mean_, y_scale_ : ndarray of shape (q,) or None
        Mean and standard deviation of y, with conditional=True and numbers.
    history_ : ndarray of shape (n_iter_,)
        The discriminator's loss in each pass. It does not fall as samples get better: where no row
        can be told from a drawn one, it is log 2 ("relativistic"), log 4 or 0 ("wasserstein").
    n_iter_, converged_ : int, bool
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (d,), if X had names

    See Also
    --------
    VAE : a density, codes of rows, missing values.
    NormalizingFlow : an exact density.
    lowdim.deep.play : the steps of `optimizer` and `update` on functions of two players.
    lowdim.deep.optimal_discriminator : the best discriminator of two known densities.

    Notes
    -----
    A pass without gain says nothing of a game, so there is no early stopping; there is no `score`
    and no `transform`. `discriminate` gives 1 / (1 + exp(offset_ - s)). The best score is
    log p / p_G plus a constant, which pairs leave open: `offset_` makes the mean probability of as
    many real as drawn rows 1/2, which is its expectation for the best discriminator.

    References
    ----------
    Goodfellow et al. (2014), Generative adversarial nets. Gulrajani et al. (2017), Improved
    training of Wasserstein GANs. Daskalakis et al. (2018), Training GANs with optimism. Gidel et
    al. (2019), A variational inequality perspective on generative adversarial networks, algorithm
    4. Huang et al. (2024), The GAN is dead; long live the GAN! (R3GAN).

    Examples
    --------
    >>> import numpy as np, lowdim
    >>> random = np.random.default_rng(0)
    >>> X = random.normal(size=(400, 2)) * 0.1 + random.choice([-2.0, 2.0], size=(400, 1))
    >>> model = lowdim.GAN(hidden=(32,), max_iter=40, random_state=0).fit(X)
    >>> drawn = model.sample(200, random_state=0)
    >>> bool(0.3 < np.mean(drawn[:, 0] > 0) < 0.7)  # both groups
    True
    """

    draws_levels: ClassVar[bool] = True  # where columns hold few values, drawn ones are near them
    filled_by: ClassVar[str] = "VAE"
    shapes: ClassVar[dict] = {
        **StandardizedNetwork.shapes,
        **Conditional.shapes_of_y,
        "n_components_": (),
        "offset_": (),
    }
    _parameter_constraints: ClassVar[dict] = {
        **{name: kinds for name, kinds in CODING_ARGUMENTS.items() if name not in LEFT_OUT},
        "n_components": [AT_LEAST_1, None],
        "loss": [StrOptions({"relativistic", "nonsaturating", "minimax", "wasserstein"})],
        "penalty": [NOT_NEGATIVE],
        "optimizer": [StrOptions(set(OPTIMIZERS))],
        "update": [StrOptions({"alternating", "simultaneous"})],
        "n_critic": [AT_LEAST_1],
        "conditional": ["boolean"],
        "precision": [StrOptions({"single", "double"})],
    }

    # fmt: off
    def __init__(
        self, n_components=None, *, loss="relativistic", penalty=1.0, optimizer="extra_adam",
        update="alternating", n_critic=1, network="mlp", image_shape=None, conditional=False,
        hidden=(128, 128), activation="relu", max_iter=50, batch_size="auto", learning_rate=5e-3,
        schedule="cosine", weight_decay=0.0, dropout=0.0, clip=None, average=0.999,
        precision="single", random_state=None,
    ):
        self.n_components, self.loss, self.penalty = n_components, loss, penalty
        self.optimizer, self.update, self.n_critic = optimizer, update, n_critic
        self.network, self.image_shape = network, image_shape
        self.conditional, self.hidden = conditional, hidden
        self.activation = activation
        self.max_iter, self.batch_size = max_iter, batch_size
        self.learning_rate, self.schedule = learning_rate, schedule
        self.weight_decay, self.dropout, self.clip = weight_decay, dropout, clip
        self.average, self.precision = average, precision
        self.random_state = random_state
    # fmt: on

    @fitting
    def fit(self, X, y=None):
        """Learn both networks from X.

        Parameters
        ----------
        X : array, data frame, Dask collection or stream of shape (n, d)
            Complete rows.
        y : array-like of shape (n,) or (n, q), or None
            With conditional=True; else it is not looked at.
        """
        return self._fit(X, y, more=False)

    @fitting
    def partial_fit(self, X, y=None):
        """One more pass, over these rows."""
        return self._fit(X, y, more=True)

    def sample(self, n_samples=1, random_state=None, *, y=None):
        """New rows.

        Parameters
        ----------
        n_samples : int, default=1
        random_state : int, Generator, RandomState or None, default=None
            None: that of the constructor, as in scikit-learn.
        y : array-like of shape (n_samples,) or (n_samples, q), or one value for all rows
            With conditional=True, and only then.

        Returns
        -------
        ndarray of shape (n_samples, d)
        """
        check_is_fitted(self)
        n_samples = check_at_least("n_samples", n_samples, 1)
        Z = generator_of(self, random_state).normal(size=(n_samples, self.n_components_))
        return self.inverse_transform(Z, y=y)

    def inverse_transform(self, Z, y=None):
        """Rows that the generator makes of noise.

        Parameters
        ----------
        Z : array-like of shape (n, k)
        y : array-like of shape (n,) or (n, q), or one value for all rows
            With conditional=True, and only then.

        Returns
        -------
        ndarray of shape (n, d)
        """
        check_is_fitted(self)
        noise = as_blocks(check_codes(self, Z, self.n_components_))
        along = self._conditions(y, noise.shape[0])
        return noise.map(generated, self.module_, self.mean_, self.scale_, along=along)

    def discriminate(self, X, *, y=None):
        """Probability that a row is a real one and not a drawn one, as the discriminator sees it.

        Parameters
        ----------
        X : array-like of shape (n, d)
        y : array-like of shape (n,) or (n, q), or one value for all rows
            With conditional=True, and only then.

        Returns
        -------
        ndarray of shape (n,)
            With loss="wasserstein" a ranking of rows more than a probability.
        """
        rows = self.open_rows(X, reset=False)
        along = self._conditions(y, rows.shape[0] if self.conditional else 0)
        units = (self.module_, self.mean_, self.scale_)
        return rows.map(probabilities, *units, self.offset_, along=along)

    # ---- inside ----------------------------------------------------------------------------------

    def _fit(self, X: Any, y: Any, more: bool) -> GAN:
        self._check_y_is_there(y)
        rows, seed = self._open(X, more)
        goes_on = more and hasattr(self, "weights_")
        along = self._learn_conditions(y, rows, goes_on)
        if not goes_on:
            usual = min(max(rows.n_columns, 2), MOST_NOISE)
            self.n_components_ = usual if self.n_components is None else int(self.n_components)
        from lowdim.deep.gan.module import Game

        game: Any = Game(self.loss, float(self.penalty))
        self._learn(rows, along, game, seed, more=more)
        self.offset_ = self._offset(rows, along, seed)
        return self

    def _make(self) -> Any:
        from lowdim.deep.gan.module import Adversaries

        return Adversaries(
            self.network,
            self._shape,
            self.n_components_,
            self._n_conditions,
            sizes_of(self.hidden),
            self.activation,
            float(self.dropout),
        )

    def _new_learner(self, module: Any, loss: Any, settings: Settings, **arguments: Any) -> Learner:
        n_weights = sum(w.numel() for w in module.parameters())
        small = max(SHARD, SHARD_WORK // n_weights) if self.network == "mlp" else SHARD
        arguments["shard"] = small
        return Players(
            module,
            loss,
            settings._replace(betas=BETAS),
            update=self.update,
            n_critic=self.n_critic,
            **arguments,
        )

    def _trained(
        self,
        learner: Learner,
        rows: Blocks,
        along: Sequence,
        plan: Plan,
        passes: int,
        loss: Any,
        seed: int,
        max_steps: int | None = None,
    ) -> Trained:
        return train(self, learner, rows, along, plan, max_iter=passes)

    def _offset(self, rows: Blocks, along: Sequence, seed: int) -> float:
        """What makes the mean probability of as many real as drawn rows 1/2."""
        if self.loss in ("nonsaturating", "minimax"):
            return 0.0
        n = rows.shape[0]
        chosen = (
            np.arange(n) if n <= MOST_COMPARED else np.arange(MOST_COMPARED) * n // MOST_COMPARED
        )
        known = [part[chosen] for part in along]
        Z = np.random.default_rng([seed, n]).normal(size=(len(chosen), self.n_components_))
        real = np.asarray(rows.take(chosen))
        drawn = generated(Z, self.module_, self.mean_, self.scale_, *known)
        units = (self.module_, "score", (), self.mean_, self.scale_)
        both = [coded(part.astype(np.float64), *units, *known) for part in (real, drawn)]
        return centre_of(np.concatenate(both))

    @property
    def _n_features_out(self) -> int:
        return self.n_components_


def generated(
    Z: np.ndarray, module: Any, mean: np.ndarray, scale: np.ndarray, *conditions: np.ndarray
) -> np.ndarray:
    """The rows of a block of noise."""
    return out_of_units(run(with_conditions(Z, conditions), module, "decode", ()), mean, scale)


def probabilities(
    X: np.ndarray,
    module: Any,
    mean: np.ndarray,
    scale: np.ndarray,
    offset: float,
    *conditions: np.ndarray,
) -> np.ndarray:
    """The probability of each row of a block to be real."""
    scores = coded(X, module, "score", (), mean, scale, *conditions)
    return expit(scores - np.asarray(offset, scores.dtype))


def centre_of(scores: np.ndarray) -> float:
    """The c for which the mean of 1 / (1 + exp(c - s)) is 1/2."""
    low, high = float(scores.min()), float(scores.max())
    if not high > low:
        return low
    return float(brentq(lambda c: float(np.mean(expit(scores - c))) - 0.5, low, high))
