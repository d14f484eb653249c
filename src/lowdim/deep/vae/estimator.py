"""Variational autoencoder: a row comes from a code, through a network and noise.

    z ~ N(0, I),   x ~ p(x | decode(z))        what the model says of rows
    q(z | x) = N(mu(x), L(x) L(x)')            what the encoder says of codes

    minimise over both networks    J = 1/n sum_i [ KL(q(z | x_i) | p(z)) - E_q log p(x_i | z) ]

J is at least -log p(x) by row. A code is drawn as z = mu + L e with e ~ N(0, I), so gradients go
through the draw (Kingma and Welling, 2014). Only what is observed of a row counts in log p(x | z).
Without hidden layers and with Gaussian noise this is probabilistic PCA, or factor analysis.
"""

from __future__ import annotations

from typing import Any, ClassVar

from lowdim.core.constraints import AT_LEAST_1, NOT_NEGATIVE
from lowdim.deep.vae.base import ARGUMENTS, VariationalNetwork


class VAE(VariationalNetwork):
    """Variational autoencoder: a row comes from k numbers z ~ N(0, I), a network, and noise.

    Minimises  1/n sum_i [ beta KL(q(z | x_i) | p(z)) - E_q log p(x_i | z) ],  a bound of -log p(x),
    by stochastic gradient steps. Missing values (NaN) are left out of the sums.

    Cost: O(n w) per pass, with w weights; memory O(w) and one window of rows for streams.
    Use it for a density of rows that no plane explains: to fill missing values with honest
    uncertainty, to draw new rows, to find odd ones. Needs torch: ``pip install 'lowdim[deep]'``.

    Parameters
    ----------
    n_components : int, default=2
        Numbers of a code, k.
    likelihood : str, sequence or dict, default="gaussian"
        What columns hold: "gaussian", "bernoulli" (0 to 1), "poisson" (counts) or "categorical"
        (levels 0, 1, ...). One for all columns, a sequence with one for each, or a dict from
        columns, by name or number, to kinds; other columns are "gaussian".
    noise : {"column", "shared", "row"} or float, default="column"
        Variance of "gaussian" columns: learned for each, learned once for all, given by the decoder
        for each row and column, or this number, in squared units of X.
    posterior : {"diagonal", "rank1", "full"}, default="diagonal"
        Covariance of q(z | x): diagonal; one direction more than a diagonal; or L L', with L lower
        triangular.
    gradient : {"reparam", "reinforce"}, default="reparam"
        "reinforce": by scores (f - mean of the others) grad log q, which needs n_samples >= 2;
        noisier, kept for comparison.
    n_samples : int, default=1
        Draws for each row and step, over which the bound is averaged.
    n_importance : int, default=1
        More than 1: draws within the bound log 1/m sum_j p(x, z_j) / q(z_j), which is tighter
        (IWAE; with NaN, MIWAE).
    beta : float, default=1.0
        Weight of the divergence. Smaller: better reconstructions; larger: simpler codes.
    kl : {"closed", "sampled"}, default="closed"
        The divergence by its formula, or by the draws. A mixture prior and n_importance > 1 have
        no formula and always use the draws.
    prior : {"normal", "mixture"}, default="normal"
        "mixture": z comes from one of `n_clusters` Gaussians, which are learned; `predict` says
        which.
    n_clusters : int, default=10
        Clusters of prior="mixture".
    binarize : bool, default=False
        In each step draw 0 or 1 anew for "bernoulli" values, which are shares then.
    network : {"mlp", "conv"}, default="mlp"
        "conv": rows are images, and all columns of one kind.
    image_shape : (height, width) or (height, width, channels) or None, default=None
        Of rows that are images; None: a square, or else a signal.
    conditional : bool, default=False
        Learn p(x | y) with the y of `fit`: both networks see it. Text, flags and whole numbers are
        classes, floats (one or several for each row) are numbers. All other methods need `y` then,
        by name.
    adversarial : float, default=0.0
        Weight of a discriminator's verdict on rows drawn from the prior (VAE-GAN): sharper samples
        for a lower bound. It learns beside, has the encoder's layers, and sees what was drawn.
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
        0 and 1 for columns that are not "gaussian".
    noise_variance_ : float or ndarray
        Learned variance of the "gaussian" columns; NaN for others, and with noise="row".
    n_levels_ : ndarray of shape (d,)
        Levels of categorical columns, 0 for others.
    sees_missing_ : bool
        Whether rows with NaN were learned from: then the encoder also sees which values are there.
    classes_ : ndarray or None
        Classes of y, with conditional=True.
    y_mean_, y_scale_ : ndarray of shape (q,) or None
        Mean and standard deviation of y, with conditional=True and numbers.
    history_ : ndarray of shape (n_iter_,)
        J of each pass, for columns in units of `scale_`.
    validation_history_ : ndarray or None
        J of held-out rows after each pass.
    n_iter_, converged_ : int, bool
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (d,), if X had names

    See Also
    --------
    ProbabilisticPCA : noise="shared" without hidden layers, in closed form.
    FactorAnalysis : noise="column" without hidden layers.
    Autoencoder : codes without a density, in less time.

    Notes
    -----
    Importance samples of `score_samples`, `impute` and others are the same normal numbers for every
    row, so results of a row do not depend on the rows it came with. The noise variance is at least
    1e-6 of a column's variance. The encoder sees "bernoulli" columns from their means. Posteriors
    of networks with hidden layers begin with a standard deviation of exp(-2) for all rows: as wide
    as the prior, they would hide the means from the decoder, which then learns to do without most
    of a code.

    References
    ----------
    Kingma and Welling (2014), Auto-encoding variational Bayes. Burda, Grosse and Salakhutdinov
    (2016), Importance weighted autoencoders. Mattei and Frellsen (2019), MIWAE. Larsen, Sonderby,
    Larochelle and Winther (2016), Autoencoding beyond pixels using a learned similarity metric.
    Lucas, Tucker, Grosse and Norouzi (2019), Don't blame the ELBO! A linear VAE perspective on
    posterior collapse.

    Examples
    --------
    >>> import numpy as np, lowdim
    >>> random = np.random.default_rng(0)
    >>> t = random.uniform(-3, 3, size=(400, 1))
    >>> X = np.hstack([np.cos(t), np.sin(t), t]) + 0.05 * random.normal(size=(400, 3))
    >>> model = lowdim.VAE(1, random_state=0).fit(X)
    >>> bool(model.score(X) > lowdim.ProbabilisticPCA(1).fit(X).score(X) + 1)
    True
    >>> filled, std = model.impute([[np.nan, np.nan, 2.0]], return_std=True)
    >>> bool(abs(filled[0, 0] - np.cos(2.0)) < 0.5)
    True
    """

    _parameter_constraints: ClassVar[dict] = {
        **ARGUMENTS,
        "n_components": [AT_LEAST_1],
        "adversarial": [NOT_NEGATIVE],
    }

    # fmt: off
    def __init__(
        self, n_components=2, *, likelihood="gaussian", noise="column", posterior="diagonal",
        gradient="reparam", n_samples=1, n_importance=1, beta=1.0, kl="closed", prior="normal",
        n_clusters=10, binarize=False, network="mlp", image_shape=None, conditional=False,
        adversarial=0.0, hidden=(256,), activation="relu", max_iter=50, batch_size="auto",
        optimizer="adam", learning_rate=3e-3, schedule="cosine", weight_decay=0.0, dropout=0.0,
        clip=None, early_stopping=False, validation_fraction=0.1, n_iter_no_change=10, tol=0.0,
        average=0.0, precision="single", random_state=None,
    ):
        self.n_components, self.likelihood = n_components, likelihood
        self.noise, self.posterior = noise, posterior
        self.gradient, self.n_samples = gradient, n_samples
        self.n_importance, self.beta = n_importance, beta
        self.kl, self.prior = kl, prior
        self.n_clusters, self.binarize = n_clusters, binarize
        self.network, self.image_shape = network, image_shape
        self.conditional, self.adversarial = conditional, adversarial
        self.hidden, self.activation = hidden, activation
        self.max_iter, self.batch_size = max_iter, batch_size
        self.optimizer, self.learning_rate = optimizer, learning_rate
        self.schedule, self.weight_decay = schedule, weight_decay
        self.dropout, self.clip = dropout, clip
        self.early_stopping, self.validation_fraction = early_stopping, validation_fraction
        self.n_iter_no_change, self.tol = n_iter_no_change, tol
        self.average, self.precision = average, precision
        self.random_state = random_state
    # fmt: on

    @property
    def _layers(self) -> tuple[int, ...]:
        return (int(self.n_components),)

    def _module_of(self, shape: Any) -> Any:
        from lowdim.deep.vae.module import Variational

        if self.adversarial:
            from lowdim.deep.vae.adversary import JudgedVariational

            return JudgedVariational(shape, self._layout, self._noise())
        return Variational(shape, self._layout, self._noise())

    def _bound(self) -> Any:
        bound = super()._bound()
        if not self.adversarial:
            return bound
        from lowdim.deep.vae.adversary import JudgedBound

        return JudgedBound(bound, float(self.adversarial))
