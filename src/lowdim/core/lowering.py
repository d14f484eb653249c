"""From numba's statements to LLVM's, for kernels: a fourth of the lines, the same machine code.

numba writes `X[i, j]` as some fifty LLVM statements, a loop over `range` as ninety, and keeps every
variable that two blocks share in memory; LLVM takes all of this apart again. To write, print, read
and tidy it up is half of what a kernel costs to compile. Here

    - a variable that is assigned once, where every use of it comes later, is a value;
    - an element of an array in C order is one address from the array's own numbers;
    - `range(stop)` and `range(start, stop)` are two numbers: what is next, and how many are left;
    - `X.shape` and what a loop yields are taken from where they are;
    - arrays that Python gives a kernel do not overlap.

The last is a promise of every caller. Without it LLVM writes many loops twice, as vector
instructions and one by one, and takes the second where two arrays lie within some hundred bytes of
each other: then a sum of `any_order`, and its last digits, depend on where memory was free.

All else is numba's. Negative indices count from the end, as ever. Without counted references
nothing is to be deleted, so no statement says so.
"""

from __future__ import annotations

import functools
from collections import Counter
from typing import Any


@functools.cache
def lowering_of_loops() -> type:
    """The pass of a compiler that writes LLVM's statements."""
    from numba.core.compiler_machinery import register_pass
    from numba.core.typed_passes import BaseNativeLowering

    @register_pass(mutates_CFG=True, analysis_only=False)
    class LoweringOfLoops(BaseNativeLowering):
        _name = "lowering_of_loops"

        @property
        def lowering_class(self) -> type:
            return _lower()

    return LoweringOfLoops


@functools.cache
def _lower() -> type:
    return type("LowerLoops", (_arguments(), _values(), _elements(), _loops()), {})


@functools.cache
def _arguments() -> type:
    from llvmlite.ir import PointerType
    from numba.core.lowering import Lower

    class Arguments(Lower):
        """Arrays that do not overlap, but for those that a kernel names as views."""

        def setup_function(self, fndesc: Any) -> None:
            super().setup_function(fndesc)
            if self.flags.no_cpython_wrapper:  # called by kernels, with rows of their arrays
                return
            views = getattr(self.func_ir.func_id.func, "views", ())
            for one in self.function.args:
                _, _, name = one.name.partition("arg.")
                if isinstance(one.type, PointerType) and name.split(".")[0] not in ("", *views):
                    one.add_attribute("noalias")

    return Arguments


@functools.cache
def _values() -> type:
    from numba.core.lowering import Lower

    class Values(Lower):
        """Variables that are values, and no places in memory."""

        def _find_singly_assigned_variable(self) -> None:
            self._singly_assigned_vars = assigned_before_use(self.blocks)
            self._blk_local_varmap: dict[str, Any] = {}
            self._ranges: dict[str, Any] = {}  # (start, stop, step) by the name of a range

        def storevar(self, value: Any, name: str, argidx: int | None = None) -> None:
            if name in self._singly_assigned_vars:
                self._blk_local_varmap[name] = value
                return
            self._alloca_var(name, self.typeof(name))
            self.builder.store(value, self.getvar(name))

    return Values


# ---- elements of arrays --------------------------------------------------------------------------


@functools.cache
def _elements() -> type:
    from numba.core import types
    from numba.core.lowering import Lower

    class Elements(Lower):
        """Elements of arrays in C order."""

        def lower_getitem(
            self, resty: Any, expr: Any, value: Any, index: Any, signature: Any
        ) -> Any:
            kind = self.typeof(value.name)
            if not is_element(kind, self.typeof(index.name)):
                return super().lower_getitem(resty, expr, value, index, signature)
            place = _address(self, value, index)
            item = self.context.unpack_value(self.builder, kind.dtype, place, align=_align(kind))
            return self.context.cast(self.builder, item, signature.return_type, resty)

        def lower_setitem(self, target: Any, index: Any, value: Any, signature: Any) -> Any:
            kind, given = self.typeof(target.name), self.typeof(value.name)
            number = isinstance(given, types.Number | types.Boolean)
            if not (number and is_element(kind, self.typeof(index.name))):
                return super().lower_setitem(target, index, value, signature)
            loaded, between = self.loadvar(value.name), signature.args[2]
            item = self.context.cast(self.builder, loaded, given, between)
            item = self.context.cast(self.builder, item, between, kind.dtype)
            place = _address(self, target, index)
            self.context.pack_value(self.builder, kind.dtype, item, place, align=_align(kind))
            return None

    return Elements


def _address(lower: Any, array: Any, index: Any) -> Any:
    """Where an element is: (i_1 n_2 + i_2) n_3 + i_3 ... items after the first."""
    from numba.core import types

    kind, value, builder = lower.typeof(array.name), lower.loadvar(array.name), lower.builder
    model = lower.context.data_model_manager[kind]
    shape = model.get_field_position("shape")
    at, of = lower.loadvar(index.name), lower.typeof(index.name)
    single = isinstance(of, types.Integer)
    place: Any = None
    for axis in range(kind.ndim):
        one = at if single else builder.extract_value(at, axis)
        number = _from_start(lower, one, of if single else of[axis], value, (shape, axis))
        if place is not None:
            length = builder.extract_value(value, (shape, axis))
            number = builder.add(builder.mul(place, length), number)
        place = number
    data = builder.extract_value(value, model.get_field_position("data"))
    return builder.gep(data, [place])


