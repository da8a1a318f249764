"""Formulas of technology tables: `ceil(1.35*w*log2(w))`, `0 if k <= 2 else 2.1*k - 4.1`.

Parsed by precedence climbing into a tree of frozen nodes; nothing is passed to Python's own evaluation. Loosest first:
`x if a < b and c > d else y`, + and -, * and /, unary -, ** (from the right).
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from arrayol.language.syntax.diagnose import did_you_mean
from arrayol.text import clipped, listed

VARIABLES = ("w", "a", "b", "n", "k", "inputs", "bits", "adders", "adder_bits", "luts", "chain")
LONGEST = 400  # characters of a formula
DEEPEST = 40  # parentheses, calls and signs inside one another


class FormulaError(ValueError):
    """The error of a formula, with its character; it never leaves the technology room."""


@dataclass(frozen=True, slots=True)
class _Number:
    number: float

    def value(self, variables: Mapping[str, float]) -> float:
        return self.number


@dataclass(frozen=True, slots=True)
class _Variable:
    name: str

    def value(self, variables: Mapping[str, float]) -> float:
        return variables[self.name]


@dataclass(frozen=True, slots=True)
class _Call:
    function: Callable[..., float]
    arguments: tuple[_Node, ...]

    def value(self, variables: Mapping[str, float]) -> float:
        return float(self.function(*(argument.value(variables) for argument in self.arguments)))


@dataclass(frozen=True, slots=True)
class _Choice:
    condition: _Node
    then: _Node
    other: _Node

    def value(self, variables: Mapping[str, float]) -> float:
        return (self.then if self.condition.value(variables) else self.other).value(variables)


_Node: TypeAlias = _Number | _Variable | _Call | _Choice

_FUNCTIONS: dict[str, tuple[Callable[..., float], int]] = {  # and the least number of arguments
    "ceil": (math.ceil, 1),
    "log2": (math.log2, 1),
    "sqrt": (math.sqrt, 1),
    "min": (min, 2),
    "max": (max, 2),
}
_SUMS = {"+": operator.add, "-": operator.sub}
_PRODUCTS = {"*": operator.mul, "/": operator.truediv}
_COMPARISONS = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula of the variables `w a b n k inputs bits adders adder_bits luts chain`; equal if the text is."""

    text: str
    variables: frozenset[str]
    _root: _Node

    def value(self, variables: Mapping[str, float]) -> float:
        """The value for these values of variables. Raises FormulaError if there is none, as for log2(0)."""
        try:
            value = self._root.value(variables)
        except (ArithmeticError, ValueError):
            value = math.nan
        if not math.isfinite(value):
            given = ", ".join(f"{name} = {variables[name]:g}" for name in sorted(self.variables))
            raise FormulaError(f"'{clipped(self.text)}' has no value{f' for {given}' if given else ''}")
        return value


def parse_formula(text: str) -> Formula:
    """Parse a formula. Raises FormulaError with the character of the mistake."""
    if len(text) > LONGEST:
        raise FormulaError(f"a formula has at most {LONGEST} characters, not {len(text):,}")
    parser = _Parser(text)
    root = parser.choice(0)
    parser.end()
    return Formula(text, frozenset(parser.variables), root)


def constant(number: float) -> Formula:
    """The formula of a number."""
    return Formula(f"{number:g}", frozenset(), _Number(float(number)))


