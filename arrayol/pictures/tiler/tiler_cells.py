"""The cells of a panel at their place on the sheet, and what lies over them: arrows, pattern indices, marks.

Nothing that lies over the cells hides another: arrows of one direction lie side by side, an index below an arrow is
left out, and the words of a mistake stand where they cover least.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import gcd, hypot
from typing import TypedDict

from arrayol.pictures.sheet import FAINT, FAULT, HALO, INK, POINTS, Canvas, Position, height_of, paler, width_of
from arrayol.pictures.tiler.tiler import Arrow, BrokenAxis, Cell, Panel, Touch
from arrayol.polyhedral.isl import Point

TICK = 7.0  # points
TICK_SPACE = 0.44  # inches below the cells for indices and the axis' name
OPEN_END = 0.8  # cells by which the border goes on where the array has no end

Colors = Mapping[Point, str]


@dataclass(frozen=True)
class Grid:
    """A panel's cells, `side` inches each, with the upper left one at `corner`."""

    panel: Panel
    side: float
    corner: Position = (0.0, 0.0)

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

    def at(self, cell: Cell) -> Position:
        """The upper left corner of a cell."""
        x, y = self.panel.columns.start(cell[1]), self.panel.rows.start(cell[0])
        return self.corner[0] + x * self.side, self.corner[1] + y * self.side

    def middle(self, cell: Cell) -> Position:
        """The middle of a cell."""
        x, y = self.at(cell)
        return x + self.side / 2, y + self.side / 2

    def far(self, cell: Cell) -> Position:
        """The lower right corner of a cell."""
        x, y = self.at(cell)
        return x + self.side, y + self.side

    def _length(self, axis: BrokenAxis) -> float:
        return (axis.length + (OPEN_END if axis.extent is None else 0.0)) * self.side


def draw_cells(canvas: Canvas, grid: Grid, colors: Colors) -> None:
    """Colour what the repetitions touch; cells of several are split, those of a wrap or border hatched."""
    for cell, touches in grid.panel.beyond.items():
        shades = {touch.repetition: paler(colors[touch.repetition]) for touch in touches}
        _bands(canvas, grid, cell, shades, hatched=False)
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


def _edge(canvas: Canvas, runs: Sequence[tuple[Position, Position]], on: Position | None) -> None:
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
    return FAINT if panel.link.tiler.wrap or panel.link.tiler.border else FAULT


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
    step = next((step for step in (1, 2, 5, 10, 20) if widest <= step), 50)
    chosen: list[int] = []
    ends = [index for segment in axis.segments for index in segment]
    for index in dict.fromkeys([*ends, *(index for index in axis.shown if index % step == 0)]):
        half = room(str(index)) / 2
        if all(abs(axis.start(index) - axis.start(other)) >= half + room(str(other)) / 2 for other in chosen):
            chosen.append(index)
    return sorted(chosen)


# What lies over the cells.

TEXT = 7.5  # points
_CLEAR = HALO / POINTS + 0.01  # inches around the label of an arrow: its halo, and a gap
LABELLED_FROM = 0.24  # inches: the side of a cell that has room for a pattern index beside an arrow

Box = tuple[float, float, float, float]  # left, top, right, bottom


class Stroke(TypedDict):
    """How arrows are drawn."""

    color: str
    width: float


PAVING: Stroke = {"color": INK, "width": 1.5}
FITTING: Stroke = {"color": "#1f4fa8", "width": 1.1}


def has_room_for_indices(panel: Panel, side: float) -> bool:
    """Whether the pattern indices of all cells of one repetition are readable."""
    texts = [_index_text(touches[0]) for touches in panel.cells.values() if len(touches) == 1]
    return side >= LABELLED_FROM and any(texts) and all(width_of(text, TICK) < 0.92 * side for text in texts)


def draw_indices(canvas: Canvas, grid: Grid) -> None:
    """The pattern index in each cell of one repetition, but for those below an arrow."""
    taken = _arrow_boxes(grid)
    for cell, touches in grid.panel.cells.items():
        x, y = grid.middle(cell)
        text = _index_text(touches[0])
        at = (x + 0.43 * grid.side, y + 0.5 * grid.side - height_of(TICK) / 2)  # the middle is for arrows
        box = _box((at[0] - width_of(text, TICK) / 2, at[1]), text, TICK)
        if len(touches) == 1 and not any(_meet(box, other) for other in taken):
            canvas.text(at, text, TICK, align="right", above=3)


def draw_arrows(canvas: Canvas, grid: Grid) -> None:
    """The origin and the vectors from it; those of one direction lie side by side."""
    for arrow in grid.panel.arrows:
        start, end, at = _lane(grid, arrow)
        stroke = PAVING if arrow.label[0] == "r" else FITTING
        canvas.arrow(start, end, **stroke)
        canvas.text(at, arrow.label, TEXT, bold=True, color=stroke["color"], align="center", halo=True, above=8)
    canvas.dot(grid.middle(grid.panel.origin))


