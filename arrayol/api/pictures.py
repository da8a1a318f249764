"""Pictures of specifications: what `arrayol show` draws and prints."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from arrayol.api.spec import Source, load
from arrayol.checks.top import choose_top
from arrayol.ir.spec import RepetitiveTask, Spec
from arrayol.language.settings import Settings
from arrayol.pictures.save import save_graph, save_task
from arrayol.pictures.text import graph_text, process_text, task_graph
from arrayol.pictures.tiler.tiler_faults import links_of


@dataclass(frozen=True)
class Picture:
    """A picture and the same as text. A notebook shows the picture, `save` writes it: .svg, .png, of graphs .dot."""

    text: str
    save: Callable[[Path], None] = field(repr=False)

    def __repr__(self) -> str:
        return self.text

    def _repr_png_(self) -> bytes:
        return png_of(self.save)


def show(spec: Source, task: str | None = None, *, settings: Settings | None = None) -> Picture:
    """Draw the task graph of a specification, or the tilers of a repetitive task.

    `task` names a compound task, for its graph, or a repetitive one, for its tilers; without it the top task is drawn.
    The `Picture` shows itself in a notebook and prints as text; `save` writes a .svg or .png, of graphs also a .dot.
    Raises ArrayolError as `load`, and `too-large-to-draw`.

    >>> print(api.show(spec).text.splitlines()[0])
    conv3x3(image: u8[6, 6], kernel: i16[3, 3]) -> (mask: u8[4, 4])
    """
    loaded = load(spec, settings)
    name = choose_top(loaded, task)
    component = loaded.components[name]
    if task is not None and isinstance(component, RepetitiveTask):
        return _tilers(loaded, component)
    network = task_graph(loaded, name)
    return Picture(graph_text(network), lambda path: save_graph(network, {}, Path(path)))


def _tilers(spec: Spec, task: RepetitiveTask) -> Picture:
    network, links = task_graph(spec, task.name), links_of(spec, task)
    process = network.processes[task.name]
    text = process_text(process, network.arrays, tilers=True)
    return Picture(text, lambda path: save_task(process, links, (), (), Path(path)))


def png_of(save: Callable[[Path], None]) -> bytes:
    """The bytes that a function writes to the path of a picture."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "picture.png"
        save(path)
        return path.read_bytes()
