"""What each memory of one design is built of, in rows and sentences for people (docs/machine.md, section 13).

Blocks, LUT and FF are part of the design's costs. The figures are the technology's.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from arrayol.text import counted
from hwmodel.cost_model.estimate import DesignEstimate
from hwmodel.datapath.technology.technology import Technology
from hwmodel.local_memory.organisations import Organisation
from hwmodel.platform import Platform

TOTALS = (("blocks", "blocks"), ("lut", "LUT"), ("ff", "FF"), ("area", "um2"))


@dataclass(frozen=True, slots=True)
class BuiltMemory:
    """A memory of a design: its size in `data` (0 where it counts in bits alone) and `bits`, and what it is built of.

    `group` counts from 1. Each task that reads an array that is loaded once, or a ROM, has its own of it (TASK.ARRAY).
    `built_of` is the kind of memory, of which `estimate` says that figures were not measured. `area` is in um2.
    `sentences` say why it is so and what could not be.
    """

    group: int
    kind: str
    name: str
    data: int
    bits: int
    way: str
    organisation: str
    built_of: str
    estimate: bool
    blocks: float
    lut: float
    ff: float
    area: float
    sentences: tuple[str, ...]

    @property
    def title(self) -> str:
        """Group, kind and name."""
        return f"{self.group}: {self.kind} {self.name}"


@dataclass(frozen=True, slots=True)
class BuiltMemories:
    """The memories of a design at the prices of a technology: the groups' in order."""

    technology: str
    memories: tuple[BuiltMemory, ...]

    @property
    def totals(self) -> dict[str, float]:
        """Blocks, LUT, FF and area of all memories."""
        return {name: sum(getattr(one, name) for one in self.memories) for name, _ in TOTALS}

    @property
    def summary(self) -> str:
        """The totals in a sentence, with where they are from and what has no price."""
        amounts = (
            ", ".join(f"{self.totals[name]:,.6g} {unit}" for name, unit in TOTALS if self.totals[name]) or "nothing"
        )
        guessed = sorted({one.built_of for one in self.memories if one.estimate})
        source = f"{self.technology}, estimate for {', '.join(guessed)}" if guessed else self.technology
        return f"{amounts} ({source}), part of the design's costs"

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "technology": self.technology,
            "memories": [asdict(one) | {"sentences": list(one.sentences)} for one in self.memories],
            "totals": self.totals,
        }


def built_memories(platform: Platform, estimate: DesignEstimate) -> BuiltMemories | None:
    """What the memories of a design are built of; None where the platform has no technology with kinds of memories."""
    prices = platform.prices
    if prices is None or not prices.memory_kinds:
        return None
    pairs = (
        (number, use, use.organisation)
        for number, group in enumerate(estimate.groups, 1)
        for use in group.memories
        if use.organisation is not None
    )
    rows = (
        BuiltMemory(
            group,
            use.kind,
            use.name,
            use.data,
            use.bits,
            one.way,
            organisation_text(one),
            one.built.kind,
            _is_estimate(one, prices),
            one.built.blocks,
            one.built.lut,
            one.built.ff,
            one.built.area,
            tuple(_sentences(one)),
        )
        for group, use, one in pairs
    )
    return BuiltMemories(prices.name, tuple(rows))


def organisation_text(one: Organisation) -> str:
    """An organisation in words, as "window of 9 registers, 3 banks by residues (1, 3)"."""
    if one.way == "registers":
        return counted(one.depth, "register")
    if one.way in ("segments", "chunks"):
        return one.reason
    return ", ".join(_parts(one))


def _parts(one: Organisation) -> Iterator[str]:
    if one.window_bits:
        yield f"window of {counted(one.window_bits // one.width, 'register')}"
    if one.banks > 1 and one.way not in ("state", "bins"):
        yield f"{one.banks:,} banks by {one.function}"
    else:
        yield counted(one.banks, "bank")
    if one.copies > 1:
        yield f"{one.copies:,} copies"
    yield f"{one.depth:,} x {one.width:,} bits each"


def _is_estimate(one: Organisation, prices: Technology) -> bool:
    """Whether some figure of what it is built of is an estimate."""
    figures = (name for name in ("lut", "ff", "area") if getattr(one.built, name))
    kinds = (kind.estimate for kind in prices.memory_kinds if kind.name == one.built.kind)
    return any(kinds) or any(prices.is_estimate(name) for name in figures)


def _sentences(one: Organisation) -> Iterator[str]:
    for text in (
        *(() if one.way in ("segments", "chunks") else (one.reason,)),
        *(refusal.text for refusal in one.refused),
    ):
        yield f"{text[:1].upper()}{text[1:]}."
