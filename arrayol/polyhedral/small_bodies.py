"""Which inputs each output element of a small body is computed from, by running through its instances in order.

Isl's closure of the steps inside a body is often not exact, and following them one by one takes it long; a body of a
few thousand instances is run through here in no time. Each element holds the set of inputs as the bits of an integer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from arrayol.ir import body
from arrayol.ir.model import Elementary
from arrayol.polyhedral.points import Point

MOST_INSTANCES = 5_000
Element = tuple[str, Point]


class NotFollowedError(Exception):
    """The body has too many instances, or data decide what it touches."""


def followed(elementary: Elementary) -> dict[Element, tuple[Element, ...]]:
    """The input elements that each output element depends on. Raises NotFollowedError."""
    run = _Run({port.name for port in elementary.inputs})
    run.block(elementary.body or (), {})
    names = list(run.numbers)
    return {
        element: tuple(names[place] for place in range(bits.bit_length()) if bits >> place & 1)
        for element, bits in run.memory.items()
    }


@dataclass(slots=True)
class _Run:
    """Where a run stands: what each written element depends on, and the number of each input element met."""

    inputs: set[str]
    memory: dict[Element, int] = field(default_factory=dict)
    numbers: dict[Element, int] = field(default_factory=dict)
    instances: int = 0

    def block(self, statements: Sequence[body.Statement], outer: Mapping[str, int]) -> None:
        """All instances of statements, in textual order."""
        for statement in statements:
            for indices in _indices(statement.ranges, outer):
                if isinstance(statement, body.Loop):
                    self.block(statement.body, indices)
                else:
                    self._assign(statement, indices)

    def _assign(self, statement: body.Assign, indices: Mapping[str, int]) -> None:
        self.instances += 1
        if self.instances > MOST_INSTANCES:
            raise NotFollowedError
        if statement.condition is not None and not _number(statement.condition, indices):
            return
        target = (statement.port, self._place(statement.subscripts, indices))
        needs = self._needs(statement.value, indices)
        self.memory[target] = needs | (self.memory.get(target, 0) if statement.accumulate else 0)

    def _needs(self, expr: body.Expr, indices: Mapping[str, int]) -> int:
        """The inputs that a value depends on; where data choose a branch, both branches and the condition count."""
        needs = 0
        stack: list[body.Expr] = [expr]
        while stack:
            node = stack.pop()
            if isinstance(node, body.Read):
                needs |= self._read((node.port, self._place(node.subscripts, indices)))
            elif isinstance(node, body.Select) and (choice := _choice(node.condition, indices)) is not None:
                stack.append(node.then if choice else node.otherwise)
            else:
                stack += body.operands_of(node)
        return needs

    def _read(self, element: Element) -> int:
        if element[0] not in self.inputs:
            return self.memory.get(element, 0)
        return 1 << self.numbers.setdefault(element, len(self.numbers))

    def _place(self, subscripts: Sequence[body.Expr], indices: Mapping[str, int]) -> Point:
        return tuple(_number(subscript, indices) for subscript in subscripts)


def _indices(ranges: Sequence[body.Range], outer: Mapping[str, int]) -> Iterator[Mapping[str, int]]:
    """The values of the range variables in lexicographic order."""
    if not ranges:
        yield outer
        return
    first, *rest = ranges
    for value in range(_number(first.low, outer), _number(first.high, outer)):
        yield from _indices(rest, {**outer, first.name: value})


def _choice(condition: body.Expr, indices: Mapping[str, int]) -> int | None:
    try:
        return _number(condition, indices)
    except NotFollowedError:
        return None


def _number(expr: body.Expr, indices: Mapping[str, int]) -> int:
    """The value of an integer expression or condition of range variables. Raises NotFollowedError for any other."""
    match expr:
        case body.Constant() if not isinstance(expr.value, float):
            return int(expr.value)
        case body.Index():
            return indices[expr.name]
        case body.Operation():
            return _operation(expr.operator, [_number(operand, indices) for operand in expr.operands])
        case body.Function(name="abs" | "min" | "max"):
            values = [_number(argument, indices) for argument in expr.arguments]
            return abs(values[0]) if expr.name == "abs" else (min if expr.name == "min" else max)(values)
        case body.Select():
            return _number(expr.then if _number(expr.condition, indices) else expr.otherwise, indices)
        case _:
            raise NotFollowedError


def _operation(operator: str, values: Sequence[int]) -> int:
    if len(values) == 1:
        if operator not in ("-", "not"):
            raise NotFollowedError
        return -values[0] if operator == "-" else int(not values[0])
    left, right = values
    simple = {
        "+": left + right, "-": left - right, "*": left * right, "==": left == right, "!=": left != right,
        "<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right,
        "and": bool(left and right), "or": bool(left or right),
    }  # fmt: skip
    if operator in simple:
        return int(simple[operator])
    if operator in ("//", "%") and right:
        return left // right if operator == "//" else left % right
    raise NotFollowedError
