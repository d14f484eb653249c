from lowdim.deep.expectations import GaussianGradient as GaussianGradient
from lowdim.deep.expectations import gaussian_gradient as gaussian_gradient
