"""Images pixel by pixel: the probability of each one given those above it and to its left."""

from lowdim.deep.pixelcnn.estimator import PixelCNN

__all__ = ["PixelCNN"]
