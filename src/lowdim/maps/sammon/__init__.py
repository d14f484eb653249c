"""Sammon mapping."""

from lowdim.maps.sammon.estimator import Sammon as Sammon
