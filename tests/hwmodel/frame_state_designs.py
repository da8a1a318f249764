"""Two tasks with delays over frames, whose states lie outside: in outputs, in an array of their own, moved."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from port_designs import Kinds, memory_of, mixed_design
from stream_designs import platform_at
from stream_networks import Case

from hwmodel.emit.schedule.design import HardwareDesign
from hwmodel.residence import Loads

MOTION = """\
elementary mix(x: u8, before: u8) -> (y: u8) { y = u8((u16(x) + 3 * u16(before)) >> 2) }

elementary fore(x: u8, m: u8, c: u8) -> (y: u8, n: u8) {
  n = u8((u16(x) + u16(m)) >> 1)
  y = x - n + c
}

task smooth(v: u8[*, 4, 8]) -> (a: u8[*, 4, 8]) {
  repeat [*, 4, 8] of mix {
    x <- v
    before <- y delay [1, 0, 0] else 7
    y -> a
  }
}

task motion(a: u8[*, 4, 8]) -> (o: u8[*, 4, 8]) {
  repeat [*, 4, 8] of fore {
    x <- a
    m <- n delay [2, 0, 1] else 9
    c <- y delay [1, 1, -1] else 3
    y -> o
  }
}

task video(v: u8[*, 4, 8]) -> (a: u8[*, 4, 8], o: u8[*, 4, 8]) {
  a = smooth(v)
  o = motion(a)
}
"""
BLOCKS: Kinds = ((1, None), (1, None))
OUTSIDE: Loads = {"smooth.before": "frame", "motion.m": "frame", "motion.c": "frame"}


def case_of_text(text: str) -> Case:
    """A specification of a text."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "video.aol"
        path.write_text(text)
        return Case.of(path)


@cache
def states_outside(kinds: Kinds = BLOCKS, *, together: bool = False, **memory: object) -> HardwareDesign:
    """Both tasks with their states outside."""
    platform = memory_of(platform_at(50), **{"word_bits": 32, **memory})
    return mixed_design(case_of_text(MOTION), kinds, platform, together=together, loads=OUTSIDE)


def states_overlapping() -> HardwareDesign:
    """The same in groups at the same time, on two channels."""
    return states_outside(together=True, channels=2)
