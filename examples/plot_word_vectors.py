"""
Which words are used alike?
===========================

The text is the docstrings of NumPy, SciPy and scikit-learn. Words that stand beside the same words
get vectors alike: nobody said which words belong together. Each colour is a word, written in bold,
and the words nearest to it in all 50 dimensions; the picture is the plane in which these words
differ most.
"""

import importlib
import inspect
import pkgutil
import re

import matplotlib.pyplot as plt
import numpy as np

import lowdim
from lowdim.plots.style import PALETTE

PACKAGES = ("numpy", "scipy", "sklearn")
WORDS = ("matrix", "cluster", "random", "image", "axis", "estimator")


def docstrings(package):
    """The docstrings of public functions, classes and their methods, each once."""
    found = {}
    for module in public_modules(package):
        for thing in vars(module).values():
            for one in (thing, *(vars(thing).values() if inspect.isclass(thing) else ())):
                text = getattr(one, "__doc__", None)
                if callable(one) and isinstance(text, str):
                    found[text] = None
    return list(found)


def public_modules(package):
    root = importlib.import_module(package)
    names = [module.name for module in pkgutil.iter_modules(root.__path__)]
    hidden = ("_", "test", "conftest", "setup")
    return [
        root,
        *(importlib.import_module(f"{package}.{n}") for n in names if not n.startswith(hidden)),
    ]


# %%
# Words are runs of letters; those that stand fewer than 20 times are left out.

texts = [re.findall("[a-z]+", text.lower()) for name in PACKAGES for text in docstrings(name)]
model = lowdim.PMIVectors(50, min_count=20, random_state=0).fit(texts)
vectors = model.wv
print(vectors)
print(vectors.most_similar("matrix", topn=5))

# %%
# The nearest words of some, and the plane that keeps most of what these words differ in.

index, _ = vectors.nearest(list(WORDS), topn=7)
near = [
    [word, *(vectors.index_to_key[i] for i in row)] for word, row in zip(WORDS, index, strict=True)
]
shown = list(dict.fromkeys(word for some in near for word in some))
units = np.array([vectors.get_vector(word, norm=True) for word in shown])
points = lowdim.PCA(2).fit_transform(units)

figure, ax = plt.subplots(figsize=(9, 6.5), layout="constrained")
color = {word: PALETTE[g] for g, some in reversed(list(enumerate(near))) for word in some}
for word, (x, y) in zip(shown, points, strict=True):
    ax.plot(x, y, "o", color=color[word], markersize=4)
    weight = "bold" if word in WORDS else "normal"
    ax.annotate(
        word, (x, y), (4, 0), textcoords="offset points", va="center", color=color[word],
        weight=weight, parse_math=False,
    )  # fmt: skip
ax.margins(x=0.12)
ax.set_axis_off()
plt.show()
