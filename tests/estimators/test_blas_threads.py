"""Bits do not depend on the number of BLAS threads: every model, every result, every function."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from sklearn.base import BaseEstimator

import lowdim
import lowdim.linalg
from lowdim.core.holding import holds_blas
from lowdim.core.public import homes, public_object
from tests.blas import blas_on, blas_threads
from tests.estimators.examples import (
    CLASSES,
    DEFAULTS,
    METHODS,
    case,
    codes_of,
    each_class,
    each_model,
    learned,
    quiet,
    short,
    small,
    table,
)

pytestmark = quiet

# shapes at which OpenBLAS works on several threads: products of more than 2^18 multiplications,
# factorisations of more than some dozens of columns
TALL, WIDE = (400, 60), (60, 240)
DATA = {
    "tall": table(*TALL),
    "wide": np.abs(table(*WIDE)),  # some methods are for values of 0 or more
    "float32": table(*TALL, dtype=np.float32),
    "missing": table(120, 40, missing=0.15),
}
OF_ROWS = (
    "transform",
    "predict",
    "predict_proba",
    "score_samples",
    "score",
    "impute",
    "discriminate",
)
OF_NOTHING = ("get_covariance", "get_precision", "complete")
FEW_ROWS = 16  # to ask about where each row costs passes or programs of its own


def takes_missing(model):
    return METHODS[type(model).__name__].nan and model.__sklearn_tags__().input_tags.allow_nan


def results(model, X):
    """Learned attributes and what the model says about rows, by name."""
    found = dict(learned(model))
    if METHODS[type(model).__name__].family in ("deep", "sparse"):
        X = X[:FEW_ROWS]
    for name in OF_ROWS:
        if hasattr(model, name):
            found[name] = getattr(model, name)(X)
    for name in OF_NOTHING:
        if hasattr(model, name):
            found[name] = getattr(model, name)()
    if hasattr(model, "inverse_transform"):
        found["inverse_transform"] = model.inverse_transform(codes_of(model, X))
    return {name: np.asarray(value) for name, value in found.items()}


def fitted_results(model, X):
    model = short(model, max_iter=2)  # bits that differ do so from the first iterations on
    if getattr(model, "n_components", 1) == "auto":  # of NMF: as many as there are columns
        model.set_params(n_components=8)
    return results(model.fit(X), X)


def assert_same_bits(left, right):
    assert left.keys() == right.keys()
    for name, value in left.items():
        np.testing.assert_array_equal(value, right[name], err_msg=name)


@each_model
def test_the_number_of_blas_threads_changes_no_bit(model):
    """Other arguments are tried on rows of two shapes, the defaults on all kinds."""
    kinds = DATA if any(model is one for one in DEFAULTS) else ("tall", "wide")
    for kind in kinds:
        if kind == "missing" and not takes_missing(model):
            continue
        found = []
        for limit in (1, 4):
            with blas_on(limit):
                found.append(fitted_results(model, DATA[kind]))
        with case(kind):
            assert_same_bits(*found)


@each_class
def test_the_number_of_blas_threads_changes_no_bit_of_streams_and_dask(name):
    da = pytest.importorskip("dask.array")
    X, row = np.abs(table(60, 120)), METHODS[name]
    sources = {
        "stream": lambda: lowdim.stream(lambda: iter(np.split(X, [7, 41]))),
        "dask": lambda: da.from_array(X, chunks=(25, -1)),
    }
    for source, rows in sources.items():
        found = []
        for limit in (1, 4):
            with blas_on(limit):
                if getattr(row, source):
                    model = short(small(name)).fit(rows())
                    Z = model.transform(rows()) if row.transform else np.zeros(0)
                    found.append({**learned(model), "transform": np.asarray(Z)})
        if found:
            assert_same_bits(*found)


@each_class
def test_every_public_method_holds_blas(name):
    for base in CLASSES[name].__mro__:
        if base.__module__.startswith("lowdim."):
            for attribute, value in vars(base).items():
                assert attribute.startswith("_") or holds_blas(value), f"{base}.{attribute}"


# no numbers
SETTINGS = {"config_context", "corpus", "get_config", "set_config", "load", "methods", "stream"}


def public_things():
    for name, home in homes().items():
        yield name, public_object(home, name)
    for package in (lowdim.deep, lowdim.linalg, lowdim.sparse):
        for name in package.__all__:
            yield f"{package.__name__}.{name}", getattr(package, name)


def test_every_public_function_and_model_holds_blas():
    for name, thing in public_things():
        if inspect.isfunction(thing) and name not in SETTINGS:
            assert holds_blas(thing), name
        if inspect.isclass(thing) and issubclass(thing, BaseEstimator):
            assert holds_blas(thing.fit), name


# ---- another number from the start ---------------------------------------------------------------

FITS = """
import hashlib
import numpy as np
import lowdim

