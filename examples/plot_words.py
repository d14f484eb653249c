"""
Which words belong to what, and which belong together?
======================================================

The documents are the docstrings of SciPy. On the left, words that set a package of it apart:
frequent there and rare in the other packages (tf-idf). On the right the same words, by the words
that stand near them: two words are close if they keep the same company, although nobody said which
package they come from.
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
# them. The map has the first two principal components of these cosines.

near = pmi(cooccurrence(docs, words, window=10), positive=True, smoothing=0.75)
chosen = best.ravel()
alike = cosine(near[chosen])
codes = lowdim.PCA(2).fit_transform(alike)

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 5.2), layout="constrained")
left.imshow(weights[:, chosen].T, aspect="auto", cmap="Blues")
left.set_xticks(range(len(PACKAGES)), PACKAGES, rotation=45, ha="right")
left.set_yticks(range(len(chosen)), names[chosen])
left.set_title("tf-idf")
for package, name in enumerate(PACKAGES):
    x, y = codes[3 * package : 3 * package + 3].T
    right.scatter(x, y, s=18, label=name)
    for at, word in enumerate(best[package]):
        place = (x[at], y[at])
        right.annotate(names[word], place, (3, 3), textcoords="offset points", fontsize=8)
right.set(title="words by their company", xticks=[], yticks=[])
right.legend(fontsize=8)
plt.show()
