"""The organisation of a memory such that every port has its data in each cycle (docs/machine.md, section 13).

A bank has one write port and one read port. Data that are read together lie in different banks, or in copies of the
memory that are all written alike. Of these ways the cheapest is taken, of equal ones the first:

- registers: every datum has its own, and can be accessed at any time;
- window: registers keep elements that are read again, so that fewer banks are enough;
- banks: a function from elements to banks under which no joint set has a conflict;
- copies: as many as there are reads in a cycle, each in the banks that the writes need.

If none of them serves the ports, the memory is refused, with the reason.

Each further reader in the same step takes a copy of the banks, and so does each further writer: copies for each writer,
of which one has the last written value. A ROM is never written: its copies are read through all of their ports.
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
from hwmodel.platform_memories import LocalPrices

Way = Literal["registers", "window", "banks", "copies", "fifo", "state", "layout", "segments", "chunks", "bins"]
Depth = Callable[[BankFunction], int]  # the words of the deepest bank under a function
ROM_READS = 2  # ports of a bank that is never written


@dataclass(frozen=True, slots=True)
class Terms:
    """The kinds of memories on a platform, and how they are compared.

    `register_bits` is the most bits of registers, `copies_most` the most copies, and `read_ports` those of a bank that
    is also written. A function has at most `banks_most` banks, a power of two with `power_of_two`. `overhead` gives the
    costs of control and interconnect, None without any; a word of the external memory has `port_bits`.
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
        """Add the control and interconnect that features cost."""
        if self.overhead is None:
            return built
        lut, ff = self.overhead.of(features)
        return replace(built, lut=built.lut + float(lut), ff=built.ff + float(ff))


@dataclass(frozen=True, slots=True)
class Organisation:
    """The organisation of a memory: `copies` of the banks of `function`, each of `depth` words of `width` bits.

    `window_bits` are registers in addition to the banks; `built` is the cost of all of it. `reason` explains the choice
    in words, and `refused` what is not possible. Of a state that `is_in_parts`, so many banks `side_by_side`
    have a chain's data.
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
    side_by_side: int = 1
    is_in_parts: bool = False
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
        """The features by which control and interconnect are estimated (docs/technologies.md)."""
        registers = self.way == "registers"
        return memory_features(self.routes, self.banks, self.copies, self.width, self.depth, registers=registers)

    @property
    def bits(self) -> int:
        """All built bits, of copies and windows too."""
        return self.copies * self.banks * self.depth * self.width + self.window_bits


@dataclass(frozen=True, slots=True)
class Candidate:
    """A way to serve a memory's ports, at any size: `copies` of banks, each read through `reads` ports.

    `window` is the number of data in registers in addition to the banks. Registers have no function.
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
        """The built form if the deepest bank has so many words; None if no memory has its ports."""
        if self.function is None:
            return terms.kinds.registers(bits * deep)
        features = memory_features(self.routes, self.banks, self.copies, bits, deep)
        bank = terms.kinds.bank(deep, bits, terms.prices, reads=self.reads, writes=self.writes)
        built = bank.times(self.copies * self.banks) if bank is not None else None
        if built is None:
            return None
        built = built.combined_with(terms.kinds.registers(self.window * bits)) if self.window else built
        return terms.steered(built, features)

    def bits(self, bits: int, deep: int) -> int:
        """All bits, if the deepest bank has so many words."""
        return (self.copies * self.banks * deep + self.window) * bits


