"""The designs that are not emitted as Verilog or C++, and why, as far as it is known before anything is simulated.

A specification, its platform, or a decision of a design may be the reason. `explore` asks before anybody has chosen a
design, and `emit verilog` before it begins. What only a schedule shows is refused later: programs that are too long,
bank layouts of which too many copies are read or that make units too slow.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from arrayol.errors import ArrayolError, Diagnostic
from arrayol.ir.network import Network, Process
from arrayol.text import counted
from hwmodel.accesses import Accesses
from hwmodel.channels import channel_numbers, has_whole_frames
from hwmodel.datapath.derive import Derivation, derivation_of
from hwmodel.datapath.graph.arrays import MOST_CHOSEN
from hwmodel.design import Design, GroupDesign, Processor
from hwmodel.emit.schedule.bits import not_emitted
from hwmodel.emit.schedule.frames.frame_buffers import why_no_buffers, windows
from hwmodel.emit.schedule.own_module import own_module
from hwmodel.emit.schedule.units import FETCH
from hwmodel.emit.verilog.datapaths.datapath import refusals
from hwmodel.frame_steps import passes_frames
from hwmodel.platform import Platform
from hwmodel.residence import ROM
from hwmodel.streamed import Stream

MOST_CHANNELS = 252  # of which control_registers.v holds the addresses


def without_verilog(network: Network, platform: Platform) -> list[Diagnostic]:
    """The operators without a circuit, each once.

    Elementary tasks without a body, and those that a user's module computes, have none. The list is empty if the
    platform names no technology, as nothing is known then.
    """
    if platform.prices is None or platform.clock_mhz is None:
        return []
    told = (one for process in network.processes.values() for one in _without_circuit(process, platform))
    return list(dict.fromkeys(told))


def _without_circuit(process: Process, platform: Platform) -> Iterator[Diagnostic]:
    try:
        derivation = _derivation(process, platform)
        derived = derivation.at(derivation.intervals[0]) if derivation is not None else None
    except ArrayolError as refused:
        yield from refused.diagnostics
        return
    if derived is not None:
        yield from refusals(derived)


def _derivation(process: Process, platform: Platform) -> Derivation | None:
    """The derived datapaths of a process; None without a body or a technology, and where a user's module computes it.

    Raises ArrayolError for operators that the technology does not have.
    """
    elementary, technology, clock = process.definition, platform.prices, platform.clock_mhz
    if elementary is None or elementary.body is None or technology is None or clock is None:
        return None
    if platform.entry(process.elementary).module is not None:
        return None
    return derivation_of(elementary, technology, clock, process.state_pairs)


def has_axi_streams(group: GroupDesign) -> bool:
    """Whether a group has an AXI4-Stream for each input and output, in place of the memory port."""
    return group.stream is not None and group.stream.interface == "axis"


def keeps_frames(group: GroupDesign) -> bool:
    """Whether a group is a stream that keeps what it reads of other frames."""
    return group.stream is not None and group.stream.frames == "inside"


def reason_text(refusal: ArrayolError) -> str:
    """A reason in a line, without what all have in common."""
    return refusal.diagnostics[0].message.partition(": no hardware is emitted")[0]


@dataclass(frozen=True)
class Coverage:
    """The designs of a network on a platform that are emitted: as Verilog, or with `as_verilog` False as C++.

    `accesses` also says how its inputs are loaded. In C++ operators need no circuits.
    """

    accesses: Accesses
    platform: Platform
    as_verilog: bool = True

    def require(self, design: Design) -> None:
        """Raises ArrayolError (`not-emitted`, `not-in-hardware`) for a design that is not emitted."""
        refusal = self.why_not(design)
        if refusal is not None:
            raise refusal

    def why_not(self, design: Design) -> ArrayolError | None:
        """The first reason that a design is not emitted for, with a hint; None where none is known."""
        groups = design.groups
        if self.why_none is not None:
            return self.why_none
        if not any(keeps_frames(group) for group in groups) and self.why_not_over_frames is not None:
            return self.why_not_over_frames
        if not any(has_axi_streams(group) for group in groups) and self.why_no_port is not None:
            return self.why_no_port
        if design.together and self.why_no_periods is not None:
            return self.why_no_periods
        return next(self._of_design(groups), None)

    @cached_property
    def why_none(self) -> ArrayolError | None:
        """The first reason that no design at all is emitted for; None where there is none."""
        return next(self._of_all(), None)

    @cached_property
    def why_not_over_frames(self) -> ArrayolError | None:
        """The first reason against all designs but those with a stream that keeps frames inside; or None."""
        return next(self._over_frames(), None)

    @cached_property
    def why_no_periods(self) -> ArrayolError | None:
        """The reason against all designs of groups at the same time, to which windows come whole; or None."""
        for name in windows(self.accesses) if passes_frames(self.accesses) else ():
            if not has_whole_frames(self.accesses, self.platform, name):
                return not_emitted(
                    f"groups at the same time take several frames of '{name}' at once, which end inside of words",
                    "set together = false in the study; or take a size of frames, or word_bits in [memory] of the "
                    "platform, with which a frame ends with a word",
                )
        return None

    @cached_property
    def why_no_port(self) -> ArrayolError | None:
        """The first reason against all designs with a memory port, which only streams can do without; or None."""
        return next(self._of_port(), None)

    @cached_property
    def why_no_layouts(self) -> ArrayolError | None:
        """The reason against all designs with bank layouts; or None."""
        cycles = self.platform.local.access_cycles
        if cycles == 1:
            return None
        hint = "set access_cycles = 1 in [local] of the platform, and explore again"
        return not_emitted(f"a bank with a layout is accessed every {counted(cycles, 'cycle')}", hint)

    def why_no_stream(self, tasks: Collection[str], stream: Stream) -> ArrayolError | None:
        """The first reason that no design is emitted for in which these tasks stream."""
        if stream.frames == "outside" and self.why_not_over_frames is not None:
            return self.why_not_over_frames
        return next(self._of_stream(tasks, stream), None)

    def why_nothing(self, *, axi_streams: bool, frames_inside: bool) -> ArrayolError | None:
        """A reason that leaves no design, at any interval on offer.

        With `axi_streams` one may have no memory port, and with `frames_inside` it may be a stream that keeps frames.
        """
        if self.why_none is not None:
            return self.why_none
        if self.why_not_over_frames is not None and not frames_inside:
            return self.why_not_over_frames
        if self.why_no_port is not None and not axi_streams:
            return self.why_no_port
        processes = self.accesses.network.processes.items()
        offered = (Processor(task, 1, None, one) for task, own in processes for one in self.platform.intervals(own))
        return next((refusal for one in offered for refusal in self._given_figures(one)), None)

    @cached_property
    def _channels(self) -> dict[str, int]:
        return channel_numbers(self.accesses, self.platform)

    def _of_all(self) -> Iterator[ArrayolError]:
        network, platform = self.accesses.network, self.platform
        for process in network.processes.values():
            yield from self._without_body(process)
            yield from self._wrong_module(process)
        yield from self._of_platform()
        missing = without_verilog(network, platform) if self.as_verilog else []
        if missing:
            yield ArrayolError(missing)
        for process in network.processes.values():
            yield from self._large_parts(process)

    def _over_frames(self) -> Iterator[ArrayolError]:
        refusal = why_no_buffers(self.accesses, self.platform)
        if refusal is not None:
            yield refusal

    def _of_platform(self) -> Iterator[ArrayolError]:
        if self.platform.prices is None or self.platform.clock_mhz is None:
            yield not_emitted(
                "the platform names no technology",
                'name them in the platform, as technology = "ecp5-6" and clock_mhz = 50, and explore again',
            )

    def _without_body(self, process: Process) -> Iterator[ArrayolError]:
        """A black box needs a function for the values that a test bench compares, and a module that computes it."""
        elementary, name = process.definition, process.elementary
        if elementary is None or elementary.body is not None:
            return
        if elementary.extern is None:
            yield not_emitted(f"'{name}' has no body", body_hint(name))
        elif self.platform.entry(name).module is None:
            yield not_emitted(f"'{name}' is a Python function", body_hint(name))

    def _wrong_module(self, process: Process) -> Iterator[ArrayolError]:
        elementary, entry = process.definition, self.platform.entry(process.elementary)
        if elementary is None or entry.module is None:
            return
        if not self.as_verilog:
            yield not_emitted(f"'{process.name}' is a module of Verilog", "take `arrayol emit verilog`")
        try:
            own_module(process, elementary, entry)
        except ArrayolError as refused:
            yield refused

    def _large_parts(self, process: Process) -> Iterator[ArrayolError]:
        """Parts of arrays that have too many elements for a multiplexer."""
        for flow in process.inputs:
            is_part = process.definition is not None and flow.port.name in process.definition.parts
            if is_part and self.platform.lookups(process, flow.port.name):
                yield not_emitted(
                    f"data say what '{process.name}' reads of a part of '{flow.array}' of more than "
                    f"{counted(MOST_CHOSEN, 'element')}",
                    f"link the whole array without a tiler, as NAME <- {flow.array}, and let a further input say which "
                    "part it is",
                )

    def _of_port(self) -> Iterator[ArrayolError]:
        (channel,) = self.platform.channels
        used = 1 + max(self._channels.values(), default=0)
        if used > MOST_CHANNELS:
            hint = f"set channels = {MOST_CHANNELS} or fewer in [memory] of the platform, and explore again"
            yield not_emitted(f"arrays lie in {used} channels, and registers have addresses for {MOST_CHANNELS}", hint)
        if channel.rows is not None:
            hint = "leave them out of [memory] in the platform, and explore again"
            yield not_emitted("the platform's memory has rows", hint)
        if channel.burst != "run":
            yield not_emitted(
                "the platform's memory has no bursts by run",
                'set burst = "run" in [memory] of the platform, and explore again',
            )
        for name, array in self.accesses.network.arrays.items():
            word = array.type.bytes if channel.data_per_word is not None else (channel.word_bits or 8) // 8
            if word % array.type.bytes and array.type.bytes % word and self.accesses.lies_outside(name):
                yield not_emitted(
                    f"neither an element of '{name}' has whole words of the port, nor a word whole elements",
                    "set word_bits to 8, 16, 32, 64 or so on in [memory] of the platform, and explore again",
                )

    def _of_design(self, groups: Sequence[GroupDesign]) -> Iterator[ArrayolError]:
        for group in groups:
            if group.stream is not None:
                yield from self._of_stream(group.tasks, group.stream)
            if group.layouts and self.why_no_layouts is not None:
                yield self.why_no_layouts
            for processor in group.processors:
                yield from self._given_figures(processor)

    def _of_stream(self, tasks: Collection[str], stream: Stream) -> Iterator[ArrayolError]:
        for task in tasks:
            name = self.accesses.network.processes[task].elementary
            entry = self.platform.entry(name)
            if entry.module is not None and entry.enable is None:
                yield not_emitted(
                    f"'{task}' streams, and its module '{entry.module}' has no input to stand still",
                    f'name one in [elementary.{name}] of the platform, as enable = "ce"; or take a design with blocks '
                    f"for '{task}'",
                )
        yield from self._tables_of_same_stream(tasks)

    def _tables_of_same_stream(self, tasks: Collection[str]) -> Iterator[ArrayolError]:
        made = {touch.array: task for task in tasks for touch in self.accesses.writes[task]}
        for task in tasks:
            for array in self._loaded_tables(self.accesses.network.processes[task]):
                if array in made:
                    yield not_emitted(
                        f"'{task}' of a stream reads '{array}' at subscripts of data, and '{made[array]}' of the same "
                        "stream makes it",
                        f"take a design in which '{task}' is in a later group than '{made[array]}', or that works in "
                        "blocks",
                    )

    def _loaded_tables(self, process: Process) -> Iterator[str]:
        """The arrays that a process reads at subscripts of data, and that are not in ROMs."""
        derivation = _derivation(process, self.platform)
        tables = derivation.at(derivation.intervals[0]).tables if derivation is not None else ()
        for flow in process.inputs:
            if flow.port.name in tables and self.accesses.load.get(flow.array) != ROM:
                yield flow.array

    def _given_figures(self, processor: Processor) -> Iterator[ArrayolError]:
        """A task of which figures are given that no datapath of its body keeps at any clock."""
        process = self.accesses.network.processes[processor.task]
        if _derivation(process, self.platform) is None:
            return
        given = self.platform.datapath(process, processor.interval)
        derived = self.platform.derived(process, given.interval, given.latency - FETCH)
        if derived is None:
            yield not_emitted(
                f"'{process.elementary}' is given an interval of {given.interval} and a latency of {given.latency}, "
                "which no datapath of its body has at any clock",
                f"leave both out of [elementary.{process.elementary}] in the platform, or name a module there",
            )
            return
        if given.origins.get("recurrence") not in {"given", "measured"}:
            return
        for pair in process.state_pairs & given.recurrence.keys():
            needed = derived.through_memory.get(pair, 0) + FETCH
            if given.recurrence[pair] < needed:
                yield not_emitted(
                    f"'{process.elementary}' is given a recurrence of {given.recurrence[pair]} for '{pair[1]}', and "
                    f"through a memory its state takes {counted(needed, 'cycle')}",
                    f"leave it out of [elementary.{process.elementary}] in the platform, or set it to {needed}",
                )


def body_hint(name: str) -> str:
    """How an elementary without a body is emitted as Verilog."""
    return (
        f"give '{name}' a body; or name a module for it, in [elementary.{name}] of the platform, and a function that "
        "computes the same, as extern in the specification"
    )
