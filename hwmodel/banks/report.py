"""A comparison of layouts as JSON, and as what its picture shows.

docs/layout.md, "The rewritten specification, the picture, JSON".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import IntArray
from arrayol.errors import ArrayolError
from arrayol.ir.spec import Shape, Spec
from arrayol.pictures.shown import ArrayMaps, BankMap, ExploredLayouts, LayoutPicture, Reductions
from arrayol.text import counted
from hwmodel.banks.custom import Custom, VirtualMemory
from hwmodel.banks.explore import LayoutDesign, LayoutExploration
from hwmodel.banks.formulas import gather_text, original_text, reference_text, scatter_text
from hwmodel.banks.layouts import CUSTOM, CYCLIC, CYCLIC_TRUE, NAIVE, Comparison, fixed_and_custom_costs
from hwmodel.banks.linear_banks import words_of
from hwmodel.banks.nest import unrolled_nest
from hwmodel.banks.partition import Lattice

Json = dict[str, Any]


def to_json(comparison: Comparison) -> Json:
    """The document of `layout --json`."""
    choices = comparison.choices
    return {
        "task": comparison.nest.name,
        "rule": choices.rule,
        "banks": choices.banks,
        "ports": choices.ports,
        "unroll": [list(body.factors) for body in comparison.nest.bodies],
        "partition": choices.partition,
        "scalar_replacement": choices.scalar_replacement,
        "merge_equal": choices.merge_equal,
        "layouts": {name: _cost(comparison, name) for name in comparison.costs},
        "arrays": {name: _array(comparison, name) for name in comparison.linear},
        "reorganisation": None if comparison.reorganisation is None else asdict(comparison.reorganisation),
        "remarks": remarks(comparison),
    }


def remarks(comparison: Comparison) -> list[str]:
    """What a user should know besides the figures."""
    unused = [name for name in comparison.nest.arrays if name not in comparison.linear]
    told = list(comparison.choices.assumed)
    told += [f"'{name}' is never accessed: it has no layout" for name in unused]
    told += [f"'{name}': {linear.gave_up}" for name, linear in comparison.linear.items() if linear.gave_up is not None]
    return told


def _cost(comparison: Comparison, name: str) -> Json:
    cost = comparison.costs[name]
    reduction = cost.reduction(comparison.costs[NAIVE])
    return {
        "cycles": cost.cycles,
        "memories": cost.memories,
        "reduction": None if reduction is None else round(reduction, 6),
    }


def _array(comparison: Comparison, name: str) -> Json:
    linear = comparison.linear[name]
    return {
        "linear": {
            "banks": linear.banks,
            "vector": None if linear.banks is None else list(linear.vector),
            "block": None if linear.banks is None else linear.block,
            "words": words_of(comparison.nest.arrays[name].shape, linear),
            "bound": linear.bound,
            "exact": linear.exact,
        },
        "replicated": name in comparison.replicated,
        "partitions": [
            _partition(comparison, memory, bank)
            for memory, bank in zip(comparison.custom.memories, comparison.custom.bank, strict=True)
            if memory.array == name
        ],
    }


def _partition(comparison: Comparison, memory: VirtualMemory, bank: int) -> Json:
    loops = [body.loops for body in comparison.nest.bodies]
    return {
        "memory": memory.name,
        "references": [original_text(each, loops[each.body]) for each in memory.references],
        "suffix": list(memory.suffix),
        "strides": list(memory.strides),
        "shape": list(memory.shape),
        "renamed": [
            reference_text(memory.name, new, loops[each.body])
            for each, new in zip(memory.references, memory.renamed, strict=True)
        ],
        "bank": bank,
        "reorganise": gather_text(memory),
        "restore": scatter_text(memory),
    }


def exploration_to_json(exploration: LayoutExploration) -> Json:
    """The document of `layout --explore --json`."""
    choices = exploration.choices
    return {
        "task": exploration.task,
        "loops": list(exploration.loops),
        "rule": choices.rule,
        "banks": choices.banks,
        "partition": choices.partition,
        "scalar_replacement": choices.scalar_replacement,
        "merge_equal": choices.merge_equal,
        "most": exploration.most,
        "tried": exploration.tried,
        "refused": [list(factors) for factors in exploration.refused],
        "naive_cycles": float(exploration.naive.cycles),
        "iterations": float(exploration.iterations),
        "front": [_design(exploration, design) for design in exploration.front],
        "by_copies": {
            str(banks): [_design(exploration, design) for design in best] for banks, best in exploration.best.items()
        },
        "remarks": list(choices.assumed),
    }


def _design(exploration: LayoutExploration, design: LayoutDesign) -> Json:
    return {
        "unroll": list(design.factors),
        "copies": design.copies,
        "layout": design.layout,
        "banks": design.banks,
        "memories": design.memories,
        "ports": design.ports,
        "cycles": float(design.cycles),
        "reduction": round(design.reduction(exploration.naive), 6),
    }


def exploration_picture(exploration: LayoutExploration) -> ExploredLayouts:
    """Its front by layout and ports, and the custom layout by copies of the body."""
    series: dict[str, list[tuple[int, float]]] = {}
    for design in sorted(exploration.front, key=lambda design: (design.ports, design.layout)):
        name = f"{design.layout.replace('_', ', ')}, {counted(design.ports, 'port')}"
        series.setdefault(name, []).append((design.memories, float(design.cycles / exploration.iterations)))
    copies = [
        (
            f"custom, {counted(banks, 'bank')}",
            tuple((one.copies, 100 * one.reduction(exploration.naive)) for one in best),
        )
        for banks, best in exploration.best.items()
    ]
    title = f"{exploration.task}: unroll factors and bank layouts together"
    remark = f"rule {exploration.choices.rule}, partition {exploration.choices.partition}; left: what nothing beats"
    remark += " in cycles, memories, ports and copies; naive: as written, in one memory of one port"
    return ExploredLayouts(title, tuple((name, tuple(own)) for name, own in series.items()), tuple(copies), remark)


# Where each element of an array lies under a layout: its bank, and its address there.

Elements = NDArray[np.int64]  # one row per element
NOWHERE = -1  # of an element that no reference can name


def custom_bank(custom: Custom, name: str, elements: Elements) -> IntArray:
    """The bank of each element's virtual memory."""
    banks = np.full(len(elements), NOWHERE, dtype=np.int64)
    for memory, bank in zip(custom.memories, custom.bank, strict=True):
        if memory.array == name and memory.replica == 0:
            banks[held_by(memory, elements)] = bank
    return banks


