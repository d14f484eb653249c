"""Networks: trained by one loop, on torch, which is imported when a network is first fitted.

    gradients, jacobian      derivatives of dense networks                 derivatives.py

Classes are exported by `lowdim`; functions by this package, when first used.
"""

from lowdim.core.public import lazy

__getattr__, __dir__, __all__ = lazy(__name__, __file__)
