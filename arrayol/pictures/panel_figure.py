"""One panel of a task's picture: the lines above the cells, the cells, and what lies over them."""

from __future__ import annotations

from dataclasses import replace

from arrayol.pictures.overlay import TEXT, draw_arrows, draw_indices, draw_marks, has_room_for_indices
from arrayol.pictures.panel_title import heading, remarks
from arrayol.pictures.sheet import FAULT, INK, Canvas, Point, height_of, width_of
from arrayol.pictures.tiler import Panel
from arrayol.pictures.tiler_cells import (
    TICK,
    TICK_SPACE,
    Colors,
    Grid,
    axis_name,
    draw_border,
    draw_cells,
    draw_lattice,
    draw_ticks,
)
from arrayol.polyhedral.points import Point as Index

TITLE = 8.5  # points
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
        self.lines = [(heading(panel), TITLE, True, INK), *told, *wrong]
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
    def repetitions(self) -> set[Index]:
        """The repetitions that have a cell in this panel."""
        found = (*self.panel.cells.values(), *self.panel.beyond.values())
        return {touch.repetition for touches in found for touch in touches}

    def draw(self, canvas: Canvas, corner: Point) -> None:
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
