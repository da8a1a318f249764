"""A search whose arrays lie in the channels that suit each design best, with a bound of what others would gain."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from time import monotonic

from arrayol.arrays import IntArray
from dse.results.pick import keeps
from dse.results.schema import (
    DeviceRecord,
)
from dse.search.context import SearchRequest
from dse.search.described import NOT_SIMULATED, SearchResult, ascending_front, records_of
from dse.search.shown.placement import objective_rows, placed, shortfall
from dse.search.shown.variants import contexts_of
from dse.space.mappings import MappingSpace
from hwmodel.channels import channel_numbers

Search = Callable[[MappingSpace, SearchRequest], tuple[SearchResult, DeviceRecord | None]]
SHORT = 0.01  # of an objective, that other channels may gain at most


def placed_search(
    space: MappingSpace, request: SearchRequest, search: Search
) -> tuple[SearchResult, DeviceRecord | None]:
    """Search with open channels, and place what is found; where that falls short, search as sizes place arrays too."""
    began = monotonic()
    found, device = search(space.in_channels(None), request)
    least = objective_rows(found.space, found.columns, found.designs)
    own = _placed(found, least)
    left = None if request.timeout is None else request.timeout - (monotonic() - began)
    is_over = not found.searched.complete or (left is not None and left < 1)
    if not own.shortfall or (own.shortfall <= SHORT and own.designs) or (is_over and own.designs):
        return own, device
    request.announce(
        "no placement of arrays serves all designs best: searching again with arrays placed by their sizes"
    )
    numbers = tuple(channel_numbers(space.accesses, space.model.platform).items())
    asked = replace(request, timeout=left)
    usual, device = search(space.in_channels(numbers), asked)
    return _together(own, usual, least), device


def _placed(found: SearchResult, least: IntArray) -> SearchResult:
    """The designs of a search with open channels, each placed; those that then keep the constraints."""
    space, known, is_best = placed(found.space, (*found.designs, *found.others))
    columns, others = found.columns, tuple(known[design] for design in found.others)
    designs = tuple(known[design] for design in found.designs)
    if is_best:
        front = found.front if found.front != found.designs else designs
        return replace(_in_space(found, space), designs=designs, front=front, others=others, shortfall=0.0)
    records = records_of(space, columns, designs, [NOT_SIMULATED] * len(designs))
    kept = [
        design
        for design, record in zip(designs, records, strict=True)
        if all(keeps(record, constraint) for constraint in columns.constraints)
    ]
    front = ascending_front(replace(found, space=space), kept)
    short = shortfall(least, objective_rows(space, columns, front))
    return replace(_in_space(found, space), designs=front, front=front, others=others, shortfall=short)


def _in_space(found: SearchResult, space: MappingSpace) -> SearchResult:
    """What a search has found in a space whose designs lie in certain channels, without its groups, which do not."""
    parts = (replace(found.searched, groups={}),)
    return replace(found, space=space, contexts=contexts_of(space, found.columns.names), parts=parts)


def _together(own: SearchResult, usual: SearchResult, least: IntArray) -> SearchResult:
    """The front of two searches, of which the first has open channels and is placed, the second has those of sizes."""
    choices = dict.fromkeys(design.choice for design in (*own.designs, *own.others, *usual.designs, *usual.others))
    space = replace(own.space, placements=tuple(choices))
    found = _in_space(usual, space)
    front = ascending_front(found, (*own.designs, *usual.designs))
    known = set(front)
    others = tuple(design for design in dict.fromkeys((*own.others, *usual.others)) if design not in known)
    counts = own.searched.counts + usual.searched.counts
    return replace(
        found,
        searched=replace(usual.searched, counts=counts),
        designs=front,
        front=front,
        others=others,
        shortfall=shortfall(least, objective_rows(space, found.columns, front)),
    )
