"""Which model predicts best what it has not seen?

    error of a model = sum over held-out entries of (guess - x)^2 / the same for column means

in standardised units, so that 0 is perfect and 1 is as good as column means; of a cell of a table
that is several columns of numbers, their mean. Splits are drawn
first and shared by all models; what is held out is NaN in everything that a model, or the scaling
of its columns, learns from. Differences are paired by split: what the splits cannot tell apart is
called a tie.
"""

from __future__ import annotations

import time
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, clone

from lowdim.core.progress import watch
from lowdim.core.random import random_generator
from lowdim.core.session import InterruptedFitWarning
from lowdim.core.validation import check_at_least, check_choice, check_number
from lowdim.selection.compare.input import open_compared, sample_rows
from lowdim.selection.compare.models import (
    MEANS_FOR_HOLES,
    NOT_CENTERED,
    ColumnMeans,
    filled,
    log_likelihood,
    n_parameters,
    needs_means,
    takes_nan,
    takes_only_positive,
    units_for,
    with_means,
)
from lowdim.selection.compare.table import Comparison, Entrant, Protocol
from lowdim.selection.splits import Cells, Split, columns_of, draw_split
from lowdim.tables.encoder import TableEncoder

BASELINE = "column means"
LARGEST_SHARE = 0.9
INNER_ENTRIES = 2000  # judged in the choice among candidates: one inner split, more of small tables
MOST_INNER = 5


