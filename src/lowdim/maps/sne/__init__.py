"""SNE and symmetric SNE: neighbours with Gaussian weights, in the rows and in the map."""

from lowdim.maps.sne.estimator import SNE as SNE
from lowdim.maps.sne.estimator import SymmetricSNE as SymmetricSNE
