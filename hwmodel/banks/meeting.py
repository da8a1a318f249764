"""Whether two references may name one element in one and the same iteration: what registers and order depend on."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import gcd

from hwmodel.banks.references import Reference, Subscript

Key = Hashable


def may_meet(one: Reference, other: Reference) -> bool:
    """Whether the subscripts can be equal in one iteration; unknown parts may take any value."""
    return all(_may_equal(first, second) for first, second in zip(one.subscripts, other.subscripts, strict=True))


def _may_equal(one: Subscript, other: Subscript) -> bool:
    steps = [first - second for first, second in zip(one.coefficients, other.coefficients, strict=True)]
    common = gcd(*steps, *(part.factor for part in (*one.unknown, *other.unknown)))
    difference = one.offset - other.offset
    return difference % common == 0 if common else difference == 0


def keys_of(references: Sequence[Reference]) -> list[Key]:
    """A key for each reference of a body: equal keys name one element in every iteration.

    A subscript with data that the body itself writes may change between two references, so it gets a key of its own.
    """
    written = {reference.array for reference in references if reference.write}
    keys: list[Key] = []
    for place, reference in enumerate(references):
        changing = any(
            array in written for part in reference.subscripts for term in part.unknown for array in term.reads
        )
        keys.append((reference.array, reference.subscripts, place if changing else None))
    return keys


@dataclass
class KeyIndex:
    """Keys in use, to be asked which of them may name the element of a reference."""

    _by_coefficients: dict[tuple[Hashable, ...], dict[Key, Reference]] = field(default_factory=dict)

    def add(self, key: Key, reference: Reference) -> None:
        self._by_coefficients.setdefault(_coefficients(reference), {})[key] = reference

    def discard(self, key: Key, reference: Reference) -> None:
        self._by_coefficients.get(_coefficients(reference), {}).pop(key, None)

    def meeting(self, key: Key, reference: Reference) -> Iterator[Key]:
        """The keys that may name the reference's element, its own included where it is in use."""
        for coefficients, keys in self._by_coefficients.items():
            if coefficients == _coefficients(reference) and reference.affine:
                yield from (key,) if key in keys else ()  # another offset is another element
            elif coefficients[0] == reference.array:
                yield from [found for found, other in keys.items() if may_meet(reference, other)]


def _coefficients(reference: Reference) -> tuple[Hashable, ...]:
    """References with equal ones, if affine, name one element always or never; non-affine ones stand alone."""
    unknown = tuple(part.unknown for part in reference.subscripts)
    return (reference.array, tuple(part.coefficients for part in reference.subscripts), unknown)


def arrays_written(references: Iterable[Reference]) -> frozenset[str]:
    """The arrays that some reference writes."""
    return frozenset(reference.array for reference in references if reference.write)
