"""How a memory is organised so that every port has its data in each cycle (docs/machine.md, section 13).

A bank has one write port and one read port. Data that are read together lie in different banks, or in copies of the
memory that are all written alike. Of these ways the cheapest is taken, of equal ones the first:

- registers: every datum has its own; read and written at will;
- window: registers keep what is read again, so that fewer banks do;
- banks: a function from places to banks under which no port's set of a cycle meets a conflict;
- copies: as many as there are reads in a cycle, each in the banks that the writes ask for.

Where none of them serves the ports there is no memory: that is refused, with the reason.

Each further reader in the same step takes a copy of the banks, and so does each further writer: copies per writer of
which one has what was written last. A ROM is never written: its copies are read through all ports that they have.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from arrayol.errors import ArrayolError, error
from hwmodel.datapath.technology.overhead import NO_ROUTES, OverheadTable, Routes, memory_features
from hwmodel.local_memory.bank_functions import MOST_BANKS, BankFunction, Linear, Residues, one_bank
from hwmodel.local_memory.memory_kinds import Built, Kinds
from hwmodel.local_memory.port_plan import PortPlan, Refusal
from hwmodel.platform import LocalPrices

Way = Literal["registers", "window", "banks", "copies", "fifo", "state", "layout"]
Depth = Callable[[BankFunction], int]  # the words of the deepest bank under a function
ROM_READS = 2  # ports of a bank that is never written


@dataclass(frozen=True, slots=True)
class Terms:
    """What there is to build with, and how it is compared.

    `register_bits` is the most that may be registers, `copies_most` the most copies, `read_ports` those of a bank that
    is written too. A function has `banks_most` banks at most, a power of two of them with `power_of_two`. `overhead`
    prices what steers memories, None where nothing does; a word of the external memory has `port_bits`.
    """

    kinds: Kinds
    prices: LocalPrices
    register_bits: int = 512
    copies_most: int = 16
    read_ports: int = 1
    banks_most: int = MOST_BANKS
    power_of_two: bool = False
    overhead: OverheadTable | None = None
    port_bits: int = 0

    def steered(self, built: Built, features: Mapping[str, Any]) -> Built:
        """What is built, with what its features add."""
        if self.overhead is None:
            return built
        lut, ff = self.overhead.of(features)
        return replace(built, lut=built.lut + float(lut), ff=built.ff + float(ff))


@dataclass(frozen=True, slots=True)
class Organisation:
    """What a memory is built of: `copies` of the banks of `function`, each `depth` words of `width` bits.

    `window_bits` are registers beside the banks; `built` is what all of it costs. `reason` says in words why it is so,
    `refused` what could not be.
    """

    way: Way
    copies: int
    function: BankFunction | None
    depth: int
    width: int
    window_bits: int
    built: Built
    reason: str = ""
    refused: tuple[Refusal, ...] = ()
    routes: Routes = NO_ROUTES
    banks: int = field(init=False, repr=False, compare=False)  # of one copy: asked for very often

    def __post_init__(self) -> None:
        """Count the banks."""
        object.__setattr__(self, "banks", 1 if self.function is None else self.function.banks)

    @property
    def is_in_banks(self) -> bool:
        """Whether its data lie in banks by a function of their subscripts."""
        return self.way in ("window", "banks", "copies", "layout")

    @property
    def features(self) -> Mapping[str, Any]:
        """What its lanes add to costs (docs/technologies.md)."""
        registers = self.way == "registers"
        return memory_features(self.routes, self.banks, self.copies, self.width, self.depth, registers=registers)

    @property
    def bits(self) -> int:
        """All bits that are built, those of copies and windows among them."""
        return self.copies * self.banks * self.depth * self.width + self.window_bits


@dataclass(frozen=True, slots=True)
class Candidate:
    """A way to serve a memory's ports, whatever its size: `copies` of banks, each read through `reads` ports.

    `window` are the data in registers beside them. Registers have no function.
    """

    way: Way
    copies: int = 1
    function: BankFunction | None = None
    reads: int = 1
    writes: int = 1
    window: int = 0
    routes: Routes = NO_ROUTES
    banks: int = field(init=False, repr=False, compare=False)  # of one copy: asked for very often

    def __post_init__(self) -> None:
        """Count the banks."""
        object.__setattr__(self, "banks", 1 if self.function is None else self.function.banks)

    def built(self, bits: int, deep: int, terms: Terms) -> Built | None:
        """What it is built of where the deepest bank has so many words; None where no memory has its ports."""
        if self.function is None:
            return terms.kinds.registers(bits * deep)
        features = memory_features(self.routes, self.banks, self.copies, bits, deep)
        bank = terms.kinds.bank(deep, bits, terms.prices, reads=self.reads, writes=self.writes)
        built = bank.times(self.copies * self.banks) if bank is not None else None
        if built is None:
            return None
        built = built.beside(terms.kinds.registers(self.window * bits)) if self.window else built
        return terms.steered(built, features)

    def bits(self, bits: int, deep: int) -> int:
        """All bits of it."""
        return (self.copies * self.banks * deep + self.window) * bits


@dataclass(frozen=True, eq=False)
class Ways:
    """What serves the ports of a memory beside registers, in the order in which one is taken of equal ones.

    What reads at subscripts of its data (`is_random`) has no registers. `routes` are its lanes where they have a price.
    """

    candidates: tuple[Candidate, ...]
    is_random: bool
    routes: Routes = NO_ROUTES

    def register_bits(self, terms: Terms) -> int:
        """The bits of the largest memory that may be registers."""
        return -1 if self.is_random else terms.register_bits


def organise(
    plan: PortPlan,
    bits: int,
    words: int,
    depth: Depth,
    terms: Terms,
    *,
    ways: Ways | None = None,
    name: str = "array",
) -> Organisation:
    """The organisation of the memory of an array by its `name`, of so many `words` (data) of so many `bits`.

    `ways` are those that serve its ports, where they are known. Raises ArrayolError (`no-banks`, `wrap-banks`,
    `random-port`) where nothing serves its ports.
    """
    found = list(_built_ways(ways or ways_of(plan, terms), bits, words, depth, terms))
    refused = [*plan.refused, *_refusals(plan, bits * words, terms, [one.way for one in found])]
    if not found:
        raise unserved(name, plan, bits * words, terms)
    best = min(found, key=lambda one: one.built.price(terms.prices))
    others = [one for one in found if one is not best]
    routes = best.routes if terms.overhead is not None else _routes(plan, best.function, terms)
    return replace(best, reason=_reason(best, others, terms), refused=tuple(refused), routes=routes)


def _built_ways(ways: Ways, bits: int, words: int, depth: Depth, terms: Terms) -> Iterator[Organisation]:
    """All that can be built, in the order in which one is taken of equal ones."""
    if bits * words <= ways.register_bits(terms):
        features = memory_features(ways.routes, 1, 1, bits, words, registers=True)
        built_of = terms.steered(terms.kinds.registers(bits * words), features)
        yield Organisation("registers", 1, None, words, bits, 0, built_of, routes=ways.routes)
    for one in ways.candidates:
        assert one.function is not None, "registers are no candidate"
        deep = words if one.banks == 1 else depth(one.function)
        built = one.built(bits, deep, terms)
        if built is not None:
            window = one.window * bits
            yield Organisation(one.way, one.copies, one.function, deep, bits, window, built, routes=one.routes)


def unserved(name: str, plan: PortPlan, bits: int, terms: Terms) -> ArrayolError:
    """Why nothing serves the ports of the memory of an array, of so many bits."""
    reasons = [one for one in (*plan.refused, *_refusals(plan, bits, terms, [])) if one.code != "window"]
    code = next(one.code for one in reasons if one.code != "registers")
    return error(
        code,
        f"no memory of '{name}' serves its ports: {'; '.join(one.text for one in reasons)}",
        hint="fewer units or a longer interval of the tasks that touch it, or other values of local.write_width, "
        "local.read_width, local.copies_most, local.banks_most and local.register_bits",
    )


def most_served(ways: Ways, terms: Terms) -> float:
    """The bits of the largest memory with these ports that something serves."""
    return math.inf if ways.candidates else ways.register_bits(terms)


def ways_of(plan: PortPlan, terms: Terms) -> Ways:
    """What serves the ports beside registers."""
    window = sum(window.registers for window in plan.windows if window is not None)
    found: list[Candidate] = []
    if plan.function is not None:
        found += _of_function("window" if window else "banks", plan, plan.function, plan.ports.reading, window, terms)
    if plan.writes is not None:
        found += _of_function("copies", plan, plan.writes, plan.reads, window, terms)
    kept = [one for one in found if _has_kind(one, terms)]
    if terms.overhead is None:
        return Ways(tuple(kept), plan.is_random)
    kept = [replace(one, routes=_routes(plan, one.function, terms)) for one in kept]
    return Ways(tuple(kept), plan.is_random, _routes(plan, None, terms))


def _routes(plan: PortPlan, function: BankFunction | None, terms: Terms) -> Routes:
    """The lanes of a memory, of registers without a function, and the words of the port that are stored from it."""
    reads, writes = plan.reach(function) if function is not None else (1.0, 1.0)
    port = terms.port_bits if plan.ports.stored else 0
    return replace(plan.routes, port=port, read_reach=reads, write_reach=writes)


def _has_kind(one: Candidate, terms: Terms) -> bool:
    """Whether some kind of memory has its ports."""
    return terms.kinds.bank(2, 1, terms.prices, reads=one.reads, writes=one.writes) is not None


def _of_function(
    way: Way, plan: PortPlan, function: BankFunction, reads: int, window: int, terms: Terms
) -> Iterator[Candidate]:
    """Banks with as many copies as so many reads ask for, where there may be as many; a ROM is tried by its ports."""
    writing = plan.ports.writing
    for read_ports in (terms.read_ports,) if writing else range(ROM_READS, 0, -1):
        copies = -(-max(1, reads) // read_ports) * max(1, writing)
        if way != "copies" or copies <= terms.copies_most:
            yield Candidate(way, copies, function, read_ports, int(writing > 0), window)


def _refusals(plan: PortPlan, bits: int, terms: Terms, ways: list[Way]) -> Iterator[Refusal]:
    if "registers" not in ways and bits > terms.register_bits:
        yield Refusal(
            "registers", f"registers not considered: {bits:,} bits exceed the limit of {terms.register_bits:,}"
        )
    if "copies" not in ways:
        code = "random-port" if plan.is_random else "no-banks"
        many = f"{plan.reads:,} elements are read in a cycle, and the limit is {terms.copies_most:,} copies"
        why = many if plan.writes is not None else "no banks separate the elements that are written in a cycle"
        yield Refusal(code, f"copies not considered: {why}")


def _reason(best: Organisation, others: list[Organisation], terms: Terms) -> str:
    """Why an organisation is taken, in words."""

    def cost(one: Organisation) -> str:
        return f"{one.built.price(terms.prices):,.0f}"

    compared = [f"{one.way} {'would cost ' if one is others[0] else ''}{cost(one)}" for one in others]
    return f"{best.way} at cost {cost(best)}" + (f" ({', '.join(compared)})" if compared else "")


def organise_fifo(data: int, wide: int, bits: int, terms: Terms) -> Organisation:
    """A FIFO of so many data whose wider end moves `wide` data in a cycle: one bank as wide as that."""
    deep, routes = -(-data // wide), Routes(1, 1, 1)
    built = terms.steered(_bank(deep, wide * bits, terms), memory_features(routes, 1, 1, wide * bits, deep))
    reason = f"as wide as its wider end: {wide:,} data"
    return Organisation("fifo", 1, one_bank(1), deep, wide * bits, 0, built, reason, routes=routes)


def organise_state(chains: int, banks: int, bits: int, terms: Terms) -> Organisation:
    """The state of a delay whose chains take so many words, each of so many `bits`: as a rule a bank for each unit."""
    deep, routes = -(-chains // banks), Routes(banks, banks, banks)
    built = _bank(deep, bits, terms).times(banks)
    built = terms.steered(built, memory_features(routes, banks, 1, bits, deep))
    return Organisation("state", 1, Residues((banks,)), deep, bits, 0, built, "a bank for each unit", routes=routes)


def organise_layout(function: Linear, copies: int, depth: int, bits: int, terms: Terms) -> Organisation:
    """A buffer with the bank layout that a design gives: banks for each of so many units, of so many words each."""
    built = _bank(depth, bits, terms).times(copies * function.banks)
    return Organisation("layout", copies, function, depth, bits, 0, built, "the bank layout of the design")


def _bank(words: int, bits: int, terms: Terms) -> Built:
    """A bank with a port to write and one to read; registers where the technology has none."""
    built = terms.kinds.bank(words, bits, terms.prices, reads=terms.read_ports, writes=1)
    return built if built is not None else terms.kinds.registers(words * bits)
