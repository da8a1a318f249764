"""The cells of a panel at their place on the sheet: colours, lines, border and indices."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from arrayol.pictures.broken_axis import BrokenAxis
from arrayol.pictures.sheet import FAINT, FAULT, INK, Canvas, Point, height_of, paler, width_of
from arrayol.pictures.tiler import Cell, Panel
from arrayol.polyhedral.points import Point as Index

TICK = 7.0  # points
TICK_SPACE = 0.44  # inches below the cells for indices and the axis' name
OPEN_END = 0.8  # cells by which the border goes on where the array has no end

Colors = Mapping[Index, str]


@dataclass(frozen=True)
class Grid:
    """A panel's cells, `side` inches each, with the upper left one at `corner`."""

    panel: Panel
    side: float
    corner: Point = (0.0, 0.0)

    @property
    def width(self) -> float:
        """Inches, with what an endless axis adds."""
        return self._length(self.panel.columns)

    @property
    def height(self) -> float:
        """Inches, with what an endless axis adds."""
        return self._length(self.panel.rows)

    @property
    def margin(self) -> float:
        """The space to the left that the rows' indices and the axis' name take."""
        if self.panel.axes[0] is None:
            return 0.08
        return 0.34 + max(width_of(str(index), TICK) for index in self.panel.rows.shown)

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """Left, top, right and bottom of what is shown of the array."""
        rows, columns = runs_inside(self.panel.rows), runs_inside(self.panel.columns)
        return (*self.at((rows[0][0], columns[0][0])), *self.far((rows[-1][1], columns[-1][1])))

    def at(self, cell: Cell) -> Point:
        """The upper left corner of a cell."""
        x, y = self.panel.columns.start(cell[1]), self.panel.rows.start(cell[0])
        return self.corner[0] + x * self.side, self.corner[1] + y * self.side

    def middle(self, cell: Cell) -> Point:
        """The middle of a cell."""
        x, y = self.at(cell)
        return x + self.side / 2, y + self.side / 2

    def far(self, cell: Cell) -> Point:
        """The lower right corner of a cell."""
        x, y = self.at(cell)
        return x + self.side, y + self.side

    def _length(self, axis: BrokenAxis) -> float:
        return (axis.length + (OPEN_END if axis.extent is None else 0.0)) * self.side


def draw_cells(canvas: Canvas, grid: Grid, colors: Colors) -> None:
    """Colour what the repetitions touch; cells of several are split, those of a wrap hatched."""
    for cell, touches in grid.panel.beyond.items():
        _bands(
            canvas, grid, cell, {touch.repetition: paler(colors[touch.repetition]) for touch in touches}, hatched=False
        )
        canvas.cell(grid.at(cell), (grid.side, grid.side), edge=FAINT, width=0.7, dashed=True, above=1.2)
    for cell, touches in grid.panel.cells.items():
        shades = {touch.repetition: colors[touch.repetition] for touch in touches}
        _bands(canvas, grid, cell, shades, hatched=any(touch.wrapped for touch in touches))


def _bands(canvas: Canvas, grid: Grid, cell: Cell, colors: Colors, *, hatched: bool) -> None:
    """Bands of several colours run along the pattern, so that they join from cell to cell."""
    (x, y), side = grid.at(cell), grid.side
    band = side / len(colors)
    for place, color in enumerate(colors.values()):
        if grid.panel.lies_along_rows:
            canvas.cell((x, y + place * band), (side, band), fill=color, hatched=hatched)
        else:
            canvas.cell((x + place * band, y), (band, side), fill=color, hatched=hatched)


def draw_lattice(canvas: Canvas, grid: Grid) -> None:
    """Thin lines between the cells of the array."""
    for rows in runs_inside(grid.panel.rows):
        for columns in runs_inside(grid.panel.columns):
            left, top = grid.at((rows[0], columns[0]))
            right, low = grid.far((rows[1], columns[1]))
            for row in range(rows[0] + 1, rows[1] + 1):
                y = grid.at((row, columns[0]))[1]
                canvas.line([(left, y), (right, y)], color="0.78", width=0.4)
            for column in range(columns[0] + 1, columns[1] + 1):
                x = grid.at((rows[0], column))[0]
                canvas.line([(x, top), (x, low)], color="0.78", width=0.4)


