"""UMAP: a map that keeps who belongs to whom."""

from lowdim.maps.umap.estimator import UMAP as UMAP
