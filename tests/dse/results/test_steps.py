"""The steps of designs: each makes a specification that checks clean and computes the same."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from explored import mapped, write_undrawn

from arrayol import api
from arrayol.checks.check import check_source
from arrayol.errors import ArrayolError
from arrayol.ir.network import Network, flatten
from arrayol.ir.spec import CompoundTask, RepetitiveTask, Spec
from arrayol.source import SourceFile
from dse.output.writing import write_result
from dse.results import steps
from dse.results.designs import BlocksRecord
from dse.results.designs import Design as Record
from dse.results.pick import knee_of
from dse.results.records import group_record
from dse.results.steps import StepFinder
from hwmodel.cost_model.model import MachineModel
from hwmodel.design import Blocks, GroupDesign, Processor, row_major
from hwmodel.platform import default_platform

SPECS = Path(__file__).resolve().parents[3] / "specs"
SIZES = {"lpsf": {"H": 48, "W": 64}, "thumbnail": {"H": 36, "W": 32}, "flow": {"H": 12, "W": 20}}


def steps_of(spec: Spec, top: str, *groups: tuple[tuple[str, ...], tuple[int, ...]]) -> Record:
    """A design of groups of tasks, with the blocks of their last ones, as the finder describes it."""
    network = flatten(spec, top)
    return StepFinder(spec, spec, network).described(record(network, *groups))


def record(network: Network, *groups: tuple[tuple[str, ...], tuple[int, ...]]) -> Record:
    """What a result stores of such a design."""
    model = MachineModel(network, default_platform().model_copy(update={"assume_datapaths": True}))
    designs = [
        GroupDesign(tuple(map(Processor, tasks)), Blocks(shape, row_major(len(shape)))) for tasks, shape in groups
    ]
    records = tuple(group_record(model, group, model.estimate(group)) for group in designs)
    fusion = tuple(tasks for tasks, _ in groups)
    return Record.model_construct(id="one", fusion=fusion, groups=records, steps=None, steps_remark=None)


@pytest.mark.parametrize("name", SIZES)
def test_every_design_of_the_front_has_steps_that_keep_the_meaning(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    spec = api.load(SPECS / f"{name}.aol", SIZES[name])
    found = api.explore(spec, model="published")
    write_result(found, Path("out"))
    top = spec.components[name]
    rng = np.random.default_rng(1)
    inputs = {
        port.name: rng.integers(0, 256, port.shape).astype("u1" if port.type == "u8" else "f4") for port in top.inputs
    }
    expected = api.run(spec, inputs)
    for design in found.result.pareto:
        assert design.steps is not None, design.steps_remark
        text = Path(f"out/specs/{design.id}.aol").read_text(encoding="utf-8")
        again = check_source(SourceFile("again.aol", text))
        assert again.diagnostics == ()
        results = api.run(again.spec, inputs)
        assert all(np.array_equal(results[port], array) for port, array in expected.items())


@pytest.mark.parametrize("name", ["lpsf", "thumbnail"])
def test_blocks_hold_what_the_model_asks_for(name: str) -> None:
    """Every processor's share of a block is at least X_out, or the block is everything."""
    spec = api.load(SPECS / f"{name}.aol", SIZES[name])
    network = flatten(spec, name)
    for design in api.explore(spec, model="published").result.pareto:
        assert design.steps is not None
        trace = api.transform(spec, design.steps).trace
        after = api.transform(spec, design.steps).spec
        for process in network.processes.values():
            (went, *_) = trace.tasks[process.task]
            outer = after.components[went.path[0]]
            assert isinstance(outer, RepetitiveTask)
            data = math.prod(process.repetition) * max(math.prod(flow.port.shape) for flow in process.outputs)
            blocks = math.prod(outer.repetition)
            assert blocks == 1 or data // blocks >= design.processors[process.name].block_data


def test_the_steps_of_lpsf_at_full_size() -> None:
    found = api.explore(api.load(SPECS / "lpsf.aol"), model="published").result
    assert [design.steps for design in found.pareto] == [
        ("fuse hfrl vfbu 4,15", "fuse vftd hfrl_vfbu", "fuse hflr vftd_hfrl_vfbu"),
        ("fuse hflr vftd 4,30", "fuse hfrl vfbu 4,30"),
    ]


def test_a_mapped_design_is_fused_by_its_blocks_and_paved_where_alone() -> None:
    spec = api.load(SPECS / "lpsf.aol", SIZES["lpsf"])
    found = steps_of(spec, "lpsf", (("hflr", "vftd"), (8, 3)), (("hfrl",), (1, 4)), (("vfbu",), (1, 1)))
    assert found.steps == ("fuse hflr vftd 8,3", "pave hfrl 1,4")


def test_partial_blocks_have_no_steps_and_say_so() -> None:
    spec = api.load(SPECS / "lpsf.aol", SIZES["lpsf"])
    found = steps_of(spec, "lpsf", (("hflr", "vftd"), (8, 5)), (("hfrl", "vfbu"), (4, 1)))
    assert found.steps is None
    assert found.steps_remark == "its blocks 8,5 of 'vftd' leave a partial block of 64 x 12"


