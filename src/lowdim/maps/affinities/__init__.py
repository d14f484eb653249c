"""Affinities: how likely a row picks another as its neighbour; what SNE and t-SNE keep."""

from lowdim.maps.affinities.conditional import Conditional, conditional, uniform
from lowdim.maps.affinities.given import given_conditional, given_joint
from lowdim.maps.affinities.joint import Affinities, affinities, conditional_matrix, joint
from lowdim.maps.affinities.single import single_bandwidth

__all__ = [
    "Affinities",
    "Conditional",
    "affinities",
    "conditional",
    "conditional_matrix",
    "given_conditional",
    "given_joint",
    "joint",
    "single_bandwidth",
    "uniform",
]
