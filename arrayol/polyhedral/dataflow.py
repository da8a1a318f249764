"""Which input elements each output element of a body is computed from: an exact relation where the body is affine.

Inside a body outputs are memory, so a read is followed to the last write before it, and on to what that write read.
Every value that decides something counts: operands, conditions, and the element that `+=` adds to.
"""

from __future__ import annotations

from collections.abc import Iterable

import islpy as isl

from arrayol.ir.model import Elementary, Port
from arrayol.polyhedral.closure import closure, composed, joined, last
from arrayol.polyhedral.nests import NestStatement, statements_of
from arrayol.polyhedral.points import box
from arrayol.polyhedral.small_bodies import NotFollowedError, followed

Relations = dict[tuple[str, str], isl.Map]  # (output, input) -> from elements of the one to elements of the other


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


_MOST_PAIRS = 2_000  # of elements, to be told one by one


def _small_relations(elementary: Elementary) -> Relations | None:
    """The relations of a small body, pair by pair; None where it is not small, or data decide."""
    try:
        found = followed(elementary)
    except NotFollowedError:
        return None
    pairs: dict[tuple[str, str], list[str]] = {}
    for (output, element), needs in found.items():
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
        self.writes = {port.name: self._writes(port) for port in elementary.outputs}

    def relations(self) -> Relations:
        """From each output element through all that its last write needed."""
        names = [f"t{place}" for place in range(self.depth)]
        times = isl.Map(f"{{ [{', '.join(names)}] -> [{', '.join(names)}] }}")
        chains = closure(joined([times.subtract(times), *self._earlier_writes()]))
        found: Relations = {}
        for output in self.elementary.outputs:
            needed = composed(last(self.writes[output.name].reverse()), chains)
            for source in self.elementary.inputs:
                reads = self._reads(source)
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

    def _writes(self, port: Port) -> isl.Map:
        """From times to the elements of an output that are written then."""
        pairs = zip(self.times, self.statements, strict=True)
        return joined(
            [composed(time.reverse(), one.write.relation) for time, one in pairs if one.assign.port == port.name]
        )

    def _reads(self, port: Port) -> list[isl.Map]:
        """From times to the elements of a port that are read then, one relation for each read of the text."""
        return [
            composed(time.reverse(), relation)
            for time, one in zip(self.times, self.statements, strict=True)
            for relation in _read_relations(one, port.name)
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
            last(composed(read, self.writes[port.name].reverse()).intersect(before))
            for port in self.elementary.outputs
            for read in self._reads(port)
        ]


def _read_relations(statement: NestStatement, port: str) -> list[isl.Map]:
    """The reads of a port by a statement's instances; `+=` reads what it adds to."""
    found = [access.relation for access in statement.reads if access.port == port]
    return found + ([statement.write.relation] if statement.assign.accumulate and statement.assign.port == port else [])
