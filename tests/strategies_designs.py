"""Hypothesis strategies for whole mapped designs of generated specifications, on any platform; most of them legal."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import prod

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st
from spec_data import loaded
from strategies_machine import array_keeps, emitting_platforms, in_outer_blocks, platforms
from strategies_transforms import LinkedSpec, linked_specs

from arrayol.checks.top import choose_top
from arrayol.errors import ArrayolError
from arrayol.execute.inputs import noise
from arrayol.execute.run import DTYPES
from arrayol.ir import syntax
from arrayol.ir.network import Network, flatten
from arrayol.ir.spec import ConstArray, Port, Spec
from arrayol.transforms.steps import canonical_steps, run_steps
from dse.space.fusions import subspaces
from dse.space.task_graph import task_graph
from hwmodel.accesses import Accesses
from hwmodel.cost_model.model import MachineModel
from hwmodel.design import POLICIES, BankLayout, Blocks, Design, GroupDesign, Processor, row_major
from hwmodel.frame_steps import require_in_step
from hwmodel.last_tasks import following, last_tasks
from hwmodel.platform import Platform
from hwmodel.residence import LOADS, Load, Loads


@dataclass(frozen=True)
class MappedSpec:
    """A specification with a design of its top task on a platform, and the features of all three."""

    text: str
    spec: Spec
    network: Network
    platform: Platform
    loads: Loads
    design: Design
    features: frozenset[str]


@st.composite
def mapped_specs(
    draw: st.DrawFn, specs: st.SearchStrategy[LinkedSpec] | None = None, *, built: bool = False, single: bool = False
) -> MappedSpec:
    """One to four tasks with bodies, in groups of any legal fusion, every decision of a design drawn.

    The tasks are those that `specs` draws, and most groups end in several; else they are linked ones or streams. With
    `built` the platform names a technology, so that memories are built of something; with `single` most groups have
    single buffers.
    """
    in_order = specs is None and draw(st.integers(0, 5)) == 0
    linked = draw(specs if specs is not None else streams() if in_order else linked_specs())
    written = loaded(linked.text)
    top = choose_top(written, None)
    spec = run_steps(written, canonical_steps(written, top)).spec
    spec, loads = draw(residences(spec, top))
    network = _flat(spec, top)
    platform = _on(draw(platforms(built=built)), network)
    model = MachineModel(network, platform, loads)
    fusions = [fusion for subspace in subspaces(task_graph(network)) for fusion in subspace]
    if specs is not None:
        ends = [fusion for fusion in fusions if any(_ends_in_several(model, tasks) for tasks in fusion.groups)]
        fusions = ends if ends and draw(st.integers(0, 7)) != 3 else fusions
    fusion = fusions[0] if in_order else draw(st.sampled_from(fusions))
    design = Design(
        tuple(draw(group_designs(model, tasks, in_order=in_order, single=single)) for tasks in fusion.groups)
    )
    features = linked.features | set(_of_platform(platform, network)) | set(_of_design(design, model))
    features |= {f"load {load}" for load in model.accesses.load.values()}
    return MappedSpec(linked.text, spec, network, platform, loads, design, frozenset(features))


def _flat(spec: Spec, top: str) -> Network:
    """The network of a specification that can be explored."""
    try:
        network = flatten(spec, top)
        require_in_step(Accesses(network))
    except ArrayolError as failure:
        assume(failure.diagnostics[0].code not in ("wraps-in-part", "border-in-part", "frames-out-of-step"))
        raise
    return network


def _ends_in_several(model: MachineModel, tasks: tuple[str, ...]) -> bool:
    try:
        return bool(following(model.accesses, tasks))
    except ArrayolError:
        return False


@st.composite
def residences(draw: st.DrawFn, spec: Spec, top: str) -> tuple[Spec, dict[str, Load]]:
    """The specification with some inputs of its top task turned to const arrays, and loads of some."""
    tables, loads = dict[str, ConstArray](), dict[str, Load]()
    for port in spec.components[top].inputs:
        if None in port.shape or draw(st.integers(0, 2)):
            continue
        load = draw(st.sampled_from(LOADS))
        if load == "rom" or draw(st.booleans()):
            tables[port.name] = const_array(port, seed=draw(st.integers(0, 3)))
        if load != "rom" or draw(st.booleans()):
            loads[port.name] = load
    return replace(spec, tables=tables), loads


def const_array(port: Port, seed: int) -> ConstArray:
    """A const array of a port's name, type and shape: a counter for seed 0, else noise."""
    shape = tuple(side for side in port.shape if side is not None)
    name, kind = (syntax.Name(text, port.span) for text in (port.name, str(port.type)))
    definition = syntax.ConstArray(name, kind, (), syntax.Number(0, port.span), port.span)
    dtype = DTYPES[port.type].newbyteorder("<")
    data = noise(port.type, shape, seed).astype(dtype) if seed else np.arange(prod(shape)).astype(dtype)
    return ConstArray(port.name, port.type, shape, data.tobytes(), definition)


