"""A platform gives a latency: results wait for the cycle that it names, or units have fewer registers."""

from __future__ import annotations

from pathlib import Path

import pytest
import stream_designs
from hardware_designs import PLATFORM, SPEC, Small, explored, small
from stream_networks import case_of
from verilog_programs import frames_of, needs_icarus, promised_frames

from arrayol.errors import ArrayolError
from hwmodel.datapath.entry import ElementaryEntry
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


FAST = PLATFORM.replace("clock_mhz = 100", "clock_mhz = 200")


@needs_icarus
def test_a_latency_below_the_derived_one_takes_a_slower_clock() -> None:
    """Sums of nine pixels take several cycles at 200 MHz, and fewer registers at a slower clock."""
    before = explored(SPEC, FAST)
    tasks = before.testbench.accesses.network.processes
    own = before.testbench.platform.datapath(tasks["blurred"]).latency
    assert own > 4
    given = explored(SPEC, f"{FAST}[elementary.sum]\nlatency = 4\n[elementary.scale]\nlatency = 3\n")
    design = given.hardware(given.front[0])
    assert design.cycles < before.hardware(before.front[0]).cycles
    assert frames_of(design) == promised_frames(design)
    platform = given.testbench.platform
    found = platform.derived(tasks["blurred"], 1, 1)
    assert found is not None
    assert found.latency == 1
    assert 100 < found.priced.clock_mhz < 200
    assert platform.derived(tasks["blurred"], 1, 2 * own) is not None


LOOK_UP = """
elementary look(t: u8[16], i: u4, p: u8) -> (z: u8) {
  z = t[i] + p
}

task top(t: u8[16], i: u4[6, 8]) -> (z: u8[6, 8]) {
  repeat [6, 8] of look {
    t <- t at origin [0] paving [0, 0] fitting [1]
    i <- i
    p <- z delay [0, 1] else 0
    z -> z
  }
}
"""


@needs_icarus
@pytest.mark.parametrize("spec", [SPEC, LOOK_UP], ids=["sums", "table and state"])
def test_more_cycles_of_the_local_memory_are_kept(spec: str) -> None:
    before = explored(spec)
    local = "[local]\nfetch_cycles = 5\nstore_cycles = 1\n"
    own = explored(spec, PLATFORM + local)
    longer = own.hardware(own.front[0])
    assert longer.cycles > before.testbench.model.evaluate(before.front[0]).latency_cycles
    assert frames_of(longer) == promised_frames(longer)
    with_row = f'{PLATFORM}[operators]\naccess = {{ cycles = 5, pj = "1" }}\n'
    slow = explored(spec, with_row)
    design = slow.hardware(slow.front[0])
    assert frames_of(design) == promised_frames(design)


@needs_icarus
@pytest.mark.parametrize("spec", [SPEC, LOOK_UP], ids=["sums", "table and state"])
def test_fewer_cycles_than_in_hardware_count_as_those(spec: str) -> None:
    own, usual = explored(spec, f"{PLATFORM}[local]\nfetch_cycles = 1\nstore_cycles = 1\n"), explored(spec)
    assert own.front == usual.front
    design = own.hardware(own.front[0])
    assert frames_of(design) == promised_frames(design)


def test_a_latency_that_no_datapath_keeps_is_refused() -> None:
    """Three cycles are those of the local memory."""
    with pytest.raises(ArrayolError) as refused:
        with_latencies(1, -1)
    (told,) = refused.value.diagnostics
    assert str(told.message) == (
        "the elementary 'scale' has no datapath that takes a repetition every 1 cycle and gives its results 2 cycles "
        "after, at any clock; 3 of these are those of the local memory"
    )
