"""The way of a kernel through numba's compiler: read, typed, written for LLVM.

What a kernel does (bytecode to statements, to variables that are assigned once) is read one time,
and types are found for each of its signatures; numba reads it for each of them. After every pass
numba finds out anew where each variable is alive, for generators and `with`; kernels have neither.
Types are found by going through all statements until nothing changes; here a statement is looked
at again only where a type that it asked for is another one by now.
"""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable
from typing import Any

from lowdim.core.lowering import lowering_of_loops


@functools.cache
def passes_of_loops() -> type:
    """All passes, run one after the other as numba's manager of passes runs its own."""
    from numba.core.compiler_machinery import PassManager
    from numba.core.typed_passes import NoPythonBackend

    known: dict[Callable[..., Any], Any] = {}  # statements of a function
    lowering, backend = lowering_of_loops()(), NoPythonBackend()

    class Passes(PassManager):
        def run(self, state: Any) -> None:
            function = state.func_id.func
            if function not in known:
                known[function] = _read(state)
            state.func_ir = copy.copy(known[function])
            state.func_ir.func_id = state.func_id
            state.nargs = state.func_ir.arg_count
            _find_types(state)
            lowering.run_pass(state)
            backend.run_pass(state)

    return Passes


def _read(state: Any) -> Any:
    """Statements in which every variable is assigned once."""
    from numba.core.ir_utils import build_definitions
    from numba.core.rewrites import rewrite_registry
    from numba.core.ssa import reconstruct_ssa
    from numba.core.transforms import canonicalize_cfg
    from numba.core.untyped_passes import FixupArgs, TranslateByteCode

    for one in (TranslateByteCode(), FixupArgs()):
        one.run_pass(state)
    statements = state.func_ir
    statements.blocks = canonicalize_cfg(statements.blocks)
    for rewrite in rewrite_registry.rewrites["before-inference"]:
        _rewrite(rewrite(state), statements)
    statements = reconstruct_ssa(statements)
    statements._definitions = build_definitions(statements.blocks)
    return statements


def _rewrite(rewrite: Any, statements: Any) -> None:
    """Indices and powers that are written numbers, as such."""
    for label in list(statements.blocks):
        while rewrite.match(statements, statements.blocks[label], None, None):
            statements.blocks[label] = rewrite.apply()


def _find_types(state: Any) -> None:
    from numba.core.typed_passes import PreLowerStripPhis

    infer = _inference()(state.typingctx, state.func_ir)
    with state.typingctx.callstack.register(
        state.targetctx.target, infer, state.func_id, state.args
    ):
        for index, (name, kind) in enumerate(zip(state.func_ir.arg_names, state.args, strict=True)):
            infer.seed_argument(name, index, kind)
        infer.build_constraint()
        infer.propagate()
        state.typemap, state.return_type, state.calltypes = infer.unify()
    state.func_ir = PreLowerStripPhis()._strip_phi_nodes(state.func_ir)


@functools.cache
def _inference() -> type:
    from numba.core.errors import NumbaWarning, TypingError, WarningsFixer
    from numba.core.typeinfer import ConstraintNetwork, TypeInferer, TypeVar, TypeVarMap

    class Asked(TypeVarMap):
        """Variables by name, and the types that those had which were asked for."""

        def __init__(self, context: Any) -> None:
            super().__init__()
            self.set_context(context)
            self.types: dict[str, Any] = {}

        def __getitem__(self, name: str) -> Any:
            variable = self.get(name)
            if variable is None:
                variable = self[name] = TypeVar(self.context, name)
            self.types.setdefault(name, variable.type)
            return variable

    class Statements(ConstraintNetwork):
        def __init__(self) -> None:
            super().__init__()
            self._asked: dict[Any, dict[Any, Any]] = {}

        def propagate(self, infer: Any) -> list[Any]:
            errors = []
            for one in self.constraints:
                before = self._asked.get(one)
                if before is not None and all(
                    infer.typevars.get(name).type is kind for name, kind in before.items()
                ):
                    continue
                asked: dict[Any, Any] = {}
                infer.typevars.types = asked
                try:
                    one(infer)
                except TypingError as error:
                    errors.append(error)
                    continue
                result = getattr(one, "target", None) or getattr(one, "dst", None)
                if result in asked:
                    asked[result] = infer.typevars.get(result).type
                self._asked[one] = asked
            return errors

    class Inference(TypeInferer):
        def __init__(self, context: Any, statements: Any) -> None:
            super().__init__(context, statements, WarningsFixer(NumbaWarning))
            self.typevars, self.constraints = Asked(context), Statements()

    return Inference
