"""Shorter frames of a design that a large one repeats, with the same memories as that."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from hwmodel.accesses import Accesses
from hwmodel.cost_model.estimate import DesignEstimate, MemoryUse
from hwmodel.cost_model.model import MachineModel
from hwmodel.datapath.technology.overhead import NO_ROUTES
from hwmodel.design import Design
from hwmodel.emit.schedule.frames.frame_buffers import windows
from hwmodel.emit.schedule.frames.short_frame import WHOLE_AT_MOST, ShortFrame, short_frames
from hwmodel.emit.schedule.port import address_map
from hwmodel.memory_kinds import CHAIN, CHUNK
from hwmodel.platform import Platform

_WORTH = 0.5  # the greatest share of the blocks that a shorter frame has


def is_run_whole(accesses: Accesses) -> bool:
    """Whether a frame has so few repetitions that it is run as a whole."""
    return sum(math.prod(accesses.extents(task)) for task in accesses.network.processes) <= WHOLE_AT_MOST


def shorter_frames(
    accesses: Accesses, platform: Platform, design: Design, estimate: DesignEstimate
) -> Iterator[tuple[ShortFrame, MachineModel, DesignEstimate]]:
    """Shorter frames with the memories of the whole frame, the shortest first, each with its model and estimate.

    There are none where data of several frames meet.
    """
    if windows(accesses) or accesses.frames_back or accesses.frames_inside:
        return
    memories, addresses = _memories(estimate), address_map(accesses, platform)
    channels = tuple(addresses.channels.items())
    for short in short_frames(accesses, design, estimate, addresses, platform):
        if short.kept <= _WORTH:
            model = MachineModel(short.network, platform, accesses.loads, channels=channels)
            own = model.evaluate(design)
            if _memories(own) == memories:
                yield short, model, own


def _memories(estimate: DesignEstimate) -> list[list[MemoryUse]]:
    """The memories of each group, without what depends on the size of a frame.

    That are the costs of routes, which depend on the length of an array's rows, and the counters of streams.
    """
    return [[_of_any_frame(use) for use in group.memories] for group in estimate.groups]


def _of_any_frame(use: MemoryUse) -> MemoryUse:
    built = use.organisation
    if use.kind in (CHAIN.name, CHUNK.name):
        return replace(use, organisation=None)
    return replace(use, organisation=replace(built, routes=NO_ROUTES)) if built is not None else use
