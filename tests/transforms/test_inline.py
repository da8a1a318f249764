"""Calls of compound tasks put in their place: by hand and generated; fusions and designs across compound tasks."""

from __future__ import annotations

from collections import Counter

import pytest
from drawn_steps import reachable
from hypothesis import strategies as st
from many_cases import full_count, on_many
from proof import from_data, prove, transformed
from spec_data import loaded
from strategies_transforms import LinkedSpec, linked_specs

from arrayol import api
from arrayol.errors import ArrayolError
from arrayol.ir.network import flatten
from arrayol.ir.spec import CompoundTask, Spec
from arrayol.transforms.inline import hidden_pair, leaves_of
from arrayol.transforms.rewrite import CallName

CAMERA = """
elementary add(x: i32[3]) -> (y: i32) {
  y = x[0] + 2 * x[1] + 3 * x[2]
}
elementary twice(x: i32) -> (y: i32) {
  y = 2 * x
}
task blur(x: i32[4, 8]) -> (y: i32[4, 8]) {
  repeat [4, 8] of add {
    x <- x at origin [0, -1] paving [1, 0; 0, 1] fitting [0; 1] wrap
    y -> y
  }
}
task lift(x: i32[4, 8]) -> (y: i32[4, 8]) {
  repeat [4, 8] of twice { x <- x  y -> y }
}
task half(x: i32[4, 8]) -> (y: i32[4, 8]) {
  t = lift(x)
  y = blur(t)
}
task colour(x: i32[4, 8]) -> (y: i32[4, 8]) {
  t = blur(x)
  h = half(t)
  y = lift(h)
}
"""
ONE = CAMERA + "task top(a: i32[4, 8]) -> (c: i32[4, 8]) {\n  p = colour(a)\n  c = blur(p)\n}\n"
TWO = CAMERA + (
    "task top(a: i32[4, 8], b: i32[4, 8]) -> (c: i32[4, 8], d: i32[4, 8]) {\n"
    "  p = colour(a)\n  q = colour(b)\n  c = blur(p)\n  d = blur(q)\n}\n"
)
PARTS = CAMERA + (
    "task top(a: i32[2, 4, 8]) -> (c: i32[2, 4, 8]) {\n  m: i32[2, 4, 8]\n"
    "  m[0, .., ..] = colour(a[0, .., ..])\n  m[1, .., ..] = colour(a[1, .., ..])\n"
    "  c[0, .., ..] = blur(m[0, .., ..])\n  c[1, .., ..] = lift(m[1, .., ..])\n}\n"
)


def refusal(spec: Spec, step: str) -> str:
    with pytest.raises(ArrayolError) as failure:
        transformed(spec, step)
    (found,) = failure.value.diagnostics
    return f"{found.code}: {found.message} ({found.hint})"


def test_all_calls_below_a_task_are_its_own() -> None:
    spec = loaded(TWO)
    found = transformed(spec, "inline top")
    top = found.spec.components["top"]
    assert isinstance(top, CompoundTask)
    assert [call.callee for call in top.calls] == [
        "blur",
        "blur",
        "lift",
        "lift",
        "blur",
        "blur",
        "lift",
        "lift",
    ] + 2 * ["blur"]
    assert {*top.arrays} == {"a", "b", "c", "d", "p", "q", "t", "t_2", "t_3", "t_4", "h", "h_2"}
    assert {*found.spec.tasks} == {"blur", "lift", "top"}
    assert found.trace.arrays["colour", "t"] == (("top", "t"), ("top", "t_3"))
    prove(spec, found)


def test_a_task_without_calls_of_compound_tasks() -> None:
    spec = loaded(ONE)
    hint = "the tasks that call some are colour, top"
    assert refusal(spec, "inline blur") == f"step-refused: 'blur' calls no compound task ({hint})"
    assert refusal(spec, "inline half") == f"step-refused: 'half' calls no compound task ({hint})"


