"""Gates of one bit, equal ones held once, and a cover of them by LUTs.

A literal is 2 gate + 1 where the gate's value is inverted; gate 0 is the constant 0. A gate without fanins is a leaf.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import product

FALSE, TRUE = 0, 1
Cut = frozenset[int]


@dataclass(slots=True)
class Gates:
    """Gates so far; new ones belong to `owner`."""

    owner: int = 0
    fanins: list[tuple[int, ...]] = field(default_factory=lambda: [()])
    owners: list[int] = field(default_factory=lambda: [0])
    known: dict[tuple[str, tuple[int, ...]], int] = field(default_factory=dict)

    def leaves(self, count: int) -> list[int]:
        """Literals of so many new leaves."""
        first = len(self.fanins)
        self.fanins += [()] * count
        self.owners += [self.owner] * count
        return [2 * (first + place) for place in range(count)]

    def is_gate(self, gate: int) -> bool:
        return bool(self.fanins[gate])

    def _gate(self, kind: str, literals: tuple[int, ...]) -> int:
        key = (kind, literals)
        gate = self.known.get(key)
        if gate is None:
            gate = self.known[key] = len(self.fanins)
            self.fanins.append(tuple([literal >> 1 for literal in literals]))
            self.owners.append(self.owner)
        return 2 * gate

    def both(self, a: int, b: int) -> int:
        """The literal of a and b."""
        a, b = min(a, b), max(a, b)
        if a == FALSE or a ^ b == 1:
            return FALSE
        return b if a in (TRUE, b) else self._gate("and", (a, b))

    def either(self, a: int, b: int) -> int:
        """The literal of a or b."""
        return self.both(a ^ 1, b ^ 1) ^ 1

    def differ(self, a: int, b: int) -> int:
        """The literal of a xor b."""
        sign = (a ^ b) & 1
        a, b = sorted((a & ~1, b & ~1))
        if a == b:
            return sign
        return (b if a == FALSE else self._gate("xor", (a, b))) ^ sign

    def mux(self, condition: int, then: int, otherwise: int) -> int:
        """The literal of `then` where the condition holds, else `otherwise`."""
        if condition & 1:
            condition, then, otherwise = condition ^ 1, otherwise, then
        if condition == FALSE or then == otherwise:
            return otherwise
        if then ^ otherwise == 1:
            return self.differ(condition, otherwise)
        if then <= TRUE:
            return self.either(condition, otherwise) if then else self.both(condition ^ 1, otherwise)
        if otherwise <= TRUE:
            return self.either(condition ^ 1, then) if otherwise else self.both(condition, then)
        return self._gate("mux", (condition, then, otherwise))

    def equal(self, left: list[int], right: list[int]) -> int:
        """Whether two numbers of as many bits are equal: a tree."""
        level = [self.differ(one, other) ^ 1 for one, other in zip(left, right, strict=True)]
        while len(level) > 1:
            paired = [self.both(*level[place : place + 2]) for place in range(0, len(level) - 1, 2)]
            level = paired + level[len(level) & ~1 :]
        return level[0]

    def less(self, left: list[int], right: list[int]) -> int:
        """Whether a number in two's complement is below another of as many bits."""
        below = FALSE
        last = len(left) - 1
        for place, (one, other) in enumerate(zip(left, right, strict=True)):
            below = self.mux(self.differ(one, other), one if place == last else other, below)
        return below

    def users(self) -> list[int]:
        """How many gates take each gate."""
        users = [0] * len(self.fanins)
        for taken in self.fanins:
            for gate in taken:
                users[gate] += 1
        return users

    def cover(self, roots: Iterable[int], inputs: int, kept: int) -> list[int]:
        """The gates that are outputs of LUTs where those of `roots` are; `kept` cuts of a gate are tried."""
        wanted = [gate for gate in roots if self.fanins[gate]]
        users = self.users()
        for gate in wanted:
            users[gate] += 1
        flow = [0.0] * len(self.fanins)
        cuts: list[list[Cut]] = [[frozenset((gate,))] if gate else [frozenset()] for gate in range(len(self.fanins))]
        for gate, taken in enumerate(self.fanins):
            if not taken:
                continue
            found = {frozenset().union(*each) for each in product(*[cuts[source] for source in taken])}
            areas = {cut: 1 + sum(flow[leaf] for leaf in cut) for cut in found if len(cut) <= inputs}
            best = sorted(areas, key=lambda cut: (areas[cut], len(cut), sorted(cut)))[:kept]
            flow[gate] = areas[best[0]] / max(1, users[gate])
            cuts[gate] = [*best, frozenset((gate,))]
        used: set[int] = set()
        while wanted:
            gate = wanted.pop()
            if gate not in used:
                used.add(gate)
                wanted += [leaf for leaf in cuts[gate][0] if self.fanins[leaf]]
        return sorted(used)
