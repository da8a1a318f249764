"""Which input elements each output element of a body is computed from: an exact relation where the body is affine.

Inside a body outputs are memory, so a read is followed to the last write before it, and on to what that write read.
Every value that decides something counts: operands, conditions, and the element that `+=` adds to.

Isl's closure of the steps inside a body is often not exact, and following them one by one takes it long; a body of a
few thousand instances is run through in no time instead, each element with its inputs as the bits of an integer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import islpy as isl

from arrayol.ir import expressions
from arrayol.ir.spec import Elementary
from arrayol.polyhedral.isl import Point, TooHardError, bounded_effort, box, tidied
from arrayol.polyhedral.nests import NestStatement, statements_of

Relations = dict[tuple[str, str], isl.Map]  # (output, input) -> from elements of the one to elements of the other
Element = tuple[str, Point]

EFFORT = 300_000  # of isl's operations for one step: a fraction of a second
_DOUBLINGS = 12  # chains of up to 4,096 steps are followed one by one where isl finds no closed form
_FEW = 8  # pieces of a relation for a closed form
_MOST_PAIRS = 2_000  # of elements, to be told one by one
MOST_INSTANCES = 5_000


def body_relations(elementary: Elementary) -> Relations:
    """What every output element depends on, by ports; pairs of ports without any dependence are left out.

    Without a body, or where data decide which element is touched or written, each output element counts as computed
    from every input element: true of both sides of a comparison, so no difference is invented. Raises TooHardError
    beyond isl's bounded effort.
    """
    small = _small_relations(elementary) if elementary.body else None
    if small is not None:
        return small
    statements = statements_of(elementary) if elementary.body else []
    if not statements or not all(map(_is_known, statements)):
        return {
            (output.name, source.name): isl.Map.from_domain_and_range(box(output.shape), box(source.shape))
            for output in elementary.outputs
            for source in elementary.inputs
        }
    return _Flow(elementary, statements).relations()


def _small_relations(elementary: Elementary) -> Relations | None:
    """The relations of a small body, pair by pair; None where it is not small, or data decide."""
    try:
        found = followed(elementary)
    except NotFollowedError:
        return None
    pairs: dict[tuple[str, str], list[str]] = {}
    outputs = {port.name for port in elementary.outputs}  # locals are followed too
    for (output, element), needs in ((key, needs) for key, needs in found.items() if key[0] in outputs):
        for source, read in needs:
            pairs.setdefault((output, source), []).append(f"{list(element)} -> {list(read)}")
    if sum(map(len, pairs.values())) > _MOST_PAIRS:
        return None
    return {key: isl.Map(f"{{ {'; '.join(texts)} }}").coalesce() for key, texts in pairs.items()}


def _is_known(statement: NestStatement) -> bool:
    accesses = (statement.write, *statement.reads)
    return statement.exact and statement.write.certain and all(access.affine for access in accesses)


class _Flow:
    """The statements of one body in one space of times: textual places and range variables, compared in order."""

    def __init__(self, elementary: Elementary, statements: Iterable[NestStatement]) -> None:
        self.elementary = elementary
        self.statements = list(statements)
        self.depth = max(sum(1 + count for _, count in statement.path) for statement in self.statements)
        self.times = [self._time(statement) for statement in self.statements]
        written = {statement.assign.port for statement in self.statements}
        self.writes = {name: self._writes(name) for name in sorted(written)}

    def relations(self) -> Relations:
        """From each output element through all that its last write needed."""
        names = [f"t{place}" for place in range(self.depth)]
        times = isl.Map(f"{{ [{', '.join(names)}] -> [{', '.join(names)}] }}")
        chains = closure(joined([times.subtract(times), *self._earlier_writes()]))
        found: Relations = {}
        for output in self.elementary.outputs:
            needed = composed(last(self.writes[output.name].reverse()), chains)
            for source in self.elementary.inputs:
                reads = self._reads(source.name)
                relation = composed(needed, joined(reads)) if reads else None
                if relation is not None and not relation.is_empty():
                    found[output.name, source.name] = relation
        return found

    def _time(self, statement: NestStatement) -> isl.Map:
        """From a statement's instances to their times."""
        names = [f"i{place}" for place in range(len(statement.indices))]
        time: list[str] = []
        used = 0
        for place, count in statement.path:
            time += [str(place), *names[used : used + count]]
            used += count
        time += ["0"] * (self.depth - len(time))
        return isl.Map(f"{{ [{', '.join(names)}] -> [{', '.join(time)}] }}")

    def _writes(self, name: str) -> isl.Map:
        """From times to the elements of an output or local that are written then."""
        pairs = zip(self.times, self.statements, strict=True)
        return joined([composed(time.reverse(), one.write.relation) for time, one in pairs if one.assign.port == name])

    def _reads(self, name: str) -> list[isl.Map]:
        """From times to the elements of an array that are read then, one relation for each read of the text."""
        return [
            composed(time.reverse(), relation)
            for time, one in zip(self.times, self.statements, strict=True)
            for relation in _read_relations(one, name)
        ]

    def _earlier_writes(self) -> list[isl.Map]:
        """From the time of a read to that of the last write before it."""
        columns = [(f"t{place}", f"u{place}") for place in range(self.depth)]
        cases = [
            " and ".join([*(f"{one} = {other}" for one, other in columns[:place]), f"u{place} < t{place}"])
            for place in range(self.depth)
        ]
        late, early = (", ".join(column) for column in zip(*columns, strict=True))
        before = isl.Map(f"{{ [{late}] -> [{early}] : {' or '.join(f'({case})' for case in cases)} }}")
        return [
            last(composed(read, writes.reverse()).intersect(before))
            for name, writes in self.writes.items()
            for read in self._reads(name)
        ]


