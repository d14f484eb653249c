"""From numba's statements to LLVM's, for kernels: a fourth of the lines, the same machine code.

numba writes `X[i, j]` as some fifty LLVM statements, a loop over `range` as ninety, and keeps every
variable that two blocks share in memory; LLVM takes all of this apart again. To write, print, read
and tidy it up is half of what a kernel costs to compile. Here

    - a variable that is assigned once, where every use of it comes later, is a value;
    - an element or row of an array in C order is one address from the array's own numbers; where
      an index is known not to be negative, nothing is added to it;
    - a loop over `range` is one number: what is next;
    - `X.shape`, `len(X)`, tuples of indices and what a loop yields are taken from where they are;
    - `a + b` and `a < b` of two numbers of one kind are one statement;
    - arrays that Python gives a kernel do not overlap.

The last is a promise of every caller. Without it LLVM writes many loops twice, as vector
instructions and one by one, and takes the second where two arrays lie within some hundred bytes of
each other: then a sum of `any_order`, and its last digits, depend on where memory was free.

All else is numba's. Negative indices count from the end, as ever. Without counted references
nothing is to be deleted, so no statement says so.
"""

from __future__ import annotations

import collections
import functools
import operator
from typing import Any, NamedTuple


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
    return type("LowerLoops", (_arguments(), _values(), _numbers(), _elements(), _loops()), {})


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
            # of ranges, tuples of indices and what loops yield: joined only where one is asked for
            self._parts: dict[str, tuple[Any, ...]] = {}
            self._counters: dict[str, Counter] = {}
            self._not_negative: set[Any] = set()  # numbers that do not count from the end

        def loadvar(self, name: str) -> Any:
            if name in self._parts:
                return _joined(self, self.typeof(name), self._parts[name])
            if name in self._counters:
                raise NotImplementedError(f"{name} counts, and is no value")
            return super().loadvar(name)

        def storevar(self, value: Any, name: str, argidx: int | None = None) -> None:
            if name in self._singly_assigned_vars:
                self._blk_local_varmap[name] = value
                return
            self._alloca_var(name, self.typeof(name))
            self.builder.store(value, self.getvar(name))

    return Values


@functools.cache
def _numbers() -> type:
    from numba.core import types
    from numba.core.lowering import Lower

    class Numbers(Lower):
        """`a + b` and `a < b` of two numbers of one kind: numba looks for each what it may be."""

        def lower_binop(self, resty: Any, expr: Any, op: Any) -> Any:
            signature = self.fndesc.calltypes[expr]
            left, right = signature.args
            name = COMPARED.get(op) or ADDED.get(op)
            whole = isinstance(left, types.Integer)
            plain = left == right and name and (whole or isinstance(left, types.Float))
            if op in ADDED and (signature.return_type != left or (whole and name == "div")):
                plain = False
            if not plain:
                return super().lower_binop(resty, expr, op)
            a, b = self._cast_var(expr.lhs, left), self._cast_var(expr.rhs, left)
            result = _computed(self.builder, left, op, a, b)
            return self.context.cast(self.builder, result, signature.return_type, resty)

    return Numbers


ADDED = {operator.add: "add", operator.sub: "sub", operator.mul: "mul", operator.truediv: "div"}
COMPARED = {
    operator.lt: "<",
    operator.le: "<=",
    operator.gt: ">",
    operator.ge: ">=",
    operator.eq: "==",
    operator.ne: "!=",
}


def _computed(builder: Any, kind: Any, op: Any, a: Any, b: Any) -> Any:
    from numba.core import types

    whole = isinstance(kind, types.Integer)
    if op in COMPARED:
        if whole:
            compare = builder.icmp_signed if kind.signed else builder.icmp_unsigned
        else:  # a number that is none differs from all
            compare = builder.fcmp_unordered if op is operator.ne else builder.fcmp_ordered
        return compare(COMPARED[op], a, b)
    if whole:
        return getattr(builder, ADDED[op])(a, b, flags=["nsw"] if kind.signed else [])
    return getattr(builder, "f" + ADDED[op])(a, b)


# ---- elements of arrays --------------------------------------------------------------------------


@functools.cache
def _elements() -> type:
    from numba.core import types
    from numba.core.lowering import Lower

    class Elements(Lower):
        """Elements and rows of arrays in C order."""

        def lower_getitem(
            self, resty: Any, expr: Any, value: Any, index: Any, signature: Any
        ) -> Any:
            kind, of = self.typeof(value.name), self.typeof(index.name)
            if is_row(kind, of):
                return _row(self, kind, resty, value, index)
            if not is_element(kind, of):
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


