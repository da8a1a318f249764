"""All files of a design in Verilog-2001: modules, a test bench with its data, a Makefile."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from typing import Protocol, runtime_checkable

from arrayol.pictures.text import reads_text, writes_text
from arrayol.text import counted
from hwmodel.emit.images import Text
from hwmodel.emit.schedule.activity import Agent
from hwmodel.emit.schedule.bits import not_emitted
from hwmodel.emit.schedule.design import Frame, HardwareDesign
from hwmodel.emit.schedule.group import GroupSchedule
from hwmodel.emit.schedule.names import plain
from hwmodel.emit.schedule.own_module import Computing, OwnModule
from hwmodel.emit.verilog.agents import agent_module
from hwmodel.emit.verilog.axi import SLOWER, axi_bench, axi_module, has_axi
from hwmodel.emit.verilog.control import ip_module
from hwmodel.emit.verilog.copies import CopiedArrays
from hwmodel.emit.verilog.datapaths.datapath import datapath_module, operator_modules
from hwmodel.emit.verilog.group import group_module
from hwmodel.emit.verilog.layout import OutsideLayout, layout_of
from hwmodel.emit.verilog.periods.bench import frame_images, run_of_periods
from hwmodel.emit.verilog.periods.top import periods_module
from hwmodel.emit.verilog.top import Bench, Run, TurnGroup, frames_in_turn, image_path, test_bench, top_module
from hwmodel.emit.verilog.wiring import ChannelPorts, Outside, UnitModule, channels_of

LIBRARY = ("bank", "read_routes", "banked_copy", "registers", "rom", "engine", "word_queue")
PERIODS_LIBRARY = ("period", "port_turns")
AXI_LIBRARY = ("axi_port", "axi_buffer")
BENCH_LIBRARY = ("external_memory",)
LONGEST = 4  # times the cycles that a frame should take, after which a test bench stops


@runtime_checkable
class GroupPrinter(Protocol):
    """A group that does not work in blocks, such as a stream, and prints its modules itself."""

    def modules(self, prefix: str, outside: Outside, signed: Sequence[str]) -> Iterator[tuple[str, str]]:
        """All modules of the group by path, with names after a prefix."""


@dataclass(frozen=True)
class DesignFiles:
    """The files of a design by path; the same design gives the same bytes."""

    design: HardwareDesign

    @cached_property
    def outside(self) -> Outside:
        """The external memory as groups see it."""
        design = self.design
        shared = design.periods is not None
        return Outside.of(design.addresses, design.outstanding, shared=shared, turn=design.turn)

    @cached_property
    def channels(self) -> tuple[ChannelPorts, ...]:
        """The channels of the external memory that have ports; names of engines begin the names of theirs."""
        return channels_of(self.design.groups, self.design.addresses)

    @property
    def axi(self) -> str | None:
        """The name of the top module with a port of AXI4; none where AXI4 has no such words."""
        return f"{self.design.top}_axi" if has_axi(self.outside) else None

    @property
    def ip(self) -> str | None:
        """The name of the top module with registers behind AXI4-Lite beside it; none where AXI4 has no such words."""
        return f"{self.design.top}_ip" if has_axi(self.outside) else None

    @cached_property
    def layout(self) -> OutsideLayout:
        """Where its arrays lie outside."""
        return layout_of(self.design)

    @property
    def cleared(self) -> int:
        """The cycles after a reset in which no frame begins."""
        return max(group.cleared for group in self.design.groups)

    def files(self) -> dict[str, Text]:
        """All files. For a `$` in a module's name the path has a `-`, which shells, make and Tcl leave as it is."""
        written: dict[str, Text] = {path.replace("$", "-"): text for path, text in self._modules()}
        written |= dict(self._bench())
        return with_own_modules(written, self.design.datapaths)

    def _modules(self) -> Iterator[tuple[str, str]]:
        for name in (*LIBRARY, "binned_memory") if self.cleared else LIBRARY:
            yield f"rtl/{name}.v", _library(name)
        in_blocks = [own.units for group in self.design.groups for own in group.tasks]
        named = {own.task: f"unit_{plain(own.task)}" for own in in_blocks}
        units = {task: UnitModule.of(self.design.datapaths[task], name) for task, name in named.items()}
        for own in in_blocks:
            task, derived = own.task, self.design.datapaths[own.task]
            if isinstance(derived, OwnModule):
                continue
            module = datapath_module(derived, named[task], frozenset(own.kept), own.early)
            pace = f"a repetition every {counted(own.interval, 'cycle')}"
            comment = f"// A unit of '{task}': the body of '{own.elementary}', {pace}.\n"
            yield f"rtl/{named[task]}.v", comment + module
            for name, module in operator_modules(derived).items():
                yield f"rtl/{name}.v", module
        for number, group in enumerate(self.design.groups):
            prefix = f"group{number}_"
            if isinstance(group, GroupPrinter):
                yield from group.modules(prefix, self.outside, self.design.signed)
                continue
            for agent in group.agents:
                waits = agent.name in group.port_agents
                module = agent_module(agent, prefix, self._comment(group, agent), waits=waits)
                yield f"rtl/{prefix}{agent.name}.v", module
            module = group_module(f"{prefix}top", prefix, group, units, self.outside, self.design.signed)
            tasks = ", ".join(f"'{task.units.task}'" for task in group.tasks)
            yield f"rtl/{prefix}top.v", f"// {tasks}: {counted(group.steps, 'step')} a frame.\n{module}"
        yield from self._top_modules(f"{self.design.top}_top")

    def _top_modules(self, top: str) -> Iterator[tuple[str, str]]:
        """The top module by its name, and those around it."""
        yield f"rtl/{top}.v", self._top(top)
        if self.design.periods is not None:
            for name in PERIODS_LIBRARY:
                yield f"rtl/{name}.v", _library(name)
        if self.axi is not None:
            for name in AXI_LIBRARY:
                yield f"rtl/{name}.v", _library(name)
            module = axi_module(self.axi, top, self.channels, self.outside)
            yield f"rtl/{self.axi}.v", f"// '{self.design.top}' as a master of AXI4.\n{module}"
            if self.ip is not None:
                yield from self._ip(top, self.ip)

    def _top(self, name: str) -> str:
        """The top module."""
        design, groups = self.design, counted(len(self.design.groups), "group")
        if design.periods is not None:
            comment = (
                f"// '{design.top}' in {groups} at the same time: a frame every {design.periods.cycles:,} cycles.\n"
            )
            return comment + periods_module(name, design, self.outside)
        turns = [TurnGroup(group, lag) for group, lag in zip(design.groups, design.lags, strict=True)]
        copied = CopiedArrays(design.addresses, self.outside)
        comment = f"// '{design.top}' in {groups}: {design.cycles:,} cycles a frame.\n"
        return comment + top_module(name, turns, self.channels, copied, self.cleared)

    def _ip(self, top: str, name: str) -> Iterator[tuple[str, str]]:
        """The modules that add registers behind AXI4-Lite, the last one by `name`."""
        yield "rtl/control_registers.v", _library("control_registers")
        if self.layout.registered:
            yield "rtl/register_reads.v", _library("register_reads")
        module = ip_module(name, top, self.channels, self.outside, self.layout)
        comment = f"// '{self.design.top}' with registers behind AXI4-Lite, as a master of AXI4.\n"
        yield f"rtl/{name}.v", comment + module

    def _comment(self, group: GroupSchedule, agent: Agent) -> str:
        said, tilers = dict[str, str](), dict[str, list[str]]()
        for task in group.tasks:
            process = self.design.network.processes[task.units.task]
            said[task.reading.name] = f"What '{task.units.task}' reads."
            tilers[task.reading.name] = reads_text(process)
            said[task.writing.name] = f"What '{task.units.task}' writes."
            tilers[task.writing.name] = writes_text(process)
        for engine in group.engines:
            said[engine.requests.name] = "Requests to the external memory."
            said[engine.passing.name] = "What passes to and from the external memory."
            said[engine.storing.name] = "What is brought from the memories to be stored."
        rows = len(agent.program.instructions)
        first = f"{said[agent.name]} {counted(rows, 'instruction')}, loops nested {agent.program.depth} deep."
        return "\n".join([first, *tilers.get(agent.name, ())])

    def _bench(self) -> Iterator[tuple[str, Text]]:
        design = self.design
        bench = Bench(
            f"{design.top}_top",
            self.channels,
            self.outside,
            design.latency,
            [list(self._outputs(frame)) for frame in (design.frame, *(design.later if design.buffers else ()))],
            len(design.later),
            design.periods is not None,
            self.cleared,
        )
        # What is loaded before all frames may take longer than these.
        before = any(group.setup for group in design.groups) * sum(design.addresses.words) * (1 + design.latency)
        cycles = design.cycles + before
        for name in BENCH_LIBRARY:
            yield f"tb/{name}.v", _library(name)
        yield "tb/tb.v", test_bench(bench, LONGEST * cycles, self._run("under_test"))
        if self.axi is not None:
            yield "tb/axi_memory.v", _library("axi_memory")
            run = self._run("under_test.plain")
            yield "tb/tb_axi.v", axi_bench(self.axi, bench, SLOWER * cycles, run)
        for channel in self.channels:
            if design.periods is not None or design.buffers is not None:
                yield from frame_images(design, channel)
                continue
            for number, frame in enumerate((design.frame, *design.later)):
                for name, images in (("memory", frame.before), ("expected", frame.after)):
                    yield image_path(name, number, channel.tag), images[channel.number].text

    def _outputs(self, frame: Frame) -> Iterator[tuple[str, int, int]]:
        """The outputs of a frame: the tag of the channel of each, its first word there, and the number of words."""
        addresses = self.design.addresses
        for name, place in frame.outputs.items():
            yield addresses.tag(addresses.channels[name]), *place

    def _run(self, where: str) -> Run:
        """The lines of a test bench that run its frames; `where` is the plain top module in it."""
        return frames_in_turn if self.design.periods is None else run_of_periods(self.design, where)


def with_own_modules(written: Mapping[str, Text], datapaths: Mapping[str, Computing]) -> dict[str, Text]:
    """Files of a design by path, with those of the user's modules.

    Raises ArrayolError (`not-emitted`) for two files of one name.
    """
    modules, every = [own for own in datapaths.values() if isinstance(own, OwnModule)], dict(written)
    for file in dict.fromkeys(file for own in modules for file in own.files):
        if f"rtl/{file.name}" in every:
            raise not_emitted(
                f"a module of your own is in a file '{file.name}', and so is one of arrayol's",
                "give the file and the module another name",
            )
        every[f"rtl/{file.name}"] = file.text
    return every


def _library(name: str) -> str:
    return (files("hwmodel.emit.verilog") / "library" / f"{name}.v").read_text(encoding="utf-8")
