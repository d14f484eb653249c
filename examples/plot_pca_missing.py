"""
PCA of a table with missing values
==================================

A third of a table is missing. Three ways to get its principal components: drop incomplete
rows, fill missing values with the column's mean, or learn from exactly the values that are there,
which is what :class:`lowdim.PCA` does when it meets NaN.
"""

import matplotlib.pyplot as plt
import numpy as np

import lowdim

random = np.random.default_rng(0)

# %%
# The data: 400 rows that lie near a plane in 12 dimensions, along a spiral.
angle = np.sort(random.uniform(0, 4 * np.pi, 400))
plane = np.column_stack([angle * np.cos(angle), angle * np.sin(angle)])
axes = np.linalg.qr(random.normal(size=(12, 2)))[0].T
complete = plane @ axes + 0.3 * random.normal(size=(400, 12))

X = np.where(random.random(complete.shape) < 0.35, np.nan, complete)
print(
    f"{np.isnan(X).mean():.0%} missing; {np.isnan(X).any(axis=1).sum()} of 400 rows are incomplete"
)

# %%
# Hardly a row is complete, so dropping rows is out. Filling with the mean pulls every row towards
# the centre. PCA over the observed values does neither.
with_mean = np.where(np.isnan(X), np.nanmean(X, axis=0), X)
maps = {
    "nothing missing": lowdim.PCA(2).fit_transform(complete),
    "filled with the mean": lowdim.PCA(2).fit_transform(with_mean),
    "NaN left to lowdim": lowdim.PCA(2).fit_transform(X),
}


def turned_to(reference, Z):
    """Z turned and mirrored to lie as well as it can on the reference (Procrustes)."""
    U, _, Vt = np.linalg.svd(Z.T @ reference)
    return Z @ U @ Vt


figure, panels = plt.subplots(1, 3, figsize=(11, 3.9), sharex=True, sharey=True, layout="tight")
for panel, (title, Z) in zip(panels, maps.items(), strict=True):
    Z = turned_to(maps["nothing missing"], Z)
    panel.scatter(*Z.T, c=angle, cmap="viridis", s=14, lw=0)
    panel.set(title=title, aspect="equal", xticks=[], yticks=[])

# %%
# The model also says how sure it is of each value that it fills in: the truth should lie within two
# standard deviations about 95 times in 100.
pca = lowdim.PCA(2).fit(X)
filled, std = pca.impute(X, return_std=True)
missing = np.isnan(X)
within = np.abs(filled - complete)[missing] < 2 * std[missing]
print(f"within two standard deviations: {within.mean():.1%}")

some = random.choice(missing.sum(), 150, replace=False)
figure, panel = plt.subplots(figsize=(5, 4.2), layout="tight")
panel.errorbar(
    complete[missing][some],
    filled[missing][some],
    yerr=2 * std[missing][some],
    fmt="o",
    ms=4,
    color="#7b4fa3",
    ecolor="#7b4fa344",
    elinewidth=2,
)
panel.axline((0, 0), slope=1, color="#b8b8b8", lw=1, zorder=0)
panel.set(xlabel="the truth", ylabel="filled in, with two standard deviations")
plt.show()
