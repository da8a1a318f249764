"""What docs/papers.md says of paper B: where each number comes from, and which test shows what has none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from itertools import product
from math import prod

import numpy as np
from addresses import cyclic_place, naive_place
from loading import spec_of
from paper_table import FOUR_REFERENCES, LOOPS, TABLE_1, reference

from arrayol import api
from arrayol.files import shipped_folder
from hwmodel.banks.custom import rename
from hwmodel.banks.formulas import reference_text
from hwmodel.banks.layouts import CUSTOM, CYCLIC, NAIVE, Choices
from hwmodel.banks.nest import lay_out
from hwmodel.banks.partition import paper_partition
from hwmodel.banks.references import ArrayInfo, Reference, Subscript
from hwmodel.banks.report import custom_bank

KERNELS = ("fir", "jacobi", "pattern", "sobel", "matmul")
ADD_ONE = "elementary add_one(B: i32[32, 16]) -> (A: i32[32, 16]) { A[i, j] = B[i, j] + 1 for i in 0..32, j in 0..16 }"
BANKS = "tests/hwmodel/banks"
Factors = tuple[int, ...]
# Kernel and memories of table 2, with the unroll factors of the design whose cycles are nearest to the printed ones.
NEAREST: Mapping[tuple[str, int], tuple[str, Factors]] = {
    ("FIR", 4): ("fir", (2, 4)),
    ("FIR", 8): ("fir", (4, 4)),
    ("JAC", 4): ("jacobi", (2, 2)),
    ("JAC", 8): ("jacobi", (2, 4)),
    ("PAT", 4): ("pattern", (4, 4)),
    ("PAT", 8): ("pattern", (4, 4)),
    ("SOBEL", 4): ("sobel", (1, 2)),
    ("SOBEL", 8): ("sobel", (1, 2)),
    ("MM", 4): ("matmul", (1, 1, 2)),
    ("MM", 8): ("matmul", (1, 1, 4)),
}


@cache
def shipped(name: str) -> api.Spec:
    return api.load(shipped_folder() / f"{name}.aol")


def percent(share: float | None) -> str:
    return f"{round(100 * (share or 0), 2):g}%"


@cache
def saved(name: str, factors: Factors, banks: int) -> dict[str, str]:
    """What each layout saves of naive's cycles, at the same factors and without registers (section 6.1)."""
    costs = lay_out(shipped(name), name, factors, Choices(banks)).costs
    return {layout: percent(cost.reduction(costs[NAIVE])) for layout, cost in costs.items()}


def both(name: str, factors: Factors, banks: int) -> str:
    found = saved(name, factors, banks)
    return f"custom {found[CUSTOM]}, cyclic {found[CYCLIC]}"


def alike(layouts: Iterable[str], factors: Factors, banks: int) -> str:
    """The one number of JAC and SOBEL by all these layouts."""
    (found,) = {saved(name, factors, banks)[layout] for name in ("jacobi", "sobel") for layout in layouts}
    return found


@cache
def saved_with_registers(name: str, factors: Factors, banks: int) -> float:
    """Of the cycles of the nest as it is written, in one memory (table 2)."""
    plain = lay_out(shipped(name), name, (1,) * len(factors), Choices(banks)).costs[NAIVE].cycles
    found = lay_out(shipped(name), name, factors, Choices(banks, scalar_replacement=True)).costs[CUSTOM].cycles
    assert plain
    assert found
    return 1 - found / (plain * prod(factors))


def range_of_table_2() -> str:
    found = [saved_with_registers(name, factors, banks) for (_, banks), (name, factors) in NEAREST.items()]
    return f"{percent(min(found))} to {percent(max(found))}"


def fetched_at_once(layout: str) -> str:
    """How many of B[0..1, 0..1] figure 2 fetches at once: the memories that they lie in."""
    found = lay_out(spec_of(ADD_ONE), "add_one", (2, 2), Choices(4))
    elements = np.array(list(product(range(2), repeat=2)), dtype=np.int64)
    banks = {
        NAIVE: lambda: naive_place(found.nest.arrays, "B", elements)[0],
        CYCLIC: lambda: cyclic_place(found.nest.arrays, "B", elements, 4)[0],
        CUSTOM: lambda: custom_bank(found.custom, "B", elements),
    }[layout]()
    return str(len(set(banks.tolist())))


def renamed(references: tuple[Reference, ...]) -> str:
    info = ArrayInfo("A", (10**30,) * len(references[0].subscripts), live_in=True, live_out=True)
    names = {
        one.number: reference_text(memory.name, new, LOOPS)
        for memory in rename(paper_partition(references), info, {"A"})
        for one, new in zip(memory.references, memory.renamed, strict=True)
    }
    return ", ".join(names[number] for number in sorted(names))


