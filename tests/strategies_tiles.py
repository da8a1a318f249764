"""Generated nests with schedules and tiles, small enough to try every instance; accesses may depend on data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hypothesis import strategies as st

LOCAL = "w"  # of the outer loop if there is one, else of the body
EXTENTS = {"x": (24,), "d": (9,), "y": (24,), "z": (14, 14), LOCAL: (2,)}
CONSTS = {"N": 5}
HEAD = "const N = 5\nelementary e(x: i64[24], d: i64[9]) -> (y: i64[24], z: i64[14, 14])"


def place_of(array: str, element: tuple[int, ...], values: Mapping[str, int]) -> tuple[int, ...]:
    """An element of an array; of a local in a loop, of the array over the loop that it stands for."""
    return (values["t"], *element) if array == LOCAL and "t" in values else element


@dataclass(frozen=True)
class NestRead:
    """A read of `array`, at `subscripts` or, without them, at an element that data tell; `guard` leads to it."""

    array: str
    subscripts: tuple[str, ...] | None
    guard: str | None

    @property
    def text(self) -> str:
        element = f"{self.array}[{', '.join(self.subscripts or self.by_data)}]"
        return f"({element} if {self.guard} else 0)" if self.guard else element

    @property
    def by_data(self) -> tuple[str, ...]:
        return ("d[1]",) * len(EXTENTS[self.array])


@dataclass(frozen=True)
class NestLine:
    """One assignment; expressions are texts that this language and Python read alike."""

    ranges: tuple[tuple[str, str, str], ...]
    target: NestRead
    reads: tuple[NestRead, ...]
    accumulate: bool
    where: str | None

    @property
    def text(self) -> str:
        value = " + ".join(read.text for read in self.reads) or "1"
        ranges = ", ".join(f"{name} in {low}..{high}" for name, low, high in self.ranges)
        sign = "+=" if self.accumulate else "="
        return f"{self.target.text} {sign} {value}" + (f" for {ranges}" if ranges else "") + self._where

    @property
    def _where(self) -> str:
        return f" where {self.where}" if self.where else ""


@dataclass(frozen=True)
class NestCase:
    """A body, some of its lines in one loop, and how to tile some of its lines; `chosen` counts from 1.

    With `local` the first line fills a local.
    """

    outer: tuple[str, str, str] | None
    lines: tuple[NestLine, ...]
    chosen: tuple[int, ...]
    schedules: tuple[tuple[str, ...], ...]
    sizes: tuple[int, ...]
    strip_dims: int
    local: bool

    @property
    def text(self) -> str:
        declared = [f"{LOCAL}: i64[{EXTENTS[LOCAL][0]}]"] if self.local else []
        lines = "\n  ".join([*declared, *(line.text for line in self.lines)])
        if self.outer:
            name, low, high = self.outer
            lines = f"loop {name} in {low}..{high} {{\n  {lines}\n}}"
        return f"{HEAD} {{\n  {lines}\n}}"

    def indices(self, number: int) -> tuple[str, ...]:
        """The range variables of a line, outermost first."""
        own = tuple(name for name, _, _ in self.lines[number - 1].ranges)
        return (self.outer[0], *own) if self.outer else own


@st.composite
def nest_cases(draw: st.DrawFn) -> NestCase:
    """Bodies of one to three lines, or more with a local, under random schedules: some keep the dependences."""
    local = draw(st.integers(0, 2)) == 0
    outer = ("t", "0", str(draw(st.integers(1, 4)))) if draw(st.integers(0, 3)) < 1 + 2 * local else None
    count = draw(st.sampled_from([1, 1, 1, 2, 2, 3]))
    arrays = ["y", "y", "z", *([LOCAL] * 3 if local else [])]
    lines = tuple(_line(draw, ["t"] if outer else [], arrays) for _ in range(count))
    lines = (_filling(draw), *lines) if local else lines
    chosen = tuple(
        number for number, line in enumerate(lines, 1) if (local and LOCAL in line.text) or draw(st.integers(0, 3))
    ) or (count,)
    case = NestCase(outer, lines, chosen, (), (), 1, local)
    depth = draw(st.sampled_from([1, 2, 2, 2, 3]))
    schedules = tuple(
        _early(outer, depth) if local and number == 1 else _schedule(draw, case.indices(number), depth)
        for number in chosen
    )
    sizes = tuple(draw(st.integers(1, 4)) for _ in range(depth))
    strip_dims = draw(st.integers(1, min(2, depth)))
    return NestCase(outer, lines, chosen, schedules, sizes, strip_dims, local)


def _filling(draw: st.DrawFn) -> NestLine:
    """What a local holds at first; `+=` starts from zero."""
    reads = tuple(NestRead("x", (_subscript(draw, ["k"]),), None) for _ in range(draw(st.integers(0, 1))))
    return NestLine((("k", "0", "2"),), NestRead(LOCAL, ("k",), None), reads, draw(st.booleans()), None)


def _early(outer: tuple[str, str, str] | None, depth: int) -> tuple[str, ...]:
    """The filling before what most schedules do in the same round."""
    first = ["t", "k - 2"] if outer else ["k - 2", "0"]
    return ("t * 9 + k - 2" if outer else "k - 2",) if depth == 1 else (*first, *["0"] * (depth - 2))


def _line(draw: st.DrawFn, outer: list[str], arrays: list[str]) -> NestLine:
    ranges, names = [], list(outer)
    for name in ["i", "j"][: draw(st.sampled_from([1, 2, 2]))]:
        low = draw(st.sampled_from(["0", "0", "1", *names[:1]]))
        high = draw(st.sampled_from(["3", "4", "N", *(f"{other} + 2" for other in names)]))
        ranges.append((name, low, high))
        names.append(name)
    condition = draw(st.integers(0, 5))
    where = None if condition < 4 else _condition(draw, names)
    target = _reference(draw, draw(st.sampled_from(arrays)), names, guarded=False)
    reads = tuple(
        _reference(draw, draw(st.sampled_from(["x", *arrays])), names, guarded=True)
        for _ in range(draw(st.integers(0, 2)))
    )
    if (
        draw(st.booleans()) and target.subscripts and target.array != LOCAL
    ):  # a stencil: what is read lies near what is written
        near = draw(st.sampled_from(["+ 1", "- 1", "+ 0"]))
        reads += (NestRead(target.array, tuple(f"{part} {near}" for part in target.subscripts), None),)
    return NestLine(tuple(ranges), target, reads, draw(st.integers(0, 2)) == 0, where)


def _condition(draw: st.DrawFn, names: list[str]) -> str:
    name = draw(st.sampled_from(names))
    affine = draw(st.sampled_from([f"{name} > 1", f"{name} != 1", f"{name} % 2 == 0", f"{names[0]} + {name} < 5"]))
    return draw(st.sampled_from([affine, f"d[{name}] > 0", f"{affine} and d[1] > {name}"]))


def _reference(draw: st.DrawFn, array: str, names: list[str], *, guarded: bool) -> NestRead:
    guard = _condition(draw, names) if guarded and draw(st.integers(0, 4)) == 0 else None
    if array == LOCAL:
        return NestRead(array, (draw(st.sampled_from(["0", "1", f"{names[-1]} % 2"])),), guard)
    if draw(st.integers(0, 7)) == 0:
        return NestRead(array, None, guard)
    return NestRead(array, tuple(_subscript(draw, names) for _ in EXTENTS[array]), guard)


def _subscript(draw: st.DrawFn, names: list[str]) -> str:
    one, other = draw(st.sampled_from(names)), draw(st.sampled_from(names))
    return draw(st.sampled_from([f"{one} + 4", f"{one} + {other} + 1", f"{one} - {other} + 6", "3", f"N + 5 - {one}"]))


def _schedule(draw: st.DrawFn, names: tuple[str, ...], depth: int) -> tuple[str, ...]:
    """Mostly the order of the text or one with a skew, sometimes anything."""
    times = list(names[:depth])
    if len(names) > depth:
        times = [f"{names[0]} * 9 + {name}" if place else name for place, name in enumerate(names[-depth:])]
    times += ["0"] * (depth - len(times))
    for place in range(depth):
        change = draw(st.integers(0, 5))
        other = draw(st.sampled_from(names))
        forms = {0: f"{times[place]} + {other}", 1: f"5 - ({times[place]})", 2: f"{times[place]} + 1"}
        times[place] = forms.get(change, times[place])
    if draw(st.integers(0, 4)) == 0:
        times = list(draw(st.permutations(times)))
    return tuple(times)
