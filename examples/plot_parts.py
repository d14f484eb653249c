"""
What are pictures, and texts, made of?
======================================

Non-negative matrix factorisation explains rows as sums of parts, in which nothing is taken away
again. Parts of pictures are strokes of a pen; parts of texts are topics, the words that come
together. Both are learned from the rows alone.
"""

import importlib

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

import lowdim
from lowdim import plots

# %%
# Digits of 8 x 8 pixels. The components of PCA have both signs, and cancel each other; those of NMF
# add up: the parts of a digit are strokes.

digits = load_digits()
X = digits.data / 16.0
parts = lowdim.NMF(16, random_state=0).fit(X)
pca = lowdim.PCA(16).fit(X)
figure, (left, right) = plt.subplots(1, 2, figsize=(11, 5.4), layout="constrained")
plots.parts(parts.components_, (8, 8), ax=left)
left.set_title("NMF: strokes")
plots.parts(pca.components_, (8, 8), ax=right)
right.set_title("PCA: what is there and what is not")

# %%
# A digit, and what its four largest parts add up to, one after the other.

W = parts.transform(X)
size = parts.components_.sum(axis=1)
figure, axes = plt.subplots(3, 6, figsize=(9, 4.8), layout="constrained")
for row, i in zip(axes, (3, 6, 9), strict=True):
    most = np.argsort(-W[i] * size)[:4]
    sums = np.cumsum(W[i, most, None] * parts.components_[most], axis=0)
    for place, picture in zip(row, (X[i], *sums, W[i] @ parts.components_), strict=True):
        place.imshow(picture.reshape(8, 8), cmap="gray", vmin=0.0, vmax=1.0)
        place.set_axis_off()
for place, name in zip(axes[0], ("digit", "1 part", "2", "3", "4", "all 16"), strict=True):
    place.set_title(name)

# %%
# Texts: the docstrings of SciPy, as counts of words. Counts vary in proportion to their mean, which
# is what the Kullback-Leibler divergence expects.

PACKAGES = ("fft", "interpolate", "linalg", "ndimage", "optimize", "signal", "spatial", "stats")


def docstrings(package):
    module = importlib.import_module(f"scipy.{package}")
    things = [getattr(module, name) for name in module.__all__]
    return [thing.__doc__ for thing in things if callable(thing) and thing.__doc__]


docs = [docstrings(package) for package in PACKAGES]
words = lowdim.CountVectorizer(token_pattern="[a-z]{4,}", stop_words="english", min_df=10)
counts = words.fit_transform([text for texts in docs for text in texts])
names = words.get_feature_names_out()
topics = lowdim.NMF(10, solver="mu", beta_loss="kullback-leibler", random_state=0)
shares = topics.fit_transform(counts) * topics.components_.sum(axis=1)  # words of each topic
for j, top in enumerate(lowdim.text.top_words(topics, names, n=6)):
    print(j, " ".join(top))

# %%
# Which topics the packages are made of: nobody said which docstring is of which package.

ends = np.cumsum([len(texts) for texts in docs])[:-1]
made_of = np.array([part.sum(axis=0) / part.sum() for part in np.split(shares, ends)])
figure, ax = plt.subplots(figsize=(9, 4.2), layout="constrained")
image = ax.imshow(made_of, cmap="Blues", aspect="auto")
tops = [top[0] for top in lowdim.text.top_words(topics, names, n=1)]
ax.set_xticks(range(10), tops, rotation=40, ha="right")
ax.set_yticks(range(len(PACKAGES)), PACKAGES)
ax.set_title("share of each topic, named by its first word")
figure.colorbar(image, ax=ax)
plt.show()
