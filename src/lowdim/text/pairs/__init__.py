"""Pairs of words that stand near each other."""
