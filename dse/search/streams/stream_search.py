"""The streams of a group: each is priced by itself, and their front joins that of the group's blocks.

A group has some dozens of them, which are priced before any blocks and prune these. Where many reads would be counted
one by one, line buffers follow from those of the group at small sizes; streams where they do not are left out.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod

import numpy as np

from arrayol.errors import ArrayolError
from dse.jobs.digest import digest
from dse.pareto.fronts import front_of
from dse.search.context import SearchContext
from dse.search.figures import values_of
from dse.search.group_front import Counts, GroupPart, dump_part, load_part, nothing, total_units
from dse.search.pricing import why_infeasible
from dse.space.mappings import MappingSpace
from dse.space.streams import frames_of, is_whole, paces_of, streams_of
from hwmodel.cost_model.estimate import GroupEstimate
from hwmodel.cost_model.streaming.stream_groups import metrics_of_streams
from hwmodel.design import GroupDesign
from hwmodel.streamed import Stream

_NO_STREAMS = 0.015  # roughly, of a look at a group that does not stream,
STREAM_SECONDS = 0.022  # roughly, of a stream under one order of loops and pace, with a few chunks of the port,
COUNTED_SECONDS = 0.02  # more where reads beyond the ends are counted,
STEP_SECONDS = 2.5e-7  # and for each step of the port
_ORDERS = 2  # of loops, as a rule
_FEW_TASKS = 4  # of a group, of which it does not take long to tell whether it streams at all
_SHORTEST = 8  # pulses of a chunk, as a rule
_LONGER = 2  # times as many steps as the shortest chunks have are those of all chunks that are tried
_STEPS_AT_MOST = 12_000_000

Priced = tuple[GroupDesign, GroupEstimate]


@dataclass(frozen=True)
class StreamsOfGroup:
    """The streams of a group with their estimates, how many are refused, and why the first of these is.

    Those `uncounted` are not priced, since their line buffers take too long to count.
    """

    designs: tuple[Priced, ...]
    refused: int
    refusal: str | None
    uncounted: int


def price_streams(space: MappingSpace, tasks: tuple[str, ...]) -> StreamsOfGroup:
    """Price the streams of a group, one after another; designs that are equal but for their starts once."""
    found: dict[GroupDesign, GroupEstimate] = {}
    refused, refusal, uncounted = 0, None, 0
    for frames in frames_of(space, tasks):
        try:
            pricer = space.model.streams(tasks, frames)
            streams = list(streams_of(space, tasks, pricer))
        except ArrayolError as error:
            refused, refusal = refused + 1, refusal or error.diagnostics[0].message
            continue
        known: set[object] = set()
        for stream in streams:
            try:
                _require_emitted(space, tasks, stream)
                decided = pricer.model.starts(stream)
                if (key := (stream.scan, stream.pace, stream.interface, tuple(decided.items()))) in known:
                    continue
                known.add(key)
                if not pricer.model.is_quick(stream):
                    uncounted += 1
                    continue
                found |= pricer.designs(stream, space.study.chunks)
            except ArrayolError as error:
                refused, refusal = refused + 1, refusal or error.diagnostics[0].message
    return StreamsOfGroup(tuple(found.items()), refused, refusal, uncounted)


def _require_emitted(space: MappingSpace, tasks: tuple[str, ...], stream: Stream) -> None:
    """Raises ArrayolError (`not-emitted`) for a stream that is not emitted, where the study wants hardware."""
    if space.study.hardware:
        refusal = space.coverage.why_no_stream(tasks, stream)
        if refusal is not None:
            raise refusal


def reads_beyond_ends(space: MappingSpace, tasks: tuple[str, ...]) -> bool:
    """Whether data beyond the ends may be at no tap when they are read: of windows that move by several pixels."""
    for task in tasks:
        for touch in space.accesses.reads[task]:
            steps = [step for row in touch.tiler.paving for step in row]
            if touch.tiler.wrap or (touch.tiler.border is not None and max(steps, default=0) > 1):
                return True
    return False


def _seconds(space: MappingSpace, tasks: tuple[str, ...]) -> float:
    """Roughly what all streams of a group take."""
    streams = len(paces_of(space, tasks)) * _orders(space, tasks)
    each = STREAM_SECONDS + (COUNTED_SECONDS if reads_beyond_ends(space, tasks) else 0.0)
    return streams * each + STEP_SECONDS * min(_STEPS_AT_MOST, _steps(space, tasks))


def _orders(space: MappingSpace, tasks: tuple[str, ...]) -> int:
    return min(_ORDERS, len(space.accesses.extents(tasks[-1])))


def _steps(space: MappingSpace, tasks: tuple[str, ...]) -> float:
    """Roughly the steps of the port in all streams of a group, each with a few chunks that hardly wait for the port."""
    accesses, channel = space.accesses, space.model.platform.channels[0]
    made = {touch.array for task in tasks for touch in accesses.writes[task]}
    read = {touch.array for task in tasks for touch in accesses.reads[task]}
    sides = [list(map(accesses.size, arrays)) for arrays in (read - made, made - read)]
    if channel.port == "shared":
        sides = [[size for side in sides for size in side]]
    words = max(sum(side) for side in sides) / space.model.data_per_word
    waits = max(map(len, sides)) * (1 + (channel.latency or 0))
    data = max((size for side in sides for size in side), default=1)
    pulses = max(data, *(prod(accesses.extents(task)) for task in tasks))
    steps = 0.0
    for frame in (pulses * float(pace) for pace in paces_of(space, tasks)):
        shortest = waits / (1 - words / frame) if words < frame else 0.0
        steps += _LONGER * frame / min(frame, max(_SHORTEST, shortest))
    return steps * _orders(space, tasks)


@dataclass(frozen=True)
class StreamJob:
    """All streams of a group."""

    tasks: tuple[str, ...]
    cost: float = field(compare=False)
    kind = "streams of a group"
    dump = staticmethod(dump_part)
    load = staticmethod(load_part)

    @staticmethod
    def of(space: MappingSpace, tasks: tuple[str, ...]) -> StreamJob:
        """The job, with its predicted seconds: few where a group of few tasks does not stream."""
        if len(tasks) <= _FEW_TASKS and not _has_streams(space, tasks):
            return StreamJob(tasks, _NO_STREAMS)
        return StreamJob(tasks, _seconds(space, tasks))

    def key(self, context: SearchContext) -> bytes:
        """What it depends on."""
        study = context.space.study
        interfaces = study.interfaces if is_whole(context.space, self.tasks) else None
        frames = frames_of(context.space, self.tasks)
        settings = study.orders, study.paces, study.starts, study.chunks, study.hardware, interfaces, frames
        return digest(self.kind, context.group_key(self.tasks), settings)

    def run(self, context: SearchContext) -> GroupPart:
        """The front of the group's streams."""
        return front_of_streams(context, self.tasks)


