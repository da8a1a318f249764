"""Hardware of streams behind the port by a shorter frame is, byte for byte, that by the run of the whole frame."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import pytest
from hardware_designs import bench_of
from hypothesis import given, settings
from hypothesis import strategies as st
from many_cases import case_count

from arrayol.errors import ArrayolError
from dse.output.hardware.repeated import Repeated, WholeDesign, by_shorter_frame
from dse.verify.testbench import Testbench, memories_of_groups, run_simulation
from hwmodel.cost_model.model import MachineModel
from hwmodel.design import Blocks, Design, GroupDesign, Processor, Scan
from hwmodel.emit.hls.design import HlsFiles
from hwmodel.emit.hls.streams.schedule import CPP_STREAMS
from hwmodel.emit.schedule.design import HardwareDesign, StreamScheduling, schedule_design
from hwmodel.emit.streams.port_schedule import VERILOG_STREAMS
from hwmodel.emit.verilog.design import DesignFiles
from hwmodel.streamed import Stream

SPEC = """\
const weights: u8[2] = [1, 3]

elementary sum(x: u8[{high}, 3], w: u8[2]) -> (y: i16) {{
  y += i16(x[i, j])  for i in 0..{high}, j in 0..3
  y += i16(w[i])  for i in 0..2
}}

