"""Weights of the lecture notes, with their digits."""

import numpy as np
import pytest
import scipy.sparse as sp

from lowdim.text import pmi, tfidf

# 002 s.17.6: rows are As You Like It, Twelfth Night, Julius Caesar, Henry V
PLAYS = np.array([[1, 114, 36, 20], [0, 80, 58, 15], [7, 62, 1, 2], [13, 89, 4, 3]])
DF = [21, 37, 36, 34]  # battle, good, fool, wit, of 37 plays
# 002 s.17.8: cherry, strawberry, digital, information x computer, data, result, pie, sugar
PAIRS = np.array(
    [[2, 8, 9, 442, 25], [0, 0, 1, 60, 19], [1670, 1683, 85, 5, 4], [3325, 3982, 378, 5, 13]]
)


def test_tfidf_of_four_plays():
    expected = [
        [0.0740, 0.0, 0.0187, 0.0486],
        [0.0, 0.0, 0.0211, 0.0442],
        [0.2221, 0.0, 0.0036, 0.0175],
        [0.2819, 0.0, 0.0083, 0.0221],
    ]
    np.testing.assert_allclose(tfidf(PLAYS, df=DF, n_documents=37), expected, atol=6e-5)
    of_sparse = tfidf(sp.csr_array(PLAYS), df=DF, n_documents=37)
    np.testing.assert_allclose(of_sparse.toarray(), expected, atol=6e-5)


def test_df_is_counted_where_it_is_not_given():
    weights = tfidf(PLAYS)
    assert (weights[:, 1:] == 0).all()  # three words are in all four plays
    np.testing.assert_allclose(weights[0, 0], np.log10(2) * np.log10(4 / 3))


def test_ppmi_of_four_words():
    assert PAIRS.sum() == 11716
    expected = [
        [0, 0, 0, 4.379, 3.305],  # log2(146450 / 14823) = 3.30450, rounded once more in the notes
        [0, 0, 0, 4.101, 5.511],
        [0.184, 0.012, 0, 0, 0],
        [0.017, 0.094, 0.282, 0, 0],
    ]
    np.testing.assert_allclose(pmi(PAIRS, positive=True), expected, atol=6e-4)
    of_sparse = pmi(sp.csr_array(PAIRS), positive=True)
    np.testing.assert_allclose(of_sparse.toarray(), expected, atol=6e-4)
    assert of_sparse.nnz == 9


def by_hand(C, smoothing, shift, base):
    P = C / C.sum()
    context = P.sum(axis=0) ** smoothing
    context /= context.sum()
    with np.errstate(divide="ignore"):
        values = np.log(P / np.outer(P.sum(axis=1), context)) / np.log(base) - shift
    return np.where(C > 0, values, 0.0)


def test_pmi_is_its_formula(rng):
    C = rng.poisson(1.0, size=(7, 5)).astype(float)
    C[:, 0] = 1
    for smoothing, shift, base in ((1.0, 0.0, 2), (0.75, 1.5, np.e), (2.0, -1.0, 10)):
        found = pmi(C, smoothing=smoothing, shift=shift, base=base)
        np.testing.assert_allclose(found, by_hand(C, smoothing, shift, base), atol=1e-12)
        scaled = pmi(sp.csr_array(C * 1e200), smoothing=smoothing, shift=shift, base=base)
        np.testing.assert_allclose(scaled.toarray(), found, atol=1e-12)
        assert scaled.nnz == (C > 0).sum()


def test_of_independent_rows_and_columns_it_is_zero():
    np.testing.assert_allclose(pmi(np.outer([1, 2, 3], [4, 5])), 0.0, atol=1e-12)


def test_the_door():
    for function in (tfidf, pmi):
        with pytest.raises(ValueError, match="negative value"):
            function([[1, -1]])
        with pytest.raises(ValueError, match="NaN"):
            function([[1, np.nan]])
    with pytest.raises(ValueError, match="df has shape"):
        tfidf(PLAYS, df=[1, 2])
    with pytest.raises(ValueError, match="df must be from 1 to n_documents=4"):
        tfidf(PLAYS, df=DF)
    with pytest.raises(ValueError, match="all 0"):
        pmi([[0, 0]])
    with pytest.raises(ValueError, match="smoothing=0"):
        pmi(PAIRS, smoothing=0)
    with pytest.raises(ValueError, match="base=1"):
        pmi(PAIRS, base=1)
