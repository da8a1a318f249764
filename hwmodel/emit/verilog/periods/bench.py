"""Test benches of groups that run at the same time: frames follow each other, each with data of its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial

from hwmodel.emit.images import LongText, MemoryImage, Text
from hwmodel.emit.schedule.design import Frame, HardwareDesign
from hwmodel.emit.verilog.top import Bench, Run, cleared_words, expected_words, image_path, reset_ended, words_read
from hwmodel.emit.verilog.wiring import ChannelPorts


def frame_image(image: MemoryImage, parts: Iterable[tuple[int, int]]) -> Iterator[str]:
    """Some parts of an image of the external memory, by first word and number of words, each behind its address."""
    for first, count in parts:
        yield f"@{first:x}\n"
        yield from image.lines(first, count)


def frame_images(design: HardwareDesign, channel: ChannelPorts) -> Iterator[tuple[str, Text]]:
    """By path the inputs of each frame where a channel of the external memory has them, and the outputs it should."""
    channels = design.addresses.channels
    for number, frame in enumerate((design.frame, *design.later)):
        for name, images, places in (("memory", frame.before, frame.inputs), ("expected", frame.after, frame.outputs)):
            parts = [place for array, place in places.items() if channels[array] == channel.number]
            text = LongText(partial(frame_image, images[channel.number], parts))
            yield image_path(name, number, channel.tag), text


def run_of_periods(design: HardwareDesign, where: str) -> Run:
    """The run of a test bench: one period after another until all frames are out; `where` is the plain top module.

    A frame is written in the period before the one that takes it, into a copy that is free then; a start is kept until
    then. Its outputs are compared when it is done, and once more after a further period.
    """
    assert design.periods is not None, "groups in turn have another test bench"
    frames, groups = (design.frame, *design.later), design.periods.groups
    tags = {name: design.addresses.tag(channel) for name, channel in design.addresses.channels.items()}

    def run(bench: Bench, longest: int, before: Sequence[str]) -> Iterator[str]:
        yield from expected_words(bench)
        yield "  integer waited, cycles, wrong, period, frame, at, now;"
        yield f"  integer begun [0:{len(frames) - 1}];  // the cycle in which a frame began"
        yield f"  integer ended [0:{groups - 1}];  // the cycle of the period in which a group did"
        yield from _load(bench, len(frames))
        yield from _compare(bench, frames, tags)
        yield from _ends(groups, where)
        yield "  initial begin"
        yield from before
        yield from _first_frame(bench, longest)
        yield f"    for (period = 0; period < {len(frames) + groups - 1}; period = period + 1) begin"
        yield from _period(len(frames), longest)
        yield from _said(len(frames), groups)
        yield "    end"

    return run


def _load(bench: Bench, count: int) -> Iterator[str]:
    yield "  task load(input integer number);"
    yield "    begin"
    for number in range(count):
        yield from (f"      if (number == {number}) {line}" for line in words_read(bench, "memory", number))
    yield "    end"
    yield "  endtask"


def _compare(bench: Bench, frames: Sequence[Frame], tags: Mapping[str, str]) -> Iterator[str]:
    """Words of the outputs of a frame that differ are counted."""
    yield "  task compare(input integer number);"
    yield "    begin"
    for number, frame in enumerate(frames):
        yield f"      if (number == {number}) begin"
        yield from (f"        {line}" for line in words_read(bench, "expected", number))
        for name, (first, count) in frame.outputs.items():
            yield f"        for (at = {first}; at < {first + count}; at = at + 1)"
            yield f"          if (memory{tags[name]}.words[at] !== expected{tags[name]}[at]) wrong = wrong + 1;"
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


def _first_frame(bench: Bench, longest: int) -> Iterator[str]:
    yield from cleared_words(bench)
    yield "    load(0);"
    yield from reset_ended(bench)
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
