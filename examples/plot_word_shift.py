"""
Whose meaning moved?
====================

The same word in two corpora: vectors are learned from each, one set is turned onto the other by the
words that both have, and the words that then lie farthest from themselves are those that are used
for something else. The corpora are the Brown corpus of 1961 and articles of Wikipedia, if the
folder that LOWDIM_DATA names has them, and else the docstrings of SciPy and of scikit-learn.
"""

import importlib
import inspect
import os
import pkgutil
import re
from pathlib import Path

import matplotlib.pyplot as plt

import lowdim
from lowdim.datasets import load_brown, load_wikipedia
from lowdim.plots.style import MAIN, MARK

FOLDER = Path(os.environ.get("LOWDIM_DATA", ""))
SHOWN = 12  # words


def docstrings(package):
    """The docstrings of public functions and classes, and of the methods of classes."""
    root = importlib.import_module(package)
    names = [m.name for m in pkgutil.iter_modules(root.__path__) if not m.name.startswith("_")]
    names = [name for name in names if name not in ("conftest", "tests")]
    found = {}
    for module in (importlib.import_module(f"{package}.{name}") for name in names):
        for thing in vars(module).values():
            for one in (thing, *(vars(thing).values() if inspect.isclass(thing) else ())):
                text = getattr(one, "__doc__", None)
                if callable(one) and isinstance(text, str):
                    found[text] = None
    return [re.findall("[a-z]+", text.lower()) for text in found]


if (FOLDER / "brown_corpus.tsv.gz").exists():
    names = ["Brown, 1961", "Wikipedia, 2014"]
    texts = [
        load_brown(FOLDER / "brown_corpus.tsv.gz").text,
        load_wikipedia(FOLDER / "wikipedia_sample.txt.gz").text[::4],
    ]
else:
    names = ["SciPy", "scikit-learn"]
    texts = [docstrings("scipy"), docstrings("sklearn")]

# %%
# Vectors of each. Both spaces are turned as chance has it: cosines between them say nothing.

models = [lowdim.PMIVectors(50, min_count=30, random_state=0).fit(text) for text in texts]
one, other = (model.wv for model in models)

# %%
# A rotation leaves all cosines within a corpus as they are. Rare words would move by chance: those
# that are common in both are looked at.

alignment = lowdim.text.align(one, other)
common = {*one.index_to_key[:1500]} & {*other.index_to_key[:1500]}
shift = alignment.shift(sorted(word for word in common if len(word) > 2))
print(alignment)
for word, moved in shift[:SHOWN]:
    near = [", ".join(w for w, _ in vectors.most_similar(word, topn=3)) for vectors in (one, other)]
    print(f"{word:<12} {moved:.2f}   {names[0]}: {near[0]}   {names[1]}: {near[1]}")

# %%
# The words that moved most, and those that moved least.

chosen = [*shift[:SHOWN], *shift[-SHOWN:]]
figure, ax = plt.subplots(figsize=(8, 6.5), layout="constrained")
colors = [MARK] * SHOWN + [MAIN] * SHOWN
ax.barh(range(len(chosen)), [moved for _, moved in chosen], color=colors)
ax.set_yticks(range(len(chosen)), [word for word, _ in chosen])
ax.invert_yaxis()
ax.set_xlabel(f"1 - cosine of the word in {names[0]} and in {names[1]}")
plt.show()
