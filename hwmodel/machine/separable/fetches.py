"""What policies fetch along one dimension of the blocks: when each index of an array comes, and when it is used.

Along a dimension an element is fetched once for all places that read it, for each of them, or at the walk's start.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from hwmodel.design import Policy
from hwmodel.machine.separable.axes import Ints, Link
from hwmodel.machine.separable.first_use import NEVER, Fields, Masks, Merge
from hwmodel.machine.separable.parts import Parts

Fetch = Literal["once", "each", "start"]


def fetch_of(policy: Policy, *, innermost: bool) -> Fetch:
    """How a policy fetches along a dimension: a strip runs along the innermost one of the scan."""
    if policy == "reuse":
        return "once"
    if policy == "tile" or not innermost:
        return "each"
    return "once" if policy == "strip" else "start"


@dataclass(frozen=True, eq=False)
class Each:
    """Every index with every place that reads it: the side, and the place; and how several readers were merged."""

    side: Ints
    place: Ints
    merge: Merge


def read_at_each(parts: Parts, masks: Masks, fields: Fields, block: int, array: str) -> Each:
    """The places at which each index of an array is read, as pairs, each once."""
    places = int(max(work.max(initial=0, where=work != NEVER) for work in fields.work.values())) + 1
    keys = [_pairs(parts, masks, fields, block, link, places) for link in parts.reads[array]]
    together = np.unique(np.concatenate(keys))
    cells = _cells(parts, block, array)
    sides = len(fields.work[parts.group.last])
    side = together // (cells * places)
    number = np.bincount(side, minlength=sides)
    leads = np.stack([np.bincount(key // (cells * places), minlength=sides) == number for key in keys])
    leaders = (np.int64(1) << np.arange(len(keys))) @ leads.astype(np.int64)
    return Each(side, together % places, Merge(np.logical_not(leads.all(axis=0)), leaders))


def _cells(parts: Parts, block: int, array: str) -> int:
    axis = parts.axes[array][block]
    return 1 if axis is None else parts.group.accesses.shape(array)[axis]


def _pairs(parts: Parts, masks: Masks, fields: Fields, block: int, link: Link, places: int) -> Ints:
    """Side, index and place of all that one tiler reads, as one number each."""
    rider, axis = parts.riders[link.task][block], parts.axes[link.array][block]
    work, cells = fields.work[link.task], _cells(parts, block, link.array)
    if rider is not None and rider in link.allowed:
        work = np.where(link.allowed[rider], work, NEVER)
    if axis is not None and rider is not None and link.axes[axis].dimension == rider:
        index, found = link.axes[axis].element, work[:, link.axes[axis].repetition]
        side, pair = np.nonzero(found != NEVER)
        return np.unique((side * cells + index[pair]) * places + found[side, pair])
    side, repetition = np.nonzero(work != NEVER)
    at = np.unique(side * places + work[side, repetition])
    touched = np.zeros(1, np.int64) if axis is None else np.flatnonzero(masks.touched(parts, link, axis))
    whole = (at // places * cells)[:, None] + touched
    return np.unique(whole * places + (at % places)[:, None])
