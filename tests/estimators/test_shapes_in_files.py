"""Files whose arrays have other shapes than their class declares give LoadError, in every class."""

from __future__ import annotations

import copy
from collections import Counter

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline

import lowdim
from lowdim.core.persistence import models
from lowdim.core.persistence.archive import FileProblem
from lowdim.core.shapes import Either, Given, Maybe, Text
from tests.estimators.examples import METHODS, each_class, each_model, quiet, short, small, table

pytestmark = quiet


def attributes(model):
    known = model.get_params(deep=False)
    return {name: value for name, value in vars(model).items() if name not in known}


def roundtrip(model, path):
    model.save(path)
    return lowdim.load(path)


# ---- what is declared is true --------------------------------------------------------------------


@each_model
def test_every_learned_attribute_is_declared(model):
    model = short(model).fit(table())
    undeclared = attributes(model).keys() - model._shapes().keys()
    assert not undeclared, f"add to `shapes` of {type(model).__name__}: {', '.join(undeclared)}"


SIZES = {"more rows": (23, 4), "more columns": (6, 9), "one more column": (9, 10)}


@pytest.mark.filterwarnings("ignore:perplexity=.* gives all")  # few rows, for a default of 5
@pytest.mark.parametrize("size", SIZES)
@each_class
def test_what_is_declared_is_true_of_data_of_any_size(name, size, tmp_path):
    n, d = SIZES[size]
    model = short(small(name))
    for dtype in (np.float64, np.float32):
        roundtrip(model.fit(table(n, d, dtype=dtype)), tmp_path / "model")
    if METHODS[name].nan:
        roundtrip(model.fit(table(n, d, missing=0.1)), tmp_path / "model")
    if METHODS[name].partial_fit:
        model = small(name).partial_fit(table(n, d))
        roundtrip(model.partial_fit(table(n, d, seed=1)), tmp_path / "model")


@each_class
def test_names_of_columns_are_declared_too(name, tmp_path):
    pd = pytest.importorskip("pandas")
    model = small(name).fit(pd.DataFrame(table(), columns=list("abcde")))
    assert not attributes(model).keys() - model._shapes().keys()
    roundtrip(model, tmp_path / "model")
    del model.feature_names_in_  # the columns have lost their names, but not their number
    roundtrip(model, tmp_path / "model")
    model.feature_names_in_ = np.array(list("abcd"), dtype=object)
    with pytest.raises(TypeError, match=r"feature_names_in_ has shape \(4,\)"):
        model.save(tmp_path / "model")


# ---- files with other shapes ---------------------------------------------------------------------


REASON = r"shape|expected|go together|not those of"


def arrays_in(value, declared, steps=()):
    """(steps to an array, its letters) of all arrays of numbers that are declared."""
    if isinstance(declared, Maybe):
        declared = declared.declared
    if isinstance(declared, Either):
        for option in declared.options:
            shape = option.shape if isinstance(option, Text) else option
            if isinstance(shape, tuple) and len(shape) == np.ndim(value):
                yield from arrays_in(value, option, steps)
                return
            if isinstance(option, dict) and option.keys() == set(getattr(value, "_fields", ())):
                yield from arrays_in(value, option, steps)
                return
    elif isinstance(declared, dict) and value is not None:
        for key, inner in declared.items():
            part = value[key] if isinstance(value, dict) else getattr(value, key)
            yield from arrays_in(part, inner, (*steps, key))
    elif isinstance(declared, list) and value is not None:
        for i, inner in enumerate(declared):
            yield from arrays_in(value[i], inner, (*steps, i))
    elif type(declared) is tuple and isinstance(value, np.ndarray):
        yield steps, declared


def replaced(value, steps, new):
    """The value with another array at the end of the steps."""
    if not steps:
        return new
    key, *rest = steps
    if isinstance(value, dict):
        return {**value, key: replaced(value[key], rest, new)}
    if isinstance(value, list):
        return [replaced(v, rest, new) if i == key else v for i, v in enumerate(value)]
    return value._replace(**{key: replaced(getattr(value, key), rest, new)})


def others(array, letters, count):
    """The array in other shapes, but for those that could be another model's."""
    tied = [isinstance(letter, int) or count[letter] > 1 for letter in letters]
    if array.ndim > 1:
        yield "transposed", array.T
        yield "1-D", array.ravel()
    yield "0-D", np.array(1.0)
    yield "one dimension more", array[None]
    yield "as text", array.astype(str)
    yield "None", None
    for axis in np.flatnonzero(tied):
        yield f"axis {axis}: one more", np.concatenate([array, array.take([0], axis)], axis)
        yield f"axis {axis}: one fewer", array.take(range(array.shape[axis] - 1), axis)
        yield f"axis {axis}: empty", array.take([], axis)


