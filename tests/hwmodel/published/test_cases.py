"""The published model on small networks; every number is derived in the comment above it.

Notation: k input pattern / output pattern, C cycles per datum, N units (N_cu), X block (X_out), x input block (x_in),
N_k blocks exchanged with the external memory, L latency (L_m), m data per word.
"""

from __future__ import annotations

from fractions import Fraction

import pytest
from networks import Rows, delay_else, link, network, platform, process

from arrayol.ir.network import Network
from hwmodel.design import Fusion
from hwmodel.platform import Platform
from hwmodel.published.group import Infeasible, PublishedDesign
from hwmodel.published.model import PublishedModel


def priced(net: Network, platform: Platform, fusion: str) -> PublishedDesign:
    """The design of "a b | c"."""
    found = outcome(net, platform, fusion)
    assert isinstance(found, PublishedDesign)
    return found


def outcome(net: Network, platform: Platform, fusion: str) -> PublishedDesign | Infeasible:
    groups = tuple(tuple(group.split()) for group in fusion.split("|"))
    return PublishedModel(net, platform).evaluate(Fusion(groups))


def units(design: PublishedDesign) -> dict[str, int]:
    return {processor.process: processor.units for processor in design.processors}


def blocks(design: PublishedDesign) -> dict[str, int]:
    return {processor.process: processor.block for processor in design.processors}


def inputs(design: PublishedDesign) -> dict[tuple[str, str], int]:
    return {(found.process, entry.array): entry.block for found in design.processors for entry in found.inputs}


def chain(*sizes: tuple[int, int], outputs: tuple[str, ...] = ()) -> Network:
    """Processes a, b, ... that read (first) and write (second) patterns of these sizes; arrays p0, p1, ... of 100."""
    names = "abcdefgh"[: len(sizes)]
    steps = [
        process(name, [link(f"p{place}", read)], [link(f"p{place + 1}", write)])
        for place, (name, (read, write)) in enumerate(zip(names, sizes, strict=True))
    ]
    shapes = {f"p{place}": (100,) for place in range(len(sizes) + 1)}
    return network(shapes, steps, [*outputs, f"p{len(sizes)}"])


def test_rates_of_a_chain() -> None:
    # a: 3 -> 2, interval 2: k = 3/2, C = max(2, 3/2) = 2.   b: 4 -> 1, interval 1: k = 4, C = max(1, 4) = 4.
    # Fused: N_k = 2 (p0 in, p2 out), N_k L = 20.
    # N_b = m = 4; eq. 6: N_a = ceil(4 * C_a * k_b / C_b) = ceil(4 * 2 * 4 / 4) = 8.
    # X_b = ceil(4 * 20 / 4) = 20; X_a = max(ceil(8 * 20 / 2), ceil(4 * 20)) = 80.
    # x_a = ceil(3/2 * 80) = 120; x_b = X_a = 80.  IM = 2 * 8 * 120 + 2 * 4 * 80 = 2560.  AL = |p2| = 100.
    design = priced(chain((3, 2), (4, 1)), platform(latency=10, a=2), "a b")
    assert [processor.initiation for processor in design.processors] == [Fraction(2), Fraction(4)]
    assert units(design) == {"a": 8, "b": 4}
    assert blocks(design) == {"a": 80, "b": 20}
    assert inputs(design) == {("a", "p0"): 120, ("b", "p1"): 80}
    assert (design.flows, design.latency_cycles, design.internal_memory_elements) == (2, 100, 2560)
    assert design.internal_memory_bits == 32 * 2560
    assert design.units == 12

    # Apart: N_k = 4, N_k L = 40, both write outside: N = 4.
    # X_a = ceil(4 * 40 / 2) = 80, x_a = 120; X_b = ceil(4 * 40 / 4) = 40, x_b = ceil(4 * 40) = 160.
    # IM = 2 * 4 * (120 + 160) = 2240.  AL = |p1| + |p2| = 200.
    design = priced(chain((3, 2), (4, 1)), platform(latency=10, a=2), "a | b")
    assert units(design) == {"a": 4, "b": 4}
    assert inputs(design) == {("a", "p0"): 120, ("b", "p1"): 160}
    assert (design.flows, design.latency_cycles, design.internal_memory_elements) == (4, 200, 2240)


