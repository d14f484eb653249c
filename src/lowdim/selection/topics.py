"""How many topics do documents have?

    completion   perplexity of held-out documents, their second half given the first
                                                                 the fewest, to 1 standard error
    coherence    mean npmi of the words of topics, by documents  the fewest, to 1 standard error

Completion asks how well words are predicted, and coherence how well a reader finds that topics hold
together: it often wants fewer. In each repeat models learn from four fifths of the documents, the
same for all numbers. Perplexity is that of the others; coherence is counted in all of them.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import ConvergenceWarning

from lowdim.core.blocks import Blocks
from lowdim.core.calling import level_of_caller
from lowdim.core.progress import watch
from lowdim.core.public import public_model
from lowdim.core.random import random_generator
from lowdim.core.threads import single_threaded_blas
from lowdim.core.validation import check_at_least, check_at_most, check_choice, open_rows_for
from lowdim.selection.choice import Choice, fewest_near_best, standard_error
from lowdim.selection.clusters import EndOfRangeWarning
from lowdim.text.judging.coherence import coherence
from lowdim.text.judging.completion import completion_perplexity
from lowdim.text.judging.top_words import top_words

CRITERIA = ("completion", "coherence")
MODELS: dict[str, tuple[str, dict[str, Any]]] = {
    "lda": ("LatentDirichletAllocation", {"learning_method": "map", "tol": 1e-4}),
    "plsa": ("PLSA", {"tol": 1e-5}),
    "nmf": ("NMF", {"beta_loss": "kullback-leibler", "solver": "mu"}),
}
USUAL = (2, 5, 10, 20, 30, 50, 75, 100)  # that are tried if nobody says how many
DOCUMENTS_PER_TOPIC = 10  # at the least, for a number to be tried unasked
HELD_OUT = 0.2  # of the documents
WORDS = 10  # of a topic, that coherence looks at
PRIOR = "doc_topic_prior"

# Of few topics a start may miss one, which costs much: the best of some is taken. Of many topics
# all starts are about as good
FEW, STARTS = 10, 3


@dataclass(frozen=True, repr=False)
class TopicsChoice(Choice):
    """A number of topics and the evidence for it; `print(choice)` says it in a sentence.

    Attributes
    ----------
    choice : int
        The number of topics.
    sizes : ndarray of shape (m,)
        The numbers that were compared.
    curve : ndarray of shape (m,)
        The criterion for each: completion perplexity, better when lower; coherence, better when
        higher. With a grid of `alpha`, that of the best alpha for each.
    errors : ndarray of shape (m,)
        Standard errors of the curve.
    per_repeat : ndarray of shape (repeats, m)
    criterion : str
    alpha : float or None
        The prior that was chosen, if there was a grid.
    alphas : ndarray of shape (a,) or None
        The grid.
    by_alpha : ndarray of shape (m, a) or None
        The criterion for each number and each alpha.
    model : estimator
        Fitted to X with this number of topics.
    """

    alpha: float | None = field(default=None, kw_only=True)
    alphas: np.ndarray | None = field(default=None, kw_only=True)
    by_alpha: np.ndarray | None = field(default=None, kw_only=True)
    model: Any = field(default=None, kw_only=True)

    counts: ClassVar[str] = "topic"
    labels: ClassVar[dict[str, str]] = {
        "completion": "perplexity of held-out words",
        "coherence": "coherence (npmi)",
    }
    reasons: ClassVar[dict[str, str]] = {
        "completion": "the fewest whose perplexity is within one standard error of the best",
        "coherence": "the fewest whose coherence is within one standard error of the best",
    }

    def sentence(self) -> str:
        """The choice in plain words."""
        if len(self.sizes) == 1:
            topics = "1 topic" if self.choice == 1 else f"{self.choice} topics"
            return f"{topics}, as asked for; alpha = {self.alpha:g}."
        said = super().sentence()
        return said if self.alpha is None else f"{said[:-1]}; alpha = {self.alpha:g}."

    def __repr__(self) -> str:
        return (
            f"TopicsChoice(choice={self.choice}, criterion={self.criterion!r}, "
            f"sizes={self.sizes[0]}..{self.sizes[-1]}, model={type(self.model).__name__})"
        )


@single_threaded_blas()
def choose_topics(
    X: Any,
    k: Iterable[int] | int | None = None,
    *,
    model: Any = "lda",
    criterion: str = "completion",
    repeats: int = 3,
    alpha: Iterable[float] | None = None,
    random_state: Any = None,
    max_rows: int = 20_000,
) -> TopicsChoice:
    """How many topics the documents of X have.

    Parameters
    ----------
    X : array, sparse matrix, Dask array or stream of shape (n, V)
        Counts: documents x words.
    k : iterable of int, int or None, default=None
        The numbers to compare, or one, to compare values of `alpha`. None: 2, 5, 10, 20, 30, 50, 75
        and 100, as far as there are ten documents for each topic; an int K: those up to K, and K.
    model : {'lda', 'plsa', 'nmf'} or estimator, default='lda'
        `LatentDirichletAllocation`, `PLSA`, `NMF` of the Kullback-Leibler loss, or any estimator
        with `n_components`, `transform` and `components_`, of scikit-learn too.
    criterion : {'completion', 'coherence'}, default='completion'
        'completion': perplexity of documents that the fit has not seen, as
        `text.completion_perplexity` has it. 'coherence': mean `text.coherence` (npmi, by documents)
        of the ten most relevant words of each topic. The fewest topics are taken that are not worse
        than the best by more than one standard error.
    repeats : int, default=3
        How often four fifths of the documents are drawn to learn from; more are slower and
        steadier.
    alpha : iterable of float or None, default=None
        Values of `doc_topic_prior` to compare, for models that have it: for each number of topics
        the best one by the criterion.
    random_state : int, Generator, RandomState or None, default=None
        For splits, and for models that have no seed of their own.
    max_rows : int, default=20000
        Numbers are compared on a random sample of so many documents.

    Returns
    -------
    TopicsChoice
        With `.choice`, `.sizes`, `.curve`, `.errors`, `.alpha`, `.model` (fitted to X) and
        `.plot()`; `print` gives a sentence.

    Notes
    -----
    A warning says when the choice is at the end of the range. For 'completion', models of up to ten
    topics that have no seed of their own are fitted from three starts each.

    Examples
    --------
    >>> import numpy as np, lowdim
    >>> from sklearn.decomposition import LatentDirichletAllocation
    >>> random = np.random.default_rng(0)
    >>> topics = np.kron(np.eye(3), np.full(6, 1 / 6))
    >>> X = np.array([random.multinomial(40, topics[i % 3]) for i in range(90)])
    >>> lda = LatentDirichletAllocation(max_iter=20)
    >>> lowdim.choose_topics(X, [2, 3, 4], model=lda, random_state=0).choice
    3
    """
    check_choice("criterion", criterion, CRITERIA)
    template = _template(model)
    alphas = _alphas(alpha, template)
    repeats = check_at_least("repeats", repeats, 2)
    max_rows = check_at_least("max_rows", max_rows, 10)
    random = random_generator(random_state)
    rows = open_rows_for("choose_topics", X)
    sizes = _sizes(k, rows.shape[0], alphas)
    models = _Models(template, sizes, alphas, random)
    counts = _in_memory(rows, max_rows, random)
    losses = _completion if criterion == "completion" else _incoherence
    found = losses(counts, models, repeats)  # (repeats, m, a)

    best_alpha = np.argmin(found.mean(axis=0), axis=1)  # (m,)
    per_size = found[:, np.arange(len(sizes)), best_alpha]  # (repeats, m)
    best = fewest_near_best(per_size)
    choice, sign = int(sizes[best]), 1.0 if criterion == "completion" else -1.0
    _warn_at_end(choice, sizes, criterion)
    chosen = None if alphas is None else float(alphas[best_alpha[best]])
    return TopicsChoice(
        choice,
        sizes,
        sign * per_size.mean(axis=0),
        criterion,
        errors=standard_error(per_size),
        per_repeat=sign * per_size,
        alpha=chosen,
        alphas=alphas,
        by_alpha=None if alphas is None else sign * found.mean(axis=0),
        model=(_best_start if criterion == "completion" else _one_start)(models, choice, chosen, X),
    )


# ---- criteria ------------------------------------------------------------------------------------


class _Models(NamedTuple):
    """The models that are compared: one template with different numbers and priors."""

    template: Any
    sizes: np.ndarray
    alphas: np.ndarray | None
    random: np.random.Generator

    def of_size(self, size: int, alpha: float | None) -> Any:
        model = clone(self.template).set_params(n_components=int(size))
        if alpha is not None:
            model.set_params(**{PRIOR: float(alpha)})
        if model.get_params().get("random_state", 0) is None:
            model.set_params(random_state=int(self.random.integers(2**31)))
        return model

    def priors(self) -> list[float | None]:
        return [None] if self.alphas is None else self.alphas.tolist()

    def n_starts(self, size: int) -> int:
        seeded = self.template.get_params().get("random_state", 0) is not None
        return 1 if seeded or size > FEW else STARTS


def _one_start(models: _Models, size: int, alpha: float | None, X: Any) -> Any:
    return models.of_size(size, alpha).fit(X)


def _best_start(models: _Models, size: int, alpha: float | None, X: Any) -> Any:
    """The fitted model that completes its own documents best, of some starts for few topics.

    Only what its own fit had to say is passed on.
    """
    fitted = [_kept_quiet(models, size, alpha, X) for _ in range(models.n_starts(size))]
    best = fitted[0]
    if len(fitted) > 1:
        best = min(fitted, key=lambda fit: completion_perplexity(fit.model, X, random_state=0))
    for message, category in best.said:
        warnings.warn(message, category, stacklevel=level_of_caller())
    return best.model


class _Fitted(NamedTuple):
    """A model, and the warnings of its fit."""

    model: Any
    said: list[tuple[str, type[Warning]]]


def _kept_quiet(models: _Models, size: int, alpha: float | None, X: Any) -> _Fitted:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = _one_start(models, size, alpha, X)
    return _Fitted(model, [(str(warning.message), warning.category) for warning in caught])


def _judged(models: _Models, repeats: int, judge: Any) -> np.ndarray:
    """judge(repeat, size, prior) for all repeats, numbers and priors; (repeats, m, a)."""
    priors = models.priors()
    losses = np.empty((repeats, len(models.sizes), len(priors)))
    with (
        watch("choosing the number of topics", total=losses.size) as bar,
        warnings.catch_warnings(),
    ):
        # what is compared need not be at its end; the model that is returned says if it is not
        warnings.simplefilter("ignore", ConvergenceWarning)
        for done, (r, s, a) in enumerate(np.ndindex(losses.shape)):
            losses[r, s, a] = judge(r, int(models.sizes[s]), priors[a])
            bar.update(done + 1)
    return losses


def _completion(X: sp.csr_array, models: _Models, repeats: int) -> np.ndarray:
    """Perplexities of held-out documents."""
    n = X.shape[0]
    held_out = max(1, round(HELD_OUT * n))
    orders = [models.random.permutation(n) for _ in range(repeats)]
    seeds = models.random.integers(2**31, size=repeats)

    def judge(r: int, size: int, alpha: float | None) -> float:
        model = _best_start(models, size, alpha, X[np.sort(orders[r][held_out:])])
        test = X[np.sort(orders[r][:held_out])]
        return completion_perplexity(model, test, random_state=int(seeds[r]))

    return _judged(models, repeats, judge)


def _incoherence(X: sp.csr_array, models: _Models, repeats: int) -> np.ndarray:
    """Coherence, in all documents, of models of some of them; less is better."""
    n = X.shape[0]
    names = [str(j) for j in range(X.shape[1])]
    seen = [np.sort(models.random.permutation(n)[round(HELD_OUT * n) :]) for _ in range(repeats)]

    def judge(r: int, size: int, alpha: float | None) -> float:
        topics = top_words(_one_start(models, size, alpha, X[seen[r]]), names, WORDS)
        # words that always stand together have a coherence of 1, up to rounding: more are no better
        return -round(float(np.mean(coherence(topics, (X, names)))), 9)

    return _judged(models, repeats, judge)


# ---- the door ------------------------------------------------------------------------------------


def _template(model: Any) -> Any:
    """The estimator that `model` says."""
    if isinstance(model, str):
        check_choice("model", model, MODELS)
        name, arguments = MODELS[model]
        cls = public_model(name)
        assert cls is not None
        return cls(**arguments)
    if isinstance(model, type) or not isinstance(model, BaseEstimator):
        raise TypeError(
            f"model={model!r} is not known; choose one of {', '.join(map(repr, MODELS))}, or give "
            "an estimator such as LatentDirichletAllocation()."
        )
    if "n_components" not in model.get_params() or not hasattr(model, "transform"):
        raise TypeError(
            f"model={model!r} finds no topics: it needs n_components and transform. Give one such "
            "as LatentDirichletAllocation() or NMF()."
        )
    return model


def _alphas(alpha: Any, model: Any) -> np.ndarray | None:
    if alpha is None:
        return None
    if PRIOR not in model.get_params():
        raise ValueError(
            f"alpha is a grid of {PRIOR}, which {type(model).__name__} does not have; leave it "
            "out, or choose model='lda'."
        )
    values = [alpha] if isinstance(alpha, Real) else list(alpha)
    if not values or not all(isinstance(a, Real) and 0 < float(a) < np.inf for a in values):
        raise ValueError(f"alpha={alpha!r} must be numbers above 0, for example [0.01, 0.1, 1].")
    return np.array(sorted(set(map(float, values))))


def _sizes(k: Any, n: int, alphas: np.ndarray | None = None) -> np.ndarray:
    """The numbers of topics to compare, increasing; one alone, where priors are compared."""
    if k is None:
        k = [size for size in USUAL if size <= max(n // DOCUMENTS_PER_TOPIC, 3)] or [1]
        k = [1, 2] if len(k) < 2 else k
    elif isinstance(k, Integral):
        most = check_at_least("k", k, 2)
        k = [*(size for size in USUAL if size < most), most]
        k = [1, 2] if len(k) < 2 else k
    if isinstance(k, str) or not isinstance(k, Iterable):
        raise TypeError(f"k={k!r} is not known; give numbers of topics, for example [10, 20, 50].")
    sizes = sorted({check_at_least("k", size, 1) for size in k})
    if len(sizes) < 2 and (not sizes or alphas is None or len(alphas) < 2):
        raise ValueError(f"k has {len(sizes)} different numbers; at least 2 are compared.")
    check_at_most("k", sizes[-1], n, "documents (rows) of X")
    return np.array(sizes)


def _in_memory(rows: Blocks, max_rows: int, random: np.random.Generator) -> sp.csr_array:
    """The counts of a sample of documents; without documents that have no words."""
    n = rows.shape[0]
    if n > max_rows or rows.in_memory is None:
        index = np.sort(random.choice(n, size=min(n, max_rows), replace=False))
        X = rows.take(index)
    else:
        X = rows.in_memory
    counts = sp.csr_array(X)
    counts = counts[np.asarray(counts.sum(axis=1)).ravel() > 0]
    if counts.shape[0] < 5:
        raise ValueError(
            f"X has {counts.shape[0]} documents with words; choose_topics needs at least 5."
        )
    return counts


def _warn_at_end(choice: int, sizes: np.ndarray, criterion: str) -> None:
    if len(sizes) > 1 and (choice == sizes[-1] or (choice == sizes[0] > 1)):
        where = "largest" if choice == sizes[-1] else "smallest"
        warnings.warn(
            f"By {criterion!r} the best number of topics is {choice}, the {where} one tried; a "
            "better one may lie beyond. Try a wider range of k.",
            EndOfRangeWarning,
            stacklevel=level_of_caller(),
        )
