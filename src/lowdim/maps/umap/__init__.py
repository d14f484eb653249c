"""UMAP: a map that keeps who belongs to whom."""
