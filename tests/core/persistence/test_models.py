"""Named tuples and estimators of lowdim come back; all other classes are refused."""

from collections import namedtuple

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.pipeline import Pipeline

from lowdim.core.blocks import Top
from lowdim.core.persistence import load, read_state, save_model, write_state
from tests.core.persistence.handmade import (
    Toy,
    cannot_load,
    cannot_save,
    document,
    round_trip,
    same,
    write_zip,
)


def test_named_tuples_of_lowdim_come_back():
    top = Top(np.arange(2), np.array([2.0, 1.0]), sp.csr_array(np.eye(2)))
    assert same(round_trip([top]), [top])


def test_field_added_to_a_named_tuple_gets_its_default(path, monkeypatch):
    new = namedtuple("Top", ["index", "score", "rows", "extra"], defaults=["nothing"])
    write_state(path, {}, Top(1, 2, 3))
    new.__module__ = "lowdim.core.blocks"
    monkeypatch.setattr("lowdim.core.blocks.Top", new)
    assert read_state(path)[1] == new(1, 2, 3, "nothing")


def test_model_comes_back_with_parameters_and_attributes(path, rng):
    model = Toy(5, start=Toy(2), random_state=np.random.RandomState(0)).fit(rng.normal(size=(5, 3)))
    model.start.fit(np.ones((2, 1), np.float32))
    model.feature_names_in_ = np.array(["a", "b", "c"], dtype=object)
    model._sklearn_output_config = {"transform": "pandas"}
    save_model(model, path)
    again = load(path)
    assert same(again, model)
    assert again.get_params().keys() == model.get_params().keys()


def test_model_that_is_not_fitted_can_be_saved(path):
    save_model(Toy(4), path)
    assert same(load(path), Toy(4))


def test_callbacks_are_no_part_of_the_model(path):
    model = Toy()
    model._skl_callbacks = [print]
    save_model(model, path)
    assert vars(load(path)) == vars(Toy())


def test_parameter_that_an_old_file_does_not_have_gets_its_default(path):
    node = {"$": "estimator", "name": "Toy", "parameters": {"size": 2}, "attributes": {}}
    write_zip(path, document(node, **{"class": "Toy"}))
    assert same(load(path), Toy(2, start=None, random_state=None))


def test_pipelines_of_models_come_back():
    pipeline = Pipeline([("first", Toy(1)), ("second", Toy(2, start=np.ones(2)))])
    again = round_trip(pipeline)
    assert type(again) is Pipeline and [name for name, _ in again.steps] == ["first", "second"]
    assert all(map(same, dict(again.steps).values(), dict(pipeline.steps).values()))


# ---- the door ------------------------------------------------------------------------------------

Foreign = namedtuple("Foreign", ["a"])


class Subclass(Toy):
    pass


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (
            Pipeline([("first", Toy())], memory="cache"),
            "it is a pipeline with settings beside its steps",
        ),
        (Foreign(1), "it is a .*Foreign, not a named tuple of lowdim"),
        (Subclass(), "Subclass is not an estimator that lowdim exports. Save a model of lowdim"),
    ],
)
def test_classes_that_are_not_those_of_lowdim_are_not_saved(path, value, message):
    cannot_save(path, value, message)


@pytest.mark.parametrize(
    "name", ["fit", "settled", "spread_", "__class__", "__len__", "not a name"]
)
def test_attribute_that_would_not_load_is_not_saved(path, name):
    model = Toy()
    vars(model)[name] = 1
    with pytest.raises(TypeError, match=f"Toy cannot have an attribute '{name}'. Delete it"):
        save_model(model, path)


@pytest.mark.parametrize(
    ("node", "message"),
    [
        ({"$": "namedtuple", "name": "os.stat_result", "fields": {}}, "no such named tuple"),
        ({"$": "namedtuple", "name": "lowdim.core.blocks.np", "fields": {}}, "no such named tuple"),
        (
            {"$": "namedtuple", "name": "lowdim.core.blocks.Blocks", "fields": {}},
            "no such named tuple",
        ),
        ({"$": "namedtuple", "name": "lowdim.core.loop.Top", "fields": {}}, "no such named tuple"),
        (
            {"$": "namedtuple", "name": "lowdim.core.nothing.Top", "fields": {}},
            "no such named tuple",
        ),
        ({"$": "namedtuple", "name": "lowdim.cli.__main__.x", "fields": {}}, "no such named tuple"),
        ({"$": "namedtuple", "name": "lowdim..x", "fields": {}}, "no such named tuple"),
        (
            {"$": "namedtuple", "name": "lowdim.core.blocks.Top", "fields": {}},
            "its fields are others",
        ),
        (
            {
                "$": "namedtuple",
                "name": "lowdim.core.blocks.Top",
                "fields": {"index": 0, "score": 0, "rows": 0, "more": 0},
            },
            "its fields are others",
        ),
        (
            {"$": "estimator", "name": "Nope", "parameters": {}, "attributes": {}},
            "has no estimator 'Nope'",
        ),
        (
            {"$": "estimator", "name": "Toy", "parameters": {"self": 1}, "attributes": {}},
            "the parameters of Toy are others: size, start, random_state",
        ),
        (
            {"$": "estimator", "name": "Required", "parameters": {}, "attributes": {}},
            "the parameters of Required are others: inner",
        ),
        *(
            (
                {"$": "estimator", "name": "Toy", "parameters": {}, "attributes": {name: 1}},
                f"Toy cannot have an attribute '{name}'",
            )
            for name in [
                "fit",
                "size",
                "settled",
                "spread_",
                "__class__",
                "__dict__",
                "a b",
                "_skl_callbacks",
                "",
            ]
        ),
    ],
)
def test_wrong_named_tuples_and_estimators(path, node, message):
    cannot_load(path, node, message)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"names": [], "steps": []}, "it does not have one name for each step"),
        ({"names": ["a"], "steps": []}, "it does not have one name for each step"),
        ({"names": [1], "steps": [1]}, "the name of a step is not text"),
        ({"names": ["a"], "steps": [1]}, "a step is not a model"),
    ],
)
def test_wrong_pipelines(path, fields, message):
    cannot_load(path, {"$": "pipeline", **fields}, message)
