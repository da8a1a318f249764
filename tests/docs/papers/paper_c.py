"""What docs/papers.md says of paper C: where each number comes from, and which test shows what has none."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from functools import cache

import numpy as np
from tiled_nests import DIAGONAL, POLYPROD, shipped_nest

from arrayol.files import shipped_folder
from arrayol.tiling.enumerate import points
from arrayol.tiling.load_store import traffic
from arrayol.tiling.nest import Traffic
from hwmodel.external_memory import Bursts, port_time
from hwmodel.platform import load_platform

DEGREE, SIZE = 100, 10
TILING, MOVED = "tests/tiling", "tests/hwmodel/transfers/test_policies.py"


@cache
def moved(schedule: str) -> Traffic:
    return traffic(shipped_nest("polyprod", schedule, [str(SIZE)], 2, N=DEGREE))


def loads(schedule: str, array: str) -> list[list[int]]:
    """Strip, tile and element of each load."""
    found: list[list[int]] = points(moved(schedule).load[array].wrap().flatten()).tolist()
    return found


def loaded(schedule: str, array: str) -> str:
    return f"{len(loads(schedule, array)):,}"


def tiles() -> str:
    read = points(moved(POLYPROD).read["c"].wrap().flatten()).tolist()
    return str(len({(outer, inner) for outer, inner, _ in read}))


def most_tiles_of_a_strip(schedule: str, array: str) -> str:
    found: dict[int, set[int]] = defaultdict(set)
    for strip, tile, _ in loads(schedule, array):
        found[strip].add(tile)
    return str(max(map(len, found.values())))


def ns_per_word(addresses: list[int]) -> str:
    """Of the last of some loads of 32 bits, on the authors' board."""
    board = load_platform(shipped_folder() / "platforms" / "ddr2010.toml")
    assert board.clock_mhz
    address = np.array(addresses, dtype=np.int64)
    bursts = Bursts(address, np.full_like(address, 4), np.ones_like(address), np.zeros(len(address), bool))
    return f"{port_time(board, bursts).cycles[-1] * 1000 / board.clock_mhz:g} ns"


def printed_loads_of_c() -> str:
    """Load(0) and Load(T) of section 3.2 as printed, over all tiles."""
    count = 0
    for outer in range(DEGREE // SIZE + 1):
        for inner in range(DEGREE // SIZE + 1):
            low = DEGREE - SIZE * outer + SIZE * inner
            high = min(low + SIZE - 1, 2 * DEGREE - SIZE * outer)
            first = max(0, DEGREE - SIZE * (outer + 1) + 1) if inner == 0 else low
            count += max(0, high - first + 1)
    return f"{count:,}"


FIGURES: dict[str, Callable[[], str]] = {
    "section 2.1, tiles": tiles,
    "figure 1 (a), b": lambda: loaded(POLYPROD, "b"),
    "figure 1 (a), c": lambda: loaded(POLYPROD, "c"),
    "figure 1 (b), b": lambda: loaded(DIAGONAL, "b"),
    "figure 1 (b), c": lambda: most_tiles_of_a_strip(DIAGONAL, "c"),
    "figure 1, a": lambda: f"{loaded(POLYPROD, 'a')} and {loaded(DIAGONAL, 'a')}",
    "section 3, 10 ns": lambda: ns_per_word([0, 4, 8]),
    "section 3, 80 ns": lambda: ns_per_word([0, 2048, 4096]),
}
PRINTED: dict[str, Callable[[], str]] = {
    "section 2.1, tiles": lambda: str((DEGREE // SIZE + 1) ** 2),
    "figure 1 (a), b": lambda: str(DEGREE + 1),
    "figure 1 (a), c": printed_loads_of_c,
}

HELD = {
    "section 2.1, tiling": f"{TILING}/test_generated.py::test_generated_nests",
    "section 2.1, longer strips": f"{MOVED}::test_a_longer_strip_along_two_dimensions_moves_less",
    "figure 2": f"{MOVED}::test_double_buffering_keeps_every_synchronisation",
    "section 2.2.1, trees": f"{TILING}/test_polyprod.py::test_first_reads_are_the_tree_of_the_paper_point_by_point",
    "rules (1) to (3)": f"{TILING}/test_conditions.py::test_the_paper_s_first_read_with_its_new_parameter",
    "section 2.2.2, inverse": f"{TILING}/test_conditions.py::test_trees_name_the_tile_that_loads_or_stores",
    "section 3, strategies": f"{MOVED}::test_the_paper_s_board_gains_by_reuse_and_overlap",
    "section 3, one open row": f"{MOVED}::test_with_one_open_row_strips_gain_what_single_accesses_lose",
    "definitions 1 and 2, figures 3 and 4": f"{TILING}/test_generated.py::test_generated_nests",
    "definitions 3 and 4, figure 5": f"{TILING}/test_generated.py::test_generated_nests",
    "theorem 1": f"{TILING}/test_polyprod.py::test_both_schedules_against_all_iterations",
    "section 3.2, In(T)": f"{TILING}/test_polyprod.py::test_the_projection_of_in_keeps_to_tiles_that_run",
    "section 3.2, Load(0) and Load(T)": f"{TILING}/test_polyprod.py::test_loads_of_c_are_those_of_the_paper",
    "theorem 2, eq. 4": f"{TILING}/test_polyprod.py::test_first_access_and_difference_agree_in_the_degree",
    "theorem 3, figure 6": f"{TILING}/test_single_cells.py::test_all_sequences",
    "theorem 4, figure 7": f"{TILING}/test_single_cells.py::test_all_sequences",
    "section 4.2, all at once": f"{MOVED}::test_generated_nests_cost_what_their_tiles_cost_by_hand",
    "theorem 5": f"{TILING}/test_single_cells.py::test_all_sequences",
    "section 4.2, rejected": f"{TILING}/test_single_cells.py::test_two_formulas_that_the_paper_rejects_are_wrong",
    "section 4.2, wasteful": f"{TILING}/test_single_cells.py::test_the_third_formula_is_valid_and_wasteful",
    "theorem 6": f"{TILING}/test_single_cells.py::test_all_sequences",
    "theorem 7": f"{TILING}/test_single_cells.py::test_all_sequences",
    "section 4, simpler sets": f"{TILING}/test_single_cells.py::test_simple_sets_stay_valid",
    "section 4.3, beyond polytopes": "tests/hwmodel/emit/c/test_nest.py::test_data_decide",
    "section 1, local memory": f"{TILING}/test_liveness.py::test_no_two_elements_alive_at_once_share_a_slot",
    "section 1, code": "tests/hwmodel/emit/c/test_nest.py::test_generated_nests",
}
