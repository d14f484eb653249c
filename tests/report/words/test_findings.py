"""What is found in word vectors, as plain data."""

import numpy as np
import pytest

from lowdim.report.words.findings import STAGES, Source, Wishes, find, map_words
from lowdim.report.words.vocabulary import Vocabulary, shown_name
from lowdim.tables.errors import TableError
from tests.report.words.planted import planted_vectors, planted_words, turned


def found_in(one, other=None, **wishes):
    other = None if other is None else Source("other", other)
    return find(Source("one", one), other, None, Wishes(**wishes), 0)


def vocabulary(n):
    return Vocabulary("x", [f"w{i}" for i in range(n)], np.eye(n, 2), None, n)


def test_the_map_has_the_commonest_words(found):
    words = planted_words(nasty=True)
    assert found.words == [shown_name(word) for word in words]
    assert found.place.tolist() == list(range(len(words))) and not found.side.any()
    assert found.plane.points.shape == (len(words), 2)
    assert set(found.seconds) == set(STAGES)


def test_neighbours_are_looked_for_among_all_words_and_the_map_has_fewer():
    vectors = planted_vectors()
    found = found_in(vectors, n_words=20)
    assert len(found.words) == 20 and found.near[0].index.max() >= 20
    expected = [word for word, _ in vectors.most_similar("man", topn=10)]
    assert [vectors.index_to_key[i] for i in found.near[0].index[0]] == expected


def test_counts_decide_what_is_common():
    vectors = planted_vectors()
    upside_down = type(vectors)(vectors.index_to_key, vectors.vectors, vectors.counts[::-1])
    assert found_in(upside_down, n_words=3).words == vectors.index_to_key[::-1][:3]


def test_half_of_the_map_is_of_each_vocabulary_by_rank():
    side, place = map_words([vocabulary(9), vocabulary(9)], 6)
    assert side.tolist() == [0, 1, 0, 1, 0, 1] and place.tolist() == [0, 0, 1, 1, 2, 2]


def test_what_a_small_vocabulary_leaves_the_other_takes():
    side, place = map_words([vocabulary(1), vocabulary(9)], 6)
    assert (side == 0).sum() == 1 and (side == 1).sum() == 5
    assert place[side == 1].tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("align", ["auto", "alike"])
def test_vectors_that_were_turned_come_into_one_space(align):
    vectors = planted_vectors()
    found = found_in(turned(vectors), vectors, align=align)
    assert found.against.n_both == len(vectors) and "turning" in found.against.how
    assert found.against.cosines.min() > 0.95
    across = found.near[1].index[:, 0]
    np.testing.assert_array_equal(across, found.place)  # the nearest of the other is the word


def test_vectors_in_one_space_stay_there():
    vectors = planted_vectors()
    found = found_in(vectors, planted_vectors(noise=0.12))
    assert "already" in found.against.how


def test_vectors_are_taken_as_they_are_if_asked():
    vectors = planted_vectors()
    found = found_in(turned(vectors), vectors, align="none")
    assert found.against.how == "as they were given" and found.against.cosines.mean() < 0.5


def test_other_sizes_cannot_be_taken_as_they_are(rng):
    vectors = planted_vectors()
    short = type(vectors)(vectors.index_to_key, vectors.vectors[:, :5])
    with pytest.raises(TableError, match="Vectors of 24 and of 5 numbers are not in one space"):
        found_in(vectors, short, align="none")


def test_the_same_seed_gives_the_same_findings():
    one, two = (found_in(planted_vectors()) for _ in range(2))
    np.testing.assert_array_equal(one.plane.points, two.plane.points)
    np.testing.assert_array_equal(one.groups.labels, two.groups.labels)
    assert one.groups.groups == two.groups.groups
