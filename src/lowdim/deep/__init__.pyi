from lowdim.deep.minimizing import Minimum as Minimum
from lowdim.deep.minimizing import Smoothness as Smoothness
from lowdim.deep.minimizing import minimize as minimize
from lowdim.deep.minimizing import smoothness as smoothness
