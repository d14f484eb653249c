"""Multidimensional scaling: distances in a map follow given dissimilarities."""

from lowdim.maps.mds.estimator import MDS as MDS
from lowdim.maps.mds.smacof import smacof as smacof
