"""What the names of a scop mean: arrays, scalars, consts; and integer expressions of C as affine forms."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from pycparser import c_ast

from arrayol.c_import.c_text import TYPES, Text, refused
from arrayol.c_import.constants import Constant, literal
from arrayol.c_import.macros import Macro, read_macro
from arrayol.c_import.model import Access, Form, Loop, Variable
from arrayol.checks.check import sound
from arrayol.errors import ArrayolError, error
from arrayol.ir.affine import Affine
from arrayol.ir.syntax import KEYWORDS
from arrayol.language.loader import load_source
from arrayol.language.parser import expressions_of
from arrayol.operators.registry import FUNCTIONS
from arrayol.source import SourceFile, Span
from arrayol.text import clipped


@dataclass(frozen=True)
class Place:
    """Where a statement stands: loops and conditions around it, and what C's iterators are there, and their types."""

    loops: tuple[Loop, ...] = ()
    position: tuple[int, ...] = ()
    conditions: tuple[Form, ...] = ()
    iterators: Mapping[str, Form] = field(default_factory=dict)
    types: Mapping[str, str] = field(default_factory=dict)


class Names:
    """The variables and consts of one function; consts that are used become those of the specification."""

    def __init__(self, text: Text, settings: Mapping[str, str]) -> None:
        self.text, self.settings = text, dict(settings)
        self.variables: dict[str, Variable] = {}
        self.consts: dict[str, str] = {}
        self.values: dict[str, int | float] = {}
        self._open: set[str] = set()  # macros whose values are being asked for
        self._macros: dict[str, Constant] = {}  # values of macros that were used

    def access(self, node: c_ast.Node, place: Place) -> Access | None:
        """An element of a variable; None for what is none."""
        subscripts: list[c_ast.Node] = []
        inner = node
        while isinstance(inner, c_ast.ArrayRef):
            subscripts.insert(0, inner.subscript)
            inner = inner.name
        if not isinstance(inner, c_ast.ID) or inner.name not in self.variables:
            return None
        variable = self.variables[inner.name]
        if len(subscripts) != len(variable.dims):
            message = f"'{inner.name}' has {len(variable.dims)} dimensions, and {len(subscripts)} subscripts here"
            raise self.refused(node, message, "name one element")
        forms = tuple(self.affine(one, place, f"a subscript of '{inner.name}'") for one in subscripts)
        return Access(inner.name, forms, self.span(inner))

    def affine(self, node: c_ast.Node, place: Place, what: str) -> Form:
        """An integer as a sum of multiples of iterators and consts. Raises ArrayolError where it is none."""
        found = self.form(node, place)
        if found is None:
            hint = "use sums of iterators and consts times numbers, as 2 * i + N - 1"
            raise self.refused(node, f"{what} is not affine in the iterators", hint)
        return found

    def form(self, node: c_ast.Node, place: Place) -> Form | None:
        """The affine form of an integer expression, None where there is none."""
        match node:
            case c_ast.Constant() if node.type.endswith("int"):
                return Affine(constant=self._signed(self.constant(node), self.span(node), node.value))
            case c_ast.ID() if node.name in place.iterators:
                return place.iterators[node.name]
            case c_ast.ID():
                return Affine(((node.name, 1),)) if self.is_size(node.name) else None
            case c_ast.UnaryOp() if node.op in {"-", "+"}:
                inner = self.form(node.expr, place)
                return None if inner is None else inner.scaled(-1 if node.op == "-" else 1)
            case c_ast.BinaryOp() if node.op in {"+", "-", "*"}:
                left, right = self.form(node.left, place), self.form(node.right, place)
                return None if left is None or right is None else _combined(node.op, left, right)
            case _:
                return None

    def constant(self, node: c_ast.Constant) -> Constant:
        """The value of a literal with its type."""
        try:
            return literal(node.value)
        except ArithmeticError as wrong:
            raise self.refused(node, str(wrong), "write a decimal number") from None

    def _signed(self, constant: Constant, span: Span, text: str) -> int:
        """The value of a size: unsigned ones are refused, since what meets them in C wraps."""
        if constant.type.startswith("u"):
            message = f"{text[:24]} is unsigned, so sums and comparisons with it are unsigned too"
            small = constant.value < 2**31
            raise refused(span, message, f"write {constant.value}" if small else "write a number below 2**31")
        return int(constant.value)

    def is_size(self, name: str) -> bool:
        """Whether a name is an integer const; a parameter without a value cannot be one, and is refused."""
        if self.const(name):
            return isinstance(self.values[name], int)
        if name in self._macros:
            self._signed(self._macros[name], self.text.consts[name][1], f"'{name}'")
            return False
        variable = self.variables.get(name)
        if variable is not None and not variable.local and not variable.dims and variable.type == "i32":
            raise error("no-value", f"'{name}' is a size without a value", variable.span, hint=f"give --set {name}=8")
        return False

    def const(self, name: str) -> bool:
        """Whether a name is a const of the specification; its text is kept. A macro of type int, long or double is."""
        if name not in self.consts and name in self.text.consts:
            self.macro(name)
        return name in self.consts

    def macro(self, name: str) -> Constant:
        """The value of a macro, or of a parameter that a setting gives one; what it uses comes with it."""
        if name in self.consts:
            value = self.values[name]
            return self._macros.get(name) or Constant("f64" if isinstance(value, float) else "i32", value)
        if name in self._macros:
            return self._macros[name]
        text, span = self.text.consts[name]
        if name in self.settings:
            self.set_const(name, span)
            return self.macro(name)
        self._open.add(name)
        macro = read_macro(name, text, span, lambda other: self._inner(other, name, span))
        self._open.remove(name)
        self._macros[name] = macro.constant
        if macro.constant.type in {"i32", "i64", "f64"}:
            self._enter(name, macro, span)
        return macro.constant

    def _inner(self, other: str, name: str, span: Span) -> Constant:
        """The value of a name in the text of a macro."""
        known = other in self.consts or other in self.text.consts
        if other in self._open or not known:
            raise refused(span, f"'{other}' in '{name}' has no value", f"define '{other}' with a number")
        return self.macro(other)

    def _enter(self, name: str, macro: Macro, span: Span) -> None:
        """Make a macro a const; one whose text has values that are no consts is a number."""
        whole = all(other in self.consts for other in macro.names) and expressions_of(macro.text) is not None
        self._keep(name, macro.text if whole else macro.constant.text, span, self.consts)
        if self.values[name] != macro.constant.value:
            raise refused(span, f"'{name}' is {self.values[name]} in a specification", "write it as a number")

    def type_of(self, words: str) -> str | None:
        """The language's name of a type of C, None for one that is no number."""
        return TYPES.get(words) or self.text.types.get(words)

    def set_parameter(self, name: str, kind: str, span: Span) -> None:
        """Give a parameter of the function the value of its setting, in its type."""
        self.set_const(name, span)
        value = self.values[name]
        if kind == "f64" and isinstance(value, int):
            self.consts[name], self.values[name] = repr(float(value)), float(value)
        elif kind == "i32" and not isinstance(value, int):
            hint = f"write an integer, as in --set {name}=64"
            raise error("bad-setting", f"{value} is no value for the int '{name}'", hint=hint, file=span.file.name)

    def set_const(self, name: str, span: Span) -> None:
        """Give a const the value of its setting."""
        text = self.settings[name]
        message = f"'{clipped(text)}' is not a value for const '{name}'"
        wrong = error("bad-setting", message, hint=f"write a number, as in --set {name}=64", file=span.file.name)
        if expressions_of(text) is None:
            raise wrong
        try:
            self._keep(name, text, span, {})
        except ArrayolError:
            raise wrong from None

    def _keep(self, name: str, text: str, span: Span, others: Mapping[str, str]) -> None:
        """Enter a const with its value, which others may take part in."""
        self.check_word(name, span)
        lines = [f"const {one} = {other}" for one, other in {**others, name: text}.items()]
        value = sound(load_source(SourceFile(span.file.name, "\n".join(lines)))).spec.constants[name]
        if isinstance(value, bool):
            raise refused(span, f"'{name}' is a truth value", "write it as a number")
        self.consts[name], self.values[name] = text, value

    def check_word(self, name: str, span: Span) -> None:
        """Refuse a name that means something else in a specification."""
        if name in TAKEN:
            raise refused(span, f"'{name}' is a word of the language", "rename it")

    def span(self, node: c_ast.Node) -> Span:
        """The first word of a node."""
        return span_at(self.text, node.coord.line, node.coord.column or 1)

    def refused(self, node: c_ast.Node, message: str, hint: str) -> ArrayolError:
        return refused(self.span(node), message, hint)


def _combined(operator: str, left: Form, right: Form) -> Form | None:
    if operator == "*":
        for factor, other in ((left, right), (right, left)):
            if factor.number is not None:
                return other.scaled(factor.number)
        return None
    return left + right if operator == "+" else left - right


def span_at(text: Text, line: int, column: int) -> Span:
    """The word at a place."""
    lines = text.file.text.split("\n")
    line = min(line, len(lines))
    start = sum(len(one) + 1 for one in lines[: line - 1]) + column - 1
    word = re.compile(r"\w+|.|$", re.DOTALL).match(text.file.text, start)
    return Span(text.file, start, word.end() if word else start)


TAKEN = (
    KEYWORDS
    | FUNCTIONS.keys()
    | {  # words of the language and of isl's texts
        *("bool", "exists", "implies", "mod", "floord", "ceild", "infty", "NaN"),
    }
)
