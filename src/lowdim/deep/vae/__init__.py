"""Variational autoencoders: rows from codes, through networks and noise."""

from lowdim.deep.vae.estimator import VAE

__all__ = ["VAE"]
