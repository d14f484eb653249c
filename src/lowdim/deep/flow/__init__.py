"""Normalizing flows: noise becomes rows by steps that can be undone."""

from lowdim.deep.flow.estimator import NormalizingFlow

__all__ = ["NormalizingFlow"]
