"""Learnt dictionaries: atoms of which the rows themselves are sparse sums."""
