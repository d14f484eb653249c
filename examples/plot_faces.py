"""
A network that draws faces
==========================

A variational autoencoder learns from pictures of one face what that face can look like: it codes a
picture by a few numbers, draws new ones, and fills what is missing. The pictures are the frames of
Frey's film (28 x 20 pixels), if the folder that LOWDIM_DATA names has frey_faces.npz, and else
scikit-learn's digits (8 x 8).
"""

import os
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

import lowdim
from lowdim import plots

FRAMES = Path(os.environ.get("LOWDIM_DATA", "")) / "frey_faces.npz"


def pictures():
    """Rows of numbers from 0 to 1, and the shape of a picture."""
    if FRAMES.exists():
        images = np.load(FRAMES)["images"]
        return images.reshape(len(images), -1) / 255.0, images.shape[1:]
    return load_digits().data / 16.0, (8, 8)


X, shape = pictures()
random = np.random.default_rng(0)
held_out = np.arange(len(X)) % 10 == 0
rows, new = X[~held_out], random.permutation(X[held_out])

# %%
# Learning: the objective of rows learned from, and of rows held out, pass by pass. The weights that
# are best on the latter are kept. Below, pictures that were not learned from, coded by 16 numbers
# and decoded.

model = lowdim.VAE(
    16,
    image_shape=shape,
    noise="shared",
    hidden=(256,),
    max_iter=80,
    early_stopping=True,
    random_state=0,
).fit(rows)
model.plot()
model.plot("reconstructions", new, n=12)
print(f"{shape[0] * shape[1]} pixels as 16 numbers, mean log-density {model.score(new):.0f} nats")

# %%
# Generation: pictures, and new ones, decoded from codes that are drawn at random: from N(0, I),
# which the network was taught to use, and from a mixture that was fitted to the codes of pictures,
# which do not fill N(0, I) evenly. The latter are more like pictures.

codes = lowdim.GaussianMixture(20, random_state=0).fit(model.transform(rows))
walls = {
    "pictures": rows[random.choice(len(rows), 36, replace=False)],
    "codes from N(0, I)": model.inverse_transform(random.normal(size=(36, 16))),
    "codes from a mixture": model.inverse_transform(codes.sample(36)[0]),
}
figure, axes = plt.subplots(1, 3, figsize=(12, 5.8), layout="constrained")
for ax, (title, wall) in zip(axes, walls.items(), strict=True):
    plots.wall(np.clip(wall, 0, 1), shape, ax=ax)
    ax.set_title(title)

# %%
# Representation: with codes of two numbers, every place of a plane is a picture, and neighbours
# look alike. Right the codes of the pictures, coloured by their order.

plane = lowdim.VAE(
    2, image_shape=shape, noise="shared", hidden=(256,), max_iter=60, random_state=0
).fit(rows)
figure, (left, right) = plt.subplots(1, 2, figsize=(12, 6.4), layout="constrained")
plane.plot("plane", rows, n=13, ax=left)
Z = plane.transform(X)
time = right.scatter(*Z.T, c=np.arange(len(X)), s=6, cmap="viridis")
right.set(title="codes of the pictures, by their order", xlabel="code 1", ylabel="code 2")
right.set_aspect("equal")
figure.colorbar(time, ax=right, shrink=0.6)
plane.plot("traversals", rows)

# %%
# Imputation: the lower half of a picture is taken away, and filled by what the upper half says.

hidden = new[:12].copy()
hidden[:, hidden.shape[1] // 2 :] = np.nan
model.plot("filled", hidden, truth=new[:12])
plt.show()
