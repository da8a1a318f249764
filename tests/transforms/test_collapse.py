"""Collapse: tiling undone text for text, levels that join and that do not, and the canonical form."""

from __future__ import annotations

import pytest
from proof import prove, transformed
from spec_data import loaded

from arrayol import api
from arrayol.errors import ArrayolError
from arrayol.ir.network import flatten
from arrayol.ir.spec import CompoundTask, Spec
from arrayol.language.emitter import spec_text
from arrayol.transforms.steps import canonical_steps, run_steps

ADD = "elementary add(a: i32, p: i32, q: i32) -> (s: i32) { s = a + 3 * p + 5 * q }\n"


def relaxation(delays: str, extents: str = "[6, 6]") -> Spec:
    """A task of two delays on two dimensions."""
    return loaded(
        f"{ADD}task top(x: i32{extents}, z: i32{extents}) -> (y: i32{extents}) {{ repeat {extents} of add {{\n"
        f"  a <- x at origin [0, 0] paving [1, 0; 0, 1] fitting []\n  {delays}\n"
        "  s -> y at origin [0, 0] paving [1, 0; 0, 1] fitting [] } }\n"
    )


DELAYS = [
    "p <- s delay [1, 0] else 1 q <- s delay [0, 1] else 2",
    "p <- s delay [1, 1] else 1 q <- s delay [1, 0] else 7",
    "p <- s delay [2, 3] else 1 q <- s delay [5, 1] else 7",
    "p <- s delay [-1, -2] else 1 q <- s delay [0, -4] else 7",
    "p <- s delay [1, 1] else z at origin [0, 0] paving [1, 0; 0, 1] fitting [] q <- s delay [0, 3] else 7",
]


@pytest.mark.parametrize("sizes", ["1,1", "2,2", "3,2", "1,6", "6,1", "6,6", "2,6"])
@pytest.mark.parametrize("delays", DELAYS)
def test_delays_are_cut_and_joined_again(delays: str, sizes: str) -> None:
    spec = relaxation(delays)
    tiled = transformed(spec, f"tile top {sizes}")
    prove(spec, tiled)
    again = loaded(spec_text(tiled.spec))
    assert spec_text(transformed(again, "collapse top").spec) == spec_text(spec)


def test_tiling_by_the_state_of_several_blocks_gathers_it() -> None:
    spec = transformed(relaxation(DELAYS[1]), "tile top 2,3").spec
    body = spec.components["top_body"]
    assert isinstance(body, CompoundTask)
    assert [call.callee for call in body.calls] == ["top_edge", "top_block"]


def test_blocks_in_a_circle_are_refused_with_both_repetitions() -> None:
    spec = relaxation("p <- s delay [1, -1] else 0 q <- s delay [0, 1] else 0")
    with pytest.raises(ArrayolError) as failure:
        transformed(spec, "tile top 2,2")
    (found,) = failure.value.diagnostics
    assert "repetition [1, 1] in block [0, 0] needs [0, 2] in block [0, 1]" in found.message
    assert "repetition [0, 2] in block [0, 1] needs [0, 1] in block [0, 0]" in found.message
    assert found.hint == "the nearest sizes that leave an order: 1,2 or 1,1"


def test_paving_what_repeats_a_block_makes_the_block_larger() -> None:
    spec = relaxation(DELAYS[0])
    twice = transformed(spec, "pave top 1,2", "pave top 2,3")
    once = transformed(spec, "pave top 2,6")
    assert spec_text(twice.spec) == spec_text(once.spec)
    prove(spec, twice)


def test_a_fused_task_comes_apart_into_the_canonical_form() -> None:
    spec = loaded(
        "elementary f(x: i32[2], p: i32) -> (y: i32[2], s: i32) { y[k] = x[k] + p for k in 0..2 s = y[1] }\n"
        "task rows(a: i32[4, 4]) -> (b: i32[4, 4]) { repeat [4, 2] of f {\n"
        "  x <- a at origin [0, 0] paving [1, 0; 0, 2] fitting [0; 1]  p <- s delay [0, 1] else 3\n"
        "  y -> b at origin [0, 0] paving [1, 0; 0, 2] fitting [0; 1] } }\n"
        "task columns(a: i32[4, 4]) -> (b: i32[4, 4]) { repeat [4, 2] of f {\n"
        "  x <- a at origin [0, 0] paving [0, 2; 1, 0] fitting [1; 0]  p <- s delay [0, 1] else 4\n"
        "  y -> b at origin [0, 0] paving [0, 2; 1, 0] fitting [1; 0] } }\n"
        "task top(a: i32[4, 4]) -> (c: i32[4, 4]) { b = rows(a)  c = columns(b) }\n"
    )
    fused = transformed(spec, "fuse rows columns")
    with pytest.raises(ArrayolError, match="not-canonical"):
        flatten(fused.spec, "top")
    steps = canonical_steps(fused.spec, "top")
    assert [str(step) for step in steps] == ["collapse rows_columns"]
    apart = run_steps(fused.spec, steps)
    network = flatten(apart.spec, "top")
    assert [process.repetition for process in network.processes.values()] == [(2, 2, 2), (2, 2, 2)]
    prove(spec, transformed(spec, "fuse rows columns", "collapse rows_columns"))


