"""tf-idf learned from counts and from documents."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction import text as sk

import lowdim
from tests.checks import assert_checks_pass
from tests.text.counting.test_cutting import random_texts

COUNTS = [[3, 0, 1], [2, 0, 0], [3, 0, 0], [4, 0, 0], [3, 2, 0], [3, 0, 2]]


def test_the_example_of_scikit_learns_guide():
    model = lowdim.TfidfTransformer(smooth_idf=False)
    X = model.fit_transform(COUNTS).toarray()
    np.testing.assert_allclose(model.idf_, np.log(6 / np.array([6, 1, 2])) + 1)
    np.testing.assert_allclose(X[0], [0.81940995, 0, 0.57320793], atol=1e-8)
    np.testing.assert_allclose(X[4], [0.47330339, 0.88089948, 0], atol=1e-8)


@pytest.mark.parametrize("norm", ["l2", None])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_scikit_learns_checks_pass(norm):
    assert_checks_pass(lowdim.TfidfTransformer(norm=norm))


SETTINGS = [
    {},
    {"norm": "l1", "smooth_idf": False},
    {"norm": None, "sublinear_tf": True},
    {"use_idf": False},
]


@pytest.mark.parametrize("settings", SETTINGS, ids=repr)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_weights_are_those_of_scikit_learn(rng, settings, dtype):
    counts = rng.poisson(0.7, size=(20, 6)).astype(dtype)
    counts[0] = 1
    counts[3] = 0
    ours, theirs = lowdim.TfidfTransformer(**settings), sk.TfidfTransformer(**settings)
    rtol = 1e-5 if dtype == np.float32 else 1e-12
    for X in (counts, sp.csr_array(counts), sp.csc_matrix(counts)):
        Z = ours.fit_transform(X)
        assert Z.dtype == dtype and Z.format == "csr"
        expected = theirs.fit_transform(counts).toarray()
        np.testing.assert_allclose(Z.toarray(), expected, rtol=rtol)
    docs = random_texts(rng)
    ours, theirs = lowdim.TfidfVectorizer(**settings), sk.TfidfVectorizer(**settings)
    expected = theirs.fit_transform(docs).toarray()
    np.testing.assert_allclose(ours.fit_transform(docs).toarray(), expected, rtol=1e-12)
    np.testing.assert_allclose(ours.transform(docs).toarray(), expected, rtol=1e-12)


def test_parts_merged_are_the_whole(rng):
    docs = random_texts(rng, 60)
    whole = lowdim.TfidfVectorizer(min_df=2).fit(docs)
    left = lowdim.TfidfVectorizer(min_df=2).fit(docs[:30])
    left.merge(lowdim.TfidfVectorizer(min_df=2).fit(docs[30:]))
    assert left.vocabulary_ == whole.vocabulary_
    np.testing.assert_array_equal(left.idf_, whole.idf_)


def test_streams_and_dask_have_the_same_weights(rng):
    da = pytest.importorskip("dask.array")
    counts = rng.poisson(0.7, size=(20, 6)).astype(float)
    model = lowdim.TfidfTransformer().fit(counts)
    expected = model.transform(counts).toarray()
    rows = lowdim.stream(lambda: (sp.csr_array(part) for part in np.split(counts, [3, 11])))
    streamed = lowdim.TfidfTransformer().fit(rows)
    np.testing.assert_array_equal(streamed.idf_, model.idf_)
    seen = streamed.transform(rows)
    assert seen.shape == (20, 6)
    np.testing.assert_array_equal(
        lowdim.PCA(2).fit(seen).mean_.round(12), expected.mean(0).round(12)
    )
    chunked = da.from_array(counts, chunks=(7, 6))
    on_dask = lowdim.TfidfTransformer().fit(chunked)
    np.testing.assert_allclose(on_dask.transform(chunked).compute().toarray(), expected, rtol=1e-12)


def test_copy_says_whether_counts_are_written_into():
    X = sp.csr_array(np.array(COUNTS, dtype=float))
    before = X.copy()
    model = lowdim.TfidfTransformer().fit(X)
    Z = model.transform(X)
    assert (X != before).nnz == 0
    assert np.shares_memory(model.transform(X, copy=False).data, X.data)
    assert (X != Z).nnz == 0
    older = sp.csr_matrix(before)
    assert model.transform(older, copy=False) is older
    assert (older != Z).nnz == 0


def test_rows_of_any_size_have_norm_one():
    X = sp.csr_array(np.array([[1e-200, 2e-200], [3e200, 4e200], [0.0, 0.0]]))
    for norm, order in (("l1", 1), ("l2", 2)):
        Z = lowdim.TfidfTransformer(norm=norm).fit_transform(X).toarray()
        np.testing.assert_allclose(np.linalg.norm(Z, order, axis=1), [1, 1, 0])


def test_terms_of_no_document_are_named():
    with pytest.warns(RuntimeWarning, match="divide by zero: 1 terms are in no document"):
        lowdim.TfidfTransformer(smooth_idf=False).fit([[1, 0], [2, 0]])


def test_a_negative_count_has_no_logarithm():
    with pytest.raises(ValueError, match=r"negative value \(-2\); sublinear_tf=True takes log"):
        lowdim.TfidfTransformer(sublinear_tf=True).fit_transform([[1, -2]])


def test_a_stored_zero_is_a_zero():
    stored = sp.csr_array(([1.0, 0.0, 2.0], [0, 1, 0], [0, 2, 3]), shape=(2, 2))
    for settings in SETTINGS:
        model = lowdim.TfidfTransformer(**{**settings, "smooth_idf": True})
        found = model.fit_transform(stored).toarray()
        np.testing.assert_array_equal(found, model.fit_transform(stored.toarray()).toarray())


def test_idf_can_be_set():
    docs = ["aa bb", "bb cc cc"]
    fitted = lowdim.TfidfVectorizer().fit(docs)
    other = lowdim.TfidfVectorizer(vocabulary=fitted.vocabulary_)
    other.idf_ = fitted.idf_
    np.testing.assert_array_equal(other.transform(docs).toarray(), fitted.transform(docs).toarray())
    with pytest.raises(ValueError, match="idf length = 2 must be equal to vocabulary size = 3"):
        fitted.idf_ = [1, 2]
    with pytest.raises(NotFittedError):
        lowdim.TfidfVectorizer().idf_  # noqa: B018
    with pytest.raises(NotFittedError):
        lowdim.TfidfVectorizer().transform(docs)
