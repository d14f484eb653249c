"""Sequences entry by entry, by attention to all entries before: tables, symbols, text."""

from lowdim.deep.transformer.estimator import CausalTransformer

__all__ = ["CausalTransformer"]
