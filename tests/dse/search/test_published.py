"""Explorations: LPSF as the paper tells it, generated networks against pricing everything, and what is infeasible."""

from __future__ import annotations

import json
from math import log2
from pathlib import Path

import numpy as np
import pytest
from networks import link, network, platform, process

from arrayol import api
from arrayol.errors import ArrayolError, InfeasibleError
from arrayol.ir.network import Network
from dse.pareto.hypervolume import box_share, corner_of, octaves_of
from dse.results.exploration import Exploration, Labels
from dse.results.rows import identifier
from dse.search.context import SearchRequest
from dse.search.published import Progress, explore
from dse.space.fusions import subspaces
from dse.space.objectives import PUBLISHED, chosen
from dse.space.task_graph import task_graph
from hwmodel.design import Fusion
from hwmodel.published.group import Infeasible, PublishedDesign
from hwmodel.published.model import PublishedModel

SPECS = Path(__file__).resolve().parents[3] / "specs"
LABELS = Labels("by hand", "published", "by hand")
DEFAULT = ("latency_cycles", "internal_memory_elements")


@pytest.fixture(scope="module")
def lpsf() -> Exploration:
    return api.explore(api.load(SPECS / "lpsf.aol"), model="published", keep_all=True)


def fork_join() -> Network:
    """Split, two branches of different rates, join: ten legal fusions."""
    return network(
        {"in": (64,), "s": (64,), "a": (32,), "b": (16,), "out": (16,)},
        [
            process("split", [link("in", 4)], [link("s", 4)]),
            process("left", [link("s", 4)], [link("a", 2)]),
            process("right", [link("s", 4)], [link("b", 1)]),
            process("join", [link("a", 2), link("b", 1)], [link("out", 1)]),
        ],
        ["out"],
    )


def chain(length: int) -> Network:
    """Tasks that alternate in rate and direction."""
    directions = (((1,),), ((1,),), ((-1,),))
    extents = [1024 >> place for place in range(length + 1)]
    return network(
        {f"a{place}": (extent,) for place, extent in enumerate(extents)},
        [
            process(
                f"t{place}",
                [link(f"a{place}", 2, paving=directions[place % 3])],
                [link(f"a{place + 1}", 1, paving=directions[place % 3])],
            )
            for place in range(length)
        ],
        [f"a{length}"],
    )


def test_lpsf_as_the_paper_has_it(lpsf: Exploration) -> None:
    result = lpsf.result
    assert [design.id for design in result.pareto] == ["4", "2+2"]
    assert result.pareto[1].fusion == (("hflr", "vftd"), ("hfrl", "vfbu"))
    assert (result.comparisons.subspaces, result.comparisons.all_pairs) == (32, 56)
    assert [(one.groups, one.fusions, one.pareto) for one in result.space.subspaces] == [
        *((1, 1, 1), (2, 3, 1), (3, 3, 2), (4, 1, 1))
    ]
    assert result.space.subspaces[1].partitions == {"3+1": 2, "2+2": 1}
    assert (result.evaluated, result.infeasible, result.infeasible_example, result.exact) == (8, 0, None, True)


def test_a_design_of_lpsf(lpsf: Exploration) -> None:
    whole, pairs = lpsf.result.pareto
    assert list(pairs.objectives.items()) == [
        ("latency_cycles", 4147200),
        ("internal_memory_elements", 15360),
        ("internal_memory_bits", 15360 * 32),
        ("units", 16),
        ("latency_microseconds", 41472.0),
    ]
    assert {task: (processor.units, processor.block_data) for task, processor in pairs.processors.items()} == (
        dict.fromkeys(("hflr", "vftd", "hfrl", "vfbu"), (4, 480))
    )
    assert (pairs.verified, pairs.flows, pairs.whole_arrays_data) == (None, 4, {})
    assert whole.whole_arrays_data == {"p2": 2073600}


def test_the_hypervolume_of_lpsf_by_hand(lpsf: Exploration) -> None:
    found = lpsf.result.hypervolume
    # In octaves: [4] has half the cycles of [2,2] and 135.5 times its memory; the corner is a tenth of that beyond.
    cycles, memory = 1, log2(2081280 / 15360)
    corner = {"latency_cycles": 4147200 * 2**0.1, "internal_memory_elements": 2081280 * 2 ** (memory / 10)}
    assert found.reference == pytest.approx(corner)
    # [4] up to the reference, and what [2,2] adds below [4]'s memory.
    assert found.value == pytest.approx(1.1 * cycles * 0.1 * memory + 0.1 * cycles * memory)