def stride_and_offset() -> str:
    subscript = Subscript((2, 4), 1)
    return f"{subscript.stride} and {subscript.offset}"


THREE_REFERENCES = [reference(0, ((4,), 0)), reference(1, ((4,), 1)), reference(2, ((2,), 0))]
_DIRECT: dict[str, Callable[[], str]] = {
    "figure 2 (a)": lambda: fetched_at_once(NAIVE),
    "figure 2 (b)": lambda: fetched_at_once(CYCLIC),
    "figure 2 (c)": lambda: fetched_at_once(CUSTOM),
    "section 4.1, eq. 1": stride_and_offset,
    "section 4.2, three references": lambda: str(len(paper_partition(THREE_REFERENCES))),
    "section 4.2, four references": lambda: str(len(paper_partition(FOUR_REFERENCES))),
    "section 4.3.2, M_v": lambda: ", ".join(str(len(paper_partition(row.references))) for row in TABLE_1),
    "section 6, kernels": lambda: str(sum((shipped_folder() / f"{name}.aol").is_file() for name in KERNELS)),
    "section 6, memories": lambda: str(api.local_banks(shipped("sobel"))),
    "section 6.1, inner loop, 4": lambda: alike((CYCLIC, CUSTOM), (1, 4), 4),
    "section 6.1, inner loop, 8": lambda: alike((CYCLIC, CUSTOM), (1, 8), 8),
    "section 6.1, 2x2, cyclic": lambda: alike((CYCLIC,), (2, 2), 4),
    "section 6.1, 2x2, custom": lambda: alike((CUSTOM,), (2, 2), 4),
    "section 6.1, outer loop": lambda: both("jacobi", (4, 1), 4),
    "section 6.1, MM": lambda: both("matmul", (1, 2, 2), 4),
    "section 6.1, FIR": lambda: both("fir", (4, 1), 4),
    "section 6.1, PAT": lambda: both("pattern", (1, 4), 4),
    "abstract, reduction": range_of_table_2,
}
FIGURES: dict[str, Callable[[], str]] = {
    **_DIRECT,
    **{f"table 1 ({row.name})": lambda row=row: renamed(row.references) for row in TABLE_1},  # type: ignore[misc]
    **{
        f"table 2, {kernel}, {banks}": lambda name=name, factors=factors, banks=banks: percent(  # type: ignore[misc]
            saved_with_registers(name, factors, banks)
        )
        for (kernel, banks), (name, factors) in NEAREST.items()
    },
}

HELD = {
    "figure 1": f"{BANKS}/test_figures.py::test_figure_1c_names_and_subscripts",
    "figure 2, cells": f"{BANKS}/test_figures.py::test_figure_2c_custom",
    "figure 3, steps 2 and 3": f"{BANKS}/test_emit_aol.py::test_kernels",
    "theorem 1, eq. 2": f"{BANKS}/test_partition.py::test_independent_references_name_no_common_element",
    "eq. 3, figure 4": (
        f"{BANKS}/test_partition.py::test_fig_4_parts_only_what_is_independent_and_the_finer_one_parts_as_much_or_more"
    ),
    "eqs. 4 to 6, figure 5": f"{BANKS}/test_custom_memories.py::test_table_1_after_renaming",
    "theorem 2": f"{BANKS}/test_custom_memories.py::test_every_reference_finds_its_element_in_its_memory",
    "theorem 3": f"{BANKS}/test_custom_memories.py::test_different_elements_have_different_places",
    "footnote 1": f"{BANKS}/test_layouts.py::test_copies_are_made_where_they_save_cycles",
    "footnote 4": f"{BANKS}/test_custom_memories.py::test_negative_strides_and_offsets_round_down",
    "section 4.5, eq. 7": f"{BANKS}/test_custom_memories.py::test_reorganise_then_restore_gives_the_array_back",
    "theorem 4": f"{BANKS}/test_custom_memories.py::test_every_reference_finds_its_element_in_its_memory",
    "section 5, enough memories": (
        f"{BANKS}/test_custom_banks.py::test_each_memory_has_a_bank_of_its_own_while_there_are_enough"
    ),
    "section 5, too few": (
        f"{BANKS}/test_custom_banks.py::test_longest_first_keeps_grahams_bound_against_the_exhaustive_optimum"
    ),
    "section 5, scheduling": f"{BANKS}/test_custom_banks.py::test_ties_decide_among_equal_banks_only",
    "figure 6": f"{BANKS}/test_figures.py::test_the_table_of_the_manual",
}
