"""Loops that run through sets of integers: what isl's code generator makes of them, as plain trees.

Expressions are texts in C's syntax of int64 values; they may call `floord(n, d)` (division that rounds down), `min` and
`max`. Divisions written `/` and `%` have no remainder, respectively no negative operand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import islpy as isl

from arrayol.polyhedral.isl import bounded_effort
from arrayol.tiling.enumerate import tile_set
from arrayol.tiling.nest import TiledNest
from arrayol.tiling.relations import tile_of_time

_BLOCK, _FOR, _IF = (getattr(isl.ast_node_type, name) for name in ("block", "for_", "if_"))
OPERATIONS = 20_000_000  # for one tree; the nests that people write take some ten thousand


@dataclass(frozen=True, slots=True)
class For:
    """`for (name = first; condition; name += step) body`."""

    name: str
    first: str
    condition: str
    step: str
    body: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class If:
    condition: str
    then: tuple[Node, ...]
    otherwise: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Run:
    """What happens at a point: `label` says what, the arguments are the point's coordinates."""

    label: str
    arguments: tuple[str, ...]


Node = For | If | Run


def strip_loops(nest: TiledNest, names: Sequence[str]) -> tuple[Node, ...]:
    """Through the strips of a nest without symbols, in order: Run("strip") with the outer coordinates of its tiles.

    `names` are the loops' variables, one per outer coordinate. Raises TooHardError, as all here.
    """
    outer = nest.depth - nest.strip_dims
    strips = _tiles(nest).project_out(isl.dim_type.set, outer, nest.strip_dims)
    return _scan([("strip", strips, None)], isl.Set("{ : }"), names)


def tile_loops(nest: TiledNest, names: Sequence[str]) -> tuple[Node, ...]:
    """Through the tiles of one strip that hold an instance, in order: Run("tile") with all coordinates.

    The outer coordinates are free in the texts, under the first of `names`.
    """
    outer = nest.depth - nest.strip_dims
    inside = _opened(_tiles(nest), names[:outer])
    found = _scan([("tile", inside, None)], inside.params(), names[outer:])
    return _prefixed(found, tuple(names[:outer]))


def element_loops(relation: isl.Map, nest: TiledNest, names: Sequence[str]) -> tuple[Node, ...]:
    """Through the elements that belong to one tile: Run("element") with subscripts.

    `relation` goes from tiles to elements; a tile's coordinates are free in the texts, under `names`.
    """
    tiles = _opened(_tiles(nest), names).params()
    elements = _opened_range(relation, names)
    rank = elements.dim(isl.dim_type.set)
    return _scan([("element", elements, None)], tiles, [f"e{axis}" for axis in range(rank)])


def instance_loops(nest: TiledNest, names: Sequence[str]) -> tuple[Node, ...]:
    """Through the instances of one tile in the order of their times: Run("S2") for statement 2, with its indices."""
    tiles = _opened(_tiles(nest), names).params()
    order, wanted = tile_of_time(nest), []
    for statement in nest.statements:
        label, last = f"S{statement.number}", f"x{nest.depth}"
        inside = statement.schedule.intersect_domain(statement.domain)
        domain = _opened_range(inside.apply_range(order).reverse(), names)
        place = isl.Map(
            f"{{ [{_unknowns(nest.depth)}] -> [{_unknowns(nest.depth)}, {last}] : {last} = {statement.number} }}"
        )
        wanted.append((label, domain, inside.apply_range(place)))
    return _scan(wanted, tiles, [f"x{axis}" for axis in range(nest.depth + 1)])


def _unknowns(count: int) -> str:
    return ", ".join(f"x{axis}" for axis in range(count))


def _tiles(nest: TiledNest) -> isl.Set:
    """All tiles that hold an instance."""
    with bounded_effort(OPERATIONS):
        return tile_set(nest)


def _opened(found: isl.Set, names: Sequence[str]) -> isl.Set:
    """The set with its first coordinates as parameters of those names."""
    moved = found.move_dims(isl.dim_type.param, 0, isl.dim_type.set, 0, len(names))
    for place, name in enumerate(names):
        moved = moved.set_dim_name(isl.dim_type.param, place, name)
    return moved


def _opened_range(relation: isl.Map, names: Sequence[str]) -> isl.Set:
    """The images of a point, whose coordinates become parameters of those names."""
    moved = relation.move_dims(isl.dim_type.param, 0, isl.dim_type.in_, 0, len(names))
    for place, name in enumerate(names):
        moved = moved.set_dim_name(isl.dim_type.param, place, name)
    return moved.range()


def _scan(
    wanted: Sequence[tuple[str, isl.Set, isl.Map | None]], context: isl.Set, names: Sequence[str]
) -> tuple[Node, ...]:
    """Through labelled sets, each in the order of its map, or as it is."""
    with bounded_effort(OPERATIONS):
        schedule = isl.UnionMap("{ }")
        for label, domain, order in wanted:
            named = (order if order is not None else domain.identity()).intersect_domain(domain).coalesce()
            schedule = schedule.union(isl.UnionMap.from_map(named.set_tuple_name(isl.dim_type.in_, label)))
        if schedule.is_empty():
            return ()
        iterators = isl.IdList.alloc(isl.DEFAULT_CONTEXT, len(names))
        for name in names:
            iterators = iterators.add(isl.Id(name))
        build = isl.AstBuild.from_context(context).set_iterators(iterators)
        return _nodes(build.node_from_schedule_map(schedule))


def _nodes(node: isl.AstNode) -> tuple[Node, ...]:
    kind = node.get_type()
    if kind == _BLOCK:
        children = node.block_get_children()
        return tuple(one for place in range(children.n_ast_node()) for one in _nodes(children.get_ast_node(place)))
    if kind == _FOR:
        body = _nodes(node.for_get_body())
        if node.for_is_degenerate():
            return body  # its only value stands in the body already
        name, first = node.for_get_iterator().to_C_str(), node.for_get_init().to_C_str()
        return (For(name, first, node.for_get_cond().to_C_str(), node.for_get_inc().to_C_str(), body),)
    if kind == _IF:
        otherwise = _nodes(node.if_get_else_node()) if node.if_has_else_node() else ()
        return (If(node.if_get_cond().to_C_str(), _nodes(node.if_get_then_node()), otherwise),)
    call = node.user_get_expr()
    parts = [call.get_op_arg(place) for place in range(call.get_op_n_arg())]
    return (Run(parts[0].get_id().get_name(), tuple(part.to_C_str() for part in parts[1:])),)


def _prefixed(nodes: tuple[Node, ...], first: tuple[str, ...]) -> tuple[Node, ...]:
    """The same tree with further arguments before those of each Run."""
    found: list[Node] = []
    for node in nodes:
        match node:
            case For():
                found.append(For(node.name, node.first, node.condition, node.step, _prefixed(node.body, first)))
            case If():
                found.append(If(node.condition, _prefixed(node.then, first), _prefixed(node.otherwise, first)))
            case Run():
                found.append(Run(node.label, (*first, *node.arguments)))
    return tuple(found)
