"""`CausalTransformer`: exact probabilities of sequences, entry by entry, by attention.

p(x) = prod_i p(x_i | x_1 ... x_(i-1))      one network says all conditionals at once
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from lowdim.core.blocks import Blocks
from lowdim.core.constraints import AT_LEAST_1, Integral, Interval, StrOptions
from lowdim.core.estimator import OF_EVERY_MODEL, Transformer
from lowdim.core.loop import fitting
from lowdim.core.random import generator_of
from lowdim.core.shapes import Anything, Below, Maybe, Text
from lowdim.core.validation import check_at_least, check_choice
from lowdim.deep.chain.asking import drawn_codes
from lowdim.deep.chain.levels import Levels, drawn_values
from lowdim.deep.chain.network import N_SAMPLES, ChainNetwork
from lowdim.deep.network import SHARED_ARGUMENTS, Network
from lowdim.deep.transformer import reading
from lowdim.deep.transformer.of_text import NUMBERS, OfText
from lowdim.deep.transformer.orders import checked_order, order_of
from lowdim.deep.transformer.rows import attention_of_rows, mean_states_of_rows
from lowdim.deep.transformer.texts import (
    as_codes,
    coded,
    documents_of,
)

WORK_OF_A_SHARD = 384 * 128**2  # entries times width^2, at least
WORK_OF_A_HALF = WORK_OF_A_SHARD // 12  # of a batch that is cut in two


class CausalTransformer(Transformer, OfText):
    """Sequences with exact probabilities, one entry after the other, each seeing all before.

    Minimises  - sum_i log p(x_i | x_1 ... x_(i-1))  over rows: tables of numbers (columns in
    order), sequences of whole numbers, or windows of text. Layers of attention, in which a place
    looks at the places before it, give all conditionals at once; new rows and new text are drawn
    entry by entry, with the keys and values of the layers kept.

    Cost: O(n d w (d + w)) per layer and pass, for n rows of d entries at width w. Memory beside the
    rows: a batch; a text is kept as whole numbers, one for each token.
    Needs torch: pip install 'lowdim[deep]'.

    Parameters
    ----------
    tokens : {'auto', 'char', 'byte', 'bpe'}, default='auto'
        What text is cut into: characters ('auto' too), the bytes of UTF-8, or pairs of bytes that
        were joined because they are common, which needs the package tokenizers: pip install
        'lowdim[text]'. Numbers need 'auto'.
    context : int, default=64
        Tokens of text that are seen together. Rows of numbers are always seen whole.
    n_layers : int, default=4
    n_heads : int, default=4
        Heads of each layer; they divide the width.
    width : int, default=128
        Numbers by which an entry is described in all layers.
    levels : int, default=32
        Most levels of a column. Whole numbers with no more values are levels as they are, shared
        by all columns if all are such; other numbers are put into so many bins at the quantiles of
        each column, with a density that is even within them and exponential outside.
    vocabulary_size : int, default=1024
        Most tokens of tokens='bpe', of which the bytes are 256.
    positions : {'learned', 'sinusoidal'} or None, default='learned'
        How the network knows the place of an entry; None: only by what stands before it.
    order : None, 'random' or permutation of the columns, default=None
        In which order columns are said; None: as they stand.
    conditional : bool, default=False
        Learn p(x | y) of rows with a class or numbers y.
    max_iter : int, default=10
        Passes over the rows, at the most.
    max_steps : int or None, default=None
        Steps, at the most; None: all steps of the passes.
    batch_size : int, default=32
        Rows, or windows of text, of a step.
    optimizer : {'adam', 'adamw', 'adagrad', 'nesterov', 'heavy_ball', 'sgd'}, default='adam'
    learning_rate : float, default=2e-3
        At its largest.
    schedule : {'cosine', 'constant', 'invscaling'}, default='cosine'
        How the learning rate falls with the steps.
    weight_decay : float, default=0.0
        Shrinks weights towards 0.
    dropout : float, default=0.0
        Share of numbers after each part of a layer that are left out at random in each step.
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
    tokens_ : {'numbers', 'char', 'byte', 'bpe'}
        What was learned from.
    vocabulary_ : list of str or None
        The characters of text, with tokens 'char'.
    documents_ : bool
        Whether the text was several documents; of text only.
    weights_ : dict of ndarray
    module_ : torch.nn.Module
        The network, on levels of columns or numbers of tokens.
    order_ : ndarray of shape (d,)
        The columns in the order in which they are said; of numbers, as all that follow.
    level_values_ : ndarray of shape (d, levels)
        Values of each column's levels, or means of its bins; 0 beyond its number of levels.
    n_levels_ : ndarray of shape (d,)
    whole_ : ndarray of shape (d,)
        Whether levels are values, not bins.
    level_edges_, tails_ : ndarray of shapes (d, levels - 1) and (d, 2)
        Edges between bins, and scales of the tails outside.
    classes_, y_mean_, y_scale_ : ndarray or None
        What was learned of y, with conditional=True.
    history_, validation_history_ : ndarray
        Mean of - log p(levels of a row), or of a token of text, in each pass, and of held-out rows
        after it.
    n_iter_, converged_ : int, bool
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (d,), if X had names

    See Also
    --------
    PixelCNN : Exact probabilities of images.
    VAE : Codes of rows, and a bound of their probability.

    Notes
    -----
    Rows with NaN are learned from: the loss counts what is observed, and "missing" is a level that
    later entries see. `score_samples` and `impute` of rows with NaN go through at most `n_samples`
    fillings of the holes, and are exact where there are no more of them.

    A list of texts is a list of documents: a symbol that is never said stands in front of each. A
    text longer than the context is read in windows that overlap by half, and written so.

    References
    ----------
    Vaswani, Shazeer, Parmar, Uszkoreit, Jones, Gomez, Kaiser and Polosukhin (2017), Attention is
    all you need. Radford, Wu, Child, Luan, Amodei and Sutskever (2019), Language models are
    unsupervised multitask learners.

    Examples
    --------
    >>> import lowdim
    >>> text = "to be or not to be, " * 40
    >>> model = lowdim.CausalTransformer(
    ...     context=16, n_layers=1, n_heads=2, width=16, max_iter=60, learning_rate=0.01,
    ...     random_state=0,
    ... )
    >>> model.fit(text).generate("to be or", 12, temperature=0)
    'to be or not to be, '
    >>> bool(model.perplexity(text) < 1.1)  # among so many characters one seems to be chosen
    True

    Numbers, of which the third is the sum of the others:

    >>> import numpy as np
    >>> X = np.random.default_rng(0).integers(0, 3, size=(300, 3)).astype(float)
    >>> X[:, 2] = X[:, 0] + X[:, 1]
    >>> model = lowdim.CausalTransformer(width=32, n_layers=2, max_iter=30, random_state=0).fit(X)
    >>> np.round(model.impute([[1.0, np.nan, 3.0]]), 1)
    array([[1., 2., 3.]])
    """

    shapes: ClassVar[dict] = {
        **ChainNetwork.shapes,
        "order_": Below("d", ("d",)),
        "tokens_": Anything(),
        "vocabulary_": Maybe(Text(("v",))),
    }
    SHAPES_OF_TEXT: ClassVar[dict] = {
        **OF_EVERY_MODEL,
        **Network.shapes,
        "tokens_": Anything(),
        "vocabulary_": Maybe(Text(("v",))),
        "documents_": Anything(),
        "_pairs": Maybe(Anything()),
        **{name: Maybe(Anything()) for name in ("classes_", "y_mean_", "y_scale_")},
    }

    _parameter_constraints: ClassVar[dict] = {
        **{k: v for k, v in SHARED_ARGUMENTS.items() if k not in ("hidden", "activation")},
        "tokens": [StrOptions({"auto", "char", "byte", "bpe"})],
        "context": [AT_LEAST_1],
        "n_layers": [AT_LEAST_1],
        "n_heads": [AT_LEAST_1],
        "width": [AT_LEAST_1],
        "levels": [Interval(Integral, 2, None, closed="left")],
        "vocabulary_size": [Interval(Integral, 256, None, closed="left")],
        "positions": [StrOptions({"learned", "sinusoidal"}), None],
        "order": ["array-like", StrOptions({"random"}), None],
        "conditional": ["boolean"],
        "max_steps": [AT_LEAST_1, None],
    }

    order_: np.ndarray

    # fmt: off
    def __init__(
        self, tokens="auto", *, context=64, n_layers=4, n_heads=4, width=128, levels=32,
        vocabulary_size=1024, positions="learned", order=None, conditional=False, max_iter=10,
        max_steps=None, batch_size=32, optimizer="adam", learning_rate=2e-3, schedule="cosine",
        weight_decay=0.0, dropout=0.0, clip=None, early_stopping=False, validation_fraction=0.1,
        n_iter_no_change=5, tol=0.0, average=0.0, precision="single", random_state=None,
    ):
        self.tokens, self.context = tokens, context
        self.n_layers, self.n_heads, self.width = n_layers, n_heads, width
        self.levels, self.vocabulary_size = levels, vocabulary_size
        self.positions, self.order, self.conditional = positions, order, conditional
        self.max_iter, self.max_steps, self.batch_size = max_iter, max_steps, batch_size
        self.optimizer, self.learning_rate = optimizer, learning_rate
        self.schedule, self.weight_decay = schedule, weight_decay
        self.dropout, self.clip = dropout, clip
        self.early_stopping, self.validation_fraction = early_stopping, validation_fraction
        self.n_iter_no_change, self.tol = n_iter_no_change, tol
        self.average, self.precision = average, precision
        self.random_state = random_state
    # fmt: on

    # ---- learn -----------------------------------------------------------------------------------

    @fitting
    def fit(self, X, y=None):
        """Learn from rows, or from text.

        Parameters
        ----------
        X : array, data frame, Dask collection or stream of shape (n, d), or text
            NaN marks missing values. Text: a str, which is the text itself; a list or Series of
            texts; `lowdim.corpus(...)`, a pathlib.Path of a file or folder, or a callable that
            gives a fresh iterator of texts.
        y : array-like of shape (n,) or (n, q), or None
            With conditional=True; else it is not looked at.
        """
        return self._fit(X, y, more=False)

    @fitting
    def partial_fit(self, X, y=None):
        """One more pass, over these rows or this text."""
        return self._fit(X, y, more=True)

    def _fit(self, X: Any, y: Any, more: bool) -> Any:
        if self.width % self.n_heads:
            raise ValueError(
                f"width={self.width} cannot be divided among n_heads={self.n_heads} heads of one "
                "size; choose a width that is a multiple of n_heads."
            )
        documents = documents_of(X)
        more = more and hasattr(self, "weights_")
        if more:
            self._check_kind(documents is not None)
        if documents is not None:
            return self._fit_text(documents, more)
        if self.tokens != "auto":
            raise ValueError(
                f"tokens={self.tokens!r} is for text, and X holds numbers. Choose tokens='auto', "
                "or give a str or a list of texts."
            )
        return super()._fit(X, y, more)

    def _check_rows(self, rows: Blocks) -> None:
        checked_order(self.order, rows.n_columns)

    def _learn_levels(self, rows: Blocks, seed: int) -> None:
        super()._learn_levels(rows, seed)
        self.order_ = order_of(self.order, rows.n_columns, seed)
        self.tokens_, self.vocabulary_ = NUMBERS, None
        for name in ("documents_", "_pairs"):
            self.__dict__.pop(name, None)

    def _level_limits(self) -> tuple[int, int, bool]:
        return self.levels, self.levels, True

    # ---- the network -----------------------------------------------------------------------------

    def _make(self) -> Any:
        from lowdim.deep.transformer.attention import CausalNetwork, Size

        if self.tokens_ == NUMBERS:
            order, n_levels = tuple(map(int, self.order_)), self.level_values_.shape[1]
            same = (self.level_values_ == self.level_values_[0]).all()
            own = not (same and self.whole_.all())
        else:
            order, n_levels, own = tuple(range(self.context)), self._vocabulary.size, False
        return CausalNetwork(
            Size(
                order,
                n_levels,
                own,
                self.n_layers,
                self.n_heads,
                self.width,
                self._n_conditions,
                self.positions,
                float(self.dropout),
            )
        )

    def _buffers(self) -> dict[str, np.ndarray]:
        if self.tokens_ == NUMBERS:
            found = super()._buffers()
        else:
            found = {"forbidden": np.zeros((self.context, self._vocabulary.size))}
        if self.positions == "sinusoidal":
            found["places"] = reading.sinusoids(len(found["forbidden"]), self.width)
        return found

    def _prepare(self) -> Callable[[np.ndarray], np.ndarray]:
        return super()._prepare() if self.tokens_ == NUMBERS else as_codes

    def _step_limit(self) -> int | None:
        return self.max_steps

    def _shard_size(self) -> int:
        length = len(self.order_) if self.tokens_ == NUMBERS else self.context
        work = length * self.width**2  # of a row
        half = max(WORK_OF_A_HALF // work, self.batch_size // 3 + 1)
        return max(1, min(WORK_OF_A_SHARD // work, half))

    # ---- use -------------------------------------------------------------------------------------

    def score_samples(self, X, n_samples=N_SAMPLES, *, y=None):
        """log p(x) of each row or document; of a row with NaN, of its observed entries.

        Parameters
        ----------
        X : array-like of shape (n, d), or text as in `fit`
        n_samples : int, default=100
            Fillings that stand for the missing entries of a row; exact where all of them are fewer.
        y : array-like of shape (n,) or (n, q), or one value for all rows
            With conditional=True, and only then: log p(x | y).

        Returns
        -------
        ndarray of shape (n,)
        """
        documents = self._texts(X, y)
        if documents is None:
            return super().score_samples(X, n_samples, y=y)
        return self._of_documents(documents)[0]

    def score(self, X, y=None):
        """Mean of log p: of a token of text, else of a row; rows without any value do not count."""
        documents = self._texts(X, None)
        if documents is None:
            return super().score(X, y)
        total, count = self._of_documents(documents)
        return float(total.sum() / count.sum())

    def bits_per_dim(self, X, *, y=None):
        """- log2 p by observed entry, or by token: how many bits one takes."""
        if self._texts(X, y) is None:
            return super().bits_per_dim(X, y=y)
        return -self.score(X) / math.log(2.0)

    def perplexity(self, X, *, y=None):
        """exp(- mean log p) of a token or observed entry: among how many one seems to be chosen."""
        bits = self.bits_per_dim(X, y=y)
        return 2.0**bits if bits < sys.float_info.max_exp else math.inf

    def conditionals(self, X, *, y=None):
        """Probabilities of the levels of each entry, or of the tokens, given those before.

        Parameters
        ----------
        X : array-like of shape (n, d), or a str
            NaN are missing: later entries are given that they are.
        y : array-like of shape (n,) or (n, q), or one value for all rows
            With conditional=True, and only then.

        Returns
        -------
        ndarray of shape (n, d, levels), or (m, tokens) of a text of m tokens
        """
        if self._texts(X, y) is None:
            return super().conditionals(X, y=y)
        return reading.probabilities(self.module_, self._one_text(X), self.documents_)

    def transform(self, X):
        """The mean over entries of what the last layer makes of them, (n, width).

        Parameters
        ----------
        X : array-like of shape (n, d), or text as in `fit`
        """
        documents = self._texts(X, None)
        if documents is not None:
            codes = coded(documents, self._vocabulary)
            return reading.mean_states(self.module_, codes, self.documents_)
        if self.conditional:
            raise ValueError(
                "transform needs a model of rows alone, and conditional=True has learned rows "
                "given y. Fit with conditional=False."
            )
        rows, _ = self._asked(X, None)
        return rows.map(mean_states_of_rows, self.module_, self._levels)

    def sample(self, n_samples=1, random_state=None, *, y=None, cache=True):
        """New rows, or new texts of `context` tokens, entry by entry.

        Parameters
        ----------
        n_samples : int, default=1
        random_state : int, Generator, RandomState or None, default=None
            None: that of the constructor, as in scikit-learn.
        y : array-like of shape (n_samples,) or (n_samples, q), or one value for all rows
            With conditional=True, and only then.
        cache : bool, default=True
            Keep the keys and values of the layers. False asks the whole network for each entry,
            which gives the same and takes longer.

        Returns
        -------
        ndarray of shape (n_samples, d), or list of n_samples str
        """
        from lowdim.deep.transformer.attention import Uncached

        check_is_fitted(self)
        n = check_at_least("n_samples", n_samples, 1)
        known = self._conditions(y, n)
        random = generator_of(self, random_state)
        if self.tokens_ != NUMBERS:
            uniform = random.random((n, self.context))
            codes = reading.written(
                self.module_, self._begin(""), uniform, reading.Choice(), bool(cache)
            )
            return [self._vocabulary.text(row) for row in codes]
        uniform = random.random((2, n, len(self.n_levels_)))
        module = self.module_ if cache else Uncached(self.module_)
        codes = drawn_codes(module, uniform[0], self._levels, *known)
        return drawn_values(codes, self._levels, uniform[1])

    def attention(self, X, *, y=None):
        """How much each entry looks at those before it, when it is said.

        Parameters
        ----------
        X : array-like of shape (n, d), or a str of at most `context` tokens
        y : array-like of shape (n,) or (n, q), or one value for all rows
            With conditional=True, and only then.

        Returns
        -------
        ndarray of shape (n, n_layers, n_heads, d, d), or (n_layers, n_heads, m, m) of a text
            Entry [..., i, j]: the weight of input j when place i is said. Input 0 is the start,
            input j > 0 is what was said at place j - 1; places are columns in `order_`. Of a model
            of documents, place 0 of a text is the symbol in front of it. Rows add up to 1.
        """
        if self._texts(X, y) is None:
            rows, along = self._asked(X, y)
            return rows.map(attention_of_rows, self.module_, self._levels, along=along)
        return attention_of_rows(self._short_text(X)[None], self.module_, None)[0]

    def plot(self, kind="loss", X=None, *, layer=-1, head=None, ax=None):
        """Draw how the network learned, or what looks at what.

        Parameters
        ----------
        kind : {"loss", "attention"}, default="loss"
            "loss": the objective after each pass. "attention": `attention(X)` of one row or text.
        X : array-like of shape (1, d), or a str
        layer : int, default=-1
        head : int or None, default=None
            None: the mean of all.
        ax : matplotlib Axes or None, default=None

        Returns
        -------
        matplotlib Axes
        """
        from lowdim.plots import attention_map, loss

        check_is_fitted(self)
        if check_choice("kind", kind, ("loss", "attention")) == "loss":
            return loss(self.history_, self.validation_history_, ax=ax)
        if X is None:
            raise ValueError("kind='attention' draws one row or text; give it as X.")
        weights = np.asarray(self.attention(X))
        if self.tokens_ == NUMBERS:
            weights = weights[0]
            given = getattr(self, "feature_names_in_", [f"x{f}" for f in range(len(self.order_))])
            names = [str(given[f]) for f in self.order_]
        else:
            codes = self._short_text(X)
            start = ["|"] if self.documents_ else []
            names = start + self._vocabulary.names(codes[len(start) :])
        one = weights[_place("layer", layer, len(weights))]
        if head is None:
            return attention_map(one.mean(axis=0), names, ax=ax)
        return attention_map(one[_place("head", head, len(one))], names, ax=ax)

    # ---- inside ----------------------------------------------------------------------------------

    def _asked(self, X: Any, y: Any, only_observed: bool | None = None) -> tuple[Blocks, tuple]:
        self._check_kind(documents_of(X) is not None)
        assert self._levels  # what asks for rows has no answer about text
        return super()._asked(X, y, only_observed)

    @property
    def _levels(self) -> Levels:
        if self.tokens_ != NUMBERS:
            raise TypeError("This is for rows of numbers, and this model has learned from text.")
        return super()._levels

    @property
    def _n_features_out(self) -> int:
        return len(self.weights_["norm.weight"])

    def _shapes(self) -> dict[str, Any]:
        return super()._shapes() if self.tokens_ == NUMBERS else dict(self.SHAPES_OF_TEXT)


def _place(name: str, value: Any, n: int) -> int:
    """An argument that counts n things from 0, or from -1 backwards."""
    place = check_at_least(name, value, -n)
    if place >= n:
        raise ValueError(f"{name}={value}, and there are {n}; choose one of {-n} to {n - 1}.")
    return place
