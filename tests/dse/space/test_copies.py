"""Platforms and studies name copies of definitions with parameters: all of them, or one."""

from __future__ import annotations

from arrayol.checks.check import check_source
from arrayol.ir.spec import Spec
from arrayol.source import SourceFile
from arrayol.transforms.steps import canonical_form
from dse.space.study import Study
from dse.space.study_checks import for_copies
from hwmodel.platform import Platform, platform_of

TEXT = """
elementary scale[V](x: u8) -> (y: u8) {
  y = x * V
}
task scaled[V, N](x: u8[N]) -> (y: u8[N]) {
  repeat [N] of scale[V] {
    x <- x
    y -> y
  }
}
task top(x: u8[8]) -> (y: u8[8]) {
  a = scaled[2, 8](x)
  b = scaled[3, 8](a)
  y = scaled[3, 8](b)
}
"""


def _spec() -> Spec:
    checked = check_source(SourceFile("copies.aol", TEXT))
    assert checked.ok
    return checked.spec


def test_an_entry_of_a_definition_holds_for_copies_without_one() -> None:
    tables = {"scale": {"latency": 3}, "scale[3]": {"latency": 5}}
    platform = Platform.model_validate({"memory": {"latency": 1, "data_per_word": 1}, "elementary": tables})
    taken, _ = platform_of(_spec(), platform)
    assert {name: taken.entry(name).latency for name in ("scale_2", "scale_3")} == {"scale_2": 3, "scale_3": 5}


def test_a_study_names_tasks_by_definition_and_copy() -> None:
    spec = _spec()
    network = canonical_form(spec, "top").network
    assert [*network.processes] == ["scaled_2_8", "scaled_3_8@b", "scaled_3_8@y"]
    blocks = {"scaled": [[1]], "scaled[3, 8]": [[2]], "scaled_3_8@y": [[4]]}
    study = Study.model_validate({"blocks": blocks, "fusions": [[["scaled[2, 8]"], ["scaled_3_8"]]]})
    meant = for_copies(study, spec, network)
    assert meant.blocks == {"scaled_2_8": ((1,),), "scaled_3_8@b": ((2,),), "scaled_3_8@y": ((4,),)}
    assert meant.fusions == ((("scaled_2_8",), ("scaled_3_8@b", "scaled_3_8@y")),)
