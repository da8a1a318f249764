"""Generated specifications of endless frames that meet in a group: windows ahead, and states of earlier frames."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from hypothesis import strategies as st

from hwmodel.streamed import Interface, Stream

FRAMES = 9
MOTION = """\
elementary slow(x: u8, one: u8, two: u8) -> (y: u8) { y = u8((u16(x) + one + two) // 3) }

task motion(v: u8[*, 3, 4]) -> (o: u8[*, 3, 4]) {
  repeat [*, 3, 4] of slow {
    x <- v
    one <- y delay [1, 0, 0] else 9
    two <- y delay [2, 1, -1] else 5
    y -> o
  }
}
"""
FEATURES = ("ahead", "far ahead", "state", "old state", "moved state", "state in a frame", "join", "samples")
_BORDERS = ("wrap", "else nearest", "else 7", "else mirror")


@dataclass(frozen=True)
class DrawnFrames:
    """A specification as text, its decisions, and which features it has."""

    text: str
    stream: Stream
    features: frozenset[str]


@st.composite
def frames_inside(draw: st.DrawFn, interface: Interface = "port") -> DrawnFrames:
    """One to four tasks on one or two endless videos of a few pixels, or on endless samples."""
    sides = draw(st.sampled_from(((3, 4), (4, 3), (2, 5), (1, 4), (4,), ())))
    kind = "i32[" + ", ".join(["*", *map(str, sides)]) + "]"
    arrays, lines, calls, features = ["v"], list[str](), list[str](), set[str]()
    for number in range(draw(st.integers(1, 4))):
        source = draw(st.sampled_from([*arrays, arrays[-1], arrays[-1]]))
        made = f"a{number}"
        task = draw(st.sampled_from((_ahead, _ahead, _state, _state, _join)))
        other = draw(st.sampled_from(arrays))
        lines += task(draw, number, (source, other, made), sides, kind, features)
        reads = source if task is not _join or other == source else f"{source}, {other}"
        calls.append(f"  {made} = t{number}({reads})")
        arrays.append(made)
    read = " ".join(call.split("(")[1] for call in calls)
    outputs = [own for own in arrays[1:] if own not in read.replace(")", "").replace(",", "").split()]
    top = f"task top(v: {kind}) -> ({', '.join(f'{own}: {kind}' for own in outputs)}) {{"
    features |= {"samples"} if not sides else set()
    scans = [(), (1, 0)] if len([side for side in sides if side > 1]) == 2 else [()]
    pace = Fraction(draw(st.sampled_from(("1", "1", "1/2", "1/3", "2"))))
    starts, raster = draw(st.sampled_from(("latency", "memory"))), draw(st.booleans())
    stream = Stream(draw(st.sampled_from(scans)), pace, "latency", interface, raster, frames="inside")
    stream = replace(stream, starts="memory") if starts == "memory" else stream
    return DrawnFrames("\n".join([*lines, top, *calls, "}", ""]), stream, frozenset(features))


def _ahead(
    draw: st.DrawFn, number: int, arrays: tuple[str, str, str], sides: tuple[int, ...], kind: str, features: set[str]
) -> list[str]:
    """A sum over some frames, from this one or a later one on, and over a window of each."""
    first, count = draw(st.sampled_from(((0, 2), (0, 3), (1, 1), (0, 1), (1, 2))))
    features |= {"ahead"} if first + count > 1 else set()
    features |= {"far ahead"} if first + count > 2 else set()
    window = [draw(st.integers(1, min(side, 2))) for side in sides]
    origin = [first, *(draw(st.integers(1 - side, 0)) for side in window)]
    rank = len(sides) + 1
    eye = "; ".join(", ".join(str(int(row == at)) for at in range(rank)) for row in range(rank))
    border = draw(st.sampled_from(_BORDERS)) if sides else ""
    ranges = ", ".join(f"j{at} in 0..{side}" for at, side in enumerate([count, *window]))
    index = ", ".join(f"j{at}" for at in range(rank))
    source, _, made = arrays
    pattern = ", ".join(map(str, [count, *window]))
    return [
        f"elementary e{number}(x: i32[{pattern}]) -> (y: i32) {{",
        f"  y += x[{index}]  for {ranges}",
        "}",
        f"task t{number}({source}: {kind}) -> ({made}: {kind}) {{",
        f"  repeat {kind[3:]} of e{number} {{",
        f"    x <- {source} at origin {origin} paving [{eye}] fitting [{eye}] {border}",
        f"    y -> {made}",
        "  }",
        "}",
    ]


def _state(
    draw: st.DrawFn, number: int, arrays: tuple[str, str, str], sides: tuple[int, ...], kind: str, features: set[str]
) -> list[str]:
    """A recursive filter over frames, of the same place or one beside it; at times within a frame."""
    back = draw(st.sampled_from((1, 1, 2, 3) if not sides or sides[-1] < 3 else (1, 1, 2, 3, 0)))
    if back:
        beside = [draw(st.sampled_from((0, 0, 1, -1))) if side > 1 else 0 for side in sides]
        features |= {"state", *(["old state"] if back > 1 else []), *(["moved state"] if any(beside) else [])}
    else:
        beside = [*(0 for _ in sides[1:]), 2]
        features |= {"state in a frame"}
    source, _, made = arrays
    return [
        f"elementary e{number}(x: i32, before: i32) -> (y: i32) {{ y = x + (before >> 1) }}",
        f"task t{number}({source}: {kind}) -> ({made}: {kind}) {{",
        f"  repeat {kind[3:]} of e{number} {{",
        f"    x <- {source}",
        f"    before <- y delay {[back, *beside]} else {draw(st.integers(0, 9))}",
        f"    y -> {made}",
        "  }",
        "}",
    ]


def _join(
    draw: st.DrawFn, number: int, arrays: tuple[str, str, str], sides: tuple[int, ...], kind: str, features: set[str]
) -> list[str]:
    """Two arrays, of which one may be late by frames."""
    source, other, made = arrays
    reads = f"{source}: {kind}" if source == other else f"{source}: {kind}, {other}: {kind}"
    features |= {"join"} if source != other else set()
    return [
        f"elementary e{number}(x: i32, w: i32) -> (y: i32) {{ y = x - 3 * w }}",
        f"task t{number}({reads}) -> ({made}: {kind}) {{",
        f"  repeat {kind[3:]} of e{number} {{",
        f"    x <- {source}",
        f"    w <- {other}",
        f"    y -> {made}",
        "  }",
        "}",
    ]
