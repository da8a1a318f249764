"""Copies of arrays outside, in a top module: the frame that each group is at, and the distance to its copies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hwmodel.emit.schedule.group import GroupSchedule
from hwmodel.emit.schedule.port import AddressMap
from hwmodel.emit.verilog.agents import bits_of
from hwmodel.emit.verilog.wiring import Outside, copied_port, wire


@dataclass(frozen=True)
class CopiedArrays:
    """The arrays with copies in the external memory; requests of engines say for which of them they are."""

    addresses: AddressMap
    outside: Outside

    def sent(self, port: str, number: int) -> str:
        """The net that a group sends to a port; addresses are moved to the copy of a frame."""
        if not self.outside.copies or not port.endswith("_address"):
            return f"{port}{number}"
        return f"({port}{number} + {port.removesuffix('_address')}_ahead{number})"

    def connected(self, number: int, group: GroupSchedule) -> Iterator[tuple[str, str]]:
        """The declaration and the connection of each port of a group that says for which array a request is."""
        for port in (copied_port(engine.name, self.outside) for engine in group.engines if self.outside.copies):
            yield wire(f"{port.name}{number}", port.bits), f".{port.name}({port.name}{number})"

    def lines(self, number: int, group: GroupSchedule, ends: str) -> Iterator[str]:
        """By how many words the copies of a group's frame lie ahead of the first ones; a frame `ends` in a cycle."""
        arrays = list(dict.fromkeys(own.array for engine in group.engines for own in engine.lanes))
        arrays = [array for array in arrays if array in self.addresses.copies]
        for copies in sorted({self.addresses.copies[array] for array in arrays}):
            counter = f"frame{number}_of{copies}"
            yield f"  reg [{bits_of(copies) - 1}:0] {counter};  // the frame of group {number}, modulo {copies}"
            yield "  always @(posedge clk)"
            yield f"    if (reset) {counter} <= 0;"
            yield f"    else if ({ends}) {counter} <= {counter} == {copies - 1} ? 0 : {counter} + 1'b1;"
        for engine in group.engines if self.outside.copies else ():
            moved, distance = {own.array for own in engine.lanes}, f"{engine.name}_ahead{number}"
            yield f"  reg [{self.outside.address_bits - 1}:0] {distance};"
            yield "  always @*"
            yield f"    case ({copied_port(engine.name, self.outside).name}{number})"
            for place, (array, ahead) in enumerate(self.addresses.copied, 1):
                if array in moved:
                    comment = f"{array}, {abs(ahead)} {'later' if ahead > 0 else 'before'}" if ahead else array
                    yield f"      {place}: {distance} = {self._ahead(number, array, ahead)};  // {comment}"
            yield f"      default: {distance} = 0;"
            yield "    endcase"

    def _ahead(self, number: int, array: str, ahead: int) -> str:
        """How far the copy of an array for a frame is from the first one, `ahead` of the group's frame."""
        size, copies = self.addresses.sizes[array], self.addresses.copies[array]
        places = ((copy, (copy + ahead) % copies * size) for copy in range(copies))
        chosen = (f"frame{number}_of{copies} == {copy} ? {place} : " for copy, place in places if place)
        return f"{''.join(chosen)}0"