def _has_streams(space: MappingSpace, tasks: tuple[str, ...]) -> bool:
    for frames in frames_of(space, tasks):
        try:
            if next(streams_of(space, tasks, space.model.streams(tasks, frames)), None) is not None:
                return True
        except ArrayolError:
            continue
    return False


def front_of_streams(context: SearchContext, tasks: tuple[str, ...]) -> GroupPart:
    """The front of a group's streams in the columns of a search."""
    space, columns = context.space, context.columns
    streams = price_streams(space, tasks)
    if not streams.designs:
        counts = Counts(0, streams.refused, uncounted=streams.uncounted)
        return nothing(columns, len(tasks), counts, streams.refusal)
    priced = metrics_of_streams(streams.designs, space.model.energy_prices)
    values = np.stack([column[:, 0] for column in values_of(columns, priced, space, tasks)], axis=1)
    rates = priced.combinations[:, 0]
    kept = np.flatnonzero(columns.combination.within(values))
    front = front_of(values[kept], total_units(rates[kept]), trade_units=columns.combination.trades_units).origin
    rows = kept[front]
    beyond = len(values) - len(kept)
    counts = Counts(len(kept), streams.refused + beyond, uncounted=streams.uncounted)
    refusal = streams.refusal or (why_infeasible(0, beyond) if beyond else None)
    structures = tuple(streams.designs[row][0] for row in rows.tolist())
    return GroupPart(structures, values[rows], rates[rows], np.arange(len(rows)), counts, refusal)