def draw_border(canvas: Canvas, grid: Grid) -> None:
    """The array's bounds; dotted in gaps, open where it has no end."""
    rows, columns = grid.panel.rows, grid.panel.columns
    left, top, right, low = grid.bounds
    first = runs_inside(rows)[0][0], runs_inside(columns)[0][0]
    xs = [(grid.at((first[0], start))[0], grid.far((first[0], end))[0]) for start, end in runs_inside(columns)]
    ys = [(grid.at((start, first[1]))[1], grid.far((end, first[1]))[1]) for start, end in runs_inside(rows)]
    on = OPEN_END * grid.side
    for y in (top,) if rows.extent is None else (top, low):
        _edge(canvas, [((x0, y), (x1, y)) for x0, x1 in xs], (right + on, y) if columns.extent is None else None)
    for x in (left,) if columns.extent is None else (left, right):
        _edge(canvas, [((x, y0), (x, y1)) for y0, y1 in ys], (x, low + on) if rows.extent is None else None)


def _edge(canvas: Canvas, runs: Sequence[tuple[Point, Point]], on: Point | None) -> None:
    for start, end in runs:
        canvas.line([start, end], color=INK, width=1.4, above=3)
    ends = [*(start for start, _ in runs[1:]), *([on] if on else [])]
    for (_, end), start in zip(runs, ends, strict=False):
        canvas.line([end, start], color=INK, width=1.2, dotted=True, above=3)


def draw_ticks(canvas: Canvas, grid: Grid) -> None:
    """Indices and names of the axes."""
    panel, (x, y) = grid.panel, grid.corner
    low = y + grid.height
    if panel.axes[1] is not None:
        for index in _ticks(panel.columns, lambda text: width_of(text, TICK) / grid.side + 0.35):
            at = (grid.middle((panel.rows.shown[0], index))[0], low + 0.1)
            canvas.text(at, str(index), TICK, color=_tick_color(panel, panel.columns, index), align="center")
        name = axis_name(panel, 1)
        left = x + max(grid.width - width_of(name, TICK), 0.0) / 2
        canvas.text((left, low + 0.26), name, TICK, color=FAINT)
    if panel.axes[0] is not None:
        for index in _ticks(panel.rows, lambda _: height_of(TICK) / grid.side):
            at = (x - 0.05, grid.middle((index, panel.columns.shown[0]))[1])
            canvas.text(at, str(index), TICK, color=_tick_color(panel, panel.rows, index), align="right")
        at = (x - grid.margin + 0.08, y + grid.height / 2)
        canvas.text(at, axis_name(panel, 0), TICK, color=FAINT, align="center", upright=True)


def _tick_color(panel: Panel, axis: BrokenAxis, index: int) -> str:
    if axis.inside(index):
        return INK
    return FAINT if panel.link.tiler.wrap else FAULT


def axis_name(panel: Panel, side: int) -> str:
    """The name of the rows (0) or columns (1)."""
    rank = len(panel.link.array.shape)
    name = "index" if rank == 1 else ("row", "column")[side]
    return f"{name} (axis {panel.axes[side]})" if rank > 1 else name


def runs_inside(axis: BrokenAxis) -> list[tuple[int, int]]:
    """The segments of an axis cut to the array; index 0 is always shown."""
    last = axis.extent - 1 if axis.extent is not None else None
    runs = [(max(first, 0), end if last is None else min(end, last)) for first, end in axis.segments]
    return [(first, end) for first, end in runs if first <= end]


def _ticks(axis: BrokenAxis, room: Callable[[str], float]) -> list[int]:
    """Indices whose labels do not meet, `room` cells for each: the ends of all segments, then every 1, 2, 5, 10 ..."""
    widest = room(str(max(axis.segments, key=lambda segment: segment[1] - segment[0])[1]))
    step = next((one for one in (1, 2, 5, 10, 20) if widest <= one), 50)
    chosen: list[int] = []
    ends = [index for segment in axis.segments for index in (segment[0], segment[1])]
    for index in dict.fromkeys([*ends, *(one for one in axis.shown if one % step == 0)]):
        half = room(str(index)) / 2
        if all(abs(axis.start(index) - axis.start(one)) >= half + room(str(one)) / 2 for one in chosen):
            chosen.append(index)
    return sorted(chosen)
