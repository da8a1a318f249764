"""Transformations with one mistake each: the proof must fail for every one of them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from mutants import changed
from proof import prove, transformed
from spec_data import loaded

from arrayol.checks.check import load_checked
from arrayol.errors import ArrayolError
from arrayol.files import shipped_folder
from arrayol.ir.spec import Spec

SCANS = """
elementary both(x: i64[2], w: i64, p: i64, q: i64) -> (y: i64[2], s: i64) {
  s = 2 * p + 3 * q + x[0]
  y[k] = s + (k + 1) * x[k] + w  for k in 0..2
}
elementary window(x: i64[3, 2]) -> (y: i64) { y += (2 * k + 3 * l + 1) * x[k, l]  for k in 0..3, l in 0..2 }
task down(a: i64[6, 8], w: i64) -> (b: i64[6, 8]) {
  repeat [6, 4] of both {
    x <- a at origin [5, 7]  paving [-1, 0; 0, -2]  fitting [0; -1]
    w <- w at origin []  paving []  fitting []
    p <- s delay [1, -1] else a at origin [5, 7]  paving [-1, 0; 0, -2]  fitting []
    q <- s delay [0, 1] else 5
    y -> b at origin [5, 7]  paving [-1, 0; 0, -2]  fitting [0; -1]
  }
}
task look(b: i64[6, 8]) -> (c: i64[6, 4]) {
  repeat [6, 4] of window {
    x <- b at origin [-1, 0]  paving [1, 0; 0, 2]  fitting [1, 0; 0, 1]  wrap
    y -> c at origin [0, 0]  paving [1, 0; 0, 1]  fitting []
  }
}
task first(a: i64[6, 8]) -> (b: i64[6, 8]) {
  repeat [6, 4] of pair {
    x <- a at origin [0, 2]  paving [1, 0; 0, 2]  fitting [0; -1]  wrap
    y -> b at origin [0, 0]  paving [1, 0; 0, 2]  fitting [0; 1]
  }
}
elementary pair(x: i64[2]) -> (y: i64[2]) { y[k] = (k + 2) * x[k]  for k in 0..2 }
task top(a: i64[6, 8], w: i64) -> (d: i64[6, 8], c: i64[6, 4]) {
  d = down(a, w)
  b = first(a)
  c = look(b)
}
"""

LPSF = ["tile hflr 3,2", "pave hfrl 2,4", "fuse hflr vftd", "fuse hfrl vfbu 4,1", "pave hflr 1,2; pave hflr 1,2"]
OWN = [
    "tile down 1,2",
    "tile down 3,4; collapse down",
    "pave down 1,2",
    "fuse first look 2,2",
    "fuse first look 6,2",
    "tile first 2,2",
]

# Module, what stands there, the mistake.
MUTANTS = [
    pytest.param("blocks.block", "(0,) * rank, diagonal(sizes), (1,)", "(1,) * rank, diagonal(sizes), (1,)",
                 id="origin"),
    pytest.param("rewrite", "extent % sizes[axis]]", "extent % sizes[axis] > extent]", id="lost remainder"),
    pytest.param("blocks.block", "entry + back * step for", "entry - back * step for", id="wrong sign of a shift"),
    pytest.param("blocks.block", "place[kept] += factor * place[other]", "place[kept] += place[other]",
                 id="lost factor"),
    pytest.param("blocks.block", "self.offset[kept] += factor * self.offset[other] - back", "pass", id="lost offset"),
    pytest.param("blocks.cut", "crosses = any(crossing.vector is not None for crossing in crossings)",
                 "crosses = False",
                 id="dropped delay between blocks"),
    pytest.param("blocks.delays", "minus(shift, delay.vector)", "added(shift, delay.vector)",
                 id="wrong sign of a delay"),
    pytest.param("blocks.delays", "[Crossing(part, vector,", "[Crossing(part, tuple(-v for v in vector),",
                 id="state from the wrong block"),
    pytest.param("blocks.cut", "delay.span, state.exit)", "delay.span, state.exit and tuple(-v for v in state.exit))",
                 id="state from the wrong end of a block"),
    pytest.param("blocks.cut", "acts = all(abs(step)", "acts = not all(abs(step)", id="dropped delay inside blocks"),
    pytest.param("blocks.block", "added(tiler.origin, times(tiler.paving, blocks.origin), shift)",
                 "added(tiler.origin, shift)", id="lost origin of the macro-pattern"),
    pytest.param("fused_block", "columns.append(move)", "columns.append(tuple(2 * entry for entry in move))",
                 id="too long a step of the macro-pattern"),
    pytest.param("tile", "zip(blocks.paving,", "zip(diagonal(blocks.stride),", id="wrong map of indices"),
]  # fmt: skip


@pytest.fixture(scope="module")
def cases() -> list[tuple[Spec, str, str]]:
    """Specifications, their top tasks, and pipelines for them."""
    lpsf = load_checked(shipped_folder() / "lpsf.aol", {"H": 12, "W": 16})
    own = loaded(SCANS)
    return [*((lpsf, "lpsf", steps) for steps in LPSF), *((own, "top", steps) for steps in OWN)]


def failures(cases: list[tuple[Spec, str, str]]) -> Iterator[str]:
    """Pipelines that the proof does not let pass; a refused one says nothing."""
    for spec, top, steps in cases:
        try:
            prove(spec, transformed(spec, *steps.split("; ")), top)
        except ArrayolError:
            continue
        except Exception as found:
            yield f"{steps}: {type(found).__name__}: {found}"[:200]


def test_without_a_mistake_nothing_fails_or_is_refused(cases: list[tuple[Spec, str, str]]) -> None:
    for spec, top, steps in cases:
        prove(spec, transformed(spec, *steps.split("; ")), top)


@pytest.mark.parametrize(("module", "old", "new"), MUTANTS)
def test_every_mistake_is_found(cases: list[tuple[Spec, str, str]], module: str, old: str, new: str) -> None:
    """`tile down 4,3` leaves a remainder; without a mistake it is refused."""
    with changed(module, old, new):
        found = next(failures([*cases, (cases[-1][0], "top", "tile down 4,3")]), None)
    assert found
