"""`lowdim warmup`: compile ahead what the methods will need."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import click

from lowdim.cli.options import debug_option, quiet_option

ROWS, COLUMNS = 60, 8
# where a class has the argument
SMALL = {"n_components": 2, "n_clusters": 2, "max_iter": 2}
SMALL_NETWORK = {"hidden": (4,), "n_layers": 1, "n_heads": 1, "width": 4, "n_steps": 4}
# some kernels are for many components, or for many rows, only
MANY = {"n_components": 20, "n_clusters": 32, "max_iter": 2}
MANY_ROWS, MANY_COLUMNS = {"completion": 300, "cluster": 6000}, 30
VERY_MANY_ROWS = 5500  # so many that neighbours may be approximate
OF_OTHERS = {"pynndescent"}  # choices that run another library, which compiles by itself
WIDTH = 24


@click.command()
@click.argument("methods", nargs=-1, metavar="[METHOD|FAMILY]...")
@quiet_option
@debug_option
def warmup(methods: tuple[str, ...], quiet: bool) -> None:
    """Compile kernels now, so that no later fit has to wait.

    By default all kernels are compiled, on all processors. Each METHOD that is named, or each of
    a FAMILY, is fitted on small data, with each of its solvers, in single and in double precision.
    What is compiled is kept on disk for this version of lowdim: a second call is quick.

    \b
    Examples:
      lowdim warmup
      lowdim warmup KMeans GaussianMixture
      lowdim warmup completion
      lowdim warmup --quiet
    """
    import time

    start = time.perf_counter()
    if methods:
        _one_by_one(list(dict.fromkeys(methods)), quiet)
        return
    _side_by_side(quiet)
    if not quiet:
        click.echo(f"{'together':<{WIDTH}}  {time.perf_counter() - start:6.2f} s")


def _one_by_one(names: list[str], quiet: bool) -> None:
    from lowdim.core.progress import watch

    known = _by_name()
    names = [each for name in names for each in _members(name, known)]
    with watch("compiling", total=len(names)) as bar:
        for done, name in enumerate(names, start=1):
            tried = _timed(name, known[name])
            bar.update(done, note=name)
            tried.show(quiet)


def _side_by_side(quiet: bool) -> None:
    """As many processes as there are threads; each takes the next module, the longest first."""
    import gc
    from collections import defaultdict
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    from lowdim.core.config import get_config
    from lowdim.core.progress import watch
    from lowdim.core.signatures import listed

    modules, seconds = list(listed()), defaultdict[str, float](float)
    with watch("compiling", total=len(modules)) as bar:
        # processes that end soon need not look for garbage among a million small objects
        workers, spawn = get_config().n_threads, get_context("spawn")
        with ProcessPoolExecutor(workers, spawn, initializer=gc.disable) as pool:
            for done, took in enumerate(pool.map(_compiled, modules), start=1):
                family = modules[done - 1].split(".")[1]
                bar.update(done, note=family)
                seconds[family] += took
    if not quiet:
        for family in sorted(seconds):
            click.echo(f"{family:<{WIDTH}}  {seconds[family]:6.2f} s")


def _compiled(module: str) -> float:
    import time

    from lowdim.core.signatures import compile_module

    began = time.perf_counter()
    compile_module(module)
    return time.perf_counter() - began


def _timed(name: str, cls: Any) -> Tried:
    import time

    began = time.perf_counter()
    problem = warm_up(cls)
    return Tried(name, time.perf_counter() - began, None if problem is None else str(problem))


class Tried(NamedTuple):
    """How long a method took, and why it could not be tried if it could not."""

    name: str
    seconds: float
    problem: str | None

    def show(self, quiet: bool) -> None:
        if self.problem is not None:
            click.echo(f"Warning: {self.name} could not be tried ({self.problem}).", err=True)
        elif not quiet:
            click.echo(f"{self.name:<{WIDTH}}  {self.seconds:6.2f} s")


def _members(name: str, known: dict[str, Any]) -> list[str]:
    """The methods of a family, or the method that is called so."""
    found = [one for one, cls in sorted(known.items()) if name in (one, _family(cls))]
    if not found:
        raise click.UsageError(
            f"no method or family is called {name}; `lowdim methods` lists them."
        )
    return found


def _by_name() -> dict[str, Any]:
    import lowdim
    from lowdim.registry import public_estimators

    others = (lowdim.CountVectorizer, lowdim.Recommender, lowdim.Word2Vec, lowdim.WordVectors)
    other = {cls.__name__: cls for cls in (*others, lowdim.MapQuality, lowdim.TableEncoder)}
    return {**public_estimators(), **other, "neighbors": lowdim.neighbors}


def _family(cls: Any) -> str:
    return cls.__module__.split(".")[1]


def warm_up(cls: Any) -> Exception | None:
    """Use a class in every way that may compile something; what went wrong if nothing went."""
    import warnings

    import lowdim

    worked, problem = False, None
    with warnings.catch_warnings(), lowdim.config_context(progress=False):
        warnings.simplefilter("ignore")  # small data need not converge
        if cls.__name__ in OTHER_USES:
            OTHER_USES[cls.__name__]()
            return None
        for arguments, X in _uses(cls):
            try:
                _use(cls().set_params(**arguments), X)
                worked = True
            except (ValueError, TypeError) as error:  # a solver need not take every kind of X
                problem = error
        if cls is lowdim.LatentDirichletAllocation:
            _sample_topics()
        if cls is lowdim.KMeans:
            _settle_clusters()
        if cls is lowdim.TruncatedSVD:
            _turn_many_entries()
    return None if worked else problem


def _uses(cls: Any) -> Iterator[tuple[dict[str, Any], Any]]:
    """Each kind of X with a small model, and each choice of an argument with missing values."""
    kinds = list(data_for(cls, ROWS, COLUMNS))
    first, *others = settings_of(cls)
    together = [first | pair for pair in getattr(cls, "warmed_together", ())]
    yield from ((arguments, X) for arguments in (first, *together) for X in kinds)
    incomplete = [X for X in kinds if _has_missing(X)] or kinds
    yield from ((arguments, X) for arguments in others for X in incomplete)
    if cls.accepts_stream:
        yield from ((first, _streamed(X)) for X in incomplete)
    if _family(cls) in MANY_ROWS:
        for X in data_for(cls, MANY_ROWS[_family(cls)], MANY_COLUMNS):
            yield _where_known(cls, MANY), X


def _streamed(X: Any) -> Any:
    import lowdim

    return lowdim.stream(lambda: iter([X]))


def _has_missing(X: Any) -> bool:
    import numpy as np
    import scipy.sparse as sp

    return not sp.issparse(X) and bool(np.isnan(X).any())


def settings_of(cls: Any) -> Iterator[dict[str, Any]]:
    """A small model, then one for each choice that an argument has, one at a time.

    Metrics are tried by `neighbors`: those that are no products are scikit-learn's. Networks have
    a small model only.
    """
    from lowdim.core.constraints import StrOptions

    small = _where_known(cls, SMALL)
    if _family(cls) == "deep":  # its choices are computed by torch
        yield small | _where_known(cls, SMALL_NETWORK)
        return
    yield small
    for name, accepted in getattr(cls, "_parameter_constraints", {}).items():
        if name.endswith("metric") or name == "verbose":
            continue
        for constraint in accepted if isinstance(accepted, list) else ():
            if isinstance(constraint, StrOptions):
                choices = sorted(constraint.options - OF_OTHERS)
                yield from (small | {name: choice} for choice in choices)
            elif constraint == "boolean":
                yield from (small | {name: choice} for choice in (False, True))


def _where_known(cls: Any, arguments: dict[str, Any]) -> dict[str, Any]:
    known = cls().get_params()
    return {name: value for name, value in arguments.items() if name in known}


def data_for(cls: Any, n: int, d: int) -> Iterator[Any]:
    """Positive data of every kind that the class takes, in single and double precision."""
    import numpy as np
    import scipy.sparse as sp

    random = np.random.default_rng(0)
    X = np.exp(random.normal(size=(n, 2)) @ random.normal(size=(2, d)))
    X += random.random(X.shape)
    some = random.random(X.shape) < np.linspace(0.1, 0.7, n)[:, None]  # rows with few, and many
    tags = cls().__sklearn_tags__().input_tags
    for dtype in (np.float64, np.float32):
        yield X.astype(dtype)
        if tags.allow_nan:
            yield np.where(some, np.nan, X).astype(dtype)
        if tags.sparse:
            yield sp.csr_array(np.where(some, X, 0).astype(dtype))


def _use(model: Any, X: Any) -> None:
    import scipy.sparse as sp
    from sklearn.base import clone, is_classifier

    targets = _targets_for(model)
    model.fit(X, *targets)
    for name in ("transform", "predict", "score_samples", "impute"):
        if hasattr(model, name) and not (name == "impute" and sp.issparse(X)):
            getattr(model, name)(X)
    if _family(type(model)) == "maps" and hasattr(X, "dtype") and hasattr(X, "__neg__"):
        model.transform(-X)  # rows of the map have their place without more
    if hasattr(model, "partial_fit"):
        classes = {"classes": [0, 1]} if is_classifier(model) else {}
        clone(model).partial_fit(X, *targets, **classes)


def _targets_for(model: Any) -> list[Any]:
    """Something to predict, for a model that learns to."""
    import numpy as np

    needed = model.__sklearn_tags__().target_tags.required
    return [np.arange(ROWS) % 2] if needed else []


def _recommend() -> None:
    """Fit a recommender to some ratings, and ask it."""
    import numpy as np

    import lowdim

    random = np.random.default_rng(0)
    pairs = random.permutation(30 * 20)[:300]
    users, items = pairs // 20, pairs % 20
    for dtype in (np.float64, np.float32):
        ratings = random.integers(1, 6, size=len(pairs)).astype(dtype)
        model = lowdim.Recommender(lowdim.ALS(2, max_iter=2)).fit((users, items, ratings))
        model.recommend(users[0])
        model.recommend_all(n=3)
        model.similar_items(items[0])


def _turn_many_entries() -> None:
    """Sums of the columns, and the transpose, of a sparse matrix with many entries."""
    import numpy as np
    import scipy.sparse as sp

    from lowdim.linalg.moments import Frame, column_moments
    from lowdim.linalg.sparse import ENTRIES_PER_RUN, by_column, in_runs

    n = 2 * ENTRIES_PER_RUN // 1000 + 1
    for dtype in (np.float64, np.float32):
        X = sp.csr_array(np.ones((n, 1000), dtype=dtype))
        column_moments(X, Frame(np.zeros(1000, dtype), 1.0))
        by_column(X)
        in_runs(X)


def _count_words() -> None:
    """Count words, and pairs of words, in some documents, and see how alike these are."""
    import lowdim

    docs = ["the cat and the dog", "a bird sings", "the bird and the cat"]
    vectorizer = lowdim.CountVectorizer(ngram_range=(1, 2)).fit(docs)
    lowdim.text.cosine(vectorizer.transform(docs), top=1)
    lowdim.text.cooccurrence(docs, lowdim.CountVectorizer().fit(docs))
    lowdim.text.cooccurrence(lowdim.text.read_tokens(docs, min_count=1))
    lowdim.text.coherence([["cat", "bird"]], docs)


def _ask_word_vectors() -> None:
    """Ask word vectors for neighbours and for analogies."""
    import numpy as np

    import lowdim

    words = list("abcdef")
    for dtype in (np.float64, np.float32):
        vectors = np.random.default_rng(0).normal(size=(len(words), 3)).astype(dtype)
        wv = lowdim.WordVectors(words, vectors)
        wv.nearest(topn=2)
        wv.evaluate_word_analogies({"any": [("a", "b", "c", "d")]})


def _learn_words() -> None:
    """Learn vectors of words by skip-gram and by CBOW, and those of texts."""
    import lowdim

    docs = ["the cat and the dog", "a bird sings", "the bird and the cat"]
    for sg in (0, 1):
        lowdim.Word2Vec(4, sg=sg, min_count=1, sample=0, epochs=1).fit(docs).transform(docs)


def _find_neighbors() -> None:
    """Find neighbours among few, many, equal, sparse and very many rows."""
    import numpy as np
    import scipy.sparse as sp

    import lowdim

    random = np.random.default_rng(0)
    for dtype in (np.float64, np.float32):
        X = random.normal(size=(VERY_MANY_ROWS, 8)).astype(dtype)
        lowdim.neighbors(X[:ROWS], 3)
        lowdim.neighbors(np.repeat(X[:ROWS], 2, axis=0), 3)
        lowdim.neighbors(sp.csr_array(X[:ROWS]), 3)
        lowdim.neighbors(X[:ROWS], 3, metric="manhattan")
        lowdim.neighbors(X, 3)
        lowdim.neighbors(X, 3, method="approximate", random_state=0)


def _settle_clusters() -> None:
    """k-means of rows that settle at once: from then on passes keep bounds."""
    import numpy as np

    import lowdim

    random = np.random.default_rng(0)
    X = np.repeat(random.normal(size=(32, MANY_COLUMNS)), 20, axis=0)
    X += 0.01 * random.normal(size=X.shape)
    for dtype in (np.float64, np.float32):
        lowdim.KMeans(32, random_state=0).fit(X.astype(dtype))


def _sample_topics() -> None:
    """Draw the topics of words, of few and of many topics, and score documents word by word."""
    import numpy as np

    import lowdim

    X = np.random.default_rng(0).poisson(1.0, size=(ROWS, COLUMNS))
    for k in (2, 200):
        model = lowdim.LatentDirichletAllocation(k, learning_method="gibbs", max_iter=2)
        model.fit(X).score_samples(X[:2], method="left-to-right", n_samples=2)


def _judge_maps() -> None:
    """Judge a map of rows of every kind, and of distances without products."""
    import numpy as np
    import scipy.sparse as sp

    import lowdim

    X: Any = np.random.default_rng(0).normal(size=(ROWS, COLUMNS))
    X[1] = X[0]
    for rows in (X, X.round(), X.astype(np.float32), sp.csr_array(X)):
        for sample in (None, ROWS // 2):
            lowdim.map_quality(rows, X[:, :2], n_neighbors=3, sample=sample)
    lowdim.map_quality(X, X[:, :2], n_neighbors=3, metric="manhattan")


def _lay_out_rows() -> None:
    """UMAP of few rows of every kind and of more than are compared pair by pair; new rows."""
    import numpy as np

    import lowdim

    new = -np.random.default_rng(0).random((5, COLUMNS))
    for X in data_for(lowdim.UMAP, ROWS, COLUMNS):
        lowdim.UMAP(n_epochs=5, unique=True).fit(X).transform(new.astype(X.dtype))
    for X in data_for(lowdim.UMAP, 600, COLUMNS):
        for k in (2, 3):
            lowdim.UMAP(n_components=k, n_epochs=5, densmap=True).fit(X)


def _code_signals() -> None:
    import numpy as np

    import lowdim
    from lowdim.sparse.pursuit.lasso import descended

    random = np.random.default_rng(0)
    atoms, X = random.normal(size=(12, 6)), random.normal(size=(4, 6))
    for dtype in (np.float64, np.float32):
        D: Any = atoms.astype(dtype)
        rows: Any = X.astype(dtype)
        for algorithm in ("omp", "mp", "lars"):
            lowdim.sparse_encode(rows, D, algorithm=algorithm, n_nonzero_coefs=2)
        Z = lowdim.sparse_encode(rows, D, alpha=0.1)
        lowdim.sparse_encode(rows, D, algorithm="lasso_cd", alpha=0.1, init=Z)
        descended(D @ D.T, rows[0] @ D.T, 0.1, False, np.zeros(len(D), dtype))


# of what is not fitted to rows
def _read_rows() -> None:
    """Read rows of text as those of a large file are, if there is a reader of text at all."""
    from importlib.util import find_spec

    if find_spec("pyarrow") is None:
        return
    import pyarrow as pa

    from lowdim.tables.formats.form import TextFormat
    from lowdim.tables.formats.plain_rows import PlainReader
    from lowdim.tables.formats.types import Converter

    types = {"number": pa.float64(), "word": pa.string()}
    PlainReader(Converter(TextFormat(separator=","), list(types)), types).read(b"1,a\n")


OTHER_USES: dict[str, Callable[[], None]] = {
    "CountVectorizer": _count_words,
    "MapQuality": _judge_maps,
    "Recommender": _recommend,
    "SparseCoder": _code_signals,
    "TableEncoder": _read_rows,
    "UMAP": _lay_out_rows,
    "Word2Vec": _learn_words,
    "WordVectors": _ask_word_vectors,
    "neighbors": _find_neighbors,
}
