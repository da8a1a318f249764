"""The picture of a repetitive task's tilers: a panel per link, and what the colours and arrows mean."""

from __future__ import annotations

from collections.abc import Sequence

from arrayol.ir.network import Process
from arrayol.pictures.overlay import FITTING, PAVING
from arrayol.pictures.panel_figure import PanelDrawing
from arrayol.pictures.sheet import FAINT, FAULT, INK, Canvas, height_of, our_colors, width_of
from arrayol.pictures.text import delay_text, heading_text, vector_text
from arrayol.pictures.tiler import first_repetitions, panel_of
from arrayol.pictures.tiler_cells import Colors
from arrayol.pictures.tiler_faults import Fault, Linked
from arrayol.polyhedral.points import Point

PAGE, LEGEND, MARGIN, GAP = 12.5, 6.5, 0.25, 0.4
TITLE, TEXT = 11.0, 7.5
STROKES = {"paving": PAVING, "fitting": FITTING}
SAMPLE = 0.16  # the side of a colour's sample


def draw_task(
    process: Process, links: Sequence[Linked], faults: Sequence[Fault], messages: Sequence[str] = ()
) -> Canvas:
    """The tilers of a process; `messages` are what else is wrong with it, told in red below the title."""
    repetitions = first_repetitions(process.repetition, links)
    guilty = [repetition for fault in faults for _, repetition in fault.repetitions]
    colors = our_colors(list(dict.fromkeys([*repetitions, *guilty])))
    drawings = [PanelDrawing(panel_of(link, number, repetitions, faults), colors) for number, link in enumerate(links)]
    rows = _rows(drawings)
    used = [one for one in colors if any(one in drawing.repetitions for drawing in drawings)]
    panels_width = max((sum(one.width + GAP for one in row) - GAP for row in rows), default=0.0)
    legend = _legend_lines(drawings, used, max(panels_width, LEGEND))
    notes = [delay_text(delay) for delay in process.delays]
    heads = [heading_text(process), *notes, *messages]
    widths = [panels_width, *(_line_width(line) for line in legend)]
    widths += [width_of(heads[0], TITLE, True), *(width_of(text, TEXT) for text in heads[1:])]
    top = MARGIN + 0.35 + (len(heads) - 1) * height_of(TEXT) + 0.1
    height = top + sum(max(one.height for one in row) + GAP for row in rows) + len(legend) * 0.26 + MARGIN
    canvas = Canvas(max(widths) + 2 * MARGIN, height)
    canvas.text((MARGIN, MARGIN + 0.08), heads[0], TITLE, bold=True)
    for place, text in enumerate(heads[1:]):
        at = (MARGIN, MARGIN + 0.35 + place * height_of(TEXT))
        canvas.text(at, text, TEXT, color=FAULT if place >= len(notes) else INK)
    for row in rows:
        left = MARGIN
        for drawing in row:
            drawing.draw(canvas, (left, top))
            left += drawing.width + GAP
        top += max(one.height for one in row) + GAP
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
    samples: list[Sample] = [(one, f"r = {vector_text(one)}") for one in repetitions]
    panels = [drawing.panel for drawing in drawings]
    samples.append(("origin", "origin"))
    labels = {arrow.label[0] for panel in panels for arrow in panel.arrows}
    if "r" in labels:
        samples.append(("paving", "paving: one step of r0, r1 ..."))
    if "f" in labels:
        samples.append(("fitting", "fitting: one step of f0, f1 ..."))
    if any(len({touch.repetition for touch in found}) > 1 for panel in panels for found in panel.cells.values()):
        samples.append(("shared", "of several repetitions"))
    if any(touch.wrapped for panel in panels for found in panel.cells.values() for touch in found):
        samples.append(("wrapped", "wrapped"))
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


def _line_width(line: Sequence[Sample]) -> float:
    return sum(_sample_width(sample) for sample in line)


def _sample_width(sample: Sample) -> float:
    wide = 0.34 if sample[0] in STROKES else SAMPLE
    return wide + 0.07 + width_of(sample[1], TEXT) + 0.22


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
        canvas.text((left + _sample_width(sample) - 0.22 - width_of(text, TEXT), middle), text, TEXT)
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
