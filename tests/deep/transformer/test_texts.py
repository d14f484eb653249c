"""What holds text, and its windows."""

import numpy as np
import pytest

import lowdim
from lowdim.deep.transformer.texts import Windows, documents_of, line_of, windows_of
from lowdim.deep.transformer.vocabulary import Bytes, Characters


def test_what_is_text_and_what_is_not(tmp_path):
    (tmp_path / "a.txt").write_text("one\n\ntwo\n")
    pd = pytest.importorskip("pandas")
    assert documents_of("data.csv") == ["data.csv"]
    assert documents_of(["a", "b"]) == documents_of(np.array(["a", "b"])) == ["a", "b"]
    assert documents_of(pd.Series(["a", "b"], index=[5, 7])) == ["a", "b"]
    assert list(documents_of(lambda: iter(["a", "b"]))) == ["a", "b"]
    assert list(documents_of(lowdim.corpus(["a", "b"]))) == ["a", "b"]
    (whole,) = documents_of(tmp_path / "a.txt")
    assert whole.split() == ["one", "two"]
    for other in ([[1, 2]], np.ones((2, 2)), [1.0, 2.0], [], None, {"a": 1}, iter(["a"])):
        assert documents_of(other) is None
    with pytest.raises(TypeError, match="item 1 is of type int"):
        documents_of(["a", 3])


def test_documents_in_a_line():
    known = Characters(["a", "b", "c"])
    np.testing.assert_array_equal(line_of(["ab", "", "c"], known, True).ids, [3, 0, 1, 3, 2])
    np.testing.assert_array_equal(line_of(["abc"], known, False).ids, [0, 1, 2])
    assert line_of(["ab", "c"], known, True).n_tokens == 3
    assert line_of(["a" * 300], Bytes(), True).ids.dtype == np.uint16
    with pytest.raises(ValueError, match="holds no text: 2 documents"):
        line_of(["", ""], known, True)


@pytest.mark.parametrize("n", [1, 3, 5, 8, 9, 10, 31, 32])
def test_rows_are_views_that_cover_the_line(n):
    ids = np.arange(n, dtype=np.uint8)
    rows = Windows(ids, 5, 255)
    X = rows.in_memory
    c = rows.context
    assert c == min(5, n) and X.shape[1] == min(2 * c - 1, n)
    assert X.base is not None and X.dtype == np.uint8
    seen = X[X < 255]
    np.testing.assert_array_equal(np.unique(seen), ids)
    starts = np.unique([row[o : o + c] for row in X for o in range(X.shape[1] - c + 1)], axis=0)
    assert len(starts[(starts < 255).all(axis=1)]) == n - c + 1  # any window can be drawn
    assert (X < 255).any(axis=1).all()


def test_fingerprints_follow_the_tokens():
    ids = np.arange(40, dtype=np.uint8)
    same, other = ids.copy(), ids.copy()
    other[39] = 0
    first, again, changed = (Windows(x, 5, 255).fingerprint() for x in (ids, same, other))
    assert first == again != changed


@pytest.mark.parametrize("length", [1, 4, 5, 6, 17])
@pytest.mark.parametrize("separated", [True, False])
def test_each_token_counts_once_and_with_half_a_context_before_it(length, separated):
    tokens = np.arange(length)
    asked = list(windows_of([tokens, tokens[:0], tokens[:1]], 5, 99, separated, 2, 3))
    assert all(len(part.codes) <= 3 for part in asked)
    counted = [
        (document, code, place)
        for part in asked
        for row, first, document in zip(part.codes, part.first, part.document, strict=True)
        for place, code in enumerate(row)
        if place >= first and code < 99
    ]
    assert sorted((d, c) for d, c, _ in counted) == [(0, i) for i in range(length)] + [(2, 0)]
    assert all(place >= min(code, 3) for _, code, place in counted)
