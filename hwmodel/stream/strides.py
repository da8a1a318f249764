"""When nodes fire, but for their starts: strides of their dimensions, units that fire together, intervals.

The pitch of a loop is the pulses in which one of its places passes; the stride of a dimension is that for one index:
pitch times ratio. In the innermost loop, the pace gives units and stride.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor, lcm

from arrayol.ir.divisors import divisors
from hwmodel.stream.loops import Loops, places_of
from hwmodel.stream.nodes import Node
from hwmodel.stream.refusals import not_streamed
from hwmodel.stream.rotation import First
from hwmodel.streamed import Firing, Stream

Timing = Callable[[Node, tuple[int, ...]], tuple[int, int]]  # of a node with these strides: interval and latency


@dataclass(frozen=True)
class Pitches:
    """The firing of each node, with starts of 0; the loops, outermost first; the pulses of a line and of a frame.

    A line is one run through the innermost loop.
    """

    firing: Mapping[str, Firing]
    scan: tuple[int, ...]
    line: int
    frame: int

    @property
    def blanking(self) -> int:
        """The pulses of which a frame's blanking has a whole number: so its lines and all strides go on in step.

        A frame of one line has a part of it, a sixteenth or the next larger one.
        """
        steps = lcm(*(min(own) for node in self.firing.values() if (own := [step for step in node.strides if step])))
        if self.frame > self.line:
            return lcm(self.line, steps)
        return next(own for own in divisors(self.line) if 16 * own >= self.line and own % steps == 0)


@dataclass(frozen=True)
class _Line:
    """How a node walks the innermost loop: the dimension that units share, units, pulses between firings and in all."""

    dimension: int
    units: int
    spacing: int
    length: int


def pitches_of(
    nodes: Mapping[str, Node],
    loops: Loops,
    stream: Stream,
    timing: Timing,
    first: First | None = None,
    blanking: int = 0,
) -> Pitches:
    """The firings under a scan and a pace, of nodes that start with the indices `first`.

    A frame has so many more pulses of `blanking`; one of a single line has them at the line's end.

    Raises ArrayolError (`not-streamed`) as `timing` does.
    """
    scan = stream.scan or tuple(range(len(loops.members)))
    if sorted(scan) != list(range(len(loops.members))):
        raise not_streamed(f"the scan {list(scan)} does not name the loops 0 to {len(loops.members) - 1}, each once")
    lines = {name: _line(node, loops, scan, stream.pace) for name, node in nodes.items()} if scan else {}
    multiple = lcm(*(ratio.denominator for (name, _), ratio in loops.ratio.items() if name in nodes))
    longest = max((line.length for line in lines.values() if line), default=1)
    length = ceil(longest / multiple) * multiple
    pitch, pitches = length, dict[int, int]()
    for loop in reversed(scan[:-1]):
        pitches[loop] = pitch
        pitch *= places_of(loops, nodes, loop)
    if pitch >= 1 << 60:
        raise not_streamed(f"a frame takes {pitch:,} pulses: a stream has fewer than 2^60")
    length, pitch = length + (blanking if pitch == length else 0), pitch + blanking
    firing = {name: _firing(node, loops, lines.get(name), pitches, timing, pitch) for name, node in nodes.items()}
    inside = pitch if stream.frames == "inside" else 0
    firing = {name: replace(own, first=(first or {}).get(name, ()), frame=inside) for name, own in firing.items()}
    return Pitches(firing, scan, length, pitch)


def _line(node: Node, loops: Loops, scan: tuple[int, ...], pace: Fraction) -> _Line | None:
    """The units and strides of a node along the innermost loop; None for one that does not move along it."""
    inner = sorted((loops.ratio[node.name, at], at) for name, at in loops.members[scan[-1]] if name == node.name)
    if not inner:
        return None
    ratio, dimension = inner[0]
    rate = ratio * pace
    units = 1 if rate >= 1 else ceil(1 / rate)
    spacing = max(1, floor(units * rate))
    last_ratio, last = inner[-1]
    stride = _stride(last_ratio / ratio, units, spacing)
    length = -(-node.extents[last] // units) * spacing if len(inner) == 1 else node.extents[last] * stride
    return _Line(dimension, units, spacing, length)


def _stride(indices: Fraction, units: int, spacing: int) -> int:
    """The pulses in which a node passes so many indices of the dimension that its units share."""
    return floor(indices * spacing / units)


def _firing(
    node: Node, loops: Loops, line: _Line | None, pitches: Mapping[int, int], timing: Timing, frame: int
) -> Firing:
    """The firing of a node."""
    strides = []
    for at, extent in enumerate(node.extents):
        loop = loops.loop_of(node.name, at)
        if extent == 1 or loop is None:
            strides.append(0)
        elif loop in pitches:
            strides.append(int(loops.ratio[node.name, at] * pitches[loop]))
        else:
            assert line is not None, "a dimension of the innermost loop has a line"
            indices = loops.ratio[node.name, at] / loops.ratio[node.name, line.dimension]
            strides.append(line.spacing if at == line.dimension else _stride(indices, line.units, line.spacing))
    interval, latency = timing(node, (*(stride for stride in strides if stride), frame))
    shared = line.dimension if line else None
    units = min(line.units, node.extents[line.dimension]) if line else 1
    return Firing(node.extents, tuple(strides), 0, shared if units > 1 else None, units, interval, latency)
