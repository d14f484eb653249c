"""Neighbours of rows: exact by products, approximate in cells, or as given."""

from lowdim.maps.neighbors.door import neighbors as neighbors
from lowdim.maps.neighbors.found import Neighbors as Neighbors
from lowdim.maps.neighbors.search import near as near
from lowdim.maps.neighbors.search import nearest_to as nearest_to
