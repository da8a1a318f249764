"""Hypothesis strategies for designs in which delays matter: up to three in a task, exits, folded units, outer blocks.

Every element that a body takes has a weight of its own, so that a wrong element or a state of another repetition
changes the result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from math import prod

from hypothesis import assume
from hypothesis import strategies as st
from spec_data import loaded
from strategies_designs import MappedSpec, group_designs, is_legal
from strategies_machine import emitting_platforms, in_outer_blocks

from arrayol.checks.top import choose_top
from arrayol.errors import ArrayolError
from arrayol.ir.network import flatten
from arrayol.transforms.steps import canonical_steps, run_steps
from dse.space.fusions import subspaces
from dse.space.task_graph import task_graph
from hwmodel.cost_model.model import MachineModel
from hwmodel.design import Design, GroupDesign

MOST_REPETITIONS = 48
_REAL = ("i32", "i32", "i16", "u8", "i64", "f32")


@dataclass
class _Text:
    """What is written so far: arrays by name with their shapes, those that nothing reads, definitions, calls."""

    draw: st.DrawFn
    kind: str
    arrays: dict[str, tuple[int, ...]] = field(default_factory=dict)
    unread: dict[str, None] = field(default_factory=dict)
    definitions: list[str] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)
    features: set[str] = field(default_factory=set)

    def chance(self, one_in: int, feature: str | None = None) -> bool:
        """True once in so many cases; the feature is then noted."""
        drawn = self.draw(st.integers(0, one_in - 1)) == one_in - 1
        if drawn and feature:
            self.features.add(feature)
        return drawn


@dataclass(frozen=True)
class _Read:
    """How a task reads an array: the extents of its repetition, its pattern, and the tiler as text."""

    extents: tuple[int, ...]
    pattern: tuple[int, ...]
    tiler: str


@dataclass
class _Task:
    """The ports of an elementary with their patterns, and the links of the task that repeats it."""

    inputs: dict[str, tuple[int, ...]] = field(default_factory=dict)
    outputs: dict[str, tuple[int, ...]] = field(default_factory=dict)
    written: dict[str, tuple[int, ...]] = field(default_factory=dict)
    links: list[str] = field(default_factory=list)


@st.composite
def delayed_designs(draw: st.DrawFn, kinds: Sequence[str] = _REAL) -> MappedSpec:
    """One to three tasks, most with delays, mapped on a platform for which hardware is emitted."""
    text, features = draw(delayed_specs(kinds))
    written = loaded(text)
    top = choose_top(written, None)
    spec = run_steps(written, canonical_steps(written, top)).spec
    clock = draw(st.sampled_from((25.0, 50.0, 100.0)))
    network, platform = flatten(spec, top), draw(emitting_platforms()).model_copy(update={"clock_mhz": clock})
    model = MachineModel(network, platform, {})
    fusions = [fusion for subspace in subspaces(task_graph(network)) for fusion in subspace]
    fusion = draw(st.sampled_from(fusions))
    try:
        groups = [
            _folded(draw, model, replace(draw(group_designs(model, tasks)), layouts=())) for tasks in fusion.groups
        ]
    except ArrayolError as failure:
        assume(failure.diagnostics[0].code not in ("missing-operator", "operator-too-slow", "no-body"))
        raise
    features |= set(_of_groups(groups))
    return MappedSpec(text, spec, network, platform, {}, Design(tuple(groups)), frozenset(features))


def _folded(draw: st.DrawFn, model: MachineModel, design: GroupDesign) -> GroupDesign:
    """The design, where that is legal with more units and longer intervals, and at times in blocks of blocks."""
    more = replace(design, processors=tuple(replace(own, units=draw(st.integers(2, 3))) for own in design.processors))
    if draw(st.booleans()) and is_legal(model, more):
        design = more
    processors = tuple(
        replace(own, interval=draw(st.sampled_from(offered[1:] or offered)))
        for own in design.processors
        for offered in (model.platform.intervals(model.network.processes[own.task]),)
    )
    longer = replace(design, processors=processors)
    if draw(st.integers(0, 3)) and is_legal(model, longer):
        design = longer
    extents = model.accesses.extents(design.tasks[-1])
    outer = draw(in_outer_blocks(design.blocks, extents)) if not design.blocks.outer else design.blocks
    wider = replace(design, schedule=outer)
    return wider if model.is_legal(design.tasks[-1], outer) and is_legal(model, wider) else design


def _of_groups(groups: Sequence[GroupDesign]) -> set[str]:
    found = {"several groups" if len(groups) > 1 else "one group"}
    for group in groups:
        found |= {"several units" for own in group.processors if own.units > 1}
        found |= {"folded units" for own in group.processors if (own.interval or 1) > 1}
        found |= {"outer blocks" for _ in group.blocks.outer[:1]} | {"FIFO" for _ in group.fifos}
        found |= {"fused tasks"} if len(group.tasks) > 1 else set()
    return found


@st.composite
def delayed_specs(draw: st.DrawFn, kinds: Sequence[str]) -> tuple[str, set[str]]:
    """The text of a specification with elements of one type, and its features."""
    text = _Text(draw, draw(st.sampled_from(kinds)))
    shape = draw(st.sampled_from(((6,), (12,), (4, 4), (3, 5), (2, 6), (4, 2), (2, 3, 4), (3, 2, 2))))
    text.arrays["x"] = shape
    for number in range(draw(st.sampled_from((1, 2, 2, 3)))):
        _add_task(text, number)
    outputs = [name for name in text.arrays if name in text.unread or (name != "x" and text.chance(4))]
    heads = (_declared(text, {"x": shape}), _declared(text, {name: text.arrays[name] for name in outputs}))
    body = "".join(f"  {call}\n" for call in text.calls)
    top = f"task top({heads[0]}) -> ({heads[1]}) {{\n{body}}}\n"
    text.features.add("several outputs" if len(outputs) > 1 else "one output")
    text.features.add("integers" if text.kind[0] in "iu" else "floats")
    return "".join([*text.definitions, top]), text.features


def _declared(text: _Text, ports: dict[str, tuple[int, ...]]) -> str:
    return ", ".join(f"{name}: {text.kind}{list(shape) or ''}" for name, shape in ports.items())


def _add_task(text: _Text, number: int) -> None:
    """A task that reads one array, most often the last one."""
    draw = text.draw
    names = list(text.arrays)
    source = draw(st.sampled_from([*names, *names[-1:] * 3]))
    read, task = _read(text, text.arrays[source]), _Task()
    task.inputs["a"] = read.pattern
    task.links.append(f"a <- {source} at {read.tiler}")
    _add_outputs(text, task, number, read.extents)
    _add_delays(text, task, source, read)
    ends = [_declared(text, ports) for ports in (task.inputs, task.outputs)]
    body = "".join(f"  {line}\n" for line in _body(text, task))
    links = "".join(f"    {link}\n" for link in task.links)
    tasks = [_declared(text, ports) for ports in ({source: text.arrays[source]}, task.written)]
    repeat = f"  repeat {list(read.extents)} of e{number} {{\n{links}  }}\n"
    text.definitions += [
        f"elementary e{number}({ends[0]}) -> ({ends[1]}) {{\n{body}}}\n",
        f"task t{number}({tasks[0]}) -> ({tasks[1]}) {{\n{repeat}}}\n",
    ]
    results = ", ".join(task.written)
    text.calls.append(f"{results if len(task.written) == 1 else f'({results})'} = t{number}({source})")
    text.unread.pop(source, None)
    text.arrays |= task.written
    text.unread |= dict.fromkeys(task.written)


def _read(text: _Text, shape: tuple[int, ...]) -> _Read:
    """Some axes are walked, in steps or in windows, others lie in the pattern as a whole."""
    draw, rank = text.draw, len(shape)
    extents, columns, pattern, places = list[int](), list[int](), list[int](), list[int]()
    steps = [1] * rank
    for axis, extent in enumerate(shape):
        whole = extent <= 3 and rank > 1 and text.chance(3) and (extents or axis < rank - 1)
        if whole:
            side = extent
        else:
            step = draw(
                st.sampled_from([step for step in (1, 1, 1, 2, 3) if extent % step == 0 and extent > step] or [1])
            )
            side = step + draw(st.sampled_from((0, 0, 1))) if step < 3 and extent > step + 2 else step
            steps[axis] = step
            columns.append(axis)
            extents.append((extent - side) // step + 1)
        if side > 1:
            pattern.append(side)
            places.append(axis)
    while prod(extents) > MOST_REPETITIONS:
        extents[extents.index(max(extents))] //= 2
    paving = [[steps[axis] * int(axis == column) for column in columns] for axis in range(rank)]
    fitting = [[int(axis == place) for place in places] for axis in range(rank)]
    rows = ["; ".join(", ".join(map(str, row)) for row in matrix) for matrix in (paving, fitting)]
    tiler = f"origin {[0] * rank} paving [{rows[0]}] fitting [{rows[1] if pattern else ''}]"
    return _Read(tuple(extents), tuple(pattern), tiler)


def _add_outputs(text: _Text, task: _Task, number: int, extents: tuple[int, ...]) -> None:
    for place in range(2 if text.chance(4, "several outputs of a task") else 1):
        pattern = text.draw(st.sampled_from(((), (), (2,), (3,), (2, 2))))
        _add_output(text, task, (f"b{place}", f"{'yz'[place]}{number}"), extents, pattern)


def _add_output(
    text: _Text, task: _Task, names: tuple[str, str], extents: tuple[int, ...], pattern: tuple[int, ...]
) -> None:
    port, array = names
    long = [axis for axis, extent in enumerate(extents) if extent > 1]
    task.outputs[port] = pattern
    axis = text.draw(st.sampled_from(long)) if long and text.chance(3) else None
    kept = tuple(extent for place, extent in enumerate(extents) if place != axis)
    if axis is None or not (kept or pattern):
        task.written[array] = (*extents, *pattern)
        task.links.append(f"{port} -> {array}")
        return
    text.features.add("exit")
    vector = [text.draw(st.sampled_from((1, 1, -1))) if place == axis else 0 for place in range(len(extents))]
    task.written[array] = (*kept, *pattern)
    task.links.append(f"{port} delay {vector} -> {array}")


def _add_delays(text: _Text, task: _Task, source: str, read: _Read) -> None:
    """Up to three, of outputs or of a state that is written nowhere, along vectors that some order of walking obeys."""
    draw, extents = text.draw, read.extents
    weights = [draw(st.sampled_from((1, 3, 9))) * draw(st.sampled_from((1, 1, -1))) for _ in extents]
    vectors = [
        vector
        for vector in product(range(-1, 3), repeat=len(extents))
        if sum(weight * part for weight, part in zip(weights, vector, strict=True)) >= 1
        and all(abs(part) < extent for part, extent in zip(vector, extents, strict=True))
    ]
    count = draw(st.sampled_from((0, 1, 1, 1, 2, 2, 3))) if vectors else 0
    if not count:
        return
    text.features.add(f"{count} delay{'s' if count > 1 else ''}")
    if text.chance(2, "state beside outputs"):
        task.outputs["s"] = draw(st.sampled_from(((), (), (2,), (3,))))
    plain = [vector for vector in vectors if sum(map(abs, vector)) == 1] or vectors
    for place in range(count):
        output = (
            "s" if "s" in task.outputs and (place == 0 or text.chance(2)) else draw(st.sampled_from([*task.outputs]))
        )
        vector = draw(st.sampled_from(plain if draw(st.booleans()) else vectors))
        default = str(draw(st.sampled_from((0, 1, 3))))
        if task.outputs[output] == read.pattern and text.chance(3, "tiled default"):
            default = f"{source} at {read.tiler}"
        task.inputs[f"p{place}"] = task.outputs[output]
        task.links.append(f"p{place} <- {output} delay {list(vector)} else {default}")


Ranges = list[tuple[str, int]]


def _body(text: _Text, task: _Task) -> list[str]:
    """Sums of weighted elements; half of them short, so that a state comes back in a cycle or two."""
    states = {port: pattern for port, pattern in task.inputs.items() if port != "a"}
    shared = text.draw(st.sampled_from((3, 11, 23, -7 if text.kind != "u8" else 7)))
    short, lines = bool(states) and text.chance(2, "short recurrence"), list[str]()
    for place, (port, pattern) in enumerate(task.outputs.items()):
        own = [(f"j{axis}", extent) for axis, extent in enumerate(pattern)]
        taken = [(f"k{axis}", extent) for axis, extent in enumerate(task.inputs["a"])]
        weight = " + ".join([str(place + 1), *(f"{2 * axis + 3} * {name}" for axis, (name, _) in enumerate(own))])
        if short:
            value = f"{f'({weight})' if own else shared} * {_element('a', [('0', 1)] * len(taken))}"
            lines.append(_assigned(port, own, "=", value, []))
        else:
            weights = " + ".join([weight, *(f"{axis + 2} * {name}" for axis, (name, _) in enumerate(taken))])
            lines.append(_assigned(port, own, "=", weight, []))
            lines.append(_assigned(port, own, "+=", f"({weights}) * {_element('a', taken)}", taken))
        for number, (state, shape) in enumerate(states.items()):
            inner = [(f"m{axis}", extent) for axis, extent in enumerate(shape)]
            if shape == pattern and (short or text.chance(2)):
                value, inner = f"{shared if number < 2 else 2} * {_element(state, own)}", []
            elif not short and text.chance(3):
                value = f"{_element(state, inner)} * {_element('a', [('0', 1)] * len(taken))}"
            else:
                weights = [str(number + shared), *(f"{axis + 1} * {name}" for axis, (name, _) in enumerate(inner))]
                value = f"({' + '.join(weights)}) * {_element(state, inner)}"
            lines.append(_assigned(port, own, "+=", value, inner))
    return lines


def _element(port: str, ranges: Ranges) -> str:
    return f"{port}[{', '.join(name for name, _ in ranges)}]" if ranges else port


def _assigned(port: str, own: Ranges, sign: str, value: str, inner: Ranges) -> str:
    ranges = ", ".join(f"{name} in 0..{extent}" for name, extent in (*own, *inner))
    return f"{_element(port, own)} {sign} {value}{f'  for {ranges}' if ranges else ''}"