def changed_models(model):
    """(what, the model with one array changed) for all arrays of numbers that it declares."""
    shapes, learned = model._shapes(), attributes(model)
    found = [
        (name, steps, letters)
        for name, declared in shapes.items()
        if name in learned
        for steps, letters in arrays_in(learned[name], declared)
    ]
    count = Counter(letter for _, _, letters in found for letter in letters)
    count.update(["d"])
    count.update(shape for shape in shapes.values() if isinstance(shape, str))
    count.update(
        shape.letter
        for name, shape in shapes.items()
        if isinstance(shape, Given) and isinstance(getattr(model, name), int)
    )
    for name, steps, letters in found:
        array = learned[name]
        for step in steps:
            array = array[step] if isinstance(array, dict | list) else getattr(array, step)
        for kind, other in others(array, letters, count):
            if other is None and isinstance(shapes[name], Maybe) and not steps:
                continue
            if isinstance(other, np.ndarray) and other.dtype == array.dtype:
                if other.shape == array.shape:
                    continue
            declared = shapes[name].declared if isinstance(shapes[name], Maybe) else shapes[name]
            if kind == "0-D" and isinstance(declared, Either):
                continue  # a number, where an array may be, too
            if kind == "as text" and array.dtype.kind in "bO":
                continue  # labels, which may be words
            changed = copy.copy(model)
            setattr(changed, name, replaced(learned[name], steps, other))
            yield f"{name}{list(steps) or ''} {kind}", changed


def assert_refused(model, path, monkeypatch):
    """Refused where a file becomes a model and a model a file; of the last, there is a file."""
    all_changed = list(changed_models(model))
    for what, changed in all_changed:
        parameters, name = changed.get_params(deep=False), type(changed).__name__
        with pytest.raises(FileProblem, match=REASON):
            models._estimator(name, parameters, attributes(changed))
            pytest.fail(what)
        with pytest.raises(FileProblem, match=REASON):
            models._estimator_fields(changed)
    with monkeypatch.context() as patch:
        patch.setattr(models, "_check_shapes", lambda *_: None)
        changed.save(path)
    with pytest.raises(lowdim.LoadError, match=REASON):
        lowdim.load(path)
    with pytest.raises(TypeError, match="cannot save"):
        changed.save(path)
    return len(all_changed)


@each_model
def test_a_file_with_another_shape_is_refused(model, tmp_path, monkeypatch):
    model = short(model).fit(table(n=12, d=5))
    learned = attributes(model).values()
    if any(isinstance(value, np.ndarray) for value in learned):  # SparseCoder learns no array
        assert assert_refused(model, tmp_path / "model", monkeypatch) >= 5


@each_class
def test_what_partial_fit_goes_on_from_is_held_against_the_rest(name, tmp_path, monkeypatch):
    if METHODS[name].partial_fit:
        model = small(name).partial_fit(table(n=12, d=5))
        assert_refused(model, tmp_path / "model", monkeypatch)


def test_categories_are_held_against_their_probabilities(tmp_path, monkeypatch):
    X = np.arange(60).reshape(12, 5) % np.array([2, 3, 4, 3, 2])
    model = lowdim.MixtureModel("categorical", 2, random_state=0).fit(X)
    assert assert_refused(model, tmp_path / "model", monkeypatch) > 50


def test_columns_of_all_kinds_are_held_against_their_parameters(tmp_path, monkeypatch):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(table(n=24, d=3), columns=list("xyz"))
    frame["word"] = np.array(["a", "b", "c"])[np.arange(24) % 3]
    frame["flag"] = np.arange(24) % 2 == 0
    frame["count"] = np.arange(24) % 4
    model = lowdim.MixedMixture(2, columns={"poisson": ["count"]}, random_state=0).fit(frame)
    assert assert_refused(model, tmp_path / "model", monkeypatch) > 30


@each_class
def test_a_file_without_a_learned_attribute_is_refused(name, tmp_path, monkeypatch):
    model = small(name).fit(table(n=12, d=5))
    for attribute, declared in model._shapes().items():
        if isinstance(declared, Maybe) or attribute not in attributes(model):
            continue
        changed = copy.copy(model)
        delattr(changed, attribute)
        with monkeypatch.context() as patch:
            patch.setattr(models, "_check_shapes", lambda *_: None)
            changed.save(tmp_path / "model")
        with pytest.raises(lowdim.LoadError, match=rf"{attribute}|go together"):
            lowdim.load(tmp_path / "model")


# ---- models that hold models ---------------------------------------------------------------------


def test_models_inside_models_are_looked_at(tmp_path, monkeypatch):
    from lowdim.datasets import load_ratings

    recommender = lowdim.Recommender().fit(load_ratings())
    assert not attributes(recommender).keys() - recommender._shapes().keys() - {"_users", "_items"}
    roundtrip(recommender, tmp_path / "model")
    for name, other in {
        "user_ids_": recommender.user_ids_[1:],
        "item_ids_": recommender.item_ids_[1:],
        "ratings_": recommender.ratings_[1:],
        "model_": lowdim.ALS(2, random_state=0).fit(table()),
    }.items():
        changed = copy.copy(recommender)
        setattr(changed, name, other)
        with monkeypatch.context() as patch:
            patch.setattr(models, "_check_shapes", lambda *_: None)
            changed.save(tmp_path / "model")
        with pytest.raises(lowdim.LoadError, match="shape"):
            lowdim.load(tmp_path / "model")

    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(table(), columns=list("abcde"))
    inside = make_pipeline(lowdim.PCA(2), lowdim.KMeans(2, random_state=0))
    model = lowdim.TableModel(inside).fit(frame)
    assert not attributes(model).keys() - model._shapes().keys()
    assert not attributes(model.encoder_).keys() - model.encoder_._shapes().keys()
    roundtrip(model, tmp_path / "model")
    kmeans = model.estimator_.steps[-1][1]
    kmeans.cluster_centers_ = kmeans.cluster_centers_[:, :1]
    with pytest.raises(TypeError, match=r"cluster_centers_ has shape \(2, 1\)"):
        model.save(tmp_path / "model")
