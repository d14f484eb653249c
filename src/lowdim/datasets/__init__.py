"""Small data sets that come with lowdim, and loaders for local copies of others."""

from lowdim.datasets.movielens import load_movielens
from lowdim.datasets.penguins import Table, load_penguins
from lowdim.datasets.ratings import Ratings, load_ratings

__all__ = ["Ratings", "Table", "load_movielens", "load_penguins", "load_ratings"]
