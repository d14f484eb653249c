"""Gaussian mixtures: each row comes from one of K normal distributions."""

from lowdim.mixture.gaussian.estimator import GaussianMixture as GaussianMixture
