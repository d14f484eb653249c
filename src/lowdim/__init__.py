"""lowdim finds the small structure inside big data.

What it exports stands in `__init__.pyi`, one line for each name. Names are imported when they are
first used, so `import lowdim` costs next to nothing.
"""

from lowdim._version import __version__ as __version__
from lowdim.core.public import lazy

__getattr__, __dir__, __all__ = lazy(__name__, __file__)
__all__ += ["__version__"]
