"""
Who speaks alike?
=================

Words get vectors from the company they keep, and a speaker the mean of the words that he uses. The
speakers are those of Shakespeare's plays, if the folder that LOWDIM_DATA names has
tinyshakespeare.txt.gz, and else the packages of SciPy, whose words are their docstrings.
"""

import gzip
import importlib
import os
import re
from collections import defaultdict
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import lowdim
from lowdim.plots.style import INK, MAIN, PALETTE

PLAYS = Path(os.environ.get("LOWDIM_DATA", "")) / "tinyshakespeare.txt.gz"
PACKAGES = ("fft", "interpolate", "linalg", "ndimage", "optimize", "signal", "spatial", "stats")
FEWEST_WORDS = 1500  # of a speaker that is shown


def speeches():
    """(speaker, words) of each speech: paragraphs that begin with a name and a colon."""
    with gzip.open(PLAYS, "rt") as file:
        paragraphs = file.read().split("\n\n")
    for paragraph in paragraphs:
        name, _, text = paragraph.strip().partition(":\n")
        yield name, re.findall("[a-z]+(?:'[a-z]+)?", text.lower())


def docstrings():
    """(package, words) of each docstring of SciPy's packages."""
    for package in PACKAGES:
        module = importlib.import_module(f"scipy.{package}")
        for thing in (getattr(module, name) for name in module.__all__):
            if callable(thing) and thing.__doc__:
                yield package, re.findall("[a-z]+", thing.__doc__.lower())


said = list(speeches() if PLAYS.exists() else docstrings())

# %%
# Small texts: vectors from counts of pairs, which need less text than those of `Word2Vec`.

model = lowdim.PMIVectors(30, window=6, min_count=5, random_state=0).fit([w for _, w in said])
vectors = model.wv
for word in ("king", "love", "blood") if PLAYS.exists() else ("matrix", "frequency", "random"):
    print(word, "-", ", ".join(near for near, _ in vectors.most_similar(word, topn=6)))

# %%
# A speaker is the mean of his words. Those that all speakers use say nothing of one, so words count
# as much as is written in the weights of `pooling='sif'`: a / (a + share of the word).

words_of = defaultdict(list)
for speaker, words in said:
    words_of[speaker] += [word for word in words if word in vectors]
speakers = sorted(s for s, words in words_of.items() if s and len(words) >= FEWEST_WORDS)
share = dict(zip(model.words_, model.counts_ / model.counts_.sum(), strict=True))
means = np.array(
    [
        np.average(
            [vectors[word] for word in words_of[speaker]],
            axis=0,
            weights=[1e-3 / (1e-3 + share[word]) for word in words_of[speaker]],
        )
        for speaker in speakers
    ]
)
Z = lowdim.PCA(2).fit_transform(means)
clusters = lowdim.KMeans(3, random_state=0).fit_predict(means)

figure, ax = plt.subplots(figsize=(8.5, 6), layout="constrained")
size = np.sqrt([len(words_of[speaker]) for speaker in speakers])
ax.scatter(*Z.T, s=size, c=[(MAIN, *PALETTE[1:])[c] for c in clusters], alpha=0.8, lw=0)
for speaker, (x, y) in zip(speakers, Z, strict=True):
    ax.annotate(
        speaker.title(), (x, y), (6, 0), textcoords="offset points", va="center", color=INK,
        fontsize=9, parse_math=False,
    )  # fmt: skip
ax.margins(x=0.15)
ax.set_axis_off()
plt.show()
