"""Histograms in streaming groups on Icarus: units with memories that move with the enable of the group."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from many_cases import case_count, on_many
from port_designs import frames_at_port, port_design, require_port_frames
from stream_designs import FRAMES, frames_on_icarus, require_frames, stream_design
from stream_networks import Case
from verilog_programs import needs_icarus

from arrayol.errors import ArrayolError
from hwmodel.emit.verilog.design import DesignFiles
from hwmodel.streamed import Stream

pytestmark = needs_icarus


def task(name: str, inputs: str, outputs: str, repeated: str, *links: str) -> str:
    """A task that repeats another."""
    lines = "".join(f"    {link}\n" for link in links)
    return f"task {name}({inputs}) -> ({outputs}) {{\n  repeat {repeated} {{\n{lines}  }}\n}}\n"


def case_of_text(text: str) -> Case:
    """The network of a specification."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "top.aol"
        path.write_text(text)
        return Case.of(path)


@dataclass(frozen=True)
class Histogram:
    """A network that counts the lines of its input; `folded` adds the lines, `before` changes each element first."""

    lines: int
    length: int
    words: int
    kind: str
    value: str
    where: str
    before: bool
    after: str

    @property
    def text(self) -> str:
        """The specification."""
        rows, parts, bins = f"[{self.lines}, {self.length}]", f"[{self.lines}, {self.words}]", f"[{self.words}]"
        kind, size = self.kind, f"0..{self.words}"
        body = f"{{\n  n[i] = 2 for i in {size}\n  n[x[k] % {self.words}] += {kind}({self.value})"
        text = f"elementary count(x: u8[{self.length}]) -> (n: {kind}{bins}) {body}"
        text += f" for k in 0..{self.length}{self.where}\n}}\n"
        text += task("counts", f"x: u8{rows}", f"n: {kind}{parts}", f"[{self.lines}] of count", "x <- x", "n -> n")
        if self.before:
            text += "elementary half(a: u8) -> (b: u8) {\n  b = a // 2\n}\n"
            text += task("halves", f"x: u8{rows}", f"y: u8{rows}", f"{rows} of half", "a <- x", "b -> y")
        if self.after == "fold":
            text += f"elementary add(p: {kind}{bins}, h: {kind}{bins}) -> (n: {kind}{bins}) {{\n"
            text += f"  n[i] = {kind}(p[i] + h[i]) for i in {size}\n}}\n"
            links = "p <- p", "h <- n delay [1] else 0", "n delay [1] -> n"
            text += task("fold", f"p: {kind}{parts}", f"n: {kind}{bins}", f"[{self.lines}] of add", *links)
        elif self.after == "each":
            text += f"elementary twice(p: {kind}) -> (n: {kind}) {{\n  n = {kind}(p + p)\n}}\n"
            text += task("each", f"p: {kind}{parts}", f"n: {kind}{parts}", f"{parts} of twice", "p <- p", "n -> n")
        calls = ["y = halves(x)"] if self.before else []
        calls.append(f"{'p' if self.after else 'n'} = counts({'y' if self.before else 'x'})")
        calls += [f"n = {self.after}(p)"] if self.after else []
        out = bins if self.after == "fold" else parts
        return f"{text}task top(x: u8{rows}) -> (n: {kind}{out}) {{\n" + "".join(f"  {own}\n" for own in calls) + "}\n"

    @property
    def case(self) -> Case:
        """The network."""
        return case_of_text(self.text)


@st.composite
def histograms(draw: DrawFn) -> Histogram:
    """Lines of up to 70 elements, in 32 to 48 words."""
    return Histogram(
        draw(st.integers(2, 4)),
        draw(st.sampled_from((20, 40, 48, 64))),
        draw(st.sampled_from((32, 40, 48))),
        draw(st.sampled_from(("u8", "i12", "u16", "i32"))),
        draw(st.sampled_from(("1", "x[k]", "x[k] * x[k]"))),
        draw(st.sampled_from(("", " where x[k] > 20", " where k % 3 != 1"))),
        draw(st.booleans()),
        draw(st.sampled_from(("", "fold", "each"))),
    )


