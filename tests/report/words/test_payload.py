"""The data of the page."""

import base64

import numpy as np

from lowdim.report.words.findings import Source, Wishes, find
from lowdim.report.words.payload import arrow_payload, group_names, map_payload, near_titles
from tests.report.words.planted import planted_vectors, planted_words


def unpacked(text, dtype):
    return np.frombuffer(base64.b64decode(text), dtype)


def two(n_words=5000):
    one, other = Source("one", planted_vectors()), Source("other", planted_vectors(noise=0.12))
    return find(one, other, None, Wishes("none", n_words), 0)


def test_neighbours_are_places_in_the_list_of_names():
    found = find(Source("x", planted_vectors()), None, None, Wishes(n_words=20), 0)
    data, names = map_payload(found)
    (near,) = data["near"]
    index = unpacked(near["index"], "<u2").reshape(-1, near["k"])
    words = planted_words()
    expected = [[words[i] for i in row] for row in found.near[0].index]
    assert [[names[i] for i in row] for row in index] == expected
    assert names[:20] == words[:20] and len(names) > 20 == data["n"]


def test_cosines_are_kept_to_a_hundredth(found):
    data, _ = map_payload(found)
    cosine = unpacked(data["near"][0]["cosine"], "u1") / 127.5 - 1
    np.testing.assert_allclose(cosine, found.near[0].cosine.ravel(), atol=0.5 / 127.5)


def test_counts_are_exact_and_columns_have_names(found):
    data, _ = map_payload(found)
    assert unpacked(data["counts"], "<f8").tolist() == found.vocabularies[0].counts.tolist()
    assert [column["name"] for column in data["columns"]] == ["cluster", "times seen", "rank"]
    assert data["columns"][0]["words"] == group_names(found)


def test_without_counts_there_is_no_such_column():
    vectors = planted_vectors()
    bare = type(vectors)(vectors.index_to_key, vectors.vectors)
    data, _ = map_payload(find(Source("x", bare), None, None, Wishes(), 0))
    assert data["counts"] is None
    assert [column["name"] for column in data["columns"]] == ["cluster", "rank"]


def test_two_vocabularies_have_neighbours_in_both_and_a_colour_each():
    found = two(20)
    data, names = map_payload(found)
    assert data["columns"][0]["name"] == "vocabulary" and len(data["near"]) == 2
    assert near_titles(found) == [
        ["Nearest in one", "Nearest in other"], ["Nearest in other", "Nearest in one"]
    ]  # fmt: skip
    across = unpacked(data["near"][1]["index"], "<u2").reshape(20, -1)
    first = [names[row[0]] for row in across]
    assert np.mean([a == b for a, b in zip(first, names[:20], strict=True)]) > 0.8


def test_arrows_are_plain_lists(found):
    (relation,) = arrow_payload(found)["relations"]
    assert relation["name"] == "man, woman" and relation["known"] == 8
    assert len(relation["columns"]["x0"]) == 8
