"""External memories of several channels in Verilog on Icarus: a port for each, cycles of the model, and its bits."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from axi_benches import frames_behind_axi
from generated_designs import CHANNELS, try_many
from hardware import cheap, hardware_of, tried
from hardware_designs import PLATFORM, SPEC, Small, explored
from many_cases import full_count, new_seed
from port_designs import (
    ONCE,
    Kinds,
    frames_at_port,
    memory_of,
    mixed_design,
    port_design,
    require_port_frames,
    sharing_case,
)
from small_shipped import quick_front, small_shipped
from strategies_machine import with_channels
from stream_designs import platform_at
from stream_networks import case_of
from verilog_programs import needs_icarus, promised_frames

from arrayol.errors import ArrayolError
from dse.verify.testbench import Testbench
from hwmodel.cost_model.model import MachineModel
from hwmodel.emit.schedule.design import HardwareDesign
from hwmodel.emit.schedule.group import Tables
from hwmodel.emit.schedule.value_proof import require_values, there_before
from hwmodel.emit.verilog.design import DesignFiles
from hwmodel.platform import Platform
from hwmodel.streamed import Stream

pytestmark = needs_icarus

CASES, SEED = 12, 1  # generated_designs.py --channels tries more; of the seeds tried, one with all features
FEATURES = {"2 channels", "3 channels", "4 channels", "shared port", "separate port", "several groups", "single buffer"}
FEATURES |= {"load once", "at the same time", "FIFO"}
PORT = Stream()


def test_generated_designs() -> None:
    tally = try_many(CHANNELS, full_count(CASES), SEED + new_seed())
    assert tally.wrong == []
    assert not any(reason.startswith("unproven-schedule") for reason in tally.refused)
    assert {feature for feature, count in tally.features.items() if count} >= FEATURES, tally.features


@pytest.mark.parametrize("name", ["conv3x3", "harris"])
def test_shipped_specifications(name: str, tmp_path: Path) -> None:
    """A design at the reduced size on two channels is faster than on one, where loads and stores end steps."""
    bench = small_shipped(name, tmp_path).verifier.testbench
    two = Testbench(bench.spec, bench.model.network, with_channels(bench.platform, 2), bench.accesses.loads)
    (design,) = cheap(two, quick_front(name), 1)
    seen = tried(two, design)
    assert (seen.refused, seen.cycles_equal, seen.outputs_equal) == (None, True, True)
    assert seen.cycles < bench.model.evaluate(design).latency_cycles
    assert len(hardware_of(two, design).addresses.words) == 2


def at_once(port: str, channels: int) -> Platform:
    return memory_of(platform_at(50), port=port, channels=channels, word_bits=32, latency=5, outstanding=2)


@pytest.mark.parametrize(
    ("port", "channels", "together"), [("shared", 2, False), ("separate", 3, True), ("shared", 8, True)]
)
def test_streams_and_blocks(tmp_path: Path, port: str, channels: int, *, together: bool) -> None:
    """Two groups of blocks, and between them a stream; at the plain port and behind AXI4."""
    case, kinds = case_of("unsharp", tmp_path, H=4, W=6), ((1, None), (3, PORT), (1, None))
    design = mixed_design(case, kinds, at_once(port, channels), together=together)
    require_port_frames(design)
    frames, violations = frames_behind_axi(design, 3, stores_first=True)
    assert (set(frames), violations) == ({0}, 0)


def test_a_stream_that_loads_once(tmp_path: Path) -> None:
    """What comes before the first frame comes through another channel than the frames."""
    case = case_of("conv3x3", tmp_path, H=6, W=8)
    design = port_design(case, PORT, platform=memory_of(platform_at(50), channels=3), loads={"kernel": "once"})
    channels = design.addresses.channels
    assert channels["kernel"] != channels["mask"]
    require_port_frames(design, setup_cycles=32)


BLOCKS = 1, None
STREAM = 1, PORT


@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize(
    "kinds",
    [(BLOCKS, BLOCKS, BLOCKS), (STREAM, BLOCKS, BLOCKS), (BLOCKS, (2, PORT)), (STREAM, STREAM, STREAM)],
    ids=["blocks", "a stream first", "a stream last", "streams"],
)
@pytest.mark.parametrize(("port", "channels"), [("shared", 1), ("separate", 2), ("shared", 2)])
def test_groups_share_what_is_loaded_once(
    tmp_path: Path, port: str, channels: int, kinds: Kinds, *, together: bool
) -> None:
    """All take the words of one load of each array; channels load at the same time."""
    case, platform = sharing_case(tmp_path), at_once(port, channels)
    design = mixed_design(case, kinds, platform, together=together, loads=ONCE)
    assert len({design.addresses.channels[name] for name in ONCE}) == channels
    setup_cycles = MachineModel(case.network, platform, ONCE).once.setup_cycles
    if channels > 1:
        assert setup_cycles < MachineModel(case.network, at_once(port, 1), ONCE).once.setup_cycles
    require_port_frames(design, setup_cycles)
    frames, violations = frames_behind_axi(design, 2)
    assert (set(frames), violations) == ({0}, 0)


def test_a_channel_that_no_group_uses_has_no_port(tmp_path: Path) -> None:
    """Arrays between the tasks of one group lie there."""
    design = port_design(case_of("unsharp", tmp_path, H=4, W=6), PORT, platform=at_once("shared", 8))
    used = {engine.channel for group in design.groups for engine in group.engines}
    assert used == {design.addresses.channels[name] for name in (*design.network.inputs, *design.network.outputs)}
    assert len(used) < len(design.addresses.words)
    files = DesignFiles(design)
    ports = set(re.findall(r"wire (?:\[\d+:0\] )?port(\d+)_request,", files.files()["rtl/unsharp_top.v"]))
    assert ports == set(map(str, used))
    assert [size > 0 for size in files.layout.sizes] == [number in used for number in range(len(files.layout.sizes))]
    require_port_frames(design)


# What must not agree.


@cache
def on_two() -> Small:
    """The specification of small designs, with its input and its output in different channels."""
    return explored(SPEC, PLATFORM.replace("latency", "channels = 2\nlatency"))


def two_channels() -> HardwareDesign:
    return on_two().hardware(on_two().front[0])


CHANGES = [
    ("rtl/both_top.v", "port0_address = port0_address0", "port0_address = port1_address0", "another channel's address"),
    ("rtl/group0_top.v", r"port0_rdata\[", "port1_rdata[", "another channel's words"),
    ("rtl/group0_top.v", r" && port1_passing_fin", "", "a step that does not wait for a channel"),
    ("tb/tb.v", r"LATENCY\(7\)\) memory1", "LATENCY(8)) memory1", "a channel that is slower"),
]


@pytest.mark.parametrize(("path", "before", "after"), [own[:3] for own in CHANGES], ids=[own[3] for own in CHANGES])
def test_what_is_changed_is_seen(path: str, before: str, after: str) -> None:
    files = DesignFiles(two_channels()).files()
    text, count = re.subn(before, after, files[path])
    assert count
    assert frames_at_port(files | {path: text}) != promised_frames(two_channels())


def test_an_engine_of_another_channel_is_not_proven() -> None:
    """The fourth proof: what passes an engine lies in its channel."""
    scheduler = on_two().scheduler(on_two().front[0])
    tables, accesses = scheduler.tables(), scheduler.accesses

    def prove(own: Tables) -> None:
        before = there_before(accesses)
        require_values(accesses, scheduler.addresses, scheduler.datapaths, own, scheduler.run, before)

    prove(tables)
    swapped = tuple(replace(engine, channel=1 - engine.channel) for engine in tables.engines)
    with pytest.raises(ArrayolError, match="does not lie in the channel of 'port0'") as refused:
        prove(replace(tables, engines=swapped))
    assert refused.value.diagnostics[0].code == "unproven-schedule"
