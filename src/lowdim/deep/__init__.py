"""Networks: trained by one loop, on torch, which is imported when a network is first fitted.

    gaussian_gradient    gradients of Gaussian expectations, by two estimators

Classes are exported by `lowdim`; functions are exported by this package, when first used.
"""

from lowdim.core.public import lazy

__getattr__, __dir__, __all__ = lazy(__name__, __file__)