def _row(lower: Any, kind: Any, row_kind: Any, array: Any, index: Any) -> Any:
    """X[i], or X[i, j] of three dimensions: an array that holds nothing of its own."""
    from llvmlite.ir import Constant

    builder, value = lower.builder, lower.loadvar(array.name)
    model, of = (lower.context.data_model_manager[one] for one in (row_kind, kind))
    shape, strides = (of.get_field_position(name) for name in ("shape", "strides"))
    row = Constant(lower.context.get_value_type(row_kind), None)
    number: Any = None
    for axis in range(row_kind.ndim):
        from_axis = kind.ndim - row_kind.ndim + axis
        length = builder.extract_value(value, (shape, from_axis))
        step = builder.extract_value(value, (strides, from_axis))
        number = length if number is None else builder.mul(number, length, flags=["nsw"])
        row = builder.insert_value(row, length, (model.get_field_position("shape"), axis))
        row = builder.insert_value(row, step, (model.get_field_position("strides"), axis))
    size = builder.extract_value(value, of.get_field_position("itemsize"))
    data = _address(lower, array, index)
    for name, part in (("nitems", number), ("itemsize", size), ("data", data)):
        row = builder.insert_value(row, part, model.get_field_position(name))
    return row


def _address(lower: Any, array: Any, index: Any) -> Any:
    """Where an element is: (i_1 n_2 + i_2) n_3 + i_3 ... items after the first."""
    from numba.core import types

    kind, value, builder = lower.typeof(array.name), lower.loadvar(array.name), lower.builder
    model = lower.context.data_model_manager[kind]
    shape = model.get_field_position("shape")
    of = lower.typeof(index.name)
    if isinstance(of, types.Integer):
        of, parts = [of], (lower.loadvar(index.name),)
    elif index.name in lower._parts:
        parts = lower._parts[index.name]
    else:
        whole = lower.loadvar(index.name)
        parts = tuple(builder.extract_value(whole, axis) for axis in range(len(of)))
    place: Any = None
    for axis in range(kind.ndim):
        if place is not None:
            length = builder.extract_value(value, (shape, axis))
            place = builder.mul(place, length, flags=["nsw"])
        if axis < len(parts):
            number = _from_start(lower, parts[axis], of[axis], value, (shape, axis))
            place = number if place is None else builder.add(place, number, flags=["nsw"])
    data = builder.extract_value(value, model.get_field_position("data"))
    return builder.gep(data, [place], inbounds=True)


def _from_start(lower: Any, index: Any, kind: Any, array: Any, length: tuple[int, int]) -> Any:
    """An index as a number of 64 bits; a negative one counts from the end."""
    from llvmlite.ir import Constant
    from numba.core import types

    builder = lower.builder
    if not kind.signed:
        return lower.context.cast(builder, index, kind, types.uintp)
    index = lower.context.cast(builder, index, types.unliteral(kind), types.intp)
    if _is_not_negative(lower, index):
        return index
    from_end = builder.add(index, builder.extract_value(array, length))
    negative = builder.icmp_signed("<", index, Constant(index.type, 0))
    return builder.select(negative, from_end, index)


def _is_not_negative(lower: Any, number: Any) -> bool:
    from llvmlite.ir import Constant

    if isinstance(number, Constant):
        return isinstance(number.constant, int) and number.constant >= 0
    return number in lower._not_negative


# ---- loops, and parts of what is at hand ---------------------------------------------------------


class Counter(NamedTuple):
    """A loop: where its next number is kept, and where it ends."""

    following: Any
    stop: Any
    step: int
    signed: bool
    not_negative: bool


@functools.cache
def _loops() -> type:
    from numba.core import ir, types
    from numba.core.lowering import Lower

    class Loops(Lower):
        """Loops over ranges, what they yield, tuples of indices, and shapes."""

        def lower_assign(self, kind: Any, statement: Any) -> Any:
            value, name = statement.value, statement.target.name
            if name in self._singly_assigned_vars:
                parts: Any = None
                if isinstance(value, ir.Var):
                    if value.name in self._counters:
                        self._counters[name] = self._counters[value.name]
                        return None
                    if kind == self.typeof(value.name):
                        parts = self._parts.get(value.name)
                elif isinstance(value, ir.Expr):
                    if value.op == "getiter" and value.value.name in self._parts:
                        self._counters[name] = _begin(self, value.value.name)
                        return None
                    parts = _parts(self, kind, value)
                if parts is not None:
                    self._parts[name] = parts
                    return None
            return super().lower_assign(kind, statement)

        def lower_expr(self, resty: Any, expr: Any) -> Any:
            if expr.op in ("pair_first", "pair_second"):
                second = int(expr.op == "pair_second")
                if expr.value.name in self._parts:
                    return self._parts[expr.value.name][second]
                return self.builder.extract_value(self.loadvar(expr.value.name), second)
            if expr.op == "static_getitem" and expr.index_var is not None:
                if is_row(self.typeof(expr.value.name), self.typeof(expr.index_var.name)):
                    of = self.fndesc.calltypes[expr]
                    return self.lower_getitem(resty, expr, expr.value, expr.index_var, of)
            if expr.op == "getattr" and expr.attr == "shape":
                if isinstance(self.typeof(expr.value.name), types.Array):
                    return _shape(self, expr.value.name)
            if expr.op == "call" and len(expr.args) == 1:
                called = getattr(self.typeof(expr.func.name), "typing_key", None)
                if called is len and isinstance(self.typeof(expr.args[0].name), types.Array):
                    return self.builder.extract_value(_shape(self, expr.args[0].name), 0)
            result = super().lower_expr(resty, expr)
            if expr.op == "binop" and expr.fn in (operator.add, operator.mul):
                operands = (self._blk_local_varmap.get(one.name) for one in (expr.lhs, expr.rhs))
                if all(_is_not_negative(self, one) for one in operands):
                    self._not_negative.add(result)
            return result

    return Loops


