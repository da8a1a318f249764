"""From a specification and what people ask of a nest in it to its transfers: report, picture and C."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from arrayol.checks.nest import NestRequest, open_program, tile_program
from arrayol.errors import error
from arrayol.ir.spec import Spec, written_name
from arrayol.language.loader import Loaded
from arrayol.pictures.save import save_transfers
from arrayol.pictures.shown import BarsShown, MovesShown, Numbers, TilesShown
from arrayol.polyhedral.isl import TooHardError
from arrayol.text import listed
from arrayol.tiling.enumerate import rows, strips
from arrayol.tiling.liveness import lifetimes_by_tile
from arrayol.tiling.load_store import traffic
from arrayol.tiling.nest import TiledNest, Traffic
from arrayol.tiling.program import Program
from hwmodel.platform import Platform, platform_of
from hwmodel.transfers.policies import evaluate
from hwmodel.transfers.report import Report, report

# What a picture of transfers shows: the sets of a nest, and the time of its tiles on a platform.


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


_NAME = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True)
class Transfers:
    """The transfers of a tiled nest. `remark` says what was chosen for the user, or is empty."""

    spec: Spec
    traffic: Traffic
    remark: str

    def __repr__(self) -> str:
        return f"Transfers({self.traffic.nest.name!r} of {self.spec.name!r})"

    def report(
        self, platform: Platform | Path | str | None = None, *, trees: bool = False, keeps: bool = False
    ) -> Report:
        """Sets, sizes, allocations and costs on a platform (by default the file beside the spec or the shipped one)."""
        taken, origin = platform_of(self.spec, platform)
        return report(self.spec, self.traffic, taken, origin, trees=trees, keeps=keeps)

    def c(self) -> str:
        """The tiled nest in C: see `emit_c`."""
        from hwmodel.emit.c.nest import emit_c  # noqa: PLC0415  few ask for it

        return emit_c(self.spec, self.traffic, nest_text(self.traffic.nest))

    def plot(self, path: Path | str, platform: Platform | Path | str | None = None) -> None:
        """Draw which tile moves which element, and the overlap in time: see `save_picture`."""
        from hwmodel.transfers.study import save_picture  # noqa: PLC0415  few ask for it

        taken, _ = platform_of(self.spec, platform)
        save_picture(self.spec, self.traffic, taken, Path(path))


def open_transfers(loaded: Loaded, request: NestRequest, *, simplify: bool = False) -> Transfers:
    """The transfers of a nest of a sound specification. Raises ArrayolError for a wrong request or too hard a nest.

    One schedule for several statements is taken for the one statement that has all range variables it names.
    """
    program = open_program(loaded, request.component, request.symbols)
    request, remark = _chosen(program, request)
    return Transfers(loaded.spec, traffic(tile_program(program, loaded, request), simplify=simplify), remark)


def _chosen(program: Program, request: NestRequest) -> tuple[NestRequest, str]:
    if request.statements is not None or request.schedules is None or len(request.schedules) != 1:
        return request, ""
    known = {name for statement in program.statements for name in statement.indices}
    wanted = [name for name in dict.fromkeys(_NAME.findall(request.schedules[0])) if name in known]
    fitting = [statement.number for statement in program.statements if set(wanted) <= set(statement.indices)]
    if len(program.statements) == 1 or not wanted or len(fitting) != 1:
        return request, ""
    noun = "variable" if len(wanted) == 1 else "variables"
    remark = f"tiling statement {fitting[0]}, the one with the range {noun} {listed(wanted)}"
    return replace(request, statements=fitting), remark


def nest_text(nest: TiledNest) -> str:
    """How a nest is tiled, in a line."""
    several = len(nest.statements) > 1 or nest.before or nest.after
    schedules = [
        f"{f'statement {statement.number} ' if several else ''}by ({', '.join(text)})"
        for statement, text in zip(nest.statements, nest.text, strict=True)
    ]
    return f"{', '.join(schedules)}, in tiles of {' x '.join(map(str, nest.sizes))}"
