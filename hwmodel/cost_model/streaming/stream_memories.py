"""Memories of a streaming group as built: line buffers, chunks of the port, and the control of nodes.

A segment of two words is registers. A longer one is a memory with one port to read and one to write, all words but one
of it, and an output register; it has a counter for each enable. The memory of two chunks has as many banks as data pass
in a pulse, or in a local word of the port if these are more. An AXI4-Stream in its place has two words of that in
registers.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from arrayol.text import counted
from hwmodel.cost_model.estimate import MemoryUse, block_count, memory_use
from hwmodel.cost_model.group.group import Group
from hwmodel.cost_model.memories.local_ports import LocalPorts, terms_of
from hwmodel.cost_model.memories.organised import Builder, with_organisation
from hwmodel.cost_model.streaming.axis_ends import WORDS
from hwmodel.cost_model.streaming.port_steps import PortOfArray, PortSteps
from hwmodel.cost_model.tables.memories import Resident, TaskMemory
from hwmodel.design import row_major
from hwmodel.local_memory.memory_kinds import Built
from hwmodel.local_memory.organisations import Organisation, Terms
from hwmodel.local_words import local_width
from hwmodel.memory_kinds import CHAIN, CHUNK, ONCE
from hwmodel.platform import Platform
from hwmodel.stream.nodes import StreamGroup
from hwmodel.streamed import Chain, Firing, Segment, StreamedGroup, Tap

REGISTERS = 2  # words of a segment, at most, that are registers
QUEUED = 3  # LUT for each bit of a counter of data that wait, as measured: they stand still and wrap
CONTROL = "nodes"  # the name of what has the control of nodes


@dataclass(frozen=True)
class StreamMemories:
    """The memories of a streamed group on a platform; `choices` says of how many places each tap takes its datum."""

    group: StreamGroup
    platform: Platform
    streamed: StreamedGroup
    choices: Mapping[Tap, int]

    @property
    def terms(self) -> Terms | None:
        """The kinds of memories; None without a technology."""
        return terms_of(self.platform)

    def all_of(self, steps: PortSteps) -> tuple[MemoryUse, ...]:
        """All memories, under chunks of the port."""
        outside = self._end if self.streamed.stream.interface == "axis" else self._chunk
        uses = (*self._line_buffers, *(outside(port) for port in steps.ports if port.all_data))
        if self.terms is None:
            return uses
        return (*uses, self._control(steps), *self._residents)

    @cached_property
    def _line_buffers(self) -> tuple[MemoryUse, ...]:
        lines: dict[str, list[Chain]] = {}
        for chain in self.streamed.chains:
            if chain.segments:
                lines.setdefault(output_name(chain), []).append(chain)
        return tuple(self._line_buffer(name, chains) for name, chains in lines.items())

    def _line_buffer(self, name: str, chains: Sequence[Chain]) -> MemoryUse:
        """The line buffers of an output, of all its lanes."""
        words, bits = sum(chain.words for chain in chains), chains[0].bits
        segments = [segment for chain in chains for segment in chain.segments]
        depths = tuple(tuple(segment.depth for segment in chain.segments) for chain in chains)
        use = replace(memory_use(self.platform, (CHAIN.name, name, bits), words), segments=depths)
        if self.terms is None:
            return replace(use, banks=len(segments), blocks=self._blocks(segments, bits))
        known = {own: self._segment(*own, bits, self.terms) for own in {(one.depth, one.shifts) for one in segments}}
        built = _summed(known[segment.depth, segment.shifts] for segment in segments)
        longest = max(segment.depth for segment in segments)
        reason = f"{counted(len(segments), 'segment')} of {counted(longest, 'word')} at most"
        organised = with_organisation(use, Organisation("segments", 1, None, words, bits, 0, built, reason))
        return replace(organised, banks=len(segments))

    def _blocks(self, segments: Iterable[Segment], bits: int) -> int | None:
        size = self.platform.local.block_bits
        if size is None:
            return None
        return sum(block_count(one.depth, bits, 1, size) for one in segments if one.depth > REGISTERS)

    @staticmethod
    def _segment(depth: int, shifts: bool, bits: int, terms: Terms) -> Built:
        if depth <= REGISTERS:
            return terms.kinds.registers(depth * bits)
        memory, place = terms.kinds.registers(bits), (depth - 1).bit_length()
        if shifts:
            return _bank(depth - 1, bits, terms).combined_with(memory).combined_with(_counter(place, terms))
        control = Built(CHAIN.name, lut=_lut(terms, 2 * bits + (QUEUED - 1) * (3 * place + 1)))
        counters = _counter(3 * place + 1, terms).combined_with(control)
        return _bank(depth, bits, terms).combined_with(memory).combined_with(counters)

    def _end(self, port: PortOfArray) -> MemoryUse:
        """The registers of an AXI4-Stream: two words, or all of an array that is there before the first pulse."""
        array, bits = port.array, self.group.accesses.network.arrays[port.array].type.bits
        is_set_up = self.group.is_set_up(array)
        data = port.all_data if is_set_up else WORDS * self._width(array)
        use = memory_use(self.platform, (CHUNK.name, array, bits), data, 1, data)
        if self.terms is None:
            return use
        if is_set_up:
            built, reason = self._set_up(array, data, self.streamed.tasks)
        else:
            built, reason = self.terms.kinds.registers(data * bits), "two words of an AXI4-Stream"
        return with_organisation(use, Organisation("chunks", 1, None, data, bits, 0, built, reason))

    def _chunk(self, port: PortOfArray) -> MemoryUse:
        """Two chunks of an array outside; what is there before the first pulse is in registers, once."""
        accesses, array, data = self.group.accesses, port.array, port.most_data
        bits, wide = accesses.network.arrays[array].type.bits, self._width(array)
        words = 2 * -(-data // wide) * wide
        use = memory_use(self.platform, (CHUNK.name, array, bits), 2 * data, 1, words)
        if self.terms is None:
            return use
        if self.group.is_set_up(array):
            registers, reason = self._set_up(array, data, self.streamed.tasks)
            return with_organisation(use, Organisation("chunks", 1, None, words, bits, 0, registers, reason))
        size = accesses.network.arrays[array].type.bytes
        banks = max(wide, min(data, local_width(self.platform, size, write=port.write)))
        depth = -(-2 * data // banks)
        built = _bank(depth, bits, self.terms).times(banks).combined_with(_counter(2 * depth.bit_length(), self.terms))
        reason = f"two chunks in {counted(banks, 'bank')} of {counted(depth, 'word')}"
        organised = with_organisation(use, Organisation("chunks", 1, None, words, bits, 0, built, reason))
        return replace(organised, banks=banks)

    def _width(self, array: str) -> int:
        """The data of an array that the group takes or makes in a pulse, at most."""
        wide = 1
        for node in self.group.nodes.values():
            for touch in (*node.reads, *node.writes):
                if touch.array == array and node.kind != "task" and node.name in self.streamed.nodes:
                    wide = max(wide, math.prod(touch.pattern) * self.streamed.nodes[node.name].firing.units)
                elif touch.array == array and touch in node.writes and node.kind == "task":
                    firing = self.streamed.nodes[node.name].firing
                    wide = max(wide, -(-math.prod(touch.pattern) // firing.interval) * firing.units)
        return wide

    def _control(self, steps: PortSteps) -> MemoryUse:
        """Counters of the pulses, of a chunk, and of each node's indices, and the multiplexers of borders."""
        assert self.terms is not None, "there is something to build with"
        bits = self.streamed.frame.bit_length() + steps.chunk.bit_length()
        bits += sum(_index_bits(node.firing) for node in self.streamed.nodes.values())
        built = _counter(bits, self.terms)
        for tap, places in self.choices.items():
            node = self.group.nodes[tap.node]
            width = node.reads[tap.read].array if tap.read < len(node.reads) else None
            if width is not None and places > 1:
                wide = self.group.accesses.network.arrays[width].type.bits
                built = built.combined_with(Built(CHAIN.name, lut=_lut(self.terms, wide * _multiplexer(places))))
        reason = "counters of pulses and of indices, multiplexers of borders"
        organisation = Organisation("segments", 1, None, 0, 1, 0, built, reason)
        return with_organisation(MemoryUse(CHAIN.name, CONTROL, 0, 0, 1, 0, 1), organisation)

    @cached_property
    def _residents(self) -> list[MemoryUse]:
        """The memories that single tasks have, for their units and intervals."""
        found, accesses = [], self.group.accesses
        for task, builder in self._builders.items():
            rates = self._rates(task)
            for own in TaskMemory.all_of(builder):
                if not own.is_needed(builder, rates):
                    continue
                built = own.built(builder, rates)
                if isinstance(own, Resident) and own.kind == ONCE and self._reads_by_data(task, own.array):
                    words = accesses.size(own.array)
                    registers, reason = self._set_up(own.array, words, (task,))
                    built = Organisation("registers", 1, None, words, own.bits, 0, registers, reason)
                use = memory_use(self.platform, (own.kind.name, own.name, own.bits), 0)
                found.append(with_organisation(use, built))
        return found

    @cached_property
    def _builders(self) -> dict[str, Builder]:
        """By task the builder of its own memories."""
        found = {}
        for task in self.streamed.tasks:
            accesses = self.group.accesses
            scan = row_major(len(accesses.extents(task)))
            builder = Builder.of(LocalPorts(Group(accesses, (task,)), self.platform, scan), ())
            assert builder is not None, "there is something to build with"
            found[task] = builder
        return found

    def _rates(self, task: str) -> dict[str, tuple[int, int]]:
        firing = self.streamed.nodes[task].firing
        return {task: (firing.units, firing.interval)}

    def _reads_by_data(self, task: str, array: str) -> int:
        """The reads of a table by all units of a task, each of which has a multiplexer where it lies in registers."""
        ports, (units, interval) = self._builders[task].ports, self._rates(task)[task]
        touches = (touch for touch in self.group.accesses.reads[task] if touch.array == array)
        return units * sum(ports.access(touch, units, interval).random for touch in touches)

    def _set_up(self, array: str, data: int, tasks: Sequence[str]) -> tuple[Built, str]:
        """The registers of an array that is there before the first pulse, and why: tables have multiplexers for reads.

        Those of `tasks` count.
        """
        assert self.terms is not None, "there is something to build with"
        bits = self.group.accesses.network.arrays[array].type.bits
        reads = sum(self._reads_by_data(task, array) for task in tasks)
        built, reason = self.terms.kinds.registers(data * bits), "there before the first pulse"
        if reads:
            choosing = Built(CHUNK.name, lut=_lut(self.terms, reads * bits * _multiplexer(data)))
            built = built.combined_with(choosing)
            reason += f", with a multiplexer for {counted(reads, 'read')} at subscripts of data"
        return built, reason