def _shape(lower: Any, name: str) -> Any:
    model = lower.context.data_model_manager[lower.typeof(name)]
    return lower.builder.extract_value(lower.loadvar(name), model.get_field_position("shape"))


def _parts(lower: Any, kind: Any, expr: Any) -> tuple[Any, ...] | None:
    """The parts of a range, of a tuple of indices, or of what a loop yields; None of all else."""
    from llvmlite.ir import Constant
    from numba.core import types

    if expr.op == "call" and isinstance(kind, types.RangeType):
        if expr.kws or expr.vararg:
            return None
        step = 1
        if len(expr.args) == 3:
            step = getattr(lower.typeof(expr.args[2].name), "literal_value", 0)
            if step == 0 or not kind.dtype.signed:  # known when it runs only, or it is an error
                return None
        bounds = [lower._cast_var(bound, kind.dtype) for bound in expr.args[:2]]
        zero, by = (Constant(bounds[-1].type, number) for number in (0, step))
        return (zero, *bounds, by)[-3:]
    if expr.op == "iternext" and expr.value.name in lower._counters:
        return _next(lower, lower._counters[expr.value.name])
    if expr.op == "build_tuple" and all(isinstance(one, types.Integer) for one in kind):
        return tuple(lower._cast_var(item, of) for item, of in zip(expr.items, kind, strict=True))
    return None


def _begin(lower: Any, name: str) -> Counter:
    """A loop over the range of this name."""
    from numba.core.cgutils import alloca_once

    start, stop, step = lower._parts[name]
    following = alloca_once(lower.builder, stop.type)
    lower.builder.store(start, following)
    signed, by = lower.typeof(name).dtype.signed, step.constant
    if by > 0:
        not_negative = _is_not_negative(lower, start)
    else:
        last = getattr(stop, "constant", None)
        not_negative = isinstance(last, int) and last >= -1
    return Counter(following, stop, by, signed, not_negative)


def _next(lower: Any, loop: Counter) -> tuple[Any, Any]:
    """The next number, and whether there is one; past the end nobody looks at it."""
    from llvmlite.ir import Constant

    builder = lower.builder
    number = builder.load(loop.following)
    compared = builder.icmp_signed if loop.signed else builder.icmp_unsigned
    valid = compared("<" if loop.step > 0 else ">", number, loop.stop)
    step = Constant(number.type, loop.step)
    flags = ["nsw"] if loop.signed else ["nuw"]
    builder.store(builder.add(number, step, flags=flags), loop.following)
    if loop.not_negative:
        lower._not_negative.add(number)
    return number, valid


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
    return 0 < _number_of_indices(array, index) == array.ndim


def is_row(array: Any, index: Any) -> bool:
    """Whether it names a row of such an array, or a plane of more dimensions."""
    return 0 < _number_of_indices(array, index) < array.ndim


def _number_of_indices(array: Any, index: Any) -> int:
    """How many whole numbers an index of an array in C order has; 0 if it is none of them."""
    from numba.core import types

    if not isinstance(array, types.Array) or array.layout != "C":
        return 0
    if not isinstance(array.dtype, types.Number | types.Boolean):
        return 0
    parts = list(index) if isinstance(index, types.BaseTuple) else [index]
    return len(parts) if all(isinstance(part, types.Integer) for part in parts) else 0


def assigned_before_use(blocks: dict[int, Any]) -> set[str]:
    """Variables that are assigned once, in a block that every use comes after."""
    from numba.core import ir
    from numba.core.analysis import compute_cfg_from_blocks, compute_use_defs

    times = collections.Counter(
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