def _from_start(lower: Any, index: Any, kind: Any, array: Any, length: tuple[int, int]) -> Any:
    """An index as a number of 64 bits; a negative one counts from the end."""
    from llvmlite.ir import Constant
    from numba.core import types

    builder = lower.builder
    if not kind.signed:
        return lower.context.cast(builder, index, kind, types.uintp)
    index = lower.context.cast(builder, index, types.unliteral(kind), types.intp)
    if isinstance(index, Constant) and index.constant >= 0:
        return index
    from_end = builder.add(index, builder.extract_value(array, length))
    negative = builder.icmp_signed("<", index, Constant(index.type, 0))
    return builder.select(negative, from_end, index)


# ---- loops, and parts of what is at hand ---------------------------------------------------------


@functools.cache
def _loops() -> type:
    from llvmlite.ir import Constant
    from numba.core import ir, types
    from numba.core.lowering import Lower

    class Loops(Lower):
        """Loops over ranges, what they yield, and shapes."""

        def lower_assign(self, kind: Any, statement: Any) -> Any:
            value, name = statement.value, statement.target.name
            if isinstance(kind, types.RangeType) and isinstance(value, ir.Expr):
                plain = value.op == "call" and not (value.kws or value.vararg)
                if plain and len(value.args) < 3 and name in self._singly_assigned_vars:
                    bounds = [self._cast_var(bound, kind.dtype) for bound in value.args]
                    zero = Constant(bounds[-1].type, 0)
                    one = Constant(bounds[-1].type, 1)
                    self._ranges[name] = (zero, *bounds, one)[-3:]
                    return _joined(self, kind, self._ranges[name])
            return super().lower_assign(kind, statement)

        def lower_expr(self, resty: Any, expr: Any) -> Any:
            if expr.op in ("pair_first", "pair_second"):
                pair = self.loadvar(expr.value.name)
                return self.builder.extract_value(pair, int(expr.op == "pair_second"))
            if expr.op in ("getiter", "iternext", "getattr"):
                kind = self.typeof(expr.value.name)
                if expr.op == "getattr" and expr.attr == "shape" and isinstance(kind, types.Array):
                    model = self.context.data_model_manager[kind]
                    value = self.loadvar(expr.value.name)
                    return self.builder.extract_value(value, model.get_field_position("shape"))
                if expr.op == "getiter" and expr.value.name in self._ranges:
                    return _begin(self, resty, *self._ranges[expr.value.name])
                if expr.op == "iternext" and isinstance(kind, types.RangeIteratorType):
                    return _next(self, resty, self.loadvar(expr.value.name))
            return super().lower_expr(resty, expr)

    return Loops


def _begin(lower: Any, kind: Any, start: Any, stop: Any, step: Any) -> Any:
    """An iterator: where the next number is kept, and how many are left (none if < 1)."""
    from numba.core.cgutils import alloca_once

    builder = lower.builder
    following, left = alloca_once(builder, stop.type), alloca_once(builder, stop.type)
    builder.store(start, following)
    builder.store(builder.sub(stop, start), left)
    return _joined(lower, kind, (following, stop, step, left))


def _next(lower: Any, kind: Any, iterator: Any) -> Any:
    """The next number, and whether there is one; past the end nobody looks at it."""
    from llvmlite.ir import Constant

    builder = lower.builder
    following, step, left = (builder.extract_value(iterator, part) for part in (0, 2, 3))
    count, number = builder.load(left), builder.load(following)
    valid = builder.icmp_signed(">", count, Constant(count.type, 0))
    builder.store(builder.sub(count, Constant(count.type, 1), flags=["nsw"]), left)
    builder.store(builder.add(number, step), following)
    return _joined(lower, kind, (number, valid))


def _joined(lower: Any, kind: Any, parts: tuple[Any, ...]) -> Any:
    from llvmlite.ir import Constant, Undefined

    joined = Constant(lower.context.get_value_type(kind), Undefined)
    for position, part in enumerate(parts):
        joined = lower.builder.insert_value(joined, part, position)
    return joined


def _align(kind: Any) -> int | None:
    return None if kind.aligned else 1


def is_element(array: Any, index: Any) -> bool:
    """Whether an index of this kind names one element of an array in C order."""
    from numba.core import types

    if not isinstance(array, types.Array) or array.layout != "C":
        return False
    if not isinstance(array.dtype, types.Number | types.Boolean):
        return False
    parts = list(index) if isinstance(index, types.BaseTuple) else [index]
    return len(parts) == array.ndim and all(isinstance(part, types.Integer) for part in parts)


def assigned_before_use(blocks: dict[int, Any]) -> set[str]:
    """Variables that are assigned once, in a block that every use comes after."""
    from numba.core import ir
    from numba.core.analysis import compute_cfg_from_blocks, compute_use_defs

    times = Counter(
        statement.target.name
        for block in blocks.values()
        for statement in block.body
        if isinstance(statement, ir.Assign)
    )
    found = compute_use_defs(blocks)
    defined_in = {name: label for label, names in found.defmap.items() for name in names}
    before = compute_cfg_from_blocks(blocks).dominators()
    others = {
        name
        for label, names in found.usemap.items()
        for name in names
        if name in defined_in
        and not (defined_in[name] < label and defined_in[name] in before.get(label, ()))
    }
    return {name for name, number in times.items() if number == 1} - others
