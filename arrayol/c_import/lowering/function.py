"""One function of C as statements: its parameters, the globals that it uses, and its body, run on symbols.

A run may find a fact that must be known from the start: a const whose value decides something, or a scalar that is used
after a loop. Then the function is run again with that fact (`Known`), until a run finds no new one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pycparser import c_ast

from arrayol.c_import.arithmetic import RefusalError, constant_of, literal
from arrayol.c_import.constants import CConstant as Number_
from arrayol.c_import.expansion.histograms import with_histograms
from arrayol.c_import.expansion.rings import with_rings
from arrayol.c_import.expansion.scans import with_scans
from arrayol.c_import.flat import delinearised, rows_left
from arrayol.c_import.forms import names_of
from arrayol.c_import.lowering.branches import Branches
from arrayol.c_import.lowering.calls import MOST_DEPTH, Calls
from arrayol.c_import.lowering.context import Context, Known
from arrayol.c_import.lowering.ctypes import CType, NumberType, Pointer, Struct, Void
from arrayol.c_import.lowering.ctypes import Sequence as ArrayType
from arrayol.c_import.lowering.declarations import Declarations, Structs
from arrayol.c_import.lowering.expressions import Expressions
from arrayol.c_import.lowering.heads import Heads
from arrayol.c_import.lowering.loops import Loops
from arrayol.c_import.lowering.pieces import Pieces
from arrayol.c_import.lowering.pointers import Pointers
from arrayol.c_import.lowering.recorder import MOST_STATEMENTS, TooLongError, live, variables_of
from arrayol.c_import.lowering.statements import Statements
from arrayol.c_import.lowering.storage import Storage
from arrayol.c_import.lowering.symbols import (
    Address,
    CArray,
    CellAddress,
    NamedValue,
    PointerCell,
    Refused,
    RestartError,
    StructCell,
)
from arrayol.c_import.lowering.unrolling import Unrolling
from arrayol.c_import.model import COperation, ElementAccess, Form, Scop, Statement, Variable
from arrayol.c_import.pragmas import requests_of
from arrayol.c_import.ranges import NumberNeededError
from arrayol.c_import.reading.syntax import Unit, nodes_of
from arrayol.c_import.reading.trees import assigns
from arrayol.c_import.words import TAKEN
from arrayol.errors import ArrayolError, Diagnostic, error
from arrayol.ir.affine import Affine
from arrayol.text import clipped

MOST_LOOPS = 20  # around a statement
MOST_RUNS = 400  # each finds one more thing that must be known from the start
MOST_TRIED, MOST_UNROLLED = 60, 4  # runs, and loops, where there is another way


def lowered(
    unit: Unit,
    function: c_ast.FuncDef,
    settings: Mapping[str, str],
    sizes: Mapping[str, tuple[int, ...]],
    *,
    keeps_state: bool = True,
) -> Scop:
    """The statements of a function. Raises ArrayolError with all that has no counterpart.

    With `keeps_state` small local arrays that a loop hands on are registers, and loops over them are unrolled.
    """
    _check_depth(unit, function)
    known = Known(keeps_state=keeps_state)
    for count in range(MOST_RUNS):
        if known.registers and (count > MOST_TRIED or len(known.unrolled) > MOST_UNROLLED):
            break
        try:
            return FunctionRun(unit, function, settings, sizes, known).scop()
        except NumberNeededError as need:
            known.numbers.add(need.name)
        except RestartError:
            continue
        except TooLongError:
            message = f"this function makes more than {MOST_STATEMENTS} statements"
            raise error("scop-too-large", message, unit.places.span(function.decl), hint="import it in parts") from None
    hint = "import it in parts"
    raise error(
        "scop-too-large", "this function depends on itself in too many ways", unit.places.span(function.decl), hint=hint
    )


def _check_depth(unit: Unit, function: c_ast.FuncDef) -> None:
    """Refuse more loops in each other than are read, before anything goes down into them."""
    loops = _outer_loops(function.body)
    depth, first = 0, None
    while loops:
        depth += 1
        first = first or (loops[0] if depth > MOST_LOOPS else None)
        loops = [inner for one in loops for inner in _outer_loops(one.stmt)]
    if first is not None:
        message = f"a statement stands in {depth} loops; {MOST_LOOPS} are the most"
        raise error("scop-too-large", message, unit.places.span(first), hint="make fewer loops of them")


def _outer_loops(node: Any) -> list[Any]:
    """The loops below a node that stand in no other of them."""
    found, waiting = [], [node]
    while waiting:
        one = waiting.pop()
        if isinstance(one, c_ast.For):
            found.append(one)
        else:
            waiting += [child for _, child in one.children()]
    return found


class FunctionRun(Context):
    """One run of a function on symbols."""

    def __init__(
        self,
        unit: Unit,
        function: c_ast.FuncDef,
        settings: Mapping[str, str],
        sizes: Mapping[str, tuple[int, ...]],
        known: Known,
    ) -> None:
        super().__init__(unit, function, known)
        self.settings, self.sizes = settings, sizes
        self.set_fields: set[str] = set()  # of structs
        self.consts: dict[str, str] = {}
        self.expressions = Expressions(self)
        self.pointers = Pointers(self)
        self.statements = Statements(self)
        self.declarations = Declarations(self)
        self.branches = Branches(self)
        self.heads = Heads(self)
        self.loops = Loops(self)
        self.calls = Calls(self)
        self.states = Storage(self)
        self.pieces = Pieces(self)
        self.unrolling = Unrolling(self)
        self.structs = Structs(self)

    # The whole.

    def scop(self) -> Scop:
        """Run it all. Raises ArrayolError, NumberNeededError, RestartError."""
        name = self.function.decl.name
        requests = requests_of(self.function, self.unit.places)
        for request in requests:
            self.remark(request.span, request.remark)
        if self.unit.widths:
            text = (
                "ap_int and ap_uint are computed as C's integers of their width: "
                "sums, products and '<<' keep 32 bits, or 64 where an operand has them"
            )
            self.remark(self.span(self.function.decl), text)
        self._macros()
        self.recorder.taken.add(name)
        parameters = [
            one
            for one in (self.function.decl.type.args.params if self.function.decl.type.args else [])
            if isinstance(one, c_ast.Decl)
        ]
        self._globals({one.name for one in parameters})
        for parameter in parameters:
            self._guarded(parameter, self._parameter)
            self.scopes.frames[-1][-1].setdefault(parameter.name, Refused())
        self._check_settings()
        self.calls.kinds.append(self.types.of(self.function.decl.type.type))
        self.calls.results.append([])
        self.declarations.declare_statics()
        self._guarded(self.function.decl, self._body)
        self._guarded(self.function.decl, self._returned)
        self.states.finish()
        self.unrolling.finish()
        if self.recorder.refusals:
            raise ArrayolError(_once(self.recorder.refusals))
        variables, statements = self._with_dimensions(live(self.recorder.statements, self.recorder.arrays))
        variables, statements = with_histograms(variables, statements, self.values)
        variables, statements = with_rings(variables, statements, self.values)
        variables, statements = with_scans(variables, statements, self.values)
        used = {access.array for one in statements for access in (one.target, *one.reads)}
        variables = {key: one for key, one in variables.items() if key in used or not (one.local or one.table)}
        consts = {key: text for key, text in self.consts.items() if _names_const(key, variables, statements)}
        name = name if name not in TAKEN else f"{name}_"
        values = {key: self.values[key] for key in consts}
        return Scop(
            name,
            variables,
            consts,
            values,
            tuple(statements),
            tuple(self.remarks),
            bool(self.known.registers),
            requests,
        )

    def _with_dimensions(self, statements: list[Statement]) -> tuple[dict[str, Variable], list[Statement]]:
        """The variables and statements with the dimensions that are meant; arrays whose rows pointers leave, too."""
        arrays = self.recorder.arrays
        rows = {
            name: array.dims
            for name, array in arrays.items()
            if len(array.dims) > 1 and array.key not in self.known.flat
        }
        left = rows_left(statements, rows, self.values)
        if left:
            self.known.flat.update((arrays[name].key, True) for name in left)
            raise RestartError
        flat = {name: array for name, array in arrays.items() if array.is_flat}
        declared = {name: tuple(dim.number or 0 if dim else 0 for dim in array.dims) for name, array in flat.items()}
        variables, statements = delinearised(
            variables_of(arrays),
            statements,
            self.values,
            {**declared, **self.sizes},
            {array.name for array in arrays.values() if array.dims[:1] == [None]},
        )
        failed = [array for name, array in flat.items() if len(variables[name].dims) == 1 and not array.table]
        if failed:
            self.known.flat.update((array.key, False) for array in failed)
            raise RestartError
        return variables, statements

    def _guarded(self, node: Any, do: Any) -> None:
        try:
            do(node)
        except RefusalError as refusal:
            self.refuse(refusal, node)

    def _body(self, node: Any) -> None:
        del node
        with self.statements.scope():
            self.calls.run_block(self.function.body.block_items or [])

    def _returned(self, node: Any) -> None:
        """The value that the function returns, as an output of its own."""
        results = self.calls.results[-1]
        if not results:
            return
        if not isinstance(results[0], COperation):
            raise RefusalError("the struct that this function returns is not read", "write it to an array", node)
        status = constant_of(results[0])
        if status is not None and any(
            not self.recorder.arrays[one.target.array].local for one in self.recorder.statements
        ):
            self.remark(self.span(node), f"'{self.function.decl.name}' always returns {status.text}: it is left out")
            return
        array = self.recorder.local("result", results[0].type, self.span(node))
        array.local, array.state = False, True
        self.recorder.store(array, (), results[0], self.span(node))

    def _macros(self) -> None:
        """Macros that are numbers: consts, or numbers where that was found to be needed."""
        for name, macro in self.unit.macros.items():
            constant = macro.constant
            if name in self.known.numbers or name in TAKEN:
                self.scopes.enter(name, NamedValue(literal(constant)))
                continue
            self.recorder.taken.add(name)
            self.consts[name], self.values[name] = (
                macro.text if constant.text == macro.text else constant.text,
                constant.value,
            )
            self.scopes.enter(name, NamedValue(self._const(name, constant.type)))

    def _const(self, name: str, kind: str) -> COperation:
        if kind == "f64":
            return COperation("const", kind, text=name)
        form: Form = Affine(((name, 1),))
        return COperation("form", "i32", form=form)

    def _globals(self, hidden: set[str]) -> None:
        """Declarations of the file: types, enumerators, tables, and variables that the function uses."""
        names = {one.name for function in self.unit.functions.values() for one in nodes_of(function, c_ast.ID)}
        for node in self.unit.declarations:
            try:
                self._global(node, names)
            except RefusalError as refusal:
                for name in (getattr(node, "name", None), getattr(getattr(node, "type", None), "name", None)):
                    if isinstance(node, c_ast.Typedef) or getattr(node, "name", None) is None:
                        self.types.refused.setdefault(str(name), refusal)
                if getattr(node, "name", None) in names - hidden:
                    self.refuse(refusal, node)

    def _global(self, node: Any, names: set[str]) -> None:
        self._enumerators(node)
        if isinstance(node, c_ast.Typedef):
            self.types.named[node.name] = self.types.of(node.type)
            return
        if not isinstance(node, c_ast.Decl) or isinstance(node.type, c_ast.FuncDecl):
            return
        if node.name is None:
            self.types.of(node.type)
            return
        if node.name not in names:
            return
        kind = self.types.of(node.type)
        if isinstance(kind, NumberType):
            cell = self.cell(node, node.name, kind.name)
            self.scopes.enter(node.name, cell)
            if "const" in (node.quals or []) and node.init is not None:
                self.recorder.contents[cell] = self.arithmetic.converted(self.expressions.value(node.init), kind.name)
            else:
                self.states.enter_state(cell, node)
            return
        if isinstance(kind, Struct):
            self.declarations.declare_struct(node, kind, is_kept=True)
            return
        if not isinstance(kind, ArrayType):
            raise RefusalError(f"'{node.name}' is no number and no array", "hand it over as a parameter", node)
        array = self.states.array_of(node, kind, local=False, state=True)
        array.hidden = "static" in (node.storage or []) and not self._is_seen_elsewhere(node.name)
        self.scopes.enter(node.name, array)
        if node.init is not None and self.states.is_constant(node):
            self.declarations.fill_array(array, node.init, node, is_constant=True)
        else:
            self.unrolling.declare(array, node)

    def _is_seen_elsewhere(self, name: str) -> bool:
        """Whether another function of the file names a variable."""
        others = [one for one in self.unit.functions.values() if one is not self.function]
        return any(inner.name == name for one in others for inner in nodes_of(one, c_ast.ID))

    def _enumerators(self, node: Any) -> None:
        for inner in nodes_of(node, c_ast.Enum):
            value = -1
            for one in inner.values.enumerators if inner.values else []:
                number = (
                    self.expressions.form(one.value, "an enumerator").number if one.value is not None else value + 1
                )
                if number is None:
                    raise RefusalError(f"'{one.name}' has no number", "write a number", one)
                value = number
                self.scopes.enter(one.name, NamedValue(literal(Number_("i32", value))))

    def _parameter(self, node: Any) -> None:
        """A parameter: a const where a setting gives its value, else an input."""
        kind = self.types.of(node.type)
        if isinstance(kind, Void) or self._left_out(node, kind):
            return
        if node.name in self.settings:
            self._set_parameter(node, kind)
            return
        if isinstance(kind, NumberType):
            cell = self.cell(node, node.name, kind.name)
            self.scopes.enter(node.name, cell)
            array = CArray(self.recorder.fresh(node.name), kind.name, [], False, self.span(node), origin=node.name)
            self.recorder.arrays[array.name] = array
            self.recorder.contents[cell] = COperation(
                "read", kind.name, access=ElementAccess(array.name, (), array.span)
            )
            return
        if isinstance(kind, Struct):
            raise RefusalError(f"'{node.name}' is a struct", "hand over its fields", node)
        if isinstance(kind, Pointer) and isinstance(kind.target, Pointer):
            raise RefusalError(
                f"'{node.name}' is a pointer to pointers", "declare it with its sizes, as float x[480][640]", node
            )
        if isinstance(kind, Pointer) and isinstance(kind.target, Struct) and self._is_single(self.function, node.name):
            self._struct_parameter(node, kind, kind.target)
            return
        try:
            array = self.states.array_of(node, kind, local=False)
        except RefusalError:
            array = CArray(self.recorder.fresh(node.name), "i32", [None], False, self.span(node))
            self.recorder.arrays[array.name] = array
            self.scopes.enter(node.name, array)
            raise
        sizes = self.sizes.get(node.name)
        if sizes is not None:
            self._sized(array, sizes, node)
        self.scopes.enter(node.name, array)
        self.unrolling.declare(array, node)
        if assigns(self.function.body, node.name):  # a parameter that walks, as in `*y++ = v`
            pointer = PointerCell(node.name, kind, self.key(node))
            self.scopes.enter(node.name, pointer)
            self.recorder.contents[pointer] = Address(array, (Affine(),))

    def _left_out(self, node: Any, kind: CType) -> bool:
        """Leave out a pointer to no type that the function names at most in casts to void; whether it is such."""
        if not isinstance(kind, Pointer) or not isinstance(kind.target, Void):
            return False
        body = self.function.body
        idle = [one.expr for one in nodes_of(body, c_ast.Cast) if isinstance(self.types.of(one.to_type), Void)]
        if not all(any(one is each for each in idle) for one in nodes_of(body, c_ast.ID) if one.name == node.name):
            return False
        self.remark(self.span(node), f"'{node.name}' is left out: nothing uses it")
        self.scopes.enter(node.name, Refused())
        return True

    def _is_single(self, function: c_ast.FuncDef, name: str, depth: int = 0) -> bool:
        """Whether a function takes a pointer for one struct, as in `s->gain` or `*s`, or hands it to one that does."""
        fields = [one.name for one in nodes_of(function.body, c_ast.StructRef) if one.type == "->"]
        fields += [one.expr for one in nodes_of(function.body, c_ast.UnaryOp) if one.op == "*"]
        count = [one.name for one in fields if isinstance(one, c_ast.ID)].count(name)
        for call in nodes_of(function.body, c_ast.FuncCall):
            for place, given in enumerate(call.args.exprs if call.args else []):
                if getattr(given, "name", None) == name and isinstance(given, c_ast.ID):
                    called = self.unit.functions.get(getattr(call.name, "name", ""))
                    taken = called.decl.type.args.params[place : place + 1] if called and called.decl.type.args else []
                    if depth > MOST_DEPTH or not taken or not self._is_single(called, taken[0].name, depth + 1):
                        return False
                    count += 1
        return 0 < count == [one.name for one in nodes_of(function.body, c_ast.ID)].count(name)

    def _struct_parameter(self, node: Any, kind: Pointer, target: Struct) -> None:
        """A pointer to one struct: each field is an input, and an output where the function changes it."""
        struct = self.structs.declare(node, node.name, target)
        pointer = PointerCell(node.name, kind, self.key(node))
        self.scopes.enter(node.name, pointer)
        self.recorder.contents[pointer] = CellAddress(struct)
        self._hand_over(struct, node)

    def _hand_over(self, struct: StructCell, node: Any) -> None:
        for field in struct.cells.values():
            if isinstance(field, StructCell):
                self._hand_over(field, node)
            elif isinstance(field, CArray):
                field.local = False
            elif isinstance(field, PointerCell):
                self._array_of_field(field, node)
            elif field.name in self.settings:
                self.set_fields.add(field.name)
                self.recorder.contents[field] = self._setting(field.name, field.type)
            else:
                self.states.keep(field, None, node)

    def _array_of_field(self, field: PointerCell, node: Any) -> None:
        """The array that a field of a parameter points to, as one that is a parameter itself."""
        array = self.states.array_named(field.name, field.type, node, local=False)
        array.key = field.key
        if field.name in self.sizes:
            self._sized(array, self.sizes[field.name], node)
        self.recorder.contents[field] = Address(array, (Affine(),))

    def _sized(self, array: CArray, sizes: tuple[int, ...], node: Any) -> None:
        """A size from the command line: it is that of the data, whatever the C says."""
        if len(sizes) == len(array.dims):
            array.dims = [Affine(constant=one) for one in sizes]
        elif array.dims and array.dims[0] is None and len(array.dims) == 1:
            count = 1
            for one in sizes:
                count *= one
            array.dims = [Affine(constant=count)]
        else:
            raise RefusalError(
                f"'{array.name}' has {len(array.dims)} dimensions", "give as many sizes", node, "bad-setting"
            )

    def _set_parameter(self, node: Any, kind: Any) -> None:
        if not isinstance(kind, NumberType) or kind.name not in {
            "i32",
            "u32",
            "i64",
            "u64",
            "f64",
            "f32",
            "i16",
            "u16",
            "i8",
            "u8",
        }:
            raise RefusalError(f"'{node.name}' is no number, so no setting gives its value", "leave it an input", node)
        constant, value = self._setting(node.name, kind.name), self._number(node.name, kind.name)
        if assigns(self.function.body, node.name):  # it counts down, as in `while (n--)`
            cell = self.cell(node, node.name, kind.name)
            self.scopes.enter(node.name, cell)
            self.recorder.contents[cell] = constant
        elif kind.name in {"i32", "f64"} and node.name not in self.known.numbers and node.name not in TAKEN:
            self.recorder.taken.add(node.name)
            self.consts[node.name], self.values[node.name] = repr(value), value
            self.scopes.enter(node.name, NamedValue(self._const(node.name, kind.name)))
        else:
            self.scopes.enter(node.name, NamedValue(constant))

    def _number(self, name: str, kind: str) -> int | float:
        """The number that a setting says. Raises ArrayolError (`bad-setting`)."""
        text = self.settings[name]
        try:
            return float(text) if kind[0] == "f" else int(text)
        except ValueError:
            message = f"'{clipped(text)}' is not a value for the {kind} '{name}'"
            hint = f"write a number, as in --set {name}=64"
            raise error("bad-setting", message, hint=hint, file=self.unit.places.file.name) from None

    def _setting(self, name: str, kind: str) -> COperation:
        """A setting as a value of a type."""
        number = Number_("f64" if kind[0] == "f" else "i64", self._number(name, kind))
        return self.arithmetic.converted(literal(number), kind)

    def _check_settings(self) -> None:
        parameters = {
            getattr(one, "name", None)
            for one in (self.function.decl.type.args.params if self.function.decl.type.args else [])
        }
        left = set(self.settings) - set(self.unit.macros) - parameters - self.set_fields
        if left:
            message = f"there is no const '{min(left)}' to set"
            hint = f"its consts are {', '.join(sorted(self.unit.macros)) or 'none'}"
            raise error("unknown-setting", message, hint=hint, file=self.unit.places.file.name)


def _names_const(name: str, variables: Mapping[str, Any], statements: Any) -> bool:
    """Whether anything of a scop still depends on a const."""
    for variable in variables.values():
        if any(name in names_of(dim) for dim in variable.dims):
            return True
    for statement in statements:
        forms = [form for loop in statement.loops for form in (loop.low, loop.high)]
        forms += [form for one in statement.conditions for form in one.forms()]
        forms += [form for access in (statement.target, *statement.reads) for form in access.subscripts]
        if any(name in names_of(form) for form in forms):
            return True
        for node in statement.value.nodes():
            if (node.kind == "const" and node.text == name) or (node.form is not None and name in names_of(node.form)):
                return True
    return False


def _once(refusals: list[Diagnostic]) -> list[Diagnostic]:
    """Each refusal once: what is inlined several times is refused at the same place."""
    return list({(one.message, "" if one.code == "no-value" else one.sort_key): one for one in refusals}.values())
