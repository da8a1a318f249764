"""What arrays keep as an axis of the exact search: the front of every choice, of which few are priced."""

from __future__ import annotations

import pytest

from arrayol.checks.check import check_source
from arrayol.checks.top import choose_top
from arrayol.ir.network import flatten
from arrayol.source import SourceFile
from dse.jobs.runner import JobRunner
from dse.search.context import SearchContext, SearchRequest
from dse.search.exact.exact import search_exactly
from dse.search.exact.exhaustive import search_exhaustively
from dse.search.figures import columns_of
from dse.search.groups.keep_search import searches_keeps
from dse.space.mappings import MappingSpace
from dse.space.study import Study, narrowed
from hwmodel.cost_model.model import MachineModel
from hwmodel.platform import default_platform

MOVED = ("traffic_bytes", "internal_memory_bits")
PRODUCT = """
elementary partial(a: f32[1], b: f32[1], before: f32) -> (c: f32) { c = before + a[0] * b[0] }
task product(a: f32[4, 4], b: f32[4, 4]) -> (c: f32[4, 4]) {
  repeat [4, 4, 4] of partial {
    a                 <- a at origin [0, 0]  paving [0, 1, 0; 1, 0, 0]  fitting [0; 1]
    b                 <- b at origin [0, 0]  paving [1, 0, 0; 0, 0, 1]  fitting [1; 0]
    before            <- c delay [1, 0, 0] else 0
    c delay [1, 0, 0] -> c
  }
}
"""


@pytest.mark.parametrize("technology", [True, False])
@pytest.mark.parametrize(
    "objectives",
    [
        ("traffic_bytes", "internal_memory_bits"),
        ("latency_cycles", "internal_memory_bits"),
        ("latency_cycles", "traffic_bytes", "internal_memory_bits"),
    ],
)
def test_the_front_is_that_of_all_choices(objectives: tuple[str, ...], technology: bool) -> None:
    spec = check_source(SourceFile("product.aol", PRODUCT)).spec
    default = default_platform().model_copy(update={"assume_datapaths": True})
    platform = default if technology else default.model_copy(update={"technology": None})
    model = MachineModel(flatten(spec, choose_top(spec, None)), platform)
    blocks = {"product": [[1, 1, 2], [2, 2, 1], [4, 1, 4], [2, 1, 2], [1, 4, 1]]}
    asked = {"units": [1, 2], "intervals": [1, 2], "orders": ["0,1,2", "1,2,0"], "blocks": blocks}
    study = narrowed(Study.model_validate(asked)).model_copy(update={"policies": ("levels",)})
    context = SearchContext(space := MappingSpace(model, study), columns_of(objectives, (), model, reuse_memory=False))
    assert searches_keeps(space, context.columns, ("product",))
    found, whole = (search(context, SearchRequest(), JobRunner()) for search in (search_exactly, search_exhaustively))
    assert found.front.values.tolist() == whole.front.values.tolist()
    assert found.front.units.tolist() == whole.front.units.tolist()
    assert found.counts.size == whole.counts.size
    assert found.counts.pruned > found.counts.evaluated
    kept = [group.keeps for row in range(len(found.front)) for group in found.design(row).groups]
    assert any(kept), "some design keeps more of one array than of the other"
