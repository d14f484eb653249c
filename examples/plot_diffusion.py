"""
From rows to noise, and back
============================

Noise is added to rows by small steps until nothing else is left. A network that can tell the noise
in a row knows the way back: from noise to new rows.
"""

# %%
# How rows become noise
# ---------------------
# Digits on their way, at nine times of one chain.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

import lowdim
from lowdim.deep import DiffusionSchedule

digits = load_digits().data / 16
schedule = DiffusionSchedule(1000)
schedule.plot(digits[:5], image_shape=(8, 8), random_state=0)

# %%
# Seven modes of unequal weight
# -----------------------------
# The network learns from 2000 rows. New rows are about as many in each mode; a row flows to its
# noise, and returns.

random = np.random.default_rng(0)
angle = 2 * np.pi * np.arange(7) / 7
modes = np.stack([np.cos(angle), np.sin(angle)], axis=1)
weights = np.array([0.3, 0.2, 0.15, 0.12, 0.1, 0.08, 0.05])
X = modes[random.choice(7, size=2000, p=weights)] + 0.1 * random.normal(size=(2000, 2))

model = lowdim.Diffusion(200, hidden=(64, 64), max_iter=40, random_state=0).fit(X)
new = model.sample(2000, random_state=0)

figure, axes = plt.subplots(1, 3, figsize=(10, 3.6))
places = {"rows": X, "the noise they flow to": model.transform(X), "new rows": new}
for ax, (title, rows) in zip(axes, places.items(), strict=True):
    ax.scatter(*rows.T, s=3, alpha=0.5)
    ax.set(title=title, aspect="equal", xticks=[], yticks=[])

# %%
# Each mode's share, in the rows and in the new ones.

for name, rows in {"rows": X, "new": new}.items():
    nearest = ((rows[:, None, :] - modes) ** 2).sum(axis=2).argmin(axis=1)
    print(name, np.round(np.bincount(nearest, minlength=7) / len(rows), 2))

# %%
# Missing values
# --------------
# Given its second number, a row may lie in several places: draws say so, which a mean cannot.

copies = model.draw_imputations([[np.nan, 0.43]], 200, random_state=0)
fig, ax = plt.subplots(figsize=(6, 2.5))
ax.hist(copies[:, 0, 0], bins=40)
ax.set(xlabel="first number, given that the second is 0.43", ylabel="draws")