def draw_marks(canvas: Canvas, grid: Grid) -> None:
    """The element of each mistake, framed in red, with a few words where they cover least."""
    for cell, text in grid.panel.marks:
        canvas.cell(grid.at(cell), (grid.side, grid.side), edge=FAULT, width=2.0, above=8)
        at, steps = _best_place(grid, cell, text)
        if steps:
            x, y = grid.middle(cell)
            end = (at[0] - width_of(text, TEXT, True) / 2 - 0.02, at[1])
            canvas.line([(x + grid.side / 2, y), end], color=FAULT, width=0.9, above=8)
        canvas.text(at, text, TEXT, bold=True, color=FAULT, align="center", halo=True, above=9)


def _lane(grid: Grid, arrow: Arrow) -> tuple[Position, Position, Position]:
    """Start and end of an arrow, and the middle of its label beyond the end."""
    group = [other for other in grid.panel.arrows if _direction(other) == _direction(arrow)]
    lane = group.index(arrow) - (len(group) - 1) / 2
    shift = lane * max(0.34 * grid.side, 0.07) / max(len(group) - 1, 1)
    (x0, y0), (x1, y1) = grid.middle(arrow.start), grid.middle(arrow.end)
    length = hypot(x1 - x0, y1 - y0)
    dx, dy = (x1 - x0) / length, (y1 - y0) / length
    start, end = (x0 - dy * shift, y0 + dx * shift), (x1 - dy * shift, y1 + dx * shift)
    half = width_of(arrow.label, TEXT, True) / 2
    out = 0.02 + half * abs(dx) + 0.07 * abs(dy)
    across = (0.02 + 0.04 * abs(dy)) * ((lane > 0) - (lane < 0))  # labels are wider than high
    x, y = end[0] + out * dx - across * dy, end[1] + out * dy + across * dx
    return start, end, (max(x, grid.corner[0] + half + 0.02), max(y, grid.corner[1] + 0.065))


def _direction(arrow: Arrow) -> tuple[int, int]:
    rows, columns = arrow.end[0] - arrow.start[0], arrow.end[1] - arrow.start[1]
    return rows // gcd(rows, columns), columns // gcd(rows, columns)


def _arrow_boxes(grid: Grid) -> list[Box]:
    """What arrows and their labels cover, in small boxes."""
    boxes = []
    for arrow in grid.panel.arrows:
        (x0, y0), (x1, y1), at = _lane(grid, arrow)
        left, top, right, low = _box(at, arrow.label, TEXT)
        boxes.append((left - _CLEAR, top - _CLEAR, right + _CLEAR, low + _CLEAR))
        count = int(hypot(x1 - x0, y1 - y0) / 0.03) + 1
        for place in range(count + 1):
            x, y = x0 + (x1 - x0) * place / count, y0 + (y1 - y0) * place / count
            boxes.append((x - 0.012, y - 0.012, x + 0.012, y + 0.012))
    return boxes


def _best_place(grid: Grid, cell: Cell, text: str) -> tuple[Position, int]:
    """The middle of a text near a cell where it covers least, and how many rows off that is."""
    colored = [(*grid.at(touched), *grid.far(touched)) for touched in (*grid.panel.cells, *grid.panel.beyond)]
    taken = _arrow_boxes(grid)

    def weight(place: tuple[Position, int]) -> float:
        box = _box(place[0], text, TEXT)
        covered = sum(_meet(box, other) for other in colored) + 2 * sum(_meet(box, other) for other in taken)
        return covered + 3 * _crosses(box, grid.bounds) + 0.3 * place[1]

    return min(_label_positions(grid, cell, text), key=weight)


def _label_positions(grid: Grid, cell: Cell, text: str) -> Iterator[tuple[Position, int]]:
    """Middles of a text to the right, left, below and above a cell, then some rows off to the right, with rows.

    Above the first row of cells there is room between the array and its tiler.
    """
    (x, y), half = grid.middle(cell), width_of(text, TEXT, True) / 2
    left, top, low = *grid.corner, grid.corner[1] + grid.height
    out = grid.side / 2 + 0.07
    yield (x + out + half, y), 0
    if x - out - 2 * half > left:
        yield (x - out - half, y), 0
    for at in (y + out + 0.02, y - out - 0.02):
        if x - half > left and top < at < low:
            yield (x, at), 0
    if y - grid.side < top:
        yield (max(x, left + half), top - height_of(TEXT) / 2 - 0.02), 0
    for steps in (1, -1, 2, -2, 3, -3, 4, -4):
        if top < y + steps * grid.side < low:
            yield (x + out + 0.1 + half, y + steps * grid.side), abs(steps)


def _box(middle: Position, text: str, size: float) -> Box:
    half, high = width_of(text, size, True) / 2, height_of(size) / 2.6
    return middle[0] - half, middle[1] - high, middle[0] + half, middle[1] + high


def _meet(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _crosses(box: Box, bounds: Box) -> bool:
    """Whether a box lies across one of the lines at the bounds."""
    left, top, right, low = box
    return any(left < x < right for x in bounds[::2]) or any(top < y < low for y in bounds[1::2])


def _index_text(touch: Touch) -> str:
    return ",".join(map(str, touch.index))
