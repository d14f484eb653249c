"""The kinds of arguments that every kernel is compiled for: what `lowdim warmup` works through.

`signatures.json` lists them by module and kernel, the longest modules first. "float64 2" is an
array of two dimensions in C order, "int64" a number, a list a tuple of these. To compile from a
list takes neither data nor fits, and processes can share the work module by module.
"""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

from lowdim.core.kernel import kernels

LIST = Path(__file__).with_name("signatures.json")

Signatures = dict[str, dict[str, list[Any]]]


def listed() -> Signatures:
    """The list, by module and kernel."""
    found: Signatures = json.loads(LIST.read_text())
    return found


def compile_module(module: str) -> None:
    """Compile the kernels of a module for all that is listed."""
    importlib.import_module(module)
    known = kernels()
    for name, signatures in listed()[module].items():
        run = known[f"{module}.{name}"].compiled()
        for signature in signatures:
            run.compile(tuple(map(_kind_of, signature)))


def in_use() -> Signatures:
    """What has been compiled or loaded in this process, as it is listed."""
    found: Signatures = {}
    for name, kernel in kernels().items():
        module, _, own = name.rpartition(".")
        signatures = [list(map(_written, each)) for each in kernel.compiled().signatures]
        if signatures and not kernel.within:
            found.setdefault(module, {})[own] = sorted(signatures, key=str)
    return found


def write(signatures: Signatures) -> None:
    """Write the list, the modules with most to compile first."""
    known = kernels()

    def length(module: str) -> int:
        of = signatures[module]
        return sum(
            len(known[f"{module}.{name}"].python.__code__.co_code) * len(of[name]) for name in of
        )

    lines = [
        f" {json.dumps(module)}: {{\n{_lines(signatures[module])}\n }}"
        for module in sorted(signatures, key=lambda module: (-length(module), module))
    ]
    LIST.write_text("{\n" + ",\n".join(lines) + "\n}\n")


def _lines(of: dict[str, list[Any]]) -> str:
    return ",\n".join(f"  {json.dumps(name)}: {json.dumps(of[name])}" for name in sorted(of))


def _written(kind: Any) -> Any:
    from numba.core import types

    if isinstance(kind, types.BaseTuple):
        return list(map(_written, kind))
    if isinstance(kind, types.Array):
        assert kind.layout == "C" and kind.mutable, f"{kind}: arrays of kernels are in C order"
        return f"{kind.dtype} {kind.ndim}"
    return str(kind)


def _kind_of(written: Any) -> Any:
    import numpy as np
    from numba.core import types
    from numba.np.numpy_support import from_dtype

    if isinstance(written, list):
        return types.BaseTuple.from_types(tuple(map(_kind_of, written)))
    name, _, ndim = written.partition(" ")
    number = from_dtype(np.dtype(name))
    return types.Array(number, int(ndim), "C") if ndim else number
