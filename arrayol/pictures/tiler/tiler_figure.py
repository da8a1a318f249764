"""The picture of a repetitive task's tilers: a panel per link, and what the colours and arrows mean."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from textwrap import wrap

from arrayol.ir.network import Process
from arrayol.pictures.sheet import FAINT, FAULT, INK, Canvas, Position, height_of, our_colors, width_of
from arrayol.pictures.text import delay_text, heading_text, pattern_text, tiler_parts
from arrayol.pictures.tiler.tiler import BrokenAxis, Panel, first_repetitions, panel_of
from arrayol.pictures.tiler.tiler_cells import (
    FITTING,
    PAVING,
    TEXT,
    TICK,
    TICK_SPACE,
    Colors,
    Grid,
    axis_name,
    draw_arrows,
    draw_border,
    draw_cells,
    draw_indices,
    draw_lattice,
    draw_marks,
    draw_ticks,
    has_room_for_indices,
)
from arrayol.pictures.tiler.tiler_faults import Linked, TilerFault
from arrayol.polyhedral.isl import Point
from arrayol.text import listed

# The lines above a panel: its link, its tiler, and what the drawing leaves out.

CHARACTERS = 68  # to a line


def heading(panel: Panel) -> str:
    """`x <- src   f32[4] of [1080, 1920]`."""
    link = panel.link
    arrow = "->" if link.writes else "<-"
    when = "" if link.delay is None else "  where its exit leaves" if link.writes else "  where its delay starts"
    return f"{link.port.name} {arrow} {link.array.name}   {pattern_text(link.port, link.array.shape)}{when}"


def remarks(panel: Panel) -> list[str]:
    """The tiler, then what is not in the drawing."""
    lines = [*_filled(tiler_parts(panel.link.tiler)), *_left_out(panel)]
    return [part for line in lines for part in wrap(line, CHARACTERS)]


def _filled(parts: Sequence[str]) -> list[str]:
    lines = [parts[0]]
    for part in parts[1:]:
        joined = f"{lines[-1]}  {part}"
        lines = [*lines[:-1], joined] if len(joined) <= CHARACTERS else [*lines, part]
    return lines


def _left_out(panel: Panel) -> Iterator[str]:
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
        yield f"not drawn here: r = {', '.join(str(list(repetition)) for repetition in panel.missing)}"
    if panel.still:
        verb = "does" if len(panel.still) == 1 else "do"
        yield f"{', '.join(panel.still)} {verb} not move {'along these axes' if rank > 2 else 'in this array'}"


def _runs(axis: BrokenAxis) -> str:
    return listed([str(first) if first == last else f"{first} to {last}" for first, last in axis.segments])


# One panel of a task's picture: the lines above the cells, the cells, and what lies over them.

HEADING = 8.5  # points
WIDTH, HEIGHT, LEAST_CELL, LARGEST_CELL = 5.2, 5.6, 0.145, 0.34  # inches: of all cells at most, and of one


class PanelDrawing:
    """A panel, measured in inches, ready to be drawn."""

    def __init__(self, panel: Panel, colors: Colors) -> None:
        self.panel, self.colors = panel, colors
        side = min(WIDTH / panel.columns.length, HEIGHT / panel.rows.length)
        self.grid = Grid(panel, min(max(side, LEAST_CELL), LARGEST_CELL))
        self.labelled = has_room_for_indices(panel, self.grid.side)
        told = [(text, TEXT, False, INK) for text in remarks(panel)]
        wrong = [(text, TEXT, True, FAULT) for text in panel.faults]
        self.lines = [(heading(panel), HEADING, True, INK), *told, *wrong]
        self.top = sum(height_of(size) for _, size, _, _ in self.lines) + 0.14

    @property
    def width(self) -> float:
        """Inches; a mark's words may stand to the right of all cells."""
        titles = max(width_of(text, size, bold) for text, size, bold, _ in self.lines)
        words = max((width_of(text, TEXT, True) for _, text in self.panel.marks), default=0.0)
        name = width_of(axis_name(self.panel, 1), TICK) if self.panel.axes[1] is not None else 0.0
        return max(titles, self.grid.margin + max(self.grid.width + words, name) + 0.15)

    @property
    def height(self) -> float:
        """Inches."""
        return self.top + self.grid.height + (TICK_SPACE if self.panel.axes[1] is not None else 0.1)

    @property
    def repetitions(self) -> set[Point]:
        """The repetitions that have a cell in this panel."""
        cells = (*self.panel.cells.values(), *self.panel.beyond.values())
        return {touch.repetition for touches in cells for touch in touches}

    def draw(self, canvas: Canvas, corner: Position) -> None:
        """Draw the panel with its upper left corner at `corner`."""
        y = corner[1]
        for text, size, bold, color in self.lines:
            canvas.text((corner[0], y + height_of(size) / 2), text, size, bold=bold, color=color)
            y += height_of(size)
        grid = replace(self.grid, corner=(corner[0] + self.grid.margin, corner[1] + self.top))
        draw_cells(canvas, grid, self.colors)
        if self.labelled:
            draw_indices(canvas, grid)
        draw_lattice(canvas, grid)
        draw_border(canvas, grid)
        draw_ticks(canvas, grid)
        draw_arrows(canvas, grid)
        draw_marks(canvas, grid)