def _on(platform: Platform, network: Network) -> Platform:
    """The platform with its datapaths given to the elementaries of a network in turn."""
    paths = list(platform.elementary.values())
    names = dict.fromkeys(process.elementary for process in network.processes.values())
    own = {name: paths[place % len(paths)] for place, name in enumerate(names)}
    return platform.model_copy(update={"elementary": own})


@st.composite
def streams(draw: st.DrawFn) -> LinkedSpec:
    """Two to four tasks in a row that read and write every element once, row by row, at whatever rates."""
    height, columns = draw(st.sampled_from(((1, 12), (1, 24), (2, 12), (3, 8))))
    definitions, calls = [], []
    count = draw(st.integers(2, 4))
    features = {"stream", f"{count} tasks"}
    kind = draw(st.sampled_from(("i64", "f32", "u8")))
    first = columns
    for number in range(count):
        taken = draw(st.sampled_from([side for side in (1, 2, 3, 4) if columns % side == 0]))
        given = draw(st.sampled_from((1, 2, 3)))
        delay = draw(st.sampled_from((None, None, "[0, 1]", "[1, 0]", "[1, -1]"))) if height > 1 else None
        features |= {"delay"} if delay else set()
        definitions += _stream_task(number, kind, (height, columns), (taken, given), delay)
        columns = columns // taken * given
        calls.append(f"  y{number} = t{number}({f'y{number - 1}' if number else 'x'})\n")
    ends = f"(x: {kind}[{height}, {first}]) -> (y{count - 1}: {kind}[{height}, {columns}])"
    return LinkedSpec("".join([*definitions, f"task top{ends} {{\n", *calls, "}\n"]), frozenset(features))


def _stream_task(
    number: int, kind: str, shape: tuple[int, int], sides: tuple[int, int], delay: str | None
) -> tuple[str, str]:
    """An elementary and the task that repeats it over `taken` elements of a row, for `given` each."""
    (height, columns), (taken, given) = shape, sides
    state, more, link = "", "", ""
    if delay:
        state, more, link = f", p: {kind}[{given}]", " + 2 * p[j]", f"    p <- b delay {delay} else 1\n"
    ends = f"(x: {kind}[{height}, {columns}]) -> (y: {kind}[{height}, {columns // taken * given}])"
    elementary = (
        f"elementary e{number}(a: {kind}[{taken}]{state}) -> (b: {kind}[{given}]) {{\n"
        f"  b[j] = j + 1{more}  for j in 0..{given}\n"
        f"  b[j] += (j + k + 1) * a[k]  for j in 0..{given}, k in 0..{taken}\n}}\n"
    )
    task = (
        f"task t{number}{ends} {{\n  repeat [{height}, {columns // taken}] of e{number} {{\n"
        f"    a <- x at origin [0, 0] paving [1, 0; 0, {taken}] fitting [0; 1]\n"
        f"    b -> y at origin [0, 0] paving [1, 0; 0, {given}] fitting [0; 1]\n{link}  }}\n}}\n"
    )
    return elementary, task


