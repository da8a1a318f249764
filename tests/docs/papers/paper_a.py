"""What docs/papers.md says of paper A: where each number comes from, and which test shows what has none."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from networks import link, network, platform, process

from arrayol import api
from arrayol.files import shipped_folder
from arrayol.ir.network import Network, Process, flatten
from dse.results.exploration import Exploration
from hwmodel.design import Fusion
from hwmodel.published.group import PublishedDesign
from hwmodel.published.model import PublishedModel

CHOSEN = "2+2"  # the paper's Psol_1
FILTERS = ("hflr", "vftd", "hfrl", "vfbu")
MODEL = "tests/hwmodel/published/test_model.py"
PAGE = "tests/docs/test_published_page.py"


@cache
def lpsf() -> Exploration:
    return api.explore(shipped_folder() / "lpsf.aol", model="published", keep_all=True)


@cache
def filters() -> Network:
    return flatten(api.load(shipped_folder() / "lpsf.aol"), "lpsf")


def design(name: str = CHOSEN) -> PublishedDesign:
    """A fusion of LPSF by the lengths of its groups, priced by the model."""
    lengths = [int(part) for part in name.split("+")]
    starts = [sum(lengths[:place]) for place in range(len(lengths))]
    groups = tuple(FILTERS[start : start + length] for start, length in zip(starts, lengths, strict=True))
    found = PublishedModel(filters(), platform(30, 4)).evaluate(Fusion(groups))
    assert isinstance(found, PublishedDesign)
    return found


def priced(made: Network, m: int, **intervals: int) -> dict[str, tuple[int, int]]:
    """Units and block of each processor of a network in one group, with 30 cycles of latency."""
    found = PublishedModel(made, platform(30, m, **intervals)).evaluate(Fusion((tuple(made.processes),)))
    assert isinstance(found, PublishedDesign)
    return {one.process: (one.units, one.block) for one in found.processors}


def example_1(m: int) -> dict[str, tuple[int, int]]:
    """Figure 7: P_k takes 6 elements from outside and 3 of P_l for each of its own; C is 6 and 3."""
    shapes = {"x0": (64,), "q": (64,), "xj": (64,), "xi": (64,)}
    made = [
        process("l", [link("q", 1)], [link("xj", 1)]),
        process("k", [link("x0", 6), link("xj", 3)], [link("xi", 1)]),
    ]
    return priced(network(shapes, made, ["xi"]), m, l=3, k=6)


def one_unit_and_two_flows() -> int:
    """The block of a processor of one unit that reads and writes outside, and nothing else does."""
    made = network({"a": (64,), "b": (64,)}, [process("f", [link("a", 1)], [link("b", 1)])], ["b"])
    return priced(made, 1)["f"][1]


def first() -> Process:
    return filters().processes["hflr"]


def vector(values: set[object]) -> str:
    """The one value that all filters have, as a vector of four."""
    (value,) = values
    return f"({', '.join([str(value)] * len(FILTERS))})"


def whole_image() -> int:
    (held,) = next(one.whole_arrays_data for one in lpsf().result.designs or () if one.id == "1+2+1").values()
    return held


FIGURES: dict[str, Callable[[], str]] = {
    "figure 2": lambda: f"{len(filters().processes)} filters",
    "figure 3, repetitions": lambda: " x ".join(map(str, reversed(first().repetition))),
    "figure 3, pattern": lambda: f"{first().inputs[0].port.shape[0]} pixels",
    "figure 3, frame": lambda: " x ".join(map(str, reversed(filters().arrays["p0"].shape))),
    "figure 3, d": lambda: str(tuple(first().delays[0].vector)),
    "example 1, figure 7": lambda: f"{example_1(4)['l'][0]} units of P_l for {example_1(4)['k'][0]} of P_k",
    "example 2, processors": lambda: str(len(design().processors)),
    "example 2, C_x": lambda: vector({one.initiation for one in design().processors}),
    "example 2, N_cu": lambda: vector({one.units for one in design().processors}),
    "example 2, X_out": lambda: vector({one.block for one in design().processors}),
    "example 2, IM": lambda: f"{design().internal_memory_elements:,} elements",
    "example 2, AL": lambda: f"{design().latency_cycles:,} cycles",
    "section 4, 60 elements": lambda: f"{design().processors[0].block} elements",
    "section 4, partitions of 4": lambda: str(sum(len(one.partitions) for one in lpsf().result.space.subspaces)),
    "section 4, subspaces": lambda: str(len(lpsf().result.space.subspaces)),
    "figure 9, comparisons": lambda: (
        f"{lpsf().result.comparisons.subspaces} instead of {lpsf().result.comparisons.all_pairs}"
    ),
    "figure 9, whole image": lambda: f"{whole_image():,} elements",
    "figure 9, Psol": lambda: " and ".join(f"[{', '.join(one.id.split('+'))}]" for one in lpsf().result.pareto),
}

HELD = {
    "figure 1": "tests/execute/test_lpsf.py::test_it_equals_four_recursions",
    "section 2, tilers": "tests/pictures/test_tiler.py::test_coloured_cells_equal_the_formula",
    "section 2, kinds of tasks": "tests/execute/test_oracle.py::test_execution_is_what_the_interpreter_says",
    "section 2, single assignment": "tests/polyhedral/test_accesses.py::test_clash_equals_enumeration",
    "section 2, any schedule": "tests/hwmodel/simulator/test_shipped.py::test_designs_on_the_plain_front",
    "section 2, transformations": "tests/transforms/test_fuse.py::test_all_four_filters_of_lpsf_in_either_order",
    "section 3.1, figure 4": "tests/hwmodel/emit/verilog/test_designs.py::test_shipped_specifications",
    "section 3.1, FIFO": "tests/hwmodel/simulator/test_fifos.py::test_a_fifo_of_a_shipped_design_needs_its_bank",
    "section 3.1, ports": "tests/hwmodel/simulator/test_banks.py::test_a_port_fewer_is_used_twice",
    "eq. 1, figure 5": f"{MODEL}::test_a_fused_chain_keeps_the_criteria_with_the_fewest_units",
    "definition 1, eqs. 2 and 3": f"{MODEL}::test_all_apart_is_the_plain_sum",
    "definition 2, figure 6": f"{MODEL}::test_all_apart_is_the_plain_sum",
    "eqs. 4 to 6": f"{MODEL}::test_a_fused_chain_keeps_the_criteria_with_the_fewest_units",
    "definitions 3 to 7": f"{PAGE}::test_the_matrices_are_those_of_the_links",
    "criterion 1": f"{PAGE}::test_criterion_1_as_printed_bounds_nothing",
    "criteria 2 and 3": f"{MODEL}::test_a_fused_chain_keeps_the_criteria_with_the_fewest_units",
    "section 4, the flow": "tests/dse/results/test_steps.py::test_blocks_hold_what_the_model_asks_for",
    "section 4, the five rules": "tests/hwmodel/published/test_specs.py::test_lpsf",
}
