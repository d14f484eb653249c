"""
A text, letter by letter
========================

A causal transformer gives every letter a probability given those before it: it says how well it
expects a text, writes on, and shows where it looks.
"""

import inspect

import scipy

import lowdim

# %%
# The text: the docstrings of SciPy's packages. The last tenth is held out.

modules = ("stats", "linalg", "optimize", "signal", "interpolate", "sparse", "fft", "integrate")
text = "\n".join(
    inspect.getdoc(getattr(module, name))
    for module in (getattr(scipy, name) for name in modules)
    for name in sorted(module.__all__)
    if inspect.getdoc(getattr(module, name))
)[:400_000]
cut = len(text) * 9 // 10

model = lowdim.CausalTransformer(
    "byte", context=64, n_layers=3, width=96, batch_size=12, max_steps=2000, random_state=0
).fit(text[:cut])
print(f"{len(text):,} letters; among {model.perplexity(text[cut:]):.1f} each seems to be chosen")

# %%
# What it writes after a beginning.

print(model.generate("Parameters\n----------\nx : ", 300, temperature=0.5, random_state=0))

# %%
# Where the last layer looks while it reads a line: dark places are looked at most.

model.plot("attention", "x : array_like, optional", head=0)
