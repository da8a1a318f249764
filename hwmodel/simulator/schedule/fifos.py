"""FIFOs: data leave in the order in which they came, through one bank of words, and never wait for room.

An end moves some data in a cycle, in the order of its repetitions on parallel units, and a bank has words as wide as
the wider end. Datum number n of the queue is in word n div width, at that number modulo the depth. The writing end
gathers a word in registers, and writes it in the cycle in which its last datum is made. The reading end takes a word in
the cycle in which it hands out the first of its data, and keeps the other data in registers. A word of which a datum is
needed before all of it is made never reaches the bank. So a bank has one write and one read in a cycle, and holds only
whole words that wait: with D data at once, at most D div width.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from arrayol.arrays import IntArray
from hwmodel.simulator.schedule.plan import Who, fault


@dataclass
class _End:
    """The data that one end has moved: the datum, cycle and instance of each, in the order of the queue."""

    data: list[IntArray] = field(default_factory=list)
    cycles: list[IntArray] = field(default_factory=list)
    instances: list[IntArray] = field(default_factory=list)

    def move(self, data: IntArray, cycles: IntArray, instances: IntArray) -> None:
        """Append data (instances, size) of a step with their cycles; within a cycle, instance by instance."""
        instance, place = (
            np.broadcast_to(instances[:, None], data.shape),
            np.broadcast_to(np.arange(data.shape[1]), data.shape),
        )
        order = np.lexsort((place.reshape(-1), instance.reshape(-1), cycles.reshape(-1)))
        for moved, column in ((self.data, data), (self.cycles, cycles), (self.instances, instance)):
            moved.append(column.reshape(-1)[order])

    def columns(self) -> tuple[IntArray, IntArray, IntArray]:
        """All data, cycles and instances."""
        none = np.zeros(0, np.int64)
        data, cycles, instances = (np.concatenate([none, *moved]) for moved in (self.data, self.cycles, self.instances))
        return data, cycles, instances


@dataclass
class Fifo:
    """A FIFO of `capacity` data of one array; times are cycles of the group.

    Its ends are checked once all repetitions have run.
    """

    array: str
    capacity: int
    _written: _End = field(default_factory=_End)
    _read: _End = field(default_factory=_End)

    def write(self, data: IntArray, cycles: IntArray, instances: IntArray) -> None:
        """Data (instances, size) of a step, each with the last cycle of its making."""
        self._written.move(data, cycles, instances)

    def read(self, data: IntArray, cycles: IntArray, instances: IntArray) -> None:
        """Data (instances, size) of a step, each with the cycle in which it is read."""
        self._read.move(data, cycles, instances)

    def finish(self, wide: int, depth: int, reader: Who) -> int:
        """Check both ends; returns the largest number of data in the FIFO, with a bank of `depth` words of `wide` data.

        `reader` names a repetition of the reading end. Raises SimulatorError (`fifo-order`, `read-before-write`,
        `overflow`, `port`, `overwrite`).
        """
        (data, made, _), (wanted, read, instance) = self._written.columns(), self._read.columns()
        if len(data) > len(wanted):
            text = f"the FIFO of '{self.array}' still holds {len(data) - len(wanted)} elements at the end"
            raise fault("fifo-order", text)
        if len(data) < len(wanted):
            text = f"{reader(int(instance[len(data)]))} reads the FIFO of '{self.array}' when it is empty"
            raise fault("read-before-write", text)
        for place in np.flatnonzero(data != wanted)[:1].tolist():
            text = f"the FIFO of '{self.array}' gives another datum in cycle {read[place]} than"
            raise fault("fifo-order", f"{text} {reader(int(instance[place]))} expects")
        for place in np.flatnonzero(made >= read)[:1].tolist():
            text = f"{reader(int(instance[place]))} reads the FIFO of '{self.array}' in cycle {read[place]}"
            raise fault("read-before-write", f"{text}, before its datum is there")
        peak = self._peak(made, read)
        self._require_ports(made, wide, "written")
        self._require_ports(read, wide, "read")
        self._require_words(made, read, wide, depth, lambda place: reader(int(instance[place])))
        return peak

    def _peak(self, made: IntArray, read: IntArray) -> int:
        # At each arrival: those that have come, less those read in an earlier cycle.
        """The largest number of data at once. Raises SimulatorError (`overflow`)."""
        held = np.arange(1, len(made) + 1) - np.searchsorted(read, made, side="left")
        peak = int(held.max(initial=0))
        if peak > self.capacity:
            raise fault("overflow", f"the FIFO of '{self.array}' holds {peak} elements and has {self.capacity} places")
        return peak

    def _require_ports(self, cycles: IntArray, wide: int, what: str) -> None:
        """Raises SimulatorError (`port`) if an end moves more data in a cycle than a word has.

        Otherwise at most one word ends, or begins, in a cycle.
        """
        late = np.flatnonzero(cycles[wide:] == cycles[: max(0, len(cycles) - wide)])
        for place in late[:1].tolist():
            text = f"more than {wide} elements are {what} in cycle {cycles[place]}"
            raise fault("port", f"{text} of the FIFO of '{self.array}', whose bank has words of so many")

    def _require_words(self, made: IntArray, read: IntArray, wide: int, depth: int, reader: Who) -> None:
        """Raises SimulatorError (`overwrite`) if a word is written over one that was not taken in an earlier cycle.

        `reader` names the reader of a datum, by its number.
        """
        whole = len(made) // wide * wide
        written, read_cycle = made[wide - 1 : whole : wide], read[:whole:wide]
        read_cycle = np.where(read_cycle > written, read_cycle, -1)  # those that went by the bank are never in the way
        late = np.flatnonzero(
            (read_cycle[: max(0, len(read_cycle) - depth)] >= written[depth:]) & (read_cycle[depth:] >= 0)
        )
        for place in late[:1].tolist():
            word = place + depth
            text = f"cycle {written[word]} overwrites a word of the FIFO of '{self.array}' that {reader(place * wide)}"
            raise fault("overwrite", f"{text} has not read, at address {word % depth} of its bank")
