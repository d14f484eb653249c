"""What documents are read from."""

import pytest

import lowdim


def test_a_corpus_stays_what_it_is():
    corpus = lowdim.corpus(["a"])
    assert lowdim.corpus(corpus) is corpus


def test_what_holds_no_documents_is_refused():
    for source in (3, None, {1, 2}, iter(["a"])):
        with pytest.raises(TypeError, match="Documents cannot be read from"):
            lowdim.corpus(source)


def test_columns_of_what_has_none_are_refused():
    for argument in ("text", "id", "columns"):
        with pytest.raises(ValueError, match=f"{argument}=.* names a column"):
            lowdim.corpus(["a"], **{argument: "x"})


def test_arguments_are_checked():
    with pytest.raises(ValueError, match="split='word' must be one of 'auto'"):
        lowdim.corpus(["a"], split="word")
    with pytest.raises(ValueError, match="decode_error='drop'"):
        lowdim.corpus(["a"], decode_error="drop")
