"""What `transfers` tells of a nest: sets, sizes, allocations and the costs of the policies, and their JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from arrayol.errors import ArrayolError, error
from arrayol.ir.spec import Spec
from arrayol.pictures.save import save_transfers
from arrayol.pictures.shown import BarsShown, MovesShown, Numbers, TilesShown
from arrayol.polyhedral.isl import TooHardError
from arrayol.tiling.allocation import Allocation, Modulus, allocate, moduli_formula
from arrayol.tiling.conditions import conditions, loading_tree, tiles_text, tree_text
from arrayol.tiling.counting import size_formula, total_formula
from arrayol.tiling.enumerate import rows, strips, tile_set
from arrayol.tiling.liveness import lifetimes, live
from arrayol.tiling.nest import NestArray, TiledNest, Traffic
from arrayol.tiling.polynomials import Formula
from hwmodel.platform import Platform
from hwmodel.transfers.policies import PolicyCost, evaluate


@dataclass(frozen=True)
class Side:
    """The loads, or the stores, of an array: `lines` are the set of each tile as conditions.

    `total` counts the elements over all tiles of all strips; None where a name stays symbolic. `per_tile` and `summed`
    are formulas, where the nest was not walked and they could be found.
    """

    lines: tuple[str, ...]
    total: int | None
    per_tile: Formula | None
    summed: Formula | None
    tree: str | None


@dataclass(frozen=True)
class ArrayReport:
    """What is moved of an array, and where local memory keeps it: in turn, and with double buffering (`overlapped`).

    `exact` says that every access is known exactly, so that nothing is moved that is not needed. Where a name stays
    symbolic, `live` is a formula of a tile's live set and `moduli` are those of the allocation, where they were found.
    """

    array: NestArray
    load: Side
    store: Side
    exact: bool
    serial: Allocation | None
    overlapped: Allocation | None
    live: Formula | None
    moduli: tuple[Modulus, ...] | None


@dataclass(frozen=True)
class Report:
    """Everything about a tiled nest.

    `strips` and `tiles` count; None where a name stays symbolic. `tiles_where` says which tiles there are, as
    conditions on their coordinates. `remark` says why something is missing, or is empty.
    """

    spec: str
    nest: TiledNest
    simplified: bool
    arrays: Mapping[str, ArrayReport]
    strips: int | None
    tiles: int | None
    tiles_where: str
    platform: str
    policies: Mapping[str, PolicyCost]
    remark: str

    def to_json(self) -> dict[str, Any]:
        """The document of `transfers --json` (docs/transfers.md, "Pictures, JSON, Python")."""
        return {
            "spec": self.spec,
            "component": self.nest.name,
            "statements": [one.number for one in self.nest.statements],
            "schedules": [", ".join(text) for text in self.nest.text],
            "tile": list(self.nest.sizes),
            "strip_dims": self.nest.strip_dims,
            "symbolic": list(self.nest.symbols),
            "simplified": self.simplified,
            "strips": self.strips,
            "tiles": self.tiles,
            "tiles_where": self.tiles_where,
            "platform": self.platform,
            "arrays": {name: _array_json(found) for name, found in self.arrays.items()},
            "policies": {name: _policy_json(cost) for name, cost in self.policies.items()},
            "remark": self.remark,
        }


def report(spec: Spec, traffic: Traffic, platform: Platform, origin: str, *, trees: bool = False) -> Report:
    """All about the transfers of a nest; `origin` names the platform. With `trees`, the sets as trees too.

    Where a nest is too large to be walked, counts are formulas and there are no prices; `remark` says so.
    """
    nest, walked, remark = traffic.nest, not traffic.nest.symbols, ""
    arrays, policies = {}, {}
    try:
        if walked:
            policies = evaluate(spec, traffic, platform)
            arrays = {name: _array(traffic, name, walked=True, trees=trees) for name in _touched(nest)}
    except (TooHardError, ArrayolError) as refused:
        if isinstance(refused, ArrayolError) and refused.diagnostics[0].code != "nest-too-large":
            raise
        walked, policies = False, {}
        remark = "too large to be walked element by element: counts by formula, and no prices"
    if not walked:
        arrays = {name: _array(traffic, name, walked=False, trees=trees) for name in _touched(nest)}
    found = strips(nest) if walked else None
    return Report(
        spec.name,
        nest,
        traffic.simplified,
        arrays,
        None if found is None else len(found),
        None if found is None else sum(map(len, found)),
        tiles_text(tile_set(nest), nest),
        origin,
        policies,
        remark,
    )


def _touched(nest: TiledNest) -> list[str]:
    """The arrays that the tiled statements touch, in the order of the signature."""
    found = {reach.array for one in nest.statements for reach in (*one.reads, *one.writes)}
    return [name for name in nest.arrays if name in found]


def _array(traffic: Traffic, name: str, *, walked: bool, trees: bool) -> ArrayReport:
    return ArrayReport(
        traffic.nest.arrays[name],
        _side(traffic.load[name], traffic.nest, name, walked=walked, trees=trees),
        _side(traffic.store[name], traffic.nest, name, walked=walked, trees=trees),
        traffic.exact[name],
        allocate(lifetimes(traffic, name)) if walked else None,
        allocate(lifetimes(traffic, name, overlapped=True)) if walked else None,
        None if walked else size_formula(live(traffic, name), traffic.nest),
        None if walked else moduli_formula(traffic, name),
    )


def _side(relation: Any, nest: TiledNest, name: str, *, walked: bool, trees: bool) -> Side:  # an isl.Map, handed on
    summed = None if walked else total_formula(relation, nest)
    total = len(rows(relation).image) if walked else None
    if summed is not None and not nest.symbols:
        total = summed.at({})
    return Side(
        conditions(relation, nest, name, tile_set(nest)),
        total,
        None if walked else size_formula(relation, nest),
        summed,
        _tree(relation, nest) if trees else None,
    )


def _tree(relation: Any, nest: TiledNest) -> str | None:
    found = loading_tree(relation, nest)
    return None if found is None else tree_text(found)


def _array_json(found: ArrayReport) -> dict[str, Any]:
    content: dict[str, Any] = {
        "type": str(found.array.type),
        "role": found.array.role,
        "load": "; ".join(found.load.lines),
        "store": "; ".join(found.store.lines),
        "exact": found.exact,
        "loaded": found.load.total,
        "stored": found.store.total,
    }
    for key, side in (("loaded", found.load), ("stored", found.store)):
        if side.total is None:
            content[f"{key}_formula"] = None if side.summed is None else str(side.summed)
            content[f"{key}_per_tile"] = None if side.per_tile is None else str(side.per_tile)
        if side.tree is not None:
            content[f"{key}_tree"] = side.tree
    for suffix, allocation in (("", found.serial), ("_overlapped", found.overlapped)):
        content[f"live{suffix}"] = None if allocation is None else allocation.live
        content[f"allocated{suffix}"] = None if allocation is None else allocation.size
        content[f"moduli{suffix}"] = None if allocation is None else list(allocation.moduli)
    if found.serial is None:
        content["live_formula"] = None if found.live is None else str(found.live)
        content["moduli_formula"] = None if found.moduli is None else list(map(str, found.moduli))
    return content


def _policy_json(cost: PolicyCost) -> dict[str, Any]:
    return {
        "data_moved": cost.data_moved,
        "bytes_moved": cost.bytes_moved,
        "bursts": cost.bursts,
        "row_changes": cost.row_changes,
        "live": cost.live,
        "live_overlapped": cost.live_overlapped,
        "cycles": cost.cycles,
        "cycles_without_overlap": cost.cycles_without_overlap,
    }


# What a picture of transfers shows, taken from the sets of a nest and the time of its tiles on a platform.

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
        found = strips(nest)
        drawn = [name for name in traffic.load if _is_drawn(nest, name)]
        shown = _tiles_shown(nest, found)
        moves = [_moves(traffic, name, found, len(shown.labels)) for name in drawn]
    except TooHardError:
        message = f"the sets of '{nest.name}' are too large to be drawn"
        raise error("too-many-points", message, hint="set the consts smaller with --set") from None
    assert timeline is not None
    bars = BarsShown(timeline.load[:MOST_BARS], timeline.compute[:MOST_BARS], timeline.store[:MOST_BARS])
    sizes, schedules = " x ".join(map(str, nest.sizes)), "; ".join(", ".join(text) for text in nest.text)
    title = f"{nest.name}: schedule {schedules}, tiles of {sizes}"
    save_transfers(title, shown, moves, bars, _notes(nest, list(traffic.load), drawn), path)


def _is_drawn(nest: TiledNest, name: str) -> bool:
    shape = nest.arrays[name].shape
    return len(shape) in (1, 2) and int(np.prod([length or 0 for length in shape])) <= MOST_ELEMENTS


def _notes(nest: TiledNest, names: Sequence[str], drawn: Sequence[str]) -> list[str]:
    notes = [f"tiles are labelled {', '.join(nest.tile_names)}; numbers in planes count the tiles of a strip from 0"]
    rest = [name for name in names if name not in drawn]
    if rest:
        notes.append(f"not drawn, as they have not one or two dimensions or are too large: {', '.join(rest)}")
    return notes


def _tiles_shown(nest: TiledNest, found: Sequence[Numbers]) -> TilesShown:
    """Whole strips as long as there is room; at least the first tiles of the first strip."""
    total = sum(map(len, found))
    every = np.concatenate(list(found))[:MOST_TILES]
    strip = np.repeat(np.arange(len(found)), [len(one) for one in found])[:MOST_TILES]
    outer = nest.depth - nest.strip_dims
    labels = tuple(", ".join(map(str, tile)) for tile in every.tolist())
    names = nest.tile_names[:outer]
    shown = [found[number][0][:outer].tolist() for number in range(int(strip[-1]) + 1)]
    strip_labels = tuple(
        ", ".join(f"{name} = {value}" for name, value in zip(names, one, strict=True)) for one in shown
    )
    return TilesShown(labels, strip, strip_labels, total)


def _moves(traffic: Traffic, name: str, found: Sequence[Numbers], count: int) -> MovesShown:
    place = {tuple(tile): number for number, tile in enumerate(np.concatenate(list(found)).tolist())}
    starts = np.cumsum([0, *(len(one) for one in found)])
    alive = lifetimes(traffic, name)
    spans = alive.last - alive.first + 1
    steps = np.arange(int(spans.sum())) - np.repeat(np.cumsum(spans) - spans, spans)
    tile = np.repeat(starts[alive.strip] + alive.first, spans) + steps
    kept = np.column_stack([tile, np.repeat(alive.element, spans, axis=0)])

    def side(relation: Any) -> Numbers:
        pairs = rows(relation)
        numbers = np.array([place[tuple(one)] for one in pairs.domain.tolist()], np.int64)
        found_rows = np.column_stack([numbers, pairs.image])
        return found_rows[numbers < count]

    shape = tuple(length for length in traffic.nest.arrays[name].shape if length is not None)
    return MovesShown(name, shape, side(traffic.load[name]), side(traffic.store[name]), kept[tile < count])
