"""Where a run of a function stands, and what all parts of it use: names, places, scalars that are memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from pycparser import c_ast

from arrayol.c_import.arithmetic import RefusalError
from arrayol.c_import.complex_numbers import ComplexArithmetic
from arrayol.c_import.forms import names_of
from arrayol.c_import.lowering.changes import MOVES
from arrayol.c_import.lowering.ctypes import NumberType, Struct, Types
from arrayol.c_import.lowering.parts import (
    BranchesPart,
    CallsPart,
    DeclarationsPart,
    ExpressionsPart,
    HeadsPart,
    LoopsPart,
    PiecesPart,
    PointersPart,
    StatementsPart,
    StatesPart,
    StructsPart,
    UnrollingPart,
)
from arrayol.c_import.lowering.recorder import Recorder
from arrayol.c_import.lowering.symbols import CArray, Cell, Scopes, Symbol
from arrayol.c_import.model import COperation, ElementAccess, Form
from arrayol.c_import.ranges import Ranges
from arrayol.c_import.reading.syntax import Unit, calls_of, nodes_of
from arrayol.c_import.words import TAKEN
from arrayol.errors import Diagnostic
from arrayol.source import Span


@dataclass
class Known:
    """Facts that earlier runs have found and the next one begins with, such as consts that must be numbers."""

    numbers: set[str] = field(default_factory=set)
    carried: set[Any] = field(default_factory=set)  # scalars that a loop hands on, each with the loop
    unrolled: set[Any] = field(default_factory=set)  # loops
    memory: set[Any] = field(default_factory=set)  # local arrays that stay arrays
    joined: dict[Any, tuple[Any, int, int]] = field(default_factory=dict)  # arrays that are rows of one
    flat: dict[Any, bool] = field(default_factory=dict)  # arrays whose rows pointers leave; False: more than that
    cleared: set[Any] = field(default_factory=set)  # arrays of a loop's body that data choose elements of
    keeps_state: bool = True  # whether small arrays that a loop hands on are registers
    registers: set[Any] = field(default_factory=set)  # those that are


class Context:
    """One run; the parts that run expressions, statements, loops and calls use each other through it."""

    expressions: ExpressionsPart
    pointers: PointersPart
    statements: StatementsPart
    declarations: DeclarationsPart
    branches: BranchesPart
    heads: HeadsPart
    loops: LoopsPart
    calls: CallsPart
    states: StatesPart
    pieces: PiecesPart
    unrolling: UnrollingPart
    structs: StructsPart

    def __init__(self, unit: Unit, function: c_ast.FuncDef, known: Known) -> None:
        self.unit, self.function, self.known = unit, function, known
        self.carried = known.carried
        self.values: dict[str, int | float] = {}  # of consts
        self.arithmetic = ComplexArithmetic(Ranges(self.values))
        self.recorder = Recorder(self.arithmetic, set(TAKEN))
        self.types = Types(unit.widths)
        self.scopes = Scopes()
        self.path: list[int] = []  # calls that are open
        self.statics: dict[int, Symbol] = {}  # static variables of blocks, by their declaration
        self.open_calls: list[str] = [function.decl.name]
        self.remarks: list[tuple[Span, str]] = []
        self._loop_names: set[str] = set()

    # Names and places.

    def span(self, node: Any) -> Span:
        """Where a node stands in the user's file."""
        return self.unit.places.span(node)

    def key(self, node: Any, *more: int) -> tuple[int, ...]:
        """A name for a node in the calls that are open, the same in each run."""
        return (*self.path, id(node), *more)

    def cell(self, node: Any, name: str, kind: str, *more: int) -> Cell:
        """A scalar that a declaration makes."""
        return Cell(name, kind, self.span(node), self.key(node, *more))

    def new_memory(self, cell: Cell) -> CArray:
        """A local that holds a scalar from here on."""
        self.recorder.memories[cell.key] = self.recorder.local(cell.name, cell.type, cell.span)
        return self.recorder.memories[cell.key]

    def key_of_memory(self, name: str) -> Any:
        """The key of the scalar that a local holds; of any other array its name."""
        return next((key for key, array in self.recorder.memories.items() if array.name == name), name)

    def names_of_memory(self, written: set[Any]) -> set[str]:
        """The names of arrays, of those that hold scalars the ones that they have now."""
        known = {key: array.name for key, array in self.recorder.memories.items() if array.name in self.recorder.arrays}
        return {one if isinstance(one, str) else known[one] for one in written if isinstance(one, str) or one in known}

    def read_of(self, array: CArray, node: Any) -> COperation:
        """The value that a local of one element holds."""
        return COperation(
            "read", array.type, access=ElementAccess(array.name, (), self.span(node), self.recorder.conditions)
        )

    def loop_name(self, name: str) -> str:
        """A name for a loop: that of its iterator, which loops one after the other share."""
        open_names = {loop.name for loop in self.recorder.loops}
        if name in self._loop_names and name not in open_names:
            return name
        fresh = self.recorder.fresh(name)
        self._loop_names.add(fresh)
        return fresh

    def number_of(self, form: Form | None) -> int | None:
        """The number that a form is; consts that it is made of are numbers from now on. Raises NumberNeededError."""
        if form is None:
            return None
        if form.number is None and names_of(form) <= set(self.values):
            self.arithmetic.ranges.greatest(form)
        return form.number

    def product(self, step: Form, count: Form) -> Form:
        """A step times a count; a step that is a const becomes a number."""
        if step.number is not None:
            return count.scaled(step.number)
        if count.number is not None:
            return step.scaled(count.number)
        self.arithmetic.ranges.greatest(step)
        raise RefusalError("this moves by no constant", "step by a number")

    def is_written(self, name: str) -> bool:
        """Whether some function of the file may change an array of this name, also through a pointer."""
        names, functions = {name}, self.unit.functions
        while True:
            more = {one for function in functions.values() for one in pointers_to(function, names)}
            more |= {one for function in functions.values() for one in self._parameters_of(function, names)}
            if more <= names:
                break
            names |= more
        return any(_changes(function, name, names - {name}, functions) for function in functions.values())

    def _parameters_of(self, function: Any, names: set[str]) -> Iterator[str]:
        """Pointers to what may change among the parameters of functions that are handed something of these names."""
        for call in calls_of(function):
            called = self.unit.functions.get(getattr(call.name, "name", ""))
            declared = called.decl.type.args if called is not None else None
            pairs = zip(declared.params, call.args.exprs, strict=False) if declared and call.args else ()
            for parameter, value in pairs:
                if any(one.name in names for one in nodes_of(value, c_ast.ID)) and self._may_change(parameter):
                    yield parameter.name

    def _may_change(self, parameter: Any) -> bool:
        """Whether a parameter points to what is not const."""
        target = getattr(parameter.type, "type", None)
        try:
            is_value = isinstance(self.types.of(parameter.type), NumberType | Struct)
        except RefusalError:  # what is not read may be a pointer
            is_value = False
        return not is_value and "const" not in (getattr(target, "quals", None) or [])

    def calls_of(self, node: Any) -> bool:
        """Whether something below a node calls a function of the file."""
        return any(getattr(one.name, "name", None) in self.unit.functions for one in calls_of(node))

    def functions_below(self, node: Any) -> list[Any]:
        """The functions of the file that something below a node calls, also through others."""
        found = list[Any]()
        found += self._called(node, found)
        for one in found:  # which grows
            found += self._called(one, found)
        return found

    def _called(self, node: Any, known: list[Any]) -> list[Any]:
        called = dict.fromkeys(self.unit.functions.get(getattr(call.name, "name", "")) for call in calls_of(node))
        return [one for one in called if one is not None and one not in known]

    def refuse(self, refusal: RefusalError, node: Any) -> None:
        """Record what has no counterpart."""
        span = self.span(refusal.node if refusal.node is not None else node)
        self.recorder.refusals.append(Diagnostic(refusal.code, refusal.message, span, refusal.hint))

    def remark(self, span: Span, text: str) -> None:
        """Say what was assumed."""
        if (span, text) not in self.remarks:
            self.remarks.append((span, text))

    @contextmanager
    def on_trial(self) -> Iterator[None]:
        """Run something, and forget all that it did."""
        recorder = self.recorder
        kept = (
            list(recorder.statements),
            list(recorder.refusals),
            dict(recorder.contents),
            list(recorder.position),
            list(recorder.predicates),
            dict(recorder.arrays),
            set(recorder.taken),
        )
        memory, names = dict(self.recorder.memories), set(self._loop_names)
        try:
            yield
        finally:
            (
                recorder.statements,
                recorder.refusals,
                recorder.contents,
                recorder.position,
                recorder.predicates,
                recorder.arrays,
                recorder.taken,
            ) = kept
            self.recorder.memories, self._loop_names = memory, names


