"""k-means: each row is explained by the nearest of k centers."""

from lowdim.cluster.kmeans.estimator import KMeans as KMeans
