"""Exploration with the machine model: fronts, counts, constraints, studies."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from explored import GIVEN
from schemas import fits

from arrayol import api
from arrayol.checks.top import choose_top
from arrayol.errors import ArrayolError, InfeasibleError
from arrayol.files import shipped_folder
from arrayol.ir.network import flatten
from dse.pareto.fronts import front_of
from dse.results.schema import Result
from dse.search.figures import columns_of
from dse.search.methods import Points, infeasible
from dse.space.mappings import MappingSpace
from dse.space.study import Study
from hwmodel.cost_model.model import MachineModel
from hwmodel.design import Design
from hwmodel.platform import default_platform

SMALL = {"H": 8, "W": 8}
MEMORY = (
    "[memory]\nlatency = 3\ndata_per_word = {}\n[elementary.smooth]\ninitiation_interval = 1\ncost = {{ lut = {} }}\n"
)


def lpsf(**consts: int) -> api.Spec:
    return api.load(shipped_folder() / "lpsf.aol", SMALL | consts)


def explored(spec: api.Spec, platform: Path = GIVEN, **space: object) -> Result:
    return api.explore(spec, platform, space=api.Space(**{"narrow": True, "verify": False, **space})).result  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def narrow() -> Result:
    return explored(lpsf())


def test_counts_sum_to_the_space(narrow: Result) -> None:
    assert narrow.evaluated + narrow.infeasible + narrow.pruned == narrow.space.group_designs
    # 8 x 2 repetitions have 4 x 2 shapes of blocks, each with 4 legal scans; groups of 1 to 4 tasks, of which there are
    # 4, 3, 2 and 1, have 4 to 256 combinations of units.
    assert narrow.space.group_designs == 4 * 8 * (4 * 4 + 3 * 16 + 2 * 64 + 256)
    assert (narrow.space.fusions, narrow.space.groups) == (8, 10)
    assert narrow.exact


def test_no_design_of_the_front_dominates_another(narrow: Result) -> None:
    points = [tuple(design.objectives[name] for name in (*narrow.objectives, "lut")) for design in narrow.pareto]
    assert points == sorted(points)
    # With slack one with as much memory is shown where it takes less logic.
    assert all(one[1] > other[1] or one[2] > other[2] for one, other in pairwise(points))


def test_stored_designs_are_what_the_model_prices(narrow: Result) -> None:
    spec = lpsf()
    model = MachineModel(flatten(spec, choose_top(spec, None)), api.load_platform(GIVEN))
    read = Result.model_validate_json(narrow.to_json())
    assert read == narrow
    for design in read.pareto:
        estimate = model.evaluate(design.decisions)
        assert design.objectives["latency_cycles"] == estimate.latency_cycles
        assert design.objectives["internal_memory_elements"] == estimate.internal_memory_elements
        assert design.objectives["frame_cycles"] == estimate.frame_cycles
        assert design.objectives["lut"] == 96 * estimate.units
        for group in design.groups:
            assert group.mapping is not None
            assert sum(group.mapping.ends.values()) == group.mapping.latency_cycles
            for processor in group.processors:
                assert processor.cycles is not None
                assert sum(processor.cycles.model_dump().values()) == group.mapping.latency_cycles


def test_the_same_bytes_every_time(narrow: Result) -> None:
    assert explored(lpsf()).to_json() == narrow.to_json()


def test_more_of_the_space_is_never_worse(narrow: Result) -> None:
    opened = explored(lpsf(), narrow=False)
    best = [
        (design.objectives["latency_cycles"], design.objectives["internal_memory_elements"]) for design in opened.pareto
    ]
    for design in narrow.pareto:
        point = design.objectives["latency_cycles"], design.objectives["internal_memory_elements"]
        assert any(one[0] <= point[0] and one[1] <= point[1] for one in best)


def test_constraints_cut_the_front(narrow: Result) -> None:
    limit = sorted(design.objectives["internal_memory_bits"] for design in narrow.pareto)[3]
    found = explored(lpsf(), constraints=[f"internal_memory_bits <= {limit}"])
    kept = [design for design in narrow.pareto if design.objectives["internal_memory_bits"] <= limit]
    assert [design.objectives for design in found.pareto] == [design.objectives for design in kept]
    assert found.constraints == (f"internal_memory_bits <= {limit}",)


def test_frames_per_second_are_bounded_from_below() -> None:
    found = explored(lpsf(), constraints=["frames_per_second >= 300000"])
    assert all(design.objectives["frames_per_second"] >= 300_000 for design in found.pareto)
    with pytest.raises(ArrayolError, match="from the wrong side"):
        explored(lpsf(), constraints=["frames_per_second <= 300000"])


def test_nothing_is_feasible(narrow: Result) -> None:
    with pytest.raises(InfeasibleError) as caught:
        explored(lpsf(), constraints=["internal_memory_bits <= 100"])
    least = min(design.objectives["internal_memory_bits"] for design in narrow.pareto)
    latency = narrow.pareto[-1].objectives["latency_cycles"]
    assert str(caught.value) == (
        "error[infeasible]: no design of 'lpsf' keeps all constraints: "
        f"internal_memory_bits <= 100 is asked, the least is {least:,}\n"
        f"  hint: the nearest design, of fusion 1+1+1+1, has latency_cycles {latency:,}"
        f", internal_memory_elements {least // 32}, internal_memory_bits {least:,}"
    )


def test_what_the_budget_ends_is_not_called_infeasible() -> None:
    space = api.Space(narrow=True, verify=False, constraints=["internal_memory_bits <= 100"])
    with pytest.raises(InfeasibleError, match="no design of 'lpsf' that was found before the search ended keeps all"):
        api.explore(lpsf(), GIVEN, method="rounds", budget=0.2, space=space)


def _never(_: int) -> Design:
    raise AssertionError("there is no point to ask for")


def test_nothing_is_found() -> None:
    spec = lpsf()
    mappings = MappingSpace(MachineModel(flatten(spec, choose_top(spec, None)), default_platform()), Study())
    columns = columns_of(("latency_cycles", "units"), (), mappings.model, reuse_memory=False)
    nothing = Points(front_of(np.zeros((0, 2), np.int64), np.zeros(0, np.int64)), _never)
    found, early = (str(infeasible(mappings, columns, nothing, None, ended_early=own)) for own in ("", "--budget"))
    assert found == (
        "error[infeasible]: 'lpsf' has no legal design here\n"
        "  hint: open more of the space in a study: other fusions, units or orders"
    )
    assert early == (
        "error[infeasible]: no legal design of 'lpsf' was found before the search ended\n"
        "  hint: give it more with --budget, or open more of the space in a study: other fusions, units or orders"
    )


def test_of_one_fusion_options_alone_are_found_within_any_budget(tmp_path: Path) -> None:
    """Before the first of its groups has a design there is nothing to put together."""
    path = study(tmp_path, "recompute = [true]\nfusions = [[['hflr', 'vftd', 'hfrl', 'vfbu']]]\n")
    found = api.explore(lpsf(), GIVEN, method="rounds", budget=0.001, space=api.Space(path, verify=False)).result
    assert all(group.mapping.recompute for design in found.pareto for group in design.groups)


def test_shared_memories_take_the_largest_group(narrow: Result) -> None:
    shared = explored(lpsf(), reuse_memory=True)
    assert min(design.objectives["internal_memory_elements"] for design in shared.pareto) < min(
        design.objectives["internal_memory_elements"] for design in narrow.pareto
    )


def study(folder: Path, text: str) -> Path:
    path = folder / "study.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_study_limits_the_space(tmp_path: Path) -> None:
    text = """