PAGE, LEGEND, MARGIN, GAP = 12.5, 6.5, 0.25, 0.4
TITLE, TEXT_SIZE = 11.0, 7.5
STROKES = {"paving": PAVING, "fitting": FITTING}
SAMPLE = 0.16  # the side of a colour's sample


def draw_task(
    process: Process, links: Sequence[Linked], faults: Sequence[TilerFault], messages: Sequence[str] = ()
) -> Canvas:
    """The tilers of a process; `messages` are what else is wrong with it, told in red below the title."""
    repetitions = first_repetitions(process.repetition, links)
    guilty = [repetition for fault in faults for _, repetition in fault.repetitions]
    colors = our_colors(list(dict.fromkeys([*repetitions, *guilty])))
    drawings = [PanelDrawing(panel_of(link, number, repetitions, faults), colors) for number, link in enumerate(links)]
    rows = _rows(drawings)
    used = [repetition for repetition in colors if any(repetition in drawing.repetitions for drawing in drawings)]
    panels_width = max((sum(drawing.width + GAP for drawing in row) - GAP for row in rows), default=0.0)
    legend = _legend_lines(drawings, used, max(panels_width, LEGEND))
    notes = [delay_text(delay) for delay in process.delays]
    heads = [heading_text(process), *notes, *messages]
    widths = [panels_width, *(_line_width(line) for line in legend)]
    widths += [width_of(heads[0], TITLE, True), *(width_of(text, TEXT_SIZE) for text in heads[1:])]
    top = MARGIN + 0.35 + (len(heads) - 1) * height_of(TEXT_SIZE) + 0.1
    height = top + sum(max(drawing.height for drawing in row) + GAP for row in rows) + len(legend) * 0.26 + MARGIN
    canvas = Canvas(max(widths) + 2 * MARGIN, height)
    canvas.text((MARGIN, MARGIN + 0.08), heads[0], TITLE, bold=True)
    for place, text in enumerate(heads[1:]):
        at = (MARGIN, MARGIN + 0.35 + place * height_of(TEXT_SIZE))
        canvas.text(at, text, TEXT_SIZE, color=FAULT if place >= len(notes) else INK)
    for row in rows:
        left = MARGIN
        for drawing in row:
            drawing.draw(canvas, (left, top))
            left += drawing.width + GAP
        top += max(drawing.height for drawing in row) + GAP
    for line in legend:
        _draw_legend(canvas, line, top, colors)
        top += 0.26
    return canvas


def _rows(drawings: Sequence[PanelDrawing]) -> list[list[PanelDrawing]]:
    """Panels side by side as far as the page is wide."""
    rows: list[list[PanelDrawing]] = []
    left = 0.0
    for drawing in drawings:
        if not rows or left + drawing.width > PAGE:
            rows.append([])
            left = 0.0
        rows[-1].append(drawing)
        left += drawing.width + GAP
    return rows


