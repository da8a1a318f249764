"""Designs in Verilog on Icarus: cycles and outputs of shipped specifications, and what must not agree."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from accuracy import Shipped, shipped
from front_ends import slang_says
from hardware import cheap, line, tried, write_design
from hardware_designs import three_units
from small_shipped import plain_front, quick_front, small_shipped
from verilog_programs import needs_icarus

from hwmodel.emit.verilog.icarus import FrameSeen, run_bench

GOLDEN = Path(__file__).resolve().parents[3] / "golden" / "hardware.txt"
DESIGNS = 2

pytestmark = needs_icarus


@pytest.mark.parametrize("name", shipped())
def test_shipped_specifications(name: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """Two designs at the reduced size, one with several units of a task where there are such."""
    spec = small_shipped(name, tmp_path)
    bench, front = spec.verifier.testbench, quick_front(name)
    seen = [tried(bench, design, read_and_run) for design in cheap(bench, front, DESIGNS)]
    for one in seen:
        assert one.refused is not None or (one.cycles_equal and one.outputs_equal), one
    reasons = sorted({one.refused for one in seen if one.refused is not None})
    emitted = sum(one.refused is None for one in seen)
    told = f"{name}: {emitted} of {len(seen)} emitted{''.join(f'; {reason}' for reason in reasons)}"
    if request.config.getoption("--update-golden"):
        known = {text.partition(":")[0]: text for text in golden_lines()} | {name: told}
        GOLDEN.write_text("".join(f"{known[key]}\n" for key in sorted(known)), encoding="utf-8")
    assert told in golden_lines()


def read_and_run(folder: Path) -> tuple[FrameSeen, ...]:
    """The frames on Icarus, of modules that other front ends take without a word."""
    assert slang_says(folder) == []
    return run_bench(folder)


def golden_lines() -> list[str]:
    """What is emitted of each specification, and why the rest is not."""
    return GOLDEN.read_text(encoding="utf-8").splitlines() if GOLDEN.exists() else []


def test_the_golden_table_is_of_what_is_shipped() -> None:
    assert [text.partition(":")[0] for text in golden_lines()] == shipped()


# Controls: each of these must not agree.


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A design with banks, a window and three units of each task, written once."""
    target = tmp_path_factory.mktemp("design")
    write_design(three_units(), target)
    return target


@pytest.fixture
def frames(folder: Path) -> Callable[[str, str, str], tuple[FrameSeen, ...]]:
    """The frames of the bench after a change in one file, which is taken back."""

    def run(path: str, before: str, after: str) -> tuple[FrameSeen, ...]:
        text = (folder / path).read_text(encoding="utf-8")
        found = re.search(before, text)
        assert found is not None
        (folder / path).write_text(text[: found.start()] + found.expand(after) + text[found.end() :], encoding="utf-8")
        try:
            return run_bench(folder)
        finally:
            (folder / path).write_text(text, encoding="utf-8")

    return run


Frames = Callable[[str, str, str], tuple[FrameSeen, ...]]


def test_unchanged_it_agrees(folder: Path) -> None:
    cycles = three_units().cycles
    assert run_bench(folder) == (FrameSeen(0, cycles, 0), FrameSeen(0, cycles, 0))


@pytest.mark.skipif(shutil.which("verilator") is None, reason="no verilator")
def test_verilator_takes_all_files(folder: Path) -> None:
    """They are SystemVerilog too, which reserves more words."""
    files = sorted(str(path.relative_to(folder)) for part in ("rtl", "tb") for path in (folder / part).glob("*.v"))
    command = ["verilator", "--lint-only", "--timing", "-Wno-lint", "-Wno-fatal", "--top-module", "tb", *files]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert (done.returncode, "%Error" in done.stderr) == (0, False), done.stderr


def test_a_coefficient_in_a_unit(frames: Frames) -> None:
    """(y - 420) // 8 becomes (y - 428) // 8."""
    for frame in frames("rtl/unit_scaled.v", "'h1a4;", "'h1ac;"):
        assert (frame.cycles, frame.wrong > 0) == (three_units().cycles, True)


@pytest.mark.parametrize(("modulus", "counts"), [(9, "banks"), (12, "addresses")])
def test_a_modulus(frames: Frames, modulus: int, counts: str) -> None:
    """Of a counter of banks, and of one of addresses in a bank: it wraps a number too early."""
    for agent in ("blurred_read", "port_passing"):
        before, after = (
            rf"(k\d+)_next >= {modulus} \? \1_next - {modulus}",
            rf"\1_next >= {modulus - 1} ? \1_next - {modulus - 1}",
        )
        for frame in frames(f"rtl/group0_{agent}.v", before, after):
            assert (frame.cycles, frame.wrong > 0) == (three_units().cycles, True), counts


def test_an_increment_of_an_agent(frames: Frames) -> None:
    found = frames("rtl/group0_blurred_read.v", r"(k\d+) \+ (row_\w+);", r"\1 + \2 + 1;")
    assert all((frame.cycles, frame.wrong > 0) == (three_units().cycles, True) for frame in found)


