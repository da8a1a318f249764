"""The picture of a task graph: rows of boxes with lines between them, a title and what the signs mean."""

from __future__ import annotations

from collections.abc import Mapping

from arrayol.ir.network import Network
from arrayol.pictures.graph.graph import (
    LOOP,
    NAME,
    PAD,
    SMALL,
    TEXT,
    ArrayBox,
    DelayLoop,
    ProcessBox,
    Role,
    Row,
    array_box,
    process_box,
    rows_of,
)
from arrayol.pictures.sheet import FAINT, FAULT, INK, LINE, Canvas, Position, height_of, width_of
from arrayol.pictures.text import rate_text

MARGIN, TITLE, ROW_GAP = 0.25, 0.5, 0.4
PROCESS_FILL, HEADING_FILL, FAULT_FILL = "#f4f6f8", "#dfe6ec", "#fbe3e1"
FILLS = {Role.INPUT: "#d3ead9", Role.OUTPUT: "#fbe4c4", Role.INNER: "#ffffff", Role.CONST: "#e4e0f2"}
EDGES = {Role.INPUT: "#3d8a58", Role.OUTPUT: "#b9791a", Role.INNER: "#5b6873", Role.CONST: "#6b5aa8"}


def draw_graph(network: Network, faults: Mapping[str, tuple[str, ...]]) -> Canvas:
    """The picture of a network; `faults` names what is wrong with a process."""
    line = height_of(TEXT)
    processes = {
        name: process_box(process, faults.get(name, ()), width_of, line) for name, process in network.processes.items()
    }
    arrays = {name: array_box(array, network, width_of, line) for name, array in network.arrays.items()}
    rows = rows_of(network, processes, arrays)
    title, notes = f"task graph of {network.name}", _notes(network, rows)
    widths = [
        *(row.placed.width for row in rows),
        *(width_of(note, SMALL) for note in notes),
        width_of(title, 11, True),
    ]
    height = sum(row.placed.height + ROW_GAP for row in rows) + TITLE + len(notes) * height_of(SMALL)
    canvas = Canvas(max(widths) + 2 * MARGIN, height + 2 * MARGIN)
    canvas.text((MARGIN, MARGIN + 0.08), title, 11, bold=True)
    top = MARGIN + TITLE
    for row in rows:
        _draw_row(canvas, row, top, processes, arrays)
        top += row.placed.height + ROW_GAP
    for place, note in enumerate(notes):
        canvas.text((MARGIN, top + (place + 0.5) * height_of(SMALL)), note, SMALL, color=FAINT)
    return canvas


def _notes(network: Network, rows: list[Row]) -> list[str]:
    """The signs that occur, explained."""
    notes = []
    rated = [rate_text(process, flow) for process in network.processes.values() for flow in process.inputs]
    if any(rated):
        notes.append(f"{max(rated, key=len)}: elements read for each element written through that port")
    if any(process.delays for process in network.processes.values()):
        loop = "delay, output \N{RIGHTWARDS ARROW} input and its vector in the repetition space"
        notes.append(f"loop below a box: {loop}")
    if any(row.dashed for row in rows):
        notes.append("dashed line, 'first': read only where a delay starts")
    if any(row.continued for row in rows):
        notes.append("dashed box: an array of a row above")
    return ["; ".join(notes)] if notes and sum(map(len, notes)) < 120 else notes


def _draw_row(
    canvas: Canvas, row: Row, top: float, processes: Mapping[str, ProcessBox], arrays: Mapping[str, ArrayBox]
) -> None:
    for edge, points in row.placed.lines.items():
        canvas.flow([(MARGIN + x, top + y) for x, y in points], dashed=edge in row.dashed)
    for name in row.arrays:
        x, y = row.placed.corners["array", name]
        _draw_array(canvas, arrays[name], (MARGIN + x, top + y), continued=name in row.continued)
    for name in row.processes:
        x, y = row.placed.corners["process", name]
        _draw_process(canvas, processes[name], (MARGIN + x, top + y))


def _draw_array(canvas: Canvas, box: ArrayBox, corner: Position, *, continued: bool) -> None:
    canvas.box(
        corner,
        (box.width, box.height),
        fill=FILLS[box.role],
        edge=EDGES[box.role],
        rounding=0.13,
        width=0.9 if box.role is Role.INNER else 1.4,
        dashed=continued,
    )
    x, y = corner[0] + box.width / 2, corner[1] + 0.7 * PAD + box.line / 2
    if box.role.value:
        canvas.text((x, y), box.role.value, SMALL, color=EDGES[box.role], align="center")
        y += box.line
    canvas.text((x, y), box.lines[0], NAME, bold=True, align="center")
    canvas.text((x, y + box.line), box.lines[1], TEXT, align="center")


def _draw_process(canvas: Canvas, box: ProcessBox, corner: Position) -> None:
    (x, y), edge = corner, FAULT if box.faults else INK
    heading = box.top - PAD / 2
    canvas.box(corner, (box.width, box.body), fill=PROCESS_FILL, edge=edge, width=1.8 if box.faults else 1.1)
    fill = FAULT_FILL if box.faults else HEADING_FILL
    canvas.cell((x + 0.02, y + 0.02), (box.width - 0.04, heading - 0.02), fill=fill, above=2.1)
    canvas.text((x + PAD, y + PAD + 0.55 * box.line), box.process.name, NAME, bold=True)
    canvas.text((x + PAD, y + PAD + 1.75 * box.line), box.heading, TEXT)
    for place, socket in enumerate(box.reads):
        canvas.text((x + PAD, y + box.socket_at(place)), socket.text, TEXT)
    for place, socket in enumerate(box.writes):
        canvas.text((x + box.width - PAD, y + box.socket_at(place)), socket.text, TEXT, align="right")
    rows = max(len(box.reads), len(box.writes), 1)
    for place, text in enumerate(box.faults):
        canvas.text((x + PAD, y + box.socket_at(rows + place)), text, TEXT, bold=True, color=FAULT)
    for place, loop in enumerate(box.loops):
        _draw_loop(canvas, box, loop, place, (x, y + box.body))


def _draw_loop(canvas: Canvas, box: ProcessBox, loop: DelayLoop, place: int, corner: Position) -> None:
    """A loop from the right to the left below a box, its text in the middle; the later, the wider and deeper."""
    inset = 0.09 + 0.08 * (len(box.loops) - 1 - place)
    left, right = corner[0] + inset, corner[0] + box.width - inset
    low = corner[1] + LOOP * (place + 0.72)
    half = width_of(loop.text, SMALL) / 2 + 0.05
    middle, color = corner[0] + box.width / 2, LINE if loop.acts else "0.7"
    canvas.line([(right, corner[1]), (right, low), (middle + half, low)], color=color)
    canvas.line([(middle - half, low), (left, low), (left, corner[1] + 0.05)], color=color)
    canvas.head((left, corner[1]), (0.0, -1.0), color)
    canvas.text((middle, low), loop.text, SMALL, color=INK if loop.acts else FAINT, align="center")
