"""The steps of designs: each makes a specification that checks clean and computes the same."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from arrayol import api
from arrayol.checks.check import check_source
from arrayol.ir.network import flatten
from arrayol.ir.spec import CompoundTask, RepetitiveTask, Spec
from arrayol.source import SourceFile
from dse.jobs.cache import JobCache, open_rows
from dse.jobs.runner import JobRunner
from dse.output.folder import write_result
from dse.results.steps import StepFinder, find_steps
from hwmodel.design import Blocks, Design, GroupDesign, Processor, row_major

SPECS = Path(__file__).resolve().parents[3] / "specs"
SIZES = {"lpsf": {"H": 48, "W": 64}, "thumbnail": {"H": 36, "W": 32}, "flow": {"H": 12, "W": 20}}


def finder(spec: Spec, top: str) -> StepFinder:
    return StepFinder(spec, spec, flatten(spec, top))


def mapped(*groups: tuple[tuple[str, ...], tuple[int, ...]]) -> Design:
    """Groups of tasks with the blocks of their last ones."""
    return Design(
        tuple(
            GroupDesign(tuple(map(Processor, tasks)), Blocks(shape, row_major(len(shape)))) for tasks, shape in groups
        )
    )


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
    design = mapped((("hflr", "vftd"), (8, 3)), (("hfrl",), (1, 4)), (("vfbu",), (1, 1)))
    assert finder(spec, "lpsf").mapped(design).steps == ("fuse hflr vftd 8,3", "pave hfrl 1,4")


def test_partial_blocks_have_no_steps_and_say_so() -> None:
    spec = api.load(SPECS / "lpsf.aol", SIZES["lpsf"])
    found = finder(spec, "lpsf").mapped(mapped((("hflr", "vftd"), (8, 5)), (("hfrl", "vfbu"), (4, 1))))
    assert found.steps is None
    assert found.remark == "its blocks 8,5 of 'vftd' leave a partial block of 64 x 12"


def test_blocks_that_fusion_refuses_have_no_steps_and_say_why() -> None:
    spec = api.load(SPECS / "lpsf.aol", SIZES["lpsf"])
    found = finder(spec, "lpsf").mapped(mapped((("hflr", "vftd"), (1, 1)), (("hfrl",), (1, 1)), (("vfbu",), (1, 1))))
    assert found.steps is None
    assert found.remark is not None
    assert "stand at different places in what a repetition of 'hflr' writes" in found.remark


def test_steps_found_in_jobs(tmp_path: Path) -> None:
    """The same steps and refusals, in a store too; none of another specification are taken."""
    designs = [
        mapped((("hflr", "vftd"), (8, 3)), (("hfrl", "vfbu"), (8, 3))),
        mapped((("hflr", "vftd"), (8, 5)), (("hfrl", "vfbu"), (8, 3))),
        mapped((("hflr",), (1, 8)), (("vftd", "hfrl", "vfbu"), (4, 4))),
    ]
    spec = api.load(SPECS / "lpsf.aol", SIZES["lpsf"])
    direct = [finder(spec, "lpsf").mapped(design) for design in designs]
    assert [one.steps is None for one in direct] == [False, True, False]
    for size, used in ((SIZES["lpsf"], 0), (SIZES["lpsf"], 4), ({"H": 96, "W": 64}, 0)):
        own = finder(api.load(SPECS / "lpsf.aol", size), "lpsf")
        with open_rows(tmp_path, resume=True) as store:
            before = len(store)
            find_steps(own, designs, JobRunner(cache=JobCache(store)), lambda _: None)
            assert len(store) - before == 4 - used
        assert not own.needed(designs)
        if size == SIZES["lpsf"]:
            assert [own.mapped(design) for design in designs] == direct


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
    design = mapped((("line@y",), (2,)), (("line@y_2",), (4,)), (("line@y_3",), (8,)))
    steps = finder(spec, "lines").mapped(design).steps
    assert steps == ("pave line@y_3 8", "pave line@y_2 4", "pave line@y 2")
    paved = api.transform(spec, steps).spec
    lines = paved.components["lines"]
    assert isinstance(lines, CompoundTask)
    tasks = [paved.components[call.callee] for call in lines.calls]
    assert [task.repetition for task in tasks if isinstance(task, RepetitiveTask)] == [(4,), (2,), (1,)]
    path = tmp_path / "t.aol"
    path.write_text(text, encoding="utf-8")
    assert write_result(api.explore(path, model="published"), tmp_path / "result")