random = np.random.default_rng(0)
X = random.normal(size=(800, 2)) @ random.normal(size=(2, 150)) + random.normal(size=(800, 150))
models = [
    lowdim.LinearAutoencoder(5, solver="gd", max_iter=3, random_state=0),
    lowdim.PCA(svd_solver="full"),
    lowdim.ProbabilisticPCA(5),
    lowdim.IterativeSVD(5, max_iter=3),
]
for model in models:
    for name, value in vars(model.fit(X)).items():
        if isinstance(value, np.ndarray):
            print(type(model).__name__, name, hashlib.blake2b(value.tobytes()).hexdigest()[:12])
"""


def test_the_number_of_blas_threads_in_the_environment_changes_no_bit():
    def printed(threads):
        environment = os.environ | {"OPENBLAS_NUM_THREADS": threads, "PYTHONWARNINGS": "ignore"}
        command = [sys.executable, "-c", FITS]
        return subprocess.run(command, env=environment, capture_output=True, check=True).stdout

    with ThreadPoolExecutor(2) as pool:
        one, four = pool.map(printed, ("1", "4"))
    assert one.count(b"\n") > 12 and one == four


# ---- callbacks -----------------------------------------------------------------------------------


class Watching:
    """A callback that notes how many threads BLAS has where the user's code runs."""

    def __init__(self):
        self.seen = []

    def setup(self, estimator, context):
        self.seen.append(blas_threads())

    def teardown(self, estimator, context):
        self.seen.append(blas_threads())

    def on_fit_task_begin(self, estimator, context):
        self.seen.append(blas_threads())

    def on_fit_task_end(self, estimator, context):
        self.seen.append(blas_threads())


@each_class
def test_callbacks_run_with_the_users_number_of_blas_threads(name):
    pytest.importorskip("sklearn.callback")
    callback = Watching()
    with blas_on(2):
        short(small(name)).set_callbacks(callback).fit(table())
    assert callback.seen and all(seen == {2} for seen in callback.seen)


# ---- functions -----------------------------------------------------------------------------------

X = table(300, 80)
S = X.T @ X
FUNCTIONS = {
    "svd": lambda: lowdim.linalg.svd(X),
    "svd krylov": lambda: lowdim.linalg.svd(X, 3, method="krylov", random=0),
    "svd randomized": lambda: lowdim.linalg.svd(X, 3, method="randomized", random=0),
    "svd of an operator": lambda: lowdim.linalg.svd(
        lowdim.linalg.centered(X, X.mean(axis=0)), 3, random=0
    ),
    "product with centered rows": lambda: lowdim.linalg.centered(X, X.mean(axis=0)) @ X.T,
    "top_eigen": lambda: lowdim.linalg.top_eigen(lambda V: S @ V, len(S), 3, random=0)[:2],
    "power_method": lambda: lowdim.linalg.power_method(lambda V: S @ V, len(S), random=0)[:2],
    "best_rank_k": lambda: lowdim.linalg.best_rank_k(X, 3).approximation,
    "matrix": lambda: lowdim.linalg.SVD(X, np.ones(80), S).matrix(),
    "project": lambda: lowdim.linalg.project(X, X[:5].T),
    "nuclear": lambda: lowdim.linalg.nuclear(X),
    "low_rank_solve": lambda: lowdim.linalg.low_rank_solve(X[:40].T, np.ones(80), X.T),
    "choose_rank": lambda: lowdim.choose_rank(X, random_state=0).curve,
    "rotate": lambda: lowdim.rotate(X[:, :6]).loadings,
    "silhouette": lambda: lowdim.silhouette(X, np.arange(300) % 3),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_give_the_same_bits_for_any_number_of_blas_threads(name):
    found = []
    for limit in (1, 2, 4):
        with blas_on(limit):
            value = FUNCTIONS[name]()
            found.append([np.asarray(v) for v in (value if isinstance(value, tuple) else [value])])
    for other in found[1:]:
        for left, right in zip(found[0], other, strict=True):
            np.testing.assert_array_equal(left, right)
