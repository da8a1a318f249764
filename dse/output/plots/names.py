"""Names beside points: each where it covers no other name, no point and no line, or not at all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.patheffects import withStroke
from matplotlib.text import Annotation, Text
from numpy.typing import NDArray

from arrayol.pictures.palette import FRONT, OTHER_DESIGNS
from dse.output.plots.axes import CROWDED_FROM, Panel
from dse.results.pick import TELLING

# Where a name may stand: the side of the point, and how far from it, in points of 1/72 inch; near first.
_SIDES = ((1, 1), (1, -1), (-1, 1), (-1, -1), (0, 1), (0, -1), (1, 0), (-1, 0))
_DISTANCES = (5.0, 11.0, 19.0, 30.0)
_LEADER_FROM = 6.0
_CLEARANCE = 1.5  # pixels
_MARKER = 3.5  # half its side
_SPELT_AT_ONE_POINT = 3
_TRIED_AT_MOST = 100  # names; of more the first TELLING are tried
_CONSIDERED = 2_000  # points that names keep clear of; among more there is no clear place anyway

Boxes = NDArray[np.float64]  # rows x0, y0, x1, y1 in pixels


@dataclass(frozen=True)
class Name:
    """A text for the designs at one place of the plot."""

    x: float
    y: float
    text: str
    on_front: bool


def names_of(panel: Panel) -> list[Name]:
    """One name for each place: the designs there together, those of the front first."""
    on_front: dict[tuple[float, float], list[str]] = {}
    for x, y, name in panel.front:
        on_front.setdefault((x, y), []).append(name)
    others: dict[tuple[float, float], list[str]] = {}
    for x, y, names in zip(panel.x.values, panel.y.values, panel.names or [()] * len(panel.x.values), strict=True):
        new = [name for name in names if name not in on_front.get((x, y), [])]
        if new:
            others.setdefault((x, y), []).extend(new)
    first = [Name(*place, spell([*names, *others.pop(place, [])]), True) for place, names in on_front.items()]
    return first + [Name(*place, spell(names), False) for place, names in others.items()]


def spell(names: Sequence[str]) -> str:
    """The names of coinciding designs in one text."""
    if len(names) <= _SPELT_AT_ONE_POINT:
        return ", ".join(names)
    kept = _SPELT_AT_ONE_POINT - 1
    return f"{', '.join(names[:kept])} and {len(names) - kept} more"


def place_names(axes: Axes, renderer: RendererBase, panel: Panel, written: Sequence[Text] = ()) -> None:
    """Write names into axes whose layout is settled, in which texts are `written`.

    A name for which there is no free place is left out.

    A name covers no other name, no point, and the line of the front only where nothing else is free.
    """
    scale = float(np.asarray(renderer.points_to_pixels(1.0)))
    front = [(x, y) for x, y, _ in panel.front]
    points = _pixels(axes, [*front, *zip(panel.x.values, panel.y.values, strict=True)][:_CONSIDERED])
    markers = np.hstack([points - _MARKER * scale, points + _MARKER * scale])
    frame = np.array(axes.get_window_extent(renderer).extents)
    lines = np.vstack([_segments(_pixels(axes, panel.steps)), _across(axes, panel, frame)])
    taken = np.array([text.get_window_extent(renderer).extents for text in written], np.float64).reshape(-1, 4)
    crowded = len(panel.front) > CROWDED_FROM
    shown = [name for name in names_of(panel) if name.x <= panel.x.end and name.y <= panel.y.end]
    for name in shown if len(shown) <= _TRIED_AT_MOST else shown[:TELLING]:
        text = _write(axes, name)
        extent = text.get_window_extent(renderer)
        at = _pixels(axes, [(name.x, name.y)])[0]
        places = list(_places(at, extent.width, extent.height, scale, leaders=panel.roomy))
        spot = _first_free(places, frame, taken, markers, lines) or _first_free(places, frame, taken, markers)
        if spot is None:
            text.remove()
            continue
        text.xyann = tuple((spot.box[:2] - at) / scale)
        if crowded and name.on_front:  # small marks hide which of them a name means
            axes.scatter(name.x, name.y, s=34, color=FRONT, edgecolors="white", linewidths=0.8, zorder=4.2)
        if len(spot.leader):
            _lead(axes, name, (spot.towards - at) / scale)
        taken = np.vstack([taken, spot.box, spot.leader])


@dataclass(frozen=True)
class _Spot:
    """A place for a name, and small boxes along the line that leads to it from its point; none where it is near."""

    box: NDArray[np.float64]
    leader: Boxes
    towards: NDArray[np.float64]


def _places(at: NDArray[np.float64], width: float, height: float, scale: float, *, leaders: bool) -> Iterator[_Spot]:
    """The places around a point in pixels, near ones first."""
    size = np.array([width, height])
    for distance, side in product(_DISTANCES if leaders else _DISTANCES[:2], _SIDES):
        direction = np.array(side)
        reach = distance if side[0] and side[1] else 1.3 * distance
        low = at + reach * scale * direction * (0.9, 0.7) - size * (1 - direction) / 2
        box = np.concatenate([low, low + size])
        towards = np.clip(at, box[:2], box[2:])
        path = np.linspace(at, towards, 12)[3:-1] if distance > _LEADER_FROM else np.empty((0, 2))
        yield _Spot(box, np.hstack([path - 1, path + 1]), towards)


def _first_free(places: Iterable[_Spot], frame: NDArray[np.float64], taken: Boxes, *others: Boxes) -> _Spot | None:
    """The first place inside the frame that meets nothing, and whose leader meets nothing that is taken."""
    obstacles = np.vstack([taken, *others])
    for spot in places:
        inside = (spot.box[:2] >= frame[:2]).all() and (spot.box[2:] <= frame[2:]).all()
        if inside and not _meets(spot.box, obstacles) and not any(_meets(step, taken) for step in spot.leader):
            return spot
    return None


def _write(axes: Axes, name: Name) -> Annotation:
    text = axes.annotate(
        name.text,
        (name.x, name.y),
        xytext=(0, 0),
        textcoords="offset points",
        fontsize=8.5 if name.on_front else 7.5,
        fontweight="bold" if name.on_front else "normal",
        color=FRONT if name.on_front else "0.3",
        verticalalignment="bottom",
        path_effects=[withStroke(linewidth=1.5, foreground="white")],
        zorder=5,
    )
    text.set_in_layout(False)
    return text


def _lead(axes: Axes, name: Name, offset: NDArray[np.float64]) -> None:
    """A thin line from the point to a name that stands away from it."""
    leader = axes.annotate(
        "",
        (name.x, name.y),
        xytext=tuple(offset),
        textcoords="offset points",
        arrowprops={"arrowstyle": "-", "color": OTHER_DESIGNS, "linewidth": 0.6, "shrinkA": 0, "shrinkB": 3},
        zorder=1.5,
    )
    leader.set_in_layout(False)


def _pixels(axes: Axes, places: Iterable[tuple[float, float]]) -> NDArray[np.float64]:
    points = np.array(list(places), dtype=np.float64).reshape(-1, 2)
    return np.asarray(axes.transData.transform(points)).reshape(-1, 2)


def _segments(corners: NDArray[np.float64]) -> Boxes:
    """The boxes of the horizontal and vertical lines between corners."""
    return np.hstack([np.minimum(corners[:-1], corners[1:]) - 1, np.maximum(corners[:-1], corners[1:]) + 1])


def _across(axes: Axes, panel: Panel, frame: NDArray[np.float64]) -> Boxes:
    """The boxes of the lines of limits."""
    corner = panel.x.range[0], panel.y.range[0]
    columns = _pixels(axes, [(limit.value, corner[1]) for limit in panel.x.near])[:, 0]
    rows = _pixels(axes, [(corner[0], limit.value) for limit in panel.y.near])[:, 1]
    boxes = [(x - 1, frame[1], x + 1, frame[3]) for x in columns] + [(frame[0], y - 1, frame[2], y + 1) for y in rows]
    return np.array(boxes, np.float64).reshape(-1, 4)


def _meets(box: NDArray[np.float64], obstacles: Boxes) -> bool:
    low, high = box[:2] - _CLEARANCE, box[2:] + _CLEARANCE
    beside = (obstacles[:, 0] > high[0]) | (obstacles[:, 2] < low[0])
    above_or_below = (obstacles[:, 1] > high[1]) | (obstacles[:, 3] < low[1])
    return not bool((beside | above_or_below).all())
