"""What the picture of a comparison shows: arrays by bank, and reductions against unroll factors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

import numpy as np
from numpy.typing import NDArray

from arrayol.errors import ArrayolError
from arrayol.ir.spec import Shape, Spec
from arrayol.pictures.shown import ArrayMaps, BankMap, LayoutPicture, Reductions
from hwmodel.banks.layouts import CUSTOM, CYCLIC, CYCLIC_TRUE, NAIVE, Comparison, fixed_and_custom_costs
from hwmodel.banks.nest import unrolled_nest
from hwmodel.banks.placement import custom_bank, linear_bank

ROWS, COLUMNS, ARRAYS = 12, 16, 4  # shown at most
MEMORIES = (4, 8)
FACTORS = (1, 2, 4, 8)
_SERIES = ((CYCLIC, "cyclic, static view"), (CYCLIC_TRUE, "cyclic, true banks"), (CUSTOM, "custom"))


def picture(spec: Spec, found: Comparison) -> LayoutPicture:
    """The maps of the first arrays, and the reductions for 4 and 8 memories over the two loops that are unrolled."""
    shown = list(found.linear)[:ARRAYS]
    loops = _varied_loops(found)
    reductions, refused = _reductions(spec, found, loops)
    remarks = [f"rule {found.choices.rule}, partition {found.choices.partition}"]
    remarks += [] if loops else ["there is no loop to unroll"]
    if len(found.linear) > len(shown):
        remarks.append(f"not drawn: {', '.join(list(found.linear)[ARRAYS:])}")
    if refused:
        remarks.append(f"these unroll factors are refused: {', '.join(refused)}")
    factors = "x".join(map(str, found.factors)) or "by nothing"
    title = f"{found.nest.name}, unrolled {factors}: elements by bank, {found.choices.banks} banks"
    names = " x ".join(_loop_names(found)[loop] for loop in loops)
    return LayoutPicture(title, tuple(_maps(found, name) for name in shown), reductions, names, tuple(remarks))


def _maps(found: Comparison, array: str) -> ArrayMaps:
    shape = found.nest.arrays[array].shape
    rows, columns = _window(shape)
    elements = _elements(shape, rows, columns)
    maps = tuple(replace(one, bank=one.bank.reshape(rows, columns)) for one in _bank_maps(found, array, elements))
    leading = "".join("0, " for _ in shape[:-2])
    part = f"[{leading}0..{rows}, 0..{columns}]" if len(shape) > 1 else f"[0..{columns}]"
    extents = ", ".join("*" if extent is None else str(extent) for extent in shape)
    return ArrayMaps(array, f"elements {part} of [{extents}]", maps)


def _window(shape: Shape) -> tuple[int, int]:
    columns = COLUMNS if shape[-1] is None else min(COLUMNS, shape[-1])
    if len(shape) == 1:
        return 1, columns
    return ROWS if shape[-2] is None else min(ROWS, shape[-2]), columns


def _elements(shape: Shape, rows: int, columns: int) -> NDArray[np.int64]:
    """The elements of the window, all other coordinates 0, one row each."""
    found = np.zeros((rows * columns, len(shape)), dtype=np.int64)
    found[:, -1] = np.tile(np.arange(columns), rows)
    if len(shape) > 1:
        found[:, -2] = np.repeat(np.arange(rows), columns)
    return found


def _bank_maps(found: Comparison, array: str, elements: NDArray[np.int64]) -> Iterator[BankMap]:
    banks, linear = found.choices.banks, found.linear[array]
    yield BankMap("naive", np.zeros(len(elements), dtype=np.int64), 1, "one memory")
    yield BankMap("cyclic", elements[:, -1] % banks, banks, "column modulo banks")
    memories = found.custom.of_array(array)
    note = "1 virtual memory" if len(memories) == 1 else f"{len(memories)} virtual memories"
    yield BankMap("custom", custom_bank(found.custom, array, elements), banks, note)
    if linear.banks is None:
        yield BankMap("linear", np.zeros(len(elements), dtype=np.int64), 1, missing="no linear mapping found")
    else:
        bank = linear_bank(elements, linear.vector, linear.block, linear.banks)
        yield BankMap("linear", bank, linear.banks, f"{linear.banks} bank{'s' if linear.banks > 1 else ''} of its own")


def _loop_names(found: Comparison) -> list[str]:
    return [loop.name for loop in max((body.loops for body in found.nest.bodies), key=len)]


def _varied_loops(found: Comparison) -> tuple[int, ...]:
    """At most two loops: those that are unrolled, then the innermost."""
    factors = found.factors
    wanted = [place for place, factor in enumerate(factors) if factor > 1]
    wanted += [place for place in reversed(range(len(factors))) if place not in wanted]
    return tuple(sorted(wanted[:2]))


def _reductions(spec: Spec, found: Comparison, loops: Sequence[int]) -> tuple[tuple[Reductions, ...], list[str]]:
    """A chart for each number of memories, if there is a loop, and the factors that cannot be unrolled."""
    nests, refused = {}, []
    for chosen in product(FACTORS, repeat=len(loops)):
        factors = list(found.factors)
        for loop, factor in zip(loops, chosen, strict=True):
            factors[loop] = factor
        label = "x".join(map(str, chosen))
        try:
            nests[label] = unrolled_nest(spec, found.nest.name, factors)
        except ArrayolError:
            refused.append(label)
    charts = []
    for banks in MEMORIES if loops else ():
        choices = replace(found.choices, banks=banks)
        costs = [fixed_and_custom_costs(nest, choices) for nest in nests.values()]
        series = tuple(
            (title, tuple(_percent(cost[name].reduction(cost[NAIVE])) for cost in costs)) for name, title in _SERIES
        )
        charts.append(Reductions(banks, tuple(nests), series))
    return tuple(charts), refused


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share
