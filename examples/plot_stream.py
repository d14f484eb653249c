"""
More rows than memory holds
===========================

The same `fit`, on files: :func:`lowdim.stream` gives the rows a chunk at a time. The components are
those of the whole table, and memory is that of a few chunks.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import lowdim

# %%
# Twenty files of 5000 rows: sums of a few waves, with noise. Imagine two thousand files.
folder = tempfile.TemporaryDirectory()
time = np.linspace(0, 1, 200)
waves = np.array([np.sin(2 * np.pi * f * time) for f in (1, 2, 3, 5)])
random = np.random.default_rng(0)
for part in range(20):
    weights = random.normal(size=(5000, 4)) * [4.0, 3.0, 2.0, 1.0]
    rows = weights @ waves + random.normal(size=(5000, 200))
    np.save(Path(folder.name) / f"part-{part:02}.npy", rows.astype(np.float32))

# %%
# One line differs from data in memory.
rows = lowdim.stream(f"{folder.name}/part-*.npy")
pca = lowdim.PCA(4).fit(rows)
print(rows.shape, pca.explained_variance_.round(1))

# %%
# The waves come back, in the order of their strength.
figure, panels = plt.subplots(1, 4, figsize=(11, 2.4), sharey=True, layout="tight")
for j, panel in enumerate(panels):
    component = pca.components_[j]
    component = component * np.sign(component @ waves[j])
    panel.plot(time, waves[j] / np.linalg.norm(waves[j]), color="#b8b8b8", lw=5, label="wave")
    panel.plot(time, component, color="#7b4fa3", lw=1.5, label="component")
    panel.set(title=f"component {j + 1}", xticks=[])
panels[0].legend(frameon=False)
plt.show()
folder.cleanup()
