"""References and reorganisation maps as formulas that people can read, in the notation of .aol bodies."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hwmodel.banks.custom import VirtualMemory
from hwmodel.banks.references import NormalisedLoop, Reference, Subscript


def reference_text(name: str, subscripts: Sequence[Subscript], loops: Sequence[NormalisedLoop]) -> str:
    """A[2 * i + 1, j]; the loops count unrolled bodies."""
    names = [loop.name for loop in loops]
    return f"{name}[{', '.join(_subscript_text(part, names) for part in subscripts)}]"


def _subscript_text(subscript: Subscript, names: Sequence[str]) -> str:
    """2 * i - j + 1."""
    terms = [(factor, name) for factor, name in zip(subscript.coefficients, names, strict=True)]
    terms += [(part.factor, _factor_text(part.text)) for part in subscript.unknown]
    return _sum(terms, subscript.offset)


def _factor_text(text: str) -> str:
    """A text as a factor of a product: b[i + 1] as it is, i // 2 in parentheses."""
    return text if re.fullmatch(r"\w+(\[[^\[\]]*\])?", text) else f"({text})"


def original_text(reference: Reference, loops: Sequence[NormalisedLoop]) -> str:
    """A reference before renaming."""
    return reference_text(reference.array, reference.subscripts, loops)


def gather_text(memory: VirtualMemory) -> str:
    """Eq. 7 as it fills a memory: A_0_1[v0, v1] = A[2 * v0, 2 * v1 + 1] for v0 in 0..16, v1 in 0..8."""
    places = _indices("v", memory)
    elements = [
        _sum([(stride, place)], first)
        for place, stride, first in zip(places, memory.strides, memory.suffix, strict=True)
    ]
    ranges = ", ".join(
        f"{place} in 0..{'*' if extent is None else extent}" for place, extent in zip(places, memory.shape, strict=True)
    )
    return f"{memory.name}[{', '.join(places)}] = {memory.array}[{', '.join(elements)}]  for {ranges}"


def scatter_text(memory: VirtualMemory) -> str:
    """Its inverse: A[x0, x1] = A_0_1[x0 // 2, x1 // 2] where x0 % 2 == 0 and x1 % 2 == 1."""
    elements = _indices("x", memory)
    dimensions = list(zip(elements, memory.strides, strict=True))
    places = ["0" if stride == 0 else name if stride == 1 else f"{name} // {stride}" for name, stride in dimensions]
    condition = " or ".join(_within(lattice, elements) for lattice in sorted(_telling(memory)))
    where = f"  where {condition}" if condition else ""
    return f"{memory.array}[{', '.join(elements)}] = {memory.name}[{', '.join(places)}]{where}"


def _telling(memory: VirtualMemory) -> list[tuple[tuple[int, int], ...]]:
    """What tells the memory's elements: its lattice, or, where references leave some of that out, theirs."""
    own = tuple(zip(memory.strides, memory.suffix, strict=True))
    return [own] if len(memory.lattices) == 1 or own in memory.lattices else list(memory.lattices)


def _within(lattice: Sequence[tuple[int, int]], names: Sequence[str]) -> str:
    parts = [
        f"{name} == {first}" if stride == 0 else f"{name} % {stride} == {first}"
        for name, (stride, first) in zip(names, lattice, strict=True)
        if stride != 1
    ]
    return " and ".join(parts)


def _indices(letter: str, memory: VirtualMemory) -> list[str]:
    """One name per dimension, none of them the array's or memory's own."""
    while any(f"{letter}{place}" in (memory.array, memory.name) for place in range(len(memory.strides))):
        letter += "_"
    return [f"{letter}{place}" for place in range(len(memory.strides))]


def _sum(terms: Sequence[tuple[int, str]], constant: int) -> str:
    text = ""
    for factor, name in [(factor, name) for factor, name in terms if factor]:
        size = name if abs(factor) == 1 else f"{abs(factor)} * {name}"
        text += (f" {'-' if factor < 0 else '+'} " if text else "-" if factor < 0 else "") + size
    if constant and text:
        return f"{text} {'-' if constant < 0 else '+'} {abs(constant)}"
    return text or str(constant)
