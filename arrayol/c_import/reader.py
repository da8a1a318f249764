"""From the C of a scop to its statements, with affine loops, conditions and subscripts; or a refusal with its place."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from pycparser import c_ast, c_parser

from arrayol.c_import.c_text import TYPES, Text, read_text
from arrayol.c_import.constants import common_type
from arrayol.c_import.model import Form, Loop, Scop, Statement, Value, Variable
from arrayol.c_import.names import TAKEN, Names, Place, span_at
from arrayol.c_import.values import Values
from arrayol.errors import ArrayolError, error
from arrayol.ir.affine import Affine
from arrayol.source import SourceFile

_COMPARISONS = {"<", "<=", ">", ">=", "=="}
_SYNTAX = re.compile(r".*?:(\d+)(?::(\d+))?: (.*)", re.DOTALL)


def read_scop(file: SourceFile, settings: Mapping[str, str]) -> Scop:
    """The scop of a C file; `settings` give consts other values. Raises ArrayolError."""
    text = read_text(file)
    return _Reader(text, _parsed(text), settings).scop()


def _parsed(text: Text) -> c_ast.FuncDef:
    """The function as pycparser has it, with typedefs of the types that are no words of C."""
    named = {**{name: name for name in TYPES if name.endswith("_t")}, **text.types}
    prefix = "".join(f"typedef int {name};" for name in named)
    source = f'{prefix}\n# 1 "{text.file.name.replace(chr(92), "/")}"\n{text.code}'
    try:
        tree = c_parser.CParser().parse(source, text.file.name)
    except c_parser.ParseError as wrong:
        found = _SYNTAX.fullmatch(str(wrong))
        line, column, message = (int(found[1]), int(found[2] or 1), found[3]) if found else (1, 1, str(wrong))
        hint = "this is no C99 of plain types, or a macro with arguments stands here: gcc -E -P replaces those"
        message = f"the C of this function cannot be read: {message}"
        raise error("c-syntax", message, span_at(text, line, column), hint=hint) from None
    functions = [node for node in tree.ext if isinstance(node, c_ast.FuncDef)]
    if len(functions) != 1 or not isinstance(functions[0].decl.type, c_ast.FuncDecl):
        raise error("c-syntax", "this is no function", span_at(text, 1, 1), hint="put the scop into a function")
    return functions[0]


class _Reader:
    """One pass over a function."""

    def __init__(self, text: Text, function: c_ast.FuncDef, settings: Mapping[str, str]) -> None:
        self.function, self.names = function, Names(text, settings)
        self.statements: list[Statement] = []
        self.counters: dict[str, str] = {}  # types of the variables that count loops
        self.scopes: list[set[str]] = [set()]  # names that are declared in the blocks around, innermost last

    def scop(self) -> Scop:
        """Read it all."""
        declaration = self.function.decl
        self.names.check_word(declaration.name, self.names.span(declaration))
        for parameter in declaration.type.args.params if declaration.type.args else []:
            if isinstance(parameter, c_ast.Decl):
                self._parameter(parameter)
        self._statements(self.function.body.block_items or [])
        self._check_settings()
        names = self.names
        return Scop(declaration.name, names.variables, names.consts, names.values, tuple(self.statements))

    def _statements(self, nodes: Sequence[c_ast.Node]) -> None:
        """Those of the function: declarations, then the scop."""
        place, before, counter = "before", Place(), 0
        for node in nodes:
            if isinstance(node, c_ast.ID) and node.name in {"__scop", "__end"}:
                place = "inside" if node.name == "__scop" else "behind"
            elif place == "inside" or (place == "before" and isinstance(node, c_ast.Decl)):
                counter = self._statement(node, before, counter)
            elif isinstance(node, c_ast.Return):
                self._check_return(node, place)
            elif not isinstance(node, c_ast.EmptyStatement):
                raise self.names.refused(
                    node, "this stands outside the scop and would be lost", "move it into the scop"
                )

    def _check_return(self, node: c_ast.Return, place: str) -> None:
        if place == "before":
            raise self.names.refused(node, "the function ends here, before its scop", "move the scop up")
        if node.expr is not None:
            hint = "make the function void, and hand the value over in an array, as in result[0] = ..."
            raise self.names.refused(node, "the value that the function returns would be lost", hint)

    def _check_settings(self) -> None:
        left = set(self.names.settings) - set(self.names.consts)
        if left:
            message = f"there is no const '{min(left)}' to set"
            hint = f"its consts are {', '.join(sorted(self.names.consts)) or 'none'}"
            raise error("unknown-setting", message, hint=hint, file=self.names.text.file.name)

    # Declarations.

    def _parameter(self, node: c_ast.Decl) -> None:
        """A parameter of the function; one that a setting gives a value is a const."""
        if node.name in self.names.settings:
            self._enter(node)
            self.names.set_parameter(node.name, self._scalar_type(node), self.names.span(node))
        else:
            self._declare(node, local=False)

    def _scalar_type(self, node: c_ast.Decl) -> str:
        """The type of a parameter that a setting gives a value: int or double, as the consts of a specification."""
        kind = None
        if isinstance(node.type, c_ast.TypeDecl) and isinstance(node.type.type, c_ast.IdentifierType):
            kind = self.names.type_of(" ".join(node.type.type.names))
        if kind not in {"i32", "f64"}:
            hint = "declare it as int or double, or leave it an input"
            raise self.names.refused(
                node, f"'{node.name}' is no int and no double, so no setting gives its value", hint
            )
        return kind

    def _declare(self, node: c_ast.Decl, *, local: bool) -> None:
        self.names.check_word(node.name, self.names.span(node))
        self._enter(node)
        dims, kind = [], node.type
        while isinstance(kind, c_ast.ArrayDecl):
            dims.append(self._size(kind, node))
            kind = kind.type
        if not isinstance(kind, c_ast.TypeDecl) or not isinstance(kind.type, c_ast.IdentifierType):
            hint = "declare an array with its sizes, as double A[N][M]"
            raise self.names.refused(node, f"'{node.name}' is a pointer, a struct or the like", hint)
        words = " ".join(kind.type.names)
        element = self.names.type_of(words)
        if element is None:
            raise self.names.refused(node, f"'{words}' is no type of numbers", "use double, float, int or the like")
        variable = Variable(node.name, element, tuple(dims), local, self.names.span(node))
        former = self.names.variables.setdefault(node.name, variable)
        if replace(former, span=variable.span) != variable:
            raise self.names.refused(node, f"'{node.name}' is declared twice, and otherwise", "rename one of them")

    def _enter(self, node: c_ast.Decl) -> None:
        """Take a name into its block; one that hides another, or that outlives the function, is refused."""
        words = [word for word in node.storage or [] if word not in {"auto", "register"}]
        if words and not ("static" in words and "const" in (node.quals or [])):
            hint = "make it a parameter, or declare it without this word and set it in the scop"
            raise self.names.refused(node, f"'{node.name}' is {words[0]}: its value comes from outside this call", hint)
        if any(node.name in scope for scope in self.scopes):
            message = f"'{node.name}' hides the '{node.name}' that is declared further out"
            raise self.names.refused(node, message, "give each variable a name of its own")
        self.scopes[-1].add(node.name)

    def _size(self, kind: c_ast.ArrayDecl, node: c_ast.Decl) -> Form:
        if kind.dim is None:
            raise self.names.refused(node, f"'{node.name}' has a dimension without a size", "write each size")
        return self.names.affine(kind.dim, Place(), "the size of an array")

    # Statements.

    def _statement(self, node: c_ast.Node, place: Place, counter: int) -> int:
        """Read one statement at a textual place; the next place."""
        if isinstance(node, c_ast.Compound | c_ast.DeclList):
            return self._several(node, place, counter)
        if isinstance(node, c_ast.EmptyStatement):
            return counter
        if isinstance(node, c_ast.If):
            self._if(node, place, counter)
            return counter + 2
        here = replace(place, position=(*place.position, counter))
        if isinstance(node, c_ast.For):
            self._loop(node, here)
        elif isinstance(node, c_ast.Decl):
            self._declare(node, local=True)
            if node.init is not None:
                self._assign(c_ast.Assignment("=", c_ast.ID(node.name, node.coord), node.init, node.coord), here)
        elif isinstance(node, c_ast.Assignment):
            self._assign(node, here)
        else:
            raise self._no_statement(node)
        return counter + 1

    def _several(self, node: c_ast.Node, place: Place, counter: int) -> int:
        """Read a block, whose names end with it, or several declarations."""
        block = isinstance(node, c_ast.Compound)
        outer = list(self.scopes)
        if block:
            self.scopes = [*outer, set()]
        for item in (node.block_items if block else node.decls) or []:
            counter = self._statement(item, place, counter)
        self.scopes = outer
        return counter

    def _no_statement(self, node: c_ast.Node) -> ArrayolError:
        kinds = {"While": "a while loop", "DoWhile": "a do loop", "FuncCall": "a call", "UnaryOp": "a lone ++ or --"}
        kind = type(node).__name__
        if kind == "ID":
            return self.names.refused(node, "a pragma stands inside a loop or a condition", "put it around them")
        word = kinds.get(kind, f"a statement of kind '{kind}'")
        return self.names.refused(node, f"{word} has no place in a scop", "a scop has for loops, if and assignments")

    def _loop(self, node: c_ast.For, place: Place) -> None:
        kind = self._iterator_type(node, place)
        name, low, high, step = self._head(node, place)
        loop = Loop(self._fresh(name, place), low, high, self.names.span(node))
        own: Form = Affine(((loop.name, 1),))
        value = own if step > 0 else low + high - 1 - own
        iterators, types = {**place.iterators, name: value}, {**place.types, name: kind}
        inner = Place((*place.loops, loop), place.position, place.conditions, iterators, types)
        self.scopes.append({name} if isinstance(node.init, c_ast.DeclList) else set())
        self._statement(node.stmt, inner, 0)
        self.scopes.pop()

    def _iterator_type(self, node: c_ast.For, place: Place) -> str:
        """The type of an iterator: int or long; others wrap or compare otherwise, and are refused."""
        name = _start(node.init)[0]
        if name is None:
            return "i32"  # its head is refused
        if not isinstance(node.init, c_ast.DeclList):
            if name in place.iterators:
                hint = "give each loop an iterator of its own"
                raise self.names.refused(node, f"'{name}' counts a loop around this one", hint)
            declared = self.names.variables.get(name)
            kind = words = self.counters.get(name) if declared is None else declared.type
            if kind is None:
                hint = f"declare it in the loop: for (int {name} = ...)"
                raise self.names.refused(node, f"'{name}' is not declared in this function", hint)
        else:
            words = " ".join(getattr(getattr(node.init.decls[0].type, "type", None), "names", ["?"]))
            kind = self.names.type_of(words) or words
        if kind not in {"i32", "i64"}:
            message = f"'{name}' counts as {words}, which wraps and compares otherwise than int"
            raise self.names.refused(node, message, f"declare it as int: for (int {name} = ...)")
        return kind

    def _head(self, node: c_ast.For, place: Place) -> tuple[str, Form, Form, int]:
        """The iterator, its least value, what is beyond its greatest, and its direction."""
        hint = "write for (int i = LOW; i < HIGH; i++), or i-- from above"
        name, first = _start(node.init)
        if name is None or first is None:
            raise self.names.refused(node, "this loop does not set one iterator", hint)
        self._take_iterator(node, name)
        step, condition = _step(node.next, name), node.cond
        if not step:
            raise self.names.refused(node, f"this loop does not go on by one of '{name}'", hint)
        if not isinstance(condition, c_ast.BinaryOp) or getattr(condition.left, "name", None) != name:
            raise self.names.refused(node, f"this loop does not end by a comparison of '{name}'", hint)
        if condition.op not in ({"<", "<="} if step > 0 else {">", ">="}):
            raise self.names.refused(node, f"'{condition.op}' does not end a loop in this direction", hint)
        begin = self.names.affine(first, place, "a bound of a loop")
        end = self.names.affine(condition.right, place, "a bound of a loop")
        if step > 0:
            return name, begin, end + (condition.op == "<="), step
        return name, end + (condition.op == ">"), begin + 1, step

    def _take_iterator(self, node: c_ast.For, name: str) -> None:
        """A variable that counts a loop is no variable of the specification."""
        old = self.names.variables.pop(name, None)
        if old is not None:
            self.counters[name] = old.type
        if old is not None and (old.dims or not old.local or any(self._touches(one, name) for one in self.statements)):
            hint = "give the iterator a name of its own"
            raise self.names.refused(node, f"'{name}' is an iterator here, and something else before", hint)

    def _touches(self, statement: Statement, name: str) -> bool:
        return any(access.array == name for access in (statement.target, *statement.reads))

    def _fresh(self, name: str, place: Place) -> str:
        """A name for a loop that no variable, const or loop around has."""
        taken = {
            *self.names.variables,
            *self.names.text.consts,
            *self.names.consts,
            *TAKEN,
            *(loop.name for loop in place.loops),
        }
        while name in taken:
            name += "_"
        return name

    def _if(self, node: c_ast.If, place: Place, counter: int) -> None:
        conditions = self._conditions(node.cond, place)
        branches = [(node.iftrue, conditions)]
        if node.iffalse is not None:
            if len(conditions) != 1:
                raise self.names.refused(
                    node, "the else of several conditions is no polyhedron", "write its conditions out"
                )
            branches.append((node.iffalse, [conditions[0].scaled(-1) - 1]))
        for number, (branch, held) in enumerate(branches):
            inner = replace(place, conditions=(*place.conditions, *held))
            self._statement(c_ast.Compound([branch], node.coord), inner, counter + number)

    def _conditions(self, node: c_ast.Node, place: Place) -> list[Form]:
        """Forms that are not negative where a condition holds."""
        if isinstance(node, c_ast.BinaryOp) and node.op == "&&":
            return [*self._conditions(node.left, place), *self._conditions(node.right, place)]
        hint = "compare affine forms of the iterators, joined by &&; a choice by data is written x = c ? a : b"
        if not isinstance(node, c_ast.BinaryOp) or node.op not in _COMPARISONS:
            raise self.names.refused(node, "this condition is no comparison of iterators", hint)
        left, right = (self.names.form(side, place) for side in (node.left, node.right))
        if left is None or right is None:
            raise self.names.refused(node, "this condition is not affine in the iterators", hint)
        return {
            "<": [right - left - 1],
            "<=": [right - left],
            ">": [left - right - 1],
            ">=": [left - right],
            "==": [left - right, right - left],
        }[node.op]

    def _assign(self, node: c_ast.Assignment, place: Place) -> None:
        target = self.names.access(node.lvalue, place)
        if target is None:
            message = "this assigns to no element of an array, nor to a scalar"
            raise self.names.refused(node, message, "write A[i] = ...")
        values, operator = Values(self.names, place), node.op[:-1]
        value, own = values.value(node.rvalue), self.names.variables[target.array].type
        accumulate = operator == "+" and common_type(own, value.type) == own
        if operator not in {"", "+", "-", "*", "/"}:
            raise self.names.refused(node, f"'{node.op}' is not read", "write it out: x = x OP y")
        if operator and not accumulate:
            value = values.arithmetic(operator, Value("read", own, access=target), value, node)
        value, number = values.stored(value, own, node), len(self.statements) + 1
        self.statements.append(
            Statement(number, place.loops, place.position, place.conditions, target, value, accumulate)
        )


def _start(init: Any) -> tuple[str | None, c_ast.Node | None]:
    """The iterator that a loop sets, and its first value; None for what is none."""
    if isinstance(init, c_ast.DeclList) and len(init.decls) == 1:
        return init.decls[0].name, init.decls[0].init
    if isinstance(init, c_ast.Assignment) and init.op == "=" and isinstance(init.lvalue, c_ast.ID):
        return init.lvalue.name, init.rvalue
    return None, None


def _step(node: Any, name: str) -> int:
    """1 for i++, -1 for i--, 0 for any other step."""
    if isinstance(node, c_ast.UnaryOp) and getattr(node.expr, "name", None) == name:
        return {"p++": 1, "++": 1, "p--": -1, "--": -1}.get(node.op, 0)
    assigns = isinstance(node, c_ast.Assignment) and getattr(node.lvalue, "name", None) == name
    if assigns and isinstance(node.rvalue, c_ast.Constant) and node.rvalue.value == "1":
        return {"+=": 1, "-=": -1}.get(node.op, 0)
    return 0
