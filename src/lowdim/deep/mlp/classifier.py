"""`MLPClassifier`: classes from a network of dense layers.

minimise over W, b     -sum_i w_i log p(y_i | x_i) + alpha / 2 sum_l |W_l|^2
"""

from __future__ import annotations

from typing import ClassVar

from sklearn.utils.metaestimators import available_if

from lowdim.core.loop import fitting
from lowdim.core.shapes import Anything
from lowdim.deep.classifying import Classifier
from lowdim.deep.mlp.base import ARGUMENTS, Perceptrons, is_stochastic


class MLPClassifier(Classifier, Perceptrons):
    """A network of dense layers that predicts classes, with scikit-learn's arguments.

    Minimises  (-sum_i w_i log p(y_i | x_i) + alpha / 2 sum_l |W_l|^2) / sum_i w_i
    by steps on batches, or by L-BFGS on all rows. y may be one of two or more classes, columns of
    0 and 1 (each a label of its own), or rows of probabilities of classes, which sum to 1.

    Cost: O(n sum of |W|) time per pass; memory beside the rows: a batch and a few copies of W.
    Needs torch: pip install 'lowdim[deep]'.

    Parameters
    ----------
    hidden_layer_sizes : int or sequence of int, default=(100,)
        Units of the hidden layers; () for none, a linear model.
    activation : {'identity', 'logistic', 'tanh', 'relu'}, default='relu'
        Of the hidden layers.
    solver : {'adam', 'adamw', 'adagrad', 'sgd', 'lbfgs'}, default='adam'
        'lbfgs' searches with the gradient of all rows, and is good for small data; the others take
        steps on batches.
    alpha : float, default=0.0001
        Penalty alpha / 2 |W|^2 on weights, but not on intercepts, divided by the weight of the
        rows of a batch; with 'adamw', the share by which a step of rate 1 shrinks the weights.
    batch_size : int or 'auto', default='auto'
        Rows of a step; 'auto' is 200, or all if there are fewer.
    learning_rate : {'constant', 'invscaling', 'adaptive'}, default='constant'
        With solver='sgd': stays; is divided by t^power_t after each pass, t the rows seen so far;
        or is divided by 5 each time that the loss stops falling.
    learning_rate_init : float, default=0.001
        Where it starts.
    power_t : float, default=0.5
        See learning_rate.
    max_iter : int, default=200
        Passes over the rows, or iterations of 'lbfgs', at the most.
    shuffle : bool, default=True
        Whether each pass has another order of the rows.
    random_state : int, Generator, RandomState or None, default=None
        For the start, the order of rows, held-out rows and dropout.
    tol : float, default=1e-4
        A fit ends after n_iter_no_change passes that lower the loss (or, with early_stopping, raise
        the score) by less than this; 'lbfgs', when no derivative is larger.
    verbose : bool, default=False
        Print the loss of each pass, and show a progress bar.
    warm_start : bool, default=False
        Whether `fit` goes on from the weights of the fit before.
    momentum, nesterovs_momentum : float, default=0.9; bool, default=True
        Of 'sgd'.
    early_stopping : bool, default=False
        Whether to hold rows out, to stop by their score, and to keep the weights with the best one.
    validation_fraction : float, default=0.1
        Share of the rows that are held out.
    beta_1, beta_2, epsilon : float, defaults 0.9, 0.999, 1e-8
        Of 'adam' and 'adamw': decay of the two moments, and what is added to the root; epsilon also
        of 'adagrad'.
    n_iter_no_change : int or inf, default=10
        See tol.
    max_fun : int, default=15000
        Evaluations of the loss by 'lbfgs' at the most.
    dropout : float, default=0.0
        Probability with which a hidden unit is left out of a row's step; not for 'lbfgs'.
    input_dropout : float, default=0.0
        The same for the columns of X. Without hidden layers and penalty it is ridge regression
        with p / (1 - p) diag(X'X) in place of alpha I.

    Attributes
    ----------
    coefs_ : list of ndarray of shape (units before, units after)
        Weights W of each layer.
    intercepts_ : list of ndarray of shape (units after,)
        b of each layer.
    loss_ : float
        The loss of the last pass, penalty included.
    loss_curve_ : list of float
        The loss of each pass, of earlier fits too if they went on; None with 'lbfgs'.
    best_loss_ : float
        The smallest of them; None if rows were held out.
    validation_scores_, best_validation_score_ : list of float, float
        Scores of held-out rows after each pass, and the best one; None if none were held out.
    n_iter_ : int
        Passes, or iterations, of the last fit.
    t_ : int
        Rows that steps have been taken with.
    n_layers_, n_outputs_ : int
        Layers, those of inputs and outputs among them, and units of the output.
    out_activation_ : str
        Activation of the output.
    history_ : ndarray
        The loss of each pass, or iteration, of the last fit.
    classes_ : ndarray of shape (n_classes,)
        Classes, sorted; for labels and rows of probabilities the numbers of their columns.

    See Also
    --------
    MLPRegressor : Numbers instead of classes.

    Notes
    -----
    Rows may be an array (float32 and float64 stay as they are), bytes, a sparse matrix, a stream or
    a Dask array: of the last three no more than a window of rows is held, with the same result. y
    is an array in memory. The result does not depend on the number of threads.

    Examples
    --------
    >>> import lowdim
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = lowdim.MLPClassifier((20,), solver="lbfgs", max_iter=500, random_state=0).fit(X, y)
    >>> float(model.score(X, y)) > 0.95
    True
    >>> model.activations(X).shape
    (150, 20)
    """

    _parameter_constraints: ClassVar[dict] = ARGUMENTS
    shapes: ClassVar[dict] = {**Perceptrons.shapes, "classes_": Anything()}

    def __init__(
        self,
        hidden_layer_sizes=(100,),
        activation="relu",
        *,
        solver="adam",
        alpha=0.0001,
        batch_size="auto",
        learning_rate="constant",
        learning_rate_init=0.001,
        power_t=0.5,
        max_iter=200,
        shuffle=True,
        random_state=None,
        tol=1e-4,
        verbose=False,
        warm_start=False,
        momentum=0.9,
        nesterovs_momentum=True,
        early_stopping=False,
        validation_fraction=0.1,
        beta_1=0.9,
        beta_2=0.999,
        epsilon=1e-8,
        n_iter_no_change=10,
        max_fun=15000,
        dropout=0.0,
        input_dropout=0.0,
    ):
        self.hidden_layer_sizes = hidden_layer_sizes
        self.activation = activation
        self.solver = solver
        self.alpha, self.batch_size = alpha, batch_size
        self.learning_rate, self.learning_rate_init = learning_rate, learning_rate_init
        self.power_t = power_t
        self.max_iter, self.shuffle = max_iter, shuffle
        self.random_state = random_state
        self.tol = tol
        self.verbose = verbose
        self.warm_start = warm_start
        self.momentum, self.nesterovs_momentum = momentum, nesterovs_momentum
        self.early_stopping, self.validation_fraction = early_stopping, validation_fraction
        self.beta_1, self.beta_2 = beta_1, beta_2
        self.epsilon = epsilon
        self.n_iter_no_change = n_iter_no_change
        self.max_fun = max_fun
        self.dropout, self.input_dropout = dropout, input_dropout

    @fitting
    def fit(self, X, y, sample_weight=None):
        """Learn to predict y.

        Parameters
        ----------
        X : matrix, data frame, stream or Dask array of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Classes; columns of 0 and 1; or rows of probabilities.
        sample_weight : array-like of shape (n_samples,), default=None

        Returns
        -------
        self
        """
        return self._fit(X, y, sample_weight, more=False)

    @available_if(is_stochastic)
    @fitting
    def partial_fit(self, X, y, sample_weight=None, classes=None):
        """One more pass over these rows.

        Parameters
        ----------
        X, y, sample_weight
            As for `fit`.
        classes : array-like, default=None
            All classes there will be; needed in the first call, except for labels and rows of
            probabilities.

        Returns
        -------
        self
        """
        self._know(classes, y)
        return self._fit(X, y, sample_weight, more=True)
