"""t-SNE: a map in which neighbours of the rows are neighbours."""

from lowdim.maps.tsne.estimator import TSNE

__all__ = ["TSNE"]
