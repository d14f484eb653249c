"""
How many components?
====================

A scree plot leaves the choice to the eye. :func:`lowdim.choose_rank` makes it by a rule that can be
defended. Here the truth is known: five components, drowned in noise.
"""

import matplotlib.pyplot as plt
import numpy as np

import lowdim

random = np.random.default_rng(1)
strength = np.array([3.0, 2.5, 2.0, 1.6, 1.3])
Z = random.normal(size=(500, 5)) * strength
axes = np.linalg.qr(random.normal(size=(40, 5)))[0].T
X = Z @ axes + 0.5 * random.normal(size=(500, 40))

# %%
# Each method asks its own question. Bi-cross-validation: which rank predicts entries that were not
# looked at? Parallel analysis: which components are stronger than those of shuffled columns?
# Minka's evidence: which rank makes the data most probable? The elbow: where does the curve bend?
methods = ["bcv", "parallel", "mle", "elbow"]
figure, panels = plt.subplots(2, 2, figsize=(9, 6.5), layout="constrained")
for panel, method in zip(panels.flat, methods, strict=True):
    rank = lowdim.choose_rank(X, method=method, random_state=0)
    rank.plot(ax=panel)
    panel.set_title(f"{method}: {rank.choice}")
    print(f"{method:>8}: {rank.choice} components")

# %%
# Missing values are no obstacle: held-out entries are then taken from the observed ones.
X[random.random(X.shape) < 0.3] = np.nan
rank = lowdim.choose_rank(X, method="bcv", random_state=0)
print(f"with 30% missing: {rank.choice} components")
plt.show()
