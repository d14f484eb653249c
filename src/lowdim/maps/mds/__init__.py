"""Multidimensional scaling: distances in a map follow given dissimilarities."""