def linear_bank(elements: Elements, vector: Sequence[int], block: int, banks: int) -> IntArray:
    """The bank floor(a.x / B) mod N."""
    return np.asarray((elements @ np.array(vector, dtype=np.int64)) // block % banks, dtype=np.int64)


def held_by(memory: VirtualMemory, elements: Elements) -> NDArray[np.bool_]:
    """Which of the elements a virtual memory holds."""
    held = np.zeros(len(elements), dtype=np.bool_)
    for lattice in memory.lattices:
        held |= _in_lattice(lattice, elements)
    return held


def _in_lattice(lattice: Lattice, elements: Elements) -> NDArray[np.bool_]:
    inside = np.ones(len(elements), dtype=np.bool_)
    for column, (stride, first) in zip(elements.T, lattice, strict=True):
        inside &= column % stride == first if stride else column == first
    return inside


# What the picture of a comparison shows: arrays by bank, and reductions against unroll factors.

ROWS, COLUMNS, ARRAYS = 12, 16, 4  # shown at most
MEMORIES = (4, 8)
FACTORS = (1, 2, 4, 8)
_SERIES = ((CYCLIC, "cyclic, static view"), (CYCLIC_TRUE, "cyclic, true banks"), (CUSTOM, "custom"))


def picture(spec: Spec, comparison: Comparison) -> LayoutPicture:
    """The maps of the first arrays, and the reductions for 4 and 8 memories over the two loops that are unrolled."""
    shown = list(comparison.linear)[:ARRAYS]
    loops = _varied_loops(comparison)
    reductions, refused = _reductions(spec, comparison, loops)
    remarks = [f"rule {comparison.choices.rule}, partition {comparison.choices.partition}"]
    remarks += [] if loops else ["there is no loop to unroll"]
    if len(comparison.linear) > len(shown):
        remarks.append(f"not drawn: {', '.join(list(comparison.linear)[ARRAYS:])}")
    if refused:
        remarks.append(f"these unroll factors are refused: {', '.join(refused)}")
    factors = "x".join(map(str, comparison.factors)) or "by nothing"
    title = f"{comparison.nest.name}, unrolled {factors}: elements by bank, {comparison.choices.banks} banks"
    names = " x ".join(_loop_names(comparison)[loop] for loop in loops)
    return LayoutPicture(title, tuple(_maps(comparison, name) for name in shown), reductions, names, tuple(remarks))


def _maps(comparison: Comparison, array: str) -> ArrayMaps:
    shape = comparison.nest.arrays[array].shape
    rows, columns = _window(shape)
    elements = _elements(shape, rows, columns)
    maps = (replace(shown, bank=shown.bank.reshape(rows, columns)) for shown in _bank_maps(comparison, array, elements))
    leading = "".join("0, " for _ in shape[:-2])
    part = f"[{leading}0..{rows}, 0..{columns}]" if len(shape) > 1 else f"[0..{columns}]"
    extents = ", ".join("*" if extent is None else str(extent) for extent in shape)
    return ArrayMaps(array, f"elements {part} of [{extents}]", tuple(maps))


def _window(shape: Shape) -> tuple[int, int]:
    columns = COLUMNS if shape[-1] is None else min(COLUMNS, shape[-1])
    if len(shape) == 1:
        return 1, columns
    return ROWS if shape[-2] is None else min(ROWS, shape[-2]), columns


def _elements(shape: Shape, rows: int, columns: int) -> NDArray[np.int64]:
    """The elements of the window, all other coordinates 0, one row each."""
    elements = np.zeros((rows * columns, len(shape)), dtype=np.int64)
    elements[:, -1] = np.tile(np.arange(columns), rows)
    if len(shape) > 1:
        elements[:, -2] = np.repeat(np.arange(rows), columns)
    return elements


def _bank_maps(comparison: Comparison, array: str, elements: NDArray[np.int64]) -> Iterator[BankMap]:
    banks, linear = comparison.choices.banks, comparison.linear[array]
    yield BankMap("naive", np.zeros(len(elements), dtype=np.int64), 1, "one memory")
    yield BankMap("cyclic", elements[:, -1] % banks, banks, "column modulo banks")
    memories = comparison.custom.of_array(array)
    note = counted(len(memories), "virtual memory", "virtual memories")
    yield BankMap("custom", custom_bank(comparison.custom, array, elements), banks, note)
    if linear.banks is None:
        yield BankMap("linear", np.zeros(len(elements), dtype=np.int64), 1, missing="no linear mapping found")
    else:
        bank = linear_bank(elements, linear.vector, linear.block, linear.banks)
        yield BankMap("linear", bank, linear.banks, f"{counted(linear.banks, 'bank')} of its own")


def _loop_names(comparison: Comparison) -> list[str]:
    return [loop.name for loop in max((body.loops for body in comparison.nest.bodies), key=len)]


def _varied_loops(comparison: Comparison) -> tuple[int, ...]:
    """At most two loops: those that are unrolled, then the innermost."""
    factors = comparison.factors
    wanted = [place for place, factor in enumerate(factors) if factor > 1]
    wanted += [place for place in reversed(range(len(factors))) if place not in wanted]
    return tuple(sorted(wanted[:2]))


def _reductions(spec: Spec, comparison: Comparison, loops: Sequence[int]) -> tuple[tuple[Reductions, ...], list[str]]:
    """A chart for each number of memories, if there is a loop, and the factors that cannot be unrolled."""
    nests, refused = {}, []
    for chosen in product(FACTORS, repeat=len(loops)):
        factors = list(comparison.factors)
        for loop, factor in zip(loops, chosen, strict=True):
            factors[loop] = factor
        label = "x".join(map(str, chosen))
        try:
            nests[label] = unrolled_nest(spec, comparison.nest.name, factors)
        except ArrayolError:
            refused.append(label)
    charts = []
    for banks in MEMORIES if loops else ():
        choices = replace(comparison.choices, banks=banks)
        costs = [fixed_and_custom_costs(nest, choices) for nest in nests.values()]
        series = tuple(
            (title, tuple(_percent(cost[name].reduction(cost[NAIVE])) for cost in costs)) for name, title in _SERIES
        )
        charts.append(Reductions(banks, tuple(nests), series))
    return tuple(charts), refused


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share
