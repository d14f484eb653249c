"""numba's compiler, for kernels: what plain loops over arrays do not need is left out.

A kernel takes a fifth of a second to compile, half of it Python and half LLVM. Results and speed
are as before; left out are

    - passes that look for what no kernel has (closures, literal loops, inlined overloads), and what
      numba finds out again after every pass and for every signature (`core/passes.py`);
    - comparisons of compiler flags. numba asks its table of overloads for every `a + b` that it
      types, by a key that holds the flags: their hash is the same for all, so that entries are
      compared one by one, each time by some twenty attributes;
    - finding out again and again what `a + b` of two numbers is. numba goes through all that a `+`
      may be, and writes down of each why it is not that one;
    - machine code of kernels that only kernels call, and their optimisation for themselves: they
      are part of those that call them, and optimised there;
    - optimisation of what takes a call from Python apart: it runs once for a block of rows;
    - statements that LLVM would take apart again (`core/lowering.py`).
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import BuiltinFunctionType
from typing import Any, ClassVar

from lowdim.core.passes import passes_of_loops

# passes of numba's compiler that leave plain loops as they are
NOT_FOR_LOOPS = {
    "WithLifting",
    "InlineClosureLikes",
    "RewriteSemanticConstants",
    "DeadBranchPrune",
    "RewriteDynamicRaises",
    "MakeFunctionToJitFunction",
    "InlineInlinables",
    "FindLiterallyCalls",
    "LiteralUnroll",
    "LiteralPropagationSubPipelinePass",
    "InlineOverloads",
    "NopythonRewrites",
    "DumpParforDiagnostics",
}
# releases of numba whose inner parts are as the classes here expect; others compile as they do
TESTED = {(0, 68)}
FROM_PYTHON = "_ZN7cpython"  # how the names of functions begin that Python calls
ENVIRONMENT = "_ZN08NumbaEnv"  # and those of pointers that numba sets when it has compiled


@functools.cache
def compiler_of_loops() -> type:
    """The compiler, for kernels that make no arrays."""
    from numba import version_info
    from numba.core.compiler import CompilerBase, DefaultPassBuilder

    tested = version_info.short in TESTED

    class CompilerOfLoops(CompilerBase):
        def __init__(self, *args: Any) -> None:
            super().__init__(*args)
            if tested:
                self.state.flags = _flags()(self.state.flags)
                self.state.typingctx = TypesKnown(self.state.typingctx)

        def define_pipelines(self) -> list[Any]:
            state = self.state
            if tested and state.library is None:
                kind = _inner_library() if state.flags.no_cpython_wrapper else _outer_library()
                state.library = kind(state.targetctx.codegen(), state.func_id.func_qualname)
                state.library.enable_object_caching()
            if tested:
                return [passes_of_loops()("kernel")]
            passes = DefaultPassBuilder.define_nopython_pipeline(state)
            passes.passes = [one for one in passes.passes if one[0].__name__ not in NOT_FOR_LOOPS]
            return [passes]

    return CompilerOfLoops


class TypesKnown:
    """numba's knowledge of types, which remembers what `a + b` is of each kind of a and b.

    numba asks for every operation of a kernel, twice or more, and looks through some ten rules.
    """

    found: ClassVar[dict[Any, Any]] = {}

    def __init__(self, context: Any) -> None:
        self._context = context

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    def resolve_function_type(self, function: Any, args: Any, kws: Any) -> Any:
        from numba.core.types import Function

        known = isinstance(function, Function | BuiltinFunctionType)
        if kws or not known:  # a kernel, or a method of an array
            return self._context.resolve_function_type(function, args, kws)
        ask = functools.partial(self._context.resolve_function_type, function, args, kws)
        return self._remembered((function, tuple(args)), ask)

    def resolve_setitem(self, target: Any, index: Any, value: Any) -> Any:
        ask = functools.partial(self._context.resolve_setitem, target, index, value)
        return self._remembered(("setitem", target, index, value), ask)

    def _remembered(self, key: Any, ask: Callable[[], Any]) -> Any:
        if key not in self.found:
            signature = ask()
            if signature is None:
                return None
            self.found[key] = signature
        return self.found[key]


@functools.cache
def _flags() -> type:
    from numba.core.compiler import Flags

    class QuickFlags(Flags):
        """Flags as a key: compared by what was set."""

        __slots__ = ()

        def __hash__(self) -> int:
            return hash(frozenset(self._values))

        def __eq__(self, other: object) -> bool:
            return type(other) is QuickFlags and self._values == other._values

    return QuickFlags


@functools.cache
def _outer_library() -> type:
    from numba.core.codegen import JITCodeLibrary

    class OuterLibrary(JITCodeLibrary):
        """Code of a kernel that Python calls.

        It is optimised once, as a whole: numba does so function by function before, and with
        half of the passes, to bring counted references together.
        """

        def _optimize_functions(self, module: Any) -> None:
            module.data_layout = self._codegen._data_layout

        def _optimize_final_module(self) -> None:
            passes, builder = self._codegen._module_pass_manager()
            passes.run(self._final_module, builder)

        def add_llvm_module(self, module: Any) -> None:
            for function in module.functions:
                if function.name.startswith(FROM_PYTHON) and not function.is_declaration:
                    function.add_function_attribute("noinline")
                    function.add_function_attribute("optnone")
            super().add_llvm_module(module)

    return OuterLibrary


@functools.cache
def _inner_library() -> type:
    import llvmlite.binding as llvm
    from llvmlite.ir import Constant, GlobalVariable, IntType
    from numba.core.codegen import JITCodeLibrary

    class InnerLibrary(JITCodeLibrary):
        """Code of a kernel that only kernels call: there to be linked, not to run."""

        def _optimize_functions(self, module: Any) -> None:
            module.data_layout = self._codegen._data_layout

        def _optimize_final_module(self) -> None:
            pass

        def _finalize_final_module(self) -> None:
            self._finalize_dynamic_globals()
            self._finalized = True
            module = llvm.parse_assembly(str(self._environment()))
            self._codegen._add_module(module)

        def _environment(self) -> Any:
            """A module of nothing but the pointers that numba expects to find, and sets."""
            module, pointer = self._codegen._create_empty_module(self.name), IntType(8).as_pointer()
            for variable in self._final_module.global_variables:
                if variable.name.startswith(ENVIRONMENT):
                    found = GlobalVariable(module, pointer, variable.name)
                    found.linkage, found.initializer = "common", Constant(pointer, None)
            return module

    return InnerLibrary
