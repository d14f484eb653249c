"""A line of the table of methods is a method of `lowdim reduce`: its options, its loadings."""

import importlib
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin

import lowdim
from lowdim.cli import methods_table
from lowdim.core.estimator import Estimator


@pytest.fixture
def usable():
    """Skips a method whose package is not installed."""

    def check(name):
        if methods_table.METHODS[name].network:
            pytest.importorskip("torch")

    return check


@pytest.mark.parametrize("name", methods_table.METHODS)
def test_every_method_builds_a_class_whose_arguments_exist(usable, name):
    usable(name)
    method = methods_table.METHODS[name]
    model = methods_table.build(name, 2, 0, {})
    assert type(model) is getattr(lowdim, method.estimator)
    assert {*method.arguments.values(), "n_components"} <= set(model.get_params())


@pytest.mark.parametrize("name", methods_table.METHODS)
def test_every_method_reduces_and_applies(run, usable, numbers, tmp_path, name):
    usable(name)
    run("reduce", "numbers.csv", "--method", name, "-o", "codes.npy", "--model", "m.lowdim")
    run("apply", "m.lowdim", "numbers.csv", "-o", "again.npy")
    assert_array_equal(np.load("codes.npy"), np.load("again.npy"))


class TwoFactors(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator):
    """A factor model with loadings that are known beforehand."""

    def __init__(self, n_components=2, rotation=None):
        self.n_components, self.rotation = n_components, rotation

    def fit(self, X, y=None):
        self.open_rows(X)
        turned = [[0.6, 0.0, 0.6, 0.0, 0.6], [0.0, 0.8, 0.0, 0.8, 0.0]]
        self.components_ = np.array(turned if self.rotation == "varimax" else turned[::-1])
        self.noise_variance_ = 1.0 - (self.components_**2).sum(axis=0)
        self._n_features_out = 2
        return self

    def transform(self, X):
        return self.open_rows(X, reset=False).map(first_columns)


def first_columns(X):
    return X[:, :2]


@pytest.fixture
def with_factors(monkeypatch):
    """`lowdim reduce --method two-factors`, as a line of the table adds it."""
    line = methods_table.Method(
        "TwoFactors", "two factors", {"rotation": "rotation"}, loadings=True
    )
    monkeypatch.setattr(lowdim, "TwoFactors", TwoFactors, raising=False)
    monkeypatch.setitem(methods_table.METHODS, "two-factors", line)
    module = importlib.import_module("lowdim.cli.reduce")
    importlib.reload(module)
    yield
    monkeypatch.undo()
    importlib.reload(module)


def test_a_line_of_the_table_adds_a_method_its_options_and_its_loadings(run, numbers, with_factors):
    text = run("reduce", "numbers.csv", "--method", "two-factors", "--rotation", "varimax").stdout
    lines = [line.split() for line in text.splitlines()]
    assert ["method", "TwoFactors,", "2", "components"] in lines
    assert ["F1", "F2", "communality", "uniqueness"] in lines
    assert ["a", "0.600", "0.360", "0.640"] in lines
    assert ["SS", "loadings", "1.080", "1.280"] in lines
    assert ["Cumulative", "Var", "0.216", "0.472"] in lines


def test_an_option_of_another_method_is_refused(refused, numbers, with_factors):
    line = refused("reduce", "numbers.csv", "--rotation", "varimax")
    assert line.startswith("Error: --rotation does not go with --method pca; it goes with ")
    line = refused("reduce", "numbers.csv", "--method", "two-factors", "-k", "0.5")
    assert "-k 0.5 is a share of variance, which --method two-factors does not have" in line


# Networks


def test_options_of_a_network_are_those_of_its_class(run, read, numbers):
    pytest.importorskip("torch")
    options = ("--hidden", "8,4", "--passes", "3", "--seed", "5", "-o", "codes.csv")
    result = run("reduce", "numbers.csv", "--method", "vae", *options)
    assert "method   VAE, 2 components" in result.stdout
    X = (numbers - numbers.mean(axis=0)) / numbers.std(axis=0)
    model = lowdim.VAE(2, hidden=(8, 4), max_iter=3, random_state=5).fit(X)
    codes = read("codes.csv")
    assert list(codes) == ["vae0", "vae1"]
    assert_allclose(np.column_stack(list(codes.values())), model.transform(X), atol=1e-4)


@pytest.mark.parametrize("method", ["autoencoder", "vae"])
def test_without_torch_it_is_said_what_to_install(refused, numbers, monkeypatch, method):
    monkeypatch.setitem(sys.modules, "torch", None)  # as if it were not installed
    line = refused("reduce", "numbers.csv", "--method", method)
    assert line == (
        f"Error: --method {method} needs torch, which is not installed. Install it with: "
        "pip install 'lowdim[deep]'"
    )


def test_a_saved_network_without_torch_says_what_to_install(run, refused, numbers, monkeypatch):
    pytest.importorskip("torch")
    run("reduce", "numbers.csv", "--method", "vae", "--passes", "1", "--model", "m.lowdim")
    monkeypatch.setitem(sys.modules, "torch", None)
    line = refused("apply", "m.lowdim", "numbers.csv")
    assert line.startswith("Error: VAE needs torch") and "pip install 'lowdim[deep]'" in line