def test_explore_brings_a_specification_into_the_canonical_form() -> None:
    spec = loaded(
        "elementary copy(a: u8) -> (b: u8) { b = a }\n"
        "task line(a: u8[8]) -> (b: u8[8]) { repeat [8] of copy {\n"
        "  a <- a at origin [0] paving [1] fitting []  b -> b at origin [0] paving [1] fitting [] } }\n"
        "task image(x: u8[4, 8]) -> (y: u8[4, 8]) { repeat [4] of line {\n"
        "  a <- x at origin [0, 0] paving [1; 0] fitting [0; 1]\n"
        "  b -> y at origin [0, 0] paving [1; 0] fitting [0; 1] } }\n"
    )
    (design,) = api.explore(spec, model="published").result.pareto
    assert design.steps is not None
    assert design.steps[0] == "collapse image"
    prove(spec, transformed(spec, *design.steps), "image")


def test_a_delay_from_one_call_to_another_stops_the_canonical_form() -> None:
    spec = loaded(
        "elementary add(a: u8, p: u8) -> (b: u8) { b = a + p }\n"
        "elementary double(a: u8) -> (b: u8) { b = 2 * a }\n"
        "task both(a: u8, p: u8) -> (b: u8) { d = double(p)  b = add(a, d) }\n"
        "task top(x: u8[8]) -> (y: u8[8]) { repeat [8] of both { a <- x at origin [0] paving [1] fitting []\n"
        "  p <- b delay [1] else 0  b -> y at origin [0] paving [1] fitting [] } }\n"
    )
    with pytest.raises(ArrayolError) as failure:
        canonical_steps(spec, "top")
    (found,) = failure.value.diagnostics
    assert found.code == "not-canonical"
    assert found.message == (
        "task 'top' repeats 'both', which is not an elementary task; 'top' cannot be collapsed: its delay [1] goes "
        "from 'add' to 'double': repetition [1] of 'double' needs 'add' at [0], and that needs 'double' there"
    )


@pytest.mark.parametrize("sizes", ["2", "3"])
def test_a_default_of_an_infinite_array_is_read_where_one_place_needs_it(sizes: str) -> None:
    spec = loaded(
        "elementary sum(a: i32, p: i32) -> (s: i32) { s = a + p }\n"
        "task top(x: i32[*], first: i32[*]) -> (y: i32[*]) { repeat [*] of sum {\n"
        "  a <- x at origin [0] paving [1] fitting []\n"
        "  p <- s delay [1] else first at origin [0] paving [1] fitting []\n"
        "  s -> y at origin [0] paving [1] fitting [] } }\n"
    )
    tiled = transformed(spec, f"tile top {sizes}")
    prove(spec, tiled)
    again = loaded(spec_text(tiled.spec))
    assert spec_text(transformed(again, "collapse top").spec) == spec_text(spec)
    refused = spec_text(spec).replace("delay [1]", "delay [5]")
    with pytest.raises(ArrayolError, match="before the first element of the infinite array 'first'"):
        transformed(loaded(refused), "tile top 3")


def test_what_is_gathered_can_be_paved_and_tiled_further() -> None:
    spec = relaxation(DELAYS[1])
    for steps in (
        ["pave top 2,3", "pave top 1,1"],
        ["tile top 2,3", "tile top_block 2,1"],
        ["tile top 2,3", "tile top 1,2"],
    ):
        prove(spec, transformed(spec, *steps))


@pytest.mark.parametrize("border", ["nearest", "reflect", "mirror", "7"])
def test_a_border_inside_joins_where_its_array_is_whole_axes(border: str) -> None:
    """What the outer link reads beyond its own ends must go on alike."""
    inner = (
        "elementary m3(w: i32[3]) -> (s: i32) { s = w[0] + 2 * w[1] + 4 * w[2] }\n"
        "task line(x: i32[6]) -> (y: i32[6]) { repeat [6] of m3 {\n"
        f"  w <- x at origin [-1] paving [1] fitting [1] else {border}\n  s -> y }} }}\n"
    )
    rows = "x at origin [-2, 0] paving [1; 0] fitting [0; 1]"

    def top(link: str, shape: str = "[4, 6]", space: int = 4) -> Spec:
        ports = f"(x: i32{shape}) -> (y: i32[{space}, 6])"
        return loaded(f"{inner}task top{ports} {{ repeat [{space}] of line {{\n  x <- {link}\n  y -> y }} }}\n")

    for link in ("x at origin [0, 0] paving [1; 0] fitting [0; 1]", f"{rows} else {border}"):
        spec = top(link)
        prove(spec, transformed(spec, "collapse top"))
    other = "mirror" if border == "nearest" else "nearest"
    for spec in (top("x at origin [0] paving [6] fitting [1]", "[12]", 2), top(f"{rows} else {other}")):
        with pytest.raises(ArrayolError, match="beyond"):
            transformed(spec, "collapse top")
