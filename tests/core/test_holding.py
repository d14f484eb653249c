"""Classes whose public methods hold BLAS: each kind of attribute, once, with its name and text."""

import functools
import inspect

import pytest
from sklearn.utils.metaestimators import available_if
from threadpoolctl import threadpool_info, threadpool_limits

from lowdim.core.estimator import SameBits
from lowdim.core.holding import hold_blas_in, holds_blas


def blas_threads():
    return {info["num_threads"] for info in threadpool_info() if info["user_api"] == "blas"}


class Model(SameBits):
    """One attribute of each kind."""

    constant = 3

    def method(self, X, *, weight=None):
        """What it does."""
        return blas_threads()

    @property
    def value_(self):
        """What it is."""
        return blas_threads()

    @functools.cached_property
    def stored_(self):
        return blas_threads()

    @staticmethod
    def without_self():
        return blas_threads()

    @classmethod
    def of_class(cls):
        return cls, blas_threads()

    @available_if(lambda self: self.constant == 3)
    def available(self):
        return blas_threads()

    def rows(self):
        yield blas_threads()

    def _private(self):
        return blas_threads()


@pytest.fixture(autouse=True)
def two_threads():
    with threadpool_limits(2, user_api="blas"):
        yield


def test_every_kind_of_public_attribute_holds_blas():
    model = Model()
    one = {1}
    assert model.method(0) == model.value_ == model.stored_ == model.without_self() == one
    assert Model.of_class() == (Model, one) and model.available() == one
    assert model._private() == {2} and blas_threads() == {2}


def test_a_generator_does_not_hold_blas_while_it_waits():
    assert list(Model().rows()) == [{2}]


def test_names_signatures_and_texts_stay():
    assert str(inspect.signature(Model.method)) == "(self, X, *, weight=None)"
    assert Model.method.__doc__ == "What it does." and Model.value_.__doc__ == "What it is."
    assert Model.constant == 3


def test_nothing_is_wrapped_twice():
    before = dict(vars(Model))
    hold_blas_in(Model)
    assert dict(vars(Model)) == before


def test_subclasses_and_what_they_inherit_from_hold_blas():
    class Child(Model):
        def method(self, X):
            return super().method(X), blas_threads()

        def further(self):
            return blas_threads()

    assert Child().method(0) == ({1}, {1}) and Child().further() == {1}
    assert all(map(holds_blas, vars(Child).values()))