def test_blocks_are_rounded_up_at_every_step() -> None:
    # a: 5 -> 3, C = k = 5/3.  m = 4, L = 7, N_k = 2: X = ceil(4 * 14 * 3/5) = ceil(33.6) = 34; x = ceil(5/3 * 34) =
    # ceil(56.67) = 57.  IM = 2 * 4 * 57 = 456.
    design = priced(chain((5, 3)), platform(latency=7), "a")
    assert (blocks(design), inputs(design)) == ({"a": 34}, {("a", "p0"): 57})
    assert design.internal_memory_elements == 456


def test_a_consumers_block_asks_for_more_than_the_latency_does() -> None:
    # m = 1, L = 1, N_k = 2.  a: 1 -> 1, interval 2: C = 2.  b: 4 -> 1, interval 8: k = 4, C = 8.
    # N_b = 1; N_a = ceil(1 * 2 * 4 / 8) = 1.  X_b = ceil(1 * 2 / 8) = 1; X_a = max(ceil(1 * 2 / 2), 4 * 1) = 4.
    design = priced(chain((1, 1), (4, 1)), platform(latency=1, m=1, a=2, b=8), "a b")
    assert units(design) == {"a": 1, "b": 1}
    assert blocks(design) == {"a": 4, "b": 1}
    assert inputs(design) == {("a", "p0"): 4, ("b", "p1"): 4}


def test_a_memory_without_latency_moves_single_data() -> None:
    # L = 0: nothing to hide, and a block has at least one datum.  IM = 2 * 4 * 1.
    design = priced(chain((1, 1)), platform(latency=0), "a")
    assert (blocks(design), design.internal_memory_elements) == ({"a": 1}, 8)


def test_several_inputs() -> None:
    # a: i0 1 -> u 1, C = 1.   b: u 1, i1 3 -> out 2: k = 1/2 and 3/2, C = 3/2.   m = 4, L = 10.
    net = network(
        {"i0": (60,), "i1": (90,), "u": (60,), "out": (120,)},
        [process("a", [link("i0", 1)], [link("u", 1)]), process("b", [link("u", 1), link("i1", 3)], [link("out", 2)])],
        ["out"],
    )
    # Fused: N_k = 3 (i0, i1, out), N_k L = 30.  N_b = 4; N_a = ceil(4 * 1 * (1/2) / (3/2)) = ceil(4/3) = 2.
    # X_b = ceil(4 * 30 * 2/3) = 80; X_a = max(ceil(2 * 30 / 1), ceil(80 / 2)) = 60.
    # x_a = 60; x_b = 60 of u, ceil(3/2 * 80) = 120 of i1.  IM = 2 * 2 * 60 + 2 * 4 * (60 + 120) = 240 + 1440 = 1680.
    design = priced(net, platform(latency=10), "a b")
    assert units(design) == {"a": 2, "b": 4}
    assert inputs(design) == {("a", "i0"): 60, ("b", "u"): 60, ("b", "i1"): 120}
    assert [[entry.from_outside for entry in found.inputs] for found in design.processors] == [[True], [False, True]]
    assert (design.flows, design.latency_cycles, design.internal_memory_elements) == (3, 120, 1680)
    # Apart: i0, u out, u in, i1, out: N_k = 5, N_k L = 50.  X_a = 200 = x_a; X_b = ceil(4 * 50 * 2/3) = ceil(133.3) =
    # 134, x_b = ceil(134 / 2) = 67 of u, ceil(3/2 * 134) = 201 of i1.  IM = 8 * (200 + 67 + 201) = 3744.
    design = priced(net, platform(latency=10), "a | b")
    assert inputs(design) == {("a", "i0"): 200, ("b", "u"): 67, ("b", "i1"): 201}
    assert (design.flows, design.latency_cycles, design.internal_memory_elements) == (5, 180, 3744)


def diamond() -> Network:
    """Process a forks to b and c, d joins."""
    return network(
        {"i": (100,), "p": (100,), "q": (50,), "r": (100,), "out": (50,)},
        [
            process("a", [link("i", 1)], [link("p", 1)]),
            process("b", [link("p", 2)], [link("q", 1)]),
            process("c", [link("p", 1)], [link("r", 1)]),
            process("d", [link("q", 1), link("r", 2)], [link("out", 1)]),
        ],
        ["out"],
    )


