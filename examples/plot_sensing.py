"""
Few measurements, and pictures in parts
=======================================

A signal that is a sum of few atoms can be made again from few numbers, and a sum of two signals
that are sparse in different bases comes apart. Both are basis pursuit: of all codes that make what
was seen, :func:`lowdim.sparse.basis_pursuit` takes the one with the least sum of absolute values.
"""

import matplotlib.pyplot as plt
import numpy as np

import lowdim
from lowdim import sparse

# %%
# Six waves in 256 numbers, of which we measure 70 random sums. `measurements_needed` says where
# half of all signals are found; :class:`lowdim.CompressiveSensing` takes a little more by itself.
random = np.random.default_rng(0)
code = np.zeros(256)
code[random.choice(100, 6, replace=False)] = random.normal(size=6)
signal = sparse.basis("dct", 256).synthesize(code)

sensing = lowdim.CompressiveSensing(70, random_state=0).fit(signal[None])
again = sensing.inverse_transform(sensing.transform(signal[None]))[0]
print(f"half of all such signals need {sparse.measurements_needed(6, 256):.0f} measurements")
print(f"largest difference: {np.abs(again - signal).max():.1e}")

# %%
# How many are enough? For each number of measurements M and of non-zeros K some codes are tried.
# They are nearly always found, or nearly never; theory knows the line between
# (Amelunxen, Lotz, McCoy and Tropp 2014).
shares = np.linspace(0.1, 0.9, 9)
found = sparse.phase_transition(64, shares, shares, n_trials=6, random_state=0)
ax = found.plot()
ax.set_title("basis pursuit of 64 numbers")

# %%
# Cartoon and texture: what is flat with edges is sparse in wavelets, what repeats is sparse in
# cosines. A drawing under a woven pattern comes apart into both.
drawing = np.zeros((64, 64))
drawing[16:48, 8:40], drawing[24:32, 48:56], drawing[40:56, 48:64] = 1.0, 0.6, -0.5
rows, columns = np.mgrid[:64, :64]
pattern = 0.4 * np.cos(np.pi * (rows + 0.5) * 24 / 64) * np.cos(np.pi * (columns + 0.5) * 31 / 64)
cartoon, texture = sparse.separate(drawing + pattern, ["haar", "dct"])
print(f"largest difference of the texture: {np.abs(texture - pattern).max():.1e}")

figure, panels = plt.subplots(1, 3, figsize=(10, 3.6), layout="constrained")
pictures = {"both": drawing + pattern, "cartoon": cartoon, "texture": texture}
for panel, (name, picture) in zip(panels, pictures.items(), strict=True):
    panel.imshow(picture, cmap="gray")
    panel.set_title(name)
    panel.axis("off")
plt.show()
