"""Public names: listed once, in the stub of their package, and imported when they are first used.

A stub is what type checkers and editors read instead of a package:

    # lowdim/__init__.pyi
    from lowdim.linear.pca import PCA as PCA

The same lines say at run time where a name lives, so `import lowdim` costs next to nothing.
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Callable
from importlib import import_module
from typing import Any

_IMPORT = re.compile(r"^from ([\w.]+) import (?:\(([^)]*)\)|(.+))$", re.MULTILINE)
_ROOT = os.path.join(os.path.dirname(os.path.dirname(__file__)), "__init__.py")


@functools.cache
def homes(package_file: str = _ROOT) -> dict[str, str]:
    """Public name -> the module that defines it, or the package whose subpackage it is.

    `package_file` is the `__file__` of a package; without it, of lowdim itself.
    """
    with open(f"{package_file}i", encoding="utf-8") as stub:
        lines = _IMPORT.findall(stub.read())
    return {
        name.split(" as ")[-1].strip(): module
        for module, several, one in lines
        for name in (several or one).split(",")
        if name.strip() and not name.strip().startswith("_")
    }


def lazy(package: str, package_file: str) -> tuple[Callable, Callable, list[str]]:
    """`__getattr__`, `__dir__` and `__all__` of a package whose stub lists what it exports."""
    known = homes(package_file)
    public = sorted(known)

    def get(name: str) -> Any:
        if name not in known:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = public_object(known[name], name)
        vars(import_module(package))[name] = value  # from now on found without coming here
        return value

    return get, lambda: public, public


def public_object(home: str, name: str) -> Any:
    """What the module `home` defines under this name; imports no more than that module."""
    module = import_module(home)
    # a package that is still being asked for this name would ask again
    return vars(module)[name] if name in vars(module) else import_module(f"{home}.{name}")


def public_model(name: str) -> type | None:
    """The model that lowdim exports under this name, or None; imports only its module."""
    from sklearn.base import BaseEstimator

    if name not in homes():
        return None
    value = public_object(homes()[name], name)
    return value if isinstance(value, type) and issubclass(value, BaseEstimator) else None
