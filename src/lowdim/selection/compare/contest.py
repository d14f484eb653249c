"""Which model predicts best what it has not seen?

    error of a model = sum over held-out entries of (guess - x)^2 / the same for column means

in standardised units, so that 0 is perfect and 1 is as good as column means; of a cell of a table
that is several columns of numbers, their mean. Splits are drawn
first and shared by all models; what is held out is NaN in everything that a model, or the scaling
of its columns, learns from. Differences are paired by split: what the splits cannot distinguish is
called a tie.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lowdim.core.progress import watch
from lowdim.core.random import random_generator
from lowdim.core.threads import single_threaded_blas
from lowdim.core.validation import check_at_least, check_choice, check_number
from lowdim.selection.compare.entrants import contestants_of, entrant_of, in_one_line
from lowdim.selection.compare.input import open_compared, sample_rows
from lowdim.selection.compare.judging import Outcome, Rules, judge, seeded
from lowdim.selection.compare.table import Comparison, Protocol
from lowdim.selection.splits import Split, draw_split
from lowdim.tables.encoder import TableEncoder

LARGEST_SHARE = 0.9
INNER_ENTRIES = 2000  # judged in the choice among candidates: one inner split, more of small tables
MOST_INNER = 5


@single_threaded_blas()
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
        is best on splits of the training data (one, or up to five where the table is small; who is
        behind in each of the first is not tried on the others), so that each method is judged at
        its best size without a look at what is held out. Column means are always compared, too.
    hold_out : {'entries', 'rows'}, default='entries'
        'entries': a share of the entries is missing, and predicted from the rest of the table.
        'rows': a share of the rows is not learned from; of these new rows, a quarter of the entries
        is hidden and predicted from the others.
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

    A model fills missing values with its `impute`; k-means with the center nearest in what a row
    has observed; imputers of scikit-learn with `transform`, its mixtures with the expected mean,
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
    contestants = contestants_of(models)
    random = random_generator(random_state)
    compared = open_compared(X, encoder, criterion)
    values = compared.values if max_rows is None else sample_rows(compared, max_rows, random)
    rules = Rules(hold_out, share, criterion, standardize, compared.cells)
    nested = any(len(contestant.candidates) > 1 for contestant in contestants)
    trials = _seeded_splits(values, rules, repeats, nested, random)

    entrants = []
    with watch("comparing", total=repeats * len(contestants)) as bar:
        for c, contestant in enumerate(contestants):
            outcomes, failure = [], ""
            for r, trial in enumerate(trials):
                bar.update(c * repeats + r, contestant.name)
                try:
                    outcomes.append(_run(contestant.candidates, values, trial, rules))
                except Exception as error:  # whatever it is: one model may fail, the others go on
                    failure = in_one_line(error)
                    break
            entrants.append(entrant_of(contestant, outcomes, failure, repeats))
    used = None
    if compared.encoder is not None:
        used = len(compared.cells.first), compared.encoder.n_features_in_
    n_rows = len(compared.values)
    protocol = Protocol(criterion, hold_out, share, repeats, values.shape, n_rows, used)
    return Comparison(tuple(entrants), protocol, compared.encoder)


class SeededSplit(NamedTuple):
    """A split of X, a seed, and splits of its training data for the choice among candidates."""

    split: Split
    seed: int
    inner: list[Split]


# ---- one model, one split ------------------------------------------------------------------------


def _run(candidates: list[Any], X: np.ndarray, trial: SeededSplit, rules: Rules) -> Outcome:
    """The outcome of the candidate that is best on the inner splits."""
    chosen = _best_candidate(candidates, X, trial, rules) if len(candidates) > 1 else 0
    model = seeded(candidates[chosen], trial.seed)
    return judge(model, X, trial.split, rules)._replace(chosen=chosen)


def _best_candidate(candidates: list[Any], X: np.ndarray, trial: SeededSplit, rules: Rules) -> int:
    """Which candidate loses least on the inner splits; those that fail are left out.

    It is a race: from the second split on, who was behind the leader in each of them is out.
    """
    training = trial.split.training(X)
    losses = np.empty((len(candidates), len(trial.inner)))
    racing, leader, failures = list(range(len(candidates))), 0, []
    for s, split in enumerate(trial.inner):
        for c in tuple(racing):
            try:
                losses[c, s] = judge(seeded(candidates[c], trial.seed), training, split, rules).loss
            except Exception as error:  # a candidate too large for the data, say
                racing.remove(c)
                failures.append(error)
        if not racing:
            raise failures[0]
        seen = losses[:, : s + 1]
        leader = min(racing, key=lambda c: float(np.mean(seen[c])))
        if s >= 1:
            racing = [c for c in racing if c == leader or np.any(seen[c] < seen[leader])]
        if len(racing) == 1:
            break
    return leader


# ---- splits --------------------------------------------------------------------------------------


def _seeded_splits(
    X: np.ndarray, rules: Rules, repeats: int, nested: bool, random: np.random.Generator
) -> list[SeededSplit]:
    """Splits and seeds; they do not depend on which models there are, nor on candidates."""
    splits = [_split(X, rules, random) for _ in range(repeats)]
    seeds = random.integers(2**31, size=repeats).tolist()
    inner = [_inner(split.training(X), rules, random) if nested else [] for split in splits]
    return [SeededSplit(*parts) for parts in zip(splits, seeds, inner, strict=True)]


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