def test_fork_and_join_in_one_group() -> None:
    # C: a 1, b 2, c 1, d max(1, 1, 2) = 2.  m = 2, L = 5, N_k = 2, N_k L = 10.
    # N_d = 2; N_b = ceil(2 * 2 * 1 / 2) = 2; N_c = ceil(2 * 1 * 2 / 2) = 2;
    # N_a = max(ceil(2 * 1 * 2 / 2), ceil(2 * 1 * 1 / 1)) = 2.
    # X_d = 10; X_b = max(10, 1 * 10) = 10; X_c = max(20, 2 * 10) = 20; X_a = max(20, 2 * 10, 1 * 20) = 20.
    # x: a 20, b 20, c 20, d 10 of q and 20 of r.  IM = 2 * 2 * (20 + 20 + 20 + 30) = 360.  AL = |out| = 50.
    design = priced(diamond(), platform(latency=5, m=2), "a b c d")
    assert units(design) == {"a": 2, "b": 2, "c": 2, "d": 2}
    assert blocks(design) == {"a": 20, "b": 10, "c": 20, "d": 10}
    assert (design.flows, design.latency_cycles, design.internal_memory_elements) == (2, 50, 360)


def test_an_array_read_inside_and_outside_is_written_and_flows_inside() -> None:
    # [a b] reads i, writes p (c reads it) and q (d does); [c d] reads p, q and writes out: N_k = 1 + 2 + 2 + 1 = 6.
    # N_k L = 30.  a and b write outside: N = 2, and eq. 6 allows it (N_a = ceil(2 * 1 * 2 / 2) = 2).  X_b = 30;
    # X_a = max(60, 2 * 30) = 60; x_a = 60, x_b = X_a = 60.  X_d = 30, X_c = max(60, 60); x_c = 60, x_d = 30 + 60.
    # IM = 2 * 2 * (60 + 60 + 60 + 90) = 1080.  AL = |p| + |q| + |out| = 200.
    design = priced(diamond(), platform(latency=5, m=2), "a b | c d")
    assert inputs(design) == {("a", "i"): 60, ("b", "p"): 60, ("c", "p"): 60, ("d", "q"): 30, ("d", "r"): 60}
    assert (design.flows, design.latency_cycles, design.internal_memory_elements) == (6, 200, 1080)


def test_an_array_read_in_two_groups_is_written_once() -> None:
    # a: i, p; b: p, q; c: p, r; d: q, r, out: N_k = 9, and |p| counts once in AL = 100 + 50 + 100 + 50.
    design = priced(diamond(), platform(), "a | b | c | d")
    assert (design.flows, design.latency_cycles) == (9, 300)


def test_an_output_that_is_read_inside_is_written_too() -> None:
    # p1 is an output of the network and feeds b: N_k = p0 + p1 + p2 = 3; AL = 200.
    design = priced(chain((1, 1), (1, 1), outputs=("p1",)), platform(), "a b")
    assert (design.flows, design.latency_cycles) == (3, 200)


def test_one_flow_per_link_even_to_the_same_array() -> None:
    # a reads p0 through two ports: N_k = 2 + 1, X = 4 * 3 * 30 = 360 for C = 1, IM = 2 * 4 * (360 + 360).
    net = network({"p0": (10,), "p1": (10,)}, [process("a", [link("p0", 1), link("p0", 1)], [link("p1", 1)])], ["p1"])
    design = priced(net, platform(), "a")
    assert (design.flows, design.internal_memory_elements) == (3, 5760)


def test_a_producer_that_writes_outside_limits_its_consumer() -> None:
    # a: interval 2, writes p1, an output: N_a = m = 4.  b: C = 1, writes outside and would have 4, asking
    # ceil(4 * 2 * 1 / 1) = 8 of a: it takes the largest N with N * 2 <= 4: 2.
    # N_k = 3, L = 10: X_b = 2 * 30 = 60; X_a = max(ceil(4 * 30 / 2), 60) = 60.  IM = 2 * 4 * 60 + 2 * 2 * 60 = 720.
    design = priced(chain((1, 1), (1, 1), outputs=("p1",)), platform(latency=10, a=2), "a b")
    assert units(design) == {"a": 4, "b": 2}
    assert blocks(design) == {"a": 60, "b": 60}
    assert design.internal_memory_elements == 720


def test_the_limit_passes_on_and_those_between_take_no_more_than_asked() -> None:
    # a: 5 -> 2, C = 5/2, p1 is an output: N_a = m = 4.  b: C = 2: at most floor(4 * 2 / (5/2)) = floor(3.2) = 3.
    # c: C = 1, asks b for C_b k / C_c = 2 units per unit of its own: at most floor(3 / 2) = 1, so N_c = 1, and b,
    # which only serves c, is the smallest that eq. 6 allows: ceil(1 * 2 * 1 / 1) = 2.
    design = priced(chain((5, 2), (1, 1), (1, 1), outputs=("p1",)), platform(b=2), "a b c")
    assert units(design) == {"a": 4, "b": 2, "c": 1}


