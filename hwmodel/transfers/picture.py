"""What a picture of transfers shows: the sets of a nest, and the time of its tiles on a platform."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from arrayol.errors import error
from arrayol.ir.spec import Spec, written_name
from arrayol.pictures.save import save_transfers
from arrayol.pictures.transfers import BarsShown, MovesShown, Numbers, TilesShown
from arrayol.polyhedral.isl import TooHardError
from arrayol.tiling.enumerate import rows, strips
from arrayol.tiling.liveness import lifetimes_by_tile
from arrayol.tiling.nest import TiledNest, Traffic
from hwmodel.platform import Platform
from hwmodel.transfers.policies import evaluate

MOST_TILES = 160
MOST_BARS = 12
MOST_ELEMENTS = 4_000_000  # of one picture's array


def save_picture(spec: Spec, traffic: Traffic, platform: Platform, path: Path) -> None:
    """Draw the arrays of one or two dimensions, and the overlap under the policy of reuse inside a strip.

    Raises ArrayolError (`symbolic-in-picture`, `too-many-points`, `cannot-write`).
    """
    nest = traffic.nest
    if nest.symbols:
        message = f"{', '.join(nest.symbols)} stays symbolic, and a picture shows numbers"
        raise error("symbolic-in-picture", message, hint="leave out --symbolic, and give --tile numbers")
    try:
        timeline = evaluate(spec, traffic, platform)["strip-reuse"].timeline
        tiles = strips(nest)
        drawn = [name for name in traffic.moved if _is_drawn(nest, name)]
        shown = _tiles_shown(nest, tiles)
        moves = [_moves(traffic, name, tiles, len(shown.labels)) for name in drawn]
    except TooHardError:
        message = f"the sets of '{nest.name}' are too large to be drawn"
        raise error("too-many-points", message, hint="set the consts smaller with --set") from None
    assert timeline is not None
    bars = BarsShown(timeline.load[:MOST_BARS], timeline.compute[:MOST_BARS], timeline.store[:MOST_BARS])
    sizes, schedules = " x ".join(map(str, nest.sizes)), "; ".join(", ".join(text) for text in nest.text)
    title = f"{nest.name}: schedule {schedules}, tiles of {sizes}"
    save_transfers(title, shown, moves, bars, _notes(traffic, drawn), path)


def _is_drawn(nest: TiledNest, name: str) -> bool:
    shape = nest.arrays[name].shape
    return len(shape) in (1, 2) and int(np.prod([length or 0 for length in shape])) <= MOST_ELEMENTS


def _notes(traffic: Traffic, drawn: Sequence[str]) -> list[str]:
    labels = ", ".join(traffic.nest.tile_names)
    notes = [f"tiles are labelled {labels}; numbers in planes count the tiles of a strip from 0"]
    if traffic.locals:
        notes.append(f"not drawn, as no tile moves a local: {', '.join(map(written_name, traffic.locals))}")
    rest = [name for name in traffic.moved if name not in drawn]
    if rest:
        notes.append(f"not drawn, as they have not one or two dimensions or are too large: {', '.join(rest)}")
    return notes


def _tiles_shown(nest: TiledNest, tiles: Sequence[Numbers]) -> TilesShown:
    """Whole strips as long as there is room; at least the first tiles of the first strip. `tiles` by strip."""
    drawn = np.concatenate(list(tiles))[:MOST_TILES]
    strip = np.repeat(np.arange(len(tiles)), [len(run) for run in tiles])[:MOST_TILES]
    outer = nest.depth - nest.strip_dims
    labels = tuple(", ".join(map(str, tile)) for tile in drawn.tolist())
    names = nest.tile_names[:outer]
    firsts = [tiles[number][0][:outer].tolist() for number in range(int(strip[-1]) + 1)]
    strip_labels = tuple(
        ", ".join(f"{name} = {value}" for name, value in zip(names, first, strict=True)) for first in firsts
    )
    return TilesShown(labels, strip, strip_labels, sum(map(len, tiles)))


def _moves(traffic: Traffic, name: str, tiles: Sequence[Numbers], count: int) -> MovesShown:
    place = {tuple(tile): number for number, tile in enumerate(np.concatenate(list(tiles)).tolist())}
    alive = lifetimes_by_tile(traffic, name)
    spans = alive.last - alive.first + 1
    steps = np.arange(int(spans.sum())) - np.repeat(np.cumsum(spans) - spans, spans)
    tile = np.repeat(alive.first, spans) + steps
    kept = np.column_stack([tile, np.repeat(alive.element, spans, axis=0)])

    def side(relation: Any) -> Numbers:
        pairs = rows(relation)
        numbers = np.array([place[tuple(tile)] for tile in pairs.domain.tolist()], np.int64)
        return np.column_stack([numbers, pairs.image])[numbers < count]

    shape = tuple(length for length in traffic.nest.arrays[name].shape if length is not None)
    return MovesShown(name, shape, side(traffic.load[name]), side(traffic.store[name]), kept[tile < count])
