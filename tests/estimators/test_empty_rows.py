"""Rows without any observed value say nothing: with or without them a fit learns the same."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

import lowdim
from tests.estimators.examples import (
    CLASSES,
    DEFAULTS,
    METHODS,
    MODELS,
    learned,
    quiet,
    short,
    small,
    table,
)

pytestmark = quiet

N, EMPTY = 60, 5
WHERE = {
    "front": np.zeros(EMPTY, dtype=int),
    "middle": np.array([8, 10, 10, 31, 50]),
    "end": np.full(EMPTY, N),
}
METHODS_OF_ROWS = ("transform", "predict", "predict_proba", "score_samples", "impute")

each_missing = pytest.mark.parametrize("missing", [0.0, 0.15])
each_class_with_nan = pytest.mark.parametrize("name", [n for n in CLASSES if METHODS[n].nan])
WITH_NAN = {name: m for name, m in MODELS.items() if METHODS[type(m).__name__].nan}
each_model_with_nan = pytest.mark.parametrize("model", WITH_NAN.values(), ids=WITH_NAN.keys())


def seeded(model):
    """A copy with a seed, of a rank that `table()` has; those with defaults go to their end.

    Networks have none: they take two steps.
    """
    if METHODS[type(model).__name__].family == "deep":
        model = short(model, max_iter=2)
    elif not any(model is one for one in DEFAULTS):
        model = short(model, max_iter=10)
    model = clone(model)
    known, default = model.get_params(), clone(type(model)()).get_params()
    if "random_state" in known:
        model.set_params(random_state=0)
    if "n_components" in known and known["n_components"] == default["n_components"]:
        model.set_params(n_components=2)
    return model


def with_empty_rows(X, where, value=np.nan):
    """X with five rows of `value`, and which rows of it are those of X."""
    places = WHERE[where]
    kept = np.insert(np.ones(N, dtype=bool), places, False)
    return np.insert(X, places, value, axis=0), kept


def assert_same_but_for(kept, plain, grown):
    """The learned attributes agree to 1e-9 of their size, those by row at the rows that are kept.

    Nothing is computed otherwise, at the most in another order: iterations carry the rounding on.
    """
    first, second = learned(plain), learned(grown)
    assert first.keys() == second.keys()
    for key in first:
        value, other = first[key], second[key]
        if other.ndim and len(other) == len(kept) and len(value) == N:
            other = other[kept]
        assert value.shape == other.shape, key
        atol = 1e-9 * np.abs(value).max(initial=1e-300)
        np.testing.assert_allclose(other, value, rtol=0, atol=atol, err_msg=key)


def assert_same_results(X, grown_X, kept, plain, grown):
    """Rows get the same results from both models, and rows without values get finite ones."""
    for method in METHODS_OF_ROWS:
        if hasattr(plain, method):
            expected = getattr(plain, method)(X)
            found = np.asarray(getattr(grown, method)(grown_X))
            assert len(found) == len(kept), method
            assert np.isfinite(found).all(), method
            atol = 1e-9 * np.abs(expected).max()
            np.testing.assert_allclose(found[kept], expected, rtol=0, atol=atol, err_msg=method)
    if hasattr(plain, "score"):
        assert grown.score(X) == pytest.approx(plain.score(X), rel=1e-9)


def refuses(model, X):
    """Whether the model takes no missing values as it is configured."""
    try:
        model.fit(X)
    except ValueError:
        return True
    return False


@each_missing
@each_model_with_nan
def test_rows_without_values_change_nothing(model, missing):
    X = table(n=N, missing=missing)
    plain = seeded(model)
    if refuses(seeded(model), table(missing=0.15)) or refuses(plain, X):
        return  # components="multinomial", for one, needs complete rows
    for where in WHERE:
        grown_X, kept = with_empty_rows(X, where)
        grown = seeded(model).fit(grown_X)
        assert_same_but_for(kept, plain, grown)
        assert_same_results(X, grown_X, kept, plain, grown)


@each_missing
@each_class_with_nan
def test_streamed_and_dask_rows_without_values_change_nothing(name, missing):
    da = pytest.importorskip("dask.array")
    X = table(n=N, missing=missing)
    grown_X, kept = with_empty_rows(X, "middle")
    sizes, plain_sizes = (11, 2, 20, 32), (10, 20, 30)  # the second block has nothing else
    assert not kept[11:13].any() and kept[:11].sum() == 10

    if METHODS[name].stream:
        plain, grown = (
            small(name).fit(
                lowdim.stream(lambda Y=Y, cut=cut: iter(np.split(Y, np.cumsum(cut)[:-1])))
            )
            for Y, cut in ((X, plain_sizes), (grown_X, sizes))
        )
        assert_same_but_for(kept, plain, grown)
    if METHODS[name].dask:
        plain, grown = (
            small(name).fit(da.from_array(Y, chunks=(cut, 5)))
            for Y, cut in ((X, plain_sizes), (grown_X, sizes))
        )
        assert_same_but_for(kept, plain, grown)


@each_class_with_nan
def test_rows_without_values_change_nothing_whatever_their_weight(name, rng):
    if not METHODS[name].weights:
        return
    X = table(n=N, missing=0.15)
    weight = rng.integers(1, 4, size=N).astype(float)
    grown_X, kept = with_empty_rows(X, "middle")
    grown_weight = np.full(len(kept), 50.0)
    grown_weight[kept] = weight
    plain = small(name).fit(X, sample_weight=weight)
    grown = small(name).fit(grown_X, sample_weight=grown_weight)
    assert_same_but_for(kept, plain, grown)


@each_model_with_nan
def test_sparse_rows_without_entries_change_nothing(model):
    """For completers: what is not stored was not observed. Elsewhere it is 0, which is a value."""
    if METHODS[type(model).__name__].family != "completion":
        return
    X = table(n=N, missing=0.3)
    plain = seeded(model).fit(stored(X))
    for where in WHERE:
        grown_X, kept = with_empty_rows(X, where)
        grown = seeded(model).fit(stored(grown_X))
        assert_same_but_for(kept, plain, grown)
        assert_same_results(stored(X), stored(grown_X), kept, plain, grown)


def stored(X):
    """The observed entries of X as a sparse matrix."""
    i, j = np.nonzero(~np.isnan(X))
    return sp.csr_array((X[i, j], (i, j)), shape=X.shape)
