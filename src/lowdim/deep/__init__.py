"""Networks: trained by one loop, on torch, which is imported when a network is first fitted.

    minimize, smoothness     descent step by step, on any function                minimizing.py
    play                     two players on one function: saddle points         playing.py
    optimal_discriminator    the best that tells two known densities apart        gan
    DiffusionSchedule, reverse_diffusion    rows to noise, and back                diffusion
    gaussian_gradient        gradients of Gaussian expectations, two estimators   expectations.py
    gradients, jacobian      derivatives of dense networks                        derivatives.py

Classes are exported by `lowdim`; functions by this package, when first used.
"""

from lowdim.core.public import lazy

__getattr__, __dir__, __all__ = lazy(__name__, __file__)
