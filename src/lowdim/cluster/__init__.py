"""Clusters and mixtures: a row is explained by the group it belongs to."""
