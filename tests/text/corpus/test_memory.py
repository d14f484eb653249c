"""Documents in memory, on Dask, and of callables."""

import numpy as np
import pytest

import lowdim
from lowdim.text.corpus.documents import CorpusError


def test_lists_and_series_are_documents():
    assert list(lowdim.corpus(["a", b"\xc3\xa9", None])) == ["a", "é", ""]
    assert list(lowdim.corpus(np.array(["a", "b"]))) == ["a", "b"]
    pd = pytest.importorskip("pandas")
    series = pd.Series(["a", None], index=["x", "y"])
    corpus = lowdim.corpus(series)
    assert list(corpus) == ["a", ""] and corpus.ids == ["x", "y"]


def test_callables_give_fresh_iterators():
    corpus = lowdim.corpus(lambda: iter(["a", "b"]))
    assert list(corpus) == ["a", "b"] == list(corpus) and len(corpus) == 2
    same = iter(["a"])
    corpus = lowdim.corpus(lambda: same)
    assert next(iter(corpus)) == "a"
    with pytest.raises(ValueError, match="the same iterator twice"):
        next(iter(corpus))
    with pytest.raises(TypeError, match="returned a str"):
        list(lowdim.corpus(lambda: "text"))


def test_dask_bags_and_columns_are_documents():
    bag = pytest.importorskip("dask.bag").from_sequence(["a", "b", "c"], npartitions=2)
    assert list(lowdim.corpus(bag)) == ["a", "b", "c"]
    pd = pytest.importorskip("pandas")
    dd = pytest.importorskip("dask.dataframe")
    frame = dd.from_pandas(pd.DataFrame({"t": ["a", "b"]}), npartitions=2)
    assert list(lowdim.corpus(frame.t)) == ["a", "b"]


def test_what_is_no_text_is_named():
    with pytest.raises(CorpusError, match="Document 1 is of type int"):
        list(lowdim.corpus(["a", 3]))
    with pytest.raises(CorpusError, match="Document 0 is not in utf-8: byte 1"):
        list(lowdim.corpus([b"a\xff"]))
    assert list(lowdim.corpus([b"a\xff"], decode_error="ignore")) == ["a"]
