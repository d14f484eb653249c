"""
Atoms of a photograph
=====================

Small patches of a photograph are alike: edges, gradients, bits of texture. K-SVD learns a
dictionary in which each patch is a sum of a few atoms, and a fixed basis needs more of its own for
the same.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_sample_image
from sklearn.feature_extraction.image import extract_patches_2d

import lowdim
from lowdim import plots, sparse

# %%
# Patches of 8 x 8 pixels, each less its mean: what is left is their structure.

picture = load_sample_image("china.jpg").mean(axis=2) / 255.0
patches = extract_patches_2d(picture, (8, 8), max_patches=6000, random_state=0).reshape(-1, 64)
patches -= patches.mean(axis=1, keepdims=True)
patches = patches[np.ptp(patches, axis=1) > 0.01]  # not the empty sky
X, new = patches[:-1000], patches[-1000:]

# %%
# 100 atoms, of which each patch may use four. Atoms are edges at many places and angles.

model = lowdim.KSVD(100, n_nonzero_coefs=4, max_iter=10, tol=0.0, random_state=0).fit(X)
used = np.count_nonzero(model.transform(X), axis=0)
figure, ax = plt.subplots(figsize=(6, 6), layout="constrained")
plots.parts(model.components_[np.argsort(-used)], (8, 8), ax=ax)
ax.set_title("atoms, the most used first")

# %%
# Patches that were not learned from, with as many numbers in each dictionary.

cosines = sparse.basis("dct", (8, 8)).matrix().T
axes = lowdim.PCA().fit(X).components_
counts = (1, 2, 4, 6, 8, 12)
figure, ax = plt.subplots(figsize=(6, 4), layout="constrained")
for name, atoms in (("K-SVD", model.components_), ("cosines", cosines), ("PCA", axes)):
    left = []
    for count in counts:
        Z = lowdim.sparse_encode(new, atoms, algorithm="omp", n_nonzero_coefs=count)
        left.append(np.sum((new - Z @ atoms) ** 2) / np.sum(new**2))
    ax.semilogy(counts, left, "o-", label=name)
ax.set_xlabel("numbers that stand for a patch of 64 pixels")
ax.set_ylabel("part of the squares that is not explained")
ax.legend()

# %%
# The history of the fit: it falls, unless atoms were replaced.

model.history_, model.replaced_
