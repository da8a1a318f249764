"""What a memory of so many words of so many bits is built of, and its price (docs/machine.md, section 13).

A technology says which kinds it has: block RAM, LUT that hold data, SRAM. Of each kind the shape counts that takes the
fewest; of the kinds the cheapest. A word alone is a register.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from hwmodel.datapath.technology.rows import NOTHING, MemoryKind
from hwmodel.platform import LocalPrices

REGISTERS = "registers"
PARTS = 1000  # costs of a memory are rounded to so many parts of a LUT, FF or um2, so that sums of them are exact


@dataclass(frozen=True, slots=True)
class Built:
    """Memories of a kind: how many of the vendor's blocks, and LUT, FF and um2."""

    kind: str
    blocks: float = 0
    lut: float = 0
    ff: float = 0
    area: float = 0

    def times(self, number: int) -> Built:
        """So many of them."""
        return Built(self.kind, self.blocks * number, self.lut * number, self.ff * number, self.area * number)

    def beside(self, other: Built) -> Built:
        """Both together, called as this one."""
        return Built(
            self.kind,
            self.blocks + other.blocks,
            self.lut + other.lut,
            self.ff + other.ff,
            self.area + other.area,
        )

    def price(self, prices: LocalPrices) -> float:
        """All in one number."""
        return self.blocks * prices.block + self.lut * prices.lut + self.ff * prices.ff + self.area * prices.area


@dataclass(frozen=True)
class Kinds:
    """The memories that can be had: `kinds` of a technology and what one bit of a `register` costs, by name."""

    kinds: tuple[MemoryKind, ...]
    register: tuple[tuple[str, float], ...] = (("ff", 1),)
    _known: dict[tuple[object, ...], Built | None] = field(default_factory=dict, repr=False, compare=False)
    _shaped: dict[int, Sequence[tuple[int, int, Built]]] = field(default_factory=dict, repr=False, compare=False)

    def registers(self, bits: int) -> Built:
        """So many bits of registers."""
        costs: Mapping[str, float] = dict(self.register)
        return Built(REGISTERS, **{name: cost * bits for name, cost in costs.items()})

    @property
    def cost_names(self) -> tuple[str, ...]:
        """The costs that memories may have, of LUT, FF and um2."""
        costs = {name for name, _ in self.register}
        costs |= {name for name in ("lut", "ff", "area") if any(getattr(kind, name) != NOTHING for kind in self.kinds)}
        return tuple(name for name in ("lut", "ff", "area") if name in costs)

    def denominator(self, name: str) -> int:
        """The least number that makes an integer of a cost, of LUT, FF and um2, of any memory."""
        per_bit = Fraction(str(dict(self.register).get(name, 0))).denominator
        return math.lcm(per_bit, *(_denominator(kind, name) for kind in self.kinds))

    @property
    def has_blocks(self) -> bool:
        """Whether some kind is counted in blocks."""
        return any(kind.blocks for kind in self.kinds)

    @cached_property
    def _grain(self) -> int:
        """Depths up to the next multiple of it take the same: shapes are as deep as some multiple, if all have some."""
        depths = [shape[0] for kind in self.kinds for shape in kind.shapes]
        return math.gcd(*depths) if all(kind.shapes for kind in self.kinds) and depths else 1

    def bank(self, words: int, bits: int, prices: LocalPrices, *, reads: int, writes: int) -> Built | None:
        """One memory that so many ports read and so many others write in one cycle; None where no kind has them.

        One that is written may be several of fewer ports to read, which are all written alike.
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
        """The memory in the shape of a kind, by number, that is cheapest, of equal ones the first."""
        kind = self.kinds[number]
        if not kind.shapes:
            return _one(kind, words, bits)
        if number not in self._shaped:
            self._shaped[number] = [(deep, wide, _one(kind, deep, wide)) for deep, wide in kind.shapes]
        ways = (one.times(-(-words // deep) * -(-bits // wide)) for deep, wide, one in self._shaped[number])
        return min(ways, key=lambda one: one.price(prices))


def _has_ports(kind: MemoryKind, reads: int, writes: int) -> bool:
    """Whether a kind has so many ports that read beside so many that write."""
    return reads + writes <= kind.ports and reads <= (kind.reads or kind.ports)


def _one(kind: MemoryKind, words: int, bits: int) -> Built:
    variables = {"k": float(words), "w": float(bits), "bits": float(words * bits)}
    lut, ff, area = (_rounded(formula.value(variables)) for formula in (kind.lut, kind.ff, kind.area))
    return Built(kind.name, kind.blocks, lut, ff, area)


def _rounded(cost: float) -> float:
    """A cost of one memory in whole PARTS."""
    return max(0.0, round(cost * PARTS) / PARTS)


def _denominator(kind: MemoryKind, name: str) -> int:
    """What makes an integer of a cost of memories of a kind: PARTS where it goes by their size in any way."""
    formula = getattr(kind, name)
    if formula.variables and not kind.shapes:
        return PARTS
    shapes = kind.shapes or ((1, 1),)
    return math.lcm(*(Fraction(str(getattr(_one(kind, *shape), name))).denominator for shape in shapes))
