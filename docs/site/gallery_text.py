"""The gallery: a section for each shipped specification, with its task graph, its front and the best designs of it.

What was explored lies in gallery.json (`gallery_fronts`); texts and pictures are made while the site is built.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path
from typing import Any

from gallery_fronts import FILE, shipped
from matplotlib.figure import Figure

from arrayol import api
from arrayol.files import shipped_folder
from arrayol.pictures.sheet import our_style
from arrayol.text import counted
from dse.output.plots.axes import Axis, Panel, draw_panel, new_sheet, write_figure

MORE = "a longer search may find better ones."
PLACE = "_static/gallery"  # in the folder of the site


def gallery_text() -> str:
    """All sections, in Markdown."""
    fronts = json.loads(FILE.read_text(encoding="utf-8"))
    return "\n".join(line for name in shipped() for line in _section(name, fronts[name]))


def _section(name: str, front: dict[str, Any]) -> Iterator[str]:
    size = ", ".join(f"{const} = {value}" for const, value in front["size"].items())
    yield from ["", f"## {name}", "", _description(name), ""]
    yield from [_picture(name, "graph", f"The task graph of {name}"), ""]
    yield f"{_count(front)} at the size {size}; {'the search covered its whole space.' if front['exact'] else MORE}"
    yield from ["", _picture(name, "front", f"Latency and internal memory of the designs of {name}"), ""]
    yield from ["| | design | cycles | memory in elements | groups: units; blocks |", "|---|---|---|---|---|"]
    figures = {design: figures for design, *figures in front["designs"]}
    for title, best in front["best"].items():
        cycles, data = figures[best["id"]]
        yield f"| {title} | `{best['id']}` | {cycles:,} | {data:,} | {'<br>'.join(best['groups'])} |"


def _count(front: dict[str, Any]) -> str:
    return counted(len(front["designs"]), "design") + " on the front"


def _description(name: str) -> str:
    """The comment at the head of a specification."""
    lines = (shipped_folder() / f"{name}.aol").read_text(encoding="utf-8").splitlines()
    text = " ".join(line.removeprefix("#").strip() for line in takewhile(lambda line: line.startswith("#"), lines))
    return text.replace("[", r"\[").replace("*", r"\*")


def _picture(name: str, kind: str, text: str) -> str:
    return f'<p><img src="{PLACE}/{name}-{kind}.svg" alt="{text}"></p>'


def draw_gallery(site: Path) -> None:
    """Draw all pictures of the gallery into the folder of a site."""
    folder = site / PLACE
    folder.mkdir(parents=True, exist_ok=True)
    fronts = json.loads(FILE.read_text(encoding="utf-8"))
    with our_style():
        for name in shipped():
            api.show(shipped_folder() / f"{name}.aol").save(folder / f"{name}-graph.svg")
            write_figure(_front_of(fronts[name]), folder / f"{name}-front.svg")


def _front_of(front: dict[str, Any]) -> Figure:
    """Latency against memory, drawn as `explore` does; the best designs by name."""
    points = [(cycles, data, design) for design, cycles, data in front["designs"]]
    axes = [
        Axis(title, [point[place] for point in points])
        for place, title in enumerate(("latency (cycles)", "internal memory (elements)"))
    ]
    figure = new_sheet(6, 2.8)
    drawn = draw_panel(figure.add_subplot(), Panel(axes[0], axes[1], points, (), staircase=True, roomy=False))
    named = {best["id"] for best in front["best"].values()}
    for cycles, data, design in points:
        if design in named:
            drawn.annotate(design, (cycles, data), (5, 4), textcoords="offset points", fontsize=8)
    return figure