_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+)|(?P<name>[A-Za-z_]\w*)|(?P<mark>\*\*|[<>=!]=|.))",
    re.ASCII,
)


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = [
            (match.lastgroup or "", match[match.lastgroup or 0], match.start(match.lastgroup or 0))
            for match in _TOKEN.finditer(text.rstrip())
        ]
        self.tokens.append(("end", "", len(text.rstrip())))
        self.place = 0
        self.variables: set[str] = set()

    def take(self, *marks: str) -> str | None:
        """The next token if it is one of these, which is consumed; else None."""
        kind, text, _ = self.tokens[self.place]
        if kind in ("mark", "name") and text in marks:
            self.place += 1
            return text
        return None

    def need(self, mark: str) -> None:
        if self.take(mark) is None:
            raise self.refused(f"'{mark}' is missing")

    def end(self) -> None:
        if self.tokens[self.place][0] != "end":
            raise self.refused("an operator or the end is missing")

    def refused(self, what: str) -> FormulaError:
        kind, text, start = self.tokens[self.place]
        before = "at the end" if kind == "end" else f"before '{clipped(text)}', character {start + 1}"
        return FormulaError(f"{what} {before} of '{clipped(self.text)}'")

    def choice(self, depth: int) -> _Node:
        then = self.chain(_SUMS, depth)
        if self.take("if") is None:
            return then
        condition = self.condition(depth)
        self.need("else")
        return _Choice(condition, then, self.choice(self.deeper(depth)))

    def condition(self, depth: int) -> _Node:
        """Comparisons joined by `and` and `or`, from the left; `or` is looser."""
        alternatives = self.comparison(depth)
        while word := self.take("and", "or"):
            right = self.comparison(depth)
            while word == "or" and self.take("and"):
                right = _Call(_both, (right, self.comparison(depth)))
            alternatives = _Call(_both if word == "and" else _either, (alternatives, right))
        return alternatives

    def comparison(self, depth: int) -> _Node:
        left = self.chain(_SUMS, depth)
        mark = self.take(*_COMPARISONS)
        if mark is None:
            raise self.refused("a comparison, as k <= 2, is missing")
        return _Call(_COMPARISONS[mark], (left, self.chain(_SUMS, depth)))

    def chain(self, operators: Mapping[str, Callable[..., float]], depth: int) -> _Node:
        """Terms or factors joined from the left."""
        node = self.operand(operators, depth)
        while mark := self.take(*operators):
            node = _Call(operators[mark], (node, self.operand(operators, depth)))
        return node

    def operand(self, operators: Mapping[str, Callable[..., float]], depth: int) -> _Node:
        return self.chain(_PRODUCTS, depth) if operators is _SUMS else self.factor(depth)

    def factor(self, depth: int) -> _Node:
        if self.take("-"):
            return _Call(operator.neg, (self.factor(self.deeper(depth)),))
        base = self.atom(depth)
        return _Call(_power, (base, self.factor(self.deeper(depth)))) if self.take("**") else base

    def atom(self, depth: int) -> _Node:
        kind, text, _ = self.tokens[self.place]
        if kind == "number":
            self.place += 1
            return _Number(float(text))
        if self.take("("):
            inner = self.choice(self.deeper(depth))
            self.need(")")
            return inner
        if text in _FUNCTIONS:
            return self.call(text, depth)
        if kind != "name" or text in ("if", "else", "and", "or"):
            raise self.refused("a number, a variable or '(' is missing")
        if text not in VARIABLES:
            known = did_you_mean(text, [*VARIABLES, *_FUNCTIONS]) or f"known are {listed([*VARIABLES, *_FUNCTIONS])}"
            raise FormulaError(f"there is no '{clipped(text)}' in formulas, as in '{clipped(self.text)}'; {known}")
        self.place += 1
        self.variables.add(text)
        return _Variable(text)

    def call(self, name: str, depth: int) -> _Node:
        function, least = _FUNCTIONS[name]
        self.place += 1
        self.need("(")
        arguments = [self.choice(self.deeper(depth))]
        while self.take(","):
            arguments.append(self.choice(self.deeper(depth)))
        if len(arguments) < least or (least == 1 and len(arguments) > 1):
            raise self.refused(f"'{name}' takes {'one value' if least == 1 else 'two values or more'}; a value")
        self.need(")")
        return _Call(function, tuple(arguments))

    def deeper(self, depth: int) -> int:
        if depth == DEEPEST:
            raise FormulaError(f"a formula is nested at most {DEEPEST} deep")
        return depth + 1


def _both(left: float, right: float) -> bool:
    return bool(left) and bool(right)


def _either(left: float, right: float) -> bool:
    return bool(left) or bool(right)


def _power(base: float, exponent: float) -> float:
    return math.pow(base, exponent)  # never complex