def test_infeasible_beside_a_producer_that_writes_outside() -> None:
    # a: C = 3, at most m = 2 units, makes 2/3 elements a cycle; one unit of b (C = 1) takes 1: floor(2 / 3) = 0.
    found = outcome(chain((1, 1), (1, 1), outputs=("p1",)), platform(m=2, a=3), "a b")
    assert isinstance(found, Infeasible)
    assert found.reason == (
        "'a' writes outside its group, so it has at most 2 units (the elements of a word) and makes 2/3 elements "
        "of 'p1' per "
        "cycle, but one unit of 'b' takes 1"
    )
    # Apart there is no eq. 6 between them.
    assert units(priced(chain((1, 1), (1, 1), outputs=("p1",)), platform(m=2, a=3), "a | b")) == {"a": 2, "b": 2}


def test_infeasible_further_down() -> None:
    # m = 4.  a: C = 3, p1 an output: 4 units.  b: C = 2: floor(4 * 2 / 3) = 2.  c: 3 -> 1, C = 3, asks C_b k / C_c =
    # 2 * 3 / 3 = 2 each: floor(2 / 2) = 1.  d: C = 1, asks C_c k / C_d = 3 each: floor(1 / 3) = 0.
    net = chain((1, 1), (1, 1), (3, 1), (1, 1), outputs=("p1",))
    found = outcome(net, platform(a=3, b=2), "a b c d")
    assert isinstance(found, Infeasible)
    assert found.reason == (
        "'c' has at most 1 unit and makes 1/3 elements of 'p3' per cycle, but one unit of 'd' takes 1"
    )


def test_outputs_of_different_sizes() -> None:
    # a: 4 -> u[4] and v (a scalar); the largest output counts: k = 1, C = 1, and v gets 1/4 datum per datum of u.
    # b: v 1 -> 1.  c: u 4 -> 4.  m = 2, L = 10, N_k = 3 (i, y, z), N_k L = 30.
    # N_b = N_c = 2; b asks a for 2 * 1 * 1 / (1 * 1/4) = 8 units, c for 2: N_a = 8.
    # X_b = X_c = 60; X_a = max(8 * 30, 60 / (1/4), 60) = 240.  x_a = 240, x_b = 240 / 4 = 60, x_c = 240.
    # IM = 2 * (8 * 240 + 2 * 60 + 2 * 240) = 5040.
    net = network(
        {"i": (80,), "u": (80,), "v": (20,), "y": (20,), "z": (80,)},
        [
            process("a", [link("i", 4)], [link("u", 4), link("v")]),
            process("b", [link("v")], [link("y")]),
            process("c", [link("u", 4)], [link("z", 4)]),
        ],
        ["y", "z"],
    )
    design = priced(net, platform(latency=10, m=2), "a b c")
    assert units(design) == {"a": 8, "b": 2, "c": 2}
    assert inputs(design) == {("a", "i"): 240, ("b", "v"): 60, ("c", "u"): 240}
    assert design.internal_memory_elements == 5040


def test_two_links_that_write_one_array() -> None:
    # a: 8 -> two patterns of 4, both to u: k = 8/4 = 2, C = 2, u gets 2 per element of one port.  b: 4 -> 4, C = 1.
    # m = 2, L = 10, N_k = 2 (u is inside): N_b = 2, N_a = ceil(2 * 2 * 1 / (1 * 2)) = 2.
    # X_b = 40; X_a = max(ceil(2 * 20 / 2), 40 / 2) = 20; x_a = 2 * 20 = 40, x_b = 2 * 20 = 40.  IM = 4 * 80.
    net = network(
        {"i": (80,), "u": (80,), "y": (80,)},
        [process("a", [link("i", 8)], [link("u", 4), link("u", 4)]), process("b", [link("u", 4)], [link("y", 4)])],
        ["y"],
    )
    design = priced(net, platform(latency=10, m=2), "a b")
    assert units(design) == {"a": 2, "b": 2}
    assert (blocks(design), design.internal_memory_elements) == ({"a": 20, "b": 40}, 320)
    assert priced(net, platform(), "a | b").flows == 4  # u is written once


