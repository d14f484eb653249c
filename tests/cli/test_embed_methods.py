"""The table of methods of `lowdim embed`."""

import inspect

import pytest

import lowdim
from lowdim.cli.embed_methods import METHODS, USUAL, build


@pytest.mark.parametrize("name", METHODS)
def test_every_line_names_arguments_of_its_class(name):
    method = METHODS[name]
    known = inspect.signature(getattr(lowdim, method.estimator)).parameters
    assert {*method.settings, *method.arguments.values(), *USUAL.values()} <= set(known)
    model = build(name, 7, {"dimensions": 3, "window": None})
    assert model.vector_size == 3 and model.random_state == 7
    assert all(getattr(model, key) == value for key, value in method.settings.items())


def test_an_option_that_a_method_does_not_take_is_refused():
    with pytest.raises(ValueError, match="--epochs does not go with --method pmi"):
        build("pmi", 0, {"epochs": 3})