elementary scale(y: i16[{step}]) -> (z: u8) {{
  z += sat(u8, y[i] // 8)  for i in 0..{step}
}}

task blurred(x: u8[{rows}, {columns}], w: u8[2]) -> (y: i16[{height}, {width}]) {{
  repeat [{height}, {width}] of sum {{
    x <- x at origin {origin} paving [1, 0; 0, 1] fitting [1, 0; 0, 1]{border}
    w <- w
    y -> y
  }}
}}

task scaled(y: i16[{height}, {width}]) -> (z: u8[{height} / {step}, {width}]) {{
  repeat [{height} / {step}, {width}] of scale {{
    y <- y at origin [0, 0] paving [{step}, 0; 0, 1] fitting [1; 0]
    z -> z
  }}
}}

task both(x: u8[{rows}, {columns}], w: u8[2]) -> (z: u8[{height} / {step}, {width}]) {{
  y = blurred(x, w)
  z = scaled(y)
}}
"""


@dataclass(frozen=True)
class Case:
    """Two tasks over a long image: their groups, of which some stream, and the words of the memory.

    `sides` are the rows of a window, and those that the second task takes; `groups` say by group whether it streams.
    """

    shape: tuple[int, int]
    sides: tuple[int, int]
    groups: tuple[bool, ...]
    stream: Stream
    chunk: int | None
    word_bits: int = 32
    inside: bool = False
    together: bool = False

    def bench(self) -> Testbench:
        (height, width), (high, step) = self.shape, self.sides
        around = (high - 1, 2) if self.inside else (0, 0)
        text = SPEC.format(
            rows=height + around[0],
            columns=width + around[1],
            height=height,
            width=width,
            high=high,
            step=step,
            origin="[0, 0]" if self.inside else f"[-{high // 2}, -1]",
            border="" if self.inside else " else nearest",
        )
        bench = bench_of(text)
        memory = bench.platform.memory.model_copy(update={"word_bits": self.word_bits, "latency": 8})
        return Testbench(bench.spec, bench.network, bench.platform.model_copy(update={"memory": memory}))

    def design(self, model: MachineModel) -> Design:
        tasks = [("blurred", "scaled")] if len(self.groups) == 1 else [("blurred",), ("scaled",)]
        made = (self._group(model, *own) for own in zip(tasks, self.groups, strict=True))
        return Design(tuple(made), together=self.together)

    def _group(self, model: MachineModel, tasks: tuple[str, ...], streams: bool) -> GroupDesign:
        if not streams:
            (task,) = tasks
            return GroupDesign((Processor(task, 1),), Blocks((1, self.shape[1]), Scan((0, 1), (False, False))))
        chunks = None if self.chunk is None else [self.chunk]
        designs = iter(model.streams(tasks).designs(self.stream, chunks))
        found = next(designs, None) or next(iter(model.streams(tasks).designs(self.stream)))
        return found[0]


def hardware_of(case: Case, streams: StreamScheduling = VERILOG_STREAMS) -> tuple[Repeated | None, HardwareDesign]:
    """The hardware by a shorter frame, and that by the whole one."""
    bench = case.bench()
    design = case.design(bench.model)
    estimate = bench.model.evaluate(design)
    assert bench.inputs is not None
    whole = WholeDesign(bench.spec, bench.accesses, bench.platform, design, estimate, bench.inputs, streams)
    short = by_shorter_frame(whole)
    local = memories_of_groups(bench.accesses, bench.platform, design, estimate)
    simulation = run_simulation(bench.spec, bench.accesses, bench.platform, design, estimate, bench.inputs)
    scheduled = schedule_design(bench.spec, bench.accesses, bench.platform, local, simulation, bench.inputs, streams)
    return short, scheduled


def require_same(short: Repeated, whole: HardwareDesign) -> None:
    assert DesignFiles(short.hardware).files() == DesignFiles(whole).files()
    assert short.hardware.periods == whole.periods
    assert short.simulated.simulation.cycles < whole.cycles


CASES = {
    "one stream": Case((60, 12), (3, 1), (True,), Stream(), 4),
    "no border": Case((60, 10), (3, 1), (True,), Stream(), 5, inside=True),
    "half the rows": Case((80, 8), (3, 2), (True,), Stream(), 8),
    "two pixels": Case((64, 8), (3, 1), (True,), Stream(pace=Fraction(1, 2)), 4),
    "a stream before blocks": Case((64, 12), (3, 1), (True, False), Stream(), 4),
    "blocks before a stream": Case((64, 12), (3, 1), (False, True), Stream(), 4),
    "at the same time": Case((64, 12), (3, 1), (True, True), Stream(), 4, together=True),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_shorter_frame_gives_the_hardware_of_the_whole_one(case: Case) -> None:
    short, whole = hardware_of(case)
    assert short is not None
    require_same(short, whole)


@pytest.mark.parametrize("name", ["half the rows", "two pixels", "a stream before blocks"])
def test_a_shorter_frame_gives_the_cpp_of_the_whole_one(name: str) -> None:
    short, whole = hardware_of(CASES[name], CPP_STREAMS)
    assert short is not None
    spec = CASES[name].bench().spec
    assert HlsFiles(spec, short.hardware).files() == HlsFiles(spec, whole).files()


@st.composite
def cases(draw: st.DrawFn) -> Case:
    step = draw(st.integers(1, 2))
    height, width = step * draw(st.integers(20, 60)), draw(st.integers(4, 12))
    scan, pace = draw(st.sampled_from([(), (0, 1), (1, 0)])), draw(st.sampled_from(["1", "1/2", "2"]))
    if scan == (1, 0):
        height, width = step * width, 2 * height
    stream = Stream(scan, Fraction(pace), draw(st.sampled_from(["latency", "memory"])), raster=draw(st.booleans()))
    groups = draw(st.sampled_from([(True,), (True, False), (False, True), (True, True)]))
    return Case(
        (height, width),
        (draw(st.sampled_from([1, 3])), step),
        groups,
        stream,
        draw(st.sampled_from([None, 2, 4, 6, width])),
        draw(st.sampled_from([16, 32, 64])),
        draw(st.booleans()),
        draw(st.booleans()) and len(groups) > 1,
    )


@settings(max_examples=case_count(5))
@given(cases())
def test_any_shorter_frame_gives_the_hardware_of_the_whole_one(case: Case) -> None:
    try:
        short, whole = hardware_of(case)
    except ArrayolError:
        return  # the model or the hardware refuses the design
    if short is not None:
        require_same(short, whole)
