"""Diffusion: rows are turned into noise by small steps, and a network learns the way back."""

from lowdim.deep.diffusion.estimator import Diffusion
from lowdim.deep.diffusion.reverse import reverse_diffusion
from lowdim.deep.diffusion.schedule import DiffusionSchedule

__all__ = ["Diffusion", "DiffusionSchedule", "reverse_diffusion"]
