"""Values of C as typed trees: the usual conversions made explicit, so that a specification computes the same bits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pycparser import c_ast

from arrayol.c_import.constants import FLOATS, Constant, common_type, converted, negative, operation
from arrayol.c_import.model import BOOL, Value
from arrayol.c_import.names import Names, Place
from arrayol.operators.registry import FUNCTIONS
from arrayol.text import clipped

_COMPARISONS = {"<", "<=", ">", ">=", "==", "!="}
_BITS = {"&", "|", "^"}
_FUNCTIONS = {of_c: name for name, function in FUNCTIONS.items() for of_c in function.c.read_from}
_WEAK = {"literal", "const", "form"}  # in the language they take the type that they meet


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
            c_ast.Constant: self._number_of_c,
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
        common = common_type(left.type, right.type)
        if operator in {"/", "%"} and common not in FLOATS:
            hint = "convert first: (double)a / b; C rounds towards zero, the language downwards"
            raise self.names.refused(node, f"'{operator}' of integers rounds otherwise in C", hint)
        if operator not in {*_COMPARISONS, "+", "-", "*", "/"} and not (operator in _BITS and common not in FLOATS):
            raise self.names.refused(node, f"'{operator}' is not read", "write it with + - * / & | ^")
        operands = (self.converted(left, common, node), self.converted(right, common, node))
        if operator in _COMPARISONS:
            return Value(operator, BOOL, _definite(operands, common))
        constants = [_constant(one) for one in operands]
        if constants[0] is not None and constants[1] is not None:
            folded = self._folded(operation, (operator, *constants), node)
            if common != "f64":
                return _literal(folded)
            operands = (_literal(constants[0]), _literal(constants[1]))
        return Value(operator, common, _definite(operands, common))

    def _folded(self, function: Callable[..., Constant], arguments: tuple[Any, ...], node: Any) -> Constant:
        """The constant that an operation gives; a refusal where C does not define it."""
        try:
            return function(*arguments)
        except ArithmeticError as wrong:
            raise self.names.refused(node, str(wrong), "write the number that is meant") from None

    def number(self, value: Value) -> Value:
        """A truth value as C's 1 or 0."""
        if value.type != BOOL:
            return value
        return Value("choice", "i32", (value, Value("literal", "i32", text="1"), Value("literal", "i32", text="0")))

    def condition(self, node: Any) -> Value:
        """A truth value; a number is one where it is not 0."""
        value = self.value(node)
        return value if value.type == BOOL else Value("!=", BOOL, (value, Value("literal", value.type, text="0")))

    def converted(self, value: Value, wanted: str, node: Any) -> Value:
        """The value in another type. Integers of the text are converted here; a float keeps its text."""
        if value.type == wanted:
            return value
        constant = _constant(value)
        if constant is not None and not (constant.type in FLOATS and wanted in FLOATS):
            made = self._folded(converted, (constant, wanted), node)
            same = wanted in FLOATS and made.value == constant.value
            return Value("literal", wanted, text=value.text if same and value.text else made.text)
        if _is_weak(value) and wanted not in FLOATS and constant is None:
            value = Value("convert", value.type, (value,))  # a constant that does not fit would be refused
        return Value("convert", wanted, (value,))

    def stored(self, value: Value, wanted: str, node: Any) -> Value:
        """The value as an element of that type."""
        return self.converted(self.number(value), wanted, node)

    def _number_of_c(self, node: Any) -> Value:
        if not node.type.endswith(("int", "float", "double")):
            raise self.names.refused(node, f"{clipped(node.value)} is no number", "use a number")
        return _literal(self.names.constant(node))

    def _name(self, node: Any) -> Value:
        name = node.name if isinstance(node, c_ast.ID) else None
        if name in self.place.iterators or (name is not None and self.names.const(name)):
            return self._weak_name(node, name)
        if name in self.names.text.consts:
            return _literal(self.names.macro(name))
        access = self.names.access(node, self.place)
        if access is None:
            hint = "hand it over as a parameter, or define it"
            raise self.names.refused(node, "this names nothing that is known here", hint)
        return Value("read", self.names.variables[access.array].type, access=access)

    def _weak_name(self, node: Any, name: Any) -> Value:
        """An iterator or a const; those of type long are converted where they stand."""
        kind = self.place.types[name] if name in self.place.iterators else self.names.macro(name).type
        if kind == "f64":
            return Value("const", kind, text=name)
        value = Value("form", "i32", form=self.names.form(node, self.place))
        return value if kind == "i32" else Value("convert", kind, (value,))

    def _cast(self, node: Any) -> Value:
        words = " ".join(getattr(node.to_type.type.type, "names", ["?"]))
        wanted = self.names.type_of(words)
        if wanted is None:
            raise self.names.refused(node, f"'{words}' is no type of numbers", "use double, float, int or the like")
        return self.converted(self.number(self.value(node.expr)), wanted, node)

    def _choice(self, node: Any) -> Value:
        condition = self.condition(node.cond)
        sides = [self.number(self.value(side)) for side in (node.iftrue, node.iffalse)]
        common = sides[0].type if sides[0].type == sides[1].type else common_type(sides[0].type, sides[1].type)
        definite = _definite(tuple(self.converted(side, common, node) for side in sides), common)
        return Value("choice", common, (condition, *definite))

    def _call(self, node: Any) -> Value:
        name = getattr(node.name, "name", "this")
        arguments = node.args.exprs if node.args else []
        if name in self.names.text.callables or name in self.names.text.consts:
            hint = "write out what it computes; a macro with arguments is replaced by gcc -E -P"
            raise self.names.refused(node, f"'{name}' is what this file defines", hint)
        if name not in _FUNCTIONS or len(arguments) != 1:
            hint = f"known are {', '.join(sorted(_FUNCTIONS))}; a macro with arguments is replaced by gcc -E -P"
            raise self.names.refused(node, f"'{name}' is not known", hint)
        wanted = "i32" if name == "abs" else "f32" if name.endswith("f") else "f64"
        operand = self.converted(self.number(self.value(arguments[0])), wanted, node)
        return Value("call", wanted, _definite((operand,), wanted), text=_FUNCTIONS[name])

    def _unary(self, node: Any) -> Value:
        if node.op == "!":
            return Value("not", BOOL, (self.condition(node.expr),))
        operand = self.number(self.value(node.expr))
        if node.op == "+":
            return operand
        if node.op != "-":
            raise self.names.refused(node, f"'{node.op}' is not read", "use - or !")
        kept = common_type(operand.type, "i32")
        operand = self.converted(operand, kept, node)
        constant = _constant(operand)
        if constant is not None and kept not in FLOATS:
            return _literal(self._folded(negative, (constant,), node))
        return Value("negative", kept, _definite((operand,), kept))


def _literal(constant: Constant) -> Value:
    return Value("literal", constant.type, text=constant.text)


def _constant(value: Value) -> Constant | None:
    """The number that a value is in the text, None for any other."""
    if value.kind == "negative":
        inner = _constant(value.operands[0])
        return None if inner is None else negative(inner)
    if value.kind != "literal":
        return None
    return Constant(value.type, float(value.text) if value.type in FLOATS else int(value.text))


def _definite(operands: tuple[Value, ...], kind: str) -> tuple[Value, ...]:
    """Operands of which one has a type by itself: constants alone would be computed as the language does it."""
    if kind in {"i32", "f64"} or not all(map(_is_weak, operands)):
        return operands
    return (Value("convert", kind, operands[:1]), *operands[1:])


def _is_weak(value: Value) -> bool:
    """Whether the language knows no type of a value, since it has constants and indices only."""
    if value.kind in {"read", "convert"} or value.type == BOOL:
        return False
    operands = value.operands[1:] if value.kind == "choice" else value.operands
    return value.kind in _WEAK or all(map(_is_weak, operands))
