"""The transfers of a nest as text: the sets of each tile, sizes, allocations, policies and synchronisations."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from io import TextIOWrapper
from math import prod

import click
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from arrayol.tiling.allocation import Allocation
from arrayol.tiling.formulas import Formula
from arrayol.tiling.moduli import Modulus
from arrayol.tiling.nest import TiledNest
from hwmodel.transfers.overlap import synchronisations
from hwmodel.transfers.report import ArrayReport, Report, Side
from hwmodel.transfers.study import shown

_PIPED_WIDTH = 120
_POLICIES = {
    "remote": "every access",
    "tile": "per tile",
    "strip-reuse": "strip reuse",
    "whole-strip": "whole strip",
}


def show(found: Report) -> None:
    """Print a report on stdout, as wide as the terminal or COLUMNS say."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    for line in _lines(found):
        click.echo(line.rstrip())
    if found.policies:
        width = None if sys.stdout.isatty() or "COLUMNS" in os.environ else _PIPED_WIDTH
        console = Console(width=width, markup=False, emoji=False, highlight=False)
        with console.capture() as text:
            console.print("", _policy_table(found), sep="\n")
        click.echo("\n".join(line.rstrip() for line in text.get().splitlines()))
        for line in _synchronisation_lines():
            click.echo(line)
        click.echo(f"\nplatform  {found.platform}")


def _lines(found: Report) -> Iterator[str]:
    nest = found.nest
    counts = (
        "" if found.strips is None else f": {_counted(found.strips, 'strip')}, {_counted(found.tiles or 0, 'tile')}"
    )
    yield f"{nest.name} {shown(nest)}{counts}"
    yield _tiles_line(nest)
    yield f"tiles where {found.tiles_where}"
    if nest.before or nest.after:
        yield "; ".join(_around(nest))
    if found.simplified:
        yield "simplified: one polyhedron for each array and set"
    if found.remark:
        yield found.remark
    for one in found.arrays.values():
        yield ""
        yield from _array_lines(one)


def _tiles_line(nest: TiledNest) -> str:
    """What the coordinates of a tile mean."""
    names = nest.tile_names
    inner = names[nest.depth - nest.strip_dims :]
    kinds = ["starts at" if origin else "numbers" for origin in nest.by_origin]
    parts = [f"{name} {kind} dimension {place}" for place, (name, kind) in enumerate(zip(names, kinds, strict=True), 1)]
    return f"tiles: {', '.join(parts)} of the schedule; a strip runs along {' and '.join(inner)}"


def _around(nest: TiledNest) -> Iterator[str]:
    for numbers, word in ((nest.before, "before"), (nest.after, "after")):
        if numbers:
            noun = "statement" if len(numbers) == 1 else "statements"
            verb = "runs" if len(numbers) == 1 else "run"
            yield f"{noun} {', '.join(map(str, numbers))} {verb} {word} all tiles"


def _array_lines(found: ArrayReport) -> Iterator[str]:
    array = found.array
    lengths = [length for length in array.shape if length is not None]
    shape = f"[{', '.join(map(str, lengths))}]" if lengths else ""
    approximated = "" if found.exact else "; accesses known only approximately"
    yield f"{array.name}: {array.type}{shape}, {array.role}{approximated}"
    for word, side in (("load", found.load), ("store", found.store)):
        yield from _side_lines(word, side)
    yield from _size_lines(found)


def _side_lines(word: str, side: Side) -> Iterator[str]:
    for place, line in enumerate(side.lines or ("nothing",)):
        yield f"  {word if not place else '':<8}{line}"
    if side.tree is not None and side.lines:
        yield f"  {'':<8}as a tree: the tile that {word}s an element"
        for line in side.tree.splitlines():
            yield f"  {'':<10}{line}"


def _size_lines(found: ArrayReport) -> Iterator[str]:
    if found.load.total is not None and found.store.total is not None:
        size = prod(length for length in found.array.shape if length is not None)
        yield f"  moved   {found.load.total:,} loaded, {found.store.total:,} stored over all tiles; it has {size:,}"
    else:
        for word, side in (("loaded", found.load), ("stored", found.store)):
            if side.lines:
                yield from _formula_lines(word, "per tile", side.per_tile)
                yield from _formula_lines("", "in all", side.summed)
        yield from _formula_lines("kept", "per tile", found.live)
        for axis, modulus in enumerate(found.moduli or ()):
            yield from _formula_lines(
                "" if axis else "modulo", f"of x{axis}" if len(found.moduli or ()) > 1 else "", modulus
            )
    for word, allocation in (("kept", found.serial), ("doubled", found.overlapped)):
        if allocation is not None:
            slots = f"{_counted(allocation.size, 'slot')}{_slot(allocation)}"
            yield f"  {word:<8}{allocation.live:,} alive at most, in {slots}"
            yield f"  {'':<8}{allocation.reason}"


def _formula_lines(word: str, what: str, formula: Formula | Modulus | None) -> Iterator[str]:
    for line in ["no formula found"] if formula is None else str(formula).splitlines():
        yield f"  {word:<8}{what:<10}{line}"
        word = what = ""


def _slot(found: Allocation) -> str:
    """The slot of an element x0, x1, ..."""
    if not found.moduli:
        return ""
    axes = [f"x{axis}" for axis in range(len(found.matrix[0]))] if len(found.matrix[0]) > 1 else ["x"]
    texts = []
    for row, modulus in zip(found.matrix, found.moduli, strict=True):
        terms = [(factor, axis) for factor, axis in zip(row, axes, strict=True) if factor]
        form = " + ".join(_term(factor, axis) for factor, axis in terms).replace("+ -", "- ")
        texts.append(f"{form} mod {modulus}" if len(terms) == 1 else f"({form}) mod {modulus}")
    return f": {', '.join(texts)}"


def _term(factor: int, axis: str) -> str:
    return {1: axis, -1: f"-{axis}"}.get(factor, f"{factor} {axis}")


def _policy_table(found: Report) -> Table:
    """Remote accesses one by one; each tile for itself; reuse inside a strip; a strip as a whole before its tiles."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="")
    table.add_column("transfers", no_wrap=True)
    for header in ("data\nmoved", "bursts", "row\nchanges", "live\ndata", "cycles\noverlapped", "cycles\nin turn"):
        table.add_column(header, justify="right", no_wrap=True)
    for name, cost in found.policies.items():
        figures = (cost.data_moved, cost.bursts, cost.row_changes, cost.live, cost.cycles, cost.cycles_without_overlap)
        table.add_row(_POLICIES[name], *("-" if one is None else f"{one:,}" for one in figures))
    return table


def _synchronisation_lines() -> Iterator[str]:
    yield ""
    yield "double buffering: while tile T is computed, T + 1 is loaded and T - 1 is stored; each strip keeps this order"
    for one in synchronisations():
        later = f"T + {one.distance}" if one.distance else "T"
        order = f"{one.first} of T before {one.then} of {later}"
        yield f"  {order:<38}{one.reason}"


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
