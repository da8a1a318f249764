"""Values of C as typed trees: the usual conversions made explicit, so that a specification computes the same bits."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

from pycparser import c_ast

from arrayol.c_import.c_text import TYPES
from arrayol.c_import.model import BOOL, RANKS, Value
from arrayol.c_import.names import Names, Place
from arrayol.text import clipped

_COMPARISONS = {"<", "<=", ">", ">=", "==", "!="}
_BITS = {"&", "|", "^"}
_FUNCTIONS = {  # of math.h: those that NumPy's are to the last bit
    "sqrt": "sqrt",
    "sqrtf": "sqrt",
    "fabs": "abs",
    "fabsf": "abs",
    "abs": "abs",
    "floor": "floor",
    "floorf": "floor",
    "ceil": "ceil",
    "ceilf": "ceil",
}
_NEAR = {"exp": "exp", "log": "log", "sin": "sin", "cos": "cos", "tan": "tan"}
_FLOATS = {"f32", "f64"}


class Values:
    """The values in one place of a scop."""

    def __init__(self, names: Names, place: Place) -> None:
        self.names, self.place = names, place

    def value(self, node: Any) -> Value:
        """The tree of an expression. Raises ArrayolError for what the language does not have."""
        read = self._readers().get(type(node))
        if read is None:
            hint = "use numbers, elements, + - * /, comparisons, ?: and functions of math.h"
            raise self.names.refused(node, f"a value of kind '{type(node).__name__}' has no counterpart", hint)
        return read(node)

    def _readers(self) -> dict[type, Callable[[Any], Value]]:
        return {
            c_ast.Constant: self._literal,
            c_ast.ID: self._name,
            c_ast.ArrayRef: self._name,
            c_ast.Cast: self._cast,
            c_ast.TernaryOp: self._choice,
            c_ast.FuncCall: self._call,
            c_ast.UnaryOp: self._unary,
            c_ast.BinaryOp: self._binary,
        }

    def _binary(self, node: Any) -> Value:
        if node.op in {"&&", "||"}:
            sides = (self.condition(node.left), self.condition(node.right))
            return Value("and" if node.op == "&&" else "or", BOOL, sides)
        return self.arithmetic(node.op, self.value(node.left), self.value(node.right), node)

    def arithmetic(self, operator: str, left: Value, right: Value, node: Any) -> Value:
        """An operation on two values in their common type."""
        left, right = self.number(left), self.number(right)
        common = self.common(left.type, right.type)
        operands = (self.converted(left, common), self.converted(right, common))
        if operator in _COMPARISONS:
            return Value(operator, BOOL, operands)
        if operator in {"/", "%"} and common not in _FLOATS:
            hint = "convert first: (double)a / b; C rounds towards zero, the language downwards"
            raise self.names.refused(node, f"'{operator}' of integers rounds otherwise in C", hint)
        if operator not in {"+", "-", "*", "/"} and not (operator in _BITS and common not in _FLOATS):
            raise self.names.refused(node, f"'{operator}' is not read", "write it with + - * / & | ^")
        return Value(operator, common, operands)

    def common(self, left: str, right: str) -> str:
        """C's usual arithmetic conversions."""
        ranks = [RANKS.index(one) if one in RANKS else 0 for one in (left, right)]
        return RANKS[max(ranks)]

    def number(self, value: Value) -> Value:
        """A truth value as C's 1 or 0."""
        if value.type != BOOL:
            return value
        return Value("choice", "i32", (value, Value("literal", "i32", text="1"), Value("literal", "i32", text="0")))

    def condition(self, node: Any) -> Value:
        """A truth value; a number is one where it is not 0."""
        value = self.value(node)
        return value if value.type == BOOL else Value("!=", BOOL, (value, Value("literal", value.type, text="0")))

    def converted(self, value: Value, wanted: str) -> Value:
        """The value in another type. An integer of the text takes what it meets; other numbers could be rounded."""
        if value.type == wanted:
            return value
        if value.kind == "literal" and value.type == "i32":
            return Value("literal", wanted, text=value.text)
        return Value("convert", wanted, (value,))

    def stored(self, value: Value, wanted: str) -> Value:
        """The value as an element of that type."""
        return self.converted(self.number(value), wanted)

    def _literal(self, node: Any) -> Value:
        text = node.value.lower()
        if node.type.endswith("int"):
            number = self.names.integer(node)
            kind = "i64" if "l" in text or number >= 2**31 else "u32" if text.endswith("u") else "i32"
            return Value("literal", kind, text=str(number))
        if node.type == "float" or (node.type == "double" and text.endswith("f")):
            return Value("literal", "f32", text=repr(struct.unpack("f", struct.pack("f", float(text.rstrip("f"))))[0]))
        if node.type == "double":
            return Value("literal", "f64", text=repr(float(text)))
        raise self.names.refused(node, f"{clipped(node.value)} is no number", "use a number")

    def _name(self, node: Any) -> Value:
        name = node.name if isinstance(node, c_ast.ID) else None
        if name in self.place.iterators or (name is not None and self.names.const(name)):
            form = self.names.form(node, self.place)
            return Value("literal", "f64", text=str(name)) if form is None else Value("form", "i32", form=form)
        access = self.names.access(node, self.place)
        if access is None:
            hint = "hand it over as a parameter, or define it"
            raise self.names.refused(node, "this names nothing that is known here", hint)
        return Value("read", self.names.variables[access.array].type, access=access)

    def _cast(self, node: Any) -> Value:
        words = " ".join(getattr(node.to_type.type.type, "names", ["?"]))
        wanted = TYPES.get(words) or self.names.text.types.get(words)
        if wanted is None:
            raise self.names.refused(node, f"'{words}' is no type of numbers", "use double, float, int or the like")
        return self.converted(self.number(self.value(node.expr)), wanted)

    def _choice(self, node: Any) -> Value:
        condition = self.condition(node.cond)
        sides = [self.number(self.value(side)) for side in (node.iftrue, node.iffalse)]
        common = sides[0].type if sides[0].type == sides[1].type else self.common(sides[0].type, sides[1].type)
        return Value("choice", common, (condition, *(self.converted(side, common) for side in sides)))

    def _call(self, node: Any) -> Value:
        name = getattr(node.name, "name", "this")
        arguments = node.args.exprs if node.args else []
        known = {**_FUNCTIONS, **_NEAR}
        if name not in known or len(arguments) != 1:
            hint = f"known are {', '.join(sorted(known))}; a macro with arguments is replaced by gcc -E -P"
            raise self.names.refused(node, f"'{name}' is not known", hint)
        wanted = "i32" if name == "abs" else "f32" if name.endswith("f") else "f64"
        operand = self.converted(self.number(self.value(arguments[0])), wanted)
        return Value("call", wanted, (operand,), text=known[name])

    def _unary(self, node: Any) -> Value:
        if node.op == "!":
            return Value("not", BOOL, (self.condition(node.expr),))
        operand = self.number(self.value(node.expr))
        if node.op == "+":
            return operand
        if node.op != "-":
            raise self.names.refused(node, f"'{node.op}' is not read", "use - or !")
        kept = operand.type if operand.type in RANKS else "i32"
        return Value("negative", kept, (self.converted(operand, kept),))
