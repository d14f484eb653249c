"""
How many groups of penguins, and which?
=======================================

Four measurements of 344 penguins, two of whom could not be measured. A Gaussian mixture is fitted
with one to seven components; BIC says how many. The ellipses are those of the mixture, in the plane
of the first two principal components.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.preprocessing import StandardScaler

import lowdim
from lowdim.datasets import load_penguins
from lowdim.plots import cluster_map

penguins = load_penguins()
X = StandardScaler().fit_transform(penguins.X[:, :4])

# %%
# The number of components with the lowest BIC. The fitted mixture comes with the choice.

choice = lowdim.choose_k(X, "gmm", k=range(1, 8), criterion="bic", random_state=0)
mixture = choice.model

# %%
# A mixture seen along the principal axes V: means V'(m - mean), covariances V'CV.

pca = lowdim.PCA(2).fit(X)
V = pca.components_
means = (mixture.means_ - pca.mean_) @ V.T
covariances = np.einsum("ad,kde,be->kab", V, mixture.covariances_, V)

figure, (left, right) = plt.subplots(
    1, 2, figsize=(10, 4.4), width_ratios=(2, 3), layout="constrained"
)
choice.plot(ax=left)
cluster_map(
    pca.transform(X),
    mixture.predict(X),
    means=means,
    covariances=covariances,
    variance_ratio=pca.explained_variance_ratio_,
    ax=right,
)
plt.show()
