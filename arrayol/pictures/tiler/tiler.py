"""What the picture of one link shows: cells and who touches them, arrows, marks; numbers only, nothing drawn.

Only the first repetitions, the first elements of each pattern and the cells of the drawing are enumerated. Of an axis
of the array only the indices that matter are shown: what lies between them shrinks to a gap.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod

from arrayol.ir.spec import Shape
from arrayol.pictures.tiler.tiler_faults import Linked, TilerFault
from arrayol.polyhedral.accesses import Access
from arrayol.polyhedral.isl import Point

GAP = 1.0  # cells that a gap takes
FILLED = 2  # so many missing indices are shown rather than cut out
AROUND = 1  # neighbours shown beside what is touched


@dataclass(frozen=True)
class BrokenAxis:
    """The indices shown, ascending; those below 0 or from `extent` on lie outside the array. Lengths count cells."""

    shown: tuple[int, ...]
    extent: int | None

    @property
    def segments(self) -> tuple[tuple[int, int], ...]:
        """First and last index of each run without a gap."""
        starts = [0, *(place for place in range(1, len(self.shown)) if self.shown[place] - self.shown[place - 1] > 1)]
        ends = [*starts[1:], len(self.shown)]
        return tuple((self.shown[start], self.shown[end - 1]) for start, end in zip(starts, ends, strict=True))

    @property
    def length(self) -> float:
        return self.start(self.shown[-1]) + 1

    def start(self, index: int) -> float:
        """Where the cell of an index begins; one that is not shown lies in the middle of its gap."""
        place = bisect_left(self.shown, index)
        gaps = sum(other < index for _, other in self.segments[:-1])
        if place < len(self.shown) and self.shown[place] == index:
            return place + GAP * gaps
        return place + GAP * max(gaps - 0.5, 0) - 0.5

    def inside(self, index: int) -> bool:
        """Whether the array has this index."""
        return index >= 0 and (self.extent is None or index < self.extent)


def broken_axis(extent: int | None, wanted: Iterable[int], whole: int) -> BrokenAxis:
    """The axis that shows the wanted indices, their neighbours and the array's ends; all of it up to `whole`."""
    wanted = set(wanted)
    if extent is not None and extent <= whole:
        kept = wanted | set(range(extent))
    else:
        ends = {0} if extent is None else {0, extent - 1}
        near = {index + step for index in wanted for step in range(-AROUND, AROUND + 1)}
        kept = wanted | ends | {index for index in near if index >= 0 and (extent is None or index < extent)}
    ordered = sorted(kept)
    shown = ordered[:1]
    for index in ordered[1:]:
        if index - shown[-1] <= FILLED + 1:
            shown.extend(range(shown[-1] + 1, index))
        shown.append(index)
    return BrokenAxis(tuple(shown), extent)


COLUMNS, ROWS = 40, 28  # cells at most, but for what a fault needs
WHOLE_STRIP, WHOLE_COLUMNS, WHOLE_ROWS = 32, 20, 20  # an axis up to this long is shown whole
PATTERN_SIDE, PATTERN_AT_MOST = 24, 576  # a pattern up to this size is shown whole
PATTERN_CUT = 6  # so much of a longer side
FIRST = {0: (), 1: (5,), 2: (2, 3), 3: (2, 2, 2)}  # repetitions shown, by the rank of their space
FEWER = {0: (), 1: (3,), 2: (2, 2), 3: (1, 2, 2)}  # where a cell would be split in too many colours
INFINITE_SHOWN = 3
COLORS_IN_A_CELL = 4

Cell = tuple[int, int]  # row, column; an array of rank 1 is one row, a scalar one cell


@dataclass(frozen=True)
class Touch:
    """An element of a pattern in a cell; `wrapped` where a wrap or a border brings it there."""

    repetition: Point
    index: Point
    wrapped: bool


@dataclass(frozen=True)
class Arrow:
    """A column of paving (r0, r1 ...) or fitting (f0, f1 ...), from the origin; before any wrap or border."""

    label: str
    start: Cell
    end: Cell


@dataclass(frozen=True)
class Panel:
    """The picture of one link.

    `cells` are in the array; `beyond` are the places outside it that a tiler reaches, all of them where the slice lies
    outside: with `wrap` or a border they come back elsewhere in `cells`. `axes` are the array's axes of rows and
    columns; all other coordinates are as in `slice`.
    """

    link: Linked
    axes: tuple[int | None, int | None]
    slice: Point
    rows: BrokenAxis
    columns: BrokenAxis
    cells: dict[Cell, tuple[Touch, ...]]
    beyond: dict[Cell, tuple[Touch, ...]]
    origin: Cell
    arrows: tuple[Arrow, ...]
    still: tuple[str, ...]  # labels of vectors that do not move along the axes shown
    marks: tuple[tuple[Cell, str], ...]
    faults: tuple[str, ...]  # mistakes without a place
    missing: tuple[Point, ...]  # repetitions that do not fit the drawing or the slice
    pattern: tuple[int, ...]  # how much of it is shown

    @property
    def lies_along_rows(self) -> bool:
        """Whether the pattern is at least as wide as it is high."""
        high, wide = (
            0
            if axis is None
            else sum(
                abs(step) * (side - 1) for step, side in zip(self.link.tiler.fitting[axis], self.pattern, strict=True)
            )
            for axis in self.axes
        )
        return wide >= high


