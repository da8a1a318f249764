"""What the published model asks of platforms, networks and fusions, and its results against other computations."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st
from networks import link, network, platform, process

from arrayol.errors import ArrayolError
from arrayol.ir.network import Network
from arrayol.ir.types import ElementType
from hwmodel.design import Fusion
from hwmodel.platform import Platform
from hwmodel.platform_memories import ExternalMemory, RowModel
from hwmodel.published.group import Infeasible, PublishedDesign
from hwmodel.published.model import PublishedModel


def single(types: dict[str, ElementType] | None = None) -> Network:
    return network({"i": (8,), "o": (8,)}, [process("a", [link("i", 1)], [link("o", 1)])], ["o"], types)


def test_the_row_model_alone_has_no_latency_to_hide() -> None:
    rows = RowModel(row_bytes=8192, word_ns=6.1, row_change_ns=32, same_bank_activate_ns=52)
    only_rows = Platform(clock_mhz=100, memory=ExternalMemory(data_per_word=4, rows=rows))
    with pytest.raises(ArrayolError) as caught:
        PublishedModel(single(), only_rows)
    assert str(caught.value) == (
        "error[no-memory-latency]: the published model needs memory.latency; this platform has only memory.rows\n"
        "  hint: add 'latency = ...' under [memory]: the cycles before the first word of a burst"
    )


def test_a_word_of_mixed_types_is_divided_by_the_widest() -> None:
    # 100 bits hold three f32 (32 bits) and more u8: m = 100 // 32 = 3.  X = 3 * 2 * 30 = 180; IM = 2 * 3 * 180.
    model = PublishedModel(single({"i": ElementType.U8}), Platform(memory=ExternalMemory(latency=30, word_bits=100)))
    assert model.data_per_word == 3
    assert model.remarks == ("3 elements per word: memory.word_bits = 100, the widest element is f32 ('o')",)
    design = model.evaluate(Fusion((("a",),)))
    assert isinstance(design, PublishedDesign)
    assert (design.internal_memory_elements, design.internal_memory_bits) == (1080, 1080 * 8)  # only u8 comes in
    assert PublishedModel(single(), platform()).remarks == ()


def test_a_word_that_holds_no_datum() -> None:
    with pytest.raises(ArrayolError) as caught:
        PublishedModel(single(), Platform(memory=ExternalMemory(latency=30, word_bits=16)))
    assert str(caught.value) == (
        "error[word-too-narrow]: memory.word_bits is 16, but one element of array 'i' (f32) takes 32 bits; the "
        "published "
        "model moves at least one element per cycle\n"
        "  hint: raise memory.word_bits to 32 or more, or give memory.data_per_word instead"
    )


def test_a_process_without_results() -> None:
    with pytest.raises(ArrayolError) as caught:
        PublishedModel(network({"i": (8,)}, [process("a", [link("i", 1)], [])], []), platform())
    assert str(caught.value) == (
        "error[no-output]: 'a' writes no array, so the published model has no output block to size\n"
        "  hint: link an output port to an array, or leave the task out"
    )


@pytest.mark.parametrize("groups", [(), (("a",), ("a",)), (("b",),), (("a", "b"),)])
def test_fusions_that_are_no_partition(groups: tuple[tuple[str, ...], ...]) -> None:
    with pytest.raises(ValueError, match="not a partition of the processes of 'top'"):
        PublishedModel(single(), platform()).evaluate(Fusion(groups))


sizes = st.integers(1, 6)
intervals = st.integers(1, 5)


@st.composite
def acyclic(draw: st.DrawFn) -> tuple[Network, Platform]:
    """One to six processes, each reading one or two earlier arrays and writing one of its own."""
    count = draw(st.integers(1, 6))
    steps = []
    for place in range(count):
        sources = draw(st.lists(st.integers(0, place), min_size=1, max_size=2))
        reads = [link(f"p{source}", draw(sizes)) for source in sources]
        steps.append(process(f"t{place}", reads, [link(f"p{place + 1}", draw(sizes))]))
    read = {name for step in steps for name in step.reads}
    written = [f"p{place + 1}" for place in range(count)]
    outputs = [name for name in written if name not in read or draw(st.booleans())]
    shapes = {f"p{place}": (draw(sizes), 10) for place in range(count + 1)}
    chosen = {f"t{place}": draw(intervals) for place in range(count)}
    return network(shapes, steps, outputs), platform(draw(st.integers(1, 40)), draw(st.integers(1, 5)), **chosen)


@st.composite
def chains(draw: st.DrawFn) -> tuple[Network, Platform]:
    count = draw(st.integers(1, 6))
    names = [f"t{place}" for place in range(count)]
    steps = [
        process(name, [link(f"p{place}", draw(sizes))], [link(f"p{place + 1}", draw(sizes))])
        for place, name in enumerate(names)
    ]
    outputs = [f"p{place + 1}" for place in range(count) if place == count - 1 or draw(st.booleans())]
    chosen = {name: draw(intervals) for name in names}
    shapes = {f"p{place}": (10,) for place in range(count + 1)}
    return network(shapes, steps, outputs), platform(draw(st.integers(1, 40)), draw(st.integers(1, 5)), **chosen)


@given(acyclic())
def test_all_apart_is_the_plain_sum(case: tuple[Network, Platform]) -> None:
    # Without fusion every processor stands alone: N = m, X = ceil(m N_k L / C), x = ceil(k X), all arrays written.
    net, given_platform = case
    m, latency = given_platform.memory.data_per_word, given_platform.memory.latency
    assert m is not None
    assert latency is not None
    flows = sum(len(step.inputs) + len(step.outputs) for step in net.processes.values())
    memory = 0
    for step in net.processes.values():
        out = step.outputs[0].port.shape[0]
        ks = [Fraction(flow.port.shape[0] or 0, out or 1) for flow in step.inputs]
        cycles = max(given_platform.elementary[step.name].initiation_interval, *ks)
        block = ceil(m * flows * latency / cycles)
        memory += sum(2 * m * ceil(k * block) for k in ks)
    written = sum(rows * 10 for name, array in net.arrays.items() if name != "p0" and (rows := array.shape[0]))
    design = PublishedModel(net, given_platform).evaluate(Fusion(tuple((name,) for name in net.processes)))
    assert isinstance(design, PublishedDesign)
    assert design.flows == flows
    assert design.internal_memory_elements == memory
    assert design.latency_cycles == written


@given(chains())
def test_a_fused_chain_keeps_the_criteria_with_the_fewest_units(case: tuple[Network, Platform]) -> None:
    net, given_platform = case
    m, latency = given_platform.memory.data_per_word, given_platform.memory.latency
    assert m is not None
    assert latency is not None
    names = tuple(net.processes)
    design = PublishedModel(net, given_platform).evaluate(Fusion((names,)))
    writes = [net.arrays[net.processes[name].outputs[0].array].is_output for name in names]
    k = {name: _k(net, name) for name in names}
    c = {name: max(given_platform.elementary[name].initiation_interval, k[name]) for name in names}
    if isinstance(design, Infeasible):
        assert not _feasible(names, writes, k, c, m)
        return
    units = {found.process: found.units for found in design.processors}
    for found in design.processors:
        assert found.block * found.initiation >= found.units * design.flows * latency  # criterion 1 as we read it
    for writer, name in zip(writes, names, strict=True):
        assert units[name] >= 1
        assert not writer or units[name] <= m  # criterion 2
    for (made, taken), writer in zip(pairwise(design.processors), writes, strict=False):
        asked = Fraction(taken.units, 1) / c[taken.process] * k[taken.process]  # data per cycle, eq. 6
        assert Fraction(made.units, 1) / c[made.process] >= asked
        assert writer or made.units == 1 or Fraction(made.units - 1, 1) / c[made.process] < asked
        assert taken.inputs[0].block == made.block
        assert made.block >= k[taken.process] * taken.block


@given(chains())
def test_what_groups_share_changes_no_result(case: tuple[Network, Platform]) -> None:
    net, given_platform = case
    names = tuple(net.processes)
    shared = PublishedModel(net, given_platform)
    for first in range(1, len(names)):
        for second in range(first, len(names)):
            parts = (names[:first], names[first:second], names[second:])
            fusion = Fusion(tuple(part for part in parts if part))
            assert shared.evaluate(fusion) == PublishedModel(net, given_platform).evaluate(fusion)


def _k(net: Network, name: str) -> Fraction:
    taken, made = net.processes[name].inputs[0].port.shape[0], net.processes[name].outputs[0].port.shape[0]
    return Fraction(taken or 0, made or 1)


def _feasible(
    names: tuple[str, ...], writes: list[bool], k: dict[str, Fraction], c: dict[str, Fraction], m: int
) -> bool:
    """Whether the smallest conceivable units, one at the end of the chain, keep criteria 2 and 3."""
    needed = 1
    for place in range(len(names) - 2, -1, -1):
        name, after = names[place], names[place + 1]
        needed = max(1, ceil(needed * c[name] * k[after] / c[after]))
        if writes[place] and needed > m:
            return False
    return True
