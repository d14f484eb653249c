"""ClassicalMDS."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import pdist, squareform

import lowdim
from lowdim import ClassicalMDS
from lowdim.datasets import load_ekman, load_eurodist
from lowdim.maps import classical, coordinates

ROADS = load_eurodist()


def same_up_to_sign(A, B, atol):
    np.testing.assert_allclose(A * np.sign((A * B).sum(axis=0)), B, rtol=0, atol=atol)


# ---- golden values -------------------------------------------------------------------------------


def test_roads_of_europe_are_those_of_r():
    model = ClassicalMDS(metric="precomputed").fit(ROADS.dissimilarity)
    np.testing.assert_allclose(np.abs(model.embedding_[0]), [2290.27, 1798.80], atol=5e-3)
    np.testing.assert_allclose(model.eigenvalues_, [19538377.09, 11856555.33], atol=5e-3)
    np.testing.assert_allclose(model.goodness_of_fit_, [0.7538, 0.8679], atol=5e-5)
    assert model.additive_constant_ == 0.0
    assert model.spectrum_.shape == (21,) and (model.spectrum_ < -1).sum() > 5


def test_roads_with_a_constant_are_distances():
    model = ClassicalMDS(19, metric="precomputed", additive_constant=True)
    Y = model.fit_transform(ROADS.dissimilarity)
    assert model.additive_constant_ == pytest.approx(2132.678, abs=5e-4)
    apart = ROADS.dissimilarity + model.additive_constant_ * (1 - np.eye(21))
    np.testing.assert_allclose(squareform(pdist(Y)), apart, atol=1e-6)
    np.testing.assert_allclose(model.goodness_of_fit_, [1.0, 1.0])


def test_colours():
    model = ClassicalMDS(metric="precomputed").fit(1 - load_ekman().similarity)
    np.testing.assert_allclose(model.eigenvalues_, [1.98213, 1.29933], atol=5e-6)
    assert (model.spectrum_ < -1e-9).sum() == 2


# ---- two roads to one result ---------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(60, 5), (20, 40)])
def test_euclidean_rows_and_their_distances_have_one_map(rng, shape):
    X = rng.normal(size=shape) * np.linspace(3, 1, shape[1])
    rows = ClassicalMDS(3).fit(X)
    pairs = ClassicalMDS(3, metric="precomputed").fit(squareform(pdist(X)))
    np.testing.assert_allclose(rows.embedding_, pairs.embedding_, atol=1e-9)
    np.testing.assert_allclose(rows.eigenvalues_, pairs.eigenvalues_, rtol=1e-9)
    np.testing.assert_allclose(rows.goodness_of_fit_, pairs.goodness_of_fit_, atol=1e-9)
    np.testing.assert_allclose(rows.spectrum_, pairs.spectrum_[: min(shape)], atol=1e-8)
    np.testing.assert_allclose(rows.dissimilarity_matrix_, pairs.dissimilarity_matrix_, atol=1e-9)
    new = rng.normal(size=(7, shape[1]))
    to_rows = np.sqrt(((new[:, None] - X) ** 2).sum(axis=2))
    np.testing.assert_allclose(rows.transform(new), pairs.transform(to_rows), atol=1e-8)


def test_scikit_learn_has_the_same_map(rng):
    theirs = pytest.importorskip("sklearn.manifold")
    if not hasattr(theirs, "ClassicalMDS"):
        pytest.skip("scikit-learn before 1.9 has no ClassicalMDS")
    X = rng.normal(size=(50, 6)) * [4, 3, 2, 1, 1, 1]
    for metric in ("euclidean", "manhattan", "cosine"):
        theirs = pytest.importorskip("sklearn.manifold").ClassicalMDS(metric=metric).fit(X)
        ours = ClassicalMDS(metric=metric).fit(X)
        np.testing.assert_allclose(ours.eigenvalues_, theirs.eigenvalues_, rtol=1e-9)
        same_up_to_sign(ours.embedding_, theirs.embedding_, 1e-8)
        np.testing.assert_allclose(
            ours.dissimilarity_matrix_, theirs.dissimilarity_matrix_, atol=1e-9
        )


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
@pytest.mark.parametrize("constant", [False, True])
def test_weights_are_repeated_rows(rng, metric, constant):
    X = rng.normal(size=(30, 4)) * [4, 3, 2, 1]
    count = rng.integers(0, 4, size=30)
    arguments = {"metric": metric, "additive_constant": constant}
    weighted = ClassicalMDS(**arguments).fit(X, sample_weight=count)
    repeated = ClassicalMDS(**arguments).fit(np.repeat(X, count, axis=0))
    np.testing.assert_allclose(weighted.eigenvalues_, repeated.eigenvalues_, rtol=1e-8)
    np.testing.assert_allclose(
        np.repeat(weighted.embedding_, count, axis=0), repeated.embedding_, atol=1e-7
    )
    assert weighted.additive_constant_ == pytest.approx(repeated.additive_constant_, rel=1e-7)
    np.testing.assert_allclose(weighted.goodness_of_fit_, repeated.goodness_of_fit_, rtol=1e-7)
    new = rng.normal(size=(5, 4))
    np.testing.assert_allclose(weighted.transform(new), repeated.transform(new), atol=1e-7)


def test_many_rows_have_the_map_that_all_eigenvalues_give(rng, monkeypatch):
    X = rng.normal(size=(120, 4)) * [4, 3, 1, 1]
    whole = ClassicalMDS(metric="manhattan").fit(X)
    wide = ClassicalMDS().fit(X)
    monkeypatch.setattr(coordinates, "ALL", 20)
    monkeypatch.setattr(classical, "ALL_COLUMNS", 2)
    few = ClassicalMDS(metric="manhattan").fit(X)
    assert len(few.spectrum_) == 2 and few._goodness is None
    np.testing.assert_allclose(few.embedding_, whole.embedding_, atol=1e-7)
    np.testing.assert_allclose(few.goodness_of_fit_, whole.goodness_of_fit_, rtol=1e-9)
    narrow = ClassicalMDS().fit(X)
    assert len(narrow.spectrum_) == 2
    np.testing.assert_allclose(narrow.embedding_, wide.embedding_, atol=1e-9)
    np.testing.assert_allclose(narrow.goodness_of_fit_, wide.goodness_of_fit_, rtol=1e-9)


@pytest.mark.parametrize("metric", ["euclidean", "precomputed"])
def test_landmarks_of_a_plane_know_all(rng, metric):
    X = rng.normal(size=(40, 2)) * [3, 1]
    X = squareform(pdist(X)) if metric == "precomputed" else X
    model = ClassicalMDS(metric=metric, landmarks=15).fit(X)
    assert len(model.landmarks_) == 15
    whole = ClassicalMDS(metric=metric).fit(X)
    np.testing.assert_allclose(pdist(model.embedding_), pdist(whole.embedding_), atol=1e-8)


def test_landmarks_may_be_named_and_more_than_there_are_is_all(rng):
    X = rng.normal(size=(30, 4))
    model = ClassicalMDS(metric="manhattan", landmarks=[5, 2, 9, 11, 2, 20]).fit(X)
    assert model.landmarks_.tolist() == [2, 5, 9, 11, 20]
    whole = ClassicalMDS(metric="manhattan").fit(X)
    all_rows = ClassicalMDS(metric="manhattan", landmarks=99).fit(X)
    np.testing.assert_allclose(all_rows.embedding_, whole.embedding_, atol=1e-10)
    np.testing.assert_allclose(all_rows.goodness_of_fit_, whole.goodness_of_fit_, rtol=1e-10)


@pytest.mark.parametrize("landmarks", [None, 20])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "precomputed"])
def test_a_row_near_a_training_row_lies_near_it(rng, metric, landmarks):
    X = rng.normal(size=(40, 5))
    near = X + 1e-9
    if metric == "precomputed":
        X, near = squareform(pdist(X)), squareform(pdist(X)) + 1e-9
    model = ClassicalMDS(metric=metric, landmarks=landmarks).fit(X)
    np.testing.assert_array_equal(model.transform(X), model.embedding_)
    np.testing.assert_allclose(model.transform(near), model.embedding_, atol=1e-6)


def test_sparse_rows_have_the_map_of_dense_ones(rng):
    X = rng.normal(size=(40, 12)) * (rng.random((40, 12)) < 0.3)
    for metric in ("euclidean", "cosine"):
        dense = ClassicalMDS(metric=metric).fit(X)
        sparse = ClassicalMDS(metric=metric).fit(sp.csr_array(X))
        np.testing.assert_allclose(sparse.embedding_, dense.embedding_, atol=1e-8)
        new = rng.normal(size=(3, 12))
        np.testing.assert_allclose(
            sparse.transform(sp.csr_array(new)), dense.transform(new), atol=1e-8
        )


@pytest.mark.parametrize("factor", [1e150, 1e-150])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "precomputed"])
def test_units_do_not_matter(rng, metric, factor):
    X = rng.normal(size=(20, 3))
    X = squareform(pdist(X)) if metric == "precomputed" else X
    plain, scaled = ClassicalMDS(metric=metric).fit(X), ClassicalMDS(metric=metric).fit(X * factor)
    np.testing.assert_allclose(scaled.embedding_ / factor, plain.embedding_, atol=1e-7)
    new = X[:3] + 0.1
    np.testing.assert_allclose(
        scaled.transform(new * factor) / factor, plain.transform(new), atol=1e-7
    )


def test_missing_values_are_replaced_by_what_is_expected(rng):
    Z = rng.normal(size=(80, 2))
    X = Z @ rng.normal(size=(2, 8))
    holes = np.where(rng.random(X.shape) < 0.1, np.nan, X)
    found, true = ClassicalMDS().fit(holes), ClassicalMDS().fit(X)
    same_up_to_sign(found.embedding_, true.embedding_, 1e-2 * np.abs(true.embedding_).max())
    assert np.isfinite(found.dissimilarity_matrix_).all()


# ---- the door ------------------------------------------------------------------------------------

D = squareform([1.0, 2.0, 2.5])
ASYMMETRIC = D + np.triu(np.ones((3, 3)), 1)
REFUSED = {
    "more components than positive eigenvalues": (
        {"n_components": 3},
        D,
        r"n_components=3 is more than the 2 positive eigenvalues .*choose at most 2, or additive_c",
    ),
    "equal rows": ({}, np.zeros((4, 4)), "there is nothing to map"),
    "asymmetric": ({}, ASYMMETRIC, "Array must be symmetric"),
    "not square": ({}, D[:2], "array must be 2-dimensional and square"),
    "negative": ({}, -D, "negative"),
    "NaN": ({}, np.where(D == 2.0, np.nan, D), "NaN for the distance of rows 0 and 2"),
    "diagonal": ({}, D + np.eye(3), "of row 0 to itself, which is 0"),
    "no landmark": ({"landmarks": [0, 7]}, D, r"landmarks=\[0, 7\] must be a number of rows"),
    "half a landmark": ({"landmarks": [0.5]}, D, r"landmarks=\[0.5\] must be a number of rows"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_bad_input_is_refused_by_name(what):
    arguments, given, message = REFUSED[what]
    with pytest.raises(ValueError, match=message):
        ClassicalMDS(metric="precomputed", **arguments).fit(given)


def test_rows_of_one_dimension_have_a_map_of_one():
    X = np.arange(12.0)[:, None]
    with pytest.raises(ValueError, match=r"the 1 positive eigenvalues .*; choose at most 1\."):
        ClassicalMDS().fit(X)
    assert ClassicalMDS(1).fit(X).goodness_of_fit_ == pytest.approx([1, 1])


def test_constant_rows_and_wrong_weights_are_refused(rng):
    with pytest.raises(ValueError, match="there is nothing to map"):
        ClassicalMDS().fit(np.ones((6, 3)))
    with pytest.raises(ValueError, match=r"sample_weight.shape == \(3,\), expected \(6,\)"):
        ClassicalMDS().fit(rng.normal(size=(6, 3)), sample_weight=[1, 2, 3])


def test_rows_without_a_common_column_are_refused():
    X = np.array([[1.0, np.nan], [np.nan, 2.0], [1.0, 2.0], [3.0, 1.0]])
    with pytest.raises(ValueError, match="no dissimilarity for rows 0 and 1"):
        ClassicalMDS(metric="nan_euclidean").fit(X)


def test_a_model_file_keeps_what_is_made_when_asked_for(tmp_path, rng):
    model = ClassicalMDS(metric="manhattan").fit(rng.normal(size=(20, 3)))
    model.save(tmp_path / "map")
    back = lowdim.load(tmp_path / "map")
    np.testing.assert_array_equal(back.dissimilarity_matrix_, model.dissimilarity_matrix_)
    np.testing.assert_array_equal(back.goodness_of_fit_, model.goodness_of_fit_)


@pytest.mark.parametrize("landmarks", [2, [4, 9, 4]])
def test_too_few_landmarks_are_named(rng, landmarks):
    with pytest.raises(ValueError, match=r"too few for n_components=2: 2 points .* at least 3"):
        ClassicalMDS(landmarks=landmarks).fit(rng.normal(size=(20, 4)))
