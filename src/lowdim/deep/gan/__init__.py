"""Generative adversarial networks."""

from lowdim.deep.gan.estimator import GAN

__all__ = ["GAN"]
