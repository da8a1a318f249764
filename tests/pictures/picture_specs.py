"""Specifications and helpers that the tests of pictures share."""

from __future__ import annotations

from pathlib import Path

from matplotlib.figure import Figure
from matplotlib.transforms import Bbox
from strategies import NOWHERE

from arrayol.ir.spec import Port, RepetitiveTask, Shape, Spec, Tiler
from arrayol.ir.types import ElementType
from arrayol.language.loader import load
from arrayol.pictures.tiler.tiler_faults import Linked

ROOT = Path(__file__).resolve().parents[2]
TILER = "at origin [0] paving [4] fitting [1]"
FILTER = "elementary f(x: f32[4]) -> (y: f32[4])\n"


def spec_of(folder: Path, text: str) -> Spec:
    """A specification from its text, which must resolve."""
    path = folder / "made.aol"
    path.write_text(text, encoding="utf-8")
    return load(path).spec


def task_of(spec: Spec, name: str) -> RepetitiveTask:
    task = spec.components[name]
    assert isinstance(task, RepetitiveTask)
    return task


def filter_task(name: str) -> str:
    return (
        f"task {name}(src: f32[64]) -> (dst: f32[64]) {{ repeat [16] of f {{ x <- src {TILER} y -> dst {TILER} }} }}\n"
    )


def chain(length: int) -> str:
    """Equal filters in a row."""
    calls = "".join(f"  p{place + 1} = stage_{place}(p{place})\n" for place in range(length))
    stages = "".join(filter_task(f"stage_{place}") for place in range(length))
    return f"{FILTER}{stages}task top(p0: f32[64]) -> (p{length}: f32[64]) {{\n{calls}}}\n"


def fork_join() -> str:
    """A task, three after it, and one that joins them with a second input; the first array is an output too."""
    join = "elementary add(a: f32[4], b: f32[4], c: f32[4], d: f32[4]) -> (y: f32[4])\n"
    links = " ".join(f"{port} <- {array} {TILER}" for port, array in zip("abcd", ("b0", "b1", "b2", "q"), strict=True))
    ports = ", ".join(f"{name}: f32[64]" for name in ("b0", "b1", "b2", "q"))
    return "".join(
        [
            FILTER,
            join,
            *(filter_task(name) for name in ("spread", "left", "middle", "right")),
            f"task unite({ports}) -> (r: f32[64]) {{ repeat [16] of add {{ {links} y -> r {TILER} }} }}\n",
            "task top(p: f32[64], q: f32[64]) -> (r: f32[64], s: f32[64]) {\n",
            "  s = spread(p)\n  b0 = left(s)\n  b1 = middle(s)\n  b2 = right(s)\n  r = unite(b0, b1, b2, q)\n}\n",
        ]
    )


def linked(
    origin: tuple[int, ...],
    paving: tuple[tuple[int, ...], ...],
    fitting: tuple[tuple[int, ...], ...],
    *,
    array: Shape,
    repetition: Shape,
    pattern: Shape = (),
    wrap: bool = False,
) -> Linked:
    tiler = Tiler(origin, paving, fitting, wrap, NOWHERE)
    ports = (Port(name, ElementType.F32, shape, NOWHERE) for name, shape in (("x", pattern), ("a", array)))
    return Linked(*ports, tiler, writes=False, repetition=repetition)


def text_boxes(figure: Figure) -> list[tuple[str, Bbox]]:
    """What is written in a figure, and where, in pixels."""
    (axes,) = figure.axes
    renderer = figure.canvas.get_renderer()
    return [(text.get_text(), text.get_window_extent(renderer)) for text in axes.texts]


def within(sheet: Bbox, box: Bbox) -> bool:
    """Whether a box lies on the sheet as a whole."""
    return bool(sheet.x0 <= box.x0 and box.x1 <= sheet.x1 and sheet.y0 <= box.y0 and box.y1 <= sheet.y1)
