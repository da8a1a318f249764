"""Small networks of processes over linked arrays, with every feature that the machine model must count."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import product

from hypothesis import strategies as st
from strategies import NOWHERE

from arrayol.ir.borders import CONSTANT, Border
from arrayol.ir.network import Flow, Network, NetworkArray, Process
from arrayol.ir.spec import Delay, Port, Shape, TiledDefault, Tiler
from arrayol.ir.types import ElementType

TYPES = (ElementType.U8, ElementType.F32, ElementType.BOOL, ElementType.I16)


@dataclass
class _Building:
    """Arrays by name with their shapes and types; makers and processes so far."""

    draw: st.DrawFn
    separable: bool
    frames: bool
    shapes: dict[str, Shape]
    types: dict[str, ElementType]
    processes: list[Process]
    coupled: bool
    fifos: bool = False  # nothing keeps arrays from passing through FIFOs
    forks: bool = False  # most tasks read what the first one makes, forwards
    straight: bool = False  # every task reads an array in the blocks and the order in which it was written
    patterns: dict[str, tuple[int, ...]] = field(default_factory=dict)

    def finite(self, array: str) -> tuple[int, ...]:
        return tuple(1 if extent is None else extent for extent in self.shapes[array])


@st.composite
def networks(
    draw: st.DrawFn,
    *,
    most: int = 4,
    separable: bool = False,
    coupled: bool = False,
    parts: bool = False,
    fifos: bool = False,
    cropped: bool = False,
) -> Network:
    """One to `most` tasks on one or two inputs: blocks, windows, steps, turns, forks, joins, delays, frames.

    With `separable` every tiler follows the axes and every delay lies along one; with `coupled` so do delays, and three
    in four tasks read something by a tiler that may move several dimensions along an axis; with `parts` half of the
    tasks write arrays in parts; with `fifos` most arrays may pass through a FIFO, and few tasks have a delay; with
    `cropped` one more task reads a part of an array that others read too.
    """
    frames = not fifos and draw(st.integers(0, 9)) == 0
    sizes = (8, 12, 6, 9, 10) if fifos else (4, 6, 3, 2, 5)
    start = draw(st.lists(st.sampled_from(sizes), min_size=1 + coupled, max_size=2))
    shape: Shape = (None, *start[:1]) if frames else tuple(start)
    inputs = [f"i{number}" for number in range(draw(st.sampled_from((1, 1, 2))))]
    building = _Building(draw, separable, frames, dict.fromkeys(inputs, shape), {}, [], coupled, fifos)
    building.types = {name: draw(st.sampled_from(TYPES)) for name in inputs}
    building.straight = fifos or draw(st.integers(0, 2)) == 0
    for number in range(draw(st.sampled_from([1, *range(2, most + 1), *range(2, most + 1)]))):
        _add_process(building, f"t{number}")
        if not fifos and draw(st.integers(0, 1 if parts else 5)) == 0:
            _share(building)
    if cropped:
        _crop(building)
    return _network(building)


@st.composite
def forked_networks(draw: st.DrawFn, *, separable: bool = False) -> Network:
    """Two to four tasks, most of which read what the first one makes, forwards, each in its own steps."""
    frames = draw(st.integers(0, 9)) == 0
    start = draw(st.lists(st.sampled_from((6, 8, 4)), min_size=1, max_size=2))
    shape: Shape = (None, *start[:1]) if frames else tuple(start)
    building = _Building(draw, separable, frames, {"i0": shape}, {}, [], coupled=False, forks=True)
    building.types = {"i0": draw(st.sampled_from(TYPES))}
    building.straight = draw(st.integers(0, 5)) == 0
    for number in range(draw(st.integers(2, 4))):
        _add_process(building, f"t{number}")
        if draw(st.integers(0, 5)) == 0:
            _share(building)
    return _network(building)


def _network(building: _Building) -> Network:
    """What is built; arrays that nothing reads leave it, and at times others."""
    draw = building.draw
    read = {name for process in building.processes for name in process.reads}
    made = {name for process in building.processes for name in process.writes}
    arrays = {
        name: NetworkArray(
            name,
            building.types[name],
            shape,
            tuple(process.name for process in building.processes if name in process.writes),
            tuple(process.name for process in building.processes if name in process.reads),
            name in made and (name not in read or draw(st.integers(0, 4)) == 0),
        )
        for name, shape in building.shapes.items()
    }
    inputs = tuple(name for name in arrays if name not in made)
    outputs = tuple(name for name, array in arrays.items() if array.is_output)
    return Network("top", {one.name: one for one in building.processes}, arrays, inputs, outputs)


def _add_process(building: _Building, name: str) -> None:
    """A task that reads one array along its repetitions, perhaps others anyhow, and writes one or two."""
    draw = building.draw
    leader = draw(
        st.sampled_from([*list(building.shapes)[-3:], *list(building.shapes)[-1:] * (9 if building.fifos else 2)])
    )
    if building.forks and building.processes and draw(st.integers(0, 5)):
        leader = building.processes[0].outputs[0].array
    extents = building.finite(leader)
    others = (
        building.fifos and draw(st.integers(0, 3)) == 0
    )  # blocks, at times of several or of parts of what is written
    steps = list(building.patterns.get(leader, ())) if building.straight and not others else []
    steps = steps or [
        draw(st.sampled_from([side for side in range(1, extent + 1) if extent % side == 0][:3])) for extent in extents
    ]
    counts = [extent // step for extent, step in zip(extents, steps, strict=True)]
    order = list(range(len(extents)))
    if not (building.frames or building.straight):
        order = draw(st.permutations(order))
    repetition: Shape = tuple(None if building.shapes[leader][axis] is None else counts[axis] for axis in order)
    flows = [_with_ends(building, _leading(building, leader, steps, order), repetition)]
    if (building.coupled and draw(st.integers(0, 3))) or draw(
        st.integers(0, 4 if building.straight and not building.fifos else 2)
    ) == 0:
        other = draw(st.sampled_from(list(building.shapes)))
        along = len(building.shapes[other]) == len(order) and not building.coupled and draw(st.booleans())
        another = _along(building, other, repetition) if along else _anyhow(building, other, repetition)
        flows.append(_with_ends(building, another, repetition))
    inputs = tuple(
        Flow(Port(f"x{number}", building.types[array], pattern, NOWHERE), array, tiler)
        for number, (array, pattern, tiler) in enumerate(flows)
    )
    outputs = [_output(building, f"{name}a", repetition, "y0")]
    if draw(st.integers(0, 4)) == 0:
        outputs.append(_output(building, f"{name}b", repetition, "y1"))
    delays, ports = _delays(building, repetition, outputs[0].port)
    process = Process(
        name,
        name,
        draw(st.sampled_from(("e", "f"))),
        repetition,
        inputs,
        tuple(outputs),
        delays,
        (*(flow.port for flow in inputs), *ports),
        tuple(flow.port for flow in outputs),
    )
    building.processes.append(process)


def _crop(building: _Building) -> None:
    """Let a task read a box of an array that others make and read, mostly a part; at times every second index of it."""
    draw, makers = building.draw, {array: at for at, one in enumerate(building.processes) for array in one.writes}
    offered = [
        array
        for array in makers
        if any(array in one.reads for one in building.processes) and None not in building.shapes[array]
    ]
    if not offered:
        return
    array = draw(st.sampled_from(offered))
    lows, counts, steps = [], [], []
    for extent in building.finite(array):
        low, step = draw(st.integers(0, min(2, extent - 1))), draw(st.sampled_from((1, 1, 1, 2)))
        lows.append(low)
        steps.append(step)
        counts.append(1 + (extent - 1 - low) // step - draw(st.sampled_from((0, 0, int(low + step < extent)))))
    rank = len(counts)
    tilers = [
        _tiler(
            origin,
            [[step * int(axis == column) for column in range(rank)] for axis, step in enumerate(by)],
            [()] * rank,
        )
        for origin, by in ((lows, steps), ([0] * rank, [1] * rank))
    ]
    kind = building.types[array]
    ports = [Port(name, kind, (), NOWHERE) for name in ("x", "y")]
    flows = [Flow(*own) for own in zip(ports, (array, "cropped"), tilers, strict=True)]
    building.shapes["cropped"], building.types["cropped"] = tuple(counts), kind
    one = Process("crop", "crop", "e", tuple(counts), (flows[0],), (flows[1],), (), (ports[0],), (ports[1],))
    building.processes.insert(makers[array] + 1, one)


def _share(building: _Building) -> None:
    """Let another task or port write half of an array of the last task, which gets twice as long."""
    draw, last = building.draw, building.processes[-1]
    flow = last.outputs[0]
    shape = list(building.shapes[flow.array])
    axes = [axis for axis, extent in enumerate(shape) if extent is not None]
    if not axes:
        return
    axis = draw(st.sampled_from(axes))
    step, second = (2, 1) if draw(st.booleans()) else (1, shape[axis] or 0)
    shape[axis] = 2 * (shape[axis] or 0)
    halves = _moved(flow.tiler, axis, 0, step), _moved(flow.tiler, axis, second, step)
    building.shapes[flow.array] = tuple(shape)
    whole = (replace(flow, tiler=halves[0]), *last.outputs[1:])
    if draw(st.booleans()):
        twin = Flow(replace(flow.port, name="y2"), flow.array, halves[1], flow.exit)
        ports = (*last.output_ports, twin.port)
        building.processes[-1] = replace(last, outputs=(*whole, twin), output_ports=ports)
        return
    inputs = list(last.inputs)
    if draw(st.booleans()):
        others = [name for name in building.shapes if name not in last.writes]
        array, pattern, tiler = _anyhow(building, draw(st.sampled_from(others)), last.repetition)
        inputs[0] = Flow(Port("x0", building.types[array], pattern, NOWHERE), array, tiler)
    delayed = [port for port in last.input_ports if port.name.startswith("p")]
    other = replace(
        last,
        name=f"{last.name}s",
        task=f"{last.name}s",
        inputs=tuple(inputs),
        outputs=(replace(flow, tiler=halves[1]),),
        input_ports=(*(own.port for own in inputs), *delayed),
    )
    building.processes[-1:] = [replace(last, outputs=whole), other]


def _moved(tiler: Tiler, axis: int, first: int, step: int) -> Tiler:
    """The tiler on every `step`th index of an axis from the `first` on."""
    origin, paving, fitting = list(tiler.origin), list(tiler.paving), list(tiler.fitting)
    origin[axis] = first + step * origin[axis]
    paving[axis] = tuple(step * factor for factor in paving[axis])
    fitting[axis] = tuple(step * factor for factor in fitting[axis])
    return replace(tiler, origin=tuple(origin), paving=tuple(paving), fitting=tuple(fitting))


Link = tuple[str, tuple[int, ...], Tiler]


def _leading(building: _Building, array: str, steps: Sequence[int], order: Sequence[int]) -> Link:
    """Blocks of an array, one after another; at times wider (windows), narrower (gaps), or walked backwards."""
    draw = building.draw
    shape = building.shapes[array]
    if building.straight and array in building.patterns:
        paving = [[steps[axis] * int(axis == column) for column in order] for axis in order]
        return (
            array,
            tuple(steps),
            _tiler([0] * len(steps), paving, [[int(axis == column) for column in order] for axis in order]),
        )
    pattern = [
        step + draw(st.sampled_from((0, 0, 0, 1, 2, -1))) if step > 1 or draw(st.booleans()) else 1 for step in steps
    ]
    pattern = [max(1, side) for side in pattern]
    origin = [draw(st.sampled_from((0, 0, -1, 1))) for _ in steps]
    if building.frames:
        pattern[0], origin[0] = draw(st.sampled_from((1, 1, 1, 2))), 0
    paving = [
        [steps[axis] if order[column] == axis else 0 for column in range(len(order))] for axis in range(len(shape))
    ]
    fitting = [[int(axis == column) for column in range(len(shape))] for axis in range(len(shape))]
    for axis, extent in enumerate(shape):
        if extent is not None and not building.forks and draw(st.integers(0, 3)) == 0:
            origin[axis] = extent - 1 - origin[axis]
            paving[axis] = [-step for step in paving[axis]]
            fitting[axis] = [-step for step in fitting[axis]]
    return array, tuple(pattern), _tiler(origin, paving, fitting)


def _with_ends(building: _Building, link: Link, repetition: Shape) -> Link:
    """At times a border in place of the wrap, where the tiler reaches no farther than that goes."""
    (array, pattern, tiler), draw = link, building.draw
    if draw(st.integers(0, 2)):
        return link
    far = []
    for axis, extent in enumerate(building.shapes[array]):
        lengths = (*(length or 1 for length in repetition), *pattern)
        moves = [f * (n - 1) for f, n in zip((*tiler.paving[axis], *tiler.fitting[axis]), lengths, strict=True)]
        low, high = (tiler.origin[axis] + sum(side(0, move) for move in moves) for side in (min, max))
        if extent is not None:
            far.append(extent - max(-low, high - extent + 1))
    modes = ["nearest", CONSTANT, *["reflect"] * (min(far, default=0) >= 0), *["mirror"] * (min(far, default=0) >= 1)]
    return array, pattern, replace(tiler, wrap=False, border=Border(draw(st.sampled_from(modes))))


def _along(building: _Building, array: str, repetition: Shape) -> Link:
    """Each repetition reads near its own place, axis by axis."""
    draw = building.draw
    rank = len(repetition)
    pattern = tuple(draw(st.integers(1, 2)) for _ in range(rank))
    paving = [
        [int(axis == column) * draw(st.sampled_from((1, 1, 2, 0))) for column in range(rank)] for axis in range(rank)
    ]
    fitting = [[int(axis == column) for column in range(rank)] for axis in range(rank)]
    if building.frames:
        pattern, paving[0] = (1, *pattern[1:]), [1, *[0] * (rank - 1)]
    return array, pattern, _tiler([0] * rank, paving, fitting)


def _anyhow(building: _Building, array: str, repetition: Shape) -> Link:
    """Any tiler at all: broadcasts, skews, several dimensions on one axis."""
    draw = building.draw
    if building.separable:
        pattern = building.finite(array)
        identity = [[int(axis == column) for column in range(len(pattern))] for axis in range(len(pattern))]
        paving = [[0] * len(repetition) for _ in pattern]
        if building.frames:
            paving[0][0] = 1
        return array, pattern, _tiler([0] * len(pattern), paving, identity)
    pattern = tuple(draw(st.lists(st.integers(1, 3), max_size=2)))
    rank = len(building.shapes[array])
    factors = st.sampled_from((1, 1, -1, 2)) if building.coupled and draw(st.booleans()) else st.integers(-1, 2)
    paving = [[draw(factors) for _ in repetition] for _ in range(rank)]
    if building.coupled:  # at most one axis that all dimensions move along
        kept = draw(st.integers(0, rank - 1)) if rank else 0
        paving = [row if axis == kept or draw(st.booleans()) else [0] * len(row) for axis, row in enumerate(paving)]
    fitting = [[draw(st.integers(-1, 1)) for _ in pattern] for _ in range(rank)]
    if building.frames:
        paving = [[0, *row[1:]] for row in paving]
        paving[0], fitting[0] = [1, *[0] * (len(repetition) - 1)], [0] * len(pattern)
    return array, pattern, _tiler([0] * rank, paving, fitting)


def _tiler(origin: Sequence[int], paving: Sequence[Sequence[int]], fitting: Sequence[Sequence[int]]) -> Tiler:
    return Tiler(tuple(origin), tuple(map(tuple, paving)), tuple(map(tuple, fitting)), True, NOWHERE)


def _output(building: _Building, array: str, repetition: Shape, port: str) -> Flow:
    """Blocks that cover a new array once, its axes in some order and direction; at times by an exit."""
    draw = building.draw
    rank = len(repetition)
    order = list(range(rank)) if building.frames or building.straight else draw(st.permutations(range(rank)))
    pattern = tuple(1 if extent is None else draw(st.sampled_from((1, 1, 2))) for extent in repetition)
    leaves, lows, repetition = _exit(building, repetition)
    if leaves is not None and rank > 1 and draw(st.booleans()):
        order = [axis for axis in order if not (abs(leaves[axis]) == 1 and pattern[axis] == 1)]
    shape: list[int | None] = []
    paving, fitting, origin = [], [], []
    for dimension in order:
        extent, side = repetition[dimension], pattern[dimension]
        shape.append(None if extent is None else extent * side)
        turned = extent is not None and not (building.straight or building.forks) and draw(st.integers(0, 3)) == 0
        sign = -1 if turned else 1
        start = 0 if sign > 0 or extent is None else extent * side - 1
        origin.append(start - sign * side * lows[dimension])
        paving.append([sign * side * int(column == dimension) for column in range(rank)])
        fitting.append([sign * int(column == dimension) for column in range(rank)])
    building.shapes[array] = tuple(shape)
    building.patterns[array] = tuple(pattern[dimension] for dimension in order)
    building.types[array] = draw(st.sampled_from(TYPES))
    kind = building.types[array]
    return Flow(Port(port, kind, pattern, NOWHERE), array, _tiler(origin, paving, fitting), leaves)


def _exit(building: _Building, repetition: Shape) -> tuple[tuple[int, ...] | None, list[int], Shape]:
    """Often none; else its vector, where the repetitions that write begin, and how many of them there are."""
    lows = [0] * len(repetition)
    long = [axis for axis, extent in enumerate(repetition) if extent is not None and extent > 1]
    if building.fifos or not long or building.draw(st.integers(0, 5)):
        return None, lows, repetition
    axis = building.draw(st.sampled_from(long))
    extent, step = repetition[axis] or 1, building.draw(st.sampled_from((1, 1, -1, 2)))
    step = step if step < extent else 1
    lows[axis] = extent - step if step > 0 else 0
    vector = tuple(step if other == axis else 0 for other in range(len(repetition)))
    return vector, lows, tuple(abs(step) if other == axis else count for other, count in enumerate(repetition))


def _delays(building: _Building, repetition: Shape, output: Port) -> tuple[tuple[Delay, ...], tuple[Port, ...]]:
    draw = building.draw
    number = draw(st.sampled_from((0, 0, 0, 0, 1) if building.fifos else (0, 0, 1, 1, 2)))
    rank = len(repetition)
    signs = [1 if extent is None else draw(st.sampled_from((1, 1, -1))) for extent in repetition]
    weights = [draw(st.sampled_from((1, 3, 9))) * sign for sign in signs]
    vectors = [
        vector
        for vector in product(range(-2, 3), repeat=rank)
        if sum(weight * part for weight, part in zip(weights, vector, strict=True)) >= 1
        and all(extent is None or abs(part) < extent for part, extent in zip(vector, repetition, strict=True))
        and all(part >= 0 for part, extent in zip(vector, repetition, strict=True) if extent is None)
        and (not (building.separable or building.coupled) or sum(map(bool, vector)) == 1)
    ]
    if not vectors:
        return (), ()
    delays, ports = [], []
    for place in range(number):
        port = Port(f"p{place}", output.type, output.shape, NOWHERE)
        default: TiledDefault | int = 0
        if draw(st.integers(0, 3)) == 0:
            array = draw(st.sampled_from([name for name in building.shapes if name.startswith("i")]))
            paving = [[int(axis == column) for column in range(rank)] for axis in range(len(building.shapes[array]))]
            fitting = [
                [int(axis == column) for column in range(len(output.shape))]
                for axis in range(len(building.shapes[array]))
            ]
            if building.frames:
                fitting[0] = [0] * len(output.shape)
            default = TiledDefault(array, _tiler([0] * len(paving), paving, fitting), NOWHERE)
        delays.append(Delay(port.name, output.name, draw(st.sampled_from(vectors)), default, True, NOWHERE))
        ports.append(port)
    return tuple(delays), tuple(ports)
