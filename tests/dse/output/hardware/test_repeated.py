"""Hardware by a shorter frame is, byte for byte, the hardware by the run of the whole frame."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hardware_designs import PLATFORM, bench_of
from hypothesis import given, settings
from hypothesis import strategies as st
from many_cases import case_count

from arrayol.errors import ArrayolError
from dse.output.hardware.repeated import Repeated, WholeDesign, by_shorter_frame
from dse.verify.testbench import Testbench, memories_of_groups, run_simulation
from hwmodel.channels import channel_numbers
from hwmodel.design import Blocks, Design, GroupDesign, Processor, Scan
from hwmodel.emit.hls.design import HlsFiles
from hwmodel.emit.hls.rounds import task_rounds
from hwmodel.emit.schedule import design as schedules
from hwmodel.emit.schedule.design import Frame, HardwareDesign, schedule_design
from hwmodel.emit.schedule.document import document_of

SPEC = """\
elementary sum(x: u8[3, 3]) -> (y: i16) {{
  y += i16(x[i, j]) for i in 0..3, j in 0..3
}}

elementary scale(y: i16) -> (z: u8) {{
  z = sat(u8, (y - 420) // 8)
}}

task blurred(x: u8[{rows}, {columns}]) -> (y: i16[{height}, {width}]) {{
  repeat [{height}, {width}] of sum {{
    x <- x at origin {origin} paving [{sign}, 0; 0, 1] fitting [{sign}, 0; 0, 1]{border}
    y -> y
  }}
}}

task scaled(y: i16[{height}, {width}]) -> (z: u8[{height}, {width}]) {{
  repeat [{height}, {width}] of scale {{
    y <- y
    z -> z
  }}
}}

task both(x: u8[{rows}, {columns}]) -> (z: u8[{height}, {width}]) {{
  y = blurred(x)
  z = scaled(y)
}}
"""
WINDOWS = ("inside", "wrap", "else nearest", "backwards")


@dataclass(frozen=True)
class Case:
    """A window that moves over a long array: how, how long, and the design."""

    window: str
    height: int
    width: int
    blocks: Blocks
    units: int = 1
    fused: bool = True
    together: bool = False
    channels: int = 1

    def bench(self) -> Testbench:
        around = 0 if self.window in ("wrap", "else nearest") else 2
        origin = {"inside": "[0, 0]", "backwards": f"[{self.height + 1}, 0]"}.get(self.window, "[-1, -1]")
        text = SPEC.format(
            rows=self.height + around,
            columns=self.width + around,
            height=self.height,
            width=self.width,
            origin=origin,
            sign=-1 if self.window == "backwards" else 1,
            border=f" {self.window}" if not around else "",
        )
        return bench_of(text, PLATFORM.replace("latency", f"channels = {self.channels}\nlatency"))

    def design(self) -> Design:
        tasks = [("blurred", "scaled")] if self.fused else [("blurred",), ("scaled",)]
        return Design(
            tuple(GroupDesign(tuple(Processor(task, self.units) for task in group), self.blocks) for group in tasks),
            together=self.together,
        )


def row_blocks(*shape: int, down: bool = False) -> Blocks:
    return Blocks(shape, Scan((0, 1), (down, False)))


def hardware_of(case: Case) -> tuple[Repeated | None, HardwareDesign]:
    """The hardware by a shorter frame, and that by the whole one."""
    bench, design = case.bench(), case.design()
    estimate = bench.model.evaluate(design)
    assert bench.inputs is not None
    short = by_shorter_frame(WholeDesign(bench.spec, bench.accesses, bench.platform, design, estimate, bench.inputs))
    local = memories_of_groups(bench.accesses, bench.platform, design, estimate)
    simulation = run_simulation(bench.spec, bench.accesses, bench.platform, design, estimate, bench.inputs)
    return short, schedule_design(bench.spec, bench.accesses, bench.platform, local, simulation, bench.inputs)


def _content(frame: Frame) -> tuple[object, ...]:
    return [str(one.text) for one in (*frame.before, *frame.after)], frame.inputs, frame.outputs


def require_same(short: Repeated, whole: HardwareDesign) -> None:
    assert document_of(short.hardware) == document_of(whole)
    assert _content(short.hardware.frame) == _content(whole.frame)
    assert short.hardware.periods == whole.periods
    steps = sum(group.steps for group in whole.groups)
    assert sum(len(run.lengths) for run in short.simulated.simulation.groups) < steps


def require_same_rounds(case: Case, short: Repeated, whole: HardwareDesign) -> None:
    """Rounds of C++ repeat as the cycles do, and not because all of them were gone through."""
    spec = case.bench().spec
    assert HlsFiles(spec, short.hardware).files() == HlsFiles(spec, whole).files()
    for group in short.hardware.groups:
        assert group.shorter is not None
        for task, own in zip(group.tasks, group.shorter.schedule.tasks, strict=True):
            assert task_rounds(own, group.shorter.repetition) == task_rounds(task)


@pytest.mark.parametrize(
    "case",
    [
        Case("inside", 49, 14, row_blocks(1, 7)),
        Case("wrap", 48, 8, row_blocks(1, 4)),
        Case("else nearest", 64, 8, row_blocks(2, 8)),
        Case("backwards", 48, 6, row_blocks(1, 6)),
        Case("inside", 48, 6, row_blocks(2, 6), fused=False),
        Case("else nearest", 48, 6, row_blocks(2, 6), fused=False, together=True),
        Case("else nearest", 48, 6, row_blocks(2, 6), fused=False, channels=2),
    ],
    ids=["inside", "wraps", "border", "backwards", "two groups", "at the same time", "two channels"],
)
def test_a_shorter_frame_gives_the_hardware_of_the_whole_one(case: Case) -> None:
    short, whole = hardware_of(case)
    assert short is not None
    require_same(short, whole)
    require_same_rounds(case, short, whole)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    long, narrow = draw(st.integers(30, 60)), draw(st.sampled_from([4, 8, 12]))
    is_high = draw(st.booleans())
    height, width = (long, narrow) if is_high else (narrow, long)
    side = draw(st.integers(1, 3)), draw(st.sampled_from([narrow, narrow // 2]))
    shape = side if is_high else side[::-1]
    scan = Scan(draw(st.sampled_from([(0, 1), (1, 0)])), (draw(st.booleans()), draw(st.booleans())))
    units, fused = draw(st.integers(1, 2)), draw(st.booleans())
    together = not fused and draw(st.booleans())
    return Case(draw(st.sampled_from(WINDOWS)), height, width, Blocks(shape, scan), units, fused, together)


@settings(max_examples=case_count(20))
@given(cases())
def test_any_shorter_frame_gives_the_hardware_of_the_whole_one(case: Case) -> None:
    try:
        short, whole = hardware_of(case)
    except ArrayolError:
        return  # the model or the hardware refuses the design
    if short is not None:
        require_same(short, whole)


BESIDE_A_TABLE = """\
elementary add(a: u8, t: u8[150]) -> (z: u8) {
  z = a ^ t[0]
}

task both(a: u8[48, 8], t: u8[150]) -> (z: u8[48, 8]) {
  repeat [48, 8] of add {
    a <- a
    t <- t
    z -> z
  }
}
"""


def test_arrays_of_a_shorter_frame_lie_in_the_channels_of_the_whole_one() -> None:
    """The table is smaller than the images of the whole frame, and larger than those of a shorter one."""
    bench = bench_of(BESIDE_A_TABLE, PLATFORM.replace("latency", "channels = 2\nlatency"))
    design = Design((GroupDesign((Processor("both"),), row_blocks(1, 8)),))
    estimate, inputs = bench.model.evaluate(design), bench.inputs
    assert inputs is not None
    whole = WholeDesign(bench.spec, bench.accesses, bench.platform, design, estimate, inputs)
    short = by_shorter_frame(whole)
    assert short is not None
    assert short.hardware.addresses.channels == channel_numbers(bench.accesses, bench.platform)


def test_a_frame_that_is_too_short_is_run_whole() -> None:
    case = Case("inside", 12, 6, row_blocks(1, 6))
    assert hardware_of(case)[0] is None


def test_a_program_that_is_too_long_is_refused_by_its_agent(monkeypatch: pytest.MonkeyPatch) -> None:
    case = Case("inside", 12, 6, row_blocks(1, 6))
    whole = hardware_of(case)[1]
    longest = max(len(agent.program.instructions) for group in whole.groups for agent in group.agents)
    monkeypatch.setattr(schedules, "MOST_INSTRUCTIONS", longest - 1)
    with pytest.raises(ArrayolError, match=f"would have {longest} instructions") as refused:
        hardware_of(case)
    assert refused.value.diagnostics[0].code == "not-emitted"