@dataclass(frozen=True, eq=False)
class Ways:
    """The ways to serve the ports of a memory, except registers, in the order of preference among equal ones.

    Readers at subscripts computed from data (`is_random`) cannot use registers. `routes` are the lanes, if they have a
    price.
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
    """The organisation of the memory of an array with some `name`, of so many `words` of so many `bits`.

    `ways` are those that serve its ports, if they are known. Raises ArrayolError (`no-banks`, `wrap-banks`,
    `random-port`) if nothing serves its ports.
    """
    possible = list(_built_ways(ways or ways_of(plan, terms), bits, words, depth, terms))
    refused = [*plan.refused, *_refusals(plan, bits * words, terms, [organisation.way for organisation in possible])]
    if not possible:
        raise unserved(name, plan, bits * words, terms)
    best = min(possible, key=lambda organisation: organisation.built.price(terms.prices))
    others = [organisation for organisation in possible if organisation is not best]
    routes = best.routes if terms.overhead is not None else _routes(plan, best.function, terms)
    return replace(best, reason=_reason(best, others, terms), refused=tuple(refused), routes=routes)


def _built_ways(ways: Ways, bits: int, words: int, depth: Depth, terms: Terms) -> Iterator[Organisation]:
    """All organisations that are possible, in the order of preference among equal ones."""
    if bits * words <= ways.register_bits(terms):
        features = memory_features(ways.routes, 1, 1, bits, words, registers=True)
        built_of = terms.steered(terms.kinds.registers(bits * words), features)
        yield Organisation("registers", 1, None, words, bits, 0, built_of, routes=ways.routes)
    for candidate in ways.candidates:
        assert candidate.function is not None, "registers are no candidate"
        deep = words if candidate.banks == 1 else depth(candidate.function)
        built = candidate.built(bits, deep, terms)
        if built is not None:
            window = candidate.window * bits
            yield Organisation(
                candidate.way, candidate.copies, candidate.function, deep, bits, window, built, routes=candidate.routes
            )


def unserved(name: str, plan: PortPlan, bits: int, terms: Terms) -> ArrayolError:
    """The error for a memory of so many bits whose ports nothing serves, with all reasons."""
    reasons = [reason for reason in (*plan.refused, *_refusals(plan, bits, terms, [])) if reason.code != "window"]
    code = next(reason.code for reason in reasons if reason.code != "registers")
    return error(
        code,
        f"no memory of '{name}' serves its ports: {'; '.join(reason.text for reason in reasons)}",
        hint="fewer units or a longer interval of the tasks that touch it, or other values of local.write_width, "
        "local.read_width, local.copies_most, local.banks_most and local.register_bits",
    )


def most_served(ways: Ways, terms: Terms) -> float:
    """The bits of the largest memory whose ports can be served."""
    return math.inf if ways.candidates else ways.register_bits(terms)


def ways_of(plan: PortPlan, terms: Terms) -> Ways:
    """The ways to serve ports, except registers."""
    window = sum(window.registers for window in plan.windows if window is not None)
    candidates: list[Candidate] = []
    if plan.function is not None:
        candidates += _of_function(
            "window" if window else "banks", plan, plan.function, plan.ports.reading, window, terms
        )
    if plan.writes is not None:
        candidates += _of_function("copies", plan, plan.writes, plan.reads, window, terms)
    kept = [candidate for candidate in candidates if _has_kind(candidate, terms)]
    if terms.overhead is None:
        return Ways(tuple(kept), plan.is_random)
    kept = [replace(candidate, routes=_routes(plan, candidate.function, terms)) for candidate in kept]
    return Ways(tuple(kept), plan.is_random, _routes(plan, None, terms))


def _routes(plan: PortPlan, function: BankFunction | None, terms: Terms) -> Routes:
    """The lanes of a memory (of registers without a function), and the words of the port that are stored from it."""
    if plan.is_table:
        return NO_ROUTES
    reads, writes = plan.reach(function) if function is not None else (1.0, 1.0)
    port = terms.port_bits if plan.ports.stored else 0
    lanes = plan.routes if function is not None else plan.register_routes
    return replace(lanes, port=port, read_reach=reads, write_reach=writes)


def _has_kind(one: Candidate, terms: Terms) -> bool:
    """Whether some kind of memory has a candidate's ports."""
    return terms.kinds.bank(2, 1, terms.prices, reads=one.reads, writes=one.writes) is not None


