"""`CNNClassifier`: classes of images, from convolutions.

minimise over all weights     -sum_i log p(y_i | x_i)
"""

from __future__ import annotations

from typing import ClassVar

from lowdim.core.loop import fitting
from lowdim.core.shapes import Anything
from lowdim.deep.classifying import Classifier
from lowdim.deep.cnn.base import Convolutional


class CNNClassifier(Classifier, Convolutional):
    """A network of convolutions that predicts classes of images.

    Minimises  -1/n sum_i log p(y_i | x_i)  by steps on batches: convolutions ('same': zeros around
    the image), an activation and max-pooling, some times; then dense layers. y may be one of two or
    more classes, columns of 0 and 1 (labels), or rows of probabilities of classes.

    Cost: O(n) times the products of an image, per pass; memory beside the rows: a batch.
    Needs torch: pip install 'lowdim[deep]'.

    Parameters
    ----------
    image_shape : (h, w), (h, w, c) or None, default=None
        Shape of the image in each row, its c colours side by side at each place; None takes a
        square, else a signal of one dimension.
    channels : int or sequence of int, default=(32, 64)
        Filters of each convolution.
    kernel_size : int, default=3
        Side of a filter.
    pool : int, default=2
        Side of the squares of which the largest value is kept after each convolution.
    hidden_layer_sizes : int or sequence of int, default=(128,)
        Units of the dense layers between the last convolution and the outputs; () for none.
    dropout : float, default=0.25
        Probability with which a unit of these is left out of a row's step.
    activation : {'relu', 'tanh', 'logistic', 'gelu', 'silu', 'identity'}, default='relu'
    max_iter : int, default=20
        Passes over the rows.
    batch_size : int, default=64
        Rows of a step.
    optimizer : {'adam', 'adamw', 'adagrad', 'nesterov', 'heavy_ball', 'sgd'}, default='adam'
    learning_rate : float, default=2e-3
        Length of a step.
    schedule : {'cosine', 'constant', 'invscaling'}, default='cosine'
        How the learning rate changes: falls to 0 as half a cosine, after a short rise; stays; or
        falls with the root of the steps.
    weight_decay : float, default=0.0
        Shrinks weights, as the optimizer does it.
    clip : float or None, default=None
        Longest gradient; longer ones are shortened.
    early_stopping : bool, default=False
        Whether to hold rows out, to stop by their loss, and to keep the weights with the best one.
    validation_fraction : float, default=0.1
        Share of the rows that are held out.
    n_iter_no_change : int, default=5
        Passes in a row that may lower the loss by less than tol; if tol is 0 and no rows are held
        out, all passes are made.
    tol : float, default=0.0
    average : float, default=0.0
        Decay of a moving average of the weights, which is used in their place; 0 for none.
    precision : {'single', 'double', 'mixed'}, default='single'
    random_state : int, Generator, RandomState or None, default=None
        For the start, the order of rows, held-out rows and dropout.

    Attributes
    ----------
    filters_ : list of ndarray of shape (channels, channels before, height, width)
        Filters of each convolution; the first are in units of X.
    biases_ : list of ndarray of shape (channels,)
    weights_ : dict of ndarray
        All weights, by their names in `module_`.
    module_ : torch.nn.Module
        The network; it gives scores, before the output's own activation.
    image_shape_ : (h, w, c)
    scale_ : float
        Mean of |x|, by which rows are divided.
    n_outputs_, out_activation_ : int, str
    history_, validation_history_ : ndarray
        Mean loss of each pass, and of held-out rows after it (None if none are).
    n_iter_ : int
        Passes.
    classes_ : ndarray of shape (n_classes,)

    See Also
    --------
    MLPClassifier : Does not know which numbers of a row are neighbours.

    Notes
    -----
    Rows may be float32, float64 or bytes; a stream or Dask: no more than a window of them is held,
    with the same result. The result does not depend on the number of threads. There are no sample
    weights: dropout draws noise for each row.

    Examples
    --------
    >>> import lowdim
    >>> from sklearn.datasets import load_digits
    >>> X, y = load_digits(return_X_y=True)
    >>> model = lowdim.CNNClassifier(channels=(8, 16), learning_rate=0.005, random_state=0)
    >>> float(model.fit(X[:1000], y[:1000]).score(X[1000:], y[1000:])) > 0.9
    True
    >>> model.feature_maps(X[:2], layer=0).shape
    (2, 8, 8, 8)
    """

    shapes: ClassVar[dict] = {**Convolutional.shapes, "classes_": Anything()}

    def __init__(
        self,
        image_shape=None,
        *,
        channels=(32, 64),
        kernel_size=3,
        pool=2,
        hidden_layer_sizes=(128,),
        dropout=0.25,
        activation="relu",
        max_iter=20,
        batch_size=64,
        optimizer="adam",
        learning_rate=2e-3,
        schedule="cosine",
        weight_decay=0.0,
        clip=None,
        early_stopping=False,
        validation_fraction=0.1,
        n_iter_no_change=5,
        tol=0.0,
        average=0.0,
        precision="single",
        random_state=None,
    ):
        self.image_shape = image_shape
        self.channels = channels
        self.kernel_size = kernel_size
        self.pool = pool
        self.hidden_layer_sizes = hidden_layer_sizes
        self.dropout = dropout
        self.activation = activation
        self.max_iter = max_iter
        self.batch_size = batch_size
        self.optimizer = optimizer
        self.learning_rate = learning_rate
        self.schedule = schedule
        self.weight_decay = weight_decay
        self.clip = clip
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.average = average
        self.precision = precision
        self.random_state = random_state

    @fitting
    def fit(self, X, y):
        """Learn to predict y.

        Parameters
        ----------
        X : matrix, data frame, stream or Dask array of shape (n_samples, n_features)
            An image in each row.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Classes; columns of 0 and 1; or rows of probabilities.

        Returns
        -------
        self
        """
        return self._fit(X, y, more=False)

    @fitting
    def partial_fit(self, X, y, classes=None):
        """One more pass over these rows; `classes` are all there will be, for the first call."""
        self._know(classes, y)
        return self._fit(X, y, more=True)