fusions = [[["hflr", "vftd"], ["hfrl", "vfbu"]]]
blocks = { vftd = [[8, 1], [4, 1]], vfbu = [[3, 1]] }
orders = ["0,1"]
units = [1, 2]
cuts = ["none"]
links = ["buffer"]
policies = ["reuse"]
styles = ["block"]
objectives = ["units", "latency_cycles"]
"""
    found = explored(lpsf(), narrow=False, study=study(tmp_path, text))
    assert found.objectives == ("units", "latency_cycles")
    assert found.space.group_designs == 2 * 4 + 1 * 4
    assert found.space.whole_designs == 8 * 4
    for design in found.pareto:
        assert design.fusion == (("hflr", "vftd"), ("hfrl", "vfbu"))
        assert design.mappings[0].blocks.shape in ((8, 1), (4, 1))
        assert design.mappings[1].blocks.shape == (3, 1)


def test_a_bound_on_groups_is_named() -> None:
    found = explored(lpsf(), study=api.Study(longest_group=2))
    assert not found.exact
    assert "groups of at most 2 tasks" in found.method_description
    assert max(len(group) for design in found.pareto for group in design.fusion) <= 2


@pytest.mark.parametrize("epsilon", [0.1, 0.5])
def test_a_front_within_a_factor(narrow: Result, epsilon: float) -> None:
    found = explored(lpsf(), study=api.Study(epsilon=epsilon))
    assert not found.exact
    assert len(found.pareto) <= len(narrow.pareto)
    for design in narrow.pareto:
        assert any(
            all(one.objectives[name] <= (1 + epsilon) * design.objectives[name] for name in narrow.objectives)
            for one in found.pareto
        )


MISTAKES = {
    'fusions = [[["hflr", "vftd"], ["hfrl", "vfbo"]]]': "'fusions' names 'vfbo', which is no task here",
    'fusions = [[["hflr", "vftd"], ["hfrl"]]]': "the fusion [hflr vftd | hfrl] leaves out 'vfbu'",
    'fusions = [[["hflr", "hfrl"], ["vftd", "vfbu"]]]': "has a group whose tasks are not linked",
    'fusions = [[["hfrl", "vfbu"], ["hflr", "vftd"]]]': "has a group that reads what a later one writes",
    "blocks = { hfl = [[1, 1]] }": "'blocks' names 'hfl', which is no task here",
    "blocks = { hflr = [[1]] }": "'blocks.hflr' has the shape [1]; 'hflr' repeats in 2 dimensions",
    'orders = ["0,1,2"]': 'the order "0,1,2" has 3 dimensions; the tasks repeat in 2',
    'orders = ["0,0"]': '\'orders\' is ["0,0"]; it must be "legal", or a list of scans',
    'outer_blocks = { vfbo = { "0,1,0" = [[4, 1]] } }': "'outer_blocks' names 'vfbo', which is no task here",
    'outer_blocks = { vfbu = { "0,1" = [[4, 1]] } }': 'it must be a table task = { "0,1,0" = [[12, 4]] } of shapes',
    'outer_blocks = { vfbu = { "0,1,0,0" = [[4, 1]] } }': 'it must be a table task = { "0,1,0" = [[12, 4]] } of shapes',
    'outer_blocks = { vfbu = { "0,1,0" = [[4]] } }': "the scan \"0,1,0\" and the shape [4]; 'vfbu' repeats in 2",
    'outer_blocks = { vfbu = { "0,0" = [[4, 1]] } }': "the scan \"0,0\" and the shape [4, 1]; 'vfbu' repeats in 2",
    'outer_blocks = { vfbu = { "0,1,0" = [[4, 1]] }}\norders = ["0,1"]': (
        "'outer_blocks.vfbu' walks inner blocks in the order \"1,0\", which is none of 'orders'"
    ),
    'array = { p0 = { keep = ["3"] } }': "'array.p0' cannot have keep = [\"3\"]: no scan has so many loops",
    'array = { p0 = { keep = ["\u0660"] } }': "'array.p0.keep' is [\"\u0660\"]; it must be a list of texts as",
    "cuts = []": '\'cuts\' is an empty list; it must be a list of "none" and "lines", or a table',
    "units = [0]": "'units' is [0]; it must be a list of numbers of units, each 1 or more",
    f"units = [{10**30}]": "each 1 or more, and at most 1,000,000,000",
    f"blocks = {{ hflr = [[{10**19}, 1]] }}": "each side 1 or more, and at most 1,000,000,000",
    f"cuts = {{ hflr = [[{10**19}, 1]] }}": "each side 1 or more, and at most 1,000,000,000",
    f"longest_group = {10**19}": "it must be a whole number of tasks, 1 or more, and at most 1,000,000,000",
    'constraints = ["lut <= 1e99999999"]': "each number 0, or from 1e-30 to 1e+30",
    'constraints = ["lut <= 1e-99999999"]': "each number 0, or from 1e-30 to 1e+30",
    'constraints = ["lut < many"]': "'constraints' is [\"lut < many\"]; it must be a list of texts",
    'links = ["pipe"]': '\'links\' is ["pipe"]; it must be a list of "buffer" and "fifo"',
    "epsilon = 2": "'epsilon' is 2; it must be a number from 0 to 1",
    'polices = ["reuse"]': "unknown key 'polices'",
}


UNTOLD = {  # what a schema cannot say: scans that name a dimension twice, or none twice; sizes of numbers in texts
    'constraints = ["lut <= 1e99999999"]',
    'constraints = ["lut <= 1e-99999999"]',
    'orders = ["0,0"]',
    'outer_blocks = { vfbu = { "0,1" = [[4, 1]] } }',
    'outer_blocks = { vfbu = { "0,1,0,0" = [[4, 1]] } }',
}


@pytest.mark.parametrize("text", MISTAKES)
def test_mistakes_of_studies(tmp_path: Path, text: str) -> None:
    with pytest.raises(ArrayolError) as caught:
        explored(lpsf(), narrow=False, study=study(tmp_path, text + "\n"))
    assert MISTAKES[text] in str(caught.value)
    assert "study.toml:1:" in str(caught.value)
    is_of_form = "bad-value" in str(caught.value) or "unknown-key" in str(caught.value)
    assert fits("study", text) == (text in UNTOLD or not is_of_form)


def test_a_wide_word_needs_a_list_of_units(tmp_path: Path) -> None:
    wide = MEMORY.format(10**9, 1)
    (tmp_path / "wide.toml").write_text(wide, encoding="utf-8")
    with pytest.raises(ArrayolError, match=r"a word of 1,000,000,000 elements offers a processor 1 to as many units"):
        explored(lpsf(), platform=tmp_path / "wide.toml")
    listed = explored(lpsf(), platform=tmp_path / "wide.toml", study=api.Study(units=(1, 2)))
    assert listed.space.group_designs > 0


def test_a_cost_that_could_leave_what_is_exact(tmp_path: Path) -> None:
    (tmp_path / "dear.toml").write_text(MEMORY.format(4, 0.123456789), encoding="utf-8")
    with pytest.raises(ArrayolError) as caught:
        explored(lpsf(), platform=tmp_path / "dear.toml", study=api.Study(units=(1, 10**9)))
    assert str(caught.value) == (
        "error[figure-too-large]: the cost 'lut' of 1,000,000,000 units of each task, in 1/1.00 x 10^9, may reach "
        "4.94 x 10^17, most of it by task 'hflr'; the machine model is exact below 2^50, 1.13 x 10^15\n"
        "  hint: give the cost in a larger unit or with fewer digits, or list smaller numbers of units in a study"
    )
    assert explored(lpsf(), platform=tmp_path / "dear.toml").evaluated


def test_costs_are_objectives() -> None:
    result = api.explore(
        lpsf(), GIVEN, objectives=("lut", "latency_cycles"), space=api.Space(narrow=True, verify=False)
    ).result
    assert json.loads(result.to_json())["objectives"] == ["lut", "latency_cycles"]
    assert [design.objectives["lut"] for design in result.pareto] == [
        96 * design.objectives["units"] for design in result.pareto
    ]
