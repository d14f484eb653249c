"""Principal component analysis: the subspace that keeps most of the variance."""

from lowdim.linear.pca.estimator import PCA as PCA
