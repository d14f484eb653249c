"""
The figures of lowdim.plots
===========================

Every figure takes plain arrays, draws on the Axes it is given, and returns them. Here are most of
them, of 344 penguins.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.preprocessing import StandardScaler

import lowdim
from lowdim import plots
from lowdim.datasets import load_penguins

penguins = load_penguins()
X = StandardScaler().fit_transform(penguins.X)
names = penguins.feature_names
species = np.array(penguins.target_names)[penguins.target]

# %%
# What is missing, and how many components to keep.

rank = lowdim.choose_rank(X, random_state=0)
print(rank)
pca = lowdim.PCA().fit(X)
figure, (left, middle, right) = plt.subplots(1, 3, figsize=(13, 4), layout="constrained")
plots.missing_map(penguins.X, names, ax=left)
plots.scree(pca.explained_variance_ratio_, rank.choice, ax=middle)
rank.plot(ax=right)

# %%
# What the components are: correlations of the columns with them, as arrows and as a table; of the
# penguins that were measured completely.

whole = ~np.isnan(X).any(axis=1)
X, species = X[whole], species[whole]
pca = lowdim.PCA().fit(X)
L = pca.components_.T * np.sqrt(pca.explained_variance_) / X.std(axis=0, ddof=1)[:, None]
figure, (left, right) = plt.subplots(1, 2, figsize=(12, 5), layout="constrained")
plots.correlation_circle(L, names, variance_ratio=pca.explained_variance_ratio_, ax=left)
plots.loadings_heatmap(L[:, :3], names, ["first", "second", "third"], ax=right)

# %%
# Rows on a map, by group and with the columns as arrows.

Z = pca.transform(X)
figure, (left, right) = plt.subplots(1, 2, figsize=(12, 5), layout="constrained")
plots.scatter_map(Z, labels=species, ax=left)
plots.biplot(Z, L, names, species, variance_ratio=pca.explained_variance_ratio_, ax=right)

# %%
# How a fit came to its end, with two components of a mixture and with three.

runs = {
    f"{k} components": lowdim.GaussianMixture(k, random_state=0).fit(X).history_ for k in (2, 3)
}
plots.trace(runs, ylabel="negative log-likelihood")
plt.show()
