"""Buffers with bank layouts as hardware: as many copies of their banks as the model has, and none that is too small."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from cpp_programs import is_right, needs_compiler, seen_of
from hardware_designs import PLATFORM, SPEC, Small, bench_of
from verilog_programs import frames_of, needs_icarus, promised_frames

from arrayol.errors import ArrayolError
from dse.verify.testbench import Testbench
from hwmodel.datapath.entry import ElementaryEntry, VerilogFile
from hwmodel.design import BankLayout, Blocks, Design, GroupDesign, Processor, row_major
from hwmodel.emit.hls.design import HlsFiles
from hwmodel.emit.schedule.design import HardwareDesign
from hwmodel.emit.schedule.group import GroupScheduler
from hwmodel.emit.schedule.memories import Memory
from hwmodel.emit.verilog.coverage import Coverage

BY_COLUMN, ONE_BANK, IN_BLOCKS = BankLayout("x", 3, (0, 1)), BankLayout("y", 1, (0, 0)), BankLayout("z", 4, (2, 1), 2)
TWO_READ = '[local]\nports = "1w2r"\n'
SLOW = "[local]\naccess_cycles = 2\n"


def mapped(*layouts: BankLayout, units: int = 1, local: str = "") -> tuple[Small, Design]:
    """Two tasks in a group in blocks of two rows, with some layouts."""
    processors = Processor("blurred", units), Processor("scaled", units)
    design = Design((GroupDesign(processors, Blocks((2, 14), row_major(2)), layouts=layouts),))
    return Small(bench_of(SPEC, PLATFORM + local), (design,)), design


def copies_of(hardware: HardwareDesign, layout: BankLayout) -> int:
    """The copies of the banks of a layout that are emitted."""
    (group,) = hardware.groups
    memory = next(own for own in group.memories if own.array == layout.array)
    shared = {name: len(own) for agent in group.agents for name, own in agent.copies.items()}
    return memory.banks // layout.banks * sum(shared.get(name, 1) for name in group.readers[memory.name])


@needs_icarus
@pytest.mark.parametrize(
    ("layouts", "units", "local"),
    [
        ((BY_COLUMN,), 1, ""),
        ((BY_COLUMN, ONE_BANK, IN_BLOCKS), 3, ""),
        ((BankLayout("x", 5, (2, 1), 2),), 2, ""),
        ((BY_COLUMN, BankLayout("z", 3, (1, 1))), 2, TWO_READ),
    ],
    ids=["one unit", "all buffers", "blocks of two", "two ports"],
)
def test_a_layout_takes_the_cycles_of_the_model(layouts: tuple[BankLayout, ...], units: int, local: str) -> None:
    small, design = mapped(*layouts, units=units, local=local)
    hardware = small.hardware(design)
    estimate = small.testbench.model.evaluate(design)
    assert hardware.cycles == estimate.latency_cycles
    assert frames_of(hardware) == promised_frames(hardware)
    for layout in layouts:
        built = next(use.organisation for use in estimate.groups[0].memories if use.name == layout.array)
        assert built is not None
        most = built.copies * (2 if local else 1)
        assert copies_of(hardware, layout) <= most
        assert local or layout.block > 1 or copies_of(hardware, layout) == most, layout


@needs_compiler
def test_in_cpp() -> None:
    small, design = mapped(BY_COLUMN, ONE_BANK, IN_BLOCKS, units=3)
    assert is_right(seen_of(HlsFiles(small.testbench.spec, small.hardware(design))))


BEYOND = """\
elementary add(x: u8, t: u8[2]) -> (y: u8) {
  y = x + t[0] + t[1]
}

task top(x: u8[6], t: u8[2, 3]) -> (y: u8[6]) {
  repeat [6] of add {
    x <- x
    t <- t at origin [2, 0] paving [0; 0] fitting [0; 1] else 2
    y -> y
  }
}
"""


@needs_icarus
def test_a_buffer_of_which_only_the_border_is_read_has_no_banks() -> None:
    layout = BankLayout("t", 3, (3, -1))
    design = Design((GroupDesign((Processor("top", 1),), Blocks((2,), row_major(1)), layouts=(layout,)),))
    hardware = Small(bench_of(BEYOND), (design,)).hardware(design)
    (empty,) = (memory for memory in hardware.groups[0].memories if memory.array == "t")
    assert (empty.size, empty.registers) == (0, True)
    assert frames_of(hardware) == promised_frames(hardware)


TWO = """\
elementary two(x: u8) -> (y: u8[2]) { y[i] = x + i  for i in 0..2 }