def test_the_json_keys(lpsf: Exploration) -> None:
    document = json.loads(lpsf.result.to_json())
    assert {"spec", "model", "platform", "objectives", "method", "exact", "space", "evaluated"} < document.keys()
    assert {"comparisons", "pareto", "designs"} < document.keys()
    assert document["comparisons"] == {"subspaces": 32, "all_pairs": 56}
    assert {"id", "fusion", "objectives", "verified"} < document["pareto"][0].keys()
    assert "designs" not in json.loads(api.explore(api.load(SPECS / "lpsf.aol"), model="published").result.to_json())


def test_all_designs_in_the_order_of_the_space(lpsf: Exploration) -> None:
    assert lpsf.result.designs is not None
    assert [design.id for design in lpsf.result.designs] == [
        *("4", "3+1", "1+3", "2+2", "2+1+1", "1+2+1", "1+1+2", "1+1+1+1")
    ]


def test_the_same_input_gives_the_same_bytes(lpsf: Exploration) -> None:
    again = api.explore(api.load(SPECS / "lpsf.aol"), model="published", keep_all=True)
    assert again.result.to_json() == lpsf.result.to_json()


def test_constants_are_kept_with_the_result() -> None:
    found = api.explore(api.load(SPECS / "lpsf.aol", {"W": 64, "H": 32}), model="published")
    assert found.result.constants == {"H": 32, "W": 64, "A": 0.5}
    assert found.result.pareto[0].objectives["latency_cycles"] == 64 * 32


@pytest.mark.parametrize("made", [fork_join(), chain(5), chain(1)], ids=["fork-join", "chain", "single"])
@pytest.mark.parametrize("names", [DEFAULT, ("units",), ("units", "latency_cycles", "internal_memory_bits")])
def test_the_front_is_what_nothing_dominates(made: Network, names: tuple[str, ...]) -> None:
    model = PublishedModel(made, platform())
    found = explore(model, chosen(names), LABELS).result
    graph = task_graph(made)
    priced = [model.evaluate(fusion) for subspace in subspaces(graph) for fusion in subspace]
    table = {
        identifier(one.fusion, graph): tuple(PUBLISHED[name].exact(one) for name in names)
        for one in priced
        if isinstance(one, PublishedDesign)
    }
    assert len(table) == found.evaluated
    front = {
        name
        for name, costs in table.items()
        if not any(other != costs and all(map(int.__le__, other, costs)) for other in table.values())
    }
    assert {design.id for design in found.pareto} == front
    assert [tuple(design.objectives[name] for name in names) for design in found.pareto] == sorted(
        table[name] for name in front
    )


def test_infeasible_fusions_are_counted_apart() -> None:
    # 'wide' reads 8 elements for each it makes, so C = 8 and it takes one a cycle; 'slow' writes outside too, so it
    # has at most m = 1 unit, which makes half a datum a cycle. Apart they are feasible.
    made = network(
        {"in": (64,), "mid": (64,), "out": (8,)},
        [process("slow", [link("in", 1)], [link("mid", 1)]), process("wide", [link("mid", 8)], [link("out", 1)])],
        ["mid", "out"],
    )
    found = explore(PublishedModel(made, platform(m=1, slow=2)), chosen(DEFAULT), LABELS).result
    assert (found.evaluated, found.infeasible, found.space.whole_designs) == (1, 1, 2)
    assert found.infeasible_example is not None
    assert found.infeasible_example.groups == (("slow", "wide"),)
    assert [design.id for design in found.pareto] == ["1+1"]
    assert (found.comparisons.subspaces, found.comparisons.all_pairs) == (0, 0)


class _Refusing(PublishedModel):
    """Refuses fusions with fewer groups than `least`."""

    least = 99

    def evaluate(self, fusion: Fusion) -> PublishedDesign | Infeasible:
        if len(fusion.groups) < self.least:
            return Infeasible(fusion, "too few groups")
        return super().evaluate(fusion)


def test_none_feasible_is_an_error_with_the_reason() -> None:
    with pytest.raises(InfeasibleError) as caught:
        explore(_Refusing(fork_join(), platform()), chosen(DEFAULT), LABELS)
    assert caught.value.exit_code == 3
    assert str(caught.value) == (
        "error[infeasible]: none of the 10 legal fusions of 'top' fits the platform; "
        "[split left right join]: too few groups\n"
        "  hint: a larger memory.data_per_word or other initiation intervals change what fits"
    )


