"""Rows from codes, in one layer (VAE) or several (DLGM), through networks and noise."""

from lowdim.deep.vae.dlgm import DLGM
from lowdim.deep.vae.estimator import VAE

__all__ = ["DLGM", "VAE"]