@pytest.mark.parametrize(
    ("step", "remark"),
    [
        ("fuse lift@y blur@c", "'colour' is inlined in 'top'"),
        ("fuse blur@t lift@t 1,8", "'half' is inlined in 'colour'"),
        ("fuse lift@p blur 2,8", "'colour' is inlined in 'top'"),
    ],
)
def test_fuse_finds_tasks_across_compound_tasks(step: str, remark: str) -> None:
    spec = loaded(ONE)
    found = transformed(spec, step)
    assert found.remarks[0] == remark
    prove(spec, found)


def test_fuse_across_compound_tasks_that_are_called_twice() -> None:
    spec = loaded(TWO)
    assert refusal(spec, "fuse lift@y blur") == (
        "ambiguous-call: 'lift@y blur' can mean 2 pairs of calls across compound tasks "
        "(take the step 'inline top' first: then each call has its own name)"
    )
    for step in ("fuse lift@p blur", "fuse lift@q blur@d 1,8"):
        found = transformed(spec, step)
        assert found.remarks[0] == "'colour' is inlined in 'top'"
        prove(spec, found)


def test_parts_of_parts_stay_what_they_are() -> None:
    spec = loaded(PARTS)
    prove(spec, transformed(spec, "inline top"))


def test_generated_hierarchies() -> None:
    seen = Counter[str]()

    def judge(case: LinkedSpec, data: st.DataObject) -> None:
        spec = loaded(case.text)
        if "hierarchy" not in case.features:
            return
        prove(spec, transformed(spec, "inline top"))
        seen["inlined"] += 1
        pairs = hidden_pairs(spec)
        if not pairs:
            return
        producer, consumer = from_data(data)(pairs)
        try:
            found = transformed(spec, f"fuse {producer} {consumer}")
        except ArrayolError as failure:
            if failure.diagnostics[0].code not in ("step-refused", "ambiguous-call"):
                raise
            seen["refused"] += 1
            return
        prove(spec, found)
        seen["fused"] += 1

    on_many(full_count(60), 3, judge, linked_specs(), st.data())
    assert seen["inlined"] >= 10, seen
    assert seen["fused"] >= 3, seen


def hidden_pairs(spec: Spec) -> list[tuple[CallName, CallName]]:
    """Pairs of tasks that are linked across compound tasks."""
    names = []
    for around in (task for name in reachable(spec, "top") if isinstance(task := spec.components[name], CompoundTask)):
        leaves = list(leaves_of(spec, around))
        names += [
            (CallName(one.call.callee, one.call.results[0]), CallName(other.call.callee, other.call.results[0]))
            for one in leaves
            for other in leaves
            if one.writes & other.reads and len(one.path) + len(other.path) > 2 and one.path[0] != other.path[0]
        ]

    def is_one(pair: tuple[CallName, CallName]) -> bool:
        try:
            return hidden_pair(spec, *pair) is not None
        except ArrayolError:
            return False

    return [pair for pair in dict.fromkeys(names) if is_one(pair)]


@pytest.mark.parametrize("text", [ONE, TWO])
def test_designs_across_compound_tasks_have_steps(text: str) -> None:
    spec = loaded(text)
    study = api.Study(units=(1,), blocks=dict.fromkeys(flatten(spec, "top").processes, ((1, 4), (2, 8))))
    result = api.explore(spec, space=api.Space(study, narrow=True, verify=False)).result
    sought = [design for design in result.pareto if design.steps is not None or design.steps_remark is not None]
    assert len(sought) > 1
    assert [design.steps_remark for design in sought if design.steps is None] == []
    fused = [design for design in sought if len(design.fusion) == 1 or text is TWO]
    assert fused
    for design in fused[:3]:
        assert design.steps is not None
        assert design.steps[0] == "inline top"
        found = transformed(spec, *design.steps)
        prove(spec, found)
