"""The built form of a memory of some words and bits, and its price (docs/machine.md, section 13).

A technology names its kinds of memories: block RAM, LUTs that hold data, SRAM. Of each kind the cheapest shape counts,
and of all kinds the cheapest is taken. A single word is a register.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from hwmodel.datapath.technology.rows import NOTHING, MemoryKind
from hwmodel.platform_memories import LocalPrices

REGISTERS = "registers"
PARTS = 1000  # costs of a memory are rounded to so many parts of a LUT, FF or um2, so that sums of them are exact


@dataclass(frozen=True, slots=True)
class Built:
    """Memories of a kind: the number of the vendor's blocks, and LUT, FF and um2."""

    kind: str
    blocks: float = 0
    lut: float = 0
    ff: float = 0
    area: float = 0

    def times(self, number: int) -> Built:
        """A number of equal memories together."""
        return Built(self.kind, self.blocks * number, self.lut * number, self.ff * number, self.area * number)

    def combined_with(self, other: Built) -> Built:
        """The sum of two memories, with the kind of the first."""
        return Built(
            self.kind,
            self.blocks + other.blocks,
            self.lut + other.lut,
            self.ff + other.ff,
            self.area + other.area,
        )

    def price(self, prices: LocalPrices) -> float:
        """The price as a single number."""
        return self.blocks * prices.block + self.lut * prices.lut + self.ff * prices.ff + self.area * prices.area


@dataclass(frozen=True)
class Kinds:
    """The memories of a technology: its `kinds`, and the costs of one bit of a `register` by name."""

    kinds: tuple[MemoryKind, ...]
    register: tuple[tuple[str, float], ...] = (("ff", 1),)
    _known: dict[tuple[object, ...], Built | None] = field(default_factory=dict, repr=False, compare=False)
    _shaped: dict[int, Sequence[tuple[int, int, Built]]] = field(default_factory=dict, repr=False, compare=False)

    def registers(self, bits: int) -> Built:
        """Registers of so many bits."""
        costs: Mapping[str, float] = dict(self.register)
        return Built(REGISTERS, **{name: cost * bits for name, cost in costs.items()})

    @cached_property
    def cost_names(self) -> tuple[str, ...]:
        """The costs that memories may have, among LUT, FF and um2."""
        costs = {name for name, _ in self.register}
        costs |= {name for name in ("lut", "ff", "area") if any(getattr(kind, name) != NOTHING for kind in self.kinds)}
        return tuple(name for name in ("lut", "ff", "area") if name in costs)

    def denominator(self, name: str) -> int:
        """The smallest factor that turns a cost (LUT, FF or um2) of any memory into an integer."""
        per_bit = Fraction(str(dict(self.register).get(name, 0))).denominator
        return math.lcm(per_bit, *(_denominator(kind, name) for kind in self.kinds))

    @property
    def has_blocks(self) -> bool:
        """Whether some kind is counted in blocks."""
        return any(kind.blocks for kind in self.kinds)

    @cached_property
    def _grain(self) -> int:
        """The granularity of depths: all depths up to the next multiple of it have equal costs.

        It is the greatest common divisor of the depths of all shapes, if all kinds have shapes.
        """
        depths = [shape[0] for kind in self.kinds for shape in kind.shapes]
        return math.gcd(*depths) if all(kind.shapes for kind in self.kinds) and depths else 1

    def bank(self, words: int, bits: int, prices: LocalPrices, *, reads: int, writes: int) -> Built | None:
        """The cheapest memory with so many ports that read and so many others that write in one cycle.

        None if there is none.

        A memory that is written may consist of several with one port to read, which are all written alike.
        """
        if words <= 1:
            return self.registers(words * bits)
        words = -(-words // self._grain) * self._grain
        key = words, bits, prices, reads, writes
        if key not in self._known:
            there = [number for number, kind in enumerate(self.kinds) if _has_ports(kind, reads, writes)]
            built = [self._built(number, words, bits, prices) for number in there]
            if reads > 1 and writes:
                single = self.bank(words, bits, prices, reads=1, writes=writes)
                built += [single.times(reads)] if single is not None else []
            self._known[key] = min(built, key=lambda one: one.price(prices), default=None)
        return self._known[key]

    def _built(self, number: int, words: int, bits: int, prices: LocalPrices) -> Built:
        """The cheapest memory in a shape of a kind (given by number), of equal ones the first."""
        kind = self.kinds[number]
        if not kind.shapes:
            return _single(kind, words, bits)
        if number not in self._shaped:
            self._shaped[number] = [(deep, wide, _single(kind, deep, wide)) for deep, wide in kind.shapes]
        ways = (shape.times(-(-words // deep) * -(-bits // wide)) for deep, wide, shape in self._shaped[number])
        return min(ways, key=lambda shape: shape.price(prices))


def _has_ports(kind: MemoryKind, reads: int, writes: int) -> bool:
    """Whether a kind has so many ports that read in addition to so many that write."""
    return reads + writes <= kind.ports and reads <= (kind.reads or kind.ports)


def _single(kind: MemoryKind, words: int, bits: int) -> Built:
    """A single memory of a kind."""
    variables = {"k": float(words), "w": float(bits), "bits": float(words * bits)}
    lut, ff, area = (_rounded(formula.value(variables)) for formula in (kind.lut, kind.ff, kind.area))
    return Built(kind.name, kind.blocks, lut, ff, area)


def _rounded(cost: float) -> float:
    """The cost of one memory, rounded to 1 / PARTS."""
    return max(0.0, round(cost * PARTS) / PARTS)


def _denominator(kind: MemoryKind, name: str) -> int:
    """The smallest factor that turns a cost of a kind's memories into an integer: PARTS if it depends on their size."""
    formula = getattr(kind, name)
    if formula.variables and not kind.shapes:
        return PARTS
    shapes = kind.shapes or ((1, 1),)
    return math.lcm(*(Fraction(str(getattr(_single(kind, *shape), name))).denominator for shape in shapes))
