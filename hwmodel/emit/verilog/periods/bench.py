"""Test benches of groups that run at the same time: frames follow each other, each with data of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hwmodel.emit.schedule.bits import hex_lines
from hwmodel.emit.schedule.design import Frame, HardwareDesign
from hwmodel.emit.verilog.top import Bench, Run, image_name


def frame_image(image: bytes, parts: Sequence[tuple[int, int]], word: int) -> str:
    """Some parts of an image of the external memory, by first word and number of words, each behind its address."""
    text = ""
    for first, count in parts:
        lines = hex_lines(image[first * word : (first + count) * word], word).splitlines()[:count]
        text += "\n".join([f"@{first:x}", *lines, ""])
    return text


def frame_images(design: HardwareDesign) -> Iterator[tuple[str, str]]:
    """By name the inputs of each frame where the external memory has them, and the outputs where it should."""
    word = design.addresses.word_bytes
    for number, frame in enumerate((design.frame, *design.later)):
        yield image_name("memory", number), frame_image(frame.before, [*frame.inputs.values()], word)
        yield image_name("expected", number), frame_image(frame.after, [*frame.outputs.values()], word)


def run_of_periods(design: HardwareDesign, where: str) -> Run:
    """The run of a test bench: one period after another until all frames are out; `where` is the plain top module.

    A frame is written in the period before the one that takes it, into a copy that is free then; a start is kept until
    then. Its outputs are compared when it is done, and once more after a further period.
    """
    assert design.periods is not None, "groups in turn have another test bench"
    frames, groups = (design.frame, *design.later), design.periods.groups

    def run(bench: Bench, longest: int, before: Sequence[str]) -> Iterator[str]:
        yield f"  reg [{bench.outside.word_bits - 1}:0] expected [0:{max(2, bench.addresses.words) - 1}];"
        yield "  integer waited, cycles, wrong, period, frame, at, now;"
        yield f"  integer begun [0:{len(frames) - 1}];  // the cycle in which a frame began"
        yield f"  integer ended [0:{groups - 1}];  // the cycle of the period in which a group did"
        yield from _load(len(frames))
        yield from _compare(frames)
        yield from _ends(groups, where)
        yield "  initial begin"
        yield from before
        yield from _first_frame(max(2, bench.addresses.words), longest)
        yield f"    for (period = 0; period < {len(frames) + groups - 1}; period = period + 1) begin"
        yield from _period(len(frames), longest)
        yield from _said(len(frames), groups)
        yield "    end"

    return run


def _load(count: int) -> Iterator[str]:
    yield "  task load(input integer number);"
    yield "    begin"
    for number in range(count):
        yield f'      if (number == {number}) $readmemh("data/{image_name("memory", number)}", memory.words);'
    yield "    end"
    yield "  endtask"


def _compare(frames: Sequence[Frame]) -> Iterator[str]:
    """Words of the outputs of a frame that differ are counted."""
    yield "  task compare(input integer number);"
    yield "    begin"
    for number, frame in enumerate(frames):
        yield f"      if (number == {number}) begin"
        yield f'        $readmemh("data/{image_name("expected", number)}", expected);'
        for first, count in frame.outputs.values():
            yield f"        for (at = {first}; at < {first + count}; at = at + 1)"
            yield "          if (memory.words[at] !== expected[at]) wrong = wrong + 1;"
        yield "      end"
    yield "    end"
    yield "  endtask"


def _ends(groups: int, where: str) -> Iterator[str]:
    yield "  task ends;"
    yield "    begin"
    for number in range(groups):
        yield f"      if ({where}.lasts[{number}]) ended[{number}] = cycles;"
    yield "    end"
    yield "  endtask"


def _first_frame(words: int, longest: int) -> Iterator[str]:
    yield f"    for (at = 0; at < {words}; at = at + 1) memory.words[at] = 0;"
    yield "    load(0);"
    yield "    repeat (3) @(negedge clk);"
    yield "    reset = 0;"
    yield "    start = 1;"
    yield "    @(negedge clk) start = 0;"
    yield "    waited = 0;"
    yield f"    while (!busy && waited < {longest}) @(negedge clk) waited = waited + 1;"
    yield "    now = 0;"


def _period(frames: int, longest: int) -> Iterator[str]:
    """From the first cycle of a period to that of the next one."""
    yield f"      if (period < {frames}) begun[period] = now;"
    yield f"      if (period < {frames - 1}) begin"
    yield "        load(period + 1);"
    yield "        start = 1;"
    yield "      end"
    yield "      cycles = 1;"
    yield "      ends;"
    yield f"      while (!taken && !done && cycles < {longest}) begin"
    yield "        @(negedge clk) start = 0;"
    yield "        cycles = cycles + 1;"
    yield "        ends;"
    yield "      end"
    yield "      @(negedge clk) start = 0;"
    yield "      now = now + cycles;"


def _said(frames: int, groups: int) -> Iterator[str]:
    """The frame that is done with a period, and when groups ended in a period in which all had a frame."""
    yield f"      frame = period - {groups - 1};"
    yield "      if (frame >= 0) begin"
    yield "        wrong = 0;"
    yield "        compare(frame);"
    yield "        if (frame > 0) compare(frame - 1);"
    yield '        $write("frame %0d before %0d cycles %0d wrong %0d", frame,'
    yield "          frame > 0 ? begun[frame] - begun[frame - 1] : waited, now - begun[frame], wrong);"
    each = ", ".join(f"ended[{number}]" for number in range(groups))
    yield f'        if (period < {frames}) $write(" ends{" %0d" * groups}", {each});'
    yield '        $display("");'
    yield "      end"
