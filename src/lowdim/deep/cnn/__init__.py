"""Networks of convolutions: rows are images, or signals."""

from lowdim.deep.cnn.classifier import CNNClassifier
from lowdim.deep.cnn.regressor import CNNRegressor

__all__ = ["CNNClassifier", "CNNRegressor"]