def test_a_loop_once_more(frames: Frames) -> None:
    """The agent is at work for longer: cycles differ."""
    found = frames("rtl/group0_blurred_read.v", r"if \(loop0 != (\d+)\)", r"if (loop0 + 1 != \1)")
    assert any(frame.cycles != three_units().cycles or frame.wrong for frame in found)


@pytest.mark.parametrize("more", [1, 6])
def test_the_latency_of_the_memory(frames: Frames, more: int) -> None:
    """Other cycles, those of the model with that memory or more; the same outputs."""
    latency = three_units().latency
    found = frames("tb/tb.v", rf"\.LATENCY\({latency}\)", f".LATENCY({latency + more})")
    assert {frame.wrong for frame in found} == {0}
    assert {frame.cycles for frame in found} == {found[0].cycles}
    assert found[0].cycles > three_units().cycles


def test_a_memory_that_rests_now_and_then(frames: Frames) -> None:
    """Words that come and go at odd times: other cycles, the same outputs."""
    found = frames("tb/external_memory.v", r"wire there = (.*);", r"wire there = (\1) && now % 7 != 3 && now % 5 != 1;")
    assert {frame.wrong for frame in found} == {0}
    assert min(frame.cycles for frame in found) > three_units().cycles


AHEAD = """
  reg known = 0;
  reg {bits} due;
  wire {bits} through = {{{through}}};
  wire {bits} where = {{{where}}};
  wire {bits} hold = {{{hold}}};
  always @(posedge clk) if (under_test.group0.running) begin
    if (known && through !== due) $finish;
    known <= 1;
    due <= under_test.group0.advance ? where : hold;
  end
endmodule
"""


@pytest.mark.parametrize(
    ("agent", "before", "after", "agrees"),
    [
        ("read", "", "", True),
        ("read", r"fin_where = rests \? row_ends", "fin_where = rests ? 1'b0", False),
        ("read", r"fin_where = rests \? row_ends", "fin_where = rests ? 1'b1", False),
        ("read", r"fin_not = rests \|\| ", "fin_not = ", False),
        ("write", r"(fin_where = .*) : behind", r"\1 : row_ends", False),
        ("write", r"(fin_not = .*) \|\| behind", r"\1", False),
    ],
)
def test_what_agents_of_tasks_say_a_cycle_ahead(
    frames: Frames, folder: Path, agent: str, before: str, after: str, *, agrees: bool
) -> None:
    """Whether they are through in the next cycle, whatever the other agents do: the bench stops where it is not so."""
    (group,) = three_units().groups
    names = [f"under_test.group0.{agent.name}" for agent in group.agents if agent.name not in group.port_agents]
    said = {"through": "through", "where": "fin_where", "hold": "fin_not"}
    lists = {name: ", ".join(f"{agent}.{own}" for agent in names) for name, own in said.items()}
    bench = folder / "tb" / "tb.v"
    text = bench.read_text(encoding="utf-8")
    checking = text.replace("endmodule\n", AHEAD.format(bits=f"[{len(names) - 1}:0]", **lists))
    bench.write_text(checking, encoding="utf-8")
    try:
        assert (len(frames(f"rtl/group0_blurred_{agent}.v", before, after)) == 2) is agrees
    finally:
        bench.write_text(text, encoding="utf-8")


def test_outputs_that_differ_are_counted_in_words(frames: Frames, folder: Path) -> None:
    """One bit of one word."""
    first, _ = three_units().frame.outputs["z"]
    text = (folder / "data" / "expected.hex").read_text(encoding="utf-8").splitlines()
    word = text[first]
    assert word != f"{int(word, 16) ^ 1:0{len(word)}x}"
    lines = list(text)
    lines[first] = f"{int(word, 16) ^ 1:0{len(word)}x}"
    (folder / "data" / "expected.hex").write_text("\n".join([*lines, ""]), encoding="utf-8")
    try:
        assert [frame.wrong for frame in run_bench(folder)] == [1, 1]
    finally:
        (folder / "data" / "expected.hex").write_text("\n".join([*text, ""]), encoding="utf-8")
    assert run_bench(folder)[0].wrong == 0


def test_the_line_of_the_benchmark() -> None:
    spec = Shipped("pattern")
    bench, front = spec.verifier.testbench, plain_front("pattern")
    one = tried(bench, cheap(bench, front, 1)[0])
    assert one.frames
    other, refused = replace(one, frames=(FrameSeen(0, one.cycles + 1, 3),) * 2), replace(one, frames=(), refused="it")
    text = line(spec, 4, [one, other, refused], 1)
    assert text == "| pattern: N = 320, LENGTH = 8, S = 32 | 3 of 4 | 2 | 1 | 1 | 1: it | 1.0 |\n"
    assert sorted(map(str, cheap(bench, front, 100))) == sorted(map(str, front))
    assert [each.cycles_equal for each in (one, other, refused)] == [True, False, False]
