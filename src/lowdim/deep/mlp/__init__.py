"""Networks of dense layers, with scikit-learn's arguments."""

from lowdim.deep.mlp.classifier import MLPClassifier
from lowdim.deep.mlp.regressor import MLPRegressor

__all__ = ["MLPClassifier", "MLPRegressor"]
