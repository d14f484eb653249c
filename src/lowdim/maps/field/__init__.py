"""The field of many points: phi(z) = sum_j c_j K(|z - y_j|), for all repulsion in maps."""

from lowdim.maps.field.field import Field

__all__ = ["Field"]