Sample = tuple[Point | str, str]  # a repetition or the name of a sign, and its meaning


def _legend_lines(drawings: Sequence[PanelDrawing], repetitions: Sequence[Point], page: float) -> list[list[Sample]]:
    samples: list[Sample] = [(repetition, f"r = {list(repetition)}") for repetition in repetitions]
    panels = [drawing.panel for drawing in drawings]
    samples.append(("origin", "origin"))
    labels = {arrow.label[0] for panel in panels for arrow in panel.arrows}
    if "r" in labels:
        samples.append(("paving", "paving: one step of r0, r1 ..."))
    if "f" in labels:
        samples.append(("fitting", "fitting: one step of f0, f1 ..."))
    cells = [touches for panel in panels for touches in panel.cells.values()]
    if any(len({touch.repetition for touch in touches}) > 1 for touches in cells):
        samples.append(("shared", "of several repetitions"))
    elsewhere = {bool(panel.link.tiler.border) for panel in panels if _has_wrapped(panel)}
    if elsewhere:
        ways = [way for border, way in ((False, "wrapped"), (True, "repeated by a border")) if border in elsewhere]
        samples.append(("wrapped", " or ".join(ways)))
    if any(panel.beyond for panel in panels):
        samples.append(("beyond", "outside the array"))
    if any(drawing.labelled for drawing in drawings):
        samples.append(("index", "pattern index f"))
    if any(panel.marks for panel in panels):
        samples.append(("fault", "mistake"))
    lines: list[list[Sample]] = [[]]
    for sample in samples:
        if lines[-1] and _line_width([*lines[-1], sample]) > page:
            lines.append([])
        lines[-1].append(sample)
    return lines


def _has_wrapped(panel: Panel) -> bool:
    return any(touch.wrapped for touches in panel.cells.values() for touch in touches)


def _line_width(line: Sequence[Sample]) -> float:
    return sum(_sample_width(sample) for sample in line)


def _sample_width(sample: Sample) -> float:
    wide = 0.34 if sample[0] in STROKES else SAMPLE
    return wide + 0.07 + width_of(sample[1], TEXT_SIZE) + 0.22


def _draw_legend(canvas: Canvas, line: Sequence[Sample], top: float, colors: Colors) -> None:
    left, middle = MARGIN, top + SAMPLE / 2
    for sample in line:
        key, text = sample
        at, size = (left, top), (SAMPLE, SAMPLE)
        if not isinstance(key, str):
            canvas.cell(at, size, fill=colors[key], edge="0.6", width=0.5)
        elif key in STROKES:
            canvas.arrow((left, middle), (left + 0.34, middle), **STROKES[key])
        else:
            _draw_sign(canvas, key, (left, top), colors)
        canvas.text((left + _sample_width(sample) - 0.22 - width_of(text, TEXT_SIZE), middle), text, TEXT_SIZE)
        left += _sample_width(sample)


def _draw_sign(canvas: Canvas, key: str, corner: tuple[float, float], colors: Colors) -> None:
    shades = list(dict.fromkeys(colors.values()))
    first, second = shades[0], shades[-1] if len(shades) < 2 else shades[1]
    (x, y), size = corner, (SAMPLE, SAMPLE)
    if key == "origin":
        canvas.dot((x + SAMPLE / 2, y + SAMPLE / 2))
    elif key == "shared":
        canvas.cell(corner, (SAMPLE / 2, SAMPLE), fill=first)
        canvas.cell((x + SAMPLE / 2, y), (SAMPLE / 2, SAMPLE), fill=second)
        canvas.cell(corner, size, edge="0.6", width=0.5)
    elif key == "wrapped":
        canvas.cell(corner, size, fill=first, hatched=True)
    elif key == "beyond":
        canvas.cell(corner, size, fill="white", edge=FAINT, width=0.7, dashed=True)
    elif key == "index":
        canvas.cell(corner, size, fill=first, edge="0.6", width=0.5)
        canvas.text((x + SAMPLE / 2, y + SAMPLE / 2), "0", 7, align="center")
    else:
        canvas.cell(corner, size, edge=FAULT, width=1.8)
