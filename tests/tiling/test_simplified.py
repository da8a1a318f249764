"""What a simplified store takes along is loaded once, before it, and not again where it is read later."""

from __future__ import annotations

from arrayol.language.loader import load_source
from arrayol.language.symbolic import read_schedule, symbolic_component
from arrayol.source import SourceFile
from arrayol.tiling.enumerate import rows
from arrayol.tiling.load_store import traffic
from arrayol.tiling.program import program_of
from arrayol.tiling.tile import Schedule, Tiling, tile_nest

TEXT = """elementary e(x: i64[8]) -> (y: i64[8], z: i64[2]) {
  y[i] = x[i]          for i in 0..8
  y[2 * i] = 1         for i in 0..4
  z[k] = y[4 * k + 1]  for k in 0..2
}
"""


def test_extra_stores_are_loaded_once() -> None:
    """Tiles of two: the first writes y[0] and y[2], so one polyhedron of stores holds y[1] too."""
    loaded = load_source(SourceFile("generated.aol", TEXT))
    program = program_of(symbolic_component(loaded, "e"))
    schedules = [
        Schedule(2, *read_schedule("i", ("i",), loaded, ())),
        Schedule(3, *read_schedule("k + 4", ("k",), loaded, ())),
    ]
    nest = tile_nest(program, schedules, Tiling((2,), 1))
    plain, simple = traffic(nest), traffic(nest, simplify=True)
    assert pairs(plain.store["y"]) == [(0, 0), (0, 2), (1, 4), (1, 6)]
    assert pairs(plain.load["y"]) == [(2, 1), (2, 5)]
    assert pairs(simple.store["y"]) == [(0, 0), (0, 1), (0, 2), (1, 4), (1, 5), (1, 6)]
    assert pairs(simple.load["y"]) == [(0, 1), (1, 5)]


def pairs(relation: object) -> list[tuple[int, int]]:
    found = rows(relation)  # type: ignore[arg-type]
    return [(tile, element) for (tile,), (element,) in zip(found.domain.tolist(), found.image.tolist(), strict=True)]