def _changes(function: Any, name: str, pointers: set[str], functions: Mapping[str, Any]) -> bool:
    """Whether a function assigns an array's elements, what pointers to it point to, or has another function do that.

    Functions of the file change what their own parameters point to, which are among the pointers.
    """
    steps = [one for one in nodes_of(function, c_ast.UnaryOp) if one.op in {"++", "--", "p++", "p--"}]
    targets = [one.lvalue for one in nodes_of(function, c_ast.Assignment)] + [one.expr for one in steps]
    for target in targets:
        base = base_name(target)
        if base == name or (base in pointers and not isinstance(target, c_ast.ID)):
            return True
    others = [call for call in calls_of(function) if getattr(call.name, "name", None) not in functions]
    given = [one for call in others for one in (call.args.exprs if call.args else [])[: 1 if _moves(call) else None]]
    return any(base_name(one) in {name, *pointers} for one in given)


def _moves(call: Any) -> bool:
    """Whether a call changes only what its first argument points to."""
    return getattr(call.name, "name", None) in MOVES


def pointers_to(function: Any, names: set[str]) -> Iterator[str]:
    """Pointers to what may change that a function lets point to something of these names."""
    pointers = {one.name: one for one in nodes_of(function, c_ast.Decl) if isinstance(one.type, c_ast.PtrDecl)}
    given = [(one.name, one.init) for one in pointers.values() if one.init is not None]
    given += [
        (one.lvalue.name, one.rvalue)
        for one in nodes_of(function, c_ast.Assignment)
        if isinstance(one.lvalue, c_ast.ID) and one.lvalue.name in pointers
    ]
    for pointer, value in given:
        is_const = "const" in (getattr(pointers[pointer].type.type, "quals", None) or [])
        if not is_const and any(one.name in names for one in nodes_of(value, c_ast.ID)):
            yield pointer


def base_name(node: Any) -> str | None:
    """The variable that an expression names a part of, as `s` of `s->rows[i].x`; None where there is none."""
    while isinstance(node, c_ast.ArrayRef | c_ast.StructRef | c_ast.UnaryOp | c_ast.Cast):
        node = node.name if isinstance(node, c_ast.ArrayRef | c_ast.StructRef) else node.expr
    return getattr(node, "name", None)
