"""Draws the pictures of docs/transformations.md.

    python docs/pictures/transformations.py [FOLDER]

Each picture is made from a small specification beside this script and the steps named below: it cannot drift from what
the steps do.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import prod
from pathlib import Path

from steps_figure import ArrayShown, Cell, Writer, draw_steps

from arrayol import api
from arrayol.ir.spec import RepetitiveTask, Spec, port_named
from arrayol.pictures.sheet import our_style, write_figure
from arrayol.polyhedral.accesses import Access
from arrayol.transforms.trace import IndexMap

FOLDER = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Picture:
    """A picture: the specification, steps that come before it, the step that it shows, and the tasks whose arrays."""

    name: str
    spec: str
    step: str
    tasks: tuple[str, ...]
    earlier: tuple[str, ...] = ()


PICTURES = (
    Picture("pave", "filters.aol", "pave hflr 1,2", ("hflr",)),
    Picture("tile", "filters.aol", "tile hflr 2,2", ("hflr",)),
    Picture("collapse", "filters.aol", "collapse hflr", ("hflr",), ("tile hflr 2,2",)),
    Picture("fuse", "filters.aol", "fuse hflr vftd 4,1", ("hflr", "vftd")),
    Picture("fuse-windows", "windows.aol", "fuse edge mean 2,4", ("edge", "mean")),
)


def main() -> None:
    """Write all pictures as PNG."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    with our_style():
        for picture in PICTURES:
            draw(picture, folder / f"{picture.name}.png")


def draw(picture: Picture, path: Path) -> None:
    """One picture: each task's array as its repetitions write it, before the step and after it."""
    spec = api.load(FOLDER / picture.spec)
    first = api.transform(spec, picture.earlier)
    second = api.transform(spec, [*picture.earlier, picture.step])
    before, after = ([shown(spec, task, found) for task in picture.tasks] for found in (first, second))
    write_figure(draw_steps(picture.step, before, after).figure, path)


def shown(spec: Spec, name: str, found: api.Transformed) -> ArrayShown:
    """The array that a task of `spec` writes, coloured by the nests that do its repetitions in `found`."""
    task = spec.components[name]
    assert isinstance(task, RepetitiveTask)
    nests, link = found.trace.tasks[name], task.output_links[0]
    array = port_named(task.outputs, link.array)
    pattern = port_named(spec.components[task.callee].outputs, link.port).shape
    access = Access(link.tiler, task.repetition, pattern, array.shape)
    writers: dict[Cell, list[Writer]] = {}
    for (block, inner), repetition in (pair for nest in nests for pair in done(found.spec, nest)):
        for index in product(*map(range, map(int, pattern))):
            row, column = access.element(repetition, index)
            writers.setdefault((row, column), []).append((block, inner))
    outer = " > ".join(nests[0].path)
    return ArrayShown(
        f"{array.name} of {name}", f"by {outer}", (int(array.shape[0] or 0), int(array.shape[1] or 0)), writers
    )


def done(spec: Spec, nest: IndexMap) -> Iterator[tuple[Writer, tuple[int, ...]]]:
    """The repetitions of a nest: block and repetition inside it as numbers, and the old repetition that it does."""
    outer = spec.components[nest.path[0]]
    assert isinstance(outer, RepetitiveTask)
    rank = len(outer.repetition)
    extents = [int(extent or 1) for extent in nest.extents]
    for number, index in enumerate(product(*map(range, extents))):
        yield divmod(number, prod(extents[rank:])), nest.old(index)


if __name__ == "__main__":
    main()
