"""
Maps from dissimilarities alone: cities and colours
===================================================

Multidimensional scaling needs no coordinates, only how far apart things are: here roads between 21
cities of Europe, and how different 14 colours seem to people.
"""

import matplotlib.pyplot as plt
import numpy as np

import lowdim
from lowdim.datasets import load_ekman, load_eurodist

roads = load_eurodist()
classical = lowdim.ClassicalMDS(metric="precomputed").fit(roads.dissimilarity)
metric = lowdim.MDS(metric="precomputed", random_state=0).fit(roads.dissimilarity)

# %%
# Classical scaling by eigenvectors, and the map of least stress. A map has no north: it may be
# turned and mirrored, here so that Stockholm is on top. The diagrams show the distance in the map
# of each pair over the length of its road.

figure, grid = plt.subplots(2, 2, figsize=(11, 9), layout="constrained")
for (left, right), model in zip(grid, (classical, metric), strict=True):
    Y = model.embedding_.copy()
    north, west = (roads.names.index(city) for city in ("Stockholm", "Lisbon"))
    Y *= np.where([Y[west, 0] > 0, Y[north, 1] < 0], -1, 1)
    lowdim.plots.map(Y, text=roads.names, ax=left)
    left.set_title(type(model).__name__)
    lowdim.plots.shepard(lowdim.shepard(roads.dissimilarity, Y), ax=right)
    right.set_title(f"stress-1: {lowdim.stress(roads.dissimilarity, Y):.3f}")
plt.show()

# %%
# Ekman (1954) asked people how alike colours of the spectrum are, from violet (434 nm) to red
# (674 nm). Only the order of the answers is used (`metric_mds=False`), and the colours lie on a
# circle that nobody had asked for: red and violet, the ends of the spectrum, seem alike.

ekman = load_ekman()
D = 1 - ekman.similarity
circle = lowdim.MDS(metric_mds=False, metric="precomputed", random_state=0).fit(D)


def seen(wavelength):
    """About the colour of a wavelength in nm, as red, green and blue."""
    corners = [380, 440, 490, 510, 580, 645, 780]
    rgb = ([0.5, 0, 0, 0, 1, 1, 0.6], [0, 0, 1, 1, 1, 0, 0], [1, 1, 1, 0, 0, 0, 0])
    return [float(np.interp(wavelength, corners, part)) for part in rgb]


wavelengths = [float(str(name).split()[0]) for name in ekman.names]
figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.8), layout="constrained")
lowdim.plots.map(
    circle.embedding_, text=ekman.names, colors=[seen(w) for w in wavelengths], ax=left
)
lowdim.plots.shepard(lowdim.shepard(D, circle.embedding_), ax=right)
plt.show()
