"""
Nine models that make rows, on the same data
============================================

Each learns from the same 2000 rows: two moons, and a small cluster beside them. What they draw is
held against rows that none of them has seen.
"""

import time

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import make_moons

import lowdim

random = np.random.default_rng(0)


def moons(n, seed):
    """Rows of which one in ten lies in the small cluster."""
    X, _ = make_moons(n, noise=0.08, random_state=seed)
    X[: n // 10] = [0.5, 1.6] + 0.08 * np.random.default_rng(seed).normal(size=(n // 10, 2))
    return X


X, new = moons(2000, 0), moons(2000, 1)

# %%
# The models, from the simplest to those of images and text, which take columns for pixels or for
# the words of a sentence. Networks are small, and learn for some seconds each.

models = {
    "ProbabilisticPCA": lowdim.ProbabilisticPCA(1, random_state=0),
    "GaussianMixture": lowdim.GaussianMixture(20, random_state=0),
    "VAE": lowdim.VAE(2, hidden=(64, 64), max_iter=250, random_state=0),
    "DLGM": lowdim.DLGM((2, 2), hidden=(64, 64), max_iter=250, random_state=0),
    "GAN": lowdim.GAN(hidden=(64, 64), max_iter=100, random_state=0),
    "NormalizingFlow": lowdim.NormalizingFlow(8, max_iter=60, random_state=0),
    "PixelCNN": lowdim.PixelCNN(channels=16, n_layers=3, levels=32, max_iter=20, random_state=0),
    "CausalTransformer": lowdim.CausalTransformer(
        n_layers=2, width=32, levels=32, max_iter=20, random_state=0
    ),
    "Diffusion": lowdim.Diffusion(200, hidden=(128,) * 3, max_iter=200, random_state=0),
}

drawn, table = {}, {}
for name, model in models.items():
    start = time.process_time()
    model.fit(X)
    seconds = time.process_time() - start
    rows = model.sample(2000)
    drawn[name] = rows[0] if isinstance(rows, tuple) else rows
    quality = lowdim.sample_quality(X, drawn[name], held_out=new, random_state=0)
    table[name] = {
        "energy": quality.energy,
        "told apart (c2st)": quality.c2st,
        "precision": quality.precision,
        "recall": quality.recall,
        "log p of new rows": model.score(new) if hasattr(model, "score") else np.nan,
        "processor seconds": seconds,
    }

figure, axes = plt.subplots(2, 5, figsize=(12, 5.2), layout="constrained")
for ax, (name, rows) in zip(axes.flat, {"rows": X, **drawn}.items(), strict=True):
    ax.scatter(*rows.T, s=2, alpha=0.4, color="black" if name == "rows" else None)
    ax.set(title=name, xlim=(-2, 3), ylim=(-1.2, 2.3), xticks=[], yticks=[])

# %%
# `energy` is a distance of the two sets of rows, 0 for equal ones; `told apart` is how often a
# classifier knows drawn rows from real ones (0.5: it guesses). The mean log-density is that of the
# model itself: exact for the mixture, the flow, the PixelCNN and the transformer, a little too low
# for VAE and DLGM; a GAN has none.

print(pd.DataFrame(table).T.round(3).to_string())
