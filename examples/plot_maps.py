"""
Handwritten digits on seven maps
================================

Every other of 1,797 pictures of digits, 8 x 8 pixels each, on maps that are made for different
ends: PCA and MDS keep distances, t-SNE and UMAP keep neighbours. `lowdim.map_quality` says how
well.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits

import lowdim
from lowdim.plots import kept_neighbors, scatter_map

digits = load_digits()
X, y = digits.data[::2], digits.target[::2]

maps = {
    "PCA": lowdim.PCA(2),
    "MDS": lowdim.MDS(random_state=0),
    "Sammon": lowdim.Sammon(random_state=0),
    "SNE": lowdim.SNE(random_state=0),
    "symmetric SNE": lowdim.SymmetricSNE(random_state=0),
    "t-SNE": lowdim.TSNE(random_state=0),
    "UMAP": lowdim.UMAP(random_state=0),
}
places = {name: model.fit_transform(X) for name, model in maps.items()}
quality = {name: lowdim.map_quality(X, Y, random_state=0) for name, Y in places.items()}

# %%
# The share of the ten nearest pictures that each map keeps stands in its title. The colours are the
# digits, which no map has seen.

figure, grid = plt.subplots(2, 4, figsize=(13, 6.6), layout="constrained")
for ax, (name, Y) in zip(grid.flat, places.items(), strict=False):
    scatter_map(Y, y, ax=ax)
    ax.set_title(f"{name}: {quality[name].recall:.0%} of neighbours")
    if name != "UMAP":
        ax.get_legend().remove()
grid.flat[-1].set_visible(False)
plt.show()

# %%
# Neighbours that are kept at every size of a neighbourhood, beyond those of chance. Maps by
# neighbours keep small neighbourhoods; maps by distances are better at large ones.

ax = None
for name, found in quality.items():
    ax = kept_neighbors(found.curve, name=name, ax=ax)
plt.show()

# %%
# All figures of one map.

quality["t-SNE"]