def compare(
    X: Any,
    models: Any,
    *,
    hold_out: str = "entries",
    criterion: str = "error",
    share: float = 0.1,
    repeats: int = 5,
    standardize: bool = True,
    max_rows: int | None = None,
    encoder: TableEncoder | None = None,
    random_state: Any = None,
) -> Comparison:
    """Judge models by how well they predict data that they have not seen.

    Parameters
    ----------
    X : array, data frame, dict of arrays or path, of shape (n, d)
        NaN and other missing values are entries that nobody knows, and are not judged. Matrices
        and tables of numbers are taken as they are; a table with words, dates or categories
        becomes numbers by `encoder`. A path is that of a file which `lowdim.tables.open_table`
        reads.
    models : list or dict of estimators
        Of lowdim or scikit-learn; a dict gives them names. In place of an estimator there may be a
        list of candidates, such as [PCA(1), PCA(2), PCA(3)]: in every split the one is taken that
        is best on splits of the training data (one, or up to five where the table is small), so
        that each method is judged at its best size without a look at what is held out. Column
        means are always compared, too.
    hold_out : {'entries', 'rows'}, default='entries'
        'entries': a share of the entries is missing, and told from the rest of the table.
        'rows': a share of the rows is not learned from; of these new rows, a quarter of the entries
        is hidden and told from the others.
    criterion : {'error', 'likelihood'}, default='error'
        'error' is the squared error of held-out entries, in standardised columns, relative to that
        of column means. 'likelihood', for hold_out='rows' and models with `score_samples`, is
        minus the log-likelihood of a held-out row, in standardised columns. Smaller is better.
    share : float, default=0.1
        Of entries, or rows, that are held out each time, at most 0.9.
    repeats : int, default=5
        How many times; at least 2. More: smaller standard errors, fewer ties, slower.
    standardize : bool, default=True
        Models see columns with mean 0 and deviation 1 in the training entries (models of
        non-negative numbers: deviation 1, not centred). False gives columns as they are, for counts
        or for models that scale by themselves; the judgement is in standardised columns anyway.
    max_rows : int or None, default=None
        Compare on a random sample of so many rows, where X has more; the table says so.
    encoder : TableEncoder or None, default=None
        What makes numbers of a table, not fitted yet: any table if it is given. None means
        TableEncoder(drop_level=True), which leaves out the largest level of each category, where X
        has a column that does not hold numbers.
    random_state : int, Generator, RandomState or None, default=None
        For the sample, the splits, and for models without a seed of their own.

    Returns
    -------
    Comparison
        A table that prints itself, best model first, with `.winner`, `.ties`, `.losses`,
        `.failures`, `.estimators`, `.encoder`, `.to_frame()` and `.plot()`.

    Notes
    -----
    Of a table, its cells are held out: all columns of numbers that stand for a cell, such as those
    of the levels of a category, are hidden together, and count as one entry. A level that would be
    left nowhere in what is learned from is not held out. What columns are, and of which numbers
    logarithms are taken, is decided once, by the whole table.

    A model fills holes with its `impute`; k-means with the center nearest in what a row has
    observed; imputers of scikit-learn with `transform`, its mixtures with the expected mean,
    other transformers with `inverse_transform(transform(X))`. Models that do not take NaN get
    column means (of training entries) in their place, and a remark.

    A model that raises an error has it in the table, and the others go on; warnings are counted in
    the remark. `seconds` is the median time of a fit with its predictions, without the choice among
    candidates; `parameters` are the free parameters, or the numbers in components, means, centers
    and noise.

    A row keeps at least one entry, and a column at least two different ones: what would break this
    is not held out. Standard errors are corrected for training data that overlap from one
    repetition to the next. A model ties with the winner if their mean paired difference is at most
    two standard errors of it, or below a thousandth of the winner's error (0.001 in -log p); but
    not if its error is more than twice the winner's: it then fails on some of the splits.
    Probabilities of counts and densities of numbers are not on one scale: compare likelihoods
    within one of these kinds.

    References
    ----------
    Nadeau and Bengio (2003), Inference for the generalization error: the corrected resampled
    t-test, whose variance is that of the losses times 1 / repeats + share / (1 - share).

    Examples
    --------
    >>> import numpy as np, lowdim
    >>> random = np.random.default_rng(0)
    >>> X = random.normal(size=(200, 2)) @ random.normal(size=(2, 8))
    >>> X += 0.3 * random.normal(size=X.shape)
    >>> models = {"PCA": [lowdim.PCA(k) for k in (1, 2, 3)], "k-means": lowdim.KMeans(4)}
    >>> table = lowdim.compare(X, models, random_state=0)
    >>> table.names
    ('PCA', 'k-means', 'column means')
    >>> table.estimators["PCA"]
    PCA(n_components=2)
    """
    check_choice("hold_out", hold_out, ("entries", "rows"))
    check_choice("criterion", criterion, ("error", "likelihood"))
    if criterion == "likelihood" and hold_out != "rows":
        raise ValueError("criterion='likelihood' judges rows; choose hold_out='rows' with it.")
    check_choice("standardize", standardize, (True, False))
    share = check_number("share", share, 0.0, LARGEST_SHARE, open_low=True)
    repeats = check_at_least("repeats", repeats, 2)
    contestants = _contestants(models)
    random = random_generator(random_state)
    compared = open_compared(X, encoder, criterion)
    values = compared.values if max_rows is None else sample_rows(compared, max_rows, random)
    rules = Rules(hold_out, share, criterion, standardize, compared.cells)
    nested = any(len(contestant.candidates) > 1 for contestant in contestants)
    tasks = _tasks(values, rules, repeats, nested, random)

    entrants = []
    with watch("comparing", total=repeats * len(contestants)) as bar:
        for c, contestant in enumerate(contestants):
            outcomes, failure = [], ""
            for r, task in enumerate(tasks):
                bar.update(c * repeats + r, contestant.name)
                try:
                    outcomes.append(_run(contestant.candidates, values, task, rules))
                except Exception as error:  # whatever it is: one model may fail, the others go on
                    failure = _told(error)
                    break
            entrants.append(_entrant(contestant, outcomes, failure, repeats))
    used = None
    if compared.encoder is not None:
        used = len(compared.cells.first), compared.encoder.n_features_in_
    n_rows = len(compared.values)
    protocol = Protocol(criterion, hold_out, share, repeats, values.shape, n_rows, used)
    return Comparison(tuple(entrants), protocol, compared.encoder)


class Rules(NamedTuple):
    """What `compare` was asked for."""

    hold_out: str
    share: float
    criterion: str
    standardize: bool
    cells: Cells


class Contestant(NamedTuple):
    """A name, and one model or several to choose from."""

    name: str
    candidates: list[Any]


class Task(NamedTuple):
    """A split of X, a seed, and splits of its training data for the choice among candidates."""

    split: Split
    seed: int
    inner: list[Split]


class Outcome(NamedTuple):
    """What one model did on one split."""

    loss: float
    seconds: float
    size: int | None
    chosen: int
    treatment: tuple[str, ...]  # what was done to the data for this model
    warned: frozenset[str]  # categories of its warnings


# ---- one model, one split ------------------------------------------------------------------------


def _run(candidates: list[Any], X: np.ndarray, task: Task, rules: Rules) -> Outcome:
    """The outcome of the candidate that is best on the inner splits."""
    chosen = _best_candidate(candidates, X, task, rules) if len(candidates) > 1 else 0
    model = _seeded(candidates[chosen], task.seed)
    return judge(model, X, task.split, rules)._replace(chosen=chosen)


