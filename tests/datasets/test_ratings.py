"""Ratings that come with lowdim, and MovieLens in all the forms that GroupLens published."""

from numpy.testing import assert_array_equal

from lowdim.datasets import load_ratings


def test_the_bundled_ratings_are_the_same_every_time():
    first, again = load_ratings(), load_ratings()
    for one, other in zip(first[:4], again[:4], strict=True):
        assert_array_equal(one, other)
    assert set(first.rating) == {1.0, 2.0, 3.0, 4.0, 5.0}
    pairs = set(zip(first.user, first.item, strict=True))
    assert len(pairs) == 2400
    assert len(set(first.user)) == 120 and set(first.item) == set(first.titles)
