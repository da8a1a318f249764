"""The lengths of a design's programs before it is emitted: a bound, and derived, scheduled without data and not proven.

A program follows from which words are accessed when, so a run that moves no values is enough. A large frame is
scheduled by a shorter one, as when it is emitted.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dse.verify.shorter_frames import is_run_whole, shorter_frames
from dse.verify.testbench import memories_of_groups
from hwmodel.accesses import Accesses
from hwmodel.cost_model.estimate import DesignEstimate
from hwmodel.design import Design
from hwmodel.emit.schedule.design import datapaths_of, require_short
from hwmodel.emit.schedule.frames.frame_buffers import frame_buffers
from hwmodel.emit.schedule.frames.program_bound import most_instructions
from hwmodel.emit.schedule.frames.short_frame import ShortFrame
from hwmodel.emit.schedule.frames.whole_frame import WholeGroup
from hwmodel.emit.schedule.group import GroupSchedule, GroupScheduler, without_idle_steps
from hwmodel.emit.schedule.port import address_map
from hwmodel.emit.schedule.repetition import NotRepeatedError
from hwmodel.platform import Platform
from hwmodel.simulator.group import GroupRun, LocalMemories
from hwmodel.simulator.schedule.plan import SimulatorError
from hwmodel.simulator.simulate import Simulation, run_groups


def longest_bound(accesses: Accesses, platform: Platform, design: Design, estimate: DesignEstimate) -> int:
    """The most instructions that a program of a design may have, those of streams left out."""
    return max(
        (
            most_instructions(accesses, platform, group, own, estimate.setup_cycles)
            for group, own in zip(design.groups, estimate.groups, strict=True)
            if group.stream is None
        ),
        default=0,
    )


@dataclass(frozen=True, slots=True)
class LongestProgram:
    """The agent with the longest program, and its instructions."""

    agent: str
    instructions: int

    def require_short(self) -> None:
        """Raises ArrayolError (`not-emitted`) if it is longer than emission takes."""
        require_short(self.agent, self.instructions)


def longest_program(
    accesses: Accesses, platform: Platform, design: Design, estimate: DesignEstimate
) -> LongestProgram | None:
    """The longest program of a design's groups of blocks; None without these, and for a frame too large to be run.

    Raises ArrayolError (`not-emitted`) where a schedule shows that the design has no hardware.
    """
    if is_run_whole(accesses):
        return _Scheduling(accesses, platform, design, accesses, estimate).longest()
    for short, model, own in shorter_frames(accesses, platform, design, estimate):
        try:
            return _Scheduling(accesses, platform, design, model.accesses, own, short).longest()
        except (NotRepeatedError, SimulatorError):
            continue
    return None


@dataclass(frozen=True)
class _Scheduling:
    """A design scheduled with the accesses and the estimate of its frame, or of a shorter one."""

    whole: Accesses
    platform: Platform
    design: Design
    accesses: Accesses
    estimate: DesignEstimate
    short: ShortFrame | None = None

    def longest(self) -> LongestProgram | None:
        """As `longest_program`."""
        local = memories_of_groups(self.accesses, self.platform, self.design, self.estimate)
        runs = tuple(run for run, _ in run_groups(self.accesses, self.platform, self.design, local))
        simulation = Simulation(runs, {}, None)
        agents = [
            agent
            for number, memories in enumerate(local)
            if isinstance(memories, LocalMemories)
            for agent in self._schedule(number, memories, simulation).agents
        ]
        lengths = [LongestProgram(own.name, len(own.program.instructions)) for own in agents]
        return max(lengths, key=lambda own: own.instructions, default=None)

    def _schedule(self, number: int, memories: LocalMemories, simulation: Simulation) -> GroupSchedule:
        run = simulation.groups[number]
        assert isinstance(run, GroupRun), "a group of blocks"
        busy = without_idle_steps(run)
        if self.short is not None and busy is not run:
            raise NotRepeatedError("steps of the shorter frame are idle")
        period = self.estimate.period
        tasks = [group.tasks for group in self.design.groups]
        buffers = frame_buffers(self.whole, self.platform, tasks) if period is None else None
        copies, frames = (buffers.copies, buffers.frames) if buffers else (period.copies if period else None, None)
        addresses = address_map(self.whole, self.platform, copies, frames)
        datapaths = datapaths_of(self.accesses, self.platform, simulation)
        arrays = self.accesses.network.arrays
        # What ROMs hold makes no program longer.
        contents = {
            name: np.zeros(self.accesses.size(name), np.int64)
            for name in arrays
            if not self.accesses.lies_outside(name)
        }
        scheduler = GroupScheduler(
            self.accesses,
            self.platform,
            memories,
            busy,
            addresses,
            datapaths,
            contents,
        )
        tables = scheduler.tables()
        if self.short is None:
            return scheduler.schedule(tables)
        whole = WholeGroup(self.whole, addresses, self.short, number, bool(tables.once), busy)
        return scheduler.schedule(tables, whole)
