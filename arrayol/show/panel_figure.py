"""One panel of a task's picture: title, cells, border, arrows, marks and the axes' indices."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import gcd, hypot
from textwrap import wrap
from typing import TypedDict

from arrayol.polyhedral.points import Point as Index
from arrayol.show.broken_axis import BrokenAxis
from arrayol.show.canvas import FAINT, FAULT, INK, Canvas, Point, height_of, paler, width_of
from arrayol.show.panels import Arrow, Cell, Panel, Touch
from arrayol.show.text import pattern_text, tiler_parts, vector_text

TITLE, TEXT, TICK = 8.5, 7.5, 7.0  # points
GRID_WIDTH, GRID_HEIGHT, LEAST_CELL, LARGEST_CELL = 5.2, 5.6, 0.145, 0.34  # inches
TITLE_CHARACTERS = 68
OPEN_END = 0.8  # cells by which the border goes on where the array has no end
LABELLED_FROM = 0.24  # the side of a cell that has room for a pattern index beside an arrow

Colors = Mapping[Index, str]


class Stroke(TypedDict):
    """How arrows are drawn."""

    color: str
    width: float


PAVING: Stroke = {"color": INK, "width": 1.5}
FITTING: Stroke = {"color": "#1f4fa8", "width": 1.1}


class PanelDrawing:
    """A panel, measured in inches, ready to be drawn."""

    def __init__(self, panel: Panel, colors: Colors) -> None:
        self.panel, self.colors = panel, colors
        self.rows, self.columns = panel.rows, panel.columns
        fitting = min(GRID_WIDTH / self.columns.length, GRID_HEIGHT / self.rows.length)
        self.cell = min(max(fitting, LEAST_CELL), LARGEST_CELL)
        self.lines = _title_lines(panel)
        self.row_ticks = panel.axes[0] is not None
        self.column_ticks = panel.axes[1] is not None
        self.left = 0.08 + (max(width_of(str(one), TICK) for one in self.rows.shown) + 0.26 if self.row_ticks else 0.0)
        self.grid_width, self.grid_height = (
            (axis.length + (OPEN_END if axis.extent is None else 0.0)) * self.cell for axis in (self.columns, self.rows)
        )
        self.top = sum(height_of(size) for _, size, _ in self.lines) + 0.14
        titles = max(width_of(text, size, bold) for text, size, bold in self.lines)
        axis = width_of(_axis_name(panel, 1), TICK) if self.column_ticks else 0.0
        beside = max((width_of(text, TEXT, True) for _, text in panel.marks), default=0.0)  # room for a mark's words
        self.width = max(self.left + max(self.grid_width + beside, axis) + 0.15, titles)
        self.height = self.top + self.grid_height + (0.44 if self.column_ticks else 0.1)
        texts = [_index_text(found[0]) for found in panel.cells.values() if len(found) == 1]
        fits = all(width_of(text, TICK) < 0.92 * self.cell for text in texts)
        self.labelled = any(texts) and fits and self.cell >= LABELLED_FROM

    @property
    def repetitions(self) -> set[Index]:
        """The repetitions that have a cell in this panel."""
        found = (*self.panel.cells.values(), *self.panel.beyond.values())
        return {touch.repetition for touches in found for touch in touches}

    def draw(self, canvas: Canvas, corner: Point) -> None:
        """Draw the panel with its upper left corner at `corner`."""
        y = corner[1]
        for text, size, bold in self.lines:
            color = FAULT if text in self.panel.faults else INK
            canvas.text((corner[0], y + height_of(size) / 2), text, size, bold=bold, color=color)
            y += height_of(size)
        grid = _Grid(self, canvas, (corner[0] + self.left, corner[1] + self.top))
        grid.cells()
        grid.indices()
        grid.lattice()
        grid.border()
        grid.ticks()
        grid.arrows()
        grid.marks()


def _title_lines(panel: Panel) -> list[tuple[str, float, bool]]:
    """Text, size in points and weight of each line above the cells."""
    link = panel.link
    arrow = "->" if link.writes else "<-"
    when = "  where its delay starts" if link.delay is not None else ""
    pattern = pattern_text(link.port, link.array.shape)
    lines = [(f"{link.port.name} {arrow} {link.array.name}   {pattern}{when}", TITLE, True)]
    parts = _joined(tiler_parts(link.tiler))
    remarks = [(part, TEXT, False) for text in (*parts, *_remarks(panel)) for part in wrap(text, TITLE_CHARACTERS)]
    return [*lines, *remarks, *((text, TEXT, True) for text in panel.faults)]


def _joined(parts: Sequence[str]) -> list[str]:
    lines = [parts[0]]
    for part in parts[1:]:
        joined = f"{lines[-1]}  {part}"
        lines = [*lines[:-1], joined] if len(joined) <= TITLE_CHARACTERS else [*lines, part]
    return lines


def _remarks(panel: Panel) -> Iterator[str]:
    """What the drawing leaves out."""
    rank = len(panel.link.array.shape)
    if rank > 2:
        shown = (":" if axis in panel.axes else str(panel.slice[axis]) for axis in range(rank))
        yield f"slice [{', '.join(shown)}], axes {panel.axes[0]} and {panel.axes[1]}"
    limits = [
        f"{name} {_runs(axis)}"
        for name, axis in (("rows", panel.rows), ("columns", panel.columns))
        if len(axis.segments) > 1 or axis.extent is None
    ]
    if limits:
        yield f"shown: {', '.join(limits)}" if rank > 1 else f"shown: {_runs(panel.columns)}"
    if panel.pattern != tuple(panel.link.port.shape):
        yield f"of each pattern the first {' x '.join(map(str, panel.pattern))} elements"
    if panel.missing:
        yield f"not drawn here: r = {', '.join(map(vector_text, panel.missing))}"
    if panel.still:
        verb = "does" if len(panel.still) == 1 else "do"
        yield f"{', '.join(panel.still)} {verb} not move {'along these axes' if rank > 2 else 'in this array'}"


def _runs(axis: BrokenAxis) -> str:
    texts = [str(first) if first == last else f"{first} to {last}" for first, last in axis.segments]
    return " and ".join([", ".join(texts[:-1]), texts[-1]]) if len(texts) > 1 else texts[0]


def _axis_name(panel: Panel, side: int) -> str:
    rank = len(panel.link.array.shape)
    name = "index" if rank == 1 else ("row", "column")[side]
    return f"{name} (axis {panel.axes[side]})" if rank > 1 else name


def _index_text(touch: Touch) -> str:
    return ",".join(map(str, touch.index))


Box = tuple[float, float, float, float]  # left, top, right, bottom


def _box(middle: Point, text: str, size: float) -> Box:
    half, high = width_of(text, size, True) / 2, height_of(size) / 2.6
    return middle[0] - half, middle[1] - high, middle[0] + half, middle[1] + high


def _meet(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


class _Grid:
    """The cells of a panel at their place on the sheet."""

    def __init__(self, drawing: PanelDrawing, canvas: Canvas, corner: Point) -> None:
        self.drawing, self.canvas, self.corner = drawing, canvas, corner
        self.panel, self.side = drawing.panel, drawing.cell
        self.rows, self.columns = drawing.rows, drawing.columns

    def at(self, cell: Cell) -> Point:
        """The upper left corner of a cell."""
        x, y = self.columns.start(cell[1]), self.rows.start(cell[0])
        return self.corner[0] + x * self.side, self.corner[1] + y * self.side

    def middle(self, cell: Cell) -> Point:
        x, y = self.at(cell)
        return x + self.side / 2, y + self.side / 2

    def cells(self) -> None:
        """Colour what the repetitions touch; cells of several are split, those of a wrap hatched."""
        for cell, touches in self.panel.beyond.items():
            colors = {touch.repetition: paler(self.drawing.colors[touch.repetition]) for touch in touches}
            self._bands(cell, colors, hatched=False)
            self.canvas.cell(self.at(cell), (self.side, self.side), edge=FAINT, width=0.7, dashed=True, above=1.2)
        for cell, touches in self.panel.cells.items():
            colors = {touch.repetition: self.drawing.colors[touch.repetition] for touch in touches}
            self._bands(cell, colors, hatched=any(touch.wrapped for touch in touches))

    def indices(self) -> None:
        """The pattern index in each cell of one repetition, but for those below an arrow's label."""
        taken = self._arrow_boxes()
        for cell, touches in self.panel.cells.items() if self.drawing.labelled else ():
            x, y = self.middle(cell)
            text = _index_text(touches[0])
            at = (x + 0.43 * self.side, y + 0.5 * self.side - height_of(TICK) / 2)  # the middle is for arrows
            box = _box((at[0] - width_of(text, TICK) / 2, at[1]), text, TICK)
            if len(touches) == 1 and not any(_meet(box, other) for other in taken):
                self.canvas.text(at, text, TICK, align="right", above=3)

    def _bands(self, cell: Cell, colors: Colors, *, hatched: bool) -> None:
        """Bands of several colours run along the pattern, so that they join from cell to cell."""
        x, y = self.at(cell)
        band = self.side / len(colors)
        for place, color in enumerate(colors.values()):
            if self.panel.lies_along_rows:
                self.canvas.cell((x, y + place * band), (self.side, band), fill=color, hatched=hatched)
            else:
                self.canvas.cell((x + place * band, y), (band, self.side), fill=color, hatched=hatched)

    def lattice(self) -> None:
        """Thin lines between the cells of the array."""
        for rows in _runs_inside(self.rows):
            for columns in _runs_inside(self.columns):
                left, top = self.at((rows[0], columns[0]))
                right, low = self._far((rows[1], columns[1]))
                for row in range(rows[0] + 1, rows[1] + 1):
                    y = self.at((row, columns[0]))[1]
                    self.canvas.line([(left, y), (right, y)], color="0.78", width=0.4)
                for column in range(columns[0] + 1, columns[1] + 1):
                    x = self.at((rows[0], column))[0]
                    self.canvas.line([(x, top), (x, low)], color="0.78", width=0.4)

    def _far(self, cell: Cell) -> Point:
        x, y = self.at(cell)
        return x + self.side, y + self.side

    def border(self) -> None:
        """The array's bounds; dotted in gaps, open where it has no end."""
        rows, columns = _runs_inside(self.rows), _runs_inside(self.columns)
        left, top = self.at((rows[0][0], columns[0][0]))
        right, low = self._far((rows[-1][1], columns[-1][1]))
        open_right = self.side * OPEN_END if self.columns.extent is None else 0.0
        open_low = self.side * OPEN_END if self.rows.extent is None else 0.0
        xs = [(self.at((rows[0][0], first))[0], self._far((rows[0][0], last))[0]) for first, last in columns]
        ys = [(self.at((first, columns[0][0]))[1], self._far((last, columns[0][0]))[1]) for first, last in rows]
        for y in (top,) if open_low else (top, low):
            self._edge([((x0, y), (x1, y)) for x0, x1 in xs], (right + open_right, y) if open_right else None)
        for x in (left,) if open_right else (left, right):
            self._edge([((x, y0), (x, y1)) for y0, y1 in ys], (x, low + open_low) if open_low else None)

    def _edge(self, runs: Sequence[tuple[Point, Point]], on: Point | None) -> None:
        for start, end in runs:
            self.canvas.line([start, end], color=INK, width=1.4, above=3)
        ends = [*(start for start, _ in runs[1:]), *([on] if on else [])]
        for (_, end), start in zip(runs, ends, strict=False):
            self.canvas.line([end, start], color=INK, width=1.2, dotted=True, above=3)

    def ticks(self) -> None:
        """Indices where there is room: the ends of each run first, then the others."""
        x, y = self.corner
        low = y + self.drawing.grid_height
        if self.drawing.column_ticks:
            for index in _ticks(self.columns, lambda text: width_of(text, TICK) / self.side + 0.35):
                self.canvas.text((self.middle((self.rows.shown[0], index))[0], low + 0.1), str(index), TICK,
                                 color=self._tick_color(self.columns, index), align="center")  # fmt: skip
            at = (x + self.drawing.grid_width / 2, low + 0.26)
            centred = self.drawing.grid_width > width_of(_axis_name(self.panel, 1), TICK)
            self.canvas.text(at if centred else (x, at[1]), _axis_name(self.panel, 1), TICK, color=FAINT,
                             align="center" if centred else "left")  # fmt: skip
        if self.drawing.row_ticks:
            for index in _ticks(self.rows, lambda _: height_of(TICK) / self.side):
                self.canvas.text((x - 0.05, self.middle((index, self.columns.shown[0]))[1]), str(index), TICK,
                                 color=self._tick_color(self.rows, index), align="right")  # fmt: skip
            self.canvas.text((x - self.drawing.left + 0.08, y + self.drawing.grid_height / 2),
                             _axis_name(self.panel, 0), TICK, color=FAINT, align="center", upright=True)  # fmt: skip

    def _tick_color(self, axis: BrokenAxis, index: int) -> str:
        return INK if axis.inside(index) else FAULT if not self.panel.link.tiler.wrap else FAINT

    def arrows(self) -> None:
        """The origin and the vectors from it; those of one direction lie side by side."""
        for arrow in self.panel.arrows:
            start, end, at = self._stroke(arrow)
            stroke = PAVING if arrow.label[0] == "r" else FITTING
            self.canvas.arrow(start, end, **stroke)
            self.canvas.text(
                at, arrow.label, TEXT, bold=True, color=stroke["color"], align="center", halo=True, above=8
            )
        self.canvas.dot(self.middle(self.panel.origin))

    def _stroke(self, arrow: Arrow) -> tuple[Point, Point, Point]:
        """Start and end of an arrow, and the middle of its label beyond the end."""
        group = [one for one in self.panel.arrows if _direction(one) == _direction(arrow)]
        lane = group.index(arrow) - (len(group) - 1) / 2
        shift = lane * max(0.34 * self.side, 0.07) / max(len(group) - 1, 1)
        (x0, y0), (x1, y1) = self.middle(arrow.start), self.middle(arrow.end)
        length = hypot(x1 - x0, y1 - y0)
        dx, dy = (x1 - x0) / length, (y1 - y0) / length
        start, end = (x0 - dy * shift, y0 + dx * shift), (x1 - dy * shift, y1 + dx * shift)
        out = 0.02 + width_of(arrow.label, TEXT, True) / 2 * abs(dx) + 0.07 * abs(dy)
        across = (0.02 + 0.04 * abs(dy)) * ((lane > 0) - (lane < 0))  # labels are wider than high
        x, y = end[0] + out * dx - across * dy, end[1] + out * dy + across * dx
        least = self.corner[0] + width_of(arrow.label, TEXT, True) / 2 + 0.02, self.corner[1] + 0.065
        return start, end, (max(x, least[0]), max(y, least[1]))

    def _arrow_boxes(self) -> list[Box]:
        """What arrows and their labels cover, in small boxes."""
        boxes = []
        for arrow in self.panel.arrows:
            (x0, y0), (x1, y1), at = self._stroke(arrow)
            boxes.append(_box(at, arrow.label, TEXT))
            count = int(hypot(x1 - x0, y1 - y0) / 0.03) + 1
            for place in range(count + 1):
                x, y = x0 + (x1 - x0) * place / count, y0 + (y1 - y0) * place / count
                boxes.append((x - 0.012, y - 0.012, x + 0.012, y + 0.012))
        return boxes

    def marks(self) -> None:
        """The element of a mistake, framed in red with a few words on the side where they cover least."""
        colored = [(*self.at(cell), *self._far(cell)) for cell in (*self.panel.cells, *self.panel.beyond)]
        taken = self._arrow_boxes()
        for cell, text in self.panel.marks:
            self.canvas.cell(self.at(cell), (self.side, self.side), edge=FAULT, width=2.0, above=8)
            places = list(self._beside(cell, text))
            boxes = [_box(at, text, TEXT) for at, _ in places]
            weights = [
                sum(_meet(box, one) for one in colored)
                + 2 * sum(_meet(box, one) for one in taken)
                + 3 * self._crosses_border(box)
                + 0.3 * steps
                for box, (_, steps) in zip(boxes, places, strict=True)
            ]
            at, steps = places[weights.index(min(weights))]
            if steps:
                x, y = self.middle(cell)
                end = (at[0] - width_of(text, TEXT, True) / 2 - 0.02, at[1])
                self.canvas.line([(x + self.side / 2, y), end], color=FAULT, width=0.9, above=8)
            self.canvas.text(at, text, TEXT, bold=True, color=FAULT, align="center", halo=True, above=9)

    def _beside(self, cell: Cell, text: str) -> Iterator[tuple[Point, int]]:
        """Middles of a text to the right, left, below and above a cell, then some rows off to the right, with rows."""
        (x, y), half = self.middle(cell), width_of(text, TEXT, True) / 2
        top, low = self.corner[1], self.corner[1] + self.drawing.grid_height
        out = self.side / 2 + 0.07
        yield (x + out + half, y), 0
        if x - out - 2 * half > self.corner[0]:
            yield (x - out - half, y), 0
        for at in (y + out + 0.02, y - out - 0.02):
            if x - half > self.corner[0] and top < at < low:
                yield (x, at), 0
        for steps in (1, -1, 2, -2, 3, -3, 4, -4):
            if top < y + steps * self.side < low:
                yield (x + out + 0.1 + half, y + steps * self.side), abs(steps)

    def _crosses_border(self, box: Box) -> bool:
        runs = [_runs_inside(axis) for axis in (self.rows, self.columns)]
        left, top = self.at((runs[0][0][0], runs[1][0][0]))
        right, low = self._far((runs[0][-1][1], runs[1][-1][1]))
        return any(box[0] < x < box[2] for x in (left, right)) or any(box[1] < y < box[3] for y in (top, low))


def _runs_inside(axis: BrokenAxis) -> list[tuple[int, int]]:
    """The segments of an axis cut to the array; index 0 is always shown."""
    last = axis.extent - 1 if axis.extent is not None else None
    runs = [(max(first, 0), end if last is None else min(end, last)) for first, end in axis.segments]
    return [(first, end) for first, end in runs if first <= end]


def _direction(arrow: Arrow) -> tuple[int, int]:
    rows, columns = arrow.end[0] - arrow.start[0], arrow.end[1] - arrow.start[1]
    return rows // gcd(rows, columns), columns // gcd(rows, columns)


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
