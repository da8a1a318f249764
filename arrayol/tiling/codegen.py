"""Loops that run through the strips, tiles, elements and instances of a nest: isl's code generator's, as plain trees.

A set is scanned in the order of a map from its points to times. isl makes loops that visit each point once and in that
order; what is fixed in a loop (the strip's or the tile's coordinates) is a parameter of the set, free in the texts.
Expressions are texts in C's syntax of int64 values; they may call `floord(n, d)` (division that rounds down), `min` and
`max`. Divisions written `/` and `%` have no remainder, respectively no negative operand.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import islpy as isl

from arrayol.polyhedral.isl import bounded_effort
from arrayol.tiling.enumerate import tile_set
from arrayol.tiling.nest import TiledNest
from arrayol.tiling.relations import parametric, tile_of_time

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
class PointAction:
    """What happens at a point: `label` says what, the arguments are the point's coordinates."""

    label: str
    arguments: tuple[str, ...]


Node = For | If | PointAction


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
    inside = parametric(_tiles(nest), isl.dim_type.set, names[:outer])
    return _prefixed(_scan([("tile", inside, None)], inside.params(), names[outer:]), tuple(names[:outer]))


def element_loops(relation: isl.Map, nest: TiledNest, names: Sequence[str]) -> tuple[Node, ...]:
    """Through the elements that belong to one tile: Run("element") with subscripts.

    `relation` goes from tiles to elements; a tile's coordinates are free in the texts, under `names`.
    """
    tiles = parametric(_tiles(nest), isl.dim_type.set, names).params()
    elements = parametric(relation, isl.dim_type.in_, names).range()
    rank = elements.dim(isl.dim_type.set)
    return _scan([("element", elements, None)], tiles, [f"e{axis}" for axis in range(rank)])


def instance_loops(nest: TiledNest, names: Sequence[str]) -> tuple[Node, ...]:
    """Through the instances of one tile in the order of their times: Run("S2") for statement 2, with its indices."""
    tiles = parametric(_tiles(nest), isl.dim_type.set, names).params()
    order, wanted = tile_of_time(nest), []
    times = ", ".join(f"x{axis}" for axis in range(nest.depth))
    for statement in nest.statements:
        label, last = f"S{statement.number}", f"x{nest.depth}"
        inside = statement.schedule.intersect_domain(statement.domain)
        domain = parametric(inside.apply_range(order).reverse(), isl.dim_type.in_, names).range()
        place = isl.Map(f"{{ [{times}] -> [{times}, {last}] : {last} = {statement.number} }}")
        wanted.append((label, domain, inside.apply_range(place)))
    return _scan(wanted, tiles, [f"x{axis}" for axis in range(nest.depth + 1)])


def _tiles(nest: TiledNest) -> isl.Set:
    """All tiles that hold an instance."""
    with bounded_effort(OPERATIONS):
        return tile_set(nest)


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
        return tuple(child for place in range(children.n_ast_node()) for child in _nodes(children.get_ast_node(place)))
    if kind == _FOR:
        body = _nodes(node.for_get_body())
        name, first = node.for_get_iterator().to_C_str(), node.for_get_init().to_C_str()
        if node.for_is_degenerate():  # mostly its only value stands in the body already
            return (For(name, first, f"{name} <= ({first})", "1", body),) if _mentions(body, name) else body
        return (For(name, first, node.for_get_cond().to_C_str(), node.for_get_inc().to_C_str(), body),)
    if kind == _IF:
        otherwise = _nodes(node.if_get_else_node()) if node.if_has_else_node() else ()
        return (If(node.if_get_cond().to_C_str(), _nodes(node.if_get_then_node()), otherwise),)
    call = node.user_get_expr()
    parts = [call.get_op_arg(place) for place in range(call.get_op_n_arg())]
    return (PointAction(parts[0].get_id().get_name(), tuple(part.to_C_str() for part in parts[1:])),)


def _mentions(nodes: tuple[Node, ...], name: str) -> bool:
    """Whether a variable stands in a tree."""
    word = re.compile(rf"\b{name}\b")

    def inside(node: Node) -> bool:
        match node:
            case For():
                return any(map(word.search, (node.first, node.condition, node.step))) or any(map(inside, node.body))
            case If():
                return bool(word.search(node.condition)) or any(map(inside, (*node.then, *node.otherwise)))
            case PointAction():
                return any(map(word.search, node.arguments))

    return any(map(inside, nodes))


def _prefixed(nodes: tuple[Node, ...], first: tuple[str, ...]) -> tuple[Node, ...]:
    """A tree with further arguments before those of each Run."""
    tree: list[Node] = []
    for node in nodes:
        match node:
            case For():
                tree.append(For(node.name, node.first, node.condition, node.step, _prefixed(node.body, first)))
            case If():
                tree.append(If(node.condition, _prefixed(node.then, first), _prefixed(node.otherwise, first)))
            case PointAction():
                tree.append(PointAction(node.label, (*first, *node.arguments)))
    return tuple(tree)