@st.composite
def group_designs(
    draw: st.DrawFn, model: MachineModel, tasks: tuple[str, ...], *, in_order: bool = False, single: bool = False
) -> GroupDesign:
    """A design of one group. Scans are legal; FIFOs often, with `in_order` row by row, units always where one is."""
    blocks = draw(_blocks(model, tasks[-1]))
    straight = row_major(len(blocks.shape))
    if in_order and straight in model.legal_scans(tasks[-1], blocks.shape):
        blocks = Blocks(blocks.shape, straight)
    cuts = {task: draw(_blocks(model, task)) for task in tasks[:-1] if not in_order and draw(st.integers(0, 3)) == 0}
    design = GroupDesign(
        tuple(
            Processor(
                task,
                draw(st.sampled_from((1, 1, 2, 3))),
                cuts.get(task),
                draw(st.sampled_from((None, *model.platform.intervals(model.network.processes[task])))),
            )
            for task in tasks
        ),
        blocks,
        policy=draw(st.sampled_from(POLICIES)),
        recompute=not in_order and draw(st.integers(0, 2)) == 0,
    )
    design = replace(design, keeps=draw(array_keeps(model.network, tasks, len(blocks.scan.dimensions))))
    loaded = [name for name in _loaded(model, tasks) if not model.accesses.is_resident(name)]
    if single and loaded and not model.platform.has_rows:
        design = replace(design, single_buffers=frozenset(draw(st.sets(st.sampled_from(loaded)))))
    design = replace(design, fifos=draw(_fifos(model, design)))
    design = replace(design, layouts=draw(_layouts(model, design)))
    return next(one for one in _ever_plainer(design) if is_legal(model, one) or (not one.fifos and _lone_units(one)))


def _loaded(model: MachineModel, tasks: tuple[str, ...]) -> list[str]:
    processes = [model.network.processes[task] for task in tasks]
    made = {array for process in processes for array in process.writes}
    return sorted({array for process in processes for array in process.reads} - made)


@st.composite
def _blocks(draw: st.DrawFn, model: MachineModel, task: str) -> Blocks:
    extents = model.accesses.extents(task)
    shape = tuple(draw(st.integers(1, extent)) for extent in extents)
    scans = model.legal_scans(task, shape)
    if not scans:  # delays that cross
        shape = (1,) * len(extents)
        scans = model.legal_scans(task, shape)
        assume(scans)
    plain = Blocks(shape, draw(st.sampled_from(scans)))
    blocks = draw(in_outer_blocks(plain, extents))
    return blocks if model.is_legal(task, blocks) else plain


@st.composite
def _fifos(draw: st.DrawFn, model: MachineModel, design: GroupDesign) -> frozenset[str]:
    if any(processor.cut for processor in design.processors) or design.recompute:
        return frozenset()
    try:
        offered = model.offers(design.tasks, [design.blocks])[0].fifos
    except ArrayolError:
        return frozenset()
    return frozenset(draw(st.sets(st.sampled_from(offered), min_size=1))) if offered else frozenset()


@st.composite
def _layouts(draw: st.DrawFn, model: MachineModel, design: GroupDesign) -> tuple[BankLayout, ...]:
    processes = [model.network.processes[task] for task in design.tasks]
    touched = {array for one in processes for array in (*one.reads, *one.writes)} - design.fifos
    kept = sorted(array for array in touched if not model.accesses.is_resident(array))
    found = []
    for array in draw(st.sets(st.sampled_from(kept), max_size=2)) if draw(st.integers(0, 2)) == 0 else ():
        vector = tuple(draw(st.integers(-1, 3)) for _ in model.network.arrays[array].shape)
        banks = draw(st.integers(1, model.platform.local.banks))
        found.append(BankLayout(array, banks, vector, draw(st.integers(1, 2))))
    return tuple(sorted(found, key=lambda layout: layout.array))


def _ever_plainer(design: GroupDesign) -> Iterator[GroupDesign]:
    """The design, with lone units, without FIFOs, without both."""
    lone = tuple(replace(one, units=1) for one in design.processors)
    yield design
    yield replace(design, processors=lone)
    yield replace(design, fifos=frozenset())
    yield replace(design, processors=lone, fifos=frozenset())