task top(x: u8[6]) -> (y: u8[6, 2]) {
  repeat [6] of two {
    x <- x
    y -> y
  }
}
"""


def test_a_module_that_is_faster_than_its_banks_is_refused() -> None:
    """Its operands would come in chunks that it does not know of."""
    bench = bench_of(TWO)
    entry = ElementaryEntry(interval=(1,), latency=4, module="own", verilog=(VerilogFile("own.v", "module own"),))
    own = Testbench(bench.spec, bench.network, bench.platform.model_copy(update={"elementary": {"two": entry}}))
    design = Design((GroupDesign((Processor("top", 1),), Blocks((2,), row_major(1))),))
    assert Small(own, (design,)).hardware(design).groups[0].tasks[0].units.interval == 1
    slower = Design((replace(design.groups[0], layouts=(BankLayout("y", 1, (0, 0)),)),))
    with pytest.raises(ArrayolError, match=r"not-emitted.*'top' takes a repetition every 2 cycles with its memories"):
        Small(own, (slower,)).hardware(slower)


def test_a_copy_too_few_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """All units of a task, and all data of a word to be stored, would read the same banks."""
    small, design = mapped(BY_COLUMN, BankLayout("z", 3, (1, 1)), units=3)
    monkeypatch.setattr(Memory, "copies_of", lambda *_: ())
    with pytest.raises(ArrayolError, match=r"unproven-schedule.*meets two words of bank \d+ of '[xz]'"):
        small.hardware(design)


def test_a_writer_too_few_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Data of a word, or of several units, would be written to one bank."""
    small, design = mapped(BY_COLUMN, units=1)
    monkeypatch.setattr(GroupScheduler, "_writers", lambda own, array: np.zeros_like(own.run.located[array]))
    with pytest.raises(ArrayolError, match=r"unproven-schedule.*meets two words of bank \d+ of 'x'"):
        small.hardware(design)


def test_banks_that_are_slower_than_a_cycle_are_refused() -> None:
    small, design = mapped(BY_COLUMN, local=SLOW)
    covers = Coverage(small.testbench.accesses, small.testbench.platform)
    with pytest.raises(ArrayolError, match=r"not-emitted.*a bank with a layout is accessed every 2 cycles"):
        covers.require(design)
    group = replace(design.groups[0], layouts=())
    assert covers.why_not(replace(design, groups=(group,))) is None


LEAVING = """
elementary plus(a: u8, p: u8) -> (b: u8) { b = u8(a + p) }
task top(x: u8[7]) -> (y: u8[1]) {
  repeat [7] of plus { a <- x  p <- b delay [1] else 0  b delay [1] -> y at origin [-6] paving [1] fitting [] }
}
"""


def test_what_leaves_after_the_last_repetition_has_a_layout() -> None:
    """The tiler of all others leads outside the array."""
    group = GroupDesign((Processor("top"),), Blocks((5,), row_major(1)), layouts=(BankLayout("y", 4, (1,), 2),))
    model = bench_of(LEAVING).model
    assert model.estimate(group).latency_cycles == model.estimate_enumerated(group).latency_cycles


WINDOWS = """
elementary rise(x: u16) -> (y: u16) { y = u16(x + 1) }
elementary sum(x: u16[1, 5]) -> (y: u16) { y += x[0, k]  for k in 0..5 }
task rises(i: u16[4, W]) -> (b: u16[4, W]) { repeat [4, W] of rise { x <- i  y -> b } }
task sums(b: u16[4, W]) -> (o: u16[4, W]) {
  repeat [4, W] of sum { x <- b at origin [0, 0] paving [1, 0; 0, 1] fitting [1, 0; 0, 1] wrap  y -> o }
}
task top(i: u16[4, W]) -> (o: u16[4, W]) { b = rises(i)  o = sums(b) }
"""


@needs_icarus
@pytest.mark.parametrize(
    ("width", "layout", "units", "interval", "local"),
    [
        (11, BankLayout("b", 2, (1, 3)), (2, 2), 2, TWO_READ),  # of two ports places would take three
        (10, BankLayout("i", 2, (3, 3), 2), (2, 1), 4, "[local]\nwrite_width = 2\n"),  # both data meet in some words
    ],
    ids=["a port of each place", "two data of a word in a bank"],
)
def test_ports_of_banks_suffice(
    width: int, layout: BankLayout, units: tuple[int, int], interval: int, local: str
) -> None:
    processors = Processor("rises", units[0]), Processor("sums", units[1], None, interval)
    design = Design((GroupDesign(processors, Blocks((2, width), row_major(2)), layouts=(layout,)),))
    small = Small(bench_of(WINDOWS.replace("W", str(width)), PLATFORM + local), (design,))
    hardware = small.hardware(design)
    assert hardware.cycles == small.testbench.model.evaluate(design).latency_cycles
    assert frames_of(hardware) == promised_frames(hardware)
