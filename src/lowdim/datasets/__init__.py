"""Small data sets that come with lowdim, for examples and first steps."""

from lowdim.datasets.penguins import Table, load_penguins

__all__ = ["Table", "load_penguins"]