def test_generated_histograms() -> None:
    """Two frames in the cycles of the model, with the bits of `run`: behind AXI4-Streams with pauses, and a port."""
    tally = Counter[str]()

    def judge(drawn: tuple[Histogram, int, float, bool]) -> None:
        histogram, times, mhz, port = drawn
        # A place of the innermost loop is an element, a word, or a line.
        inner = histogram.length if histogram.before else histogram.words if histogram.after == "each" else 1
        pace = Fraction(times * -(-max(histogram.length, histogram.words) // inner))
        try:
            if port:
                require_port_frames(port_design(histogram.case, Stream(pace=pace), mhz))
            else:
                require_frames(stream_design(histogram.case, Stream(pace=pace, interface="axis"), mhz), 7)
        except ArrayolError as refused:
            if not {own.code for own in refused.diagnostics} <= {"not-streamed", "not-emitted"}:
                raise
            tally[refused.diagnostics[0].message] += 1
            return
        tally["held"] += 1

    drawn = st.tuples(histograms(), st.sampled_from((1, 2)), st.sampled_from((2.0, 50.0, 100.0)), st.booleans())
    cases = max(5, case_count(24))
    on_many(cases, 1, judge, drawn)
    assert tally["held"] >= cases // 3, tally


SMALL = Histogram(2, 40, 32, "u16", "x[k]", "", True, "fold")


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("rtl/group0_unit_counts.v", r"\.go\(go\)", ".go(1'b1)"),
        ("rtl/group0_unit_counts.v", r"if \(go \|\| reset\)", "if (1)"),
        ("rtl/binned_memory.v", r"if \(go\) rdata", "rdata"),
    ],
    ids=["no enable", "a unit that moves on", "a word that is lost"],
)
def test_a_wrong_circuit_is_seen(path: str, before: str, after: str) -> None:
    files = stream_design(SMALL.case, Stream(interface="axis")).files()
    changed, count = re.subn(before, after, str(files[path]))
    assert count
    runs = frames_on_icarus({**files, path: changed}, 1)
    assert any(len(seen) < FRAMES or any(frame.wrong for frame in seen) for seen in runs)


def test_a_frame_ends_when_all_sums_are_read() -> None:
    """Where a task reads only the first of the sums, the others would stay in the memory until the next frame."""
    first = "(n: u16[3, 2]) {\n  repeat [3, 2]"
    text = replace(SMALL, lines=3, after="each").text.replace("(n: u16[3, 32]) {\n  repeat [3, 32]", first)
    text = text.replace("p <- p", "p <- p at origin [0, 0] paving [1, 0; 0, 1] fitting []")
    before, _, top = text.partition("task top")
    case = case_of_text(f"{before}task top{top.replace('u16[3, 32]', 'u16[3, 2]')}")
    require_frames(stream_design(case, Stream(interface="axis")))
    for chunk in (1, 4):
        require_port_frames(port_design(case, Stream(), chunk=chunk))


def test_repetitions_that_are_none_add_nothing() -> None:
    """What they added would be there in the next frame, before which the group is reset."""
    design = port_design(SMALL.case, Stream(), chunk=10)
    files = DesignFiles(design).files()
    path = "rtl/group0_stream.v"
    changed, count = re.subn(r"\.valid\([^)]*\)", ".valid(1'b1)", str(files[path]))
    assert count
    assert any(frame.wrong for frame in frames_at_port({**files, path: changed}))


OVER_FRAMES = """\
elementary count(x: u8[40]) -> (n: u16[48]) {
  n[i] = 2 for i in 0..48
  n[x[k] % 48] += x[k] for k in 0..40
}

elementary add(p: u16[48], h: u16[48]) -> (n: u16[48]) {
  n[i] = u16(p[i] + h[i]) for i in 0..48
}

task counts(x: u8[*, 3, 40]) -> (n: u16[*, 3, 48]) {
  repeat [*, 3] of count {
    x <- x
    n -> n
  }
}

task sums(p: u16[*, 3, 48]) -> (n: u16[*, 3, 48]) {
  repeat [*, 3] of add {
    p <- p
    h <- n delay [1, 0] else 0
    n -> n
  }
}

task top(x: u8[*, 3, 40]) -> (n: u16[*, 3, 48]) {
  p = counts(x)
  n = sums(p)
}
"""


def test_sums_of_frames_inside() -> None:
    """A frame waits until memories are clear; without that, the first sums are lost."""
    case = replace(case_of_text(OVER_FRAMES), frames=3)
    design = stream_design(case, Stream(interface="axis", frames="inside", pace=Fraction(48)))
    require_frames(design, 1)
    files = design.files()
    path = "rtl/top_axis.v"
    changed, count = re.subn(r"clearing == 0 \?", "1 ?", str(files[path]))
    assert count
    assert all(frame.wrong for frame in frames_on_icarus({**files, path: changed})[0])
