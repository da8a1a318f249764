"""Groups at the same time in Verilog on Icarus: frames that overlap, in the periods of the model and with its bits."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from axi_benches import frames_behind_axi
from generated_designs import TOGETHER, TOGETHER_FEATURES, try_many
from many_cases import full_count, new_seed
from port_designs import Kinds, frames_at_port, memory_of, mixed_design, require_port_frames
from stream_designs import platform_at
from stream_networks import Case, case_of
from verilog_programs import needs_icarus, promised_frames

from hwmodel.emit.schedule.design import HardwareDesign
from hwmodel.emit.verilog.design import DesignFiles
from hwmodel.emit.verilog.icarus import FrameSeen
from hwmodel.streamed import Stream

PORT = Stream()
HALF, RASTER = replace(PORT, pace=Fraction("1/2")), replace(PORT, raster=True)

pytestmark = needs_icarus

CASES, SEED = 40, 5  # generated_designs.py tries more; of the seeds tried, one with all features

# Streams, and blocks between them; arrays that a group later than the next one reads, which have more than two copies.
DESIGNS: list[tuple[str, dict[str, int], Kinds]] = [
    ("unsharp", {"H": 4, "W": 8}, ((2, HALF), (1, None), (2, RASTER))),
    ("unsharp", {"H": 4, "W": 4}, ((1, PORT), (1, PORT), (2, PORT), (1, PORT))),
    ("camera", {"H": 4, "W": 4}, ((2, PORT), (1, None), (2, HALF))),
    ("dct", {"H": 8, "W": 16}, ((1, PORT), (1, None))),
    ("unsharp", {"H": 4, "W": 4}, ((5, PORT),)),  # a group alone
]


@pytest.mark.parametrize(("name", "sizes", "kinds"), DESIGNS)
def test_groups_of_both_kinds(tmp_path: Path, name: str, sizes: dict[str, int], kinds: Kinds) -> None:
    design = mixed_design(case_of(name, tmp_path, **sizes), kinds, together=True)
    require_port_frames(design)


def test_generated_designs() -> None:
    """Groups of blocks with every kind of decision, states, ROMs, and what is loaded before the first frame."""
    tally = try_many(TOGETHER, full_count(CASES), SEED + new_seed())
    assert tally.wrong == []
    assert not any(reason.startswith("unproven-schedule") for reason in tally.refused)
    assert {feature for feature, count in tally.features.items() if count} >= TOGETHER_FEATURES, tally.features


COUNTED = """\
elementary count(x: u8[6]) -> (n: u8[32]) {
  n[i] = 0 for i in 0..32
  n[x[k] % 32] += 1 for k in 0..6
}

elementary greatest(n: u8[32]) -> (most: u8) {
  most = n[0]
  most = max(most, n[i]) for i in 1..32
}

task counted(x: u8[3, 6]) -> (n: u8[3, 32]) {
  repeat [3] of count {
    x <- x
    n -> n
  }
}

task top(x: u8[3, 6]) -> (most: u8[3]) {
  n = counted(x)
  most = greatests(n)
}

task greatests(n: u8[3, 32]) -> (most: u8[3]) {
  repeat [3] of greatest {
    n    <- n
    most -> most
  }
}
"""


def test_the_first_frame_waits_until_memories_of_sums_are_clear(tmp_path: Path) -> None:
    path = tmp_path / "counted.aol"
    path.write_text(COUNTED)
    require_port_frames(mixed_design(Case.of(path), ((1, None), (1, None)), together=True))


@pytest.fixture
def design(tmp_path: Path) -> HardwareDesign:
    """A block group, a stream and a block group on separate ports; the last one reads what the first one makes."""
    platform = memory_of(platform_at(50), port="separate", word_bits=32, latency=5, outstanding=2)
    return mixed_design(
        case_of("unsharp", tmp_path, H=4, W=6), ((1, None), (3, PORT), (1, None)), platform, together=True
    )


def test_separate_ports(design: HardwareDesign) -> None:
    assert design.periods is not None
    assert max(design.periods.copies.values()) > 2
    require_port_frames(design)


def test_behind_axi(design: HardwareDesign) -> None:
    """A memory that is slow at random makes periods longer, and changes nothing else."""
    assert frames_behind_axi(design, 3, stores_first=True) == ([0] * (1 + len(design.later)), 0)


CHANGES = [
    ("rtl/port_turns.v", r"begins\) behind <= 0", "begins) behind <= behind", "begins: the turn of the last period"),
    ("rtl/port_turns.v", r"~\(granted \| \(granted - 1'b1\)\)", "0", "always the first group that asks"),
    ("rtl/port_turns.v", r"\(owner & served\) != 0 \? \{GROUPS\{1'b0\}\} : owner", "0", "no group keeps the port"),
    ("rtl/period.v", r"cycle == CYCLES - 1", "cycle == CYCLES - 2", "a cycle less"),
    ("rtl/period.v", r"\{works, wanted\}", "{GROUPS{wanted}}", "all groups on the first frame"),
    ("rtl/unsharp_top.v", r"(frame0_of4 == 1 \?) \d+", r"\1 0", "one copy for two frames"),
    ("rtl/unsharp_top.v", r"(frame2_of4 <= frame2_of4 ==) 3", r"\1 2", "a copy that is not read"),
    ("rtl/group0_top.v", r"begun <= !reset", "begun <= 1'b0 && !reset", "a step that asks again"),
    ("rtl/group1_top.v", r"\(!asks \|\| granted\)", "1'b1", "a group that does not wait"),
]


@pytest.mark.parametrize(("path", "before", "after"), [own[:3] for own in CHANGES], ids=[own[3] for own in CHANGES])
def test_what_is_changed_is_seen(design: HardwareDesign, path: str, before: str, after: str) -> None:
    files = DesignFiles(design).files()
    text, count = re.subn(before, after, files[path], count=1)
    assert count == 1
    assert frames_at_port(files | {path: text}) != promised_frames(design)


LATE = """
  integer out;
  reg [31:0] took;
  reg was_done;
  initial begin
    for (at = 0; at < {words}; at = at + 1) memory.words[at] = 0;
    wrong = 0; out = 0;
    repeat (3) @(negedge clk);
    reset = 0;
    for (frame = 0; frame < {frames}; frame = frame + 1) begin
      repeat ((frame * 7 % 4) * {cycles} / 2) @(negedge clk);
      load(frame);
      start = 1;
      @(negedge clk) start = 0;
      while (took <= frame) @(negedge clk);
    end
    while (busy) @(negedge clk);
    @(negedge clk) $display("frame 0 before 0 cycles %0d wrong %0d", out, wrong);
    $finish;
  end
  always @(posedge clk) begin
    took <= reset ? 0 : took + taken;
    was_done <= !reset && done;
  end
  always @(negedge clk) if (was_done) begin
    compare(out);
    out = out + 1;
  end
endmodule
"""


def test_frames_that_are_started_late(design: HardwareDesign) -> None:
    """Places of frames stay empty, groups finish theirs, and it starts again after it was idle."""
    files, periods = DesignFiles(design).files(), design.periods
    assert periods is not None
    head = files["tb/tb.v"].partition("  initial begin\n")[0]
    frames = 1 + len(design.later)
    late = LATE.format(words=design.addresses.words[0], frames=frames, cycles=periods.cycles)
    assert frames_at_port(files | {"tb/tb.v": head + late}) == (FrameSeen(0, frames, 0),)
