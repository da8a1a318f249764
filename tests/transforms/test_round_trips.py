"""Tiling and collapse undo each other; recursive filters are paved by any factor in any dimension."""

from __future__ import annotations

from itertools import product

import pytest
from drawn_steps import drawn_sizes, repetitions
from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st
from many_cases import case_count
from proof import from_data, prove, transformed
from spec_data import loaded
from strategies_transforms import LinkedSpec, linked_specs

from arrayol.checks.check import load_checked
from arrayol.errors import ArrayolError
from arrayol.files import shipped_folder
from arrayol.ir.spec import RepetitiveTask
from arrayol.language.emitter import spec_text


@settings(max_examples=case_count(50), deadline=None, suppress_health_check=list(HealthCheck))
@given(linked_specs(), st.data())
def test_collapse_of_a_printed_tiling_gives_the_original_back(generated: LinkedSpec, data: st.DataObject) -> None:
    spec = loaded(generated.text)
    choose = from_data(data)
    task = choose(sorted(repetitions(spec, "top")))
    component = spec.components[task]
    assert isinstance(component, RepetitiveTask)
    try:
        tiled = transformed(spec, f"tile {task} {drawn_sizes(choose, component.repetition)}")
    except ArrayolError:
        event("refused")
        assume(False)
    afresh = loaded(spec_text(tiled.spec), "tiled.aol")
    assert spec_text(transformed(afresh, f"collapse {task}").spec) == spec_text(spec)


@pytest.mark.parametrize("task", ["hflr", "vftd", "hfrl", "vfbu"])
def test_recursive_filters_are_paved_by_any_factor_in_any_dimension(task: str) -> None:
    """The last factors are all of the repetitions: one block, all delays inside it."""
    spec = load_checked(shipped_folder() / "lpsf.aol", {"H": 8, "W": 8})
    space = (8, 2)
    for factors in product(*([one for one in range(1, extent + 1) if extent % one == 0] for extent in space)):
        step = f"pave {task} {','.join(map(str, factors))}"
        prove(spec, transformed(spec, step), "lpsf")


def test_a_pipeline_composes_the_maps_of_its_steps() -> None:
    spec = load_checked(shipped_folder() / "lpsf.aol", {"H": 8, "W": 16})
    (found,) = transformed(spec, "tile hflr 4,2").trace.tasks["hflr"]
    assert [found.old(index) for index in ((0, 0, 0, 0), (1, 1, 3, 1))] == [(0, 0), (7, 3)]
    (found,) = transformed(spec, "tile hflr 4,2", "collapse hflr").trace.tasks["hflr"]
    assert found.path == ("hflr",)
    assert all(found.old(index) == index for index in product(range(8), range(4)))
    twice = transformed(spec, "pave hflr 2,1", "pave hflr 2,2").trace.tasks["hflr"]
    once = transformed(spec, "pave hflr 4,2").trace.tasks["hflr"]
    assert [one.path for one in twice] == [one.path for one in once]
    assert all(twice[0].old(index) == once[0].old(index) for index in product(*map(range, (2, 2, 4, 2))))


FOLD = """elementary e(x: i64, p: i64) -> (y: i64[2], q: i64) {{
  y[i] = x + i + 2 * p  for i in 0..2
  q = x + 3 * p
}}
task t(a: i64[4, 3]) -> (b: i64[{shape}]) {{
  repeat [4, 3] of e {{
    x <- a
    p <- q delay {leaves} else 1
    y delay {leaves} -> b at origin {origin} paving [1, 0; 0, 2] fitting [0; 1]
  }}
}}
"""


@pytest.mark.parametrize(
    ("leaves", "shape", "origin"),
    [([1, 0], "1, 6", [-3, 0]), ([-1, 0], "1, 6", [0, 0]), ([2, 0], "2, 6", [-2, 0]), ([0, 1], "4, 2", [0, -4])],
)
def test_collapse_undoes_a_tiling_of_what_leaves_by_an_exit(leaves: list[int], shape: str, origin: list[int]) -> None:
    """Also where one place of a block of several leaves: its tiler goes on as the blocks do."""
    spec = loaded(FOLD.format(leaves=leaves, shape=shape, origin=origin))
    for sizes in product((1, 2, 4), (1, 3)):
        tiled = transformed(spec, f"tile t {sizes[0]},{sizes[1]}")
        afresh = loaded(spec_text(tiled.spec), "tiled.aol")
        assert spec_text(transformed(afresh, "collapse t").spec) == spec_text(spec)
