"""Which column holds the texts."""

import pytest

from lowdim.text.corpus.documents import CorpusError
from lowdim.text.corpus.names import Named, text_column


def test_a_column_is_asked_for_found_by_name_or_the_only_one():
    assert text_column("f", "b", ["a", "b"], ["a"]) == "b"
    assert text_column("f", None, ["a", "Body", "n"], ["a", "Body"]) == "Body"
    assert text_column("f", None, ["a", "n"], ["a"]) == "a"


def test_where_it_is_not_clear_it_must_be_named():
    with pytest.raises(CorpusError, match=r"f has 2 columns of text; its columns are a, b.*text="):
        text_column("f", None, ["a", "b"], ["a", "b"])
    with pytest.raises(CorpusError, match="f has no column of text"):
        text_column("f", None, ["a"], [])
    with pytest.raises(ValueError, match="f has no column 'c'"):
        text_column("f", "c", ["a"], ["a"])
    with pytest.raises(ValueError, match="f has no column 'y'"):
        Named("a", None, ("y",)).check("f", ["a"])
