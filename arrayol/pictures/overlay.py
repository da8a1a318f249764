"""What lies over the cells of a panel: arrows, pattern indices, and the marks of mistakes; none hides another."""

from __future__ import annotations

from collections.abc import Iterator
from math import gcd, hypot
from typing import TypedDict

from arrayol.pictures.sheet import FAULT, INK, Canvas, Point, height_of, width_of
from arrayol.pictures.tiler import Arrow, Cell, Panel, Touch
from arrayol.pictures.tiler_cells import TICK, Grid

TEXT = 7.5  # points
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
    texts = [_index_text(found[0]) for found in panel.cells.values() if len(found) == 1]
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


def _lane(grid: Grid, arrow: Arrow) -> tuple[Point, Point, Point]:
    """Start and end of an arrow, and the middle of its label beyond the end."""
    group = [one for one in grid.panel.arrows if _direction(one) == _direction(arrow)]
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
        boxes.append(_box(at, arrow.label, TEXT))
        count = int(hypot(x1 - x0, y1 - y0) / 0.03) + 1
        for place in range(count + 1):
            x, y = x0 + (x1 - x0) * place / count, y0 + (y1 - y0) * place / count
            boxes.append((x - 0.012, y - 0.012, x + 0.012, y + 0.012))
    return boxes


def _best_place(grid: Grid, cell: Cell, text: str) -> tuple[Point, int]:
    """The middle of a text near a cell where it covers least, and how many rows off that is."""
    colored = [(*grid.at(one), *grid.far(one)) for one in (*grid.panel.cells, *grid.panel.beyond)]
    taken = _arrow_boxes(grid)

    def weight(place: tuple[Point, int]) -> float:
        box = _box(place[0], text, TEXT)
        covered = sum(_meet(box, one) for one in colored) + 2 * sum(_meet(box, one) for one in taken)
        return covered + 3 * _crosses(box, grid.bounds) + 0.3 * place[1]

    return min(_beside(grid, cell, text), key=weight)


def _beside(grid: Grid, cell: Cell, text: str) -> Iterator[tuple[Point, int]]:
    """Middles of a text to the right, left, below and above a cell, then some rows off to the right, with rows."""
    (x, y), half = grid.middle(cell), width_of(text, TEXT, True) / 2
    left, top, low = *grid.corner, grid.corner[1] + grid.height
    out = grid.side / 2 + 0.07
    yield (x + out + half, y), 0
    if x - out - 2 * half > left:
        yield (x - out - half, y), 0
    for at in (y + out + 0.02, y - out - 0.02):
        if x - half > left and top < at < low:
            yield (x, at), 0
    for steps in (1, -1, 2, -2, 3, -3, 4, -4):
        if top < y + steps * grid.side < low:
            yield (x + out + 0.1 + half, y + steps * grid.side), abs(steps)


def _box(middle: Point, text: str, size: float) -> Box:
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
