"""Pulses as nested loops, and choices by index as comparisons."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from verilog_programs import needs_icarus

from hwmodel.emit.streams.counters import Counters
from hwmodel.emit.streams.trains import nests_of, pulses_of
from hwmodel.emit.streams.units import library_files


@given(st.sets(st.integers(0, 300), min_size=1, max_size=40))
def test_nests_have_the_pulses(pulses: set[int]) -> None:
    given_pulses = np.array(sorted(pulses))
    nests = nests_of(given_pulses)
    assert pulses_of(nests).tolist() == given_pulses.tolist()
    assert all(nest.first <= nest.last for nest in nests)


@given(*[st.integers(1, 9)] * 4)
def test_lines_of_a_frame_are_one_nest(rows: int, columns: int, stride: int, gap: int) -> None:
    """Whatever comes every few pulses of a line, and the lines at one distance."""
    line = columns * stride + gap
    pulses = (line * np.arange(rows)[:, None] + stride * np.arange(columns)).ravel()
    assert len(nests_of(pulses)) == 1


BENCH = """\
module tb;
  reg clk = 0, reset = 1, begins = 0, go = 1;
  integer pulse;
  always #1 clk = !clk;
{lines}
  initial begin
    @(negedge clk) reset = 0;
    for (pulse = 0; pulse < 3 * {frame}; pulse = pulse + 1) begin
      begins = pulse % {frame} == 0 && pulse < 2 * {frame};
      #0.5 if ({train}) $display("%0d", pulse);
      @(negedge clk);
    end
    $finish;
  end
endmodule
"""


@needs_icarus
def test_any_train_has_its_pulses_in_each_frame(tmp_path: Path) -> None:
    """One without a pattern, whose last pulses come in the time of the next frame."""
    frame = 1000
    pulses = np.sort(np.random.default_rng(5).choice(frame, 300, replace=False)) + 40
    nests, counters = tuple(nests_of(pulses)), Counters(frame)
    assert len(nests) > 64
    train = counters.train(nests)
    lines = "\n".join([*counters.event_lines(), *counters.lines])
    bench = tmp_path / "bench.v"
    library = "".join(text for _, text in library_files(("place", "later")))
    bench.write_text(library + BENCH.format(lines=lines, frame=frame, train=train))
    subprocess.run(["iverilog", "-g2001", "-s", "tb", "-o", tmp_path / "bench", bench], check=True)
    told = subprocess.run(["vvp", "-n", tmp_path / "bench"], check=True, capture_output=True, text=True).stdout
    assert [int(pulse) for pulse in told.split()] == [*pulses.tolist(), *(pulses + frame).tolist()]
