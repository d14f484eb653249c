"""
Which words belong to what, and which belong together?
======================================================

The documents are the docstrings of SciPy. On the left, words that set a package of it apart:
frequent there and rare in the other packages (tf-idf). On the right, how alike these words are by
the words that stand near them: those of a package keep the same company, although nobody said
which package they come from.
"""

import importlib

import matplotlib.pyplot as plt
import numpy as np

import lowdim
from lowdim.text import cooccurrence, cosine, pmi, tfidf

PACKAGES = ("fft", "interpolate", "linalg", "ndimage", "optimize", "signal", "spatial", "stats")


def docstrings(package):
    module = importlib.import_module(f"scipy.{package}")
    things = [getattr(module, name) for name in module.__all__]
    return [thing.__doc__ for thing in things if callable(thing) and thing.__doc__]


texts = {package: docstrings(package) for package in PACKAGES}
docs = [text for package in PACKAGES for text in texts[package]]

# %%
# Words of at least four letters, in at least 15 docstrings.

words = lowdim.CountVectorizer(token_pattern="[a-z]{4,}", stop_words="english", min_df=15)
words.fit(docs)
names = words.get_feature_names_out()

# %%
# A package is one document: its row has the counts of all its docstrings.

counts = words.transform([" ".join(texts[package]) for package in PACKAGES]).toarray()
weights = tfidf(counts)  # log10(1 + count) log10(N / df)
best = np.argsort(-weights, axis=1)[:, :3]  # three words for each package

# %%
# How often words stand near each other, by how much more than by chance, and how alike that makes
# them.

near = pmi(cooccurrence(docs, words, window=10), positive=True, smoothing=0.75)
chosen = best.ravel()
alike = cosine(near[chosen])
np.fill_diagonal(alike, 0.0)

figure, (left, right) = plt.subplots(
    1, 2, figsize=(11, 5.6), width_ratios=(2, 5), layout="constrained"
)
left.imshow(weights[:, chosen].T, aspect="auto", cmap="Blues")
left.set_xticks(range(len(PACKAGES)), PACKAGES, rotation=60, ha="right")
left.set_title("tf-idf")
image = right.imshow(alike, aspect="auto", cmap="Blues", vmax=0.3)
right.set_xticks(range(len(chosen)), names[chosen], rotation=60, ha="right")
right.set_title("cosine of PPMI")
for ax in (left, right):
    ax.set_yticks(range(len(chosen)), names[chosen])
figure.colorbar(image, ax=right, extend="max")
plt.show()