def _read_relations(statement: NestStatement, port: str) -> list[isl.Map]:
    """The reads of a port by a statement's instances; `+=` reads what it adds to."""
    found = [access.relation for access in statement.reads if access.port == port]
    return found + ([statement.write.relation] if statement.assign.accumulate and statement.assign.port == port else [])


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

    def block(self, statements: Sequence[expressions.Statement], outer: Mapping[str, int]) -> None:
        """All instances of statements, in textual order."""
        for statement in statements:
            for indices in _indices(statement.ranges, outer):
                if isinstance(statement, expressions.Loop):
                    self.block(statement.body, indices)
                else:
                    self._assign(statement, indices)

    def _assign(self, statement: expressions.Assign, indices: Mapping[str, int]) -> None:
        self.instances += 1
        if self.instances > MOST_INSTANCES:
            raise NotFollowedError
        if statement.condition is not None and not _number(statement.condition, indices):
            return
        target = (statement.port, self._place(statement.subscripts, indices))
        needs = self._needs(statement.value, indices)
        self.memory[target] = needs | (self.memory.get(target, 0) if statement.accumulate else 0)

    def _needs(self, expr: expressions.Expr, indices: Mapping[str, int]) -> int:
        """The inputs that a value depends on; where data choose a branch, both branches and the condition count."""
        needs = 0
        stack: list[expressions.Expr] = [expr]
        while stack:
            node = stack.pop()
            if isinstance(node, expressions.Read):
                needs |= self._read((node.port, self._place(node.subscripts, indices)))
            elif isinstance(node, expressions.Select) and (choice := _choice(node.condition, indices)) is not None:
                stack.append(node.then if choice else node.otherwise)
            else:
                stack += expressions.operands_of(node)
        return needs

    def _read(self, element: Element) -> int:
        if element[0] not in self.inputs:
            return self.memory.get(element, 0)
        return 1 << self.numbers.setdefault(element, len(self.numbers))

    def _place(self, subscripts: Sequence[expressions.Expr], indices: Mapping[str, int]) -> Point:
        return tuple(_number(subscript, indices) for subscript in subscripts)


def _indices(ranges: Sequence[expressions.Range], outer: Mapping[str, int]) -> Iterator[Mapping[str, int]]:
    """The values of the range variables in lexicographic order."""
    if not ranges:
        yield outer
        return
    first, *rest = ranges
    for value in range(_number(first.low, outer), _number(first.high, outer)):
        yield from _indices(rest, {**outer, first.name: value})


def _choice(condition: expressions.Expr, indices: Mapping[str, int]) -> int | None:
    try:
        return _number(condition, indices)
    except NotFollowedError:
        return None


def _number(expr: expressions.Expr, indices: Mapping[str, int]) -> int:
    """The value of an integer expression or condition of range variables. Raises NotFollowedError for any other."""
    match expr:
        case expressions.Constant() if not isinstance(expr.value, float):
            return int(expr.value)
        case expressions.Index():
            return indices[expr.name]
        case expressions.Operation():
            return _operation(expr.operator, [_number(operand, indices) for operand in expr.operands])
        case expressions.Function(name="abs" | "min" | "max"):
            values = [_number(argument, indices) for argument in expr.arguments]
            return abs(values[0]) if expr.name == "abs" else (min if expr.name == "min" else max)(values)
        case expressions.Select():
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


# Composition and closure of relations, within a bounded effort of isl. Isl may end the program where its bound stops it
# inside `coalesce`, which its closure uses too, so these run without a bound, on relations of few pieces only.


def composed(first: isl.Map, second: isl.Map) -> isl.Map:
    """First the one relation, then the other."""
    with bounded_effort(EFFORT):
        result = first.apply_range(second)
    return tidied(result)


def joined(relations: Sequence[isl.Map]) -> isl.Map:
    """The union of one relation or several."""
    with bounded_effort(EFFORT):
        result = relations[0]
        for relation in relations[1:]:
            result = result.union(relation)
    return tidied(result)


def last(relation: isl.Map) -> isl.Map:
    """Each element with the last of its images in lexicographic order."""
    with bounded_effort(EFFORT):
        result = relation.lexmax()
    return tidied(result)


def closure(steps: isl.Map) -> isl.Map:
    """The reflexive and transitive closure: from everything to all that some number of steps reaches.

    Isl's closed form where it is exact, else by doubling. Raises TooHardError where neither comes to an end.
    """
    identity = isl.Map.identity(steps.get_space())
    if steps.is_empty():
        return identity
    if steps.n_basic_map() <= _FEW:
        closed, exact = steps.transitive_closure()
        if exact:
            return joined([identity, closed])
    return _doubled(joined([identity, steps]))


def _doubled(reached: isl.Map) -> isl.Map:
    """The closure of a reflexive relation by squaring it until nothing is new."""
    for _ in range(_DOUBLINGS):
        further = composed(reached, reached)
        with bounded_effort(EFFORT):
            if further.is_equal(reached):
                return reached
        reached = further
    raise TooHardError
