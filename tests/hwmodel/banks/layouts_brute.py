"""Bank layouts judged from outside: every access of every iteration, from the numbers of a drawn nest.

Nothing here comes from the packages. What a layout claims is its JSON document: formulas are read as Python, places are
computed for every element, and cycles are counted by putting each access of each full body in its bank.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

Element = tuple[int, ...]
Access = tuple[str, Element]  # an array and an element of it
Rows = tuple[tuple[tuple[int, ...], int], ...]  # by dimension: a factor for each loop, and the offset

_RANGE = re.compile(r"(\w+) in 0\.\.(\d+)")


@dataclass(frozen=True)
class DrawnReference:
    """`array[rows]`, read or written in every iteration; modulo the shape where it wraps."""

    array: str
    rows: Rows
    write: bool = False

    def element(self, index: Sequence[int], wrapped: Sequence[int] | None) -> Element:
        """What it touches in an iteration."""
        found = [sum(map(int.__mul__, factors, index)) + offset for factors, offset in self.rows]
        return tuple(place % extent for place, extent in zip(found, wrapped, strict=True)) if wrapped else tuple(found)


@dataclass(frozen=True)
class DrawnNest:
    """A specification with one nest `t`, and the same as numbers."""

    text: str
    loops: tuple[str, ...]
    extents: tuple[int, ...]
    factors: tuple[int, ...]
    shapes: Mapping[str, tuple[int, ...]]
    references: tuple[DrawnReference, ...]
    wraps: bool

    def accesses(self, index: Sequence[int]) -> list[tuple[DrawnReference, Access]]:
        """Of one iteration."""
        return [
            (one, (one.array, one.element(index, self.shapes[one.array] if self.wraps else None)))
            for one in self.references
        ]

    def iterations(self) -> Iterator[Element]:
        """All of them, those that no full body holds too."""
        return product(*map(range, self.extents))

    def bodies(self) -> Iterator[tuple[Element, list[Access]]]:
        """The index of each full body, and its accesses."""
        counts = [extent // factor for extent, factor in zip(self.extents, self.factors, strict=True)]
        for body in product(*map(range, counts)):
            touched = []
            for copy in product(*map(range, self.factors)):
                index = [place * factor + own for place, factor, own in zip(body, self.factors, copy, strict=True)]
                touched += [access for _, access in self.accesses(index)]
            yield body, touched


@dataclass(frozen=True)
class Memory:
    """A virtual memory as the document describes it; `homes` has the element at each place that it fills."""

    name: str
    array: str
    bank: int
    shape: Element
    homes: Mapping[Element, Element]
    restores: Mapping[Element, Element]  # element -> place from which it comes back
    references: tuple[str, ...]
    renamed: tuple[str, ...]


def memories_of(document: Mapping[str, Any], shapes: Mapping[str, Element]) -> list[Memory]:
    """The memories of a document, their formulas evaluated."""
    return [
        Memory(
            part["memory"],
            array,
            part["bank"],
            tuple(part["shape"]),
            _gathered(part["reorganise"]),
            _scattered(part["restore"], shapes[array]),
            tuple(part["references"]),
            tuple(part["renamed"]),
        )
        for array, told in document["arrays"].items()
        for part in told["partitions"]
    ]


def place_in(text: str, names: Sequence[str], index: Sequence[int]) -> Element:
    """The subscripts of `a[...]` in an iteration."""
    inner = text[text.index("[") + 1 : text.rindex("]")]
    value = eval(f"({inner},)", {}, dict(zip(names, index, strict=True)))
    return tuple(value)


def _gathered(text: str) -> dict[Element, Element]:
    """`m[v0] = a[2 * v0 + 1]  for v0 in 0..4`: place -> element."""
    equation, _, ranges = text.partition("  for ")
    target, _, source = equation.partition(" = ")
    named = _RANGE.findall(ranges)
    names = [name for name, _ in named]
    points = list(product(*(range(int(high)) for _, high in named)))
    return {place_in(target, names, point): place_in(source, names, point) for point in points}


def _scattered(text: str, shape: Element) -> dict[Element, Element]:
    """`a[x0] = m[x0 // 2]  where x0 % 2 == 1`: element -> place."""
    equation, _, condition = text.partition("  where ")
    target, _, source = equation.partition(" = ")
    names = target[target.index("[") + 1 : target.rindex("]")].split(", ")
    return {
        element: place_in(source, names, element)
        for element in product(*map(range, shape))
        if not condition or eval(condition, {}, dict(zip(names, element, strict=True)))
    }


def busiest(nest: DrawnNest, bank_of: Mapping[Access, int]) -> int:
    """The most accesses to one bank in a full body."""
    return max(max(Counter(bank_of[access] for access in touched).values()) for _, touched in nest.bodies())


def live(nest: DrawnNest, *, write: bool) -> set[Access]:
    """The elements that the whole nest reads, or writes."""
    return {access for index in nest.iterations() for one, access in nest.accesses(index) if one.write == write}


def linear_conflicts(nest: DrawnNest, array: str, vector: Sequence[int], block: int, banks: int) -> bool:
    """Whether some full body has two elements of an array in one bank floor(a.x / B) mod N."""
    for _, touched in nest.bodies():
        elements = {element for name, element in touched if name == array}
        used = {sum(map(int.__mul__, vector, element)) // block % banks for element in elements}
        if len(used) < len(elements):
            return True
    return False


def elements_at_once(nest: DrawnNest, array: str) -> int:
    """The most elements of an array that one full body touches: no mapping does with fewer banks."""
    return max(len({element for name, element in touched if name == array}) for _, touched in nest.bodies())


def size(shape: Sequence[int]) -> int:
    """How many elements there are."""
    return prod(shape)
