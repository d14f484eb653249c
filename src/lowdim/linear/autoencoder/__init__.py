"""The linear autoencoder: a row is squeezed through a code of k numbers, and unfolded again."""

from lowdim.linear.autoencoder.estimator import LinearAutoencoder as LinearAutoencoder
