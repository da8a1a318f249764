"""The memories of a unit to whose words numbers are added (rtl/binned_memory.v), and in which cycles they are accessed.

Repetitions take the two memories of an output in turn. A unit that has some is told of each repetition that begins:
what it computes between them is added to nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from hwmodel.datapath.numbers import Number
from hwmodel.datapath.operators.bins import Bins
from hwmodel.datapath.operators.nets import Net, Nets, literal, resized
from hwmodel.emit.verilog.datapaths.chunks import slot_bits

_WAITED = 2  # cycles of a read before its address is at the memory: until then the last sum is on its way
_BIT = Number("unsigned", 1)
_RUNS = 4  # of slots, from which on a table says when they are


@dataclass(slots=True)
class BinAccesses:
    """The accesses of one memory: `operands` are index, value and condition, in the cycles `sums` of the schedule.

    `reads` has by element the cycle in which it begins to be read.
    """

    bins: Bins
    operands: Sequence[Net] = ()
    sums: Sequence[int] = ()
    reads: dict[int, int] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The name of its instance."""
        return f"bins${self.bins.port}"

    @property
    def word(self) -> str:
        """The name of the net of what is read."""
        return f"{self.name}$word"


@dataclass(frozen=True, slots=True)
class BinPrinter:
    """Prints the memories of a unit at an interval."""

    nets: Nets
    interval: int

    def print(self, every: Iterable[BinAccesses]) -> None:
        """All memories, and which repetitions are in work."""
        memories = list(every)
        if not memories:
            return
        cycles = [cycle for own in memories for cycle in (*own.sums, *(read + _WAITED for read in own.reads.values()))]
        self._repetitions(max(cycles) // self.interval)
        for own in memories:
            self._print(own)

    def _repetitions(self, backs: int) -> None:
        """Registers that say whether there were the last repetitions, and which of two memories they have."""
        begins = f"slot == {self._slot(-1)}"
        self.nets.wire("valid ^ adds_in$0", _BIT, name="adds_in")
        for name in ("adds", "adds_in"):
            for back in range(backs + 1):
                before = f"{name}${back - 1}" if back else ("valid" if name == "adds" else name)
                self.nets.register(f"!reset && {before}", _BIT, f"{name}${back}", f"reset || {begins}")

    def _print(self, own: BinAccesses) -> None:
        bins, name = own.bins, own.name
        index, value, condition = own.operands
        reads = {element: cycle + _WAITED for element, cycle in own.reads.items()}
        read = self.nets.wire(self._within(f"{name}$reads", reads.values()), _BIT, name=f"{name}$read")
        self.nets.declared.append(f"  wire [{bins.bits - 1}:0] {own.word};")
        ports = {
            "clk": "clk",
            "reset": "reset",
            "clear": "clear" if self.nets.enabled else "reset",
            "go": "go" if self.nets.enabled else "1'b1",
            "turn": self._by_repetition("adds_in", own.sums, f"{name}$turn"),
            "add": f"{self._adds(own.sums, name)} && {condition.name}",
            "address": resized(index, bins.address_bits),
            "value": resized(value, bins.bits),
            "rturn": self._by_repetition("adds_in", list(reads.values()), f"{name}$rturn"),
            "read": read.name,
            "raddress": self._address(own, reads, read).name,
            "word": own.word,
        }
        sizes = f".WIDTH({bins.bits}), .DEPTH({bins.words}), .ADDRESS({bins.address_bits})"
        start = literal(bins.start % (1 << bins.bits), bins.bits)
        listed = ", ".join(f".{port}({net})" for port, net in ports.items())
        self.nets.assigned.append(f"  binned_memory #({sizes}, .START({start})) {name} (\n    {listed}\n  );")

    def _adds(self, cycles: Sequence[int], name: str) -> str:
        """Whether a number of a repetition is there."""
        terms = []
        for back, own in self._by_back(cycles):
            terms.append(f"adds${back} && {self._within(f'{name}$add{back}', own)}")
        return f"({' || '.join(terms)})"

    def _by_repetition(self, flag: str, cycles: Sequence[int], name: str) -> str:
        """A flag of the repetition that is in one of the cycles."""
        (back, _), *others = reversed(self._by_back(cycles))
        text = f"{flag}${back}"
        for other, own in others:
            text = f"{self._within(f'{name}{other}', own)} ? {flag}${other} : {text}"
        return text

    def _by_back(self, cycles: Sequence[int]) -> list[tuple[int, list[int]]]:
        """Cycles by how many repetitions have begun since."""
        backs = groupby(sorted(cycles), key=lambda cycle: cycle // self.interval)
        return [(back, list(own)) for back, own in backs]

    def _address(self, own: BinAccesses, reads: dict[int, int], read: Net) -> Net:
        """The word that is read: they count up if their cycles do, from the first one on; else a table has them."""
        number = Number("unsigned", own.bins.address_bits)
        order = sorted(reads, key=reads.__getitem__)
        if order != list(range(own.bins.words)):
            choices = {literal(element, number.bits): [self._slot_of(cycle)] for element, cycle in reads.items()}
            otherwise = literal(order[0], number.bits)
            return self.nets.selected("slot", slot_bits(self.interval), choices, otherwise, number, f"{own.name}$at")
        first = f"slot == {self._slot(reads[0])}"
        at = self.nets.wire(f"{first} ? {literal(0, number.bits)} : {own.name}$next", number, name=f"{own.name}$at")
        self.nets.register(f"{at.name} + {literal(1, number.bits)}", number, f"{own.name}$next", read.name)
        return at

    def _within(self, name: str, cycles: Iterable[int]) -> str:
        """Whether the slot is that of one of the cycles."""
        slots = sorted(map(self._slot_of, cycles))
        if len(slots) == self.interval:
            return "1'b1"
        runs = [list(own) for _, own in groupby(enumerate(slots), key=lambda pair: pair[1] - pair[0])]
        bits = slot_bits(self.interval)
        if len(runs) <= _RUNS:
            return f"({' || '.join(in_range(run[0][1], run[-1][1], bits) for run in runs)})"
        return self.nets.selected("slot", bits, {"1'b1": slots}, "1'b0", _BIT, name).name

    def _slot_of(self, cycle: int) -> int:
        return (cycle + 1) % self.interval

    def _slot(self, cycle: int) -> str:
        """The slot of a cycle of the schedule, as a number."""
        return literal(self._slot_of(cycle), slot_bits(self.interval))


def in_range(low: int, high: int, bits: int) -> str:
    """Whether `slot`, of so many bits, is in a range; without comparisons that always hold, of which linters warn."""
    if low == high:
        return f"slot == {literal(low, bits)}"
    ends = [f"slot >= {literal(low, bits)}"] * (low > 0)
    ends += [f"slot <= {literal(high, bits)}"] * (high < (1 << bits) - 1)
    return f"({' && '.join(ends)})" if ends else "1'b1"