def first_repetitions(space: Shape, links: Sequence[Linked]) -> tuple[Point, ...]:
    """The first repetitions, the last dimension fastest: 5, 2 x 3, 2 x 2 x 2; of more dimensions the last three.

    Fewer where more than COLORS_IN_A_CELL of them touch one element. Along a dimension at whose end an exit leaves they
    are the last ones.
    """
    ends = {
        axis
        for link in links
        if link.writes and link.delay is not None
        for axis, step in enumerate(link.delay)
        if step < 0
    }
    repetitions = _first(space, FIRST, ends)
    for number, link in enumerate(links):
        cells = panel_of(link, number, repetitions, ()).cells.values()
        if any(len({touch.repetition for touch in touches}) > COLORS_IN_A_CELL for touches in cells):
            return _first(space, FEWER, ends)
    return repetitions


def _first(space: Shape, table: Mapping[int, tuple[int, ...]], ends: Collection[int]) -> tuple[Point, ...]:
    counts = table.get(len(space), (*(1,) * (len(space) - 3), *table[3]))
    limits = [count if extent is None else min(count, extent) for count, extent in zip(counts, space, strict=True)]
    begins = [
        (extent or 0) - limit if axis in ends else 0
        for axis, (extent, limit) in enumerate(zip(space, limits, strict=True))
    ]
    return tuple(product(*(range(begin, begin + limit) for begin, limit in zip(begins, limits, strict=True))))


def panel_of(link: Linked, number: int, repetitions: Sequence[Point], faults: Sequence[TilerFault]) -> Panel:
    """The picture of link `number` with as many of the repetitions as fit; those of a fault come first."""
    faults = [fault for fault in faults if number in fault.links]
    guilty = [repetition for fault in faults for at, repetition in fault.repetitions if at == number]
    plan = _Plan(link, faults)
    kept: list[Point] = []
    for repetition in dict.fromkeys([*guilty, *repetitions]):
        touched = plan.touches(repetition)
        if link.uses(repetition) and touched and plan.take(touched, needed=repetition in guilty):
            kept.append(repetition)
    kept.sort(key=[*repetitions, *guilty].index)
    arrows, still = plan.arrows()
    rows, columns = plan.built()
    cells, beyond = _cells(plan, kept)
    missing = tuple(repetition for repetition in repetitions if repetition not in kept and link.uses(repetition))
    marks = tuple((plan.cell(fault.element), fault.text) for fault in faults if fault.element is not None)
    unplaced = tuple(fault.text for fault in faults if fault.element is None)
    return Panel(
        link=link,
        axes=plan.axes,
        slice=plan.slice,
        rows=rows,
        columns=columns,
        cells=cells,
        beyond=beyond,
        origin=plan.origin,
        arrows=arrows,
        still=still,
        marks=marks,
        faults=unplaced,
        missing=missing,
        pattern=plan.sides,
    )


def shown_axes(access: Access) -> tuple[int | None, int | None]:
    """The axes of rows and columns: of rank 3 and more the two that the tiler moves most along, later ones first.

    An axis counts one step of each repetition dimension and the whole pattern.
    """
    rank = len(access.array)
    if rank <= 2:
        return (None if rank < 2 else 0), (None if rank == 0 else rank - 1)
    moves = [
        sum(map(abs, access.tiler.paving[axis]))
        + sum(abs(step) * (side - 1) for step, side in zip(access.tiler.fitting[axis], _finite(access), strict=True))
        for axis in range(rank)
    ]
    row, column = sorted(sorted(range(rank), key=lambda axis: (-moves[axis], -axis))[:2])
    return row, column


def _finite(access: Access) -> tuple[int, ...]:
    """The pattern's extents; of an infinite one the first few indices are drawn."""
    return tuple(INFINITE_SHOWN if extent is None else extent for extent in access.pattern)


