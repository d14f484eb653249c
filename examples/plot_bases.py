"""
Waves or wavelets?
==================

A signal is sparse in one basis and not in another: a sound in sines and cosines, steps and spikes
in wavelets, a photograph in wavelets or in cosines of small blocks. What is sparse can be stored in
few numbers.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_sample_image

import lowdim
from lowdim import plots, sparse

# %%
# Two signals and the sizes of their coefficients, largest first. The steeper, the sparser.

t = np.arange(512) / 512
sound = np.sin(40 * t) + 0.5 * np.sin(97 * t)
steps = np.repeat([1.0, 3.0, 0.5, 2.0], [100, 212, 80, 120])
figure, axes = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
for ax, (name, x) in zip(axes, {"a sound": sound, "steps": steps}.items(), strict=True):
    codes = {kind: sparse.basis(kind, 512).analyze(x) for kind in ("dft", "dct", "haar", "db4")}
    plots.coefficient_decay(codes, ax=ax)
    ax.set(title=name, ylim=(1e-3, None))
    print(sparse.choose_basis(x, keep=20))

# %%
# A photograph and its wavelets: a small picture of it, and the details of each scale.

china = np.asarray(load_sample_image("china.jpg"))[:416, :640]
grey = china.mean(axis=2)
z = sparse.basis("bior4.4", grey.shape, level=3).analyze(grey.ravel())
figure, axes = plt.subplots(1, 2, figsize=(11, 3.8), layout="constrained")
axes[0].imshow(china)
axes[0].axis("off")
plots.pyramid(z.reshape(grey.shape), 3, ax=axes[1])

# %%
# One number of twenty is kept: the largest ones (a non-linear approximation), or those of the
# coarsest scales, whatever the picture (a linear one).

largest = lowdim.compress(china, keep=0.05)
coarsest = lowdim.compress(china, keep=0.05, selection="first")
print(largest)
print(coarsest)
pictures = {
    "the photograph": china,
    f"coarsest scales, {coarsest.psnr:.1f} dB": coarsest.reconstruct(),
    f"largest, {largest.psnr:.1f} dB": largest.reconstruct(),
}
ax = plots.side_by_side(pictures, difference=False)

# %%
# Rounded and packed, they make a small file. Cosines in blocks are what JPEG uses.

ax = sparse.rate_distortion(china[:256, :256], ["bior4.4", "dct", "haar"]).plot()
