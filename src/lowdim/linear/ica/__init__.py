"""Independent component analysis: rows are mixtures of independent, non-Gaussian sources."""

from lowdim.linear.ica.amari import amari_distance as amari_distance
from lowdim.linear.ica.estimator import FastICA as FastICA