@pytest.mark.parametrize(
    ("written", "read", "whole"),
    [
        (((1, 0), (0, 4)), ((0, 2), (3, 0)), 0),  # both forwards on both axes, in whatever order of loops
        (((1, 0), (0, 4)), ((1, 0), (0, -4)), 70),  # opposite on the second axis
        (((-1, 0), (0, 4)), ((1, 0), (0, 4)), 70),  # opposite on the first
        (((-1, 0), (0, -4)), ((-2, 0), (0, -1)), 0),  # both backwards
        (((0, 0), (0, 4)), ((-1, 0), (0, 4)), 0),  # a row of zeros agrees with all
        (((1, 0), (0, 4)), ((1, 0), (0, 0)), 0),
        (((1, -1), (0, 1)), ((0, 0), (0, 1)), 0),  # both signs, beside zeros
        (((1, -1), (0, 1)), ((1, 0), (0, 1)), 70),  # both signs, beside one sign
        (((1, -1), (0, 1)), ((1, -1), (0, 1)), 70),  # both signs, beside both
    ],
)
def test_scans(written: Rows, read: Rows, whole: int) -> None:
    # C = 1 all over: N = 4, N_k L = 60: X = x = 240, IM = 2 * 2 * 4 * 240 = 3840, and |u| = 70 where scans disagree.
    net = network(
        {"i": (7, 10), "u": (7, 10), "y": (7, 10)},
        [
            process("a", [link("i", 1, paving=written)], [link("u", 1, paving=written)]),
            process("b", [link("u", 1, paving=read)], [link("y", 1, paving=read)]),
        ],
        ["y"],
    )
    design = priced(net, platform(), "a b")
    assert design.internal_memory_elements == 3840 + whole
    assert design.processors[1].inputs[0].whole_array == whole
    apart = priced(net, platform(), "a | b")  # through external memory scans are free: N_k L = 120, X = 480
    assert apart.internal_memory_elements == 2 * 2 * 4 * 480


def test_an_array_against_two_scans_is_kept_once() -> None:
    # b and c both walk u backwards.  N_k = 3, X = x = 4 * 90 = 360 for a, b, c (C = 1): IM = 2 * 4 * 3 * 360 + 100.
    backwards = ((-1,),)
    net = network(
        {"i": (100,), "u": (100,), "y": (100,), "z": (100,)},
        [
            process("a", [link("i", 1)], [link("u", 1)]),
            process("b", [link("u", 1, paving=backwards)], [link("y", 1, paving=backwards)]),
            process("c", [link("u", 1, paving=backwards)], [link("z", 1, paving=backwards)]),
        ],
        ["y", "z"],
    )
    design = priced(net, platform(), "a b c")
    assert design.internal_memory_elements == 8640 + 100
    assert [entry.whole_array for found in design.processors for entry in found.inputs] == [0, 100, 0]


def test_delays_count_nowhere_but_what_another_group_needs_is_written() -> None:
    # b reads i through a link and p only where its delay leaves the space.
    net = network(
        {"i": (100,), "p": (30,), "out": (100,)},
        [
            process("a", [link("i", 1)], [link("p", 1)]),
            process("b", [link("i", 1)], [link("out", 1)], delays=[delay_else("p")]),
        ],
        ["out"],
    )
    # Apart: i, p out, i, out: N_k = 4 (the delayed read is no flow); AL = |p| + |out|.
    design = priced(net, platform(), "a | b")
    assert (design.flows, design.latency_cycles) == (4, 130)
    # Together: i, i, out: N_k = 3; no link asks a for anything: one unit.
    design = priced(net, platform(), "a b")
    assert (design.flows, design.latency_cycles, units(design)) == (3, 100, {"a": 1, "b": 4})


def test_an_elementary_called_directly_and_infinite_axes() -> None:
    # The pattern is the whole array: i[*, 6] -> y[*, 3], an infinite axis counting 1: k = 6/3 = 2, C = 2.
    # N_k = 2: X = ceil(4 * 60 / 2) = 120, x = 240.  IM = 2 * 4 * 240.  AL = |y| = 3.
    single = process("a", [link("i", None, 6, paving=((), ()))], [link("y", None, 3, paving=((), ()))])
    net = network({"i": (None, 6), "y": (None, 3)}, [single], ["y"])
    design = priced(net, platform(), "a")
    assert (design.latency_cycles, design.internal_memory_elements) == (3, 1920)
