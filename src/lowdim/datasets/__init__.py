"""Small data sets that come with lowdim, and loaders for local copies of others."""

from lowdim.datasets.movielens import load_movielens
from lowdim.datasets.penguins import Table, load_penguins
from lowdim.datasets.proximities import (
    Dissimilarities,
    Similarities,
    load_ekman,
    load_eurodist,
)
from lowdim.datasets.ratings import Ratings, load_ratings
from lowdim.datasets.words import (
    Articles,
    Sentences,
    load_analogies,
    load_brown,
    load_dictionary,
    load_wikipedia,
    load_word_similarity,
)

__all__ = [
    "Articles",
    "Dissimilarities",
    "Ratings",
    "Sentences",
    "Similarities",
    "Table",
    "load_analogies",
    "load_brown",
    "load_dictionary",
    "load_ekman",
    "load_eurodist",
    "load_movielens",
    "load_penguins",
    "load_ratings",
    "load_wikipedia",
    "load_word_similarity",
]
