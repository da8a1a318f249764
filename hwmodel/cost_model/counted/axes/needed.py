"""The elements of a piece that are needed outside its group: all, none, a product of index sets, or another set."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from arrayol.arrays import IntArray
from hwmodel.cost_model.counted.axes.axes import Mask, Parts
from hwmodel.cost_model.counted.axes.links import TilerLink, separate

Needed = Literal["all", "unlike", ""] | tuple[Mask, ...]  # a product, by axis, or unlike one


def needed_of(parts: Parts, piece: TilerLink) -> Needed:
    """The elements of a piece that outputs of the network or other groups need.

    "all", "" (none), masks by axis if they are a product of index sets, else "unlike".
    """
    group, array = parts.group, parts.array_of(piece.piece)
    if group.network.arrays[array].is_output:
        return "all"
    reads = [separate(group.accesses, touch, parts.spaces) for touch in group.outside_touches(array)]
    sizes = [None if link is None or not _happens(link) else link.within(piece).size for link in reads]
    if piece.size in sizes:
        return "all"  # one tiler reads all of it: a quick answer, as the next
    if not any(sizes) and None not in sizes:
        return ""
    elements = parts.elements_of(piece)
    needed = elements[group.needed_outside(array)[elements]]
    if len(needed) in (0, len(elements)):
        return "all" if len(needed) else ""
    return _as_product(parts, piece, needed) or "unlike"


def _happens(link: TilerLink) -> bool:
    """Whether some repetition accesses through a tiler."""
    return all(map(np.any, link.allowed.values()))


def _as_product(parts: Parts, link: TilerLink, elements: IntArray) -> tuple[Mask, ...] | None:
    """The masks, by axis, whose product is the set of these elements of a piece; None if it is not such a product.

    None, too, where products are not followed: for arrays of several pieces, pieces that the group does not read, and
    groups with merged dimensions.
    """
    if parts.spaces.couple or link.piece not in parts.reads or len(parts.pieces[parts.array_of(link.piece)]) > 1:
        return None
    shape = [along.extent for along in link.axes]
    indices = zip(np.unravel_index(elements, shape), shape, strict=True)
    masks = tuple(np.bincount(index, minlength=extent) > 0 for index, extent in indices)
    return masks if math.prod(int(index.sum()) for index in masks) == len(elements) else None