def _best_candidate(candidates: list[Any], X: np.ndarray, task: Task, rules: Rules) -> int:
    """Which candidate loses least on the inner splits; those that fail are left out."""
    training = task.split.training(X)
    losses, failure = np.full(len(candidates), np.inf), None
    for c, candidate in enumerate(candidates):
        try:
            losses[c] = np.mean(
                [
                    judge(_seeded(candidate, task.seed), training, split, rules).loss
                    for split in task.inner
                ]
            )
        except Exception as error:  # a candidate too large for the data, say
            failure = failure or error
    if failure is not None and np.isinf(losses).all():
        raise failure
    return int(np.argmin(losses))


def judge(model: Any, X: np.ndarray, split: Split, rules: Rules) -> Outcome:
    """Fit the model to what the split leaves it, and say what it loses on what is held out."""
    training = split.training(X)
    question = split.question(X) if rules.criterion == "error" else X[split.ask_rows]
    columns = columns_of(training)
    units = units_for(model, columns, rules.standardize)
    mean = units.to_model(columns.center)
    learned, rows = units.to_model(training), units.to_model(question)
    if not takes_nan(model):
        learned = with_means(learned, mean)
    began = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(learned)
        said = (
            filled(model, rows, mean) if rules.criterion == "error" else log_likelihood(model, rows)
        )
    seconds = time.perf_counter() - began
    warned = {warning.category for warning in caught}
    if InterruptedFitWarning in warned:  # Ctrl-C ends a fit early; here it is meant for all of them
        raise KeyboardInterrupt
    if rules.criterion == "error":
        asked = split.asked()
        truth = (X[split.ask_rows] - columns.center) / columns.spread
        guess = units.standardised(_checked(said, asked, model))
        weight = np.broadcast_to((1.0 / rules.cells.width)[rules.cells.column], asked.shape)
        loss = relative_error(guess[asked], truth[asked], weight[asked])
    else:
        loss = -float(units.log_density_standardised(said, rows).mean())
    if not np.isfinite(loss):
        raise ValueError(f"{type(model).__name__} loses {loss} on held-out data")
    treatment = [NOT_CENTERED] if rules.standardize and takes_only_positive(model) else []
    treatment += [MEANS_FOR_HOLES] if needs_means(model, training, question) else []
    names = frozenset(category.__name__ for category in warned)
    return Outcome(loss, seconds, n_parameters(model), 0, tuple(treatment), names)


def relative_error(guess: np.ndarray, truth: np.ndarray, weight: Any = 1.0) -> float:
    """Squared error relative to that of column means, which are 0 in standardised units."""
    by_means = float((weight * np.square(truth)).sum())
    return float((weight * np.square(guess - truth)).sum()) / (by_means or 1.0)


def _checked(guess: np.ndarray, asked: np.ndarray, model: Any) -> np.ndarray:
    if guess.shape != asked.shape:
        raise ValueError(
            f"{type(model).__name__} gives {guess.shape} values where {asked.shape} are needed"
        )
    unknown = np.count_nonzero(~np.isfinite(guess[asked]))
    if unknown:
        raise ValueError(
            f"{type(model).__name__} leaves {unknown} of {np.count_nonzero(asked)} held-out "
            "entries unknown (NaN or infinite)"
        )
    return guess


def _seeded(model: Any, seed: int) -> Any:
    """An unfitted copy; the seeds that it leaves open are set."""
    model = clone(model)
    open_seeds = [
        name
        for name, value in model.get_params().items()
        if value is None and (name == "random_state" or name.endswith("__random_state"))
    ]
    return model.set_params(**dict.fromkeys(open_seeds, seed))


# ---- what is said of a model ---------------------------------------------------------------------


def _entrant(
    contestant: Contestant, outcomes: list[Outcome], failure: str, repeats: int
) -> Entrant:
    """A line of the table; a model that failed once has failed."""
    candidates = contestant.candidates
    if failure:
        losses = np.full(repeats, np.nan)
        return Entrant(contestant.name, losses, np.nan, None, "", failure, clone(candidates[0]))
    chosen = Counter(outcome.chosen for outcome in outcomes)
    favourite = min(chosen, key=lambda c: (-chosen[c], c))
    sizes = [outcome.size for outcome in outcomes if outcome.chosen == favourite]
    return Entrant(
        contestant.name,
        np.array([outcome.loss for outcome in outcomes]),
        float(np.median([outcome.seconds for outcome in outcomes])),
        sizes[0],
        _remark(candidates, chosen, outcomes),
        "",
        clone(candidates[favourite]),
    )