def test_some_infeasible_are_told_of_but_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_Refusing, "least", 3)
    found = explore(_Refusing(fork_join(), platform()), chosen(DEFAULT), LABELS, request=SearchRequest(keep_all=True))
    result = found.result
    assert (result.evaluated, result.infeasible, result.space.whole_designs) == (5, 5, 10)
    assert [(one.groups, one.infeasible) for one in result.space.subspaces] == [(1, 1), (2, 4), (3, 0), (4, 0)]
    assert result.infeasible_example is not None
    assert result.infeasible_example.reason == "too few groups"
    assert result.comparisons.all_pairs == 5 * 4
    assert result.designs is not None
    assert len(result.designs) == found.plotted.designs == 5


def test_progress_ends_with_everything() -> None:
    said: list[Progress] = []
    explore(PublishedModel(chain(8), platform()), chosen(DEFAULT), LABELS, request=SearchRequest(report=said.append))
    assert said[-1] == Progress(evaluated=128, total=128, subspace=8, subspaces=8)
    assert [one.evaluated for one in said] == sorted(one.evaluated for one in said)


def test_the_hypervolume_of_the_front_so_far_rises() -> None:
    made, shares = PublishedModel(chain(9), platform()), []
    found = explore(
        made, chosen(DEFAULT), LABELS, request=SearchRequest(report=lambda one: shares.append(one.hypervolume()))
    )
    assert len(shares) > 9
    assert shares[0] > 0
    assert shares == sorted(shares)
    said: list[Progress] = []
    explore(made, chosen(DEFAULT), LABELS, request=SearchRequest(report=said.append))
    front = np.array([[design.objectives[name] for name in DEFAULT] for design in found.result.pareto])
    assert said[-1].hypervolume() == pytest.approx(box_share(octaves_of(front), corner_of(octaves_of(front))))


def test_beyond_the_limit_nothing_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = explore(PublishedModel(chain(6), platform()), chosen(DEFAULT), LABELS).result
    monkeypatch.setattr("dse.search.published.COMPARED_AT_MOST", 31)
    result = explore(PublishedModel(chain(6), platform()), chosen(DEFAULT), LABELS).result
    assert (whole.comparisons.all_pairs, result.comparisons.all_pairs) == (32 * 31, None)
    assert result.comparisons.subspaces == whole.comparisons.subspaces
    assert result.pareto == whole.pareto


def test_microseconds_need_a_clock() -> None:
    with pytest.raises(ArrayolError) as caught:
        explore(PublishedModel(fork_join(), platform()), chosen(["latency_microseconds"]), LABELS)
    assert str(caught.value) == (
        "error[no-clock]: 'latency_microseconds' needs a clock, and the platform has none\n"
        "  hint: give clock_mhz = MHZ in the platform, or take latency_cycles"
    )


def test_names_of_designs_tell_all_fusions_apart() -> None:
    for made in (fork_join(), chain(9)):
        graph = task_graph(made)
        names = [identifier(fusion, graph) for subspace in subspaces(graph) for fusion in subspace]
        assert len(set(names)) == len(names)


@pytest.mark.parametrize(
    ("groups", "name"),
    [
        ([[0, 1, 2, 3, 4, 5, 6, 7, 8]], "9"),
        ([[0, 1], [2], [3], [4], [5, 6, 7, 8]], "2+1+1+1+4"),
        ([[0, 1], [2], [3], [4], [5], [6], [7, 8]], "2+1x5+2"),
        ([[1], [0, 2, 3, 4, 6], [5, 7, 8]], "2.1,3-5,7.6,8-9"),
    ],
)
def test_a_name(groups: list[list[int]], name: str) -> None:
    fusion = Fusion(tuple(tuple(f"t{task}" for task in group) for group in groups))
    assert identifier(fusion, task_graph(chain(9))) == name


def test_the_platform_as_an_object_a_file_and_what_lies_beside(tmp_path: Path) -> None:
    spec = api.load(SPECS / "lpsf.aol")
    (tmp_path / "two.toml").write_text("[memory]\nlatency = 30\ndata_per_word = 2\n", encoding="utf-8")
    given = api.load_platform(tmp_path / "two.toml")
    ways = {"object": given, "file": tmp_path / "two.toml"}
    found = {name: api.explore(spec, way, model="published") for name, way in ways.items()}
    assert [one.result.platform for one in found.values()] == ["given as an object", str(tmp_path / "two.toml")]
    assert [one.result.pareto[0].processors["vfbu"].units for one in found.values()] == [2, 2]
    assert api.explore(spec, model="published").result.platform == str(SPECS / "lpsf.toml")
