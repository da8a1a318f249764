"""Hypothesis strategies for emitted designs of further kinds: streams, tables, frames, forks, own modules."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace

from hypothesis import assume
from hypothesis import strategies as st
from port_designs import groups_of
from spec_data import loaded
from strategies_delays import delayed_designs
from strategies_designs import MappedSpec, emitted_specs
from strategies_forks import forks
from strategies_frames import frame_specs
from strategies_frames_inside import frames_inside
from strategies_placed import REFUSED, placed
from strategies_streams import streams
from strategies_tables import binned_specs, folded_specs, histogram_specs, table_specs
from strategies_transforms import LinkedSpec
from stream_designs import platform_at

from arrayol.errors import ArrayolError
from arrayol.ir.network import Process, flatten
from hwmodel.cost_model.model import MachineModel
from hwmodel.datapath.derive import Derived, derivation_of
from hwmodel.datapath.entry import ElementaryEntry, VerilogFile
from hwmodel.design import Design, GroupDesign, Processor
from hwmodel.emit.verilog.datapaths.datapath import datapath_module, operator_modules
from hwmodel.platform import Platform
from hwmodel.streamed import Stream

_CLOCKS = st.sampled_from((2.0, 50.0, 150.0))
_MODULE = "own_module"


@st.composite
def placed_streams(draw: st.DrawFn) -> MappedSpec:
    """One stream behind the memory port, or streams and groups of blocks, at the same time in some.

    Some single ones keep frames inside.
    """
    if draw(st.integers(0, 3)) == 0:
        drawn = draw(frames_inside())
        return _lone_stream(drawn.text, drawn.stream, drawn.features, platform_at(draw(_CLOCKS)))
    own = draw(placed())
    for stream in own.streams:
        spec = loaded(own.drawn.text)
        network = flatten(spec, "top")
        kinds = own.kinds(len(network.processes), stream)
        try:
            groups = groups_of(MachineModel(network, own.platform, {}), kinds, own.chunk)
        except ArrayolError as refused:
            _require_known(refused)
            continue
        design = Design(groups, together=own.together and len(groups) > 1)
        return MappedSpec(own.drawn.text, spec, network, own.platform, {}, design, own.drawn.features)
    return _none()


@st.composite
def axi_streams(draw: st.DrawFn) -> MappedSpec:
    """A design that is one stream, with an AXI4-Stream for each input and output; some keep frames inside."""
    drawn = draw(st.one_of(frames_inside("axis"), streams(), frames_inside("axis"), streams()))
    stream = replace(drawn.stream, interface="axis")
    return _lone_stream(drawn.text, stream, drawn.features, platform_at(draw(_CLOCKS)))


def _lone_stream(text: str, stream: Stream, features: frozenset[str], platform: Platform) -> MappedSpec:
    """A specification as one stream under decisions, or under simpler ones where it does not stream so."""
    spec = loaded(text)
    network = flatten(spec, "top")
    model = MachineModel(network, platform, {}).streams(tuple(network.processes), stream.frames)
    plain = replace(stream, pace=Stream().pace)
    for other in (stream, plain, replace(plain, scan=())):
        try:
            group, _ = next(model.designs(other))
        except ArrayolError as refused:
            _require_known(refused)
            continue
        return MappedSpec(text, spec, network, platform, {}, Design((group,)), features)
    return _none()


def _require_known(refused: ArrayolError) -> None:
    if not {diagnostic.code for diagnostic in refused.diagnostics} <= REFUSED:
        raise refused


def _none() -> MappedSpec:
    assume(False)
    raise AssertionError


@st.composite
def own_modules(draw: st.DrawFn) -> MappedSpec:
    """Designs in which a module that the platform names computes a task: the datapath that would be derived for it.

    Those of streams stand still without their enable, and so do some in blocks.
    """
    case = draw(st.one_of(emitted_specs(single=True), delayed_designs(), placed_streams(), axi_streams()))
    by_name = dict[str, list[Process]]()
    for process in case.network.processes.values():
        by_name.setdefault(process.elementary, []).append(process)
    name = draw(st.sampled_from([*by_name]))
    own = {process.name for process in by_name[name]}
    model = MachineModel(case.network, case.platform, case.loads)
    fired = [pace for group in case.design.groups for task, pace in _intervals(group, model) if task in own]
    interval = fired[0] if fired else draw(st.sampled_from(case.platform.intervals(by_name[name][0])[:4]))
    entry = _entry(by_name[name][0], case.platform, interval, bool(fired) or draw(st.booleans()))
    platform = case.platform.model_copy(update={"elementary": {name: entry}})
    model = MachineModel(case.network, platform, case.loads)
    groups = tuple(_with_module(group, own, model) for group in case.design.groups)
    return replace(case, platform=platform, design=replace(case.design, groups=groups))


def _intervals(group: GroupDesign, model: MachineModel) -> list[tuple[str, int]]:
    """By task the interval at which a group that streams fires."""
    if group.stream is None:
        return []
    streamed = model.streams(group.tasks, group.stream.frames).streamed(group)
    return [(task, streamed.nodes[task].firing.interval) for task in streamed.tasks]


def _with_module(group: GroupDesign, tasks: Collection[str], model: MachineModel) -> GroupDesign:
    """A group in which a module computes some tasks."""
    if group.stream is not None:
        try:
            return next(model.streams(group.tasks, group.stream.frames).designs(group.stream, [group.stream.chunk]))[0]
        except ArrayolError as refused:
            _require_known(refused)
            assume(False)
    processors = (Processor(own.task, own.units, own.cut) if own.task in tasks else own for own in group.processors)
    return replace(group, processors=tuple(processors))


def _entry(process: Process, platform: Platform, interval: int, enabled: bool) -> ElementaryEntry:
    """What a platform says of the datapath of a process as a module of the user's."""
    assert process.definition is not None, "all have bodies"
    assert platform.prices is not None, "hardware is emitted for the platform"
    assert platform.clock_mhz is not None, "hardware is emitted for the platform"
    derived = derivation_of(process.definition, platform.prices, platform.clock_mhz, frozenset()).at(interval)
    assume(not derived.tables and not derived.bins and not derived.built_in)
    return ElementaryEntry(
        interval=(interval,),
        latency=platform.datapath(process, interval).latency,
        module=_MODULE,
        enable="go" if enabled else None,
        verilog=(VerilogFile(f"{_MODULE}.v", _text(derived, enabled)),),
    )


def _text(derived: Derived, enabled: bool) -> str:
    """The module and those of its operators, under names of their own."""
    operators = operator_modules(derived, enabled=enabled)
    text = "\n".join([datapath_module(derived, _MODULE, enabled=enabled), *operators.values()])
    return re.sub(rf"\b({'|'.join(map(re.escape, operators))})\b", r"own_\1", text) if operators else text


STREAMS = placed_streams()
AXIS = axi_streams()
TABLES = st.one_of(
    *(emitted_specs(specs) for specs in (table_specs(), histogram_specs(), binned_specs(), folded_specs()))
)
FRAMES = emitted_specs(
    st.one_of(
        frame_specs(),
        frames_inside()
        .filter(lambda drawn: "samples" not in drawn.features)  # which are lines of one element
        .map(lambda drawn: LinkedSpec(drawn.text, drawn.features)),
    )
)
FORKS = emitted_specs(forks(), single=True)
OWN_MODULES = own_modules()
