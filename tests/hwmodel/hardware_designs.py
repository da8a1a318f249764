"""Groups of a small specification scheduled as hardware, for tests that break them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from arrayol import api
from arrayol.checks.top import choose_top
from arrayol.ir.spec import Spec
from arrayol.transforms.steps import canonical_form
from dse.verify.testbench import Testbench, memories_of_groups, run_simulation
from dse.verify.verify import Verifier
from hwmodel.design import Blocks, Design, GroupDesign, Processor, row_major
from hwmodel.emit.schedule.design import HardwareDesign, datapaths_of, schedule_design
from hwmodel.emit.schedule.group import GroupSchedule, GroupScheduler, Tables
from hwmodel.emit.schedule.port import address_map
from hwmodel.emit.streams.port_schedule import VERILOG_STREAMS
from hwmodel.platform import Platform, find_platform
from hwmodel.simulator.group import GroupRun

SPEC = """\
const H = 10
const W = 14

elementary sum(x: u8[3, 3]) -> (y: i16) {
  y += i16(x[i, j]) for i in 0..3, j in 0..3
}

elementary scale(y: i16) -> (z: u8) {
  z = sat(u8, (y - 420) // 8)
}

task blurred(x: u8[H + 2, W + 2]) -> (y: i16[H, W]) {
  repeat [H, W] of sum {
    x <- x at origin [0, 0] paving [1, 0; 0, 1] fitting [1, 0; 0, 1]
    y -> y
  }
}

task scaled(y: i16[H, W]) -> (z: u8[H, W]) {
  repeat [H, W] of scale {
    y <- y
    z -> z
  }
}

task both(x: u8[H + 2, W + 2]) -> (z: u8[H, W]) {
  y = blurred(x)
  z = scaled(y)
}
"""
EARLY_STATE = """\
elementary e(x: i32, p: i32) -> (y: i32) {
  y = x * -7 + -7 * p
}

task t(x: i32[4, 4]) -> (y: i32[4, 4]) {
  repeat [4, 4] of e {
    x <- x
    p <- y delay [0, 1] else 0
    y -> y
  }
}
"""
HALVES = """\
elementary look(d: u8, t: u8[6, 7]) -> (y: u8) {
  y = t[d % 6, d // 6 % 7]
}

elementary twice(a: u8) -> (b: u8) {
  b = a + a
}

elementary next(a: u8) -> (b: u8) {
  b = a + 1
}

task doubled(s: u8[3, 7]) -> (b: u8[3, 7]) {
  repeat [3, 7] of twice {
    a <- s
    b -> b
  }
}

task increased(s: u8[3, 7]) -> (b: u8[3, 7]) {
  repeat [3, 7] of next {
    a <- s
    b -> b
  }
}

task looks(d: u8[9], t: u8[6, 7]) -> (y: u8[9]) {
  repeat [9] of look {
    d <- d
    t <- t
    y -> y
  }
}

task top(d: u8[9], s: u8[3, 7]) -> (y: u8[9]) {
  t: u8[6, 7]
  t[0..3, ..] = doubled(s)
  t[3..6, ..] = increased(s)
  y = looks(d, t)
}
"""
PLATFORM = """\
clock_mhz = 100
technology = "ecp5-6"

[memory]
latency = 7
word_bits = 64
port = "shared"
burst = "run"
outstanding = 4
"""


@dataclass(frozen=True)
class Small:
    """The specification above with the designs of its plain front."""

    testbench: Testbench
    front: tuple[Design, ...]

    def scheduler(self, design: Design, number: int = 0) -> GroupScheduler:
        """What a group of a design is scheduled by."""
        bench = self.testbench
        assert bench.inputs is not None
        estimate = bench.model.evaluate(design)
        local = memories_of_groups(bench.accesses, bench.platform, design, estimate)
        simulation, _ = bench.compare(design)
        addresses = address_map(bench.accesses, bench.platform)
        datapaths = datapaths_of(bench.accesses, bench.platform, simulation)
        run = simulation.groups[number]
        return GroupScheduler(bench.accesses, bench.platform, local[number], run, addresses, datapaths)

    def hardware(self, design: Design) -> HardwareDesign:
        """A design as hardware, for the data of the test bench."""
        bench, estimate = self.testbench, self.testbench.model.evaluate(design)
        assert bench.inputs is not None
        local = memories_of_groups(bench.accesses, bench.platform, design, estimate)
        simulation = run_simulation(bench.spec, bench.accesses, bench.platform, design, estimate, bench.inputs)
        return schedule_design(
            bench.spec, bench.accesses, bench.platform, local, simulation, bench.inputs, VERILOG_STREAMS
        )


@cache
def small() -> Small:
    """It, explored once."""
    return explored(SPEC)


def explored(text: str, on: str = PLATFORM) -> Small:
    """A specification on a platform, by default that above, with the designs of its plain front."""
    spec, platform = _loaded(text, on)
    found = api.explore(spec, platform, space=api.Space(narrow=True, verify=False))
    return Small(_testbench(spec, platform), tuple(found.decisions))


def bench_of(text: str, on: str = PLATFORM) -> Testbench:
    """What designs of a specification are simulated on, by default with the platform above."""
    return _testbench(*_loaded(text, on))


def _loaded(text: str, on: str) -> tuple[Spec, Platform]:
    with TemporaryDirectory() as name:
        path = Path(name) / "spec.aol"
        path.write_text(text, encoding="utf-8")
        path.with_suffix(".toml").write_text(on, encoding="utf-8")
        return api.load(path), find_platform(path, None)[0]


def _testbench(spec: Spec, platform: Platform) -> Testbench:
    return Verifier(canonical_form(spec, choose_top(spec, None)), platform).testbench


def made_in_halves(units: int, *, recompute: bool) -> HardwareDesign:
    """A table that two tasks of its group make, each with so many units, once or again for each block of two reads."""
    processors = Processor("doubled", units), Processor("increased", units), Processor("looks", 1)
    design = Design((GroupDesign(processors, Blocks((2,), row_major(1)), recompute=recompute),))
    return Small(bench_of(HALVES), (design,)).hardware(design)


def three_units() -> HardwareDesign:
    """One with windows, banks and three units of each task: counters have other moduli than powers of two."""
    (design,) = [
        design for design in small().front
        if [own.units for group in design.groups for own in group.processors] == [3, 3]
        and design.groups[0].blocks.text == "2x14"
    ]  # fmt: skip
    return small().hardware(design)


@dataclass(frozen=True)
class Scheduled:
    """A group with all that the proofs look at."""

    scheduler: GroupScheduler
    tables: Tables
    schedule: GroupSchedule

    @property
    def run(self) -> GroupRun:
        return self.scheduler.run


def scheduled(design: Design, number: int = 0) -> Scheduled:
    """A group of a design, scheduled."""
    scheduler = small().scheduler(design, number)
    tables = scheduler.tables()
    return Scheduled(scheduler, tables, scheduler.schedule(tables))
