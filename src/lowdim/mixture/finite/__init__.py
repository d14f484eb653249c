"""Finite mixtures of one family: every row comes from one of K components of the same kind."""

from lowdim.mixture.finite.estimator import MixtureModel as MixtureModel
