"""Generated nests with schedules and tiles, small enough to try every instance; accesses may depend on data."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

EXTENTS = {"x": (24,), "d": (9,), "y": (24,), "z": (14, 14)}
CONSTS = {"N": 5}
HEAD = "const N = 5\nelementary e(x: i64[24], d: i64[9]) -> (y: i64[24], z: i64[14, 14])"


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
    """A body, some of its lines in one loop, and how to tile some of its lines; `chosen` counts from 1."""

    outer: tuple[str, str, str] | None
    lines: tuple[NestLine, ...]
    chosen: tuple[int, ...]
    schedules: tuple[tuple[str, ...], ...]
    sizes: tuple[int, ...]
    strip_dims: int

    @property
    def text(self) -> str:
        lines = "\n  ".join(line.text for line in self.lines)
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
    """Bodies of one to three lines under random schedules: some keep the dependences, some do not."""
    outer = ("t", "0", str(draw(st.integers(1, 4)))) if draw(st.integers(0, 3)) == 0 else None
    count = draw(st.sampled_from([1, 1, 1, 2, 2, 3]))
    lines = tuple(_line(draw, ["t"] if outer else []) for _ in range(count))
    chosen = tuple(number for number in range(1, count + 1) if draw(st.integers(0, 3))) or (count,)
    case = NestCase(outer, lines, chosen, (), (), 1)
    depth = draw(st.sampled_from([1, 2, 2, 2, 3]))
    schedules = tuple(_schedule(draw, case.indices(number), depth) for number in chosen)
    sizes = tuple(draw(st.integers(1, 4)) for _ in range(depth))
    strip_dims = draw(st.integers(1, min(2, depth)))
    return NestCase(outer, lines, chosen, schedules, sizes, strip_dims)


def _line(draw: st.DrawFn, outer: list[str]) -> NestLine:
    ranges, names = [], list(outer)
    for name in ["i", "j"][: draw(st.sampled_from([1, 2, 2]))]:
        low = draw(st.sampled_from(["0", "0", "1", *names[:1]]))
        high = draw(st.sampled_from(["3", "4", "N", *(f"{other} + 2" for other in names)]))
        ranges.append((name, low, high))
        names.append(name)
    condition = draw(st.integers(0, 5))
    where = None if condition < 4 else _condition(draw, names)
    target = _reference(draw, draw(st.sampled_from(["y", "y", "z"])), names, guarded=False)
    reads = tuple(
        _reference(draw, draw(st.sampled_from(["x", "y", "y", "z"])), names, guarded=True)
        for _ in range(draw(st.integers(0, 2)))
    )
    if draw(st.booleans()) and target.subscripts:  # a stencil: what is read lies near what is written
        near = draw(st.sampled_from(["+ 1", "- 1", "+ 0"]))
        reads += (NestRead(target.array, tuple(f"{part} {near}" for part in target.subscripts), None),)
    return NestLine(tuple(ranges), target, reads, draw(st.integers(0, 2)) == 0, where)


def _condition(draw: st.DrawFn, names: list[str]) -> str:
    name = draw(st.sampled_from(names))
    affine = draw(st.sampled_from([f"{name} > 1", f"{name} != 1", f"{name} % 2 == 0", f"{names[0]} + {name} < 5"]))
    return draw(st.sampled_from([affine, f"d[{name}] > 0", f"{affine} and d[1] > {name}"]))


def _reference(draw: st.DrawFn, array: str, names: list[str], *, guarded: bool) -> NestRead:
    guard = _condition(draw, names) if guarded and draw(st.integers(0, 4)) == 0 else None
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
