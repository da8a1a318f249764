"""The run of a streaming group on a smaller frame: with fewer places of its loops, and all else equal.

Along each loop a smaller frame has both ends and some periods between them. Tasks are as fast as in the large frame,
and its line buffers have the same taps. Depths and pulses grow with the lines.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product
from typing import Any

from numpy.typing import NDArray

from arrayol.errors import ArrayolError
from dse.output.open_design import Simulated
from dse.verify.testbench import memories_of_groups
from hwmodel.accesses import Accesses
from hwmodel.cost_model.estimate import DesignEstimate
from hwmodel.cost_model.model import MachineModel
from hwmodel.design import Design
from hwmodel.emit.schedule.frames.short_frame import WHOLE_AT_MOST
from hwmodel.platform import Platform
from hwmodel.simulator.simulate import Simulation, run_groups
from hwmodel.simulator.streams.group_run import moved_by_group
from hwmodel.stream.grown import smaller
from hwmodel.stream.model import StreamModel
from hwmodel.streamed import Stream, StreamedGroup

_MORE = 8  # periods that a loop has beside its smallest size, at most: until lines are whole intervals of all tasks


def by_smaller_frame(design: Design, model: StreamModel, stream: Stream) -> Simulated | None:
    """The run of a design that is one stream, on a smaller frame, with the model's estimate there.

    None where the frame has few repetitions, or no smaller one is like it. Raises ArrayolError
    (`verification-failed`) where simulation and model disagree.
    """
    if model.repetitions <= WHOLE_AT_MOST:
        return None
    whole = model.streamed(stream)
    for accesses in _smaller(model, stream):
        try:
            small = StreamModel(accesses, model.tasks, model.platform).streamed(stream)
        except ArrayolError:
            continue  # what cannot stream there is no measure of what can here
        if _is_like(whole, small):
            return _simulated(model.platform, accesses, _in_lines(design, small))
    return None


def moved(
    model: StreamModel, stream: Stream, estimate: DesignEstimate, outputs: Mapping[str, NDArray[Any]]
) -> Simulation:
    """What the port moves of a design that is one stream, with the outputs of its frame.

    Raises ArrayolError (`verification-failed`) where the steps do not take the cycles of the estimate.
    """
    assert model.platform is not None, "a stream on a platform"
    run = moved_by_group(model.accesses, model.platform, model.streamed(stream))
    simulation = Simulation((run,), outputs, None)
    Simulated(simulation, estimate).require_cycles()
    return simulation


def _smaller(model: StreamModel, stream: Stream) -> Iterator[Accesses]:
    """The accesses of smaller frames, the smallest first."""
    loops = model.small_loops(stream)
    for more in sorted(product(range(_MORE), repeat=len(loops)), key=sum) if loops else ():
        sides = zip(loops, more, strict=True)
        cut = {own.loop: own.places - own.least - own.period * beside for own, beside in sides}
        accesses = smaller(model.group, model.loops, cut) if min(cut.values()) > 0 else None
        if accesses is not None:
            yield accesses


def _is_like(whole: StreamedGroup, small: StreamedGroup) -> bool:
    """Whether tasks are as fast in a smaller frame, and its line buffers have the same taps."""
    return _timing(whole) == _timing(small) and _taps(whole) == _taps(small)


def _timing(group: StreamedGroup) -> Mapping[str, tuple[int, int, int]]:
    return {name: (own.firing.interval, own.firing.latency, own.firing.units) for name, own in group.nodes.items()}


def _taps(group: StreamedGroup) -> list[object]:
    """By chain what is at each position."""
    return [
        (replace(own, period=0, line=0, segments=()), [(segment.taps, segment.shifts) for segment in own.segments])
        for own in group.chains
    ]


def _in_lines(design: Design, small: StreamedGroup) -> Design:
    """The design on a smaller frame: in chunks of a line, where its own do not divide the frame."""
    (group,), stream = design.groups, small.stream
    if not stream.chunk or small.frame % stream.chunk == 0:
        return design
    return replace(design, groups=(replace(group, schedule=replace(stream, chunk=small.line)),))


def _simulated(platform: Platform | None, accesses: Accesses, design: Design) -> Simulated:
    assert platform is not None, "a stream on a platform"
    model = MachineModel(accesses.network, platform, accesses.loads, channels=accesses.channels)
    estimate = model.evaluate(design)
    local = memories_of_groups(model.accesses, platform, design, estimate)
    runs = tuple(run for run, _ in run_groups(accesses, platform, design, local))
    simulated = Simulated(Simulation(runs, {}, None), estimate)
    simulated.require_agreement()
    return simulated
