"""
A hidden layer as a representation
==================================

The last hidden layer of a network that has learned to tell digits apart is a representation of
images. In its first two principal components digits lie farther apart than in those of the images.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits

import lowdim

X, y = load_digits(return_X_y=True)
model = lowdim.MLPClassifier((64, 16), activation="tanh", tol=0.01, random_state=0).fit(X / 16, y)

# %%
# Two planes: that of the images, and that of the 16 units.

figure, axes = plt.subplots(1, 2, figsize=(10, 4.4), layout="constrained")
for ax, (title, rows) in zip(
    axes, {"images": X / 16, "hidden layer": model.activations(X / 16)}.items(), strict=True
):
    Z = lowdim.PCA(2).fit_transform(rows)
    ax.scatter(*Z.T, c=y, cmap="tab10", s=6)
    ax.set(title=title, xticks=[], yticks=[])

# %%
# Filters of a convolutional network, and what they make of one image.

cnn = lowdim.CNNClassifier(channels=(8,), max_iter=10, random_state=0).fit(X, y)
maps = cnn.feature_maps(X[:1], layer=0)[0]
figure, axes = plt.subplots(2, 8, figsize=(10, 2.8), layout="constrained")
for j in range(8):
    axes[0, j].imshow(cnn.filters_[0][j, 0], cmap="gray")
    axes[1, j].imshow(maps[j], cmap="gray")
for ax in axes.flat:
    ax.set(xticks=[], yticks=[])
plt.show()
