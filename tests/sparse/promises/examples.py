import numpy as np


def simplex(d):
    """d + 1 atoms in d dimensions, all at the same angle."""
    centred = np.eye(d + 1) - 1.0 / (d + 1)
    atoms = np.linalg.svd(centred)[2][:d] @ centred
    return atoms / np.linalg.norm(atoms, axis=0)
