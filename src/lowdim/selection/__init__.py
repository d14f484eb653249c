"""Choosing: how many components or clusters, which model, which settings."""
