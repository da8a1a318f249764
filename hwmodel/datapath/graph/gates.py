"""Gates of one bit, equal ones held once, and a cover of them by LUTs.

Connected gates are covered group by group, and groups of one shape once: bodies repeat their work. A literal is 2 gate
+ 1 if the gate's value is inverted; gate 0 is the constant 0. A gate without fanins is a leaf.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import chain, product
from typing import TypeAlias

FALSE, TRUE = 0, 1
Cut = frozenset[int]
Shape: TypeAlias = tuple[tuple[int, ...], tuple[tuple[int, ...], ...], tuple[bool, ...]]  # gates, fanins, is it a root


@dataclass(slots=True)
class Gates:
    """The gates so far; new ones belong to `owner`."""

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

    def _gate(self, kind: str, literals: tuple[int, ...], fanins: tuple[int, ...]) -> int:
        key = (kind, literals)
        gate = self.known.get(key)
        if gate is None:
            gate = self.known[key] = len(self.fanins)
            self.fanins.append(fanins)
            self.owners.append(self.owner)
        return 2 * gate

    def both(self, a: int, b: int) -> int:
        """The literal of a and b."""
        if a > b:
            a, b = b, a
        if a == FALSE or a ^ b == 1:
            return FALSE
        return b if a in (TRUE, b) else self._gate("and", (a, b), (a >> 1, b >> 1))

    def either(self, a: int, b: int) -> int:
        """The literal of a or b."""
        return self.both(a ^ 1, b ^ 1) ^ 1

    def differ(self, a: int, b: int) -> int:
        """The literal of a xor b."""
        sign = (a ^ b) & 1
        a, b = a & ~1, b & ~1
        if a == b:
            return sign
        if a > b:
            a, b = b, a
        return (b if a == FALSE else self._gate("xor", (a, b), (a >> 1, b >> 1))) ^ sign

    def mux(self, condition: int, then: int, otherwise: int) -> int:
        """The literal of `then` if the condition holds, else `otherwise`."""
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
        return self._gate("mux", (condition, then, otherwise), (condition >> 1, then >> 1, otherwise >> 1))

    def equal(self, left: list[int], right: list[int]) -> int:
        """The literal that says whether two numbers of equally many bits are equal, as a tree."""
        level = [self.differ(bit, other) ^ 1 for bit, other in zip(left, right, strict=True)]
        while len(level) > 1:
            paired = [self.both(*level[place : place + 2]) for place in range(0, len(level) - 1, 2)]
            level = paired + level[len(level) & ~1 :]
        return level[0]

    def less(self, left: list[int], right: list[int]) -> int:
        """The literal that says whether a number in two's complement is below another of equally many bits."""
        below = FALSE
        last = len(left) - 1
        for place, (bit, other) in enumerate(zip(left, right, strict=True)):
            below = self.mux(self.differ(bit, other), bit if place == last else other, below)
        return below

    def users(self) -> list[int]:
        """The number of gates that take each gate."""
        users = [0] * len(self.fanins)
        for inputs in self.fanins:
            for gate in inputs:
                users[gate] += 1
        return users

    def cover(self, roots: Iterable[int], inputs: int, kept: int) -> list[int]:
        """The gates that are outputs of LUTs if those of `roots` are; `kept` cuts of a gate are tried."""
        wanted = {gate for gate in roots if self.fanins[gate]}
        known: dict[Shape, list[int]] = {}
        used: list[int] = []
        for gates in self._groups():
            places = sorted({*gates, *chain.from_iterable([self.fanins[gate] for gate in gates])})
            place_of = {gate: place for place, gate in enumerate(places)}
            fanins = [tuple([place_of[taken] for taken in self.fanins[gate]]) for gate in gates]
            cover_places = [place_of[gate] for gate in gates]
            shape = (tuple(cover_places), tuple(fanins), tuple([gate in wanted for gate in gates]))
            covered = known.get(shape)
            if covered is None:
                covered = known[shape] = _cover(shape, inputs, kept)
            used += [places[place] for place in covered]
        return sorted(used)

    def _groups(self) -> Iterable[list[int]]:
        """Connected gates, by the first of them: no other gates take their values, except as roots."""
        group_of: dict[int, list[int]] = {}
        for gate, inputs in enumerate(self.fanins):
            if not inputs:
                continue
            members = [gate]
            for source in inputs:
                other = group_of.get(source)
                if other is not None and other is not members:
                    small, members = sorted((members, other), key=len)
                    members += small
                    for each in small:
                        group_of[each] = members
            group_of[gate] = members
        groups = {id(group): group for group in group_of.values()}
        return map(sorted, groups.values())


def _cover(shape: Shape, inputs: int, kept: int) -> list[int]:
    """The gates of a group that are outputs of LUTs, by position among its gates and leaves."""
    own, fanins, is_wanted = shape
    taken_of = dict(zip(own, fanins, strict=True))
    wanted = [gate for gate, is_root in zip(own, is_wanted, strict=True) if is_root]
    users = Counter([*wanted, *chain.from_iterable(fanins)])
    flow: dict[int, float] = {}  # of a leaf none
    cuts: dict[int, list[Cut]] = {}
    for gate, taken in taken_of.items():
        of_taken = [cuts.get(source) or [frozenset((source,))] for source in taken]
        merged_cuts = {frozenset().union(*each) for each in product(*of_taken)}
        areas = {cut: 1 + sum([flow.get(leaf, 0.0) for leaf in cut]) for cut in merged_cuts if len(cut) <= inputs}
        best = sorted(areas, key=lambda cut: (areas[cut], len(cut), sorted(cut)))[:kept]
        flow[gate] = areas[best[0]] / max(1, users[gate])
        cuts[gate] = [*best, frozenset((gate,))]
    used: set[int] = set()
    while wanted:
        gate = wanted.pop()
        if gate not in used:
            used.add(gate)
            wanted += [leaf for leaf in cuts[gate][0] if leaf in taken_of]
    return list(used)