def is_legal(model: MachineModel, design: GroupDesign) -> bool:
    try:
        model.estimate_enumerated(design)
    except ArrayolError:
        return False
    return True


def _lone_units(design: GroupDesign) -> bool:
    return all(processor.units == 1 for processor in design.processors)


def _of_platform(platform: Platform, network: Network) -> Iterator[str]:
    yield f"{platform.memory.port} port"
    yield "words of bits" if platform.memory.word_bits else "words of data"
    if platform.memory.rows:
        yield "rows"
    for process in network.processes.values():
        paths = [platform.datapath(process, interval) for interval in platform.intervals(process)]
        if any(max(path.recurrence.values(), default=0) > path.interval for path in paths):
            yield "recurrence above the interval"
        if any(any(path.through_memory.values()) for path in paths):
            yield "state through memory"
        if len(process.delays) > 1:
            yield "several delays"


def _of_design(design: Design, model: MachineModel) -> Iterator[str]:
    yield "several groups" if len(design.groups) > 1 else "one group"
    for group in design.groups:
        yield f"policy {group.policy}"
        loops = len(group.blocks.scan.dimensions)
        yield from ("eager keep" for _, keep in group.keeps if keep.eager)
        yield from ("shared keep" for _, keep in group.keeps if keep.shared)
        yield from ("keep at an outer loop" for _, keep in group.keeps if 0 < keep.level < loops - 1)
        yield from ("keep at a loop" for _, keep in group.keeps if keep.level)
        yield from ("FIFO" for _ in group.fifos)
        yield from ("layout" for _ in group.layouts)
        yield from ("single buffer" for _ in group.single_buffers)
        yield from ("cut" for processor in group.processors if processor.cut)
        yield from ("several units" for processor in group.processors if processor.units > 1)
        yield from ("interval chosen" for processor in group.processors if processor.interval)
        if group.recompute and len(group.tasks) > 1:
            yield "recompute"
        if len(last_tasks(model.network, group.tasks)) > 1:
            yield "several last tasks"
        if group.blocks.outer:
            yield "blocks of blocks"
        if any(outer % side for outer, side in zip(group.blocks.outer, group.blocks.shape, strict=False)):
            yield "clipped blocks of blocks"
        extents = model.accesses.extents(group.tasks[-1])
        if any(extent % side for extent, side in zip(extents, group.blocks.shape, strict=True)):
            yield "partial block"


@st.composite
def emitted_specs(
    draw: st.DrawFn,
    specs: st.SearchStrategy[LinkedSpec] | None = None,
    *,
    single: bool = False,
    several: bool = False,
) -> MappedSpec:
    """As `mapped_specs`, on platforms for which hardware is emitted: datapaths derived, a memory that bursts by run.

    Designs are those of what `specs` draws, else of linked tasks or of streams. With `single` most have single buffers,
    with `several` all have several groups.
    """
    in_order = specs is None and not several and draw(st.integers(0, 3)) == 0
    linked = draw(specs if specs is not None else streams() if in_order else linked_specs())
    written = loaded(linked.text)
    top = choose_top(written, None)
    spec, loads = draw(residences(run_steps(written, canonical_steps(written, top)).spec, top))
    network = _flat(spec, top)
    platform = draw(emitting_platforms())
    model = MachineModel(network, platform, loads)
    fusions = [fusion for subspace in subspaces(task_graph(network)) for fusion in subspace]
    fusions = [fusion for fusion in fusions if len(fusion.groups) > 1] if several else fusions
    assume(fusions)
    fusion = fusions[0] if in_order else draw(st.sampled_from(fusions))
    try:
        groups = (draw(group_designs(model, tasks, in_order=in_order, single=single)) for tasks in fusion.groups)
        design = Design(tuple(groups))
    except ArrayolError as failure:
        assume(failure.diagnostics[0].code not in ("missing-operator", "operator-too-slow", "no-body"))
        raise
    features = linked.features | set(_of_platform(platform, network)) | set(_of_design(design, model))
    features |= {f"load {load}" for load in model.accesses.load.values()}
    return MappedSpec(linked.text, spec, network, platform, loads, design, frozenset(features))