def output_name(chain: Chain) -> str:
    """The name of the line buffers of a chain's output: that of an array, or TASK.PORT; those kept are apart."""
    name = chain.port if chain.node == f"load {chain.port}" else f"{chain.node}.{chain.port}"
    return f"{name}{' kept' if chain.kept else ''}{' state' if chain.state else ''}"


def _bank(words: int, bits: int, terms: Terms) -> Built:
    """The cheapest memory with one port to read and one to write: registers where none has them.

    One of several rows of LUT memories has a multiplexer of these, and an enable for each.
    """
    found = terms.kinds.bank(words, bits, terms.prices, reads=1, writes=1)
    if found is None:
        return terms.kinds.registers(words * bits)
    kind = next((own for own in terms.kinds.kinds if own.name == found.kind), None)
    if kind is None or kind.blocks or not kind.shapes:
        return found
    rows = -(-words // max(depth for depth, _ in kind.shapes))
    return replace(found, lut=found.lut + _lut(terms, bits * _multiplexer(rows) + rows)) if rows > 1 else found


def _multiplexer(data: int) -> int:
    """The LUT of a multiplexer of so many data, for each bit."""
    return -(-(2 * data - 1) // 3)


def _counter(bits: int, terms: Terms) -> Built:
    return terms.kinds.registers(bits).combined_with(Built(CHAIN.name, lut=_lut(terms, bits)))


def _lut(terms: Terms, number: int) -> int:
    return number if "lut" in terms.kinds.cost_names else 0


def _index_bits(firing: Firing) -> int:
    """The bits of a node's indices."""
    return sum((extent - 1).bit_length() for extent in firing.extents)


def _summed(parts: Iterable[Built]) -> Built:
    """The sum of segments, with the kind of the largest of them."""
    ascending = sorted(parts, key=lambda part: (part.blocks, part.lut, part.area, part.ff))
    total = ascending.pop()
    for part in ascending:
        total = total.combined_with(part)
    return total
