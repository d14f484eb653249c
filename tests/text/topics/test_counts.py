"""Counts as topic models read them."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import lowdim
from lowdim.core.blocks import ArrayBlocks
from lowdim.text.topics.counts import (
    cells_of,
    in_pieces,
    refuse_negative,
    some_terms,
    total_of,
    weights_of,
)
from tests.text.topics.examples import planted


def test_cells_of_dense_and_sparse_blocks_are_the_same(rng):
    X = planted(rng)[0]
    for left, right in zip(cells_of(X), cells_of(X.toarray()), strict=True):
        np.testing.assert_array_equal(left, right)
        assert left.dtype == right.dtype


def test_cells_have_one_type_whatever_the_block_has(rng):
    X = planted(rng)[0]
    other = sp.csr_array(
        (X.data.astype(np.float32), X.indices.astype(np.int64), X.indptr.astype(np.int64)),
        shape=X.shape,
    )
    cells = cells_of(other)
    assert [part.dtype for part in cells] == [np.int64, np.int32, np.float64]
    for part in (X.data, X.indices, X.indptr):
        part.flags.writeable = False
    assert all(part.flags.writeable for part in cells_of(X))


def test_lengths_and_totals_are_weighted_sums(rng):
    X = planted(rng)[0]
    w = rng.random(60)
    np.testing.assert_allclose(cells_of(X).lengths, X.sum(axis=1))
    total = total_of(X, w)
    assert total.documents == pytest.approx(w.sum())
    assert total.tokens == pytest.approx(w @ X.sum(axis=1))
    np.testing.assert_array_equal(weights_of(None, 3), np.ones(3))


def test_a_part_of_the_cells_is_that_of_its_documents(rng):
    X = planted(rng)[0]
    for left, right in zip(cells_of(X).part(7, 19), cells_of(X[7:19]), strict=True):
        np.testing.assert_array_equal(left, right)


def test_pieces_are_four_or_more_and_hold_all_documents(rng):
    X = planted(rng)[0]
    with lowdim.config_context(block_bytes=128):
        pieces = [block for (block,) in _blocks(in_pieces(ArrayBlocks(X)))]
    assert len(pieces) >= 4
    assert sum(piece.shape[0] for piece in pieces) == 60
    assert len(_blocks(in_pieces(ArrayBlocks(X)))) == 1  # too few cells for two turns


def _blocks(rows):
    return [rows._cut(cut, (), ()) for cut in rows._cuts()]


def test_negative_counts_are_refused():
    for X in (np.array([[1.0, -2.0]]), sp.csr_array([[1.0, -2.0]])):
        with pytest.raises(ValueError, match=r"^Negative values in data passed to PLSA\.fit.*-2"):
            refuse_negative(X, "PLSA.fit")
        with pytest.raises(ValueError, match="Negative values"):
            lowdim.PLSA().fit(X)
        with pytest.raises(ValueError, match="Negative values"):
            lowdim.LatentDirichletAllocation().fit(lowdim.stream(lambda X=X: iter([X])))


@pytest.mark.parametrize("Model", [lowdim.PLSA, lowdim.LatentDirichletAllocation])
def test_what_fills_missing_counts_leaves_none_negative(Model):
    X = np.array([[1.0, np.nan], [2.0, 1.0]])
    with pytest.raises(ValueError, match=r"NaN in 1 of 2 columns.*with lowdim\.NMF\("):
        Model(1).fit(X)
    Model(1).fit(lowdim.NMF(1).fit(X).impute(X))


@pytest.mark.parametrize(
    "model",
    [
        lowdim.PLSA(3, max_iter=5, tol=0, random_state=0),
        lowdim.LatentDirichletAllocation(3, max_iter=3, random_state=0),
        lowdim.LatentDirichletAllocation(3, learning_method="map", max_iter=3, random_state=0),
    ],
    ids=repr,
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_document_alone_has_the_shares_that_it_has_among_others(model, rng):
    counts = rng.poisson(0.05, size=(40, 400)).astype(float)
    counts[0] = 0.0  # a document without words, too
    X = sp.csr_array(counts)
    whole = model.fit(X).transform(X)
    one_by_one = np.concatenate([model.transform(X[[i]]) for i in range(40)])
    np.testing.assert_array_equal(one_by_one, whole)
    assert some_terms(ArrayBlocks(X[:2]))[0].shape[1] < 50
    assert some_terms(ArrayBlocks(X))[0].shape[1] == 400
