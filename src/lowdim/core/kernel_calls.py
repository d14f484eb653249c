"""How Python calls a kernel: numbers and arrays are taken out of what it hands over.

numba writes more for this than for a kernel itself: each array is looked at, loaded as a whole,
taken apart, and given back on its own way out. Here NumPy's arrays are written to memory one after
the other, the kernel is given what stands there, and one look says whether all went well. Which
types the arguments have is known by then: by them the kernel was chosen.

Kernels raise nothing, so nothing is written for it.
"""

from __future__ import annotations

import functools
from typing import Any


@functools.cache
def calls_from_python() -> type:
    from numba.core.lowering import Lower

    class FromPython(Lower):
        def create_cpython_wrapper(self, release_gil: bool = False) -> None:
            from llvmlite.ir import Function

            module = self.context.create_module("wrapper")
            fndesc = self.fndesc
            kind = self.context.call_conv.get_function_type(fndesc.restype, fndesc.argtypes)
            function = Function(module, kind, fndesc.llvm_func_name)
            door = _door()(
                self.context, module, function, fndesc, self.env, self.call_helper, release_gil
            )
            door.build()
            self.library.add_ir_module(module)

        def lower_inst(self, inst: Any) -> None:
            from numba.core import ir

            if isinstance(inst, ir.Raise | ir.StaticRaise | ir.DynamicRaise):
                raise NotImplementedError(f"{self.func_ir.func_id.func_name}: kernels do not raise")
            super().lower_inst(inst)

    return FromPython


@functools.cache
def _door() -> type:
    from numba.core.callwrapper import PyCallWrapper

    class Door(PyCallWrapper):
        def build_wrapper(self, api: Any, builder: Any, closure: Any, args: Any, kws: Any) -> None:
            given = [api.alloca_obj() for _ in self.fndesc.argtypes]
            number = len(given)
            unpacked = api.unpack_tuple(args, self.fndesc.qualname, number, number, *given)
            _leave_if(builder, api, builder.icmp_unsigned("==", unpacked, unpacked.type(0)))
            arguments = _taken(self.context, builder, api, given, self.fndesc.argtypes)
            thread = api.save_thread() if self.release_gil else None
            kind = self.fndesc.restype
            fine, place = _called(self.context, builder, self.func, kind, arguments)
            if thread is not None:
                api.restore_thread(thread)
            with builder.if_then(builder.not_(fine), likely=False):
                api.err_set_string("PyExc_RuntimeError", f"{self.fndesc.qualname} ended early")
                builder.ret(api.get_null_object())
            result = self.context.get_returned_value(builder, kind, builder.load(place))
            builder.ret(api.from_native_return(kind, result, self.get_env(api, builder)))

        def get_env(self, api: Any, builder: Any) -> Any:
            name = self.context.get_env_name(self.fndesc)
            place = builder.load(self.context.declare_env_global(builder.module, name))
            body = self.context.get_env_body(builder, place)
            return api.get_env_manager(self.env, body, place)

    return Door


def _taken(context: Any, builder: Any, api: Any, given: list[Any], kinds: Any) -> list[Any]:
    """The numbers that a kernel is called with; seven and more of each array."""
    from numba.core import types

    arguments: list[Any] = []
    wrong: Any = None
    for place, kind in zip(given, kinds, strict=True):
        one = builder.load(place)
        if isinstance(kind, types.Array):
            parts, failed = _array(context, builder, api, one, kind)
            wrong = failed if wrong is None else builder.or_(wrong, failed)
        else:
            native = api.to_native_value(kind, one)
            _leave_if(builder, api, native.is_error)
            parts = context.get_arg_packer([kind]).as_arguments(builder, [native.value])
        arguments.extend(parts)
    if wrong is not None:
        with builder.if_then(wrong, likely=False):
            api.err_set_string("PyExc_TypeError", "an argument is not the array it seemed to be")
            builder.ret(api.get_null_object())
    return arguments


def _array(context: Any, builder: Any, api: Any, one: Any, kind: Any) -> tuple[list[Any], Any]:
    """The fields of an array in order, and whether it could not be read."""
    from llvmlite.ir import ArrayType
    from numba.core.cgutils import alloca_once, is_not_null
    from numba.np.numpy_support import as_dtype

    model = context.data_model_manager[kind]
    place = alloca_once(builder, model.get_value_type())
    code = api.numba_array_adaptor(one, builder.bitcast(place, api.voidptr))
    parts: list[Any] = []
    for field in range(model.field_count):
        at = builder.gep(place, [_i32(0), _i32(field)], inbounds=True)
        if isinstance(at.type.pointee, ArrayType):
            axes = range(at.type.pointee.count)
            parts += [builder.load(builder.gep(at, [_i32(0), _i32(axis)])) for axis in axes]
        else:
            parts.append(builder.load(at))
    size = parts[model.get_field_position("itemsize")]
    other = builder.icmp_unsigned("!=", size, size.type(as_dtype(kind.dtype).itemsize))
    return parts, builder.or_(is_not_null(builder, code), other)


def _called(context: Any, builder: Any, function: Any, kind: Any, arguments: Any) -> Any:
    """Call the kernel; whether it came to its end, and where its result is."""
    from llvmlite.ir import PointerType
    from numba.core.callconv import RETCODE_NONE, RETCODE_OK, excinfo_t
    from numba.core.cgutils import alloca_once

    place = alloca_once(builder, context.call_conv.get_return_type(kind).pointee)
    unused = alloca_once(builder, PointerType(excinfo_t))
    code = builder.call(function, [place, unused, *arguments])
    fine = [builder.icmp_signed("==", code, one) for one in (RETCODE_OK, RETCODE_NONE)]
    return builder.or_(*fine), place


def _leave_if(builder: Any, api: Any, wrong: Any) -> None:
    with builder.if_then(wrong, likely=False):
        builder.ret(api.get_null_object())


def _i32(number: int) -> Any:
    from llvmlite.ir import Constant, IntType

    return Constant(IntType(32), number)
