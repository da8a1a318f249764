"""Values of constant expressions."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass

from arrayol.ir import syntax
from arrayol.ir.spec import ConstValue
from arrayol.ir.types import ElementType
from arrayol.language import constants
from arrayol.language.diagnose import Mistake, mistake
from arrayol.language.hints import did_you_mean

TYPE_NAMES = frozenset(ElementType)


@dataclass(frozen=True, slots=True)
class Constants:
    """The consts in scope: their values, the names of those that could not be computed, and what other names mean."""

    values: Mapping[str, ConstValue]
    broken: Set[str]
    others: Mapping[str, str]

    def value(self, name: syntax.Name) -> ConstValue:
        """The value of a const. Raises Mistake for any other name."""
        if name.text in self.values:
            return self.values[name.text]
        if name.text in self.broken:
            raise Mistake
        if name.text in self.others:
            raise mistake("not-a-const", f"'{name.text}' is {self.others[name.text]}, not a const", name.span)
        raise mistake(
            "unknown-name", f"no const is named '{name.text}'", name.span, did_you_mean(name.text, self.values)
        )

    def evaluate(self, expr: syntax.Expr) -> ConstValue:
        """The value of an expression over consts. Raises Mistake."""
        match expr:
            case syntax.Number() | syntax.Truth():
                return expr.value
            case syntax.Binary():
                return self._chain(expr)
            case syntax.Unary():
                return constants.unary(expr.operator, self.evaluate(expr.operand), expr.span)
            case syntax.Conditional():
                chosen = expr.then if self._truth(expr.condition, "if") else expr.otherwise
                return self.evaluate(chosen)
            case syntax.Apply():
                return self._apply(expr)
            case syntax.Ref():
                if expr.subscripts:
                    raise mistake("not-a-const", f"'{expr.name.text}' is no const array; consts are numbers", expr.span)
                return self.value(expr.name)

    def integer(self, expr: syntax.Expr, what: str) -> int:
        """The value of an expression that must be an integer; `what` names its role in the message."""
        value = self.evaluate(expr)
        if isinstance(value, (bool, float)):
            hint = f"write i64({value}) to cut a fraction off" if isinstance(value, float) else None
            raise mistake("not-an-integer", f"{what} must be an integer, not {_shown(value)}", expr.span, hint)
        return value

    def _chain(self, expr: syntax.Binary) -> ConstValue:
        """A chain of left operands by a loop, since it may be longer than any stack."""
        chain: list[syntax.Binary] = []
        left: syntax.Expr = expr
        while isinstance(left, syntax.Binary):
            chain.append(left)
            left = left.left
        value = self.evaluate(left)
        for node in reversed(chain):
            value = self._step(node, value)
        return value

    def _step(self, node: syntax.Binary, left: ConstValue) -> ConstValue:
        if node.operator not in ("and", "or"):
            return constants.binary(node.operator, left, self.evaluate(node.right), node.span)
        if not isinstance(left, bool):
            raise mistake("wrong-operand", f"'{node.operator}' takes truth values", node.left.span)
        decided = left if node.operator == "or" else not left
        return left if decided else self._truth(node.right, node.operator)

    def _truth(self, expr: syntax.Expr, word: str) -> bool:
        value = self.evaluate(expr)
        if not isinstance(value, bool):
            raise mistake("wrong-operand", f"'{word}' takes a truth value, not {_shown(value)}", expr.span)
        return value

    def _apply(self, expr: syntax.Apply) -> ConstValue:
        name = expr.function.text
        check_function(expr)
        values = [self.evaluate(argument) for argument in expr.arguments]
        if name in TYPE_NAMES:
            return constants.convert(ElementType(name), values[0], expr.span)
        return constants.apply(name, values, expr.span)


def check_function(expr: syntax.Apply) -> None:
    """Raise where a function or conversion is unknown, or has another number of arguments than it takes."""
    name, given = expr.function.text, len(expr.arguments)
    if name not in constants.FUNCTIONS and name not in TYPE_NAMES:
        hint = did_you_mean(name, {*constants.FUNCTIONS, *TYPE_NAMES})
        raise mistake("unknown-function", f"no function is named '{name}'", expr.function.span, hint)
    least = constants.FUNCTIONS.get(name, 1)
    if given < least or (least == 1 and given > 1):
        wanted = "one argument" if least == 1 else "two arguments or more"
        raise mistake("wrong-arguments", f"'{name}' takes {wanted}, not {given}", expr.span)


def _shown(value: ConstValue) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
