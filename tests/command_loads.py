"""How often each command parses, evaluates, checks and flattens: once each is the aim.

Commands run in this process on a small specification, and calls are counted as they happen. A file counts as parsed by
its name; a specification is what a file is with some consts. So a design verified at a reduced size is another
specification, evaluated and checked by itself, of the same file parsed once.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from arrayol.checks.check import check_loaded
from arrayol.cli.main import run
from arrayol.ir.network import flatten
from arrayol.language import loader
from arrayol.language.syntax.parser import parse
from arrayol.pictures.tiler.tiler_faults import find_in_graph, find_in_task

SPEC = """\
const N = 16

elementary smooth(x: i32[2]) -> (y: i32) {
  y = x[0] + x[1]
}

elementary scale(x: i32) -> (y: i32) {
  y = 3 * x
}

elementary product(x: i32[N], z: i32[N]) -> (y: i32) {
  y += x[i] * z[i] for i in 0..N
}

task smoothed(x: i32[N + 1]) -> (y: i32[N]) {
  repeat [N] of smooth {
    x <- x at origin [0] paving [1] fitting [1]
    y -> y at origin [0] paving [1] fitting []
  }
}

task scaled(x: i32[N]) -> (y: i32[N]) {
  repeat [N] of scale {
    x <- x at origin [0] paving [1] fitting []
    y -> y at origin [0] paving [1] fitting []
  }
}

task top(x: i32[N + 1]) -> (y: i32[N]) {
  s = smoothed(x)
  y = scaled(s)
}
"""
PLATFORM = (
    'clock_mhz = 50\ntechnology = "ecp5-6"\n[memory]\nlatency = 3\nword_bits = 64\nburst = "run"\n[verify]\nN = 8\n'
)
EXPLORE = ("explore", "small.aol", "--top", "top", "--quiet", "--narrow", "--workers", "1", "--out")
COMMANDS = (
    ("check", "small.aol"),
    ("cost", "small.aol"),
    ("fmt", "small.aol"),
    ("export", "small.aol"),
    ("show", "small.aol", "--top", "top"),
    ("show", "small.aol", "scaled"),
    ("run", "small.aol", "--top", "top", "--in", "x=ramp", "--out", "y=y.npy"),
    ("transform", "small.aol", "fuse smoothed scaled"),
    (*EXPLORE, "result", "--verify"),
    (*EXPLORE, "same", "--verify", "--set", "N=8", "--pick", "knee"),
    ("explore", "small.aol", "--top", "top", "--model", "published", "--quiet", "--out", "published"),
    ("simulate", "small.aol", "--result", "result", "--design", "2:1", "--in", "x=ramp"),
    ("simulate", "small.aol", "--result", "same", "--design", "2:1", "--in", "x=ramp"),
    ("emit", "verilog", "small.aol", "--result", "result", "--design", "2:1", "--in", "x=ramp"),
    ("emit", "verilog", "small.aol", "--result", "same", "--pick", "latency_cycles >= 1", "--out", "again"),
    ("layout", "small.aol", "product", "--unroll", "2", "--emit", "laid_out.aol", "--plot", "layout.svg"),
    ("transfers", "small.aol", "product", "--schedule", "i", "--plot", "transfers.svg"),
    ("transfers", "small.aol", "scaled", "--emit", "c"),
    ("report", "result"),
    ("compare", "result", "same"),
)


@dataclass
class Calls:
    """Calls by what they were called with; `keys` are compared, not hashed."""

    keys: list[Any] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)

    def add(self, key: object) -> None:
        """Count a call."""
        if key not in self.keys:
            self.keys.append(key)
            self.counts.append(0)
        self.counts[self.keys.index(key)] += 1

    @property
    def most(self) -> int:
        """How often the same was done at most."""
        return max(self.counts, default=0)


@dataclass
class Counted:
    """What a command did with its file, the same thing at most so many times."""

    parsed: Calls = field(default_factory=Calls)
    evaluated: Calls = field(default_factory=Calls)
    checked: Calls = field(default_factory=Calls)
    flattened: Calls = field(default_factory=Calls)

    @property
    def most(self) -> tuple[int, int, int, int]:
        """The most that any file was parsed, any specification evaluated, checked, flattened."""
        return self.parsed.most, self.evaluated.most, self.checked.most, self.flattened.most

    def note(self, code: CodeType, frame: FrameType) -> None:
        """Count a call, if it is one of those."""
        values = frame.f_locals
        if code is parse.__code__ and values["file"].name.endswith(".aol"):  # the others are settings and schedules
            self.parsed.add(values["file"].name)
        elif code is EVALUATE.__code__:
            self.evaluated.add((values["name"], dict(values["settings"] or {})))
        elif code is check_loaded.__code__:
            self.checked.add(values["loaded"].spec)
        elif code is find_in_graph.__code__ or (code is find_in_task.__code__ and not _inside(find_in_graph, frame)):
            self.checked.add(values["spec"])
        elif code is flatten.__code__:
            self.flattened.add((values["spec"], values["top"]))


EVALUATE: Callable[..., Any] = loader._resolved  # noqa: SLF001
WATCHED = {one.__code__ for one in (parse, EVALUATE, check_loaded, find_in_graph, find_in_task, flatten)}


def _inside(function: Callable[..., object], frame: FrameType) -> bool:
    return frame.f_back is not None and frame.f_back.f_code is function.__code__


@contextmanager
def counting() -> Iterator[Counted]:
    """Count calls while this is open."""
    counted = Counted()

    def watch(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code in WATCHED:
            counted.note(frame.f_code, frame)

    sys.setprofile(watch)
    try:
        yield counted
    finally:
        sys.setprofile(None)


def counts_of(arguments: Sequence[str]) -> Counted:
    """What a command does. Raises RuntimeError with its words where it fails."""
    said = StringIO()
    with counting() as counted, redirect_stdout(said), redirect_stderr(said):
        code = run(arguments)
    if code:
        raise RuntimeError(f"arrayol {' '.join(arguments)}: {said.getvalue()}")
    return counted


def write_inputs(folder: Path) -> None:
    """The specification and the platform of the commands."""
    (folder / "small.aol").write_text(SPEC, encoding="utf-8")
    (folder / "small.toml").write_text(PLATFORM, encoding="utf-8")
