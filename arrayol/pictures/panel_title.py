"""The lines above a panel: its link, its tiler, and what the drawing leaves out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap

from arrayol.pictures.broken_axis import BrokenAxis
from arrayol.pictures.text import pattern_text, tiler_parts, vector_text
from arrayol.pictures.tiler import Panel

CHARACTERS = 68  # to a line


def heading(panel: Panel) -> str:
    """`x <- src   f32[4] of [1080, 1920]`."""
    link = panel.link
    arrow = "->" if link.writes else "<-"
    when = "  where its delay starts" if link.delay is not None else ""
    return f"{link.port.name} {arrow} {link.array.name}   {pattern_text(link.port, link.array.shape)}{when}"


def remarks(panel: Panel) -> list[str]:
    """The tiler, then what is not in the drawing."""
    lines = [*_joined(tiler_parts(panel.link.tiler)), *_left_out(panel)]
    return [part for line in lines for part in wrap(line, CHARACTERS)]


def _joined(parts: Sequence[str]) -> list[str]:
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
        yield f"not drawn here: r = {', '.join(map(vector_text, panel.missing))}"
    if panel.still:
        verb = "does" if len(panel.still) == 1 else "do"
        yield f"{', '.join(panel.still)} {verb} not move {'along these axes' if rank > 2 else 'in this array'}"


def _runs(axis: BrokenAxis) -> str:
    texts = [str(first) if first == last else f"{first} to {last}" for first, last in axis.segments]
    return " and ".join([", ".join(texts[:-1]), texts[-1]]) if len(texts) > 1 else texts[0]
