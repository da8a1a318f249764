"""What `transfers` tells of a nest: sets, sizes, allocations and the costs of the policies, and their JSON.

A nest of numbers is walked: its sets are listed element by element, so totals, live sets and allocations are exact. Of
strips that run alike one is enough where there are too many elements to list. Where a name stays symbolic, or even that
is too much, isl counts the sets as formulas instead.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, TypeVar

from arrayol.errors import ArrayolError
from arrayol.ir.spec import Spec
from arrayol.polyhedral.isl import TooHardError
from arrayol.tiling.allocation import Allocation, Modulus, allocate_all, as_variable, moduli_formula
from arrayol.tiling.conditions import conditions, loading_tree, tiles_text, tree_text
from arrayol.tiling.counting import size_formula, total_formula
from arrayol.tiling.enumerate import strips, tile_set
from arrayol.tiling.liveness import Walk, lifetimes_on, live
from arrayol.tiling.nest import NestArray, TiledNest, Traffic
from arrayol.tiling.polynomials import Formula
from hwmodel.assumptions import assumed_by_transfers
from hwmodel.platform import Platform
from hwmodel.transfers.keeps import KeepCost, keep_costs
from hwmodel.transfers.policies import PlanContext, PolicyCost, elementary_of, evaluate

_Found = TypeVar("_Found")


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
    `from_strip_to_strip` says that some elements of a local are kept beyond a strip.
    """

    array: NestArray
    load: Side
    store: Side
    exact: bool
    serial: Allocation | None
    overlapped: Allocation | None
    live: Formula | None
    moduli: tuple[Modulus, ...] | None
    from_strip_to_strip: bool


