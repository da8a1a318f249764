"""Before and after a transformation: which repetition writes each element of small arrays; draws with matplotlib."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from arrayol.pictures.palette import CELLS
from arrayol.pictures.sheet import FAINT, INK, Canvas, width_of

Cell = tuple[int, int]
Writer = tuple[int, int]  # the number of a block, and of a repetition inside it

SIDE = 0.24  # inches of a cell
GAP, ARROW, MARGIN = 0.35, 0.9, 0.2
TITLE, NOTE, NUMBER = 9.0, 7.0, 6.0  # points


@dataclass(frozen=True)
class ArrayShown:
    """A small array of two dimensions: for each element who writes it, several where it is computed anew."""

    title: str
    note: str
    shape: tuple[int, int]
    writers: Mapping[Cell, Sequence[Writer]]

    @property
    def width(self) -> float:
        """Inches of the cells or of the texts above them."""
        return max(self.shape[1] * SIDE, width_of(self.title, TITLE, bold=True), width_of(self.note, NOTE))

    @property
    def height(self) -> float:
        """Inches with the texts."""
        return self.shape[0] * SIDE + 0.5


def draw_steps(step: str, before: Sequence[ArrayShown], after: Sequence[ArrayShown]) -> Canvas:
    """Arrays below each other: on the left as they were written, on the right as they are after the step.

    A colour is a block: a repetition of the outermost task. Thick lines part blocks, thin ones the repetitions inside
    them; an element that is computed several times has a band for each of these blocks and their number.
    """
    widths = [max(array.width for array in side) for side in (before, after)]
    arrow = max(ARROW, width_of(step, NOTE) + 0.3)
    height = max(sum(array.height + GAP for array in side) for side in (before, after))
    canvas = Canvas(sum(widths) + arrow + 2 * MARGIN, height - GAP + 2 * MARGIN)
    for left, side in ((MARGIN, before), (MARGIN + widths[0] + arrow, after)):
        top = MARGIN
        for array in side:
            _draw_array(canvas, array, left, top)
            top += array.height + GAP
    middle, start = (height - GAP + 2 * MARGIN) / 2, MARGIN + widths[0] + 0.12
    canvas.text((start + (arrow - 0.24) / 2, middle - 0.13), step, NOTE, align="center")
    canvas.arrow((start, middle), (start + arrow - 0.24, middle), color=INK, width=1.0)
    return canvas


def _draw_array(canvas: Canvas, array: ArrayShown, left: float, top: float) -> None:
    canvas.text((left, top + 0.1), array.title, TITLE, bold=True)
    canvas.text((left, top + 0.3), array.note, NOTE, color=FAINT)
    corner = (left, top + 0.46)
    for cell in product(*map(range, array.shape)):
        at = (corner[0] + cell[1] * SIDE, corner[1] + cell[0] * SIDE)
        _draw_cell(canvas, at, array.writers.get((cell[0], cell[1]), ()))
    _draw_lines(canvas, array, corner)


def _draw_cell(canvas: Canvas, at: tuple[float, float], writers: Sequence[Writer]) -> None:
    blocks = list(dict.fromkeys(block for block, _ in writers))
    for place, block in enumerate(blocks):
        band = SIDE / len(blocks)
        canvas.cell((at[0] + place * band, at[1]), (band, SIDE), fill=CELLS[block % len(CELLS)])
    if len(writers) > 1:
        canvas.text((at[0] + SIDE / 2, at[1] + SIDE / 2), str(len(writers)), NUMBER, align="center")


def _draw_lines(canvas: Canvas, array: ArrayShown, corner: tuple[float, float]) -> None:
    """Lines between neighbours that other repetitions write, and around the array."""
    rows, columns = array.shape
    for row, column in product(range(rows + 1), range(columns + 1)):
        here = array.writers.get((row, column), ())
        x, y = corner[0] + column * SIDE, corner[1] + row * SIDE
        if column < columns:
            _line(canvas, (x, y), (x + SIDE, y), array.writers.get((row - 1, column), ()), here)
        if row < rows:
            _line(canvas, (x, y), (x, y + SIDE), array.writers.get((row, column - 1), ()), here)


def _line(
    canvas: Canvas,
    start: tuple[float, float],
    end: tuple[float, float],
    one: Sequence[Writer],
    other: Sequence[Writer],
) -> None:
    if {block for block, _ in one} != {block for block, _ in other}:
        canvas.line([start, end], color=INK, width=1.3, above=4)
    elif set(one) != set(other):
        canvas.line([start, end], color=FAINT, width=0.6, above=3)