def _of_function(
    way: Way, plan: PortPlan, function: BankFunction, reads: int, window: int, terms: Terms
) -> Iterator[Candidate]:
    """Banks with as many copies as the reads need, if that many are allowed; for a ROM, with each number of ports."""
    writing = plan.ports.writing
    for read_ports in (terms.read_ports,) if writing else range(ROM_READS, 0, -1):
        copies = -(-max(1, reads) // read_ports) * max(1, writing)
        if way != "copies" or copies <= terms.copies_most:
            yield Candidate(way, copies, function, read_ports, int(writing > 0), window)


def _refusals(plan: PortPlan, bits: int, terms: Terms, ways: list[Way]) -> Iterator[Refusal]:
    """The reasons against registers and copies, if they are not among the ways."""
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
    """The reason for an organisation, in words."""

    def cost(organisation: Organisation) -> str:
        return f"{organisation.built.price(terms.prices):,.0f}"

    compared = [
        f"{organisation.way} {'would cost ' if organisation is others[0] else ''}{cost(organisation)}"
        for organisation in others
    ]
    return f"{best.way} at cost {cost(best)}" + (f" ({', '.join(compared)})" if compared else "")


def organise_fifo(data: int, wide: int, bits: int, terms: Terms) -> Organisation:
    """The organisation of a FIFO of so many data: one bank as wide as its wider end, of `wide` data a cycle."""
    deep, routes = -(-data // wide), Routes(1, 1, 1)
    built = terms.steered(_bank(deep, wide * bits, terms), memory_features(routes, 1, 1, wide * bits, deep))
    reason = f"as wide as its wider end: {wide:,} elements"
    return Organisation("fifo", 1, one_bank(1), deep, wide * bits, 0, built, reason, routes=routes)


def organise_state(
    chains: int, banks: int, bits: int, terms: Terms, *, data: int = 1, together: int | None = None
) -> Organisation:
    """The organisation of a delay's state, whose chains take so many words of `bits` each, in so many banks.

    A word is some `data`. With `together`, these need not all be there at once: then so many of them are the words of
    banks side by side, if that is cheaper.
    """
    whole = _whole_state(chains, banks, bits, terms)
    if together is None:
        return whole
    deep, count = -(-chains // banks) * (data // together), banks * together
    built = _bank(deep, bits // data, terms).times(count)
    routes = Routes(count, count, count)
    built = terms.steered(built, memory_features(routes, count, 1, bits // data, deep))
    if built.price(terms.prices) >= whole.built.price(terms.prices):
        return whole
    reason = f"for each unit {together:,} of the {data:,} elements of a chain side by side"
    function = Residues((count,))
    return Organisation(
        "state",
        1,
        function,
        deep,
        bits // data,
        0,
        built,
        reason,
        routes=routes,
        side_by_side=together,
        is_in_parts=True,
    )


def _whole_state(chains: int, banks: int, bits: int, terms: Terms) -> Organisation:
    """A state whose words have all data of a chain."""
    deep = -(-chains // banks)
    routes = Routes(banks, banks, banks) if deep > 1 else NO_ROUTES  # a single word stays in its unit
    built = _bank(deep, bits, terms).times(banks)
    built = terms.steered(built, memory_features(routes, banks, 1, bits, deep))
    return Organisation("state", 1, Residues((banks,)), deep, bits, 0, built, "a bank for each unit", routes=routes)


def organise_bins(units: int, words: int, bits: int, terms: Terms) -> Organisation:
    """The organisation of the memories of units to whose words sums are added: two for each unit."""
    built = terms.kinds.bank(words, bits, terms.prices, reads=1, writes=1) or terms.kinds.registers(words * bits)
    reason = "two for each unit: one takes sums, while the other one is read"
    return Organisation("bins", units, Residues((2,)), words, bits, 0, built.times(2 * units), reason)


def organise_layout(function: Linear, copies: int, depth: int, bits: int, terms: Terms) -> Organisation:
    """The organisation of a buffer with the bank layout of a design: copies of its banks, of `depth` words each."""
    built = _bank(depth, bits, terms).times(copies * function.banks)
    return Organisation("layout", copies, function, depth, bits, 0, built, "the bank layout of the design")


def _bank(words: int, bits: int, terms: Terms) -> Built:
    """A bank with one write port and the read ports of the terms; registers if the technology has none."""
    built = terms.kinds.bank(words, bits, terms.prices, reads=terms.read_ports, writes=1)
    return built if built is not None else terms.kinds.registers(words * bits)
