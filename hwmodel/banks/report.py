"""A comparison of layouts as JSON (docs/layout.md, "The rewritten specification, the picture, JSON")."""

from __future__ import annotations

from typing import Any

from hwmodel.banks.formulas import gather_text, original_text, reference_text, scatter_text
from hwmodel.banks.layouts import NAIVE, Comparison
from hwmodel.banks.renaming import VirtualMemory

Json = dict[str, Any]


def to_json(found: Comparison) -> Json:
    """The document of `layout --json`."""
    choices = found.choices
    return {
        "task": found.nest.name,
        "rule": choices.rule,
        "banks": choices.banks,
        "unroll": [list(body.factors) for body in found.nest.bodies],
        "partition": choices.partition,
        "scalar_replacement": choices.scalar_replacement,
        "merge_equal": choices.merge_equal,
        "layouts": {name: _cost(found, name) for name in found.costs},
        "arrays": {name: _array(found, name) for name in found.linear},
        "reorganisation": _reorganisation(found),
        "remarks": remarks(found),
    }


def remarks(found: Comparison) -> list[str]:
    """What a user should know besides the figures."""
    unused = [name for name in found.nest.arrays if name not in found.linear]
    told = [f"'{name}' is never accessed: it has no layout" for name in unused]
    told += [f"'{name}': {one.gave_up}" for name, one in found.linear.items() if one.gave_up is not None]
    return told


def _cost(found: Comparison, name: str) -> Json:
    cost = found.costs[name]
    reduction = cost.reduction(found.costs[NAIVE])
    return {
        "cycles": cost.cycles,
        "memories": cost.memories,
        "reduction": None if reduction is None else round(reduction, 6),
    }


def _array(found: Comparison, name: str) -> Json:
    linear = found.linear[name]
    return {
        "linear": {
            "banks": linear.banks,
            "vector": None if linear.banks is None else list(linear.vector),
            "block": None if linear.banks is None else linear.block,
            "bound": linear.bound,
            "exact": linear.exact,
        },
        "replicated": name in found.replicated,
        "partitions": [
            _partition(found, memory, bank)
            for memory, bank in zip(found.custom.memories, found.custom.bank, strict=True)
            if memory.array == name
        ],
    }


def _partition(found: Comparison, memory: VirtualMemory, bank: int) -> Json:
    loops = [body.loops for body in found.nest.bodies]
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


def _reorganisation(found: Comparison) -> Json | None:
    cost = found.reorganisation
    if cost is None:
        return None
    return {
        "elements_in": cost.elements_in,
        "elements_out": cost.elements_out,
        "cycles_in": cost.cycles_in,
        "cycles_out": cost.cycles_out,
        "exact": cost.exact,
        "break_even": cost.break_even,
    }
