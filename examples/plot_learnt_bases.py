"""
A basis of one's own, or one that everybody has?
================================================

Principal components of a picture's own blocks need the fewest numbers, but they must be stored,
too: sender and receiver do not have them beforehand. Cosines are nearly as good, and cost nothing.
Atoms that are learnt pay off where they are not sent: to take out noise.
"""

import numpy as np
from sklearn.datasets import load_sample_image

import lowdim
from lowdim import plots

flower = np.asarray(load_sample_image("flower.jpg"))[100:356, 200:456].mean(axis=2).astype(np.uint8)

# %%
# Four numbers for each block of 8 x 8: PCA keeps more than the four lowest cosines, in a larger
# file.

pca = lowdim.compress(flower, "pca", rank=4)
dct = lowdim.compress(flower, "dct", keep=pca.n_kept, selection="first")
best = lowdim.compress(flower, "dct", keep=pca.n_kept)
for name, c in {"PCA": pca, "first cosines": dct, "largest cosines": best}.items():
    print(f"{name:16s} {c.psnr:5.2f} dB, {c.nbytes:6d} bytes")
ax = plots.parts(pca.atoms()[0].reshape(4, 64), (8, 8))

# %%
# Columns times rows (SVD) are a basis of the picture's own as well. Rank 20 of a picture of 256 x
# 256 has a sixth of its numbers; from rank 128 on it is more than the picture.

print(lowdim.compress(flower, "svd", rank=20))

# %%
# Noise has no structure: what few atoms cannot say is noise. The atoms are learnt from the noisy
# picture.

noisy = flower + np.random.default_rng(0).normal(0, 20, flower.shape)
noisy = np.clip(noisy, 0, 255).astype(np.uint8)
result = lowdim.denoise(noisy, method="ksvd", random_state=0)
print(result, lowdim.sparse.psnr(flower, noisy), lowdim.sparse.psnr(flower, result.image))
ax = plots.side_by_side({"with noise": noisy, "without": result.image})

# %%
# Some of the atoms.

ax = plots.parts(result.model[:64], (8, 8))
