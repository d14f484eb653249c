"""The base class: what a class accepts follows from its attributes, and only fits are saved."""

from typing import ClassVar

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import TransformerMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils import get_tags

import lowdim
from lowdim.core.estimator import Estimator, Transformer
from lowdim.registry import public_estimators


class Means(TransformerMixin, Estimator):
    """Learns the means of the columns."""

    min_rows: ClassVar[int] = 2

    def fit(self, X, y=None):
        rows = self.open_rows(X)
        self.means_ = rows.fold(column_sums) / rows.shape[0]
        return self

    def transform(self, X):
        return self.open_rows(X, reset=False).map(minus, self.means_)


class Tolerant(Means):
    accepts_nan: ClassVar[bool] = True
    accepts_sparse: ClassVar[bool] = True


class InMemory(Means):
    accepts_stream: ClassVar[bool] = False
    accepts_dask: ClassVar[bool] = False


def column_sums(X):
    return np.asarray(X.sum(axis=0)).ravel()


def minus(X, means):
    return X - means


def test_rows_are_opened_for_learning_and_for_use():
    X = np.array([[0.0, 1.0], [2.0, 5.0]])
    model = Means().fit(X)
    assert model.n_features_in_ == 2 and model.means_.tolist() == [1.0, 3.0]
    assert model.transform(X[:1]).tolist() == [[-1.0, -2.0]]


def test_tags_say_what_a_class_accepts():
    strict, tolerant = (cls().__sklearn_tags__() for cls in (Means, Tolerant))
    assert (strict.input_tags.allow_nan, strict.input_tags.sparse) == (False, False)
    assert (tolerant.input_tags.allow_nan, tolerant.input_tags.sparse) == (True, True)


def test_what_is_not_accepted_is_refused_at_the_door():
    X = np.array([[0.0, np.nan], [1.0, 2.0]])
    with pytest.raises(ValueError, match="X has NaN in 1 of 2 columns"):
        Means().fit(X)
    assert np.isnan(Tolerant().fit(X).means_).tolist() == [False, True]
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        Means().fit(sp.csr_array(np.eye(3)))
    assert Tolerant().fit(sp.csr_array(np.eye(2))).means_.tolist() == [0.5, 0.5]


def test_a_class_that_needs_all_rows_in_memory_takes_no_stream(tmp_path):
    np.save(tmp_path / "X.npy", np.eye(3))
    stream = lowdim.stream(tmp_path / "X.npy")
    assert Means().fit(stream).n_features_in_ == 3
    with pytest.raises(TypeError, match="InMemory needs all rows in memory"):
        InMemory().fit(stream)


def test_learning_needs_enough_rows_and_using_one():
    with pytest.raises(ValueError, match="n_samples=1; Means needs at least 2 rows"):
        Means().fit([[1.0]])
    model = Means().fit([[1.0], [3.0]])
    assert model.transform([[2.0]]).tolist() == [[0.0]]


def test_nothing_is_used_or_saved_before_it_is_fitted(tmp_path):
    with pytest.raises(NotFittedError):
        Means().transform([[1.0]])
    with pytest.raises(NotFittedError):
        lowdim.PCA().save(tmp_path / "pca.lowdim")
    assert list(tmp_path.iterdir()) == []


def test_a_saved_model_is_read_by_load(tmp_path):
    model = lowdim.PCA(1).fit(np.arange(6.0).reshape(3, 2))
    model.save(tmp_path / "pca.lowdim")
    np.testing.assert_array_equal(
        lowdim.load(tmp_path / "pca.lowdim").components_, model.components_
    )


OF_SINGLE_PRECISION = {"SNE", "SymmetricSNE", "TSNE", "UMAP"}  # maps, whatever came


def test_transformers_say_that_float32_stays_float32():
    """So that scikit-learn's own check of it runs."""

    class Coder(Transformer, Estimator):
        pass

    assert get_tags(Coder()).transformer_tags.preserves_dtype == ["float64", "float32"]
    for name, cls in public_estimators().items():
        tags = get_tags(cls()).transformer_tags
        kept = ["float32"] if name in OF_SINGLE_PRECISION else ["float64", "float32"]
        assert tags is None or tags.preserves_dtype == kept, name
