"""States of delays over frames that lie outside: the external memory keeps what a task made in earlier frames.

The network then has two arrays in place of the delay: the results of a frame, which are stored, and what these were
some frames before, which are loaded like an input. So all that holds of arrays holds of such states, and the only rule
of their own is which frame a copy outside has (`NetworkArray.earlier`). An output of the network that the results are
written to anyway is the first of both arrays; else each repetition has its own part of one that is made for this.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrayol.execute.environment import DTYPES
from arrayol.ir.borders import CONSTANT, Border
from arrayol.ir.network import EarlierFrame, Flow, Network, NetworkArray, Process
from arrayol.ir.spec import ConstValue, Delay, Shape, TiledDefault, Tiler, own_part_tiler, port_named
from hwmodel.accesses import Accesses, tilers_of
from hwmodel.residence import FRAME, ONCE, Loads


def states_over_frames(network: Network) -> dict[str, tuple[Process, Delay]]:
    """By name, TASK.INPUT, the delays over frames whose states may lie outside: those with a constant for a default."""
    return {
        name: (process, delay)
        for process in network.processes.values()
        for delay in process.delays
        if (name := f"{process.name}.{delay.port}") not in network.arrays
        and delay.acts
        and not isinstance(delay.default, TiledDefault)
        and _frames_of(process.repetition, delay)
        and f"{process.name}.{delay.output}" not in network.arrays
    }


STATE_LOADS = (ONCE, FRAME)  # its default comes once, and it stays; or it comes with each frame


def with_states_outside(network: Network, loads: Loads) -> Network:
    """The network in which the states that are loaded with each frame lie outside; others stay where they are."""
    for name, (process, delay) in states_over_frames(network).items():
        if loads.get(name) == FRAME:
            network = _outside(network, name, network.processes[process.name], delay)
    return network


def with_states_inside(network: Network) -> Network:
    """The network with delays again in place of what lies outside for them; results that are kept stay as arrays."""
    arrays = {name: array for name, array in network.arrays.items() if array.earlier is None}

    def delayed(process: Process) -> Process:
        inputs = tuple(flow for flow in process.inputs if flow.array in arrays)
        return replace(process, inputs=inputs, delays=(*process.delays, *process.held), held=())

    processes = {name: delayed(process) for name, process in network.processes.items()}
    return replace(network, processes=processes, arrays=arrays)


def first_states(accesses: Accesses) -> dict[str, NDArray[Any]]:
    """The elements, row-major, of the arrays of earlier frames in the first one: the defaults of their delays."""
    found = {}
    for name, array in accesses.network.arrays.items():
        if array.earlier is not None:
            default = array.type.held(constant_of(array.earlier.delay))
            found[name] = np.full(accesses.size(name), default, DTYPES[array.type])
    return found


def _frames_of(repetition: Shape, delay: Delay) -> int:
    """Over how many frames a delay reaches."""
    return sum(part for part, extent in zip(delay.vector, repetition, strict=True) if extent is None)


def _outside(network: Network, name: str, process: Process, delay: Delay) -> Network:
    """The network with the state of one delay outside."""
    outputs, arrays = process.outputs, dict(network.arrays)
    own = _by_repetition(process, delay)
    results = next((flow for flow in process.outputs if _is_kept_whole(network, process, delay, (flow, own))), own)
    if results.array not in arrays:
        shape = (None, *_space(process), *own.port.shape)
        arrays[own.array] = NetworkArray(own.array, own.port.type, shape, (process.name,), (), is_output=True)
        outputs = (*outputs, own)
    tiler, held = _moved(results.tiler, process.repetition, delay), arrays[results.array]
    earlier = EarlierFrame(held.name, _frames_of(process.repetition, delay), delay)
    arrays[name] = NetworkArray(name, held.type, held.shape, (), (process.name,), is_output=False, earlier=earlier)
    changed = replace(
        process,
        inputs=(*process.inputs, Flow(port_named(process.input_ports, delay.port), name, tiler)),
        outputs=outputs,
        delays=tuple(own for own in process.delays if own is not delay),
        held=(*process.held, delay),
    )
    return replace(network, processes={**network.processes, process.name: changed}, arrays=arrays)


def _by_repetition(process: Process, delay: Delay) -> Flow:
    """The results of a delay in an array of frames in which each repetition has its own part."""
    repetition, port = process.repetition, port_named(process.output_ports, delay.output)
    own, order = own_part_tiler(len(repetition), len(port.shape), delay.span), _frames_first(repetition)
    tiler = replace(own, paving=(*(own.paving[axis] for axis in order), *own.paving[len(repetition) :]))
    return Flow(port, f"{process.name}.{delay.output}", tiler)


def _moved(tiler: Tiler, repetition: Shape, delay: Delay) -> Tiler:
    """The tiler of the results that repetitions take, by that of those that they make."""
    moves = [-delay.vector[axis] for axis in _frames_first(repetition)[1:]]
    if not any(moves):
        return tiler
    others = tiler.origin[len(repetition) :]  # it is one in which each repetition has its own part
    return replace(tiler, origin=(0, *moves, *others), border=Border(CONSTANT, constant_of(delay)))


def _frames_first(repetition: Shape) -> list[int]:
    """The dimensions of a repetition space, that of frames before all others."""
    return sorted(range(len(repetition)), key=lambda axis: repetition[axis] is not None)


def constant_of(delay: Delay) -> ConstValue:
    """The default of a delay whose state may lie outside."""
    assert not isinstance(delay.default, TiledDefault), "such states stay inside"
    return delay.default


def _is_kept_whole(network: Network, process: Process, delay: Delay, flows: tuple[Flow, Flow]) -> bool:
    """Whether results lie in an output anyway: of the first flow, where the second would be made for them.

    A frame of the output holds those of a frame of the task, and where these are taken by other repetitions than made
    them, each has its own part.
    """
    flow, own = flows
    array, frames = network.arrays[flow.array], process.repetition.index(None)
    stays = not any(part for axis, part in enumerate(delay.vector) if axis != frames)
    return (
        (flow.port.name, flow.exit) == (delay.output, None)
        and flow.array in network.outputs
        and array.shape[0] is None
        and (stays or (flow.tiler == own.tiler and array.shape[1:] == (*_space(process), *own.port.shape)))
        and all(_goes_frame_by_frame(tiler, other.repetition) for other, tiler in _tilers(network, flow.array))
    )


def _space(process: Process) -> Shape:
    """The repetition space of a frame."""
    return tuple(extent for extent in process.repetition if extent is not None)


def _tilers(network: Network, array: str) -> Iterator[tuple[Process, Tiler]]:
    """All tilers of an array."""
    for process in network.processes.values():
        yield from ((process, tiler) for name, tiler in tilers_of(process) if name == array)


def _goes_frame_by_frame(tiler: Tiler, repetition: Sequence[int | None]) -> bool:
    """Whether a tiler of an array whose first axis are frames touches the one of its repetition, and only that."""
    own = tuple(int(extent is None) for extent in repetition)
    others = zip(*(row for row in tiler.paving[1:]), strict=True) if tiler.paving[1:] else ()
    stays = all(not any(column) for column, extent in zip(others, repetition, strict=False) if extent is None)
    return tiler.paving[0] == own and not tiler.origin[0] and not any(tiler.fitting[0]) and stays
