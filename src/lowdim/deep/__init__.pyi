from lowdim.deep.expectations import GaussianGradient as GaussianGradient
from lowdim.deep.expectations import gaussian_gradient as gaussian_gradient
from lowdim.deep.minimizing import Minimum as Minimum
from lowdim.deep.minimizing import Smoothness as Smoothness
from lowdim.deep.minimizing import minimize as minimize
from lowdim.deep.minimizing import smoothness as smoothness