def _remark(candidates: list[Any], chosen: Counter[int], outcomes: list[Outcome]) -> str:
    """Which candidates were chosen, what was done to the data, and what the model warned of."""
    n, remarks = len(outcomes), []
    if len(candidates) > 1:
        often = [
            _described(candidates[c], candidates) + (f" ({times} of {n})" if times < n else "")
            for c, times in chosen.most_common()
        ]
        remarks.append(", ".join(often))
    remarks += dict.fromkeys(note for outcome in outcomes for note in outcome.treatment)
    warned = Counter(name for outcome in outcomes for name in outcome.warned)
    remarks += [f"{name} {times} of {n}" for name, times in sorted(warned.items())]
    return "; ".join(remarks)


def _described(model: Any, among: list[Any]) -> str:
    """What distinguishes a candidate: the arguments that are not the same in all."""
    if len({type(other) for other in among}) > 1:
        return _one_line(model)
    params = [other.get_params() for other in among]
    mine = model.get_params()
    differ = [name for name in mine if any(repr(p.get(name)) != repr(mine[name]) for p in params)]
    return ", ".join(f"{name}={mine[name]!r}" for name in differ) or _one_line(model)


def _one_line(model: Any) -> str:
    return " ".join(repr(model).split())


def _told(error: Exception) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}"


# ---- the door ------------------------------------------------------------------------------------


def _tasks(
    X: np.ndarray, rules: Rules, repeats: int, nested: bool, random: np.random.Generator
) -> list[Task]:
    """Splits and seeds; they do not depend on which models there are, nor on candidates."""
    splits = [_split(X, rules, random) for _ in range(repeats)]
    seeds = random.integers(2**31, size=repeats).tolist()
    inner = [_inner(split.training(X), rules, random) if nested else [] for split in splits]
    return [Task(*parts) for parts in zip(splits, seeds, inner, strict=True)]


def _inner(training: np.ndarray, rules: Rules, random: np.random.Generator) -> list[Split]:
    """One split of the training data; more, where it holds out few entries."""
    splits: list[Split] = []
    judged = 0
    while len(splits) < MOST_INNER and judged < INNER_ENTRIES:
        splits.append(_split(training, rules, random))
        judged += int(np.count_nonzero(rules.cells.of_table(splits[-1].held)))
    return splits


def _split(X: np.ndarray, rules: Rules, random: np.random.Generator) -> Split:
    split = draw_split(X, rules.hold_out, rules.share, random, rules.cells)
    if rules.criterion == "error" and not split.held.any():
        shape = f"{len(X)} x {len(rules.cells.first)}"
        raise ValueError(
            f"With share={rules.share:g} no entry of X ({shape}) can be held out so that its row "
            "and its column keep enough; raise share, or give more rows."
        )
    return split


def _contestants(models: Any) -> list[Contestant]:
    """The baseline, and every model with its name."""
    if isinstance(models, BaseEstimator):
        models = [models]
    if isinstance(models, Mapping):
        names, groups = [str(name) for name in models], list(models.values())
    elif isinstance(models, Iterable) and not isinstance(models, str | np.ndarray):
        names, groups = [], list(models)
    else:
        raise TypeError(f"models={models!r} is not known; give a list or a dict of estimators.")
    if not groups:
        raise ValueError("models is empty; give at least one estimator.")
    candidates = [_candidates(group) for group in groups]
    names = names or _names(candidates)
    if BASELINE in names:
        raise ValueError(f"{BASELINE!r} is the name of the baseline; choose another.")
    given = [Contestant(name, group) for name, group in zip(names, candidates, strict=True)]
    return [*given, Contestant(BASELINE, [ColumnMeans()])]


def _candidates(group: Any) -> list[Any]:
    models = list(group) if isinstance(group, list | tuple) else [group]
    if not models:
        raise ValueError("models has an empty list of candidates; give at least one estimator.")
    for model in models:
        if isinstance(model, type) or not isinstance(model, BaseEstimator):
            hint = f"{model.__name__}()" if isinstance(model, type) else "PCA(2)"
            raise TypeError(
                f"models has {model!r}, which is no estimator; give one such as {hint}, or a list "
                "of them to choose from."
            )
    return models


def _names(groups: list[list[Any]]) -> list[str]:
    """Class names, with package, arguments and number only where they are not unique without."""
    leaders = [type(group[0]) for group in groups]
    names = []
    for group, kind in zip(groups, leaders, strict=True):
        alike = [other for other in leaders if other.__name__ == kind.__name__]
        package = f"{kind.__module__.split('.')[0]}." if len(set(alike)) > 1 else ""
        alone = alike.count(kind) == 1 or len(group) > 1
        names.append(package + (kind.__name__ if alone else _one_line(group[0])))
    seen: Counter[str] = Counter()
    for at, name in enumerate(names):
        seen[name] += 1
        if seen[name] > 1:
            names[at] = f"{name} #{seen[name]}"
    return names