class _Plan:
    """A panel in the making: which indices its two axes show so far."""

    def __init__(self, link: Linked, faults: Sequence[TilerFault]) -> None:
        self.access = link.access
        self.straight = replace(self.access, tiler=replace(link.tiler, wrap=False, border=None))
        self.axes = shown_axes(self.access)
        corner = (0,) * len(self.access.repetition), (0,) * len(self.access.pattern)
        places = [fault.element for fault in faults if fault.element is not None]
        self.slice = places[0] if places else self.access.element(*corner)
        self.sides = _sides(_finite(self.access))
        self.origin = self.cell(self.straight.element(*corner))
        self.wanted: list[set[int]] = [{0}, {0}]
        self._want([self.origin, self.cell(self.access.element(*corner)), *map(self.cell, places)])
        self._shrink_pattern()

    @property
    def slice_is_inside(self) -> bool:
        """Whether the array has the slice at all: a tiler may leave it along an axis that is not shown."""
        return all(
            axis in self.axes or (value >= 0 and (extent is None or value < extent))
            for axis, (value, extent) in enumerate(zip(self.slice, self.access.array, strict=True))
        )

    def cell(self, element: Point) -> Cell:
        """The cell of an element, whatever its coordinates along hidden axes."""
        row, column = (0 if axis is None else element[axis] for axis in self.axes)
        return row, column

    def touches(self, repetition: Point) -> list[tuple[Cell, Cell, Point]]:
        """The elements of a repetition in the slice: cell before and after the wrap or border, pattern index."""
        touched = []
        for index in product(*map(range, self.sides)):
            element = self.access.element(repetition, index)
            if all(element[axis] == self.slice[axis] for axis in range(len(element)) if axis not in self.axes):
                touched.append((self.cell(self.straight.element(repetition, index)), self.cell(element), index))
        return touched

    def take(self, touched: Sequence[tuple[Cell, Cell, Point]], *, needed: bool) -> bool:
        """Make room for touched cells, unless the drawing grows too large."""
        before = [set(indices) for indices in self.wanted]
        self._want([cell for place, wrapped, _ in touched for cell in (place, wrapped)])
        if needed or self._fits():
            return True
        self.wanted = before
        return False

    def arrows(self) -> tuple[tuple[Arrow, ...], tuple[str, ...]]:
        """Arrows whose ends there is room for, and the labels of vectors that do not move in the drawing."""
        arrows, still = [], []
        for label, column, extent in self._vectors():
            step = self.cell(column)
            end = self.origin[0] + step[0], self.origin[1] + step[1]
            if extent == 1:
                continue
            if end == self.origin:
                still.append(label)
            elif self.take([(end, end, ())], needed=False):
                arrows.append(Arrow(label, self.origin, end))
        return tuple(arrows), tuple(still)

    def built(self) -> tuple[BrokenAxis, BrokenAxis]:
        extents = [1 if axis is None else self.access.array[axis] for axis in self.axes]
        rows = broken_axis(extents[0], self.wanted[0], WHOLE_ROWS)
        whole = WHOLE_STRIP if self.axes[0] is None else WHOLE_COLUMNS
        return rows, broken_axis(extents[1], self.wanted[1], whole)

    def _vectors(self) -> Iterator[tuple[str, Point, int | None]]:
        tiler = self.access.tiler
        for letter, matrix, extents in (
            ("r", tiler.paving, self.access.repetition),
            ("f", tiler.fitting, self.access.pattern),
        ):
            for place, extent in enumerate(extents):
                yield f"{letter}{place}", tuple(row[place] for row in matrix), extent

    def _shrink_pattern(self) -> None:
        """Show so much of the pattern that one repetition fits."""
        first, before = (0,) * len(self.access.repetition), [set(indices) for indices in self.wanted]
        while prod(self.sides) > 1 and not self.take(self.touches(first), needed=False):
            self.sides = _halved(self.sides)
        self.wanted = before

    def _fits(self) -> bool:
        rows, columns = self.built()
        return len(rows.shown) <= ROWS and len(columns.shown) <= COLUMNS

    def _want(self, cells: Sequence[Cell]) -> None:
        for row, column in cells:
            self.wanted[0].add(row)
            self.wanted[1].add(column)


def _sides(pattern: Sequence[int]) -> tuple[int, ...]:
    """How much of each pattern dimension is shown, so that the product stays small."""
    sides = tuple(extent if extent <= PATTERN_SIDE else PATTERN_CUT for extent in pattern)
    while prod(sides) > PATTERN_AT_MOST:
        sides = _halved(sides)
    return sides


def _halved(sides: tuple[int, ...]) -> tuple[int, ...]:
    """The longest side halved, rounded up."""
    longest = max(range(len(sides)), key=sides.__getitem__)
    return (*sides[:longest], -(-sides[longest] // 2), *sides[longest + 1 :])


def _cells(
    plan: _Plan, repetitions: Sequence[Point]
) -> tuple[dict[Cell, tuple[Touch, ...]], dict[Cell, tuple[Touch, ...]]]:
    """Who touches which cell of the array, and which places outside it."""
    cells: dict[Cell, tuple[Touch, ...]] = {}
    beyond: dict[Cell, tuple[Touch, ...]] = {}
    rows, columns = plan.built()

    def inside(cell: Cell) -> bool:
        return plan.slice_is_inside and rows.inside(cell[0]) and columns.inside(cell[1])

    for repetition in repetitions:
        for place, cell, index in plan.touches(repetition):
            touch = Touch(repetition, index, place != cell)
            if inside(cell):
                cells[cell] = (*cells.get(cell, ()), touch)
            if not inside(place):
                beyond[place] = (*beyond.get(place, ()), touch)
    return cells, beyond
