"""
Pictures, pixel by pixel
========================

A PixelCNN gives every pixel a probability given those above it and to its left. So it knows how
likely a picture is, draws new ones, and fills what is missing of one.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

import lowdim
from lowdim import plots

# %%
# Digits of 8 x 8 pixels with 17 greys; every tenth is held out. Its bits per pixel: 4.09 would be
# needed if all greys were as likely.

X = load_digits().data
held_out = np.arange(len(X)) % 10 == 0
rows, new = X[~held_out], X[held_out]
model = lowdim.PixelCNN(
    (8, 8), channels=24, n_layers=4, kernel_size=5, max_iter=12, random_state=0
).fit(rows)
print(f"{model.bits_per_dim(new):.2f} bits for each pixel of new digits")

# %%
# Digits, and what the model draws.

figure, axes = plt.subplots(1, 2, figsize=(9, 4.8), layout="constrained")
walls = {"digits": rows[:64], "drawn": model.sample(64, random_state=0)}
for ax, (title, wall) in zip(axes, walls.items(), strict=True):
    plots.wall(wall / 16, (8, 8), ax=ax)
    ax.set_title(title)

# %%
# The lower half of a digit is missing: six fillings of each, drawn given its upper half.

half = new[:8].copy()
half[:, 32:] = np.nan
copies = model.draw_imputations(half, 6, random_state=0)
shown = np.concatenate([new[:8][None], np.nan_to_num(half)[None], copies])
figure, ax = plt.subplots(figsize=(6, 6.3), layout="constrained")
plots.wall(shown.reshape(-1, 64) / 16, (8, 8), ax=ax)
ax.set_title("digits, their upper halves, and six ways to go on")
