"""Sparse coding: a signal is a sum of few atoms.

    basis, union         dictionaries that are never written down            bases/
    basis_pursuit        the code of least sum of absolute values            min_l1/
    measurement, ...     few measurements of a signal, and how many          sensing/
    coherence, ...       how much a dictionary can promise                   promises/

Functions are exported by this package, when first used.
"""

from lowdim.core.public import lazy

__getattr__, __dir__, __all__ = lazy(__name__, __file__)
