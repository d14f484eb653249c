"""`PixelCNN`: exact probabilities of images, pixel by pixel.

p(x) = prod_i p(x_i | pixels above, and to the left)      one network of masked convolutions
"""

from __future__ import annotations

from typing import Any, ClassVar

from lowdim.core.blocks import Blocks
from lowdim.core.constraints import AT_LEAST_1, Integral, Interval, StrOptions
from lowdim.core.loop import fitting
from lowdim.deep.chain.network import ChainNetwork
from lowdim.deep.coder import image_shape_of
from lowdim.deep.network import SHARED_ARGUMENTS

MOST_VALUES, AUTO_BINS = 256, 32  # of levels="auto"
PIXELS_OF_A_SHARD = 4096  # that a thread works on, at least
IMAGES_OF_A_SHARD = 16  # as well: torch takes a slower way for fewer
PIXELS_OF_A_HALF, IMAGES_OF_A_HALF = 2048, 8  # of a batch that is cut in two


class PixelCNN(ChainNetwork):
    """Images with exact probabilities, one pixel after the other.

    Minimises  - sum_i log p(level of x_i | x_1 ... x_(i-1))  over rows that are images, read line
    by line: a network of convolutions that sees only what was read before gives all conditionals at
    once. New images are drawn pixel by pixel; missing pixels are drawn too and weighted by all that
    is observed, also what comes after them.

    Cost: O(n) times the products of an image, per pass; a draw costs about one row's pass, for
    each layer keeps what it has computed. Memory beside the rows: a batch.
    Needs torch: pip install 'lowdim[deep]'.

    Parameters
    ----------
    image_shape : (h, w), (h, w, c) or None, default=None
        Shape of the image in each row, its c colours side by side at each place; None takes a
        square, else a signal of one dimension.
    channels : int, default=32
        Channels of each layer.
    n_layers : int, default=8
    kernel_size : int, default=7
        Side of the square, of which a convolution sees the upper half. Odd.
    levels : int or "auto", default="auto"
        Most levels of a pixel. Whole numbers with no more values are levels as they are, shared by
        all pixels; other numbers are put into so many bins at the quantiles of each column, with a
        density that is even within them and exponential outside. "auto": 256 values, or 32 bins.
    gated : bool, default=True
        Two stacks with gates, which see all pixels before one (van den Oord et al. 2016). False:
        one stack of masked convolutions, which has a blind spot.
    conditional : bool, default=False
        Learn p(x | y) of rows with a class or numbers y.
    max_iter : int, default=10
        Passes over the rows, at the most.
    batch_size : int, default=32
        Rows of a step.
    optimizer : {'adam', 'adamw', 'adagrad', 'nesterov', 'heavy_ball', 'sgd'}, default='adam'
    learning_rate : float, default=3e-3
        At its largest.
    schedule : {'cosine', 'constant', 'invscaling'}, default='cosine'
        How the learning rate falls with the steps.
    weight_decay : float, default=0.0
        Shrinks weights towards 0.
    dropout : float, default=0.0
        Share of units before the last layer that are left out at random in each step.
    clip : float or None, default=None
        Gradients longer than this are shortened to it.
    early_stopping : bool, default=False
        Hold out rows, stop when their loss has not fallen for some passes, keep the best weights.
    validation_fraction : float, default=0.1
        Share of rows that are held out.
    n_iter_no_change : int, default=5
        Passes without improvement after which the fit stops.
    tol : float, default=0.0
        What counts as improvement. If more than 0, the loss of the passes may stop the fit.
    average : float, default=0.0
        Decay of a moving average of the weights, which then replaces them; 0: none.
    precision : {'single', 'double', 'mixed'}, default='single'
        Of the numbers while it learns.
    random_state : int, Generator, RandomState or None, default=None

    Attributes
    ----------
    weights_ : dict of ndarray
    module_ : torch.nn.Module
        The network, on levels of pixels.
    level_values_ : ndarray of shape (d, levels)
        Values of each column's levels, or means of its bins; 0 beyond its number of levels.
    n_levels_ : ndarray of shape (d,)
    whole_ : ndarray of shape (d,)
        Whether levels are values, not bins.
    level_edges_, tails_ : ndarray of shapes (d, levels - 1) and (d, 2)
        Edges between bins, and scales of the tails outside.
    image_shape_ : (h, w, c)
    classes_, y_mean_, y_scale_ : ndarray or None
        What was learned of y, with conditional=True.
    history_, validation_history_ : ndarray
        Mean of - log p(levels of a row) in each pass, and of held-out rows after it.
    n_iter_, converged_ : int, bool
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (d,), if X had names

    See Also
    --------
    VAE : Codes of images, and a bound of their probability.

    Notes
    -----
    Rows with NaN are learned from: the loss counts what is observed, and "missing" is a level that
    later pixels see. `score_samples` and `impute` of rows with NaN go through at most `n_samples`
    fillings of the holes, and are exact where there are no more of them.

    References
    ----------
    van den Oord, Kalchbrenner, Vinyals, Espeholt, Graves and Kavukcuoglu (2016), Conditional image
    generation with PixelCNN decoders. Ramachandran et al. (2017), Fast generation for convolutional
    autoregressive models. Fearnhead and Clifford (2003), On-line inference for hidden Markov models
    via particle filters.

    Examples
    --------
    Stripes: each pixel is the one above it.

    >>> import numpy as np, lowdim
    >>> random = np.random.default_rng(0)
    >>> X = np.tile(random.integers(0, 2, size=(200, 4)), 4).astype(float)
    >>> model = lowdim.PixelCNN(
    ...     (4, 4), channels=8, n_layers=2, kernel_size=3, max_iter=20, random_state=0
    ... )
    >>> bool(model.fit(X).bits_per_dim(X) < 0.35)  # 4 bits for 16 pixels are 0.25
    True
    >>> X[0, 5] = np.nan
    >>> bool(abs(model.impute(X[:1])[0, 5] - X[0, 1]) < 0.2)
    True
    """

    _parameter_constraints: ClassVar[dict] = {
        **{k: v for k, v in SHARED_ARGUMENTS.items() if k not in ("hidden", "activation")},
        "image_shape": ["array-like", None],
        "channels": [AT_LEAST_1],
        "n_layers": [AT_LEAST_1],
        "kernel_size": [AT_LEAST_1],
        "levels": [Interval(Integral, 2, None, closed="left"), StrOptions({"auto"})],
        "gated": ["boolean"],
        "conditional": ["boolean"],
    }

    # fmt: off
    def __init__(
        self, image_shape=None, *, channels=32, n_layers=8, kernel_size=7, levels="auto",
        gated=True, conditional=False, max_iter=10, batch_size=32, optimizer="adam",
        learning_rate=3e-3, schedule="cosine", weight_decay=0.0, dropout=0.0, clip=None,
        early_stopping=False, validation_fraction=0.1, n_iter_no_change=5, tol=0.0, average=0.0,
        precision="single", random_state=None,
    ):
        self.image_shape, self.channels = image_shape, channels
        self.n_layers, self.kernel_size = n_layers, kernel_size
        self.levels, self.gated, self.conditional = levels, gated, conditional
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
        """Learn from rows that are images.

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

    @property
    def image_shape_(self):
        """(h, w, c) of the images."""
        return image_shape_of(self.image_shape, len(self.n_levels_), "conv")

    # ---- inside ----------------------------------------------------------------------------------

    def _check_rows(self, rows: Blocks) -> None:
        image_shape_of(self.image_shape, rows.n_columns, "conv")
        if self.kernel_size < 3 or self.kernel_size % 2 == 0:
            raise ValueError(
                f"kernel_size={self.kernel_size} must be odd and at least 3, so that it has a "
                "middle and sees what is around it."
            )

    def _shard_size(self) -> int:
        d = len(self.n_levels_)
        half = max(IMAGES_OF_A_HALF, PIXELS_OF_A_HALF // d, self.batch_size // 3 + 1)
        return min(max(IMAGES_OF_A_SHARD, PIXELS_OF_A_SHARD // d), half)

    def _level_limits(self) -> tuple[int, int, bool]:
        if self.levels == "auto":
            return AUTO_BINS, MOST_VALUES, True
        return self.levels, self.levels, True

    def _make(self) -> Any:
        from lowdim.deep.pixelcnn.gated import GatedPixels, Size
        from lowdim.deep.pixelcnn.masked import MaskedPixels

        size = Size(
            self.image_shape_,
            self.level_values_.shape[1],
            self.channels,
            self.n_layers,
            self.kernel_size,
            self._n_conditions,
            float(self.dropout),
        )
        return GatedPixels(size) if self.gated else MaskedPixels(size)
