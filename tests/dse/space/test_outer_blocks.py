"""Blocks of blocks that come of blocks: what they are, and that rounds find them where they gain."""

from __future__ import annotations

from pathlib import Path

import pytest

from arrayol import api
from arrayol.checks.check import check_source
from arrayol.files import shipped_folder
from arrayol.ir.network import flatten
from arrayol.source import SourceFile
from dse.space.mappings import MappingSpace
from dse.space.outer_blocks import in_smaller_blocks, may_gain
from dse.space.study import Study, parse_scan
from hwmodel.cost_model.model import MachineModel
from hwmodel.design import Blocks, GroupDesign, Processor, ReuseLevel
from hwmodel.platform import default_platform

PLATFORM = shipped_folder() / "platforms" / "default.toml"
PRODUCT = """
elementary partial(a: f32[2], b: f32[2], before: f32) -> (c: f32) {
  c = before
  c += a[k] * b[k]  for k in 0..2
}
task product(a: f32[16, 16], b: f32[16, 16]) -> (c: f32[16, 16]) {
  repeat [8, 16, 16] of partial {
    a                 <- a at origin [0, 0]  paving [0, 1, 0; 2, 0, 0]  fitting [0; 1]
    b                 <- b at origin [0, 0]  paving [2, 0, 0; 0, 0, 1]  fitting [1; 0]
    before            <- c delay [1, 0, 0] else 0
    c delay [1, 0, 0] -> c
  }
}
"""


def space_of(study: Study) -> MappingSpace:
    network = flatten(check_source(SourceFile("product.aol", PRODUCT)).spec, "product")
    return MappingSpace(MachineModel(network, default_platform()), study)


def test_smaller_blocks_need_less_memory_for_the_same_traffic() -> None:
    space = space_of(Study())
    tile = ReuseLevel(3)
    blocks = Blocks((1, 8, 8), parse_scan("1,2,0"))
    plain = GroupDesign((Processor("product"),), blocks, keeps=(("a", tile), ("b", tile)))
    found = list(in_smaller_blocks(space, plain))
    # Either side of the results, cut in two sizes; the sums move both arrays, so that nothing stays while they go on.
    assert [one.blocks.text for one in found] == [
        "1x8x8 in 1x1x8",
        "1x8x8 in 1x2x8",
        "1x8x8 in 1x8x1",
        "1x8x8 in 1x8x2",
    ]
    for one, (stays, moves) in zip(found, [("b", "a")] * 2 + [("a", "b")] * 2, strict=True):
        assert one.keep_of(stays) == tile  # for each outer block, that is of the loop before the last
        assert one.keep_of(moves) == ReuseLevel(4)
    before, *after = space.model.estimates([plain, *found])
    assert {own.additive["traffic_bytes"] for own in after} == {before.additive["traffic_bytes"]}
    assert all(own.internal_memory_bits < before.internal_memory_bits for own in after)


@pytest.mark.parametrize(
    "blocks",
    [Blocks((1, 3, 2), parse_scan("1,2,0")), Blocks((1, 8, 8), parse_scan("1,2,0,1"), (1, 16, 8))],
    ids=["small or not dividing", "there already"],
)
def test_other_blocks_are_left(blocks: Blocks) -> None:
    assert not list(in_smaller_blocks(space_of(Study()), GroupDesign((Processor("product"),), blocks)))


def test_a_study_that_says_what_to_try_has_no_others() -> None:
    listed = space_of(Study(outer_blocks={}))
    plain = GroupDesign((Processor("product"),), Blocks((1, 8, 8), parse_scan("1,2,0")))
    assert not list(in_smaller_blocks(listed, plain))
    assert may_gain(space_of(Study()))
    assert not may_gain(listed)


def test_rounds_find_blocks_of_blocks(tmp_path: Path) -> None:
    """With less traffic or memory than some blocks of one level; none of them where the study says so."""
    path = tmp_path / "product.aol"
    path.write_text(PRODUCT)
    results = []
    for study in (Study(), Study(outer_blocks={})):
        space, pair = api.Space(study, verify=False), ("traffic_bytes", "internal_memory_bits")
        explored = api.explore(api.load(path), PLATFORM, space=space, method="rounds", objectives=pair, budget=20.0)
        results.append(explored.result)
    two, one = results
    in_two, in_one = (
        [
            group.mapping
            for design in own.pareto
            for group in design.groups
            if group.mapping and group.mapping.blocks.outer
        ]
        for own in results
    )
    assert in_two
    assert not in_one
    assert "blocks of blocks tried around designs of the front" in two.method_description
    assert "blocks of blocks" not in one.method_description
    exact = api.explore(api.load(path), PLATFORM, space=api.Space(Study(), verify=False), method="exact").result
    assert "blocks of blocks left out, which the method rounds tries" in exact.method_description
    assert not two.exact
    fronts = [{tuple(one.objectives[name] for name in pair) for one in own.pareto} for own in results]
    better = [b for b in fronts[1] if any(a[0] <= b[0] and a[1] <= b[1] and a != b for a in fronts[0])]
    assert better