@dataclass(frozen=True)
class Report:
    """Everything about a tiled nest.

    `keeps` has, where it was asked for, what each array moves if it is kept at other levels of the tiles.
    `strips` and `tiles` count; None where a name stays symbolic. `tiles_where` says which tiles there are, as
    conditions on their coordinates. `remark` says why something is missing, or is empty; `assumed` what the prices, if
    there are any, assume of the platform.
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
    keeps: Mapping[str, tuple[KeepCost, ...]]
    remark: str
    assumed: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """The document of `transfers --json` (docs/transfers.md, "Pictures, JSON, Python")."""
        keeps = {name: [cost.to_json() for cost in costs] for name, costs in self.keeps.items()}
        return {
            "spec": self.spec,
            "component": self.nest.name,
            "statements": [statement.number for statement in self.nest.statements],
            "schedules": [", ".join(text) for text in self.nest.text],
            "tile": list(self.nest.sizes),
            "strip_dims": self.nest.strip_dims,
            "symbolic": list(self.nest.symbols),
            "simplified": self.simplified,
            "strips": self.strips,
            "tiles": self.tiles,
            "tiles_where": self.tiles_where,
            "platform": self.platform,
            "arrays": {name: _array_json(array) for name, array in self.arrays.items()},
            "policies": {name: _policy_json(cost) for name, cost in self.policies.items()},
            **({"keeps": keeps} if keeps else {}),
            "remark": self.remark,
            "assumed": list(self.assumed),
        }


def report(
    spec: Spec, traffic: Traffic, platform: Platform, origin: str, *, trees: bool = False, keeps: bool = False
) -> Report:
    """All about the transfers of a nest; `origin` names the platform. With `trees`, the sets as trees too.

    With `keeps`, what arrays move that are kept at other levels, where the nest has no names left and can be walked.

    Where a nest is too large to be walked, one strip of each kind is, and there are no prices; where that is too much
    as well, counts are formulas. `remark` says so.
    """
    nest = traffic.nest
    prices = None if nest.symbols else _unless_too_large(lambda: evaluate(spec, traffic, platform))
    by_kinds = prices is None
    walked = None if nest.symbols else _unless_too_large(lambda: _walked(traffic, by_kinds=by_kinds, trees=trees))
    arrays = walked or {name: _array(traffic, name, None, trees=trees) for name in _touched(nest)}
    tiles = None if walked is None else strips(nest)
    return Report(
        spec.name,
        nest,
        traffic.simplified,
        arrays,
        None if tiles is None else len(tiles),
        None if tiles is None else sum(map(len, tiles)),
        tiles_text(tile_set(nest), nest),
        origin,
        prices or {},
        keep_costs(PlanContext(spec, traffic, platform)) if keeps and prices else {},
        "" if nest.symbols or prices is not None else f"{_TOO_LARGE}{_FORMULAS if walked is None else _KINDS}",
        assumed_by_transfers(elementary_of(spec, nest.name), platform, origin) if prices else (),
    )


_TOO_LARGE = "too large to be walked element by element: "
_FORMULAS = "counts by formula, and no costs of policies"
_KINDS = "one strip of each kind is walked, and there are no costs of policies"


def _unless_too_large(found: Callable[[], _Found]) -> _Found | None:
    try:
        return found()
    except TooHardError:
        return None
    except ArrayolError as refused:
        if refused.diagnostics[0].code != "nest-too-large":
            raise
        return None


def _walked(traffic: Traffic, *, by_kinds: bool, trees: bool) -> dict[str, ArrayReport]:
    every: dict[int, Walk] = {}

    def walk(name: str) -> Walk:
        nest = traffic.nests[name]
        if by_kinds:
            return Walk.by_kinds(traffic, name)
        if nest.strip_dims not in every:
            every[nest.strip_dims] = Walk.through(nest)
        return every[nest.strip_dims]

    return {name: _array(traffic, name, walk(name), trees=trees) for name in _touched(traffic.nest)}


def _touched(nest: TiledNest) -> list[str]:
    """The arrays that the tiled statements touch, in the order of the signature."""
    touched = {reach.array for statement in nest.statements for reach in (*statement.reads, *statement.writes)}
    return [name for name in nest.arrays if name in touched]


def _array(traffic: Traffic, name: str, walk: Walk | None, *, trees: bool) -> ArrayReport:
    """What one array moves: counted on a walk, or by formula where there is none."""
    variable = as_variable(traffic.nest.arrays[name]) if name in traffic.variables else None
    return ArrayReport(
        traffic.nest.arrays[name],
        _side(traffic.load[name], traffic.nest, name, walk, trees=trees),
        _side(traffic.store[name], traffic.nest, name, walk, trees=trees),
        traffic.exact[name],
        variable or (allocate_all(lifetimes_on(walk, traffic, name)) if walk else None),
        variable or (allocate_all(lifetimes_on(walk, traffic, name, overlapped=True)) if walk else None),
        None if walk or variable else size_formula(live(traffic, name), traffic.nest),
        None if walk or variable else moduli_formula(traffic, name),
        traffic.nests[name].strip_dims > traffic.nest.strip_dims,
    )


def _side(  # an isl.Map, handed on
    relation: Any, nest: TiledNest, name: str, walk: Walk | None, *, trees: bool
) -> Side:
    summed = None if walk else total_formula(relation, nest)
    total = walk.total(relation) if walk else None
    if summed is not None and not nest.symbols:
        total = summed.at({})
    tree = loading_tree(relation, nest) if trees else None
    return Side(
        conditions(relation, nest, name, tile_set(nest)),
        total,
        None if walk else size_formula(relation, nest),
        summed,
        None if tree is None else tree_text(tree),
    )


def _array_json(array: ArrayReport) -> dict[str, Any]:
    content: dict[str, Any] = {
        "type": str(array.array.type),
        "role": array.array.role,
        "load": "; ".join(array.load.lines),
        "store": "; ".join(array.store.lines),
        "exact": array.exact,
        "loaded": array.load.total,
        "stored": array.store.total,
    }
    if array.array.is_local:
        content["around"] = [outer.name for outer in array.array.around]
        content["from_strip_to_strip"] = array.from_strip_to_strip
    for key, side in (("loaded", array.load), ("stored", array.store)):
        if side.total is None:
            content[f"{key}_formula"] = None if side.summed is None else str(side.summed)
            content[f"{key}_per_tile"] = None if side.per_tile is None else str(side.per_tile)
        if side.tree is not None:
            content[f"{key}_tree"] = side.tree
    for suffix, allocation in (("", array.serial), ("_overlapped", array.overlapped)):
        content[f"live{suffix}"] = None if allocation is None else allocation.live
        content[f"allocated{suffix}"] = None if allocation is None else allocation.size
        content[f"moduli{suffix}"] = None if allocation is None else list(allocation.moduli)
    if array.serial is None:
        content["live_formula"] = None if array.live is None else str(array.live)
        content["moduli_formula"] = None if array.moduli is None else list(map(str, array.moduli))
    return content


def _policy_json(cost: PolicyCost) -> dict[str, int | None]:
    """All figures of a policy; the timeline is for pictures."""
    return {part.name: getattr(cost, part.name) for part in fields(cost) if part.name != "timeline"}
