import numpy as np

from lowdim.datasets import load_ekman, load_eurodist


def test_roads_between_cities_are_those_of_the_table():
    roads = load_eurodist()
    D, names = roads.dissimilarity, roads.names
    assert D.shape == (21, 21) and len(names) == 21
    assert (names[0], names[-1]) == ("Athens", "Vienna")
    assert D[names.index("Paris"), names.index("Calais")] == 280
    assert D[names.index("Rome"), names.index("Vienna")] == 1209
    np.testing.assert_array_equal(D, D.T)
    assert not np.diagonal(D).any() and (D + np.eye(21) > 0).all()


def test_colours_are_those_of_the_paper():
    S, names = load_ekman()
    assert S.shape == (14, 14)
    assert names == sorted(names) and (names[0], names[-1]) == ("434", "674")
    assert (S[0, 1], S[12, 13]) == (0.86, 0.76)
    np.testing.assert_array_equal(S, S.T)
    np.testing.assert_array_equal(np.diagonal(S), 1.0)
    assert S.min() >= 0 and S.max() <= 1
