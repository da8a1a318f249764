"""A platform gives a latency above the derived one: results wait for the cycle that it names."""

from __future__ import annotations

from pathlib import Path

import pytest
import stream_designs
from hardware_designs import PLATFORM, SPEC, Small, explored, small
from stream_networks import case_of
from verilog_programs import frames_of, needs_icarus, promised_frames

from hwmodel.datapath.entry import ElementaryEntry
from hwmodel.emit.verilog.coverage import Coverage
from hwmodel.streamed import Stream


def with_latencies(first: int, second: int) -> Small:
    """The small network with the latencies of its datapaths, and so many cycles more."""
    first, second = first + derived("blurred"), second + derived("scaled")
    return explored(SPEC, f"{PLATFORM}[elementary.sum]\nlatency = {first}\n[elementary.scale]\nlatency = {second}\n")


def derived(task: str) -> int:
    """The latency of a task's own datapath."""
    bench = small().testbench
    return bench.platform.datapath(bench.accesses.network.processes[task]).latency


@needs_icarus
def test_blocks_take_the_cycles_of_the_given_latency() -> None:
    before = small().hardware(small().front[0]).cycles
    own = with_latencies(13, 6)
    design = own.hardware(own.front[0])
    assert design.cycles >= before + 13 + 6
    assert frames_of(design) == promised_frames(design)


@needs_icarus
def test_streams_wait_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A group of several tasks, of which one has a greater latency than its own."""
    case = case_of("unsharp", tmp_path, H=6, W=8)
    own = stream_designs.platform_at(50)
    names = sorted({process.elementary for process in case.network.processes.values()})
    entries = {name: ElementaryEntry(latency=9 + 2 * place) for place, name in enumerate(names)}
    given = own.model_copy(update={"elementary": entries})
    before = stream_designs.stream_design(case, Stream(interface="axis"), 50).cycles
    monkeypatch.setattr(stream_designs, "platform_at", lambda _: given)
    design = stream_designs.stream_design(case, Stream(interface="axis"))
    assert design.cycles > before
    stream_designs.require_frames(design, 1)


def test_a_latency_that_no_datapath_keeps_is_refused() -> None:
    own = with_latencies(1, -1)
    refusal = Coverage(own.testbench.accesses, own.testbench.platform).why_not(own.front[0])
    assert refusal is not None
    (told,) = refusal.diagnostics
    own_latency = derived("scaled")
    assert told.message.startswith(
        f"the latency of 'scaled' is given, {own_latency - 1} cycles at an interval of 1, and its derived datapath has "
        f"{own_latency} at 1"
    )