@pytest.mark.parametrize(("outer", "found"), [((16, 3), True), ((8, 3), True), ((12, 3), False), ((24, 3), False)])
def test_blocks_of_blocks_have_steps_where_none_is_clipped(outer: tuple[int, int], found: bool) -> None:
    spec = api.load(SPECS / "lpsf.aol", SIZES["lpsf"])
    network = flatten(spec, "lpsf")
    plain = record(network, (("hflr", "vftd"), (8, 3)), (("hfrl", "vfbu"), (4, 1)))
    mapping = plain.mappings[0].model_copy(update={"blocks": BlocksRecord(shape=(8, 3), scan="0,1,0", outer=outer)})
    first = plain.groups[0].model_copy(update={"mapping": mapping})
    design = plain.model_copy(update={"groups": (first, plain.groups[1])})
    steps = StepFinder(spec, spec, network).described(design)
    assert (steps.steps is not None) == found
    if not found:
        shown = ",".join(map(str, outer))
        assert steps.steps_remark == f"its blocks {shown} in 8,3 of 'vftd' leave a partial block of 64 x 12"


def test_blocks_that_fusion_refuses_have_no_steps_and_say_why() -> None:
    spec = api.load(SPECS / "lpsf.aol", SIZES["lpsf"])
    found = steps_of(spec, "lpsf", (("hflr", "vftd"), (1, 1)), (("hfrl",), (1, 1)), (("vfbu",), (1, 1)))
    assert found.steps is None
    assert found.steps_remark is not None
    assert "stand at different places in what a repetition of 'hflr' writes" in found.steps_remark


def test_designs_share_what_their_first_groups_make(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same steps and texts as of each alone, and no step is taken twice; a refusal is found once."""
    fused, odd, rest = (("hflr", "vftd"), (8, 3)), (("hfrl", "vfbu"), (1, 1)), (("hfrl", "vfbu"), (8, 3))
    spec = api.load(SPECS / "lpsf.aol", SIZES["lpsf"])
    network = flatten(spec, "lpsf")
    designs = [record(network, *groups) for groups in ((fused, odd), (fused, rest), (fused, odd), (fused, rest))]
    alone = [StepFinder(spec, spec, network).described(design) for design in designs]
    assert [design.steps is None for design in alone] == [True, False, True, False]
    taken: list[str] = []
    run = steps.run_step
    monkeypatch.setattr(steps, "run_step", lambda before, step: taken.append(str(step)) or run(before, step))
    finder = StepFinder(spec, spec, network)
    assert [finder.described(design) for design in designs] == alone
    assert taken == ["fuse hflr vftd 8,3", "fuse hfrl vfbu 1,1", "fuse hfrl vfbu 8,3"]
    assert finder.text_of(designs[1]) == api.spec_text(api.transform(spec, alone[1].steps or ()).spec)
    assert len(taken) == 3


def test_of_a_long_front_those_that_tell_most_have_steps_and_any_other_when_asked(tmp_path: Path) -> None:
    spec, found = api.load(SPECS / "lpsf.aol", {"H": 8, "W": 16}), mapped(8, 16)
    front = found.result.pareto
    described = [design for design in front if design.steps is not None or design.steps_remark is not None]
    assert len(described) == 10 < len(front)
    ends = {min(front, key=lambda one: one.objectives[name]).id for name in found.result.objectives}
    assert ends | {knee_of(found.result).design.id} <= {design.id for design in described}
    write_undrawn(found, tmp_path / "out")
    assert {path.stem for path in (tmp_path / "out" / "specs").iterdir()} == {
        design.id.replace(":", "-") for design in described if design.steps is not None
    }
    for design in (design for design in front if design not in described):
        full = found.steps.described(design)  # type: ignore[union-attr]
        if full.steps is None:
            with pytest.raises(ArrayolError, match="no-steps"):
                api.transform_design(spec, tmp_path / "out", design.id)
            continue
        after = api.transform_design(spec, tmp_path / "out", design.id)
        assert api.spec_text(after.spec) == found.steps.text_of(design)  # type: ignore[union-attr]
        return
    raise AssertionError("every design beyond the first has no steps")


def test_calls_that_write_parts_of_one_array_are_paved_from_the_last(tmp_path: Path) -> None:
    """Each step finds the call that it means: one before it that changes takes no number from those after it."""
    text = """
elementary same(p: u8) -> (q: u8) { q = p }
task line(x: u8[8]) -> (y: u8[8]) { repeat [8] of same { p <- x  q -> y } }
task lines(x: u8[3, 8]) -> (y: u8[3, 8]) {
  y[0, ..] = line(x[2, ..])
  y[1, ..] = line(x[0, ..])
  y[2, ..] = line(x[1, ..])
}
"""
    spec = check_source(SourceFile("t.aol", text)).spec
    found = steps_of(spec, "lines", (("line@y",), (2,)), (("line@y_2",), (4,)), (("line@y_3",), (8,)))
    assert found.steps is not None
    assert found.steps == ("pave line@y_3 8", "pave line@y_2 4", "pave line@y 2")
    paved = api.transform(spec, found.steps).spec
    lines = paved.components["lines"]
    assert isinstance(lines, CompoundTask)
    tasks = [paved.components[call.callee] for call in lines.calls]
    assert [task.repetition for task in tasks if isinstance(task, RepetitiveTask)] == [(4,), (2,), (1,)]
    path = tmp_path / "t.aol"
    path.write_text(text, encoding="utf-8")
    assert write_result(api.explore(path, model="published"), tmp_path / "result")
