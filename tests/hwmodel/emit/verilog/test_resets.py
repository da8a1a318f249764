"""Resets in the middle of frames: one of a cycle is enough, and a frame may start in the very next cycle."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from axi_benches import built
from hardware_designs import small
from port_designs import port_design
from stream_designs import write_files
from stream_networks import case_of
from system_designs import overlapping
from verilog_programs import needs_icarus

from hwmodel.emit.schedule.design import HardwareDesign
from hwmodel.emit.verilog.design import DesignFiles
from hwmodel.streamed import Stream

pytestmark = needs_icarus

MOMENTS = 8  # of a frame, for each of three lengths of a reset
BENCH = """\
  integer lasts, moment;
  initial begin
{seeded}
    $readmemh("data/expected.hex", expected);
    repeat (3) @(negedge clk);
    for (lasts = 1; lasts <= 3; lasts = lasts + 1)
      for (moment = 0; moment < {moments}; moment = moment + 1) begin
        for (at = 0; at < {words}; at = at + 1) memory.words[at] = 0;
        $readmemh("data/memory.hex", memory.words);
        reset = 0;
        start = 1;
        @(negedge clk) start = 0;
        cycles = 1;
        while (!done && cycles < {longest}) @(negedge clk) cycles = cycles + 1;
        @(negedge clk) wrong = 0;
{compared}
        $display("cycles %0d wrong %0d", cycles, wrong);
        start = 1;
        @(negedge clk) start = 0;
        repeat (1 + (3 * moment + lasts - 1) * cycles / (3 * {moments})) @(negedge clk);
        reset = 1;
        repeat (lasts) @(negedge clk);
      end
    $finish;
  end
endmodule
"""
COMPARED = """\
        for (at = {first}; at < {end}; at = at + 1) if (memory.words[at] !== expected[at]) wrong = wrong + 1;
"""


def frames_between_resets(design: HardwareDesign, bench: str) -> list[tuple[int, int]]:
    """The cycles of each frame, the first one and those after resets, and how many words of its outputs are wrong.

    A reset comes in the middle of one more frame; the memory outside is reset too, and written anew.
    """
    files = DesignFiles(design).files()
    head = files[f"tb/{bench}.v"].partition("  initial begin\n")[0]
    spans = design.frame.outputs.values()
    text = BENCH.format(
        seeded="    seed = 1;" if bench == "tb_axi" else "",
        moments=MOMENTS,
        words=max(2, *design.addresses.words),
        longest=100 * design.cycles,
        compared="".join(COMPARED.format(first=first, end=first + count) for first, count in spans),
    )
    with TemporaryDirectory() as name:
        folder = Path(name)
        write_files(files | {f"tb/{bench}.v": head + text}, folder)
        sources = [str(path.relative_to(folder)) for part in ("rtl", "tb") for path in (folder / part).glob("*.v")]
        told = built(folder, bench, 1, *sources)
    return [(int(cycles), int(wrong)) for cycles, wrong in re.findall(r"cycles (\d+) wrong (\d+)", told)]


def in_blocks(_: Path) -> HardwareDesign:
    return small().hardware(small().front[0])


def at_the_same_time(_: Path) -> HardwareDesign:
    return overlapping()


def streaming(folder: Path) -> HardwareDesign:
    return port_design(case_of("fir", folder, N=32, TAPS=4, S=4), Stream(), 50)


@pytest.mark.parametrize(("design", "bench"), [(in_blocks, "tb"), (at_the_same_time, "tb_axi"), (streaming, "tb")])
def test_each_frame_is_as_the_first(design: Callable[[Path], HardwareDesign], bench: str, tmp_path: Path) -> None:
    frames = frames_between_resets(design(tmp_path), bench)
    assert frames == [(frames[0][0], 0)] * (3 * MOMENTS)
